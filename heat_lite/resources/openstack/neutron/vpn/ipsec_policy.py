"""OS::Neutron::IPsecPolicy."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.vpn import ciphers
from heat_lite.template.schema import string, text


class IPsecPolicy(ciphers.VpnPolicy):
    """An IPsec policy of VPN connections."""

    resource_type = 'OS::Neutron::IPsecPolicy'
    rest = Rest('neutron', '/vpn/ipsecpolicies', 'ipsecpolicy', extension='vpnaas')

    properties_schema = {
        **ciphers.properties('IPsec'),
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
        **ciphers.attributes('IPsec'),
        'encapsulation_mode': text('Encapsulation mode of the IPsec policy.'),
        'transform_protocol': text('Transform protocol of the IPsec policy.'),
    }
