"""The rules between properties: what each type refuses, with its text, and what it accepts.

The texts are those of Heat 27, which refuses and accepts the same properties.
"""

import functools
import json

import pytest

from heat_lite.authoring import offline_types
from heat_lite.engine.validation import offline_validation
from heat_lite.template.lint.linter import Linter

TYPES = offline_types.OfflineTypes()
LETTERS = {'character_sequences': [{'sequence': 'ab', 'min': 5}]}
SHORT = (
    'Length property cannot be smaller than combined character class and character sequence '
    'minimums'
)
ADDRESS = {'floating_network': 'public', 'fixed_ip_address': '10.0.0.5'}
VLAN, FLAT = {'network_type': 'vlan'}, {'network_type': 'flat'}
VXLAN = {'network_type': 'vxlan'}
PHYSICAL, ID = {'physical_network': 'p'}, {'segmentation_id': 5}
SEGMENT = {'network': 'net'}
NO_ID = 'segmentation_id not allowed for network types: local, flat'
NO_PHYSICAL = 'physical_network not allowed for network types: vxlan, gre, geneve, flat'
LISTENER = {'loadbalancer': 'lb', 'protocol_port': 443}
IMAGE = {'location': 'http://x', 'disk_format': 'qcow2', 'container_format': 'bare'}
MIX = (
    'Invalid mix of disk and container formats. When setting a disk or container format to one of '
    "'aki', 'ari', or 'ami', the container and disk formats must match."
)
SHARED = 'members property should only be specified for visibility with value shared.'
CLUSTER = {'image': 'i', 'external_network': 'net'}
DRIVER = 'Volume driver type {} is not supported by COE:{}, expecting a {} volume driver.'
POLICY = (
    'restart_policy "{}" is invalid. Valid values are "no", "on-failure[:max-retry]", "always", '
    'and "unless-stopped".'
)


NONE_OF = 'At least one of the following properties must be specified'
TWICE = 'Cannot define the following properties at the same time'
#: a reference to another resource, and what is not known before that exists
OTHER, LATER = {'get_resource': 'other'}, {'get_attr': ['other', 'value']}
PORTS = 'The minimum port number must be less than or equal to the maximum port number.'
POOL = {'lb_algorithm': 'ROUND_ROBIN', 'protocol': 'TCP'}
RULE = {'l7policy': 'p', 'compare_type': 'EQUAL_TO', 'value': 'x'}
NET = {'network': 'n'}
V4 = {**NET, 'cidr': '10.0.0.0/8'}
V6 = {**NET, 'cidr': '2001:db8::/64', 'ip_version': 6}
AES = {'algorithm': 'aes', 'bit_length': 256}
DATABASE = {'flavor': 'f', 'size': 1}
WHO = {'name': 'me', 'password': 'first', 'databases': ['one']}
SCHEMES = 'The subscriber type of must be one of: http, https, mailto, trust+http, trust+https.'
POLICY_OF = {'auto_scaling_group_id': 'g', 'scaling_adjustment': 1}
MACHINE = {'ImageId': 'i', 'InstanceType': 'f'}
NO_BOOT_DISK = 'Neither image nor bootable volume is specified for instance it'
NO_NETWORK = (
    'One of the properties "network", "port", "allocate_network" or "subnet" should be set for the '
    'specified network of server "it".'
)
NO_DISK = 'is missing, this is required when specifying BlockDeviceMappings.'


def ports(**properties):
    return {'security_group': 'g', 'port_range_min': 9, 'port_range_max': 8, **properties}


def bounds(least, default, most):
    names = ('min_prefixlen', 'default_prefixlen', 'max_prefixlen')
    given = dict(zip(names, (least, default, most), strict=True))
    return {'prefixes': ['10.0.0.0/8'], **given}


def rbac(kind, action):
    return {'object_type': kind, 'action': action, 'object_id': 'x', 'target_tenant': '*'}


def secret(payload, kind, **properties):
    return {'payload': payload, 'payload_content_type': kind, **properties}


def secrets(*pairs):
    return {'secrets': [{'name': name, 'ref': ref} for name, ref in pairs]}


def cluster(network):
    instance = {'flavor': 'f', 'volume_size': 1, 'networks': [network]}
    return {'datastore_type': 'x', 'datastore_version': 'y', 'instances': [instance]}


def server(**properties):
    return {'image': 'i', 'flavor': 'f', 'networks': [{'network': 'n'}], **properties}


def members(least, most, **properties):
    resource = {'type': 'OS::Heat::RandomString'}
    return {'min_size': least, 'max_size': most, 'resource': resource, **properties}


def balancer(interval, timeout):
    check = {'HealthyThreshold': 1, 'UnhealthyThreshold': 1, 'Target': 'HTTP:80/'}
    return {
        'AvailabilityZones': ['nova'],
        'Listeners': [{'InstancePort': 80, 'LoadBalancerPort': 80, 'Protocol': 'HTTP'}],
        'HealthCheck': {**check, 'Interval': interval, 'Timeout': timeout},
    }


def configuration(*actions):
    return {'actions': list(actions), 'config': 'x', 'tool': 'script'}


def gateway(**connection):
    return {
        'devices': [{'id': 'd', 'interface_name': 'x'}],
        'connections': [{'network': 'net', **connection}],
    }


def container(**properties):
    return {'image': 'x', **properties}


#: type -> (properties, the text of the error, None for what is accepted)
CASES = {
    'OS::Neutron::FloatingIP': [
        (ADDRESS, 'fixed_ip_address cannot be specified without port_id.'),
        ({**ADDRESS, 'port_id': 'p'}, None),
        ({**ADDRESS, 'port_id': {'get_resource': 'other'}}, None),
        ({**ADDRESS, 'port_id': {'get_attr': ['other', 'value']}}, None),
    ],
    'OS::Neutron::ProviderNet': [
        ({**FLAT, **PHYSICAL, **ID}, NO_ID),
        ({'network_type': 'local', **ID}, NO_ID),
        ({**VXLAN, **PHYSICAL}, NO_PHYSICAL),
        ({'network_type': 'local', **PHYSICAL}, NO_PHYSICAL),
        ({**VXLAN, **ID}, None),
        ({**FLAT, **PHYSICAL}, None),
        ({**VLAN, **PHYSICAL, **ID}, None),
        ({**VXLAN, 'physical_network': ''}, None),
        ({**FLAT, 'segmentation_id': {'get_attr': ['other', 'value']}}, None),
    ],
    'OS::Neutron::Segment': [
        ({**SEGMENT, **VLAN}, 'physical_network is required for vlan provider network.'),
        ({**SEGMENT, **FLAT}, 'physical_network is required for flat provider network.'),
        (
            {**SEGMENT, **VLAN, **PHYSICAL},
            'segmentation_id is required for vlan provider network.',
        ),
        (
            {**SEGMENT, **FLAT, **PHYSICAL, **ID},
            'segmentation_id is prohibited for flat provider network.',
        ),
        (
            {**SEGMENT, **VXLAN, **PHYSICAL, **ID},
            'physical_network is prohibited for vxlan provider network.',
        ),
        (
            {**SEGMENT, **VLAN, **PHYSICAL, 'segmentation_id': 4095},
            'Up to 4094 VLAN network segments can exist on each physical_network.',
        ),
        ({**SEGMENT, **VLAN, **PHYSICAL, 'segmentation_id': 4094}, None),
        ({**SEGMENT, **VXLAN, 'segmentation_id': 4095}, None),
        ({**SEGMENT, 'network_type': 'local', **PHYSICAL}, None),
        ({**SEGMENT, **FLAT, **PHYSICAL}, None),
    ],
    'OS::Neutron::NetworkGateway': [
        (gateway(segmentation_type='vlan'), 'segmentation_id must be specified for using vlan'),
        (
            gateway(segmentation_id=7),
            'segmentation_id cannot be specified except 0 for using flat',
        ),
        (gateway(segmentation_type='vlan', segmentation_id=0), None),
        (gateway(segmentation_type='flat', segmentation_id=0), None),
        (gateway(), None),
    ],
    'OS::Octavia::Listener': [
        (
            {**LISTENER, 'protocol': 'TERMINATED_HTTPS', 'sni_container_refs': ['x']},
            'Property default_tls_container_ref required when protocol is TERMINATED_HTTPS.',
        ),
        (
            {**LISTENER, 'protocol': 'TERMINATED_HTTPS', 'default_tls_container_ref': 'x'},
            None,
        ),
        ({**LISTENER, 'protocol': 'HTTPS'}, None),
    ],
    'OS::Glance::WebImage': [
        ({**IMAGE, 'container_format': 'ami'}, MIX),
        ({**IMAGE, 'container_format': 'ami', 'disk_format': 'aki'}, MIX),
        ({**IMAGE, 'disk_format': 'ami'}, None),
        ({**IMAGE, 'members': ['p']}, SHARED),
        ({**IMAGE, 'members': ['p'], 'visibility': 'public'}, SHARED),
        ({**IMAGE, 'members': ['p'], 'visibility': 'shared'}, None),
        ({**IMAGE, 'members': []}, None),
    ],
    'OS::Magnum::ClusterTemplate': [
        (
            {**CLUSTER, 'coe': 'swarm', 'volume_driver': 'cinder'},
            DRIVER.format('cinder', 'swarm', "['rexray']"),
        ),
        (
            {**CLUSTER, 'coe': 'kubernetes', 'volume_driver': 'rexray'},
            DRIVER.format('rexray', 'kubernetes', "['cinder']"),
        ),
        ({**CLUSTER, 'coe': 'mesos', 'volume_driver': 'rexray'}, None),
        ({**CLUSTER, 'coe': 'swarm'}, None),
    ],
    'OS::Manila::ShareNetwork': [
        (
            {'neutron_network': 'net'},
            'neutron_network cannot be specified without neutron_subnet.',
        ),
        ({'nova_network': 'x'}, 'Nova network is no longer supported'),
        ({'neutron_network': 'net', 'neutron_subnet': 'subnet'}, None),
        ({'neutron_subnet': 'subnet'}, None),
        ({}, None),
    ],
    'OS::Zun::Container': [
        (container(restart_policy='sometimes'), POLICY.format('sometimes')),
        (container(restart_policy='always:3'), POLICY.format('always:3')),
        (container(restart_policy='on-failure:3'), None),
        (container(restart_policy='unless-stopped'), None),
        (container(restart_policy='no'), None),
        (
            container(mounts=[{'mount_path': '/'}]),
            'One of the properties "volume_id" or "volume_size" should be set for the specified '
            'mount of container "it".',
        ),
        (
            container(mounts=[{'mount_path': '/', 'volume_id': 'v', 'volume_size': 1}]),
            'Cannot define the following properties at the same time: networks/volume_id, '
            'networks/volume_size.',
        ),
        (container(mounts=[{'mount_path': '/', 'volume_size': 1}]), None),
        (
            container(networks=[{'fixed_ip': '10.0.0.5'}]),
            'At least one of the following properties must be specified: network, port.',
        ),
        (
            container(networks=[{'port': 'p', 'fixed_ip': '10.0.0.5'}]),
            'Cannot define the following properties at the same time: networks.fixed_ip, '
            'networks.port.',
        ),
        (container(networks=[{'network': 'net', 'fixed_ip': '10.0.0.5'}]), None),
        (container(networks=[{'port': {'get_resource': 'other'}}]), None),
    ],
    'OS::Neutron::Port': [
        (
            {'network': 'net', 'no_fixed_ips': True, 'fixed_ips': [{'subnet': 's'}]},
            f'{TWICE}: fixed_ips, no_fixed_ips.',
        ),
        ({'network': 'net', 'no_fixed_ips': True, 'fixed_ips': []}, None),
        ({'network': 'net', 'no_fixed_ips': False, 'fixed_ips': [{'subnet': 's'}]}, None),
    ],
    'OS::Neutron::Router': [
        ({'distributed': True, 'ha': True}, f'{TWICE}: distributed, ha.'),
        (
            {'distributed': True, 'l3_agent_ids': ['a']},
            f'{TWICE}: distributed, l3_agent_id/l3_agent_ids.',
        ),
        ({'l3_agent_ids': ['a', 'b']}, 'Non HA routers can only have one L3 agent.'),
        ({'ha': True, 'l3_agent_ids': ['a', 'b']}, None),
        ({'distributed': True, 'ha': False, 'l3_agent_ids': []}, None),
    ],
    'OS::Neutron::RouterInterface': [
        ({'router': 'r'}, f'{NONE_OF}: subnet, port.'),
        ({'router': 'r', 'subnet': 's', 'port': 'p'}, f'{TWICE}: subnet, port.'),
        ({'router': 'r', 'subnet': OTHER, 'port': OTHER}, f'{TWICE}: subnet, port.'),
        ({'router': 'r', 'subnet': OTHER}, None),
        ({'router': 'r', 'port': LATER}, None),
        ({'router': 'r', 'subnet': LATER, 'port': LATER}, None),
    ],
    'OS::Neutron::SecurityGroup': [
        ({'name': 'default'}, 'Security groups cannot be assigned the name "default".'),
        ({'name': 'other'}, None),
    ],
    'OS::Neutron::SecurityGroupRule': [
        (ports(protocol='udp'), PORTS),
        (ports(protocol='ah'), PORTS),
        (ports(port_range_min=1, port_range_max=0), PORTS),
        (ports(protocol='icmp'), None),
        (ports(protocol='ipv6-icmp'), None),
        (ports(port_range_max=9), None),
        (ports(port_range_max=LATER), None),
        (
            {'security_group': 'g', 'remote_group': OTHER, 'remote_ip_prefix': '10.0.0.0/8'},
            f'{TWICE}: remote_group, remote_ip_prefix.',
        ),
    ],
    'OS::Neutron::Subnet': [
        (NET, f'{NONE_OF}: subnetpool, cidr.'),
        ({**V4, 'subnetpool': OTHER}, f'{TWICE}: subnetpool, cidr.'),
        ({**V4, 'prefixlen': 24}, f'{TWICE}: prefixlen, cidr.'),
        (
            {**V4, 'ipv6_address_mode': 'slaac'},
            'ipv6_ra_mode and ipv6_address_mode are not supported for ipv4.',
        ),
        (
            {**V6, 'ipv6_ra_mode': 'slaac', 'ipv6_address_mode': 'dhcpv6-stateful'},
            'When both ipv6_ra_mode and ipv6_address_mode are set, they must be equal.',
        ),
        ({**V6, 'ipv6_ra_mode': 'slaac', 'ipv6_address_mode': 'slaac'}, None),
        ({**V6, 'ipv6_ra_mode': 'slaac'}, None),
        ({**NET, 'subnetpool': OTHER, 'prefixlen': 24}, None),
        ({**V4, 'prefixlen': 0}, None),
    ],
    'OS::Neutron::SubnetPool': [
        (bounds(9, None, 8), 'Illegal prefix bounds: max_prefixlen=8, min_prefixlen=9.'),
        (bounds(None, 9, 8), 'Illegal prefix bounds: max_prefixlen=8, default_prefixlen=9.'),
        (bounds(9, 8, None), 'Illegal prefix bounds: min_prefixlen=9, default_prefixlen=8.'),
        (bounds(8, 8, 8), None),
        (bounds(9, 0, 0), None),
        (bounds(8, None, 9), None),
    ],
    'OS::Neutron::RBACPolicy': [
        (
            rbac('qos_policy', 'access_as_external'),
            'Invalid action "access_as_external" for object type qos_policy. '
            'Valid actions: access_as_shared',
        ),
        (rbac('network', 'access_as_external'), None),
        (rbac('subnetpool', 'access_as_shared'), None),
    ],
    'OS::Keystone::Group': [
        ({'roles': [{'role': 'r', 'project': 'p', 'domain': 'd'}]}, f'{TWICE}: project, domain.'),
        ({'roles': [{'role': 'r'}]}, 'Either project or domain must be specified for role r'),
        ({'roles': [{'role': 'r', 'project': OTHER}]}, None),
    ],
    'OS::Keystone::UserRoleAssignment': [
        (
            {'user': 'u', 'roles': [{'role': 'r'}]},
            'Either project or domain must be specified for role r',
        ),
        ({'user': 'u', 'roles': [{'role': 'r', 'domain': 'd'}]}, None),
    ],
    'OS::Cinder::VolumeType': [
        (
            {'name': 'x', 'projects': ['p']},
            'Can not specify property "projects" if the volume type is public.',
        ),
        ({'name': 'x', 'projects': ['p'], 'is_public': False}, None),
    ],
    'OS::Octavia::Pool': [
        (POOL, f'{NONE_OF}: listener, loadbalancer.'),
        (
            {**POOL, 'listener': OTHER, 'session_persistence': {'type': 'APP_COOKIE'}},
            'Property cookie_name is required when session_persistence type is set to APP_COOKIE.',
        ),
        (
            {
                **POOL,
                'loadbalancer': 'lb',
                'session_persistence': {'type': 'SOURCE_IP', 'cookie_name': 'c'},
            },
            'Property cookie_name must NOT be specified when session_persistence type is set to '
            'SOURCE_IP.',
        ),
        (
            {
                **POOL,
                'loadbalancer': 'lb',
                'session_persistence': {'type': 'HTTP_COOKIE', 'cookie_name': 'c'},
            },
            None,
        ),
        ({**POOL, 'listener': 'l', 'loadbalancer': 'lb'}, None),
    ],
    'OS::Octavia::L7Policy': [
        (
            {'action': 'REJECT', 'listener': 'l', 'redirect_pool': OTHER},
            'Properties redirect_pool and redirect_url are not required when action type is set '
            'to REJECT.',
        ),
        (
            {'action': 'REDIRECT_TO_POOL', 'listener': 'l', 'redirect_url': 'http://x'},
            'redirect_url property should only be specified for action with value REDIRECT_TO_URL.',
        ),
        (
            {'action': 'REDIRECT_TO_URL', 'listener': 'l'},
            'Property redirect_url is required when action type is set to REDIRECT_TO_URL.',
        ),
        (
            {'action': 'REDIRECT_TO_POOL', 'listener': 'l'},
            'Property redirect_pool is required when action type is set to REDIRECT_TO_POOL.',
        ),
        ({'action': 'REDIRECT_TO_POOL', 'listener': 'l', 'redirect_pool': OTHER}, None),
        ({'action': 'REJECT', 'listener': 'l'}, None),
    ],
    'OS::Octavia::L7Rule': [
        (
            {**RULE, 'type': 'COOKIE'},
            'Property key is missing. This property should be specified for rules of HEADER and '
            'COOKIE types.',
        ),
        ({**RULE, 'type': 'HEADER', 'key': 'k'}, None),
        ({**RULE, 'type': 'PATH'}, None),
    ],
    'OS::Designate::Zone': [
        ({'name': 'x.org.'}, 'Property email is required for zone type PRIMARY'),
        (
            {'name': 'x.org.', 'type': 'SECONDARY', 'email': 'a@b.c'},
            'Property masters is required for zone type SECONDARY',
        ),
        (
            {'name': 'x.org.', 'type': 'SECONDARY', 'masters': ['1.2.3.4'], 'primaries': ['::1']},
            f'{TWICE}: masters, primaries.',
        ),
        ({'name': 'x.org.', 'type': 'SECONDARY', 'primaries': ['1.2.3.4']}, None),
        ({'name': 'x.org.', 'email': LATER}, None),
    ],
    'OS::Barbican::Secret': [
        (
            {'payload_content_type': 'text/plain'},
            'payload_content_type cannot be specified without payload.',
        ),
        (
            secret('x', 'application/octet-stream'),
            "Property unspecified. For 'application/octet-stream' value of 'payload_content_type' "
            "property, 'payload_content_encoding' property must be specified.",
        ),
        (
            secret('x', 'application/octet-stream', payload_content_encoding='base64'),
            "Invalid payload for specified 'base64' value of 'payload_content_encoding' property.",
        ),
        (
            secret('x', 'text/plain', payload_content_encoding='base64'),
            'payload_content_encoding property should only be specified for payload_content_type '
            'with value application/octet-stream.',
        ),
        (secret('eA==', 'application/octet-stream', payload_content_encoding='base64'), None),
        (secret(LATER, 'application/octet-stream', payload_content_encoding='base64'), None),
        ({'payload': 'x'}, None),
        ({}, None),
    ],
    'OS::Barbican::Order': [
        (
            {'type': 'key', 'algorithm': 'aes'},
            'Properties algorithm and bit_length are required for key type of order.',
        ),
        (
            {'type': 'key', **AES, 'pass_phrase': 'x'},
            'Unexpected properties: pass_phrase. Only these properties are allowed for key type of '
            'order: algorithm, bit_length, expiration, mode, name, payload_content_type.',
        ),
        (
            {'type': 'certificate', **AES, 'profile': 'x'},
            'profile cannot be specified without ca_id.',
        ),
        ({'type': 'certificate', 'profile': 'x', 'ca_id': 'y'}, None),
        ({'type': 'asymmetric', **AES, 'pass_phrase': 'x'}, None),
    ],
    'OS::Barbican::GenericContainer': [
        (secrets(('a', OTHER), ('b', OTHER)), 'Duplicate refs are not allowed.'),
        (secrets(('a', 'x'), ('b', 'x')), 'Duplicate refs are not allowed.'),
        (secrets(('a', OTHER), ('a', 'x')), None),
        (secrets(('a', LATER), ('b', LATER)), None),
        ({}, None),
    ],
    'OS::Barbican::RSAContainer': [
        ({'private_key_ref': OTHER, 'public_key_ref': OTHER}, 'Duplicate refs are not allowed.'),
        ({'private_key_ref': 'x', 'public_key_ref': OTHER}, None),
    ],
    'OS::Trove::Instance': [
        (
            {**DATABASE, 'datastore_version': '8'},
            'Not allowed - datastore_version without datastore_type.',
        ),
        (
            {**DATABASE, 'users': [WHO]},
            'Databases property is required if users property is provided for resource it.',
        ),
        (
            {**DATABASE, 'users': [WHO], 'databases': [{'name': 'two'}]},
            "Database ['one'] specified for user does not exist in databases for resource it.",
        ),
        ({**DATABASE, 'users': [WHO], 'databases': [{'name': 'one'}]}, None),
        ({**DATABASE, 'networks': [{}]}, 'Either network or port must be provided.'),
        (
            {**DATABASE, 'networks': [{'network': OTHER, 'port': 'p'}]},
            'Either network or port must be provided.',
        ),
        ({**DATABASE, 'networks': [{'port': OTHER}], 'datastore_type': 'mysql'}, None),
    ],
    'OS::Trove::Cluster': [
        (cluster({}), 'Either network or port must be provided.'),
        (cluster({'network': 'n', 'port': 'p'}), f'{TWICE}: network, port.'),
        (cluster({'network': 'n'}), None),
    ],
    'OS::Zaqar::Subscription': [
        ({'queue_name': 'q', 'subscriber': 'ftp://x'}, SCHEMES),
        ({'queue_name': 'q', 'subscriber': 'HTTP://x'}, SCHEMES),
        ({'queue_name': 'q', 'subscriber': ''}, SCHEMES),
        ({'queue_name': 'q', 'subscriber': 'trust+https://x'}, None),
        ({'queue_name': 'q', 'subscriber': 'mailto:a@b'}, None),
    ],
    'OS::Mistral::CronTrigger': [
        ({'workflow': {'name': 'w'}, 'count': 3}, f'{NONE_OF}: pattern, first_time.'),
        ({'workflow': {'name': 'w'}, 'pattern': '* * * * *'}, None),
    ],
    'OS::Mistral::Workflow': [
        (
            {'type': 'direct', 'tasks': [{'name': 't', 'action': 'a', 'requires': []}]},
            "task t contains property 'requires' in case of direct workflow. Only reverse "
            "workflows can contain property 'requires'.",
        ),
        (
            {'type': 'direct', 'tasks': [{'name': 't', 'action': 'a', 'concurrency': 0}]},
            'concurrency cannot be specified without with_items.',
        ),
        ({'type': 'direct', 'tasks': [{'name': 't', 'action': 'a'}]}, None),
    ],
    'OS::Nova::Server': [
        (
            server(block_device_mapping_v2=[{'volume_id': OTHER}]),
            'Multiple bootable sources for instance it.',
        ),
        (
            server(block_device_mapping_v2=[{'image': 'i', 'volume_size': 1}]),
            'Multiple bootable sources for instance it.',
        ),
        (server(block_device_mapping_v2=[{'volume_id': OTHER, 'boot_index': 1}]), None),
        (server(block_device_mapping_v2=[{'swap_size': 1}]), None),
        (server(block_device_mapping=[{'device_name': 'vda', 'volume_id': 'v'}] * 2), None),
        (server(block_device_mapping_v2=[{'ephemeral_size': 1, 'boot_index': 0}]), None),
        (server(image=None), NO_BOOT_DISK),
        (server(image=None, block_device_mapping_v2=[{'swap_size': 1}]), NO_BOOT_DISK),
        (
            server(image=None, block_device_mapping_v2=[{'volume_id': 'v', 'boot_index': 1}]),
            NO_BOOT_DISK,
        ),
        (
            server(image=None, block_device_mapping_v2=[{'image': 'i'}, {'volume_id': 'v'}]),
            'Multiple bootable sources for instance it.',
        ),
        (server(image=None, block_device_mapping_v2=[{'volume_id': LATER}]), None),
        (
            server(
                block_device_mapping=[{'device_name': 'vdb', 'volume_id': 'v'}],
                block_device_mapping_v2=[{'swap_size': 1}],
            ),
            f'{TWICE}: block_device_mapping, block_device_mapping_v2.',
        ),
        (
            server(block_device_mapping_v2=[{'device_name': 'vdb'}]),
            'Either volume_id, snapshot_id, image_id, swap_size, ephemeral_size or '
            'ephemeral_format must be specified.',
        ),
        (
            server(block_device_mapping_v2=[{'image': 'i', 'swap_size': 1}]),
            f'{TWICE}: volume_id, snapshot_id, image, swap_size, ephemeral_size, ephemeral_format.',
        ),
        (
            server(
                block_device_mapping_v2=[
                    {'ephemeral_size': 1, 'ephemeral_format': 'ext4'},
                    {'snapshot_id': OTHER, 'volume_type': 't', 'boot_index': 2},
                ]
            ),
            None,
        ),
        (
            server(block_device_mapping=[{'device_name': 'vdb'}]),
            'Either volume_id or snapshot_id must be specified for device mapping vdb',
        ),
        (
            server(
                block_device_mapping=[
                    {'device_name': 'vdb', 'volume_id': OTHER, 'snapshot_id': 's'}
                ]
            ),
            f'{TWICE}: volume_id, snapshot_id.',
        ),
        (server(networks=[{'fixed_ip': '10.0.0.1'}]), NO_NETWORK),
        (
            server(networks=[{'allocate_network': 'auto', 'network': 'n'}]),
            'Can not specify "allocate_network" with other keys of networks at the same time.',
        ),
        (
            server(networks=[{'allocate_network': 'auto'}, {'network': 'n'}]),
            'Property "allocate_network" can not be specified if multiple network interfaces set '
            'for server.',
        ),
        (server(networks=[{'allocate_network': 'none'}]), None),
        (
            server(networks=[{'port': OTHER, 'fixed_ip': '10.0.0.1'}]),
            f'{TWICE}: networks/fixed_ip, networks/port.',
        ),
        (
            server(networks=[{'port': OTHER}], security_groups=['g']),
            f'{TWICE}: security_groups, networks/port.',
        ),
        (
            server(networks=[{'network': 'n', 'floating_ip': OTHER}]),
            'Property "floating_ip" is not supported if only "network" is specified, because the '
            'corresponding port can not be retrieved.',
        ),
        (
            server(
                networks=[
                    {'network': 'n', 'fixed_ip': '10.0.0.1', 'tag': 't'},
                    {'subnet': OTHER, 'floating_ip': OTHER},
                    {'port': LATER, 'network': LATER},
                ],
                security_groups=['g'],
                tags=['t'],
                metadata={'a': 1},
            ),
            None,
        ),
        (
            server(personality={'/etc/x': 'y'}),
            'Cannot use the personality parameter as nova no longer supports it. '
            'Use user_data instead.',
        ),
    ],
    'OS::Nova::KeyPair': [({'name': 'k'}, None), ({'name': 'k', 'type': 'x509'}, None)],
    'OS::Nova::ServerGroup': [
        ({'policies': []}, 'A server group has one policy.'),
        ({'policies': ['soft-affinity']}, None),
    ],
    'OS::Nova::Quota': [
        (
            {'project': 'p'},
            f'{NONE_OF}: cores, fixed_ips, floating_ips, injected_file_content_bytes, '
            'injected_file_path_bytes, injected_files, instances, key_pairs, metadata_items, ram, '
            'security_group_rules, security_groups, server_group_members, server_groups.',
        ),
        ({'project': 'p', 'cores': -1}, None),
    ],
    'OS::Cinder::Volume': [
        (
            {},
            'If neither "backup_id" nor "size" is provided, one and only one of "source_volid", '
            '"snapshot_id" must be specified, but currently specified options: [].',
        ),
        (
            {'size': 1, 'image': 'i', 'snapshot_id': OTHER},
            'If "size" is provided, only one of "image", "imageRef", "source_volid", "snapshot_id" '
            "can be specified, but currently specified options: ['snapshot_id', 'image'].",
        ),
        ({'size': 1, 'image': OTHER}, None),
        ({'source_volid': OTHER}, None),
        ({'backup_id': 'b'}, None),
    ],
    'AWS::ElasticLoadBalancing::LoadBalancer': [
        (balancer(2, 3), 'Interval must be larger than Timeout'),
        (balancer(3, 3), None),
    ],
    # the default of character_classes holds beside sequences, too
    'OS::Heat::RandomString': [
        ({'length': 5, **LETTERS}, SHORT),
        ({'length': 6, **LETTERS}, None),
        ({'length': 5, 'character_classes': [], **LETTERS}, None),
    ],
    'OS::Heat::ScalingPolicy': [
        (
            {**POLICY_OF, 'adjustment_type': 'exact_capacity', 'min_adjustment_step': 0},
            'min_adjustment_step property should only be specified for adjustment_type with value '
            'percent_change_in_capacity.',
        ),
        (
            {
                **POLICY_OF,
                'adjustment_type': 'percent_change_in_capacity',
                'min_adjustment_step': 1,
            },
            None,
        ),
    ],
    'OS::Heat::AutoScalingGroup': [
        (members(2, 1), 'MinSize can not be greater than MaxSize'),
        (members(0, 1, desired_capacity=2), 'DesiredCapacity must be between MinSize and MaxSize'),
        (members(0, 1, desired_capacity=1), None),
    ],
    'OS::Heat::SoftwareComponent': [
        (
            {'configs': [configuration('CREATE'), configuration('UPDATE', 'CREATE')]},
            'Defining more than one configuration for the same action in SoftwareComponent "it" '
            'is not allowed.',
        ),
        ({'configs': [configuration('CREATE', 'CREATE'), configuration('UPDATE')]}, None),
    ],
    'AWS::EC2::EIPAssociation': [
        ({}, "Either 'EIP' or 'AllocationId' must be provided."),
        (
            {'EIP': '10.0.0.1', 'AllocationId': 'a', 'InstanceId': 'x'},
            "Either 'EIP' or 'AllocationId' must be provided.",
        ),
        (
            {'EIP': '10.0.0.1', 'NetworkInterfaceId': 'x'},
            "Must specify 'InstanceId' if you specify 'EIP'.",
        ),
        ({'AllocationId': 'a'}, f'{NONE_OF}: InstanceId, NetworkInterfaceId.'),
        ({'EIP': '10.0.0.1', 'InstanceId': OTHER}, None),
        ({'AllocationId': LATER, 'NetworkInterfaceId': OTHER}, None),
    ],
    'AWS::EC2::Instance': [
        ({'BlockDeviceMappings': [{'DeviceName': 'vdb'}], **MACHINE}, f'Ebs {NO_DISK}'),
        (
            {**MACHINE, 'NetworkInterfaces': ['x'], 'SecurityGroupIds': ['g']},
            f'{TWICE}: SecurityGroups/SecurityGroupIds, NetworkInterfaces.',
        ),
        ({**MACHINE, 'SecurityGroups': ['g']}, None),
    ],
    'AWS::EC2::Volume': [({'AvailabilityZone': 'nova'}, None)],
    'AWS::AutoScaling::LaunchConfiguration': [
        ({'ImageId': 'i'}, 'If without InstanceId, ImageId and InstanceType are required.'),
        ({'InstanceId': 'x'}, None),
        (
            {**MACHINE, 'BlockDeviceMappings': [{'DeviceName': 'vdb', 'Ebs': {}}]},
            f'SnapshotId {NO_DISK}',
        ),
        (
            {**MACHINE, 'BlockDeviceMappings': [{'DeviceName': 'v', 'Ebs': {'SnapshotId': 's'}}]},
            None,
        ),
    ],
}


class NoFiles:
    """The template, and no other file."""

    def __init__(self, text):
        self.text = text

    def join(self, name, reference):
        return reference

    def has(self, name):
        return False

    def read(self, name):
        return self.text


def refusals(kind, properties):
    """Return the texts of the findings of the types of a template with one resource of the kind."""
    resources = {
        'it': {'type': kind, 'properties': properties},
        'other': {'type': 'OS::Heat::RandomString'},
    }
    text = json.dumps({'heat_template_version': '2021-04-16', 'resources': resources})
    errors = functools.partial(offline_validation.validation_errors, TYPES)
    found = Linter(TYPES, NoFiles(text), errors, (), TYPES.base).lint(['app.yaml'])
    return [each.text for each in found if each.level == 'error' and each.rule == 'validation']


@pytest.mark.parametrize(
    ('kind', 'properties', 'text'),
    [(kind, *case) for kind, cases in CASES.items() for case in cases],
)
def test_properties_that_break_a_rule_are_refused_and_others_accepted(kind, properties, text):
    assert refusals(kind, properties) == ([] if text is None else [text])
