"""OS::Neutron::TaaS::TapService and OS::Neutron::TaaS::TapFlow."""

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


class TapFlow(NeutronResource):
    """A tap flow: the traffic of a port that is mirrored."""

    resource_type = 'OS::Neutron::TaaS::TapFlow'
    since = '12.0.0'
    rest = Rest('neutron', '/taas/tap_flows', 'tap_flow', extension='taas')

    properties_schema = {
        'name': name_property(default=''),
        'port': string(
            'Port whose traffic is mirrored, by name or id.',
            required=True,
            ref='neutron.port',
            wire='source_port',
        ),
        'tap_service': string(
            'Tap service that receives the mirrored traffic, by name or id.',
            required=True,
            ref='neutron.taas.tap_service',
            wire='tap_service_id',
        ),
        'description': description_property(default=''),
        'direction': string(
            'Direction of the mirrored traffic, from the point of view of the port.',
            default='BOTH',
            allowed=['IN', 'OUT', 'BOTH'],
        ),
        'vlan_filter': string(
            'VLAN ids whose traffic is mirrored.',
            pattern='^([0-9]+(-[0-9]+)?)(,([0-9]+(-[0-9]+)?))*$',
        ),
    }
