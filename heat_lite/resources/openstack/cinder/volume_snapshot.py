"""OS::Cinder::Snapshot and OS::Cinder::Backup: the copies of a volume."""

from heat_lite.resources.base import object_types
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import (
    OURS,
    boolean,
    description_property,
    integer_attribute,
    map_,
    name_property,
    reference,
    string,
)


def copy_rest(kind):
    """Return where the copies of volumes of a kind are, and the states that they have."""
    return Rest(
        'cinder',
        f'/{kind}s',
        kind,
        ready=('available',),
        failed=('error', 'error_deleting'),
        deletes_async=True,
        delete_failed=('error', 'error_deleting'),
        list_path=f'/{kind}s/detail',
        mark='description',
    )


def _source(noun):
    return {
        'name': name_property(),
        'volume': reference(
            'cinder.volume', f'Volume of the {noun}, by name or id.', required=True
        ),
        'description': description_property(),
    }


class Snapshot(CloudResource):
    """A snapshot of a volume, from which volumes are created. A server may use the volume."""

    resource_type = 'OS::Cinder::Snapshot'
    since = OURS
    rest = copy_rest('snapshot')

    properties_schema = {
        **_source('snapshot'),
        'metadata': map_('Metadata of the snapshot.', update_allowed=True),
    }
    attributes_schema = {
        'created_at': 'Time at which the snapshot was created.',
        'size': integer_attribute('Size of the volume in GiB.'),
        'status': 'Status of the snapshot.',
        'volume_id': 'Id of the volume.',
    }

    def body(self, values):
        """Return the values, and the word that older APIs want for a volume in use."""
        return values if self.client().supports('3.66') else {**values, 'force': True}

    def changes(self, changed, diff):
        return {name: value for name, value in changed.items() if name != 'metadata'}

    follow_up = object_types.update_metadata


class Backup(CloudResource):
    """A backup of a volume outside of its back end; a volume is restored from it."""

    resource_type = 'OS::Cinder::Backup'
    since = OURS
    rest = copy_rest('backup')

    properties_schema = {
        **_source('backup'),
        'availability_zone': string('Availability zone of the backup.'),
        'container': string('Container of the backup in the object store.'),
        'force': boolean('Whether a server may use the volume.', default=False),
        'incremental': boolean(
            'Whether only what has changed since the last backup is stored.', default=False
        ),
        'metadata': map_('Metadata of the backup.', update_allowed=True),
        'snapshot': reference(
            'cinder.snapshot', 'Snapshot that is read instead of the volume, by name or id.'
        ),
    }
    attributes_schema = {
        'container': 'Container of the backup in the object store.',
        'created_at': 'Time at which the backup was created.',
        'object_count': integer_attribute('Number of objects of the backup.'),
        'size': integer_attribute('Size of the volume in GiB.'),
        'status': 'Status of the backup.',
        'volume_id': 'Id of the volume.',
    }
