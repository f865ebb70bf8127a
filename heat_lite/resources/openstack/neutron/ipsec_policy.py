"""OS::Neutron::IPsecPolicy."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron import ciphers
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import integer, map_, map_attribute, string, text


class IPsecPolicy(NeutronResource):
    """How the packets of a VPN connection are protected."""

    resource_type = 'OS::Neutron::IPsecPolicy'
    rest = Rest('neutron', '/vpn/ipsecpolicies', 'ipsecpolicy', extension='vpnaas')

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'auth_algorithm': string(
            'How packets are proven to be genuine.', default='sha1', constraints=[AllowedValues(ciphers.AUTHENTICATION)]
        ),
        'description': string('A text that says what it is for.', update_allowed=True),
        'encapsulation_mode': string(
            'Whether whole packets are wrapped (tunnel), or what is in them (transport).',
            default='tunnel',
            constraints=[AllowedValues(['tunnel', 'transport'])],
        ),
        'encryption_algorithm': string('How packets are encrypted.', default='aes-128', constraints=[AllowedValues(ciphers.ENCRYPTION)]),
        'lifetime': map_(
            'How long keys are used.',
            {
                'units': string('What the lifetime counts.', default='seconds', constraints=[AllowedValues(['seconds', 'kilobytes'])]),
                'value': integer('The lifetime.', default=3600),
            },
        ),
        'pfs': string(
            'The group for keys that stay secret even when others are found out.',
            default='group5',
            constraints=[AllowedValues(ciphers.GROUPS)],
        ),
        'transform_protocol': string(
            'The protocol that protects packets.', default='esp', constraints=[AllowedValues(['esp', 'ah', 'ah-esp'])]
        ),
    }
    attributes_schema = {
        'auth_algorithm': text('How packets are proven to be genuine.'),
        'description': text('Its description.'),
        'encapsulation_mode': text('Whether whole packets are wrapped (tunnel), or what is in them (transport).'),
        'encryption_algorithm': text('How packets are encrypted.'),
        'lifetime': map_attribute('How long keys are used.'),
        'name': text('Its name.'),
        'pfs': text('The group for keys that stay secret even when others are found out.'),
        'tenant_id': text('The project that owns it.'),
        'transform_protocol': text('The protocol that protects packets.'),
    }
