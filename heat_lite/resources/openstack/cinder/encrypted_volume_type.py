"""OS::Cinder::EncryptedVolumeType."""

from heat_lite.clients import errors
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import integer, string


class EncryptedVolumeType(CloudResource):
    """How volumes of a type are encrypted."""

    resource_type = 'OS::Cinder::EncryptedVolumeType'
    support_status = support.since('5.0.0')
    rest = Rest('cinder', '/types/{volume_type}/encryption', 'encryption', extension='encryption', id='volume_type_id')
    entity = 'volume_encryption_types'

    properties_schema = {
        'provider': string('What encrypts.', required=True, update_allowed=True),
        'volume_type': string('The type, by name or id.', required=True, ref='cinder.vtype', sent=False),
        'cipher': string('How it is done.', update_allowed=True, constraints=[AllowedValues(['aes-xts-plain64', 'aes-cbc-essiv'])]),
        'control_location': string(
            'Where it is done.', default='front-end', update_allowed=True, constraints=[AllowedValues(['front-end', 'back-end'])]
        ),
        'key_size': integer('The size of the keys.', update_allowed=True),
    }

    def object_path(self):
        """A type has one encryption: nothing tells it from others."""
        return f'{self.collection()}/provider'

    def look(self):
        found = self.client().show(self.collection())
        if not found.get('encryption_id'):
            raise errors.NotFound(f'Volumes of type {self.resource_id} are not encrypted.')
        return found
