"""How a volume keeps copies of itself: as backups, for snapshots of its stack and for ``deletion_policy: Snapshot``."""

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.cloud import pauses

BACKUP_ID = 'backup_id'
#: what a volume may begin with: one that is restored begins with its backup
ORIGINS = ('image', 'imageRef', 'source_volid')


class KeptAtLast:
    """What is mixed into types of volumes that leave a backup behind when they are deleted so."""

    def handle_snapshot_delete(self, state):
        """What was never made well is not worth keeping."""
        if self.resource_id is not None and tuple(state) != (status.CREATE, status.FAILED):
            yield from self._back_up()
        yield from self.handle_delete()

    def _back_up(self):
        values = {'volume_id': self.resource_id, 'force': True}
        made = yield from self.ask(self.client().create, '/backups', 'backup', values)
        for pause in pauses():
            found = yield from self.ask(self.client().show, f'/backups/{made["id"]}', 'backup')
            if found['status'] == 'available':
                return made['id']
            if found['status'] == 'error':
                raise exception.ResourceInError(resource_status='error', status_reason=found.get('fail_reason') or 'the backup failed')
            yield pause


class Kept(KeptAtLast):
    """The same for those that snapshots of their stack can bring back."""

    def handle_snapshot(self):
        backup = yield from self._back_up()
        self.data_set(BACKUP_ID, backup)

    def handle_delete_snapshot(self, data):
        backup = (data.get('resource_data') or {}).get(BACKUP_ID)
        if not backup:
            return
        if (yield from self.take_away(self.client().delete, f'/backups/{backup}')):
            yield from self._until_gone(backup)

    def handle_restore(self, definition, data):
        kept = {name: value for name, value in (definition.properties or {}).items() if name not in ORIGINS}
        return definition.freeze(properties={**kept, BACKUP_ID: data['resource_data'][BACKUP_ID]})

    def _until_gone(self, backup):
        for pause in pauses():
            try:
                yield from self.ask(self.client().show, f'/backups/{backup}', 'backup')
            except errors.NotFound:
                return
            yield pause
