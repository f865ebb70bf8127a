"""OS::Neutron::Firewall."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import boolean, map_, string, text


class Firewall(NeutronResource):
    """A firewall on the routers of a project."""

    resource_type = 'OS::Neutron::Firewall'
    rest = Rest('neutron', '/fw/firewalls', 'firewall', extension='fwaas')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'firewall_policy_id': string('The policy, by its id.', required=True, update_allowed=True),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'shared': boolean(
            'Whether other projects may use it.', update_allowed=True, support=support.unsupported('6.0.0', previous='2015.1')
        ),
        'value_specs': map_(
            'Further keys for the request, for what extensions of the service understand.',
            default={},
            update_allowed=True,
            support=support.since('5.0.0'),
            sent=False,
        ),
    }
    attributes_schema = {
        'admin_state_up': text('Whether it is switched on.'),
        'description': text('Its description.'),
        'firewall_policy_id': text('The policy, by its id.'),
        'name': text('Its name.'),
        'shared': text('Whether other projects may use it.', support=support.unsupported('6.0.0')),
        'status': text('Its status.'),
        'tenant_id': text('The project that owns it.'),
    }
