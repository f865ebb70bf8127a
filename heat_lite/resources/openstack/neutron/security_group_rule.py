"""OS::Neutron::SecurityGroupRule."""

from heat_lite.common import exception
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.resources.openstack.neutron.protocols import PROTOCOLS
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import integer, string

#: protocols whose ports have numbers
PORTED = ('tcp', 'udp', 'sctp', 'dccp', 'udplite')


class SecurityGroupRule(NeutronResource):
    """One kind of traffic that a security group lets through."""

    resource_type = 'OS::Neutron::SecurityGroupRule'
    support_status = support.since('7.0.0')
    rest = Rest('neutron', '/security-group-rules', 'security_group_rule', extension='security-group')

    properties_schema = {
        'security_group': string('The group, by name or id.', required=True, ref='neutron.security_group', wire='security_group_id'),
        'description': string('A text that says what it is for.'),
        'direction': string(
            'Which way the traffic goes, seen from the port.', default='ingress', constraints=[AllowedValues(['ingress', 'egress'])]
        ),
        'ethertype': string('The family of the addresses.', default='IPv4', constraints=[AllowedValues(['IPv4', 'IPv6'])]),
        'port_range_max': integer('The last port number, or the code of an ICMP message.', constraints=[Range(min=0, max=65535)]),
        'port_range_min': integer('The first port number, or the type of an ICMP message.', constraints=[Range(min=0, max=65535)]),
        'protocol': string(
            'The protocol, by name or number.',
            default='tcp',
            constraints=[AllowedValues(PROTOCOLS)],
        ),
        'remote_group': string('The group that the other side belongs to.', ref='neutron.security_group', wire='remote_group_id'),
        'remote_ip_prefix': string('The addresses of the other side.', constraints=[CustomConstraint('net_cidr')]),
    }

    def validate(self):
        super().validate()
        if self.properties['remote_group'] is not None and self.properties['remote_ip_prefix'] is not None:
            raise exception.ResourcePropertyConflict('remote_group', 'remote_ip_prefix')
        first, last = self.properties['port_range_min'], self.properties['port_range_max']
        if (
            self.properties['protocol'] in ('tcp', 'udp', 'sctp', 'dccp', 'udplite')
            and first is not None
            and last is not None
            and first > last
        ):
            raise exception.StackValidationFailed('The minimum port number must be less than or equal to the maximum port number.')
