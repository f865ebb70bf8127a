"""OS::Neutron::IPsecSiteConnection."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.constraints import AllowedValues, CustomConstraint
from heat_lite.template.schema import boolean, integer, list_, list_attribute, map_, map_attribute, string, text


class IPsecSiteConnection(NeutronResource):
    """A connection to a network elsewhere."""

    resource_type = 'OS::Neutron::IPsecSiteConnection'
    rest = Rest('neutron', '/vpn/ipsec-site-connections', 'ipsec_site_connection', extension='vpnaas')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'ikepolicy_id': string('The IKE policy, by its id.', required=True),
        'ipsecpolicy_id': string('The IPsec policy, by its id.', required=True),
        'peer_address': string('The public address of the other side.', required=True),
        'peer_cidrs': list_('The addresses behind the other side.', string(constraints=[CustomConstraint('net_cidr')]), required=True),
        'peer_id': string('By what the other side proves who it is.', required=True),
        'psk': string('The secret that both sides share.', required=True),
        'vpnservice_id': string('The VPN service, by its id.', required=True),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'dpd': map_(
            'How it is found out that the other side is dead.',
            {
                'actions': string(
                    'What is done then.',
                    default='hold',
                    constraints=[AllowedValues(['clear', 'disabled', 'hold', 'restart', 'restart-by-peer'])],
                    wire='action',
                ),
                'interval': integer('Seconds between two questions.', default=30),
                'timeout': integer('Seconds without an answer.', default=120),
            },
        ),
        'initiator': string('Who may begin.', default='bi-directional', constraints=[AllowedValues(['bi-directional', 'response-only'])]),
        'mtu': integer('The largest packet.', default=1500),
    }
    attributes_schema = {
        'admin_state_up': text('Whether it is switched on.'),
        'auth_mode': text('How the sides prove who they are.'),
        'description': text('Its description.'),
        'dpd': map_attribute('How it is found out that the other side is dead.'),
        'ikepolicy_id': text('The IKE policy, by its id.'),
        'initiator': text('Who may begin.'),
        'ipsecpolicy_id': text('The IPsec policy, by its id.'),
        'mtu': text('The largest packet.'),
        'name': text('Its name.'),
        'peer_address': text('The public address of the other side.'),
        'peer_cidrs': list_attribute('The addresses behind the other side.'),
        'peer_id': text('By what the other side proves who it is.'),
        'psk': text('The secret that both sides share.'),
        'route_mode': text('How routes are made.'),
        'status': text('Its status.'),
        'tenant_id': text('The project that owns it.'),
        'vpnservice_id': text('The VPN service, by its id.'),
    }
