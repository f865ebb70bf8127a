"""OS::Neutron::VPNService."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.schema import boolean, string, text


class VPNService(NeutronResource):
    """The end of VPN connections on a router."""

    resource_type = 'OS::Neutron::VPNService'
    rest = Rest('neutron', '/vpn/vpnservices', 'vpnservice', extension='vpnaas')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'router': string(
            'The router, by name or id.', required=True, ref='neutron.router', support=support.since('2015.1'), wire='router_id'
        ),
        'subnet': string(
            'The subnet that the other side reaches, by name or id.',
            required=True,
            ref='neutron.subnet',
            support=support.since('2014.2'),
            wire='subnet_id',
        ),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'router_id': string(
            ref='neutron.router',
            support=support.hidden('6.0.0', previous=support.deprecated('2015.1', previous='2013.2')),
            alias_of='router',
        ),
        'subnet_id': string(
            ref='neutron.subnet', support=support.hidden('5.0.0', previous=support.deprecated('2014.2')), alias_of='subnet'
        ),
    }
    attributes_schema = {
        'admin_state_up': text('Whether it is switched on.'),
        'description': text('Its description.'),
        'name': text('Its name.'),
        'router_id': text('The id of its router.'),
        'status': text('Its status.'),
        'subnet_id': text('The id of its subnet.'),
        'tenant_id': text('The project that owns it.'),
    }
