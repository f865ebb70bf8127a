"""The door for snapshots of a stack."""

from heat_lite.db import snapshots as db_snapshots
from heat_lite.engine import actions, format, snapshots
from heat_lite.engine.endpoints.base import Endpoint


class Snapshots(Endpoint):
    def stack_snapshot(self, context, stack_identity, name):
        """Begin to take a snapshot. Gives it as it is at the beginning."""
        stack = self._stack(context, stack_identity)
        taking = snapshots.Taking(stack, name)
        actions.snapshot(stack, taking)
        return format.snapshot(taking.row)

    def show_snapshot(self, context, stack_identity, snapshot_id):
        return format.snapshot(snapshots.find(self._stack(context, stack_identity), snapshot_id))

    def stack_list_snapshots(self, context, stack_identity):
        stack = self._stack(context, stack_identity)
        return [format.snapshot(row) for row in db_snapshots.list(context, stack.id)]

    def delete_snapshot(self, context, stack_identity, snapshot_id):
        """Begin to take a snapshot away, with what its resources kept for it."""
        stack = self._stack(context, stack_identity)
        snapshots.delete(stack, snapshots.find(stack, snapshot_id))

    def stack_restore(self, context, stack_identity, snapshot_id):
        """Begin to make the stack what it was. Gives its identity."""
        stack = self._stack(context, stack_identity)
        row = snapshots.find(stack, snapshot_id)
        actions.restore(stack, snapshots.template_to_restore(stack, row), {'tags': row.data.get('tags') or []})
        return stack.identifier().as_dict()
