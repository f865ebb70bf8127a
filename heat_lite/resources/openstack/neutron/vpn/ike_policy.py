"""OS::Neutron::IKEPolicy."""

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


class IKEPolicy(ciphers.VpnPolicy):
    """An IKE policy of VPN connections."""

    resource_type = 'OS::Neutron::IKEPolicy'
    rest = Rest('neutron', '/vpn/ikepolicies', 'ikepolicy', extension='vpnaas')

    properties_schema = {
        'name': name_property(),
        'auth_algorithm': string(
            'Authentication algorithm of IKE.',
            default='sha1',
            update_allowed=True,
            allowed=ciphers.AUTHENTICATION,
        ),
        'description': description_property(),
        'encryption_algorithm': string(
            'Encryption algorithm of IKE.',
            default='aes-128',
            update_allowed=True,
            allowed=ciphers.ENCRYPTION,
        ),
        'ike_version': string(
            'IKE version.', default='v1', update_allowed=True, allowed=['v1', 'v2']
        ),
        'lifetime': map_(
            'Lifetime of the IKE security association.',
            {
                'units': string(
                    'Unit of the lifetime of the IKE security association.',
                    default='seconds',
                    allowed=['seconds', 'kilobytes'],
                ),
                'value': integer(
                    'Value of the lifetime of the IKE security association.', default=3600
                ),
            },
            update_allowed=True,
        ),
        'pfs': string(
            'Perfect forward secrecy group of IKE.',
            default='group5',
            update_allowed=True,
            allowed=ciphers.GROUPS,
        ),
        'phase1_negotiation_mode': string(
            'Negotiation mode of IKE phase 1.', default='main', allowed=['main']
        ),
    }
    attributes_schema = {
        'auth_algorithm': text('Authentication algorithm of the IKE policy.'),
        'description': text('Description of the IKE policy.'),
        'encryption_algorithm': text('Encryption algorithm of the IKE policy.'),
        'ike_version': text('IKE version of the policy.'),
        'lifetime': map_attribute('Lifetime that Neutron shows for the IKE policy.'),
        'name': text('Name of the IKE policy.'),
        'pfs': text('Perfect forward secrecy group of the IKE policy.'),
        'phase1_negotiation_mode': text('Negotiation mode of the IKE policy.'),
        'tenant_id': text('Id of the project that owns the IKE policy.'),
    }
