"""OS::Barbican::Secret."""

import base64

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import empty, filled, needs, only_with, refuse
from heat_lite.resources.openstack.barbican.base import BarbicanResource
from heat_lite.template.schema import integer, name_property, string, text

BYTES = 'application/octet-stream'


def _is_no_base64(value, read):
    try:
        base64.b64decode(value)
    except ValueError:
        return True
    return False


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
            'Content type of the payload.', allowed=['text/plain', BYTES]
        ),
        'secret_type': string(
            'Type of the secret.',
            default='opaque',
            allowed=['symmetric', 'public', 'private', 'certificate', 'passphrase', 'opaque'],
            since='5.0.0',
        ),
    }
    property_rules = (
        needs('payload_content_type', 'payload', filled, empty),
        refuse(
            f"Property unspecified. For '{BYTES}' value of 'payload_content_type' property, "
            "'payload_content_encoding' property must be specified.",
            payload_content_type=(BYTES,),
            payload_content_encoding=empty,
        ),
        refuse(
            "Invalid payload for specified '{payload_content_encoding}' value of "
            "'payload_content_encoding' property.",
            payload_content_type=(BYTES,),
            payload_content_encoding=filled,
            payload=_is_no_base64,
        ),
        only_with('payload_content_encoding', 'payload_content_type', BYTES, test=filled),
    )
    attributes_schema = {
        'decrypted_payload': text('Decrypted value of the secret.'),
        'status': text('Status of the secret.'),
    }

    def resolve_attribute(self, name):
        if name == 'decrypted_payload':
            kind = self.stored_property('payload_content_type') or BYTES
            return (
                self.client()
                .request('GET', f'{self.object_path()}/payload', headers={'Accept': kind})
                .text
            )
        return super().resolve_attribute(name)
