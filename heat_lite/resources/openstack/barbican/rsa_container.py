"""OS::Barbican::RSAContainer."""

from heat_lite.resources.openstack.barbican.base import TypedContainer, secret_property
from heat_lite.template.schema import name_property


class RSAContainer(TypedContainer):
    """A container of a pair of RSA keys."""

    resource_type = 'OS::Barbican::RSAContainer'
    kind = 'rsa'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'private_key_passphrase_ref': secret_property(
            'URL of the secret with the passphrase of the RSA private key.'
        ),
        'private_key_ref': secret_property('URL of the secret with the RSA private key.'),
        'public_key_ref': secret_property('URL of the secret with the RSA public key.'),
    }
