"""OS::Barbican::RSAContainer."""

from heat_lite.resources.openstack.barbican.base import CertainContainer
from heat_lite.template.schema import string


class RSAContainer(CertainContainer):
    """A pair of RSA keys."""

    resource_type = 'OS::Barbican::RSAContainer'
    kind = 'rsa'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'private_key_passphrase_ref': string('What the private key is encrypted with.', ref='barbican.secret', sent=False),
        'private_key_ref': string('The private key.', ref='barbican.secret', sent=False),
        'public_key_ref': string('The public key.', ref='barbican.secret', sent=False),
    }
