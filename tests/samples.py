"""Sample properties for each resource type, generated from its schema and a table of exceptions."""

from heat_lite.clients.finders import FINDERS
from heat_lite.template.constraints import (
    AllowedPattern,
    AllowedValues,
    CustomConstraint,
    Length,
    Range,
)
from tests import cloud_servers, identity

PREFIX_OF = {
    'neutron': 'network',
    'keystone': 'identity',
    'cinder': 'block-storage',
    'nova': 'compute',
    'glance': 'image',
    'octavia': 'load-balancer',
    'manila': 'shared-file-system',
    'barbican': 'key-manager',
    'magnum': 'container-infra',
    'designate': 'dns',
    'ironic': 'baremetal',
    'placement': 'placement',
    'masakari': 'instance-ha',
    'mistral': 'workflow',
    'trove': 'database',
    'zaqar': 'messaging',
}
#: for the formats of custom constraints: two values each
FORMATS = {
    'dns_domain': ('example.org.', 'example.com.'),
    'dns_name': ('host', 'other'),
    'rel_dns_name': ('host', 'other'),
    'ip_addr': ('10.0.0.5', '10.0.0.6'),
    'ip_or_cidr': ('10.0.0.7', '10.0.0.8'),
    'mac_addr': ('fa:16:3e:00:00:07', 'fa:16:3e:00:00:08'),
    'net_cidr': ('10.1.0.0/24', '10.2.0.0/24'),
    'cron_expression': ('0 1 * * *', '0 2 * * *'),
    'timezone': ('Europe/Berlin', 'UTC'),
    'json_string': ('{}', '{"a": 1}'),
    'expiration': ('2999-01-01T00:00:00', '2999-01-02T00:00:00'),
    'zaqar.queue': ('a queues', 'a queues'),
    'mistral.workflow': ('a workflows', 'a workflows'),
}
TARGETS = ('export_targets', 'import_targets', 'route_distinguishers', 'route_targets')
#: values that no schema contains; OMIT: properties that exclude others, or their older names
OMIT = object()
SAMPLES = {
    'AWS::EC2::EIPAssociation': {
        'AllocationId': OMIT,
        'EIP': '203.0.113.9',
        'NetworkInterfaceId': OMIT,
    },
    'AWS::EC2::Instance': {
        'BlockDeviceMappings': [
            {'DeviceName': '/dev/vdb', 'Ebs': {'SnapshotId': 'a snapshot', 'VolumeSize': '2'}}
        ],
        'NetworkInterfaces': OMIT,
        'SecurityGroups': ['a security_group'],
        'SecurityGroupIds': OMIT,
        'SubnetId': '{subnet}',
        'Volumes': [{'Device': '/dev/vdc', 'VolumeId': 'a volume'}],
    },
    'AWS::EC2::NetworkInterface': {
        'GroupSet': ['a security_group'],
        'PrivateIpAddress': '10.0.0.7',
    },
    'AWS::EC2::RouteTable': {'VpcId': '{vpc}'},
    'AWS::EC2::SecurityGroup': {
        'SecurityGroupIngress': [
            {'IpProtocol': 'tcp', 'FromPort': '80', 'ToPort': '81', 'CidrIp': '10.0.0.0/8'}
        ],
        'SecurityGroupEgress': [
            {'IpProtocol': '-1', 'FromPort': '-1', 'SourceSecurityGroupName': 'a security_group'}
        ],
    },
    'AWS::EC2::Subnet': {'VpcId': '{vpc}', 'CidrBlock': '10.1.0.0/24'},
    'AWS::EC2::SubnetRouteTableAssociation': {'RouteTableId': '{router}'},
    'AWS::EC2::VPCGatewayAttachment': {'VpcId': '{vpc}'},
    'AWS::EC2::Volume': {'SnapshotId': OMIT},
    'AWS::EC2::VolumeAttachment': {'Device': '/dev/vdc'},
    'OS::HeatLite::Lookup': {
        **dict.fromkeys(('service', 'path', 'key', 'query', 'patterns'), OMIT),
        'kind': 'neutron.network',
        'filters': {'name': 'a network'},
        'sort': ['name:desc'],
        'take': 'first',
    },
    'OS::Neutron::Subnet': {
        'subnetpool': OMIT,
        'prefixlen': OMIT,
        'gateway_ip': '10.1.0.1',
        'ip_version': 6,
    },
    'OS::Neutron::SubnetPool': {'min_prefixlen': 8, 'default_prefixlen': 24, 'max_prefixlen': 28},
    'OS::Neutron::Router': {
        'l3_agent_id': OMIT,
        'distributed': OMIT,
        'flavor_id': OMIT,
        'l3_agent_ids': ['{agent}'],
        'tenant_id': OMIT,
    },
    'OS::Neutron::RouterInterface': {'port': OMIT},
    'OS::Neutron::Net': {'dhcp_agent_ids': ['{agent}']},
    'OS::Neutron::Port': {
        'no_fixed_ips': OMIT,
        'replacement_policy': OMIT,
        'security_groups': ['a security_group'],
    },
    'OS::Neutron::SecurityGroupRule': {'remote_ip_prefix': OMIT, 'remote_address_group': OMIT},
    'OS::Neutron::DefaultSecurityGroupRule': {'remote_ip_prefix': OMIT, 'remote_group': OMIT},
    'OS::Neutron::BGPVPN': dict.fromkeys(TARGETS, ['64512:1']),
    'OS::Neutron::BGPSpeaker': {'dragent_ids': ['{agent}']},
    'OS::Designate::TSIGKey': {'scope': 'ZONE', 'resource': 'a zones'},
    'OS::Designate::ZoneTransferAccept': {'transfer_request': '{server}'},
    'OS::Neutron::VPNEndpointGroup': {'type': 'subnet', 'endpoints': ['a subnet']},
    'OS::Neutron::FloatingIPAssociation': {'floatingip_id': '{floatingip}'},
    'OS::Neutron::FloatingIPPortForward': {'floating_ip': '{floatingip}'},
    'OS::Neutron::MeteringRule': {
        **dict.fromkeys(('source_ip_prefix', 'destination_ip_prefix'), OMIT),
        'metering_label_id': '{metering_label}',
        'remote_ip_prefix': '10.3.0.0/24',
    },
    'OS::Neutron::RBACPolicy': {'object_type': 'network', 'object_id': 'a network'},
    'OS::Neutron::Firewall': {
        'firewall_policy_id': '{firewall_policy}',
        'value_specs': {'ports': ['{port}']},
    },
    'OS::Neutron::IPsecSiteConnection': {
        'ikepolicy_id': '{ikepolicy}',
        'ipsecpolicy_id': '{ipsecpolicy}',
        'peer_cidrs': OMIT,
        'vpnservice_id': '{vpnservice}',
    },
    'OS::Neutron::L2GatewayConnection': {'l2_gateway_id': '{l2_gateway}'},
    'OS::Neutron::NetworkGateway': {
        'connections': [{'network': 'a network', 'segmentation_type': 'vlan', 'segmentation_id': 1}]
    },
    'OS::Neutron::ProviderNet': {'network_type': 'vlan'},
    'OS::Neutron::Segment': {'network_type': 'vlan'},
    'OS::Neutron::TaaS::TapFlow': {'vlan_filter': '1-5,9'},
    'OS::Keystone::ApplicationCredential': {'expires_at': '2999-01-01T00:00:00'},
    'OS::Keystone::DomainConfig': {'config': {'ldap': {'url': 'ldap://a', 'password': 'p'}}},
    'OS::Keystone::EndpointGroup': {'filters': {'interface': 'public', 'service': 'a service'}},
    'OS::Keystone::Credential': {'user': OMIT},
    'OS::Keystone::EC2Credential': {'user': OMIT},
    'OS::Keystone::InheritedRoleAssignment': {'group': OMIT, 'domain': OMIT},
    'OS::Keystone::Limit': {'domain': OMIT},
    'OS::Keystone::Trust': {'expires_at': '2999-01-01T00:00:00'},
    'OS::Keystone::User': {'roles': [{'role': 'a role', 'project': 'a project'}]},
    'OS::Keystone::Group': {'roles': [{'role': 'a role', 'domain': 'a domain'}]},
    'OS::Keystone::UserRoleAssignment': {'roles': [{'role': 'a role', 'project': 'a project'}]},
    'OS::Keystone::GroupRoleAssignment': {'roles': [{'role': 'a role', 'domain': 'a domain'}]},
    'OS::Cinder::QoSSpecs': {'specs': {'consumer': 'both', 'read_iops': '1', 'write_iops': '1'}},
    'OS::Cinder::Volume': {'backup_id': OMIT, 'snapshot_id': OMIT, 'source_volid': OMIT, 'size': 1},
    'OS::Cinder::VolumeAttachment': {'instance_uuid': '{server}'},
    'OS::Cinder::HostAttachment': {'connector': {'host': 'h', 'initiator': 'iqn.2'}},
    'OS::Barbican::ACL': {'container': OMIT},
    'OS::Ironic::VolumeTarget': {'volume_id': '{volume}'},
    'OS::Nova::ShareAttachment': {'server': '{server}', 'restart': True},
    'OS::Cinder::VolumeTransferAccept': {'transfer': '{transfer}', 'auth_key': 'sesame'},
    'OS::Cinder::VolumeType': {'is_public': False},
    'OS::Glance::WebImage': {
        'kernel_id': '{volume}',
        'ramdisk_id': '{volume}',
        'id': OMIT,
        'visibility': 'shared',
    },
    'OS::Nova::Flavor': {'is_public': False},
    'OS::Nova::Server': {
        **dict.fromkeys(('block_device_mapping', 'personality', 'security_groups'), OMIT),
        **cloud_servers.SAMPLE,
    },
    'OS::Nova::FloatingIPAssociation': {
        'server_id': '{server_with_port}',
        'floating_ip': '{floatingip}',
    },
    'OS::Nova::ServerGroup': {'rules': {'max_server_per_host': 2}},
    'OS::Designate::Zone': {'masters': OMIT, 'name': 'example.org.'},
    'OS::Octavia::AvailabilityZoneProfile': {'availability_zone_data': '{}', 'value_specs': {}},
    'OS::Octavia::FlavorProfile': {'flavor_data': '{}', 'value_specs': {}},
    'OS::Octavia::HealthMonitor': {'value_specs': {}},
    'OS::Octavia::L7Policy': {
        'action': 'REDIRECT_TO_POOL',
        'redirect_url': OMIT,
        'redirect_prefix': OMIT,
    },
    'OS::Octavia::L7Rule': {'value_specs': {'project_id': 'a project'}},
    'OS::Octavia::Pool': {'listener': OMIT, 'session_persistence': {'type': 'SOURCE_IP'}},
    'OS::Octavia::PoolMember': {'value_specs': {'project_id': 'a project'}},
    'OS::Barbican::Secret': {
        'payload_content_type': 'text/plain',
        'payload_content_encoding': OMIT,
        'expiration': '2999-01-01T00:00:00',
    },
    'OS::Barbican::CertificateContainer': {
        **dict.fromkeys(('intermediates_ref', 'private_key_passphrase_ref'), OMIT),
        'certificate_ref': '{secret}',
        'private_key_ref': 'a secrets',
    },
    'OS::Barbican::GenericContainer': {'secrets': [{'name': 'one', 'ref': 'a secrets'}]},
    'OS::Barbican::RSAContainer': {
        'private_key_passphrase_ref': OMIT,
        'private_key_ref': '{secret}',
        'public_key_ref': 'a secrets',
    },
    'OS::Barbican::Order': {
        **dict.fromkeys(
            (
                'ca_id',
                'pass_phrase',
                'profile',
                'request_data',
                'request_type',
                'source_container_ref',
                'subject_dn',
            ),
            OMIT,
        ),
        'expiration': '2999-01-01T00:00:00',
    },
    'OS::Aodh::CompositeAlarm': {'composite_rule': {'operator': 'or', 'rules': ['a', 'b']}},
    'OS::Aodh::LBMemberHealthAlarm': {'pool': 'a pool'},
    'OS::Blazar::Lease': {
        **dict.fromkeys(('start_date', 'end_date', 'before_end_date'), '2999-01-01 00:00'),
        'reservations': [
            {'resource_type': 'physical:host', 'min': 1, 'max': 2, 'resource_properties': ''}
        ],
    },
    'OS::Mistral::Workflow': {'type': 'direct', 'tasks': [{'name': 't', 'action': 'std.noop'}]},
    'OS::Trove::Configuration': {'datastore_type': OMIT, 'datastore_version': OMIT},
    'OS::Trove::Database': {'instance': '{database_instance}', 'name': 'shop'},
    'OS::Trove::User': {'instance': '{database_instance}'},
    'OS::Trove::Cluster': {
        'instances': [
            {'flavor': 'a flavor', 'volume_size': 1, 'networks': [{'network': 'a network'}]}
        ]
    },
    'OS::Trove::Instance': {
        'databases': [{'name': 'one'}, {'name': 'two'}],
        'networks': [{'port': 'a port'}],
        'users': [
            {'name': 'me', 'password': 'first', 'databases': ['one']},
            {'name': 'you', 'password': 'first', 'databases': ['one']},
        ],
    },
    'OS::Heat::SwiftSignal': {'count': 1, 'handle': 'http://cloud/object-store/v1/signals/it'},
    'OS::Zaqar::Queue': {'metadata': {'a': 'b', 'c': 'd'}},
    'OS::Zaqar::SignedQueueURL': {'paths': ['messages']},
    'OS::Zaqar::Subscription': {'subscriber': 'http://example.org/'},
    'OS::Zun::Container': {
        'networks': [{'network': 'a network'}, {'port': 'a port'}],
        'restart_policy': 'on-failure:2',
        'mounts': [
            {'mount_path': '/m', 'volume_id': 'a volume'},
            {'mount_path': '/n', 'volume_size': 1},
        ],
    },
    'OS::Glance::ImageAcceptance': {'image': '{shared_image}', 'member': OMIT},
    'OS::Nova::InterfaceAttachment': {'port': OMIT, 'fixed_ip': OMIT},
    'OS::Placement::ResourceClass': {'name': 'CUSTOM_GPU'},
    'OS::Placement::Trait': {'name': 'CUSTOM_FAST'},
    'OS::Swift::Account': {'quota_bytes': 5},
    'OS::Swift::Container': {'X-History-Location': OMIT, 'X-Versions-Location': OMIT},
    'OS::Swift::Object': {
        'container': 'signals',
        'content_type': 'text/plain',
        **dict.fromkeys(('copy_from', 'object_manifest', 'delete_after'), OMIT),
    },
    'OS::Manila::Share': {'access_rules': [{'access_to': '10.0.0.1', 'access_type': 'ip'}]},
    'OS::Manila::ShareNetwork': {'security_services': ['{security_service}']},
    'OS::Manila::ShareType': {'snapshot_support': True},
    'OS::Neutron::ExtraRoute': {'destination': '10.4.0.0/24', 'nexthop': '10.0.0.9'},
}
#: the same for updates
CHANGED = {
    'OS::Swift::Object': {'content_type': 'text/plain; charset=utf-8'},
    'OS::HeatLite::Lookup': {'kind': 'neutron.network', 'take': 'one'},
    'OS::Keystone::DomainConfig': {'config': {'ldap': {'url': 'ldap://b', 'password': 'q'}}},
    'OS::Aodh::CompositeAlarm': {'composite_rule': {'operator': 'and', 'rules': ['a', 'c']}},
    'OS::Mistral::Workflow': {
        'type': 'reverse',
        'params': {'task_name': 't'},
        'tasks': [{'name': 't', 'action': 'std.echo'}],
    },
    'OS::Trove::Instance': {
        'databases': [{'name': 'one'}, {'name': 'three'}],
        'users': [
            {'name': 'me', 'password': 'second', 'databases': ['three']},
            {'name': 'she', 'password': 'first', 'databases': ['one']},
        ],
    },
    'OS::Zaqar::Queue': {'metadata': {'a': 'other', 'e': 'f'}},
    'OS::Zaqar::Subscription': {'subscriber': 'https://example.org/'},
    'OS::Zun::Container': {'networks': [{'network': 'a network', 'fixed_ip': '10.0.0.5'}]},
    'AWS::EC2::EIP': {'InstanceId': '{other_server}'},
    'AWS::EC2::EIPAssociation': {
        'EIP': OMIT,
        'AllocationId': '{other_floatingip}',
        'InstanceId': OMIT,
        'NetworkInterfaceId': '{port}',
    },
    'AWS::EC2::Instance': {'InstanceType': '{other_flavor}', 'SubnetId': OMIT},
    'AWS::EC2::NetworkInterface': {'GroupSet': OMIT},
    'AWS::EC2::SecurityGroup': {
        'SecurityGroupIngress': [{'IpProtocol': 'udp', 'CidrIp': '10.0.0.0/8'}],
        'SecurityGroupEgress': OMIT,
    },
    'OS::Manila::Share': {
        'access_rules': [{'access_to': '10.0.0.2', 'access_type': 'ip', 'access_level': 'ro'}]
    },
    'OS::Manila::ShareNetwork': {'security_services': []},
    'OS::Octavia::AvailabilityZone': {'name': 'one'},
    'OS::Octavia::Pool': {'session_persistence': {'type': 'APP_COOKIE', 'cookie_name': 'c'}},
    'OS::Cinder::QoSSpecs': {'specs': {'consumer': 'both', 'read_iops': '2'}},
    'OS::Cinder::Volume': {'size': 2},
    'OS::Cinder::VolumeAttachment': {'instance_uuid': '{other_server}'},
    'OS::Glance::WebImage': {
        'kernel_id': '{server}',
        'extra_properties': {'another': 'one'},
        'members': [],
    },
    'OS::Nova::HostAggregate': {'hosts': [], 'metadata': {}},
    'OS::Nova::FloatingIPAssociation': {
        'server_id': '{server_with_port}',
        'floating_ip': '{other_floatingip}',
    },
    'OS::Nova::Server': {**cloud_servers.CHANGE, 'locked': False, 'locked_reason': OMIT},
    'OS::Nova::Flavor': {'tenants': [], 'extra_specs': {'other': 'one'}},
    'OS::Cinder::VolumeType': {'is_public': False, 'projects': [], 'metadata': {'other': 'one'}},
    'OS::Keystone::User': {'roles': [{'role': 'a role', 'domain': 'a domain'}], 'groups': []},
    'OS::Keystone::Group': {'roles': []},
    'OS::Neutron::FloatingIP': {'dns_domain': 'example.org.', 'dns_name': 'host'},
    'OS::Neutron::ProviderNet': {'availability_zone_hints': ['one']},
    'OS::Neutron::Subnet': {'gateway_ip': ''},
    'OS::Neutron::SubnetPool': {'min_prefixlen': 9, 'default_prefixlen': 23, 'max_prefixlen': 27},
    'OS::Neutron::Router': {'availability_zone_hints': ['one'], 'l3_agent_ids': ['{other_agent}']},
    'OS::Neutron::Net': {'dhcp_agent_ids': []},
    'OS::Neutron::BGPVPN': dict.fromkeys(TARGETS, ['64512:2']),
    'OS::Neutron::BGPSpeaker': {'dragent_ids': ['{other_agent}'], 'peers': []},
    'OS::Neutron::Firewall': {'value_specs': {'ports': ['{port}', '{server}']}},
    'OS::Neutron::FloatingIPAssociation': {'floatingip_id': '{other_floatingip}'},
    'OS::Neutron::Port': {'security_groups': []},
}


def seed(cloud):
    """Create an object of each kind, named "a KEY"; return the ids of those known by id only."""
    for kind, where in FINDERS.items():
        if (
            where.service in PREFIX_OF
            and '{' not in where.path
            and (PREFIX_OF[where.service], where.path) in _collections(cloud)
        ):
            name = _name(kind)
            values = {
                where.name_field or 'name': name,
                **({'id': name} if where.name_field is None else {}),
            }
            if not any(
                each.get(where.name_field or 'id') == name
                for each in cloud.of(PREFIX_OF[where.service], where.path)
            ):
                cloud.put(PREFIX_OF[where.service], where.path, **values)
    cloud.objects['object-store', '/', 'signals'] = {
        'id': 'signals',
        'objects': {'002it/1': '', 'it': '{"data": 1}'},
    }
    cloud.put('reservation', '/os-hosts')
    offered = cloud.put('block-storage', '/volumes', foreign=True)  # of another project
    shared = cloud.put('image', '/images')
    cloud.state['members'] = {(shared, identity.ident('testers'))}
    cloud.put('identity', '/users', id=identity.ident('user tester'), name='tester')
    return {
        **_vpc(cloud),
        'shared_image': shared,
        'database_instance': cloud.put('database', '/instances', databases=[], users=[]),
        'transfer': cloud.put('block-storage', '/volume-transfers', volume_id=offered),
        'agent': cloud.put('network', '/agents'),
        'other_agent': cloud.put('network', '/agents'),
        'floatingip': cloud.put('network', '/floatingips'),
        'other_floatingip': cloud.put('network', '/floatingips'),
        'firewall_policy': cloud.put('network', '/fwaas/firewall_policies'),
        'ikepolicy': cloud.put('network', '/vpn/ikepolicies'),
        'ipsecpolicy': cloud.put('network', '/vpn/ipsecpolicies'),
        'vpnservice': cloud.put('network', '/vpn/vpnservices'),
        'l2_gateway': cloud.put('network', '/l2-gateways'),
        'secret': next(each['secret_ref'] for each in cloud.of('key-manager', '/secrets')),
        'security_service': cloud.put('shared-file-system', '/security-services'),
        **cloud_servers.seed(cloud),
        'server': cloud.put('compute', '/servers'),
        'other_server': _server(cloud),
        'volume': cloud.put('block-storage', '/volumes'),
        'metering_label': cloud.put('network', '/metering/metering-labels'),
    }


def _vpc(cloud):
    """Create the objects of EC2 types: a network with a router of its name, one external, and
    servers.
    """
    vpc = cloud.of('network', '/networks')[0]['id']
    cloud.of('network', '/subnets')[0].update(network_id=vpc)
    router = cloud.put('network', '/routers', name=_name('neutron.network'))
    cloud.state['interfaces'] = {(router, cloud.of('network', '/subnets')[0]['id'])}
    cloud.put('network', '/networks', name='outside', **{'router:external': True})
    cloud.put(
        'network', '/ports', network_id=vpc, device_id=cloud.of('compute', '/servers')[0]['id']
    )
    return {
        'vpc': vpc,
        'subnet': cloud.of('network', '/subnets')[0]['id'],
        'router': cloud.of('network', '/routers')[0]['id'],
        'port': cloud.of('network', '/ports')[0]['id'],
        'backup': cloud.put('block-storage', '/backups'),
    }


def _server(cloud):
    """Create a server on the network."""
    made = cloud.put('compute', '/servers')
    cloud.put('network', '/ports', device_id=made)
    return made


def _collections(cloud):
    return {(row.service, row.path) for row in cloud.rows}


def _name(kind):
    return f'a {FINDERS[kind].key or FINDERS[kind].list_key}'


def properties(kind, ids, update=False, special=None):
    """Return values for all properties that exclude no others.

    With ``update`` return other values for those that may change. ``special`` are further values
    that no schema contains.
    """
    special = {
        **(special or {}),
        **SAMPLES.get(kind.resource_type, {}),
        **(CHANGED.get(kind.resource_type, {}) if update else {}),
    }
    specs = kind.properties_schema.get('value_specs')
    if specs is not None:
        text = 'another' if update and specs.update_allowed else 'special'
        # a firewall has a property of that name
        known = 'description' in kind.properties_schema
        special.setdefault('value_specs', {} if known else {'description': text})
    result = {}
    for name, schema in kind.properties_schema.items():
        value = special.get(name, OMIT)
        if name not in special and not schema.hidden and schema.implemented:
            value = sample(schema, update and schema.update_allowed)
        if value is not OMIT:
            result[name] = _filled(value, ids)
    return result


def _filled(value, ids):
    if isinstance(value, list):
        return [_filled(each, ids) for each in value]
    if isinstance(value, dict):
        return {key: _filled(each, ids) for key, each in value.items()}
    return (
        ids.get(value[1:-1], value) if isinstance(value, str) and value.startswith('{') else value
    )


def sample(schema, other=False):
    """Return a value that the schema accepts; with ``other`` a second one if there is one."""
    if schema.ref:
        return [_name(schema.ref)] if schema.type == 'list' else _name(schema.ref)
    for constraint in schema.constraints:
        value = _constrained(schema, constraint, other)
        if value is not None:
            return value
    if schema.type == 'map':
        inner = schema.schema or {}
        return (
            {name: sample(each, other) for name, each in inner.items() if not each.hidden}
            if inner
            else {'key': 'other' if other else 'one'}
        )
    if schema.type == 'list':
        return [sample(schema.schema, other)] if schema.schema else ['other' if other else 'one']
    if schema.type == 'boolean':
        return not schema.default if other else bool(schema.default)
    return {'integer': 7 + other, 'number': 7 + other}.get(schema.type, 'other' if other else 'one')


def _constrained(schema, constraint, other):
    if isinstance(constraint, AllowedValues):
        value = constraint.allowed[min(int(other), len(constraint.allowed) - 1)]
        return [value] if schema.type == 'list' else value
    if isinstance(constraint, Range):
        return (constraint.min if constraint.min is not None else 1) + 1 + other
    if isinstance(constraint, CustomConstraint):
        return FORMATS[constraint.name][other]
    if isinstance(constraint, AllowedPattern | Length):
        return None
    raise NotImplementedError(constraint)
