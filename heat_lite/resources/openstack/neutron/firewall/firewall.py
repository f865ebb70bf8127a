"""OS::Neutron::Firewall."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource, value_specs_property
from heat_lite.template.schema import (
    boolean,
    description_property,
    name_property,
    string,
    switch,
    text,
)


class Firewall(NeutronResource):
    """A firewall on the routers of a project."""

    resource_type = 'OS::Neutron::Firewall'
    rest = Rest('neutron', '/fw/firewalls', 'firewall', extension='fwaas')
    strict_specs = True

    properties_schema = {
        'name': name_property(),
        'firewall_policy_id': string(
            'Id of the firewall policy.', required=True, update_allowed=True
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
    attributes_schema = {
        'admin_state_up': text('Administrative state that Neutron shows for the firewall.'),
        'description': text('Description of the firewall.'),
        'firewall_policy_id': text('Id of the policy that the firewall applies.'),
        'name': text('Name of the firewall.'),
        'shared': text('Whether the firewall is shared.', history='unsupported 6.0.0'),
        'status': text('Status of the firewall.'),
        'tenant_id': text('Id of the project that owns the firewall.'),
    }
