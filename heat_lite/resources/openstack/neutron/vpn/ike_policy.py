"""OS::Neutron::IKEPolicy."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.vpn import ciphers
from heat_lite.template.schema import string, text


class IKEPolicy(ciphers.VpnPolicy):
    """An IKE policy of VPN connections."""

    resource_type = 'OS::Neutron::IKEPolicy'
    rest = Rest('neutron', '/vpn/ikepolicies', 'ikepolicy', extension='vpnaas')

    properties_schema = {
        **ciphers.properties('IKE', update_allowed=True),
        'ike_version': string(
            'IKE version.', default='v1', update_allowed=True, allowed=['v1', 'v2']
        ),
        'phase1_negotiation_mode': string(
            'Negotiation mode of IKE phase 1.', default='main', allowed=['main']
        ),
    }
    attributes_schema = {
        **ciphers.attributes('IKE'),
        'ike_version': text('IKE version of the policy.'),
        'phase1_negotiation_mode': text('Negotiation mode of the IKE policy.'),
    }
