"""OS::Cinder::EncryptedVolumeType."""

from heat_lite.clients import errors
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import integer, string


class EncryptedVolumeType(CloudResource):
    """The encryption of a volume type."""

    resource_type = 'OS::Cinder::EncryptedVolumeType'
    heat_class = 'CinderEncryptedVolumeType'
    since = '5.0.0'
    rest = Rest(
        'cinder',
        '/types/{volume_type}/encryption',
        'encryption',
        extension='encryption',
        id='volume_type_id',
    )
    entity = 'volume_encryption_types'

    properties_schema = {
        'provider': string('Class of the encryption provider.', required=True, update_allowed=True),
        'volume_type': string(
            'Volume type, by name or id.', required=True, ref='cinder.vtype', sent=False
        ),
        'cipher': string(
            'Encryption algorithm and mode, for example "aes-xts-plain64".',
            update_allowed=True,
            allowed=['aes-xts-plain64', 'aes-cbc-essiv'],
        ),
        'control_location': string(
            'Where volumes are encrypted: front-end (Nova) or back-end (Cinder).',
            default='front-end',
            update_allowed=True,
            allowed=['front-end', 'back-end'],
        ),
        'key_size': integer('Size of the encryption key in bits.', update_allowed=True),
    }

    def object_path(self):
        """Return the path of the encryption: a volume type has at most one."""
        return f'{self.collection()}/provider'

    def fetch(self):
        found = self.client().show(self.collection())
        if not found.get('encryption_id'):
            raise errors.NotFound(f'Volumes of type {self.resource_id} are not encrypted.')
        return found
