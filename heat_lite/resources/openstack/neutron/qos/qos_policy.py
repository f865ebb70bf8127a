"""OS::Neutron::QoSPolicy."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import boolean, list_attribute, string


class QoSPolicy(NeutronResource):
    """What networks and ports are promised, or held to, by its rules."""

    resource_type = 'OS::Neutron::QoSPolicy'
    support_status = support.since('6.0.0')
    rest = Rest('neutron', '/qos/policies', 'policy', extension='qos')
    entity = 'qos_policy'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'shared': boolean('Whether other projects may use it.', default=False, update_allowed=True),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.'),
    }
    attributes_schema = {
        'rules': list_attribute('Its rules.'),
    }
