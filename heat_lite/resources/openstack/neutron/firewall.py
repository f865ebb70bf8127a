"""The types of firewalls (FWaaS v2): OS::Neutron::FirewallGroup, FirewallPolicy and FirewallRule.

OS::Neutron::Firewall is a group under the name that FWaaS v1 had for a firewall, which Neutron has
no longer.
"""

from heat_lite.resources.base.property_rules import refuse
from heat_lite.resources.openstack.neutron.base import (
    NeutronResource,
    neutron_rest,
    project_property,
    value_specs_property,
)
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    list_,
    list_attribute,
    name_property,
    string,
    switch,
    text,
)

INGRESS, EGRESS = 'ingress_firewall_policy_id', 'egress_firewall_policy_id'
GROUP = neutron_rest(
    '/fwaas/firewall_groups',
    'firewall_group',
    'fwaas_v2',
    ready=('ACTIVE', 'INACTIVE', 'DOWN'),
    retry_conflict=True,
    deletes_async=True,
    delete_failed=('ERROR',),
)


class FirewallGroup(NeutronResource):
    """A firewall group: applies firewall policies to ports."""

    resource_type = 'OS::Neutron::FirewallGroup'
    since = OURS
    rest = GROUP

    properties_schema = {
        'name': name_property(),
        'admin_state_up': switch('Administrative state of the firewall group.'),
        'description': description_property(),
        'egress_firewall_policy': string(
            'Firewall policy for outgoing traffic, by name or id.',
            update_allowed=True,
            ref='neutron.firewall_policy',
            wire=EGRESS,
        ),
        'ingress_firewall_policy': string(
            'Firewall policy for incoming traffic, by name or id.',
            update_allowed=True,
            ref='neutron.firewall_policy',
            wire=INGRESS,
        ),
        'ports': list_(
            'Ports of routers or servers, by name or id.',
            string(ref='neutron.port'),
            default=[],
            update_allowed=True,
        ),
        'project': project_property('firewall group'),
        'shared': switch('Whether other projects can use the firewall group.', default=False),
    }
    attributes_schema = {'status': 'Status of the firewall group.'}


def _without_ports(specs, read):
    return not (specs or {}).get('ports')


class Firewall(NeutronResource):
    """A firewall group by its name in FWaaS v1: one policy for both directions, and the ports in
    ``value_specs``.
    """

    resource_type = 'OS::Neutron::Firewall'
    rest = GROUP
    entity = 'firewall'
    strict_specs = True

    properties_schema = {
        'name': name_property(),
        'firewall_policy_id': string(
            'Id of the firewall policy.', required=True, update_allowed=True, wire=INGRESS
        ),
        'admin_state_up': switch('Administrative state of the firewall.'),
        'description': description_property(),
        'shared': boolean(
            'Whether other projects can use the firewall.',
            update_allowed=True,
            history='unsupported 6.0.0, supported 2015.1',
        ),
        'value_specs': value_specs_property('firewall', update_allowed=True, since='5.0.0'),
    }
    property_rules = (
        refuse(
            'Neutron has no longer firewalls for the routers of a project (FWaaS v1). Name the '
            'ports of the routers, as value_specs: {{ports: [ID, ...]}}, or use '
            'OS::Neutron::FirewallGroup.',
            value_specs=_without_ports,
        ),
    )
    attributes_schema = {
        'admin_state_up': 'Administrative state that Neutron shows for the firewall.',
        'description': 'Description of the firewall.',
        'firewall_policy_id': text('Id of the policy that the firewall applies.', wire=INGRESS),
        'name': 'Name of the firewall.',
        'shared': text('Whether the firewall is shared.', history='unsupported 6.0.0'),
        'status': 'Status of the firewall.',
        'tenant_id': 'Id of the project that owns the firewall.',
    }

    def is_described(self, found):
        return False  # templates describe it as a group

    def body(self, values):
        return _both_directions(super().body(values))

    def changes(self, changed, diff):
        return _both_directions(super().changes(changed, diff))


def _both_directions(values):
    return {**values, EGRESS: values[INGRESS]} if INGRESS in values else values


class FirewallPolicy(NeutronResource):
    """A firewall policy: an ordered list of rules."""

    resource_type = 'OS::Neutron::FirewallPolicy'
    rest = neutron_rest('/fwaas/firewall_policies', 'firewall_policy', 'fwaas_v2')

    properties_schema = {
        'name': name_property(),
        'audited': switch('Whether the policy has been audited.', default=False),
        'description': description_property(),
        'firewall_rules': list_(
            'Ids of the firewall rules, in the order of evaluation.', update_allowed=True
        ),
        'project': project_property('firewall policy', since=OURS),
        'shared': switch('Whether other projects can use the firewall policy.', default=False),
    }
    attributes_schema = {
        'audited': 'Whether Neutron shows the policy as audited.',
        'description': 'Description of the firewall policy.',
        'firewall_rules': list_attribute('Ids of the rules of the policy.'),
        'name': 'Name of the firewall policy.',
        'shared': 'Whether the firewall policy is shared.',
        'tenant_id': 'Id of the project that owns the firewall policy.',
    }


class FirewallRule(NeutronResource):
    """A rule of a firewall policy."""

    resource_type = 'OS::Neutron::FirewallRule'
    rest = neutron_rest('/fwaas/firewall_rules', 'firewall_rule', 'fwaas_v2')

    properties_schema = {
        'name': name_property(),
        'action': string(
            'Action for matching packets. A rejected packet is answered, a denied one is not.',
            default='deny',
            update_allowed=True,
            allowed=['allow', 'deny'],
            ours=['reject'],
        ),
        'description': description_property(),
        'destination_ip_address': string(
            'Destination address or CIDR of matching packets.',
            update_allowed=True,
            custom='net_cidr',
        ),
        'destination_port': string(
            'Destination port, or range of ports, of matching packets.', update_allowed=True
        ),
        'enabled': switch('Whether the firewall rule is enabled.'),
        'ip_version': string(
            'IP version of matching packets.', default='4', update_allowed=True, allowed=['4', '6']
        ),
        'protocol': string(
            'IP protocol of matching packets.',
            default='any',
            update_allowed=True,
            allowed=['tcp', 'udp', 'icmp', 'any'],
        ),
        'project': project_property('firewall rule', since=OURS),
        'shared': switch('Whether other projects can use the firewall rule.', default=False),
        'source_ip_address': string(
            'Source address or CIDR of matching packets.', update_allowed=True, custom='net_cidr'
        ),
        'source_port': string(
            'Source port, or range of ports, of matching packets.', update_allowed=True
        ),
    }
    attributes_schema = {
        'action': 'Action of the rule.',
        'description': 'Description of the firewall rule.',
        'destination_ip_address': 'Destination address of the rule.',
        'destination_port': 'Destination port of the rule.',
        'enabled': 'Whether Neutron shows the firewall rule as enabled.',
        'firewall_policy_id': 'Id of the policy that contains the firewall rule.',
        'ip_version': 'IP version of the firewall rule.',
        'name': 'Name of the firewall rule.',
        'position': 'Position of the rule in its policy.',
        'protocol': 'IP protocol of the firewall rule.',
        'shared': 'Whether the firewall rule is shared.',
        'source_ip_address': 'Source address of the rule.',
        'source_port': 'Source port of the rule.',
        'tenant_id': 'Id of the project that owns the firewall rule.',
    }

    def body(self, values):
        return _any_protocol(super().body(values))

    def changes(self, changed, diff):
        return _any_protocol(super().changes(changed, diff))

    def resolve_attribute(self, name):
        """Return the policy, and the position in it, of a rule as FWaaS v1 has shown them."""
        if name not in ('firewall_policy_id', 'position'):
            return super().resolve_attribute(name)
        policy, *_ = (self.show() or {}).get('firewall_policy_id') or [None]
        if policy is None or name == 'firewall_policy_id':
            return policy
        found = self.client().show(f'/fwaas/firewall_policies/{policy}', 'firewall_policy')
        return found['firewall_rules'].index(self.resource_id) + 1


def _any_protocol(values):
    """Return the values with null for the protocol "any", as Neutron expects."""
    return {**values, 'protocol': None} if values.get('protocol') == 'any' else values
