"""OS::Neutron::FirewallPolicy."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import (
    description_property,
    list_,
    list_attribute,
    name_property,
    switch,
    text,
)


class FirewallPolicy(NeutronResource):
    """A firewall policy: an ordered list of rules."""

    resource_type = 'OS::Neutron::FirewallPolicy'
    rest = Rest('neutron', '/fw/firewall_policies', 'firewall_policy', extension='fwaas')

    properties_schema = {
        'name': name_property(),
        'audited': switch('Whether the policy has been audited.', default=False),
        'description': description_property(),
        'firewall_rules': list_(
            'Ids of the firewall rules, in the order of evaluation.', update_allowed=True
        ),
        'shared': switch('Whether other projects can use the firewall policy.', default=False),
    }
    attributes_schema = {
        'audited': text('Whether Neutron shows the policy as audited.'),
        'description': text('Description of the firewall policy.'),
        'firewall_rules': list_attribute('Ids of the rules of the policy.'),
        'name': text('Name of the firewall policy.'),
        'shared': text('Whether the firewall policy is shared.'),
        'tenant_id': text('Id of the project that owns the firewall policy.'),
    }
