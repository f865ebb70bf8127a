"""OS::Neutron::IKEPolicy."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron import ciphers
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import integer, map_, map_attribute, string, text


class IKEPolicy(NeutronResource):
    """How the two ends of a VPN connection come to trust each other."""

    resource_type = 'OS::Neutron::IKEPolicy'
    rest = Rest('neutron', '/vpn/ikepolicies', 'ikepolicy', extension='vpnaas')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'auth_algorithm': string(
            'How packets are proven to be genuine.',
            default='sha1',
            update_allowed=True,
            constraints=[AllowedValues(ciphers.AUTHENTICATION)],
        ),
        'description': string('A text that says what it is for.', update_allowed=True),
        'encryption_algorithm': string(
            'How packets are encrypted.', default='aes-128', update_allowed=True, constraints=[AllowedValues(ciphers.ENCRYPTION)]
        ),
        'ike_version': string('The version of IKE.', default='v1', update_allowed=True, constraints=[AllowedValues(['v1', 'v2'])]),
        'lifetime': map_(
            'How long keys are used.',
            {
                'units': string('What the lifetime counts.', default='seconds', constraints=[AllowedValues(['seconds', 'kilobytes'])]),
                'value': integer('The lifetime.', default=3600),
            },
            update_allowed=True,
        ),
        'pfs': string(
            'The group for keys that stay secret even when others are found out.',
            default='group5',
            update_allowed=True,
            constraints=[AllowedValues(ciphers.GROUPS)],
        ),
        'phase1_negotiation_mode': string('How the first phase is negotiated.', default='main', constraints=[AllowedValues(['main'])]),
    }
    attributes_schema = {
        'auth_algorithm': text('How packets are proven to be genuine.'),
        'description': text('Its description.'),
        'encryption_algorithm': text('How packets are encrypted.'),
        'ike_version': text('The version of IKE.'),
        'lifetime': map_attribute('How long keys are used.'),
        'name': text('Its name.'),
        'pfs': text('The group for keys that stay secret even when others are found out.'),
        'phase1_negotiation_mode': text('How the first phase is negotiated.'),
        'tenant_id': text('The project that owns it.'),
    }
