"""OS::Neutron::FirewallRule."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.constraints import AllowedValues, CustomConstraint
from heat_lite.template.schema import boolean, string, text


class FirewallRule(NeutronResource):
    """One rule of a firewall policy."""

    resource_type = 'OS::Neutron::FirewallRule'
    rest = Rest('neutron', '/fw/firewall_rules', 'firewall_rule', extension='fwaas')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'action': string(
            'What is done with the traffic.', default='deny', update_allowed=True, constraints=[AllowedValues(['allow', 'deny'])]
        ),
        'description': string('A text that says what it is for.', update_allowed=True),
        'destination_ip_address': string('The addresses that it goes to.', update_allowed=True, constraints=[CustomConstraint('net_cidr')]),
        'destination_port': string('The port, or range of ports, that it goes to.', update_allowed=True),
        'enabled': boolean('Whether the rule counts.', default=True, update_allowed=True),
        'ip_version': string('The family of the addresses.', default='4', update_allowed=True, constraints=[AllowedValues(['4', '6'])]),
        'protocol': string('The protocol.', default='any', update_allowed=True, constraints=[AllowedValues(['tcp', 'udp', 'icmp', 'any'])]),
        'shared': boolean('Whether other projects may use it.', default=False, update_allowed=True),
        'source_ip_address': string('The addresses that it comes from.', update_allowed=True, constraints=[CustomConstraint('net_cidr')]),
        'source_port': string('The port, or range of ports, that it comes from.', update_allowed=True),
    }
    attributes_schema = {
        'action': text('What is done with the traffic.'),
        'description': text('Its description.'),
        'destination_ip_address': text('The addresses that it goes to.'),
        'destination_port': text('The port, or range of ports, that it goes to.'),
        'enabled': text('Whether the rule counts.'),
        'firewall_policy_id': text('The policy that it belongs to.'),
        'ip_version': text('The family of the addresses.'),
        'name': text('Its name.'),
        'position': text('Its place in the policy.'),
        'protocol': text('The protocol.'),
        'shared': text('Whether other projects may use it.'),
        'source_ip_address': text('The addresses that it comes from.'),
        'source_port': text('The port, or range of ports, that it comes from.'),
        'tenant_id': text('The project that owns it.'),
    }

    def body(self, values):
        return _any_protocol(super().body(values))

    def changes(self, changed, diff):
        return _any_protocol(super().changes(changed, diff))


def _any_protocol(values):
    """The service calls any protocol null."""
    return {**values, 'protocol': None} if values.get('protocol') == 'any' else values
