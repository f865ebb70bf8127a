"""The table of resource types. A row has the type, its module and class, and the module that has it
in Heat, if plug-ins may import it from there.

Modules are relative to this package, and to ``heat.engine.resources``. A table instead of a scan,
so that an engine starts without importing any type; a module is imported when its type is first
used. The rows are sorted.
"""
# ruff: noqa: E501  a row of the table is not wrapped

_TABLE = """
    AWS::AutoScaling::AutoScalingGroup aws.autoscaling:AutoScalingGroup aws.autoscaling.autoscaling_group
    AWS::AutoScaling::LaunchConfiguration aws.autoscaling:LaunchConfiguration aws.autoscaling.launch_config
    AWS::AutoScaling::ScalingPolicy heat.scaling_policy:AWSScalingPolicy aws.autoscaling.scaling_policy
    AWS::CloudFormation::Stack aws.stack:NestedStack aws.cfn.stack
    AWS::CloudFormation::WaitCondition aws.wait_condition:WaitCondition aws.cfn.wait_condition
    AWS::CloudFormation::WaitConditionHandle aws.wait_condition:WaitConditionHandle aws.cfn.wait_condition_handle
    AWS::EC2::EIP aws.ec2.eip:ElasticIp aws.ec2.eip
    AWS::EC2::EIPAssociation aws.ec2.eip:ElasticIpAssociation aws.ec2.eip
    AWS::EC2::Instance aws.ec2.instance:Instance aws.ec2.instance
    AWS::EC2::InternetGateway aws.ec2.vpc:InternetGateway aws.ec2.internet_gateway
    AWS::EC2::NetworkInterface aws.ec2.network_interface:NetworkInterface aws.ec2.network_interface
    AWS::EC2::RouteTable aws.ec2.vpc:RouteTable aws.ec2.route_table
    AWS::EC2::SecurityGroup aws.ec2.security_group:SecurityGroup aws.ec2.security_group
    AWS::EC2::Subnet aws.ec2.vpc:Subnet aws.ec2.subnet
    AWS::EC2::SubnetRouteTableAssociation aws.ec2.vpc:SubnetRouteTableAssociation aws.ec2.route_table
    AWS::EC2::VPC aws.ec2.vpc:VPC aws.ec2.vpc
    AWS::EC2::VPCGatewayAttachment aws.ec2.vpc:VPCGatewayAttachment aws.ec2.internet_gateway
    AWS::EC2::Volume aws.ec2.volume:Volume aws.ec2.volume
    AWS::EC2::VolumeAttachment aws.ec2.volume:VolumeAttachment aws.ec2.volume
    AWS::ElasticLoadBalancing::LoadBalancer aws.load_balancer:LoadBalancer aws.lb.loadbalancer
    AWS::IAM::AccessKey aws.iam:AccessKey aws.iam.user
    AWS::IAM::User aws.iam:User aws.iam.user
    AWS::S3::Bucket aws.bucket:S3Bucket aws.s3.s3
    DockerInc::Docker::Container containers.docker_container:DockerContainer
    HeatLite::Container::Config containers.sealed_text:Config
    HeatLite::Container::Container containers.container:Container
    HeatLite::Container::Image containers.image:Image
    HeatLite::Container::Job containers.container:Job
    HeatLite::Container::Network containers.network:Network
    HeatLite::Container::Secret containers.sealed_text:Secret
    HeatLite::Container::Volume containers.volume:Volume
    OS::Aodh::Alarm openstack.aodh.alarm:AodhAlarm openstack.aodh.alarm
    OS::Aodh::CombinationAlarm base.hidden_types:OSAodhCombinationAlarm
    OS::Aodh::CompositeAlarm openstack.aodh.alarm:CompositeAlarm openstack.aodh.composite_alarm
    OS::Aodh::EventAlarm openstack.aodh.alarm:EventAlarm openstack.aodh.alarm
    OS::Aodh::GnocchiAggregationByMetricsAlarm openstack.aodh.alarm:AodhGnocchiAggregationByMetricsAlarm openstack.aodh.gnocchi.alarm
    OS::Aodh::GnocchiAggregationByResourcesAlarm openstack.aodh.alarm:AodhGnocchiAggregationByResourcesAlarm openstack.aodh.gnocchi.alarm
    OS::Aodh::GnocchiResourcesAlarm openstack.aodh.alarm:AodhGnocchiResourcesAlarm openstack.aodh.gnocchi.alarm
    OS::Aodh::LBMemberHealthAlarm openstack.aodh.alarm:LBMemberHealthAlarm openstack.aodh.alarm
    OS::Aodh::PrometheusAlarm openstack.aodh.alarm:PrometheusAlarm openstack.aodh.alarm
    OS::Barbican::ACL openstack.barbican_acl:ACL
    OS::Barbican::CertificateContainer openstack.barbican:CertificateContainer openstack.barbican.container
    OS::Barbican::GenericContainer openstack.barbican:GenericContainer openstack.barbican.container
    OS::Barbican::Order openstack.barbican:Order openstack.barbican.order
    OS::Barbican::Quota openstack.quotas:BarbicanQuota
    OS::Barbican::RSAContainer openstack.barbican:RSAContainer openstack.barbican.container
    OS::Barbican::Secret openstack.barbican:Secret openstack.barbican.secret
    OS::Blazar::Host openstack.blazar:Host openstack.blazar.host
    OS::Blazar::Lease openstack.blazar:Lease openstack.blazar.lease
    OS::Cinder::Backup openstack.cinder.volume_snapshot:Backup
    OS::Cinder::DefaultVolumeType openstack.cinder.volume_type:DefaultVolumeType
    OS::Cinder::EncryptedVolumeType openstack.cinder.volume_type:CinderEncryptedVolumeType openstack.cinder.encrypted_volume_type
    OS::Cinder::Group openstack.cinder.volume_group:Group
    OS::Cinder::GroupSnapshot openstack.cinder.volume_group:GroupSnapshot
    OS::Cinder::GroupType openstack.cinder.volume_group:GroupType
    OS::Cinder::HostAttachment openstack.cinder.host_attachment:HostAttachment
    OS::Cinder::QoSAssociation openstack.cinder.volume_type:QoSAssociation openstack.cinder.qos_specs
    OS::Cinder::QoSSpecs openstack.cinder.volume_type:QoSSpecs openstack.cinder.qos_specs
    OS::Cinder::Quota openstack.quotas:CinderQuota openstack.cinder.quota
    OS::Cinder::Snapshot openstack.cinder.volume_snapshot:Snapshot
    OS::Cinder::Volume openstack.cinder.volume:CinderVolume openstack.cinder.volume
    OS::Cinder::VolumeAttachment openstack.cinder.volume_attachment:CinderVolumeAttachment openstack.cinder.volume
    OS::Cinder::VolumeTransferAccept openstack.cinder.volume_transfer:VolumeTransferAccept
    OS::Cinder::VolumeTransferRequest openstack.cinder.volume_transfer:VolumeTransferRequest
    OS::Cinder::VolumeType openstack.cinder.volume_type:CinderVolumeType openstack.cinder.volume_type
    OS::Cinder::VolumeTypeAccess openstack.cinder.volume_type:VolumeTypeAccess
    OS::Cyborg::DeviceProfile openstack.cyborg:DeviceProfile
    OS::Designate::Blacklist openstack.designate:Blacklist
    OS::Designate::Domain base.hidden_types:OSDesignateDomain
    OS::Designate::PTRRecord openstack.designate:PTRRecord
    OS::Designate::Quota openstack.quotas:DesignateQuota
    OS::Designate::Record base.hidden_types:OSDesignateRecord
    OS::Designate::RecordSet openstack.designate:DesignateRecordSet openstack.designate.recordset
    OS::Designate::TLD openstack.designate:TLD
    OS::Designate::TSIGKey openstack.designate:TSIGKey
    OS::Designate::Zone openstack.designate:DesignateZone openstack.designate.zone
    OS::Designate::ZoneShare openstack.designate:ZoneShare
    OS::Designate::ZoneTransferAccept openstack.designate:ZoneTransferAccept
    OS::Designate::ZoneTransferRequest openstack.designate:ZoneTransferRequest
    OS::Glance::Image base.hidden_types:OSGlanceImage
    OS::Glance::ImageAcceptance openstack.image_sharing:ImageAcceptance
    OS::Glance::ImageMember openstack.image_sharing:ImageMember
    OS::Glance::MetadefNamespace openstack.image_sharing:MetadefNamespace
    OS::Glance::VolumeImage openstack.image_sharing:VolumeImage
    OS::Glance::WebImage openstack.glance:GlanceWebImage openstack.glance.image
    OS::Heat::AccessPolicy heat.access_policy:AccessPolicy openstack.heat.access_policy
    OS::Heat::AutoScalingGroup heat.autoscaling_group:AutoScalingResourceGroup openstack.heat.autoscaling_group
    OS::Heat::CWLiteAlarm heat.cw_lite_alarm:CloudWatchAlarm
    OS::Heat::CloudConfig heat.software_config:CloudConfig openstack.heat.cloud_config
    OS::Heat::Delay heat.delay:Delay openstack.heat.delay
    OS::Heat::DeployedServer heat.deployed_server:DeployedServer openstack.heat.deployed_server
    OS::Heat::HARestarter base.hidden_types:OSHeatHARestarter
    OS::Heat::InstanceGroup heat.instance_group:InstanceGroup openstack.heat.instance_group
    OS::Heat::MultipartMime heat.multipart_mime:MultipartMime openstack.heat.multi_part
    OS::Heat::None heat.none:NoneResource openstack.heat.none_resource
    OS::Heat::RandomString heat.random_string:RandomString openstack.heat.random_string
    OS::Heat::ResourceChain heat.resource_group:ResourceChain openstack.heat.resource_chain
    OS::Heat::ResourceGroup heat.resource_group:ResourceGroup openstack.heat.resource_group
    OS::Heat::ScalingPolicy heat.scaling_policy:AutoScalingPolicy openstack.heat.scaling_policy
    OS::Heat::SoftwareComponent heat.software_config:SoftwareComponent openstack.heat.software_component
    OS::Heat::SoftwareConfig heat.software_config:SoftwareConfig openstack.heat.software_config
    OS::Heat::SoftwareDeployment heat.software_deployment:SoftwareDeployment openstack.heat.software_deployment
    OS::Heat::SoftwareDeploymentGroup heat.software_deployment:SoftwareDeploymentGroup openstack.heat.software_deployment
    OS::Heat::SoftwareDeployments heat.software_deployment:SoftwareDeployments
    OS::Heat::Stack heat.stack:RemoteStack openstack.heat.remote_stack
    OS::Heat::StructuredConfig heat.software_config:StructuredConfig openstack.heat.structured_config
    OS::Heat::StructuredDeployment heat.software_deployment:StructuredDeployment openstack.heat.structured_config
    OS::Heat::StructuredDeploymentGroup heat.software_deployment:StructuredDeploymentGroup openstack.heat.structured_config
    OS::Heat::StructuredDeployments heat.software_deployment:StructuredDeployments
    OS::Heat::SwiftSignal heat.swift_signal:SwiftSignal openstack.heat.swiftsignal
    OS::Heat::SwiftSignalHandle heat.swift_signal:SwiftSignalHandle openstack.heat.swiftsignal
    OS::Heat::TestResource heat.test_resource:TestResource openstack.heat.test_resource
    OS::Heat::UpdateWaitConditionHandle aws.wait_condition:UpdateWaitConditionHandle openstack.heat.wait_condition_handle
    OS::Heat::Value heat.value:Value openstack.heat.value
    OS::Heat::WaitCondition heat.wait_condition:HeatWaitCondition openstack.heat.wait_condition
    OS::Heat::WaitConditionHandle heat.wait_condition:HeatWaitConditionHandle openstack.heat.wait_condition_handle
    OS::HeatLite::Lookup openstack.lookup:Lookup
    OS::Ironic::Allocation openstack.ironic:Allocation
    OS::Ironic::Chassis openstack.ironic:Chassis
    OS::Ironic::DeployTemplate openstack.ironic:DeployTemplate
    OS::Ironic::InspectionRule openstack.ironic:InspectionRule
    OS::Ironic::Node openstack.ironic:Node
    OS::Ironic::Port openstack.ironic:Port openstack.ironic.port
    OS::Ironic::PortGroup openstack.ironic:PortGroup
    OS::Ironic::Runbook openstack.ironic:Runbook
    OS::Ironic::VolumeConnector openstack.ironic:VolumeConnector
    OS::Ironic::VolumeTarget openstack.ironic:VolumeTarget
    OS::Keystone::ApplicationCredential openstack.delegation:ApplicationCredential
    OS::Keystone::Credential openstack.delegation:Credential
    OS::Keystone::Domain openstack.keystone:KeystoneDomain openstack.keystone.domain
    OS::Keystone::DomainConfig openstack.federation:DomainConfig
    OS::Keystone::EC2Credential openstack.delegation:EC2Credential
    OS::Keystone::Endpoint openstack.keystone:KeystoneEndpoint openstack.keystone.endpoint
    OS::Keystone::EndpointGroup openstack.endpoint_groups:EndpointGroup
    OS::Keystone::EndpointGroupProject openstack.endpoint_groups:EndpointGroupProject
    OS::Keystone::FederationProtocol openstack.federation:FederationProtocol
    OS::Keystone::Group openstack.keystone:KeystoneGroup openstack.keystone.group
    OS::Keystone::GroupMembership openstack.role_relations:GroupMembership
    OS::Keystone::GroupRoleAssignment openstack.role_relations:KeystoneGroupRoleAssignment openstack.keystone.role_assignments
    OS::Keystone::IdentityProvider openstack.federation:IdentityProvider
    OS::Keystone::ImpliedRole openstack.role_relations:ImpliedRole
    OS::Keystone::InheritedRoleAssignment openstack.role_relations:InheritedRoleAssignment
    OS::Keystone::Limit openstack.unified_limits:Limit
    OS::Keystone::Mapping openstack.federation:Mapping
    OS::Keystone::Project openstack.keystone:KeystoneProject openstack.keystone.project
    OS::Keystone::Region openstack.keystone:KeystoneRegion openstack.keystone.region
    OS::Keystone::RegisteredLimit openstack.unified_limits:RegisteredLimit
    OS::Keystone::Role openstack.keystone:KeystoneRole openstack.keystone.role
    OS::Keystone::Service openstack.keystone:KeystoneService openstack.keystone.service
    OS::Keystone::ServiceProvider openstack.federation:ServiceProvider
    OS::Keystone::Trust openstack.delegation:Trust
    OS::Keystone::User openstack.keystone:KeystoneUser openstack.keystone.user
    OS::Keystone::UserRoleAssignment openstack.role_relations:KeystoneUserRoleAssignment openstack.keystone.role_assignments
    OS::Magnum::Bay base.hidden_types:OSMagnumBay
    OS::Magnum::BayModel openstack.magnum:BayModel
    OS::Magnum::Cluster openstack.magnum:Cluster openstack.magnum.cluster
    OS::Magnum::ClusterTemplate openstack.magnum:ClusterTemplate openstack.magnum.cluster_template
    OS::Magnum::NodeGroup openstack.magnum:NodeGroup
    OS::Manila::Quota openstack.quotas:ManilaQuota
    OS::Manila::SecurityService openstack.manila:SecurityService openstack.manila.security_service
    OS::Manila::Share openstack.manila:ManilaShare openstack.manila.share
    OS::Manila::ShareAccess openstack.manila:ShareAccess
    OS::Manila::ShareGroup openstack.manila:ShareGroup
    OS::Manila::ShareGroupSnapshot openstack.manila_objects:ShareGroupSnapshot
    OS::Manila::ShareNetwork openstack.manila:ManilaShareNetwork openstack.manila.share_network
    OS::Manila::ShareNetworkSubnet openstack.manila_objects:ShareNetworkSubnet
    OS::Manila::ShareReplica openstack.manila_objects:ShareReplica
    OS::Manila::ShareSnapshot openstack.manila:ShareSnapshot
    OS::Manila::ShareType openstack.manila:ManilaShareType openstack.manila.share_type
    OS::Masakari::Host openstack.masakari:Host
    OS::Masakari::Segment openstack.masakari:Segment
    OS::Mistral::CronTrigger openstack.mistral.cron_trigger:CronTrigger openstack.mistral.cron_trigger
    OS::Mistral::ExternalResource openstack.mistral.external_resource:MistralExternalResource openstack.mistral.external_resource
    OS::Mistral::Workflow openstack.mistral.workflow:Workflow openstack.mistral.workflow
    OS::Monasca::AlarmDefinition base.hidden_types:OSMonascaAlarmDefinition
    OS::Monasca::Notification base.hidden_types:OSMonascaNotification
    OS::Neutron::AddressGroup openstack.neutron.address_group:AddressGroup
    OS::Neutron::AddressScope openstack.neutron.subnet:AddressScope openstack.neutron.address_scope
    OS::Neutron::BGPPeer openstack.neutron.bgp:BGPPeer
    OS::Neutron::BGPSpeaker openstack.neutron.bgp:BGPSpeaker
    OS::Neutron::BGPVPN openstack.neutron.bgpvpn:BGPVPN
    OS::Neutron::BGPVPN-NET-ASSOCIATION openstack.neutron.bgpvpn:NetworkAssociation
    OS::Neutron::BGPVPN-PORT-ASSOCIATION openstack.neutron.bgpvpn:PortAssociation
    OS::Neutron::BGPVPN-ROUTER-ASSOCIATION openstack.neutron.bgpvpn:RouterAssociation
    OS::Neutron::ConntrackHelper openstack.neutron.router_helpers:ConntrackHelper
    OS::Neutron::DefaultSecurityGroupRule openstack.neutron.address_group:DefaultSecurityGroupRule
    OS::Neutron::ExtraRoute openstack.neutron.extra_route:ExtraRoute openstack.neutron.extraroute
    OS::Neutron::ExtraRouteSet openstack.neutron.extra_route:ExtraRouteSet openstack.neutron.extrarouteset
    OS::Neutron::Firewall openstack.neutron.firewall:Firewall openstack.neutron.firewall
    OS::Neutron::FirewallGroup openstack.neutron.firewall:FirewallGroup
    OS::Neutron::FirewallPolicy openstack.neutron.firewall:FirewallPolicy openstack.neutron.firewall
    OS::Neutron::FirewallRule openstack.neutron.firewall:FirewallRule openstack.neutron.firewall
    OS::Neutron::FloatingIP openstack.neutron.floating_ip:FloatingIP openstack.neutron.floatingip
    OS::Neutron::FloatingIPAssociation openstack.neutron.floating_ip:FloatingIPAssociation openstack.neutron.floatingip
    OS::Neutron::FloatingIPPortForward openstack.neutron.floating_ip:FloatingIPPortForward openstack.neutron.floatingip
    OS::Neutron::FlowClassifier openstack.neutron.sfc:FlowClassifier openstack.neutron.sfc.flow_classifier
    OS::Neutron::HealthMonitor base.hidden_types:OSNeutronHealthMonitor
    OS::Neutron::IKEPolicy openstack.neutron.vpn:IKEPolicy openstack.neutron.vpnservice
    OS::Neutron::IPsecPolicy openstack.neutron.vpn:IPsecPolicy openstack.neutron.vpnservice
    OS::Neutron::IPsecSiteConnection openstack.neutron.vpn:IPsecSiteConnection openstack.neutron.vpnservice
    OS::Neutron::L2Gateway openstack.neutron.gateways:L2Gateway openstack.neutron.l2_gateway
    OS::Neutron::L2GatewayConnection openstack.neutron.gateways:L2GatewayConnection openstack.neutron.l2_gateway_connection
    OS::Neutron::LBaaS::HealthMonitor base.hidden_types:OSNeutronLBaaSHealthMonitor
    OS::Neutron::LBaaS::L7Policy base.hidden_types:OSNeutronLBaaSL7Policy
    OS::Neutron::LBaaS::L7Rule base.hidden_types:OSNeutronLBaaSL7Rule
    OS::Neutron::LBaaS::Listener base.hidden_types:OSNeutronLBaaSListener
    OS::Neutron::LBaaS::LoadBalancer base.hidden_types:OSNeutronLBaaSLoadBalancer
    OS::Neutron::LBaaS::Pool base.hidden_types:OSNeutronLBaaSPool
    OS::Neutron::LBaaS::PoolMember base.hidden_types:OSNeutronLBaaSPoolMember
    OS::Neutron::LoadBalancer base.hidden_types:OSNeutronLoadBalancer
    OS::Neutron::LocalIP openstack.neutron.local_ip:LocalIP
    OS::Neutron::LocalIPAssociation openstack.neutron.local_ip:LocalIPAssociation
    OS::Neutron::MeteringLabel openstack.neutron.metering:MeteringLabel openstack.neutron.metering
    OS::Neutron::MeteringRule openstack.neutron.metering:MeteringRule openstack.neutron.metering
    OS::Neutron::NDPProxy openstack.neutron.router_helpers:NDPProxy
    OS::Neutron::Net openstack.neutron.net:Net openstack.neutron.net
    OS::Neutron::NetworkGateway openstack.neutron.gateways:NetworkGateway openstack.neutron.network_gateway
    OS::Neutron::NetworkSegmentRange openstack.neutron.segment_range:NetworkSegmentRange
    OS::Neutron::Pool base.hidden_types:OSNeutronPool
    OS::Neutron::PoolMember base.hidden_types:OSNeutronPoolMember
    OS::Neutron::Port openstack.neutron.port:Port openstack.neutron.port
    OS::Neutron::PortChain openstack.neutron.sfc:PortChain openstack.neutron.sfc.port_chain
    OS::Neutron::PortPair openstack.neutron.sfc:PortPair openstack.neutron.sfc.port_pair
    OS::Neutron::PortPairGroup openstack.neutron.sfc:PortPairGroup openstack.neutron.sfc.port_pair_group
    OS::Neutron::ProviderNet openstack.neutron.net:ProviderNet openstack.neutron.provider_net
    OS::Neutron::QoSBandwidthLimitRule openstack.neutron.qos:QoSBandwidthLimitRule openstack.neutron.qos
    OS::Neutron::QoSDscpMarkingRule openstack.neutron.qos:QoSDscpMarkingRule openstack.neutron.qos
    OS::Neutron::QoSMinimumBandwidthRule openstack.neutron.qos:QoSMinimumBandwidthRule openstack.neutron.qos
    OS::Neutron::QoSMinimumPacketRateRule openstack.neutron.qos:QoSMinimumPacketRateRule openstack.neutron.qos
    OS::Neutron::QoSPacketRateLimitRule openstack.neutron.qos:QoSPacketRateLimitRule
    OS::Neutron::QoSPolicy openstack.neutron.qos:QoSPolicy openstack.neutron.qos
    OS::Neutron::Quota openstack.quotas:NeutronQuota openstack.neutron.quota
    OS::Neutron::RBACPolicy openstack.neutron.rbac_policy:RBACPolicy openstack.neutron.rbac_policy
    OS::Neutron::Router openstack.neutron.router:Router openstack.neutron.router
    OS::Neutron::RouterGateway openstack.neutron.router:RouterGateway
    OS::Neutron::RouterInterface openstack.neutron.router:RouterInterface openstack.neutron.router
    OS::Neutron::SecurityGroup openstack.neutron.security_group:SecurityGroup openstack.neutron.security_group
    OS::Neutron::SecurityGroupRule openstack.neutron.security_group:SecurityGroupRule openstack.neutron.security_group_rule
    OS::Neutron::Segment openstack.neutron.subnet:Segment openstack.neutron.segment
    OS::Neutron::Subnet openstack.neutron.subnet:Subnet openstack.neutron.subnet
    OS::Neutron::SubnetPool openstack.neutron.subnet:SubnetPool openstack.neutron.subnetpool
    OS::Neutron::TaaS::TapFlow openstack.neutron.taas:TapFlow openstack.neutron.taas.tap_flow
    OS::Neutron::TaaS::TapMirror openstack.neutron.taas:TapMirror
    OS::Neutron::TaaS::TapService openstack.neutron.taas:TapService openstack.neutron.taas.tap_service
    OS::Neutron::Trunk openstack.neutron.port:Trunk openstack.neutron.trunk
    OS::Neutron::VPNEndpointGroup openstack.neutron.vpn:EndpointGroup
    OS::Neutron::VPNService openstack.neutron.vpn:VPNService openstack.neutron.vpnservice
    OS::Nova::Flavor openstack.nova.flavor:NovaFlavor openstack.nova.flavor
    OS::Nova::FlavorAccess openstack.nova.flavor:FlavorAccess
    OS::Nova::FloatingIP openstack.nova.floating_ip:NovaFloatingIp
    OS::Nova::FloatingIPAssociation openstack.nova.floating_ip:NovaFloatingIpAssociation
    OS::Nova::HostAggregate openstack.nova.host_aggregate:HostAggregate openstack.nova.host_aggregate
    OS::Nova::InterfaceAttachment openstack.nova.interface_attachment:InterfaceAttachment
    OS::Nova::KeyPair openstack.nova.key_pair:KeyPair openstack.nova.keypair
    OS::Nova::Quota openstack.quotas:NovaQuota openstack.nova.quota
    OS::Nova::Server openstack.nova.server.type:Server openstack.nova.server
    OS::Nova::ServerGroup openstack.nova.server_group:ServerGroup openstack.nova.server_group
    OS::Nova::ShareAttachment openstack.nova.share_attachment:ShareAttachment
    OS::Octavia::AvailabilityZone openstack.octavia.flavors:AvailabilityZone openstack.octavia.availability_zone
    OS::Octavia::AvailabilityZoneProfile openstack.octavia.flavors:AvailabilityZoneProfile openstack.octavia.availability_zone_profile
    OS::Octavia::Flavor openstack.octavia.flavors:Flavor openstack.octavia.flavor
    OS::Octavia::FlavorProfile openstack.octavia.flavors:FlavorProfile openstack.octavia.flavor_profile
    OS::Octavia::HealthMonitor openstack.octavia.pool:HealthMonitor openstack.octavia.health_monitor
    OS::Octavia::L7Policy openstack.octavia.load_balancer:L7Policy openstack.octavia.l7policy
    OS::Octavia::L7Rule openstack.octavia.load_balancer:L7Rule openstack.octavia.l7rule
    OS::Octavia::Listener openstack.octavia.load_balancer:Listener openstack.octavia.listener
    OS::Octavia::LoadBalancer openstack.octavia.load_balancer:LoadBalancer openstack.octavia.loadbalancer
    OS::Octavia::Pool openstack.octavia.pool:Pool openstack.octavia.pool
    OS::Octavia::PoolMember openstack.octavia.pool:PoolMember openstack.octavia.pool_member
    OS::Octavia::Quota openstack.quotas:OctaviaQuota openstack.octavia.quota
    OS::Placement::Inventory openstack.placement:Inventory
    OS::Placement::ResourceClass openstack.placement:ResourceClass
    OS::Placement::ResourceProvider openstack.placement:ResourceProvider
    OS::Placement::Trait openstack.placement:Trait
    OS::Sahara::Cluster base.hidden_types:OSSaharaCluster
    OS::Sahara::ClusterTemplate base.hidden_types:OSSaharaClusterTemplate
    OS::Sahara::DataSource base.hidden_types:OSSaharaDataSource
    OS::Sahara::ImageRegistry base.hidden_types:OSSaharaImageRegistry
    OS::Sahara::Job base.hidden_types:OSSaharaJob
    OS::Sahara::JobBinary base.hidden_types:OSSaharaJobBinary
    OS::Sahara::NodeGroupTemplate base.hidden_types:OSSaharaNodeGroupTemplate
    OS::Senlin::Cluster base.hidden_types:OSSenlinCluster
    OS::Senlin::Node base.hidden_types:OSSenlinNode
    OS::Senlin::Policy base.hidden_types:OSSenlinPolicy
    OS::Senlin::Profile base.hidden_types:OSSenlinProfile
    OS::Senlin::Receiver base.hidden_types:OSSenlinReceiver
    OS::Swift::Account openstack.swift_objects:SwiftAccount
    OS::Swift::Container openstack.swift:SwiftContainer openstack.swift.container
    OS::Swift::Object openstack.swift_objects:SwiftObject
    OS::Swift::TempURL openstack.swift_objects:TempURL
    OS::Trove::Cluster openstack.trove:TroveCluster openstack.trove.cluster
    OS::Trove::Configuration openstack.trove_objects:Configuration
    OS::Trove::Database openstack.trove_objects:Database
    OS::Trove::Instance openstack.trove:Instance openstack.trove.instance
    OS::Trove::User openstack.trove_objects:User
    OS::Vitrage::Template base.hidden_types:OSVitrageTemplate
    OS::Zaqar::MistralTrigger openstack.zaqar:MistralTrigger openstack.zaqar.subscription
    OS::Zaqar::Queue openstack.zaqar:ZaqarQueue openstack.zaqar.queue
    OS::Zaqar::SignedQueueURL openstack.zaqar:ZaqarSignedQueueURL openstack.zaqar.queue
    OS::Zaqar::Subscription openstack.zaqar:ZaqarSubscription openstack.zaqar.subscription
    OS::Zun::Container openstack.zun:Container openstack.zun.container
"""
_ROWS = [row.split() for row in _TABLE.strip().splitlines()]
#: ``{type name: 'module:class'}``
TYPES = {type_name: location for type_name, location, *_ in _ROWS}
#: ``{type name: module of Heat}``
HEAT_MODULES = {row[0]: row[2] for row in _ROWS if len(row) > 2}
