"""OS::Neutron::TaaS::TapService."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import description_property, name_property, string


class TapService(NeutronResource):
    """A tap service: the destination of mirrored traffic."""

    resource_type = 'OS::Neutron::TaaS::TapService'
    since = '12.0.0'
    rest = Rest('neutron', '/taas/tap_services', 'tap_service', extension='taas')

    properties_schema = {
        'name': name_property(default=''),
        'port': string(
            'Port that receives the mirrored traffic, by name or id.',
            required=True,
            ref='neutron.port',
            wire='port_id',
        ),
        'description': description_property(default=''),
    }
