"""The RPC endpoint for snapshots of a stack.

Tests: tests/functional/test_snapshots.py.
"""

from heat_lite.common import status
from heat_lite.common.context import RequestContext
from heat_lite.db import snapshots as db_snapshots
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.endpoints.stack_moves import StackMoves
from heat_lite.engine.execution import actions
from heat_lite.engine.stack import format, snapshots


class Snapshots(Endpoint):
    def stack_snapshot(self, context: RequestContext, stack_identity: Wire, name: str) -> Wire:
        """Begin to take a snapshot. Return its initial state."""
        stack = self._stack(context, stack_identity)
        taking = snapshots.NewSnapshot(stack, name)
        actions.start(stack, status.SNAPSHOT, snapshot=taking)
        return _shown(taking.row)

    def show_snapshot(
        self, context: RequestContext, stack_identity: Wire, snapshot_id: str
    ) -> Wire:
        return _shown(snapshots.find(self._stack(context, stack_identity), snapshot_id))

    def stack_list_snapshots(self, context: RequestContext, stack_identity: Wire) -> list[Wire]:
        stack = self._stack(context, stack_identity)
        return [_shown(row) for row in db_snapshots.list_rows(stack.id)]

    def delete_snapshot(
        self, context: RequestContext, stack_identity: Wire, snapshot_id: str
    ) -> None:
        """Begin to delete a snapshot, with what its resources saved for it."""
        stack = self._stack(context, stack_identity)
        snapshots.delete(stack, snapshots.find(stack, snapshot_id))

    def stack_restore(
        self, context: RequestContext, stack_identity: Wire, snapshot_id: str
    ) -> Wire:
        """Begin to restore the stack. Return its identity.

        Resources that have got other names since get their former ones back.
        """
        stack = self._stack(context, stack_identity)
        row = snapshots.find(stack, snapshot_id)
        template = snapshots.template_to_restore(stack, row)
        stack, _ = StackMoves(self._runtime).move_within(stack, template)
        values = {'tags': row.data.get('tags') or []}
        actions.update(stack, template, values, status.RESTORE, restored=row.id)
        return stack.identifier().as_dict()


def _shown(row: db_snapshots.SnapshotRow) -> Wire:
    """Return the row of a snapshot as the API shows it."""
    return {**format.snapshot(row), 'data': snapshots.masked_document(row.data)}
