"""Snapshots: the document of a stack at a time (see ``adoption``), with what its resources saved of
themselves.

The row of a snapshot has a state of its own: CREATE while it is taken, DELETE while it is deleted.

Tests: tests/functional/test_snapshots.py.
"""

import copy
import logging
import time
from collections.abc import Sequence

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values, Work
from heat_lite.db import snapshots as db_snapshots
from heat_lite.engine import scheduler
from heat_lite.engine.resource import record
from heat_lite.engine.stack import adoption, lifecycle
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.validation import masking
from heat_lite.rpc import api
from heat_lite.template.template import Template

LOG = logging.getLogger(__name__)
#: seconds between two touches of the row by the engine that deletes a snapshot, and seconds of
#: silence after which another engine takes the delete over
TOUCH_SECONDS, SILENCE_SECONDS = 10, 60


class NewSnapshot:
    """A snapshot while it is taken."""

    #: the row as it was at the beginning
    row: db_snapshots.SnapshotRow

    def __init__(self, stack: Stack, name: str) -> None:
        self._stack = stack
        self._name = name

    def begin(self) -> None:
        """Store the row with the present stack, without its resources.

        Raises RequestLimitExceeded.
        """
        limit = self._stack.limits.max_snapshots_per_stack
        if limit >= 0 and db_snapshots.count(self._stack.id) >= limit:
            raise exception.RequestLimitExceeded(
                f'You have reached the maximum snapshots per stack, {limit}. '
                'Please delete some snapshots.'
            )
        snapshot_id = db_snapshots.create(
            self._stack.context,
            {
                'stack_id': self._stack.id,
                'name': self._name,
                'tenant': self._stack.tenant,
                'action': status.CREATE,
                'status': status.IN_PROGRESS,
                'data': adoption.export_stack(self._stack, describe=None),
            },
        )
        self.row = find(self._stack, snapshot_id)

    def end(self, state: str, reason: str) -> Work:
        """Store the final state and the document of all resources, also after a failure.

        A generator: it waits while the database is unreachable.
        """
        stack = self._stack
        document = adoption.export_stack(stack, lambda resource: resource.snapshot_data())
        values = {'status': state, 'status_reason': reason, 'data': document}
        yield from record.retry_while_unreachable(
            lambda: db_snapshots.update(self.row.id, values),
            f'The snapshot {self.row.id}',
        )


def find_unfinished(stack: Stack) -> NewSnapshot:
    """Return the NewSnapshot that an engine which is gone was taking: the last one.

    Its end may have been stored before that of the action. Raises NotFound if its row was deleted.
    """
    rows = [row for row in db_snapshots.list_rows(stack.id) if row.action == status.CREATE]
    if not rows:
        raise exception.NotFound(
            f'The snapshot of stack {stack.name} that was being taken is not there any more'
        )
    row = next(filter(_is_being_taken, rows), rows[-1])
    taking = NewSnapshot(stack, row.name)
    taking.row = row
    return taking


def fail_unfinished(stack: Stack) -> None:
    """Fail the snapshots that were begun when their engine went away."""
    for row in db_snapshots.list_rows(stack.id):
        if _is_being_taken(row):
            reason = 'The engine that took the snapshot is gone'
            db_snapshots.update(row.id, {'status': status.FAILED, 'status_reason': reason})


def _is_being_taken(row: db_snapshots.SnapshotRow) -> bool:
    return (row.action, row.status) == (status.CREATE, status.IN_PROGRESS)


def masked_document(document: Values | None) -> Values | None:
    """Return the document of a snapshot as the API shows it: hidden parameters are masked.

    Readers of the project may see it. An export, which others may not see, is complete.
    """
    if not document:
        return document
    template = adoption.exported_template(document)
    environment = masking.masked_environment(document.get('environment') or {}, template)
    redactor = masking.redactor_of(template.parameters())
    return {**redactor.redact_data(document), 'environment': environment}


def find(stack: Stack, snapshot_id: str) -> db_snapshots.SnapshotRow:
    """Return the row. Raises NotFound, and SnapshotNotFound for a snapshot of another stack."""
    row = db_snapshots.get(stack.context, snapshot_id)
    if row is None:
        raise exception.NotFound(f'Snapshot with id {snapshot_id} not found')
    if row.stack_id != stack.id:
        raise exception.SnapshotNotFound(snapshot=snapshot_id, stack=stack.name)
    return row


def template_to_restore(stack: Stack, row: db_snapshots.SnapshotRow) -> Template:
    """Return the template that restores the stack.

    Types adapt their definition by ``handle_restore``: the text of the author would be wrong then.
    """
    if row.status != status.COMPLETE:
        raise exception.NotSupported(feature='Restoring incomplete snapshot')
    document = copy.deepcopy(row.data)
    snapshot_stack = stack.with_template(adoption.exported_template(document))
    for name, definition in snapshot_stack.definitions.items():
        saved = document['resources'].get(name)
        if saved is not None and hasattr(snapshot_stack.class_of(definition), 'handle_restore'):
            restored: Value = snapshot_stack.resource_for(name)
            snapshot_stack.template.resource_snippets[name] = restored.handle_restore(
                restored.handler_definition(definition), saved
            ).raw
    is_as_saved = document['template'] == row.data['template']
    text = row.data.get(api.TEMPLATE_TEXT) if is_as_saved else None
    return adoption.exported_template(document).with_text(text)


def delete(stack: Stack, row: db_snapshots.SnapshotRow) -> None:
    """Begin to delete a snapshot. The row disappears at the end."""
    if (
        row.action == status.CREATE
        and row.status == status.IN_PROGRESS
        and stack.state == (status.SNAPSHOT, status.IN_PROGRESS)
    ):
        raise exception.NotSupported(feature='Deleting in-progress snapshot')
    _state_set(stack, row, status.IN_PROGRESS, 'Snapshot delete started')
    resume_delete(stack, row.id)


def resume_delete(stack: Stack, snapshot_id: str) -> None:
    """Delete a snapshot in DELETE_IN_PROGRESS."""
    row = db_snapshots.get(stack.context, snapshot_id)
    if row is not None:
        stack.runtime.pool.spawn(
            scheduler.TaskRunner(_delete(stack, row), name=f'delete of snapshot {row.id}')
        )


def delete_all(stack: Stack) -> Work:
    """Delete all snapshots of a stack one after another. A generator. Raises the first error."""
    rows = yield from record.retry_while_unreachable(
        lambda: _rows(stack), f'The snapshots of stack {stack.id}'
    )
    for row in rows:
        yield from _remove(stack, row)


def _rows(stack: Stack) -> Sequence[db_snapshots.SnapshotRow]:
    """Return the snapshots of a stack.

    The count comes first: most stacks have none, and it is cheap.
    """
    return db_snapshots.list_rows(stack.id) if db_snapshots.count(stack.id) else ()


def forget_all(stack: Stack) -> None:
    """Delete the rows only; what the resources saved stays."""
    for row in db_snapshots.list_rows(stack.id):
        db_snapshots.delete(row.id)


def _delete(stack: Stack, row: db_snapshots.SnapshotRow) -> Work:
    try:
        yield from _with_heartbeat(stack, row, _remove(stack, row))
    except Exception as error:
        LOG.exception('Snapshot %s of stack %s could not be deleted: it fails', row.id, stack.id)
        _state_set(stack, row, status.FAILED, stack.redact(error))


def _with_heartbeat(stack: Stack, row: db_snapshots.SnapshotRow, work: Work) -> Work:
    """Run a delete and touch the row at intervals. End when another engine has touched it."""
    touched_at, last = row.updated_at, time.monotonic()
    for pause in work:
        if time.monotonic() - last > TOUCH_SECONDS:
            touched_at, last = (
                db_snapshots.touch(row.id, touched_at),
                time.monotonic(),
            )
            if touched_at is None:
                return
        yield pause


def _remove(stack: Stack, row: db_snapshots.SnapshotRow) -> Work:
    saved = (row.data or {}).get('resources')
    if saved:
        snapshot_stack = stack.with_template(adoption.exported_template(row.data))
        for name, definition in snapshot_stack.definitions.items():
            if name in saved and hasattr(
                snapshot_stack.class_of(definition), 'handle_delete_snapshot'
            ):
                yield from lifecycle.delete_snapshot(snapshot_stack.resource_for(name), saved[name])
    db_snapshots.delete(row.id)


def _state_set(stack: Stack, row: db_snapshots.SnapshotRow, state: str, reason: str) -> None:
    db_snapshots.update(row.id, {'action': status.DELETE, 'status': state, 'status_reason': reason})
