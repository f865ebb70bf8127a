"""OS::Barbican::CertificateContainer."""

from heat_lite.resources.openstack.barbican.base import TypedContainer
from heat_lite.template.schema import name_property, string


class CertificateContainer(TypedContainer):
    """A container of a certificate and its keys."""

    resource_type = 'OS::Barbican::CertificateContainer'
    kind = 'certificate'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'certificate_ref': string(
            'URL of the secret with the certificate.', ref='barbican.secret', sent=False
        ),
        'intermediates_ref': string(
            'URL of the secret with the intermediate certificates.',
            ref='barbican.secret',
            sent=False,
        ),
        'private_key_passphrase_ref': string(
            'URL of the secret with the passphrase of the private key of the certificate.',
            ref='barbican.secret',
            sent=False,
        ),
        'private_key_ref': string(
            'URL of the secret with the private key of the certificate.',
            ref='barbican.secret',
            sent=False,
        ),
    }
