"""The types of tap services: OS::Neutron::TaaS::TapService, TapFlow and TapMirror."""

from heat_lite.resources.openstack.neutron.base import (
    NeutronResource,
    neutron_rest,
    project_property,
)
from heat_lite.template.schema import (
    OURS,
    description_property,
    integer,
    map_,
    name_property,
    reference,
    string,
)


class TapService(NeutronResource):
    """A tap service: the destination of mirrored traffic."""

    resource_type = 'OS::Neutron::TaaS::TapService'
    since = '12.0.0'
    rest = neutron_rest('/taas/tap_services', 'tap_service', 'taas')

    properties_schema = {
        'name': name_property(default=''),
        'port': reference(
            'neutron.port', 'Port that receives the mirrored traffic, by name or id.', required=True
        ),
        'description': description_property(default=''),
    }


class TapFlow(NeutronResource):
    """A tap flow: the traffic of a port that is mirrored."""

    resource_type = 'OS::Neutron::TaaS::TapFlow'
    since = '12.0.0'
    rest = neutron_rest('/taas/tap_flows', 'tap_flow', 'taas')

    properties_schema = {
        'name': name_property(default=''),
        'port': string(
            'Port whose traffic is mirrored, by name or id.',
            required=True,
            ref='neutron.port',
            wire='source_port',
        ),
        'tap_service': reference(
            'neutron.taas.tap_service',
            'Tap service that receives the mirrored traffic, by name or id.',
            required=True,
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


class TapMirror(NeutronResource):
    """A tap mirror: the traffic of a port that is mirrored to an address through a tunnel."""

    resource_type = 'OS::Neutron::TaaS::TapMirror'
    since = OURS
    rest = neutron_rest('/taas/tap_mirrors', 'tap_mirror', 'tap-mirror')

    properties_schema = {
        'name': name_property(),
        'directions': map_(
            'Tunnel ids of the mirrored directions, from the point of view of the port.',
            {
                key: integer(f'Tunnel id of the {what} traffic.', min=0)
                for key, what in {'IN': 'incoming', 'OUT': 'outgoing', 'BOTH': 'whole'}.items()
            },
            required=True,
            min=1,
        ),
        'mirror_type': string('Type of the tunnel.', required=True, allowed=['erspanv1', 'gre']),
        'port': reference(
            'neutron.port',
            'Port whose traffic is sent to the address, by name or id.',
            required=True,
        ),
        'remote_ip': string(
            'Address at the other end of the tunnel.', required=True, custom='ip_addr'
        ),
        'description': description_property(),
        'project': project_property('tap mirror'),
    }
