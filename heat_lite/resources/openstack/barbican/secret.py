"""OS::Barbican::Secret."""

from heat_lite.common import exception
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.barbican.base import BarbicanResource
from heat_lite.template.schema import integer, name_property, string, text


class Secret(BarbicanResource):
    """A secret."""

    resource_type = 'OS::Barbican::Secret'
    since = '2014.2'
    rest = Rest('barbican', '/secrets', None, id='secret_ref')
    entity = 'secrets'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'algorithm': string('Algorithm for which the secret is used.'),
        'bit_length': integer('Length of the secret in bits.', min=0),
        'expiration': string(
            'Time at which the secret expires, in ISO 8601 format.', custom='expiration'
        ),
        'mode': string('Mode of the algorithm for which the secret is used.'),
        'payload': string('Value of the secret.'),
        'payload_content_encoding': string('Encoding of the payload.', allowed=['base64']),
        'payload_content_type': string(
            'Content type of the payload.', allowed=['text/plain', 'application/octet-stream']
        ),
        'secret_type': string(
            'Type of the secret.',
            default='opaque',
            allowed=['symmetric', 'public', 'private', 'certificate', 'passphrase', 'opaque'],
            since='5.0.0',
        ),
    }
    attributes_schema = {
        'decrypted_payload': text('Decrypted value of the secret.'),
        'status': text('Status of the secret.'),
    }

    def validate(self):
        super().validate()
        if self.properties['payload_content_type'] and not self.properties['payload']:
            raise exception.StackValidationFailed(
                'payload_content_type cannot be specified without payload.'
            )
        if self.properties['payload'] and not self.properties['payload_content_type']:
            raise exception.StackValidationFailed(
                'payload cannot be specified without payload_content_type.'
            )
        if (
            self.properties['payload_content_encoding']
            and not self.properties['payload_content_type']
        ):
            raise exception.StackValidationFailed(
                'payload_content_encoding cannot be specified without payload_content_type.'
            )

    def resolve_attribute(self, name):
        if name == 'decrypted_payload':
            kind = self.stored_property('payload_content_type') or 'application/octet-stream'
            return (
                self.client()
                .request('GET', f'{self.object_path()}/payload', headers={'Accept': kind})
                .text
            )
        return super().resolve_attribute(name)
