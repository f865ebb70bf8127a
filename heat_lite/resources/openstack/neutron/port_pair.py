"""OS::Neutron::PortPair."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import map_, string


class PortPair(NeutronResource):
    """The two ports of a function in a chain of services."""

    resource_type = 'OS::Neutron::PortPair'
    support_status = support.unsupported('7.0.0')
    rest = Rest('neutron', '/sfc/port_pairs', 'port_pair', extension='sfc')
    entity = None
    entity = None

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'egress': string('The port that it leaves by.', required=True, ref='neutron.port'),
        'ingress': string('The port that traffic comes in by.', required=True, ref='neutron.port'),
        'description': string('A text that says what it is for.', update_allowed=True),
        'service_function_parameters': map_('What the function is like.', default={'correlation': None}),
    }
