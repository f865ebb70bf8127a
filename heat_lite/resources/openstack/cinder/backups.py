"""Backups of a volume: snapshots of its stack and ``deletion_policy: Snapshot``."""

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base.service_retry import retry_delays

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
