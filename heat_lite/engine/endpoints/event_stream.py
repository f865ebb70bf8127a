"""The RPC endpoint for the streams of events: new ones for an API process, past ones for a client.

Tests: tests/functional/test_event_stream.py.
"""

import datetime
from collections.abc import Callable, Collection, Iterable

from heat_lite.common import event_cursor, exception, lru_cache, status
from heat_lite.common.context import RequestContext
from heat_lite.common.event_cursor import EventCursor
from heat_lite.db import event_stream as db_stream, stacks as db_stacks
from heat_lite.db.event_stream import StackPlace
from heat_lite.db.events import EventRow
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack import format

#: ids that one read of new events looks at, and events of one page of past ones
MAX_SCANNED, MAX_PAST = 5000, 1000
#: the newest ids whose holes count as such when an API process begins to read
RECENT_IDS = 2000
#: stacks whose places are kept
MAX_PLACES = 10000
#: the first event of a stack
FIRST_ACTIONS = (status.CREATE, status.ADOPT)


class EventStream(Endpoint):
    """Reads of events in the order of their ids. A cursor travels as ``event_cursor.to_wire``."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self._places = lru_cache.LruCache(MAX_PLACES, MAX_PLACES, lambda place: 1)

    def read_new_events(
        self,
        context: RequestContext,
        after: list | None,
        stack_ids: Collection[str],
        projects: Collection[str],
        watched: Collection[str],
        with_tags: bool,
    ) -> Wire:
        """Return the events after a cursor of all stacks in the trees or projects that are named.

        ``watched``: stacks whose state is returned, as it was before the events were read. An API
        calls it for all its listeners; it has checked what they may see.
        """
        if not context.is_admin:
            raise exception.Forbidden(action='read_new_events')
        if after is None:
            return {'events': [], 'cursor': self._beginning(), 'states': {}, 'more': False}
        states = {each.id: list(each) for each in db_stream.states(watched)}
        cursor = event_cursor.from_wire(after)
        found, newest = db_stream.scan(cursor, MAX_SCANNED)
        following = cursor.advanced([number for number, _ in found])
        if newest < cursor.top and not found:  # the database has given ids again: SQLite does
            following = EventCursor(newest)
        wanted = self._wanted(context, found, following, {*stack_ids}, {*projects})
        rows = db_stream.get_many(wanted)
        return {
            'events': self._shown(context, rows, with_tags),
            'cursor': event_cursor.to_wire(following),
            'states': states,
            'more': len(found) >= MAX_SCANNED and following.top > cursor.top,
            'behind': following.top < newest,
        }

    def read_past_events(
        self,
        context: RequestContext,
        stack_identity: Wire | None,
        nested_depth: int,
        after: list,
        until: list,
        with_tags: bool,
    ) -> Wire:
        """Return a page of the events between two cursors of a stack, or of those of the project.

        ``gap``: events after the first cursor may have been deleted since. ``other``: the cursor is
        not of this database.
        """
        first, last = event_cursor.from_wire(after), event_cursor.from_wire(until)
        places = self._scope(context, stack_identity, nested_depth)
        for place in places:
            self._places.put(place.id, place)
        ids = [place.id for place in places]
        rows = db_stream.past(ids, first, last, MAX_PAST)
        newest = max(db_stream.newest_ids(1), default=0)
        is_other = first.top > newest  # of a database that was replaced
        is_cut = first.top > 0 and any(map(_is_cut(first), db_stream.oldest(ids)))
        return {
            'events': self._shown(context, rows, with_tags),
            'more': len(rows) == MAX_PAST,
            'gap': is_cut or is_other,
            'other': is_other,
        }

    def _beginning(self) -> list:
        numbers = db_stream.newest_ids(RECENT_IDS)
        if not numbers:
            return event_cursor.to_wire(EventCursor(0))
        edges = zip(numbers, numbers[1:], strict=False)
        holes = [(low + 1, high - 1) for low, high in edges if high > low + 1]
        cursor = EventCursor(numbers[-1], tuple(holes[-event_cursor.MAX_HOLES :]))
        return event_cursor.to_wire(cursor)

    def _wanted(
        self,
        context: RequestContext,
        found: Iterable[tuple[int, str]],
        following: EventCursor,
        stack_ids: set[str],
        projects: set[str],
    ) -> list[int]:
        """Return the ids of the events in the scope, as far as the cursor ``following`` is."""
        covered = [each for each in found if each[0] <= following.top]
        lineages = self._lineages({stack_id for _, stack_id in covered})
        inside = {
            stack_id
            for stack_id, lineage in lineages.items()
            if lineage[0].tenant in projects or any(each.id in stack_ids for each in lineage)
        }
        return [number for number, stack_id in covered if stack_id in inside]

    def _lineages(self, stack_ids: set[str]) -> dict[str, list[StackPlace]]:
        """Return each stack with all that contain it, the top-level stack last."""
        known: dict[str, StackPlace] = {}
        missing = set(stack_ids)
        while missing:
            for stack_id in sorted(missing):
                if place := self._places.get(stack_id):
                    known[stack_id] = place
            for place in db_stream.places(missing - known.keys()).values():
                known[place.id] = self._places.put(place.id, place)
            unknown = missing - known.keys()  # purged meanwhile
            owners = {known[each].owner_id for each in missing - unknown}
            missing = {each for each in owners if each} - known.keys() - unknown
        return {each: _lineage(known, each) for each in stack_ids if each in known}

    def _shown(self, context: RequestContext, rows: list[EventRow], with_tags: bool) -> list[Wire]:
        lineages = self._lineages({row.stack_id for row in rows})
        tops = {lineage[-1].id for lineage in lineages.values()}
        tags = db_stacks.tags(list(tops)) if with_tags and tops else {}
        shown = []
        for row in rows:
            lineage = lineages.get(row.stack_id)
            if lineage is None:
                continue
            one = format.event(row, format.identity_of(lineage[0]))
            one['number'] = row.id
            one['timestamp'] = _seconds(row.created_at)
            one['first_wait'] = row.updated_at and _seconds(row.updated_at)
            one['lineage'] = [place.id for place in lineage]
            one['tags'] = list(tags.get(lineage[-1].id, ()))
            shown.append(one)
        return shown

    def _scope(
        self, context: RequestContext, stack_identity: Wire | None, nested_depth: int
    ) -> list[StackPlace]:
        if stack_identity is None:
            level = db_stream.places_of_project(context.tenant_id or '')
        else:
            row = self._row(context, stack_identity, show_deleted=True)
            level = [StackPlace(row.id, row.name, row.tenant, row.owner_id)]
        result = list(level)
        for _ in range(nested_depth):
            level = db_stream.places_below([place.id for place in level])
            result += level
            if not level:
                break
        return result


def _seconds(time: datetime.datetime) -> float:
    return time.replace(tzinfo=datetime.UTC).timestamp()


def _lineage(known: dict[str, StackPlace], stack_id: str) -> list[StackPlace]:
    found = [known[stack_id]]
    while (owner := found[-1].owner_id) in known and len(found) <= len(known):
        found.append(known[owner])
    return found


def _is_cut(cursor: EventCursor) -> Callable[[EventRow], bool]:
    """Return a predicate: whether events before the oldest one of a stack may have followed."""

    def is_cut(row: EventRow) -> bool:
        is_first = row.physical_resource_id == row.stack_id and (
            row.resource_action in FIRST_ACTIONS and row.resource_status == status.IN_PROGRESS
        )
        return row.id > cursor.top + 1 and not is_first

    return is_cut
