"""OS::Cinder::Volume, and the backups of volumes."""

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import filled
from heat_lite.resources.base.service_retry import retry_delays
from heat_lite.resources.openstack.cinder.volume_attachment import attach, detach
from heat_lite.template.schema import (
    CACHE_NONE,
    boolean,
    boolean_attribute,
    description_property,
    integer,
    list_attribute,
    live_text,
    map_,
    map_attribute,
    name_property,
    reference,
    string,
    text,
)

#: key in the data of the resource, and property: the backup of the last snapshot
BACKUP_ID = 'backup_id'
#: the sources of a volume that the backup replaces in a restored definition
ORIGINS = ('image', 'imageRef', 'source_volid')


class VolumeBackups:
    """The backups of ``volume``, an OS::Cinder::Volume or an AWS::EC2::Volume."""

    def __init__(self, volume):
        self._volume = volume

    def enabled(self):
        """Return whether the cloud has backups."""
        return self._volume.stack.limits.backups_enabled

    def create(self, on_created=None):
        """A generator: create a backup, wait until it is available and return its id.

        ``on_created`` is called with the id before the wait. Raises Error if the operator has
        disabled backups.
        """
        volume = self._volume
        if not self.enabled():
            raise exception.Error(
                'The volume cannot be saved: the cloud has no backups of volumes '
                '([volumes] backups_enabled)'
            )
        values = {'volume_id': volume.resource_id, 'force': True}
        created = yield from volume.call_with_retry(
            volume.client().create, '/backups', 'backup', values
        )
        if on_created is not None:
            on_created(created['id'])
        yield from self.wait_until_available(created['id'])
        return created['id']

    def wait_until_available(self, backup):
        """A generator: wait for a backup. Raises NotFound, or ResourceInError if it has failed."""
        volume = self._volume
        for pause in retry_delays():
            shown = yield from volume.call_with_retry(
                volume.client().show, f'/backups/{backup}', 'backup'
            )
            if shown['status'] == 'available':
                return
            if shown['status'] == 'error':
                raise exception.ResourceInError(
                    resource_status='error',
                    status_reason=shown.get('fail_reason') or 'Cinder gives no reason',
                )
            yield pause

    def create_before_delete(self, state):
        """A generator: create a backup of a volume unless its create has failed.

        ``state`` is the action and the status of the resource before the delete.
        """
        failed = tuple(state) == (status.CREATE, status.FAILED)
        if self._volume.resource_id is not None and not failed:
            yield from self.create()

    def delete(self, backup):
        """A generator: delete a backup, if there is one, and wait until it is deleted."""
        volume, path = self._volume, f'/backups/{backup}'
        if not (yield from volume.delete_path(path)):
            return
        for pause in retry_delays():
            try:
                yield from volume.call_with_retry(volume.client().show, path, 'backup')
            except errors.NotFound:
                return
            yield pause


def restored(definition, backup):
    """Return the definition of a volume that is restored from a backup."""
    properties = {
        name: value for name, value in (definition.properties or {}).items() if name not in ORIGINS
    }
    return definition.freeze(properties={**properties, BACKUP_ID: backup})


FAILED = ('error', 'error_restoring', 'error_extending', 'error_backing-up', 'error_deleting')
#: attributes that Heat returns as strings
TEXTS = ('attachments', 'metadata')
#: the possible sources of a volume besides a backup
SOURCES = ('snapshot_id', 'source_volid', 'image')
#: the updates that have a request of their own, in the order of the requests
VERBS = ('volume_type', 'size', 'read_only', 'metadata', 'backup_id')


def _refuse_sources(read, volume):
    if filled(read('backup_id')):
        return
    sources, size = [name for name in SOURCES if filled(read(name))], filled(read('size'))
    given = f'but currently specified options: {sources}.'
    if not size and sources not in (['snapshot_id'], ['source_volid']):
        raise exception.StackValidationFailed(
            'If neither "backup_id" nor "size" is provided, '
            f'one and only one of "source_volid", "snapshot_id" must be specified, {given}'
        )
    if len(sources) > 1:
        raise exception.StackValidationFailed(
            'If "size" is provided, only one of "image", "imageRef", "source_volid", '
            f'"snapshot_id" can be specified, {given}'
        )


class CinderVolume(CloudResource):
    """A block storage volume."""

    resource_type = 'OS::Cinder::Volume'
    snapshot_keys = (BACKUP_ID,)
    rest = Rest(
        'cinder',
        '/volumes',
        'volume',
        ready=('available', 'in-use', 'awaiting-transfer'),
        failed=FAILED,
        deletes_async=True,
        delete_failed=('error_deleting',),
        list_path='/volumes/detail',
        mark='description',
    )
    entity = 'volumes'
    observed_keys = {'read_only': 'read_only'}

    properties_schema = {
        'name': name_property(),
        'availability_zone': string('Availability zone in which the volume is created.'),
        'backup_id': string(
            'Backup from which the volume is created. A change restores the backup.',
            update_allowed=True,
            ref='cinder.backup',
            sent=False,
        ),
        'description': description_property(),
        'image': string(
            'Image from which the volume is created, by name or id.',
            ref='glance.image',
            wire='imageRef',
        ),
        'imageRef': string(history='hidden 5.0.0, deprecated 2014.1', alias_of='image'),
        'metadata': map_('Metadata of the volume.', default={}, update_allowed=True),
        'multiattach': boolean(
            'Whether several servers can attach the volume at once.',
            default=False,
            history='hidden 13.0.0, supported 6.0.0',
        ),
        'read_only': boolean(
            'Whether the volume is read-only.', update_allowed=True, since='5.0.0', sent=False
        ),
        'scheduler_hints': map_(
            'Scheduler hints for the placement of the volume.', since='2015.1', sent=False
        ),
        'size': integer(
            'Size of the volume in GiB. An update can only extend it.', update_allowed=True, min=1
        ),
        'snapshot_id': reference(
            'cinder.snapshot', 'Snapshot from which the volume is created, by name or id.'
        ),
        'source_volid': string('Volume that is cloned, by name or id.', ref='cinder.volume'),
        'volume_type': string(
            'Type of the volume, by name or id.', update_allowed=True, ref='cinder.vtype'
        ),
    }
    property_rules = (_refuse_sources,)
    attributes_schema = {
        'attachments': live_text(
            'Attachments of the volume, as a string.', history='deprecated 9.0.0, supported 2015.1'
        ),
        'attachments_list': list_attribute(
            'Attachments of the volume.',
            cache_mode=CACHE_NONE,
            since='9.0.0',
            wire='attachments',
        ),
        'availability_zone': 'Availability zone of the volume.',
        'bootable': 'Whether servers can boot from the volume.',
        'created_at': 'Time at which the volume was created.',
        'display_description': text(
            'Description that Cinder shows for the volume.', wire='description'
        ),
        'display_name': text('Name that Cinder shows for the volume.', wire='name'),
        'encrypted': 'Whether the volume is encrypted.',
        'metadata': 'Metadata of the volume, as a string of JSON.',
        'metadata_values': map_attribute('Metadata of the volume, as a map.', wire='metadata'),
        'multiattach': boolean_attribute(
            'Whether several servers can attach the volume.', since='6.0.0'
        ),
        'size': 'Size of the volume in GiB, as a string.',
        'snapshot_id': 'Id of the snapshot from which the volume was created.',
        'source_volid': 'Id of the volume that was cloned.',
        'status': live_text('Status of the volume.'),
        'volume_type': 'Name of the type of the volume.',
    }

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.backups = VolumeBackups(self)

    def create_object(self, values):
        body = {self.rest.key: values}
        if self.properties['scheduler_hints']:
            body['OS-SCH-HNT:scheduler_hints'] = self.properties['scheduler_hints']
        return (yield from self.send('POST', self.collection(), body))[self.rest.key]

    def body(self, values):
        """Omit ``multiattach``, which the volume type decides since microversion 3.50, and an empty
        availability zone, which Cinder refuses.
        """
        omitted = ('multiattach', 'availability_zone')
        return {name: value for name, value in values.items() if name not in omitted or value}

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if prop_diff.get('size') and prop_diff['size'] < (self.stored_property('size') or 0):
            raise exception.NotSupported(feature='Shrinking volume')
        return super().handle_update(definition, tmpl_diff, prop_diff)

    def handle_snapshot(self):
        if begun := self.data().get(BACKUP_ID):
            yield from self.backups.wait_until_available(begun)
        else:
            yield from self.backups.create(lambda backup: self.data_set(BACKUP_ID, backup))

    def supports_snapshot_delete(self):
        return self.backups.enabled()

    def handle_snapshot_delete(self, state):
        yield from self.backups.create_before_delete(state)
        yield from self.handle_delete()

    def handle_delete_snapshot(self, data):
        backup = (data.get('resource_data') or {}).get(BACKUP_ID)
        if backup:
            yield from self.backups.delete(backup)

    def handle_restore(self, definition, data):
        return restored(definition, data['resource_data'][BACKUP_ID])

    def changes(self, changed, diff):
        return {name: changed[name] for name in ('name', 'description') if name in changed}

    def follow_up(self, action, diff):
        verbs = ('backup_id', 'read_only') if action == status.CREATE else VERBS
        for name in verbs:
            if name in diff and (diff[name] is not None or name == 'metadata'):
                yield from self.wait_until_ready(None)
                yield from getattr(self, f'_change_{name}')(diff[name])

    def _change_volume_type(self, name):
        yield from self._act('os-retype', new_type=name, migration_policy='never')

    def _change_size(self, size):
        if size > self.fetch()['size']:
            yield from self._act('os-extend', new_size=size)

    def _change_read_only(self, read_only):
        yield from self._act('os-update_readonly_flag', readonly=read_only)

    def _change_metadata(self, metadata):
        yield from self.call_with_retry(
            self.client().update, f'{self.object_path()}/metadata', 'metadata', metadata or {}
        )

    def _change_backup_id(self, backup):
        """A generator: restore a backup. Cinder requires that no server uses the volume."""
        users = self.fetch().get('attachments') or ()
        for each in users:
            yield from detach(self, each['server_id'], self.resource_id)
        values = {'volume_id': self.resource_id, 'name': self.physical_resource_name()}
        yield from self.call_with_retry(
            self.client().create, f'/backups/{backup}/restore', 'restore', values
        )
        if users:
            yield from self.wait_until_ready(None)
        for each in users:
            yield from attach(self, each['server_id'], self.resource_id, each.get('device'))

    def _act(self, verb, **args):
        yield from self.send('POST', f'{self.object_path()}/action', {verb: args})

    def normalize(self, found):
        """Return the volume with the id of its type, whose name Cinder shows, and with what Cinder
        notes in its metadata.
        """
        metadata = dict(found.get('metadata') or {})
        read_only = metadata.get('readonly')
        if 'readonly' not in (self.stored_property('metadata') or {}):
            metadata.pop('readonly', None)
        return {
            **found,
            'volume_type': found.get('volume_type_id', self.stored_property('volume_type')),
            'metadata': metadata,
            'read_only': read_only,
        }

    def resolve_attribute(self, name):
        value = super().resolve_attribute(name)
        return str(value) if name in TEXTS and value is not None else value
