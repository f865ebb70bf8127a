"""The door for events."""

from heat_lite.common import identifier
from heat_lite.db import events as db_events
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import format
from heat_lite.engine.endpoints.base import Endpoint

SORT_KEYS = ('event_time', 'created_at')


class Events(Endpoint):
    def list_events(self, context, stack_identity, filters=None, limit=None, marker=None, sort_keys=None, sort_dir=None, nested_depth=None):
        """The events of a stack, or of all stacks of the project where no identity is given; with ``nested_depth`` of the stacks inside."""
        identities = self._identities(context, stack_identity, nested_depth or 0)
        root = next(iter(identities.values()), None)
        keys = [key for key in sort_keys or () if key in SORT_KEYS]
        # the newest first, unless a key is given: Heat's order
        direction = sort_dir or ('asc' if keys else 'desc')
        rows = db_events.list(context, list(identities), filters=filters, limit=limit, marker=marker, sort_keys=keys, sort_dir=direction)
        result = []
        for row in rows:
            one = format.event(row, identities[row.stack_id])
            one['resource_properties'] = row.properties or {}
            if nested_depth:
                one['root_stack_id'] = root.as_dict()
            result.append(one)
        return result

    def _identities(self, context, stack_identity, nested_depth):
        if stack_identity is None:
            return {row.id: _identity(row) for row in db_stacks.list(context, show_nested=True)}
        row = self._row(context, stack_identity, show_deleted=True)
        result = {row.id: _identity(row)}
        parents = [row.id]
        for _ in range(nested_depth):
            children = db_stacks.children(context, parents)
            result.update({child.id: _identity(child) for child in children})
            parents = [child.id for child in children]
            if not parents:
                break
        return result


def _identity(row):
    return identifier.HeatIdentifier(row.tenant, row.name, row.id)
