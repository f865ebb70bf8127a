"""OS::Barbican::Secret."""

from heat_lite.common import exception
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.barbican.base import BarbicanResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import integer, string, text


class Secret(BarbicanResource):
    """A secret."""

    resource_type = 'OS::Barbican::Secret'
    support_status = support.since('2014.2')
    rest = Rest('barbican', '/secrets', None, id='secret_ref')
    entity = 'secrets'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'algorithm': string('The algorithm that it is for.'),
        'bit_length': integer('Its length in bits.', constraints=[Range(min=0)]),
        'expiration': string('When it ends.', constraints=[CustomConstraint('expiration')]),
        'mode': string('How the algorithm is used that it is for.'),
        'payload': string('The secret itself.'),
        'payload_content_encoding': string('How it is written here.', constraints=[AllowedValues(['base64'])]),
        'payload_content_type': string('What it is.', constraints=[AllowedValues(['text/plain', 'application/octet-stream'])]),
        'secret_type': string(
            'What kind of secret it is.',
            default='opaque',
            constraints=[AllowedValues(['symmetric', 'public', 'private', 'certificate', 'passphrase', 'opaque'])],
            support=support.since('5.0.0'),
        ),
    }
    attributes_schema = {
        'decrypted_payload': text('The secret itself.'),
        'status': text('Its status.'),
    }

    def validate(self):
        super().validate()
        if self.properties['payload_content_type'] and not self.properties['payload']:
            raise exception.StackValidationFailed('payload_content_type cannot be specified without payload.')
        if self.properties['payload'] and not self.properties['payload_content_type']:
            raise exception.StackValidationFailed('payload cannot be specified without payload_content_type.')
        if self.properties['payload_content_encoding'] and not self.properties['payload_content_type']:
            raise exception.StackValidationFailed('payload_content_encoding cannot be specified without payload_content_type.')

    def resolve_attribute(self, name):
        if name == 'decrypted_payload':
            kind = self.held('payload_content_type') or 'application/octet-stream'
            return self.client().request('GET', f'{self.object_path()}/payload', headers={'Accept': kind}).text
        return super().resolve_attribute(name)
