"""OS::Barbican::CertificateContainer."""

from heat_lite.resources.openstack.barbican.base import TypedContainer, secret_property
from heat_lite.template.schema import name_property


class CertificateContainer(TypedContainer):
    """A container of a certificate and its keys."""

    resource_type = 'OS::Barbican::CertificateContainer'
    kind = 'certificate'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'certificate_ref': secret_property('URL of the secret with the certificate.'),
        'intermediates_ref': secret_property(
            'URL of the secret with the intermediate certificates.'
        ),
        'private_key_passphrase_ref': secret_property(
            'URL of the secret with the passphrase of the private key of the certificate.'
        ),
        'private_key_ref': secret_property(
            'URL of the secret with the private key of the certificate.'
        ),
    }
