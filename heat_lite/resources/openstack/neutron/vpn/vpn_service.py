"""OS::Neutron::VPNService."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import description_property, name_property, string, switch, text


class VPNService(NeutronResource):
    """A VPN service: the end of VPN connections on a router."""

    resource_type = 'OS::Neutron::VPNService'
    rest = Rest('neutron', '/vpn/vpnservices', 'vpnservice', extension='vpnaas')

    properties_schema = {
        'name': name_property(),
        'router': string(
            'Router of the VPN service, by name or id.',
            required=True,
            ref='neutron.router',
            since='2015.1',
            wire='router_id',
        ),
        'subnet': string(
            'Subnet that the VPN service connects, by name or id.',
            required=True,
            ref='neutron.subnet',
            since='2014.2',
            wire='subnet_id',
        ),
        'admin_state_up': switch('Administrative state of the VPN service.'),
        'description': description_property(),
        'router_id': string(
            ref='neutron.router',
            history='hidden 6.0.0, deprecated 2015.1, supported 2013.2',
            alias_of='router',
        ),
        'subnet_id': string(
            ref='neutron.subnet', history='hidden 5.0.0, deprecated 2014.2', alias_of='subnet'
        ),
    }
    attributes_schema = {
        'admin_state_up': text('Administrative state that Neutron shows for the VPN service.'),
        'description': text('Description of the VPN service.'),
        'name': text('Name of the VPN service.'),
        'router_id': text('Id of the router of the VPN service.'),
        'status': text('Status of the VPN service.'),
        'subnet_id': text('Id of the subnet of the VPN service.'),
        'tenant_id': text('Id of the project that owns the VPN service.'),
    }
