"""OS::Barbican::CertificateContainer."""

from heat_lite.resources.openstack.barbican.base import CertainContainer
from heat_lite.template.schema import string


class CertificateContainer(CertainContainer):
    """A certificate and what belongs to it."""

    resource_type = 'OS::Barbican::CertificateContainer'
    kind = 'certificate'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'certificate_ref': string('The certificate.', ref='barbican.secret', sent=False),
        'intermediates_ref': string('The certificates between it and the authority.', ref='barbican.secret', sent=False),
        'private_key_passphrase_ref': string('What the private key is encrypted with.', ref='barbican.secret', sent=False),
        'private_key_ref': string('The private key.', ref='barbican.secret', sent=False),
    }
