"""OS::Barbican::RSAContainer."""

from heat_lite.resources.openstack.barbican.base import TypedContainer
from heat_lite.template.schema import name_property, string


class RSAContainer(TypedContainer):
    """A container of a pair of RSA keys."""

    resource_type = 'OS::Barbican::RSAContainer'
    kind = 'rsa'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'private_key_passphrase_ref': string(
            'URL of the secret with the passphrase of the RSA private key.',
            ref='barbican.secret',
            sent=False,
        ),
        'private_key_ref': string(
            'URL of the secret with the RSA private key.', ref='barbican.secret', sent=False
        ),
        'public_key_ref': string(
            'URL of the secret with the RSA public key.', ref='barbican.secret', sent=False
        ),
    }
