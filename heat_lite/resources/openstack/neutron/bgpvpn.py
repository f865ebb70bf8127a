"""The types of BGP VPNs, by the names and properties of the plug-in that Heat has for them."""

from heat_lite.resources.base.property_rules import for_each, missing, refuse
from heat_lite.resources.openstack.neutron.base import (
    NeutronResource,
    needs_extension,
    neutron_rest,
)
from heat_lite.template.schema import (
    OURS,
    boolean,
    integer,
    list_,
    name_property,
    parent,
    reference,
    string,
    switch,
)

ROUTES_CONTROL = 'bgpvpn-routes-control'
LAST_PREFERENCE = 2**32 - 1


def _targets(description):
    return list_(description, string(pattern=r'[0-9.]+:[0-9]+'), update_allowed=True)


def _bgpvpn(noun):
    return parent('neutron.bgpvpn', f'BGP VPN of the {noun} association, by name or id.')


class BGPVPN(NeutronResource):
    """A BGP VPN: connects networks with a VPN of the provider."""

    resource_type = 'OS::Neutron::BGPVPN'
    since = OURS
    rest = neutron_rest('/bgpvpn/bgpvpns', 'bgpvpn', 'bgpvpn')

    properties_schema = {
        'name': name_property(),
        'export_targets': _targets('Further route targets of the exported routes.'),
        'import_targets': _targets('Further route targets of the imported routes.'),
        'local_pref': integer(
            'Local preference of the routes that are announced to the VPN.',
            update_allowed=True,
            min=0,
            max=LAST_PREFERENCE,
        ),
        'route_distinguishers': _targets('Route distinguishers of the announced routes.'),
        'route_targets': _targets('Route targets of the imported and the exported routes.'),
        'tenant_id': reference(
            'keystone.project',
            'Project of the BGP VPN, by name or id. Requires administrator rights.',
        ),
        'type': string('Type of the VPN: layer 3 or layer 2.', default='l3', allowed=['l2', 'l3']),
        'vni': integer('VXLAN id of the VPN.', min=1, max=2**24 - 1),
    }
    property_rules = (
        *needs_extension(ROUTES_CONTROL, 'local_pref'),
        *needs_extension('bgpvpn-vni', 'vni'),
    )
    attributes_schema = {'type': 'Type of the VPN that Neutron shows.'}


class NetworkAssociation(NeutronResource):
    """The association of a network with a BGP VPN."""

    resource_type = 'OS::Neutron::BGPVPN-NET-ASSOCIATION'
    since = OURS
    rest = neutron_rest(
        '/bgpvpn/bgpvpns/{bgpvpn_id}/network_associations', 'network_association', 'bgpvpn'
    )
    unique_by = ('network_id',)

    properties_schema = {
        'bgpvpn_id': _bgpvpn('network'),
        'network_id': reference(
            'neutron.network', 'Network that the BGP VPN connects, by name or id.', required=True
        ),
    }


class RouterAssociation(NeutronResource):
    """The association of a router, with all its networks, with a BGP VPN."""

    resource_type = 'OS::Neutron::BGPVPN-ROUTER-ASSOCIATION'
    since = OURS
    rest = neutron_rest(
        '/bgpvpn/bgpvpns/{bgpvpn_id}/router_associations', 'router_association', 'bgpvpn'
    )
    unique_by = ('router_id',)

    properties_schema = {
        'bgpvpn_id': _bgpvpn('router'),
        'router_id': reference(
            'neutron.router', 'Router that the BGP VPN connects, by name or id.', required=True
        ),
        'advertise_extra_routes': boolean(
            'Whether the extra routes of the router are announced.', update_allowed=True
        ),
    }
    property_rules = needs_extension(ROUTES_CONTROL, 'advertise_extra_routes')


class PortAssociation(NeutronResource):
    """The association of a port with a BGP VPN."""

    resource_type = 'OS::Neutron::BGPVPN-PORT-ASSOCIATION'
    since = OURS
    rest = neutron_rest(
        '/bgpvpn/bgpvpns/{bgpvpn_id}/port_associations', 'port_association', ROUTES_CONTROL
    )
    unique_by = ('port_id',)

    properties_schema = {
        'bgpvpn_id': _bgpvpn('port'),
        'port_id': reference(
            'neutron.port', 'Port that the BGP VPN connects, by name or id.', required=True
        ),
        'advertise_fixed_ips': switch('Whether the fixed IPs of the port are announced.'),
        'routes': list_(
            'Routes that are announced with the port as the next hop.',
            {
                'bgpvpn_id': reference(
                    'neutron.bgpvpn',
                    'BGP VPN whose routes are announced, for the type bgpvpn, by name or id.',
                ),
                'local_pref': integer('Local preference of the route.', min=0, max=LAST_PREFERENCE),
                'prefix': string('CIDR that is announced, for the type prefix.', custom='net_cidr'),
                'type': string('Type of the route.', required=True, allowed=['prefix', 'bgpvpn']),
            },
            update_allowed=True,
        ),
    }
    property_rules = (
        for_each(
            'routes',
            refuse('A route of the type prefix needs a prefix.', type=('prefix',), prefix=missing),
            refuse('A route of the type bgpvpn needs one.', type=('bgpvpn',), bgpvpn_id=missing),
        ),
    )
