"""OS::Neutron::FirewallPolicy."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import boolean, list_, list_attribute, string, text


class FirewallPolicy(NeutronResource):
    """What firewalls let through."""

    resource_type = 'OS::Neutron::FirewallPolicy'
    rest = Rest('neutron', '/fw/firewall_policies', 'firewall_policy', extension='fwaas')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'audited': boolean('Whether somebody has looked it over.', default=False, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'firewall_rules': list_('Its rules, in their order, by their ids.', update_allowed=True),
        'shared': boolean('Whether other projects may use it.', default=False, update_allowed=True),
    }
    attributes_schema = {
        'audited': text('Whether somebody has looked it over.'),
        'description': text('Its description.'),
        'firewall_rules': list_attribute('Its rules, in their order, by their ids.'),
        'name': text('Its name.'),
        'shared': text('Whether other projects may use it.'),
        'tenant_id': text('The project that owns it.'),
    }
