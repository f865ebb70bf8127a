"""The types of virtual private networks."""

from heat_lite.resources.base.live_state import with_name
from heat_lite.resources.base.property_rules import conflict, filled, needs, one_of
from heat_lite.resources.openstack.neutron.base import (
    NeutronResource,
    needs_extension,
    neutron_rest,
    project_property,
)
from heat_lite.template.schema import (
    OURS,
    alias,
    description_property,
    integer,
    list_,
    list_attribute,
    map_,
    map_attribute,
    name_property,
    reference,
    string,
    switch,
)


class VPNService(NeutronResource):
    """A VPN service: the end of VPN connections on a router."""

    resource_type = 'OS::Neutron::VPNService'
    rest = neutron_rest('/vpn/vpnservices', 'vpnservice', 'vpnaas')

    properties_schema = {
        'name': name_property(),
        'router': reference(
            'neutron.router',
            'Router of the VPN service, by name or id.',
            required=True,
            since='2015.1',
        ),
        'subnet': reference(
            'neutron.subnet',
            'Subnet that the VPN service connects, by name or id. Connections with endpoint groups '
            'need a service without one. Heat requires it.',
            since='2014.2',
        ),
        'admin_state_up': switch('Administrative state of the VPN service.'),
        'description': description_property(),
        'project': project_property('VPN service', since=OURS),
        'router_id': alias(
            'router', 'neutron.router', 'hidden 6.0.0, deprecated 2015.1, supported 2013.2'
        ),
        'subnet_id': alias('subnet', 'neutron.subnet'),
    }
    attributes_schema = {
        'admin_state_up': 'Administrative state that Neutron shows for the VPN service.',
        'description': 'Description of the VPN service.',
        'name': 'Name of the VPN service.',
        'router_id': 'Id of the router of the VPN service.',
        'status': 'Status of the VPN service.',
        'subnet_id': 'Id of the subnet of the VPN service.',
        'tenant_id': 'Id of the project that owns the VPN service.',
    }


ALGORITHM = 'auth_algorithm'
#: the extension of a Neutron that has no longer the default of ALGORITHM
WITHOUT_SHA1 = 'vpn-no-sha1-3des'

AUTHENTICATION = ['sha1', 'sha256', 'sha384', 'sha512', 'aes-xcbc', 'aes-cmac']
#: the modes of AES with each key size
MODES = ('', '-ccm-8', '-ccm-12', '-ccm-16', '-gcm-8', '-gcm-12', '-gcm-16', '-ctr')
ENCRYPTION = ['3des', *(f'aes-{bits}{mode}' for mode in MODES for bits in (128, 192, 256))]
GROUPS = ['group2', 'group5', *(f'group{number}' for number in range(14, 32))]


def policy_properties(protocol, **options):
    """Return the properties that IKE and IPsec policies have."""
    association = f'the {protocol} security association.'
    return {
        'name': name_property(),
        ALGORITHM: string(
            f'Authentication algorithm of {protocol}.',
            default='sha1',
            allowed=AUTHENTICATION,
            **options,
        ),
        'description': description_property(),
        'encryption_algorithm': string(
            f'Encryption algorithm of {protocol}.',
            default='aes-128',
            allowed=ENCRYPTION,
            **options,
        ),
        'lifetime': map_(
            f'Lifetime of {association}',
            {
                'units': string(
                    f'Unit of the lifetime of {association}',
                    default='seconds',
                    allowed=['seconds', 'kilobytes'],
                ),
                'value': integer(f'Value of the lifetime of {association}', default=3600),
            },
            **options,
        ),
        'pfs': string(
            f'Perfect forward secrecy group of {protocol}.',
            default='group5',
            allowed=GROUPS,
            **options,
        ),
        'project': project_property(f'{protocol} policy', since=OURS),
    }


def policy_attributes(protocol):
    """Return the attributes of IKE and IPsec policies."""
    return {
        ALGORITHM: f'Authentication algorithm of the {protocol} policy.',
        'description': f'Description of the {protocol} policy.',
        'encryption_algorithm': f'Encryption algorithm of the {protocol} policy.',
        'lifetime': map_attribute(f'Lifetime that Neutron shows for the {protocol} policy.'),
        'name': f'Name of the {protocol} policy.',
        'pfs': f'Perfect forward secrecy group of the {protocol} policy.',
        'tenant_id': f'Id of the project that owns the {protocol} policy.',
    }


class VpnPolicy(NeutronResource):
    """A policy of VPN connections, whose authentication algorithm is one that Neutron has."""

    def body(self, values):
        return {**super().body(values), **self._default_algorithm()}

    def changes(self, changed, diff):
        algorithm = self._default_algorithm() if ALGORITHM in diff else {}
        return {**super().changes(changed, diff), **algorithm}

    def _default_algorithm(self):
        if self.properties.is_given(ALGORITHM) or self.missing_extension(WITHOUT_SHA1):
            return {}
        return {ALGORITHM: 'sha256'}

    def normalize(self, found):
        """Return the policy without an algorithm that Neutron or a default has chosen."""
        found = super().normalize(found)
        stored = self.stored_properties()
        given = stored and stored.is_given(ALGORITHM)
        return found if given else {**found, ALGORITHM: self.stored_property(ALGORITHM)}

    def described(self, found):
        return {**super().described(found), ALGORITHM: found[ALGORITHM]}


class IKEPolicy(VpnPolicy):
    """An IKE policy of VPN connections."""

    resource_type = 'OS::Neutron::IKEPolicy'
    rest = neutron_rest('/vpn/ikepolicies', 'ikepolicy', 'vpnaas')

    properties_schema = {
        **policy_properties('IKE', update_allowed=True),
        'ike_version': string(
            'IKE version.', default='v1', update_allowed=True, allowed=['v1', 'v2']
        ),
        'phase1_negotiation_mode': string(
            'Negotiation mode of IKE phase 1.',
            default='main',
            allowed=['main'],
            ours=['aggressive'],
        ),
    }
    attributes_schema = {
        **policy_attributes('IKE'),
        'ike_version': 'IKE version of the policy.',
        'phase1_negotiation_mode': 'Negotiation mode of the IKE policy.',
    }


class IPsecPolicy(VpnPolicy):
    """An IPsec policy of VPN connections."""

    resource_type = 'OS::Neutron::IPsecPolicy'
    rest = neutron_rest('/vpn/ipsecpolicies', 'ipsecpolicy', 'vpnaas')

    properties_schema = {
        **policy_properties('IPsec'),
        'encapsulation_mode': string(
            'Encapsulation mode: tunnel or transport.',
            default='tunnel',
            allowed=['tunnel', 'transport'],
        ),
        'transform_protocol': string(
            'Transform protocol: ESP, AH or both.', default='esp', allowed=['esp', 'ah', 'ah-esp']
        ),
    }
    attributes_schema = {
        **policy_attributes('IPsec'),
        'encapsulation_mode': 'Encapsulation mode of the IPsec policy.',
        'transform_protocol': 'Transform protocol of the IPsec policy.',
    }


ENDPOINT_GROUPS = 'vpn-endpoint-groups'
LOCAL, PEER = 'local_ep_group', 'peer_ep_group'
#: types of endpoints that are objects of Neutron
OBJECTS = ('network', 'router', 'subnet')


def _endpoint_group(content):
    return string(
        f'Endpoint group of the {content}, by name or id.',
        update_allowed=True,
        ref='neutron.endpoint_group',
        since=OURS,
        wire=f'{"local" if "local" in content else "peer"}_ep_group_id',
    )


class EndpointGroup(NeutronResource):
    """A VPN endpoint group: the subnets, or CIDRs, of one side of VPN connections."""

    resource_type = 'OS::Neutron::VPNEndpointGroup'
    since = OURS
    rest = neutron_rest('/vpn/endpoint-groups', 'endpoint_group', ENDPOINT_GROUPS)

    properties_schema = {
        'name': name_property(),
        'endpoints': list_(
            'Endpoints, all of the type: CIDRs, VLAN ids, or objects by name or id.',
            string(),
            required=True,
            min=1,
        ),
        'type': string(
            'Type of the endpoints. The local side of a connection has subnets, its peer CIDRs.',
            required=True,
            allowed=['subnet', 'cidr', 'network', 'router', 'vlan'],
        ),
        'description': description_property(),
        'project': project_property('endpoint group'),
    }

    def body(self, values):
        values = super().body(values)
        return {**values, 'endpoints': self._endpoint_ids(values['endpoints'])}

    def _endpoint_ids(self, names):
        kind, find = self.properties['type'], self.stack.clients().find
        return [find(f'neutron.{kind}', each) for each in names] if kind in OBJECTS else names

    def normalize(self, found):
        """Return the group with its endpoints as the template names them."""
        named = self.stored_properties().get('endpoints')
        return with_name(super().normalize(found), 'endpoints', named, self._endpoint_ids)


class IPsecSiteConnection(NeutronResource):
    """An IPsec connection between two sites."""

    resource_type = 'OS::Neutron::IPsecSiteConnection'
    rest = neutron_rest(
        '/vpn/ipsec-site-connections', 'ipsec_site_connection', 'vpnaas', ready=('ACTIVE', 'DOWN')
    )

    properties_schema = {
        'name': name_property(),
        'ikepolicy_id': string(
            'IKE policy of the connection, by name or id.',
            required=True,
            resolves='neutron.ikepolicy',
        ),
        'ipsecpolicy_id': string(
            'IPsec policy of the connection, by name or id.',
            required=True,
            resolves='neutron.ipsecpolicy',
        ),
        'peer_address': string(
            'Public address or host name of the peer gateway.', required=True, update_allowed=True
        ),
        'peer_cidrs': list_(
            "CIDRs of the peer's networks. Heat requires them; endpoint groups replace them.",
            string(custom='net_cidr'),
            update_allowed=True,
        ),
        'peer_id': string(
            'Identity of the peer for authentication.', required=True, update_allowed=True
        ),
        'psk': string('Pre-shared key.', required=True, update_allowed=True),
        'vpnservice_id': string(
            'VPN service of the connection, by name or id.',
            required=True,
            resolves='neutron.vpnservice',
        ),
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
            update_allowed=True,
        ),
        'initiator': string(
            'Whether this side initiates the connection or only responds.',
            default='bi-directional',
            update_allowed=True,
            allowed=['bi-directional', 'response-only'],
        ),
        LOCAL: _endpoint_group('local subnets'),
        'local_id': string(
            'Identity of this side for authentication. If omitted, its address.',
            update_allowed=True,
            since=OURS,
        ),
        'mtu': integer(
            'Maximum transmission unit of the connection.', default=1500, update_allowed=True
        ),
        PEER: _endpoint_group("CIDRs of the peer's networks"),
        'project': project_property('IPsec connection', since=OURS),
    }
    property_rules = (
        conflict('peer_cidrs', PEER, test=filled),
        one_of('peer_cidrs', PEER),
        needs(LOCAL, PEER),
        needs(PEER, LOCAL),
        *needs_extension(ENDPOINT_GROUPS, LOCAL, PEER),
    )
    attributes_schema = {
        'admin_state_up': 'Administrative state that Neutron shows for the IPsec connection.',
        'auth_mode': 'Authentication mode of the connection.',
        'description': 'Description of the IPsec connection.',
        'dpd': map_attribute('Dead peer detection that Neutron shows.'),
        'ikepolicy_id': 'Id of the IKE policy of the connection.',
        'initiator': 'Role of this side in the connection.',
        'ipsecpolicy_id': 'Id of the IPsec policy of the connection.',
        'mtu': 'Maximum transmission unit that Neutron shows.',
        'name': 'Name of the IPsec connection.',
        'peer_address': 'Address of the peer that Neutron shows.',
        'peer_cidrs': list_attribute('CIDRs of the peer that Neutron shows.'),
        'peer_id': 'Identity of the peer that Neutron shows.',
        'psk': 'Pre-shared key of the connection.',
        'route_mode': 'Route mode of the connection.',
        'status': 'Status of the IPsec connection.',
        'tenant_id': 'Id of the project that owns the IPsec connection.',
        'vpnservice_id': 'Id of the VPN service of the connection.',
    }
