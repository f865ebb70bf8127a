"""AWS::EC2::SecurityGroup."""

from heat_lite.resources.aws.ec2.base import NETWORK_SERVICE
from heat_lite.resources.openstack.neutron import security_group
from heat_lite.template import support
from heat_lite.template.schema import list_, map_, string

#: what stands for all protocols, and for all ports
ALL = '-1'
INGRESS, EGRESS = 'SecurityGroupIngress', 'SecurityGroupEgress'


def _rules(description):
    rule = {
        'IpProtocol': string('The protocol, by name or number; -1 are all.'),
        'FromPort': string('The first port number, or the type of an ICMP message; -1 are all.'),
        'ToPort': string('The last port number, or the code of an ICMP message; -1 are all.'),
        'CidrIp': string('The addresses of the other side.'),
        'SourceSecurityGroupId': string('The group that the other side belongs to.', resolves='neutron.security_group'),
        'SourceSecurityGroupName': string('The same, by its name.', resolves='neutron.security_group'),
        'SourceSecurityGroupOwnerId': string('Not used.', implemented=False),
    }
    return list_(description, map_(None, rule), update_allowed=True, sent=False)


class SecurityGroup(security_group.SecurityGroup):
    """What traffic the servers that belong to it let through."""

    resource_type = 'AWS::EC2::SecurityGroup'
    support_status = support.PLAIN
    default_client_name = None
    entity = None

    properties_schema = {
        'GroupDescription': string('What it is for.', required=True, wire='description'),
        'VpcId': string('The VPC; groups are for all networks of the project.', sent=False),
        INGRESS: _rules('What is let in.'),
        EGRESS: _rules('What is let out; without it all is.'),
    }

    def client(self, name=None):
        return super().client(name or NETWORK_SERVICE)

    @classmethod
    def require_service(cls, clients, type_name):
        """Its surface names no service."""
        security_group.SecurityGroup.require_service(clients, type_name)

    def validate(self):
        security_group.NeutronResource.validate(self)

    def body(self, values):
        return {'name': self.physical_resource_name(), **values}

    def find_existing(self):
        name = self.physical_resource_name()
        return next((each['id'] for each in self._all(name) if each['name'] == name), None)

    shown = {}

    def as_told(self, found):
        return found

    def show(self):
        return None

    def given_rules(self):
        """In the words of the network service."""
        ways = (('ingress', INGRESS), ('egress', EGRESS))
        return [_rule(way, each) for way, name in ways for each in self.properties[name] or ()]

    def rules_changed(self, diff):
        return INGRESS in diff or EGRESS in diff


def _rule(way, given):
    protocol = given['IpProtocol']
    rule = {
        'direction': way,
        'ethertype': 'IPv4',
        'protocol': None if protocol in (None, ALL) else protocol.lower(),
        'port_range_min': _number(given['FromPort']),
        'port_range_max': _number(given['ToPort']),
        'remote_ip_prefix': given['CidrIp'],
        'remote_group_id': given['SourceSecurityGroupId'] or given['SourceSecurityGroupName'],
    }
    return {name: value for name, value in rule.items() if value is not None}


def _number(text):
    return None if text in (None, '', ALL) else int(text)
