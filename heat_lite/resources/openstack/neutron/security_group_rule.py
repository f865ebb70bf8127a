"""OS::Neutron::SecurityGroupRule."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import above, but, conflict, refuse
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.resources.openstack.neutron.protocols import PROTOCOLS
from heat_lite.template.schema import description_property, integer, string


class SecurityGroupRule(NeutronResource):
    """A rule of a security group."""

    resource_type = 'OS::Neutron::SecurityGroupRule'
    since = '7.0.0'
    rest = Rest(
        'neutron', '/security-group-rules', 'security_group_rule', extension='security-group'
    )

    properties_schema = {
        'security_group': string(
            'Security group of the rule, by name or id.',
            required=True,
            ref='neutron.security_group',
            wire='security_group_id',
        ),
        'description': description_property(update_allowed=False),
        'direction': string(
            'Direction of the traffic, from the point of view of the port.',
            default='ingress',
            allowed=['ingress', 'egress'],
        ),
        'ethertype': string(
            'Ethertype of the traffic: IPv4 or IPv6.', default='IPv4', allowed=['IPv4', 'IPv6']
        ),
        'port_range_max': integer(
            'Last port number, or ICMP code, of the traffic.', min=0, max=65535
        ),
        'port_range_min': integer(
            'First port number, or ICMP type, of the traffic.', min=0, max=65535
        ),
        'protocol': string(
            'Protocol of the traffic, by name or number.', default='tcp', allowed=PROTOCOLS
        ),
        'remote_group': string(
            'Remote security group of the traffic, by name or id.',
            ref='neutron.security_group',
            wire='remote_group_id',
        ),
        'remote_ip_prefix': string(
            'CIDR of the remote end of the traffic that the rule allows.', custom='net_cidr'
        ),
    }
    property_rules = (
        conflict('remote_group', 'remote_ip_prefix'),
        refuse(
            'The minimum port number must be less than or equal to the maximum port number.',
            protocol=but('icmp', 'icmpv6', 'ipv6-icmp'),
            port_range_min=above('port_range_max'),
        ),
    )
