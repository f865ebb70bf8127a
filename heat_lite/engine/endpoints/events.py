"""The door for events."""

from heat_lite.common import identifier
from heat_lite.db import events as db_events
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import format, secrets
from heat_lite.engine.endpoints.base import Endpoint

SORT_KEYS = ('event_time', 'resource_type')


class Events(Endpoint):
    def list_events(self, context, stack_identity, filters=None, limit=None, marker=None, sort_keys=None, sort_dir=None, nested_depth=None):
        """The events of a stack, or of all stacks of the project where no identity is given; with ``nested_depth`` of the stacks inside.

        The properties that a resource had come along where the filters ask for one event, by its uuid.
        """
        identities = self._identities(context, stack_identity, nested_depth or 0)
        root = next(iter(identities.values()), None)
        keys = [key for key in sort_keys or () if key in SORT_KEYS]
        # the newest first, unless a key is given: Heat's order
        direction = sort_dir or ('asc' if keys else 'desc')
        rows = db_events.list(context, list(identities), filters=filters, limit=limit, marker=marker, sort_keys=keys, sort_dir=direction)
        detail = 'uuid' in (filters or {})
        result = []
        for row in rows:
            one = format.event(row, identities[row.stack_id])
            one['resource_properties'] = self._given(context, row, identities[row.stack_id]) if detail else {}
            if nested_depth:
                one['root_stack_id'] = root.as_dict()
            result.append(one)
        return result

    def _given(self, context, row, identity):
        """Of the properties that the resource of an event had, those that the template gives it: the rest are defaults. No secrets."""
        properties = db_events.get(context, row.uuid).properties
        if not properties:
            return {}
        stack = self._stack(context, identity.as_dict(), show_deleted=True)
        definition = stack.definitions.get(row.resource_name)
        if definition is None:  # it is in the template no more
            told = {name: value for name, value in properties.items() if value is not None}
        else:
            told = {name: value for name, value in properties.items() if name in (definition.properties or {})}
        return secrets.masked(stack, row.resource_name, told)

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
