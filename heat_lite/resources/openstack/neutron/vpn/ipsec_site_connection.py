"""OS::Neutron::IPsecSiteConnection."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import (
    description_property,
    integer,
    list_,
    list_attribute,
    map_,
    map_attribute,
    name_property,
    string,
    switch,
    text,
)


class IPsecSiteConnection(NeutronResource):
    """An IPsec connection between two sites."""

    resource_type = 'OS::Neutron::IPsecSiteConnection'
    rest = Rest(
        'neutron', '/vpn/ipsec-site-connections', 'ipsec_site_connection', extension='vpnaas'
    )

    properties_schema = {
        'name': name_property(),
        'ikepolicy_id': string('Id of the IKE policy.', required=True),
        'ipsecpolicy_id': string('Id of the IPsec policy.', required=True),
        'peer_address': string('Public address or host name of the peer gateway.', required=True),
        'peer_cidrs': list_(
            "CIDRs of the peer's networks.", string(custom='net_cidr'), required=True
        ),
        'peer_id': string('Identity of the peer for authentication.', required=True),
        'psk': string('Pre-shared key.', required=True),
        'vpnservice_id': string('Id of the VPN service.', required=True),
        'admin_state_up': switch('Administrative state of the IPsec connection.'),
        'description': description_property(),
        'dpd': map_(
            'Dead peer detection.',
            {
                'actions': string(
                    'Action when the peer is dead.',
                    default='hold',
                    allowed=['clear', 'disabled', 'hold', 'restart', 'restart-by-peer'],
                    wire='action',
                ),
                'interval': integer('Interval of dead peer detection in seconds.', default=30),
                'timeout': integer('Timeout of dead peer detection in seconds.', default=120),
            },
        ),
        'initiator': string(
            'Whether this side initiates the connection or only responds.',
            default='bi-directional',
            allowed=['bi-directional', 'response-only'],
        ),
        'mtu': integer('Maximum transmission unit of the connection.', default=1500),
    }
    attributes_schema = {
        'admin_state_up': text('Administrative state that Neutron shows for the IPsec connection.'),
        'auth_mode': text('Authentication mode of the connection.'),
        'description': text('Description of the IPsec connection.'),
        'dpd': map_attribute('Dead peer detection that Neutron shows.'),
        'ikepolicy_id': text('Id of the IKE policy of the connection.'),
        'initiator': text('Role of this side in the connection.'),
        'ipsecpolicy_id': text('Id of the IPsec policy of the connection.'),
        'mtu': text('Maximum transmission unit that Neutron shows.'),
        'name': text('Name of the IPsec connection.'),
        'peer_address': text('Address of the peer that Neutron shows.'),
        'peer_cidrs': list_attribute('CIDRs of the peer that Neutron shows.'),
        'peer_id': text('Identity of the peer that Neutron shows.'),
        'psk': text('Pre-shared key of the connection.'),
        'route_mode': text('Route mode of the connection.'),
        'status': text('Status of the IPsec connection.'),
        'tenant_id': text('Id of the project that owns the IPsec connection.'),
        'vpnservice_id': text('Id of the VPN service of the connection.'),
    }
