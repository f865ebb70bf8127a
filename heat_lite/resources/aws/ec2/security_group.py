"""AWS::EC2::SecurityGroup."""

from heat_lite.common import exception
from heat_lite.common.value_types import without_none
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.resources.openstack.neutron import security_group
from heat_lite.resources.openstack.neutron.addresses import NETWORK_SERVICE
from heat_lite.template import support
from heat_lite.template.schema import list_, string

#: the value for all protocols and for all ports
ALL = '-1'
INGRESS, EGRESS = 'SecurityGroupIngress', 'SecurityGroupEgress'


def _rules(description):
    rule = {
        'IpProtocol': string('Name or number of the IP protocol; -1 means all protocols.'),
        'FromPort': string('First port of the range, or the ICMP type; -1 means all.'),
        'ToPort': string('Last port of the range, or the ICMP code; -1 means all.'),
        'CidrIp': string('CIDR of the remote addresses.'),
        'SourceSecurityGroupId': string(
            'ID of the remote security group.', resolves='neutron.security_group'
        ),
        'SourceSecurityGroupName': string(
            'Name of the remote security group.', resolves='neutron.security_group'
        ),
        'SourceSecurityGroupOwnerId': not_implemented(string),
    }
    return list_(description, rule, update_allowed=True, sent=False)


class SecurityGroup(security_group.SecurityGroup):
    """A security group: the traffic that its instances accept and send."""

    resource_type = 'AWS::EC2::SecurityGroup'
    support_status = support.DEFAULT
    required_service = NETWORK_SERVICE
    default_client_name = None
    entity = None

    properties_schema = {
        'GroupDescription': string(
            'Description of the security group.', required=True, wire='description'
        ),
        'VpcId': string(
            'ID of the VPC. Not used: a security group applies to all networks of the project.',
            sent=False,
        ),
        INGRESS: _rules('Rules for incoming traffic.'),
        EGRESS: _rules(
            'Rules for outgoing traffic. Without rules, all outgoing traffic is allowed.'
        ),
    }

    def client(self, name=None):
        return super().client(name or NETWORK_SERVICE)

    def validate(self):
        super().validate()
        self.template_rules()

    def body(self, values):
        return {'name': self.physical_resource_name(), **values}

    def has_generated_name(self):
        return True

    def find_existing(self):
        name = self.physical_resource_name()
        return next((each['id'] for each in self.list_by_name(name) if each['name'] == name), None)

    observed_keys = {}
    property_rules = ()  # type: ignore[assignment]

    def normalize(self, found):
        return found

    def described_rules(self, shown):
        return []  # the properties of this type are other ones

    def show(self):
        return None

    def template_rules(self):
        """Return a rule as Neutron takes it."""
        directions = (('ingress', INGRESS), ('egress', EGRESS))
        return [
            _rule(direction, each)
            for direction, name in directions
            for each in self.properties[name] or ()
        ]

    def rules_changed(self, diff):
        return INGRESS in diff or EGRESS in diff


def _rule(direction, given):
    protocol = given['IpProtocol']
    rule = {
        'direction': direction,
        'ethertype': 'IPv4',
        'protocol': None if protocol in (None, ALL) else protocol.lower(),
        'port_range_min': _number(given['FromPort']),
        'port_range_max': _number(given['ToPort']),
        'remote_ip_prefix': given['CidrIp'],
        'remote_group_id': given['SourceSecurityGroupId'] or given['SourceSecurityGroupName'],
    }
    return without_none(rule)


def _number(text):
    if text in (None, '', ALL):
        return None
    if not text.isdigit():
        raise exception.StackValidationFailed(f'FromPort and ToPort are numbers, not "{text}"')
    return int(text)
