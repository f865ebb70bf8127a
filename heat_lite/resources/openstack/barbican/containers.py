"""The containers of Barbican, by the secrets that they hold."""

from heat_lite.resources.openstack.barbican.base import (
    Container,
    TypedContainer,
    secret_property,
    unique,
)
from heat_lite.template.schema import list_, map_, name_property, string


class GenericContainer(Container):
    """A container of any secrets."""

    resource_type = 'OS::Barbican::GenericContainer'
    kind = 'generic'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'secrets': list_(
            'Secrets of the container.',
            map_(
                None,
                {
                    'name': string('Name of the secret in the container.', required=True),
                    'ref': string('URL of the secret.', required=True, ref='barbican.secret'),
                },
            ),
            sent=False,
        ),
    }
    property_rules = (unique(lambda read: [each['ref'] for each in read('secrets') or ()]),)

    def secrets(self):
        return {each['name']: each['ref'] for each in self.properties['secrets'] or ()}


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
