"""Snapshots: what a stack was at a time, as a document (see ``export``), with what its resources kept of themselves.

The row of a snapshot has a state of its own: CREATE while it is taken, DELETE while it goes.
"""

import copy
import logging
import time

from heat_lite.common import exception, status
from heat_lite.db import snapshots as db_snapshots
from heat_lite.engine import export, lifecycle, record, scheduler

LOG = logging.getLogger(__name__)
#: how often who deletes a snapshot says so, and after how long a silence another engine goes on with it, in seconds
TOUCH_SECONDS, SILENCE_SECONDS = 10, 60


class Taking:
    """One snapshot while it is taken: its row at the beginning, and at the end."""

    def __init__(self, stack, name):
        self._stack = stack
        self._name = name
        self.id = None
        #: the row as it was at the beginning
        self.row = None

    def begin(self):
        """The row, with the stack as it is now and no word about the resources yet."""
        limit = self._stack.limits.max_snapshots_per_stack
        if limit >= 0 and db_snapshots.count(self._stack.context, self._stack.id) >= limit:
            raise exception.RequestLimitExceeded(
                f'You have reached the maximum snapshots per stack, {limit}. Please delete some snapshots.'
            )
        self.id = db_snapshots.create(
            self._stack.context,
            {
                'stack_id': self._stack.id,
                'name': self._name,
                'tenant': self._stack.tenant,
                'action': status.CREATE,
                'status': status.IN_PROGRESS,
                'data': export.of_stack(self._stack, tell=None),
            },
        )
        self.row = db_snapshots.get(self._stack.context, self.id)

    def end(self, state, reason):
        """As it has ended; what resources have kept is told even where others have failed. A generator: it waits while the database is
        away."""
        stack = self._stack
        document = export.of_stack(stack, lambda resource: resource.snapshot_data())
        values = {'status': state, 'status_reason': reason, 'data': document}
        yield from record.patiently(lambda: db_snapshots.update(stack.context, self.id, values), f'The snapshot {self.id}')


def under_way(stack):
    """The Taking that an engine was at that is gone: the last one. Its end may have been stored already, while that of the action has not.
    Raises NotFound where its row has been removed."""
    rows = [row for row in db_snapshots.list(stack.context, stack.id) if row.action == status.CREATE]
    if not rows:
        raise exception.NotFound(f'The snapshot of stack {stack.name} that was being taken is not there any more')
    row = next(filter(_is_being_taken, rows), rows[-1])
    taking = Taking(stack, row.name)
    taking.id, taking.row = row.id, row
    return taking


def fail_unfinished(stack):
    """What was begun in the very moment in which its engine went."""
    for row in db_snapshots.list(stack.context, stack.id):
        if _is_being_taken(row):
            reason = 'The engine that took the snapshot is gone'
            db_snapshots.update(stack.context, row.id, {'status': status.FAILED, 'status_reason': reason})


def _is_being_taken(row):
    return (row.action, row.status) == (status.CREATE, status.IN_PROGRESS)


def find(stack, snapshot_id):
    """The row. Raises NotFound, and SnapshotNotFound for one of another stack."""
    row = db_snapshots.get(stack.context, snapshot_id)
    if row is None:
        raise exception.NotFound(f'Snapshot with id {snapshot_id} not found')
    if row.stack_id != stack.id:
        raise exception.SnapshotNotFound(snapshot=snapshot_id, stack=stack.name)
    return row


def template_to_restore(stack, row):
    """The template that makes the stack what it was. Types that kept something say how it is to be used (``handle_restore``)."""
    if row.status != status.COMPLETE:
        raise exception.NotSupported(feature='Restoring incomplete snapshot')
    document = copy.deepcopy(row.data)
    past = export.stack_of(document, stack)
    for name, definition in past.definitions.items():
        kept = document['resources'].get(name)
        if kept is not None and hasattr(past.class_of(definition), 'handle_restore'):
            past.template.resource_snippets[name] = past.resource_for(name).handle_restore(definition, kept).raw
    return export.template_of(document)


def delete(stack, row):
    """Begin to take a snapshot away; its end shows by its absence."""
    if row.action == status.CREATE and row.status == status.IN_PROGRESS and stack.state == (status.SNAPSHOT, status.IN_PROGRESS):
        raise exception.NotSupported(feature='Deleting in-progress snapshot')
    _state_set(stack, row, status.IN_PROGRESS, 'Snapshot delete started')
    go_on_deleting(stack, row.id)


def go_on_deleting(stack, snapshot_id):
    """Take away what is in DELETE_IN_PROGRESS."""
    row = db_snapshots.get(stack.context, snapshot_id)
    if row is not None:
        stack.runtime.pool.spawn(scheduler.TaskRunner(_deleted(stack, row), name=f'delete of snapshot {row.id}'))


def delete_all(stack):
    """Take all snapshots of a stack away, one after another. A generator; it raises the first failure."""
    rows = yield from record.patiently(lambda: _rows(stack), f'The snapshots of stack {stack.id}')
    for row in rows:
        yield from _remove(stack, row)


def _rows(stack):
    """Most stacks have none, and that costs least to find out."""
    return db_snapshots.list(stack.context, stack.id) if db_snapshots.count(stack.context, stack.id) else ()


def forget_all(stack):
    """Remove the rows, and leave alone what the resources kept."""
    for row in db_snapshots.list(stack.context, stack.id):
        db_snapshots.delete(stack.context, row.id)


def _deleted(stack, row):
    try:
        yield from _watched(stack, row, _remove(stack, row))
    except Exception as error:
        LOG.exception('The snapshot %s of stack %s could not be deleted', row.id, stack.id)
        _state_set(stack, row, status.FAILED, str(error))


def _watched(stack, row, work):
    """The work of a delete, which says every so often that it goes on; it ends where another engine goes on with it."""
    seen, said = row.updated_at, time.monotonic()
    for pause in work:
        if time.monotonic() - said > TOUCH_SECONDS:
            seen, said = db_snapshots.touch(stack.context, row.id, seen), time.monotonic()
            if seen is None:
                return
        yield pause


def _remove(stack, row):
    kept = (row.data or {}).get('resources')
    if kept:
        past = export.stack_of(row.data, stack)
        for name, definition in past.definitions.items():
            if name in kept and hasattr(past.class_of(definition), 'handle_delete_snapshot'):
                yield from lifecycle.delete_snapshot(past.resource_for(name), kept[name])
    db_snapshots.delete(stack.context, row.id)


def _state_set(stack, row, state, reason):
    db_snapshots.update(stack.context, row.id, {'action': status.DELETE, 'status': state, 'status_reason': reason})
