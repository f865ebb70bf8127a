"""OS::Neutron::IPsecPolicy."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.vpn import ciphers
from heat_lite.template.schema import (
    description_property,
    integer,
    map_,
    map_attribute,
    name_property,
    string,
    text,
)


class IPsecPolicy(ciphers.VpnPolicy):
    """An IPsec policy of VPN connections."""

    resource_type = 'OS::Neutron::IPsecPolicy'
    rest = Rest('neutron', '/vpn/ipsecpolicies', 'ipsecpolicy', extension='vpnaas')

    properties_schema = {
        'name': name_property(),
        'auth_algorithm': string(
            'Authentication algorithm of IPsec.', default='sha1', allowed=ciphers.AUTHENTICATION
        ),
        'description': description_property(),
        'encapsulation_mode': string(
            'Encapsulation mode: tunnel or transport.',
            default='tunnel',
            allowed=['tunnel', 'transport'],
        ),
        'encryption_algorithm': string(
            'Encryption algorithm of IPsec.', default='aes-128', allowed=ciphers.ENCRYPTION
        ),
        'lifetime': map_(
            'Lifetime of the IPsec security association.',
            {
                'units': string(
                    'Unit of the lifetime of the IPsec security association.',
                    default='seconds',
                    allowed=['seconds', 'kilobytes'],
                ),
                'value': integer(
                    'Value of the lifetime of the IPsec security association.', default=3600
                ),
            },
        ),
        'pfs': string(
            'Perfect forward secrecy group of IPsec.', default='group5', allowed=ciphers.GROUPS
        ),
        'transform_protocol': string(
            'Transform protocol: ESP, AH or both.', default='esp', allowed=['esp', 'ah', 'ah-esp']
        ),
    }
    attributes_schema = {
        'auth_algorithm': text('Authentication algorithm of the IPsec policy.'),
        'description': text('Description of the IPsec policy.'),
        'encapsulation_mode': text('Encapsulation mode of the IPsec policy.'),
        'encryption_algorithm': text('Encryption algorithm of the IPsec policy.'),
        'lifetime': map_attribute('Lifetime that Neutron shows for the IPsec policy.'),
        'name': text('Name of the IPsec policy.'),
        'pfs': text('Perfect forward secrecy group of the IPsec policy.'),
        'tenant_id': text('Id of the project that owns the IPsec policy.'),
        'transform_protocol': text('Transform protocol of the IPsec policy.'),
    }
