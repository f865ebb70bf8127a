"""OS::Cinder::VolumeType and OS::Cinder::EncryptedVolumeType."""

from heat_lite.clients import errors
from heat_lite.resources.base import object_types
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import filled, refuse
from heat_lite.template.schema import description_property, integer, list_, map_, string, switch


class CinderVolumeType(CloudResource):
    """A volume type."""

    resource_type = 'OS::Cinder::VolumeType'
    since = '2015.1'
    rest = Rest('cinder', '/types', 'volume_type', extension='os-types-manage')
    entity = 'volume_types'
    observed_keys = {'metadata': 'extra_specs'}

    properties_schema = {
        'name': string('Name of the volume type.', required=True, update_allowed=True),
        'description': description_property(since='5.0.0'),
        'is_public': switch(
            'Whether all projects can use the volume type.',
            since='5.0.0',
            wire='os-volume-type-access:is_public',
        ),
        'metadata': map_('Extra specs of the volume type.', update_allowed=True, sent=False),
        'projects': list_(
            'Projects that can use a private volume type, by name or id.',
            string(ref='keystone.project'),
            default=[],
            update_allowed=True,
            since='5.0.0',
            sent=False,
        ),
    }
    property_rules = (
        refuse(
            'Can not specify property "projects" if the volume type is public.',
            projects=filled,
            is_public=filled,
        ),
    )

    def changes(self, changed, diff):
        """Use the key of update requests for visibility, and '' for no description."""
        if changed.get('description', '') is None:
            changed['description'] = ''
        public = changed.pop('os-volume-type-access:is_public', None)
        return changed if public is None else {**changed, 'is_public': public}

    def follow_up(self, action, diff):
        yield from object_types.update_specs(self, action, diff, 'metadata')
        yield from object_types.update_access(self, action, diff, 'projects', 'project')


class CinderEncryptedVolumeType(CloudResource):
    """The encryption of a volume type."""

    resource_type = 'OS::Cinder::EncryptedVolumeType'
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
