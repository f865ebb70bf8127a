"""OS::Neutron::PortPair."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import description_property, map_, name_property, string


class PortPair(NeutronResource):
    """A port pair: the ports of a service function."""

    resource_type = 'OS::Neutron::PortPair'
    support_status = support.history('unsupported 7.0.0')
    rest = Rest('neutron', '/sfc/port_pairs', 'port_pair', extension='sfc')
    entity = None

    properties_schema = {
        'name': name_property(),
        'egress': string(
            'Egress port of the service function, by name or id.', required=True, ref='neutron.port'
        ),
        'ingress': string(
            'Ingress port of the service function, by name or id.',
            required=True,
            ref='neutron.port',
        ),
        'description': description_property(),
        'service_function_parameters': map_(
            'Parameters of the service function.', default={'correlation': None}
        ),
    }
