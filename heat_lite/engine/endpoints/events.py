"""The RPC endpoint for events.

Tests: tests/functional/test_queries.py.
"""

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, without_none
from heat_lite.db import events as db_events, session, stacks as db_stacks
from heat_lite.db.queries import StackFilter
from heat_lite.engine.endpoints.base import Endpoint, Wire, nested_rows
from heat_lite.engine.stack import format
from heat_lite.engine.validation import masking

SORT_KEYS = ('event_time', 'resource_type')


#: events of one reply
MAX_EVENTS = 100_000


class Events(Endpoint):
    def list_events(
        self,
        context: RequestContext,
        stack_identity: Wire,
        filters: Wire | None = None,
        limit: int | None = None,
        marker: str | None = None,
        sort_keys: list[str] | None = None,
        sort_dir: str | None = None,
        nested_depth: int | None = None,
    ) -> list[Wire]:
        """Return the events of a stack, or of all stacks of the project if no identity is given.

        With ``nested_depth`` those of nested stacks are included. The properties of the resource
        are included if the filters ask for one event, by its uuid.
        """
        identities = self._identities(context, stack_identity, nested_depth or 0)
        keys = [key for key in sort_keys or () if key in SORT_KEYS]
        # newest first, unless a key is given (as in Heat)
        direction = sort_dir or ('asc' if keys else 'desc')
        with session.late_reads():
            rows = db_events.list_rows(
                list(identities),
                filters=filters,
                limit=MAX_EVENTS + 1 if limit is None else min(limit, MAX_EVENTS + 1),
                marker=marker,
                sort_keys=keys,
                sort_dir=direction,
            )
        if len(rows) > MAX_EVENTS:
            raise exception.RequestLimitExceeded(
                f'There are more than {MAX_EVENTS} events: ask for pages (limit and marker)'
            )
        detail = 'uuid' in (filters or {})
        root = next(iter(identities.values()), None)
        result = []
        for row in rows:
            one = format.event(row, identities[row.stack_id])
            one['resource_properties'] = (
                self._template_properties(context, row, identities[row.stack_id]) if detail else {}
            )
            if nested_depth and root is not None:
                one['root_stack_id'] = root
            result.append(one)
        return result

    def _template_properties(self, context: RequestContext, row: Row, stack_identity: Wire) -> Wire:
        """Return the properties of an event that the template sets, without defaults, secrets
        masked.
        """
        found = db_events.get(row.uuid)
        properties = found and found.properties
        if not properties:  # or the event has been trimmed or purged since
            return {}
        stack = self._stack(context, stack_identity, show_deleted=True)
        definition = stack.definitions.get(row.resource_name)
        if definition is None:  # removed from the template since
            given = without_none(properties)
        else:
            given = {
                name: value
                for name, value in properties.items()
                if name in (definition.properties or {})
            }
        return masking.masked(stack, row.resource_name, given)

    def _identities(
        self, context: RequestContext, stack_identity: Wire, nested_depth: int
    ) -> dict[str, Wire]:
        if stack_identity is None:
            return {
                row.id: format.identity_of(row)
                for row in db_stacks.list_rows(context, StackFilter(show_nested=True))
            }
        row = self._row(context, stack_identity, show_deleted=True)
        result = {row.id: format.identity_of(row)}
        for rows in nested_rows(row.id, nested_depth):
            result.update((each.id, format.identity_of(each)) for each in rows)
        return result
