"""Reads of the stream of all events, in the order of their ids (see ``common.event_cursor``)."""

import typing
from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, func, or_, select

from heat_lite.common.event_cursor import EventCursor
from heat_lite.db import events, models, queries, session

_E, _S, _L = models.event.c, models.stack.c, models.stack_lock.c
#: holes in one condition
HOLES = 20


@session.reader
def scan(cursor: EventCursor, limit: int) -> tuple[list[tuple[int, str]], int]:
    """Return (id, id of the stack) of the events that a cursor does not cover, ascending.

    At most ``limit`` of them are above its top. The second value is the greatest id of all.
    """
    columns = select(_E.id, _E.stack_id).order_by(_E.id)
    found = []
    for start in range(0, len(cursor.holes), HOLES):
        holes = cursor.holes[start : start + HOLES]
        # the last one fills up: one text of the statement for any number of holes
        ranges = [*holes, *holes[-1:] * (HOLES - len(holes))]
        late = or_(*(_E.id.between(*hole) for hole in ranges))
        found += [tuple(row) for row in session.execute(columns.where(late))]
    query = columns.where(_E.id > cursor.top).limit(limit)
    later = [tuple(row) for row in session.execute(query)]
    if later and len(later) < limit:
        newest = later[-1][0]
    else:
        newest = session.scalar(select(func.max(_E.id))) or 0
    return found + later, newest


@session.reader
def newest_ids(limit: int) -> list[int]:
    """Return the greatest ids, ascending."""
    query = select(_E.id).order_by(_E.id.desc()).limit(limit)
    return sorted(session.scalars(query))


@session.reader
def get_many(numbers: Sequence[int]) -> list[events.EventRow]:
    """Return the events of some ids, ascending, without properties."""
    found = queries.rows_with(select(*events.COLUMNS), _E.id, numbers)
    return sorted((events.EventRow(*row, None) for row in found), key=lambda row: row.id)


@session.reader
def past(
    stack_ids: Collection[str],
    after: EventCursor,
    until: EventCursor,
    limit: int,
) -> list[events.EventRow]:
    """Return the first events of some stacks that ``until`` covers and ``after`` does not."""
    unread: list[int] = []
    for which in queries.any_of(_E.stack_id, stack_ids):
        query = select(_E.id).where(which, _E.id <= until.top).order_by(_E.id).limit(limit)
        start = after.holes[0][0] if after.holes else after.top + 1
        wanted = len(unread) + limit
        while len(unread) < wanted:
            page = session.scalars(query.where(_E.id >= start))
            unread += [each for each in page if until.covers(each) and not after.covers(each)]
            if len(page) < limit:
                break
            start = page[-1] + 1
    return get_many(sorted(unread)[:limit])


@session.reader
def oldest(stack_ids: Collection[str]) -> list[events.EventRow]:
    """Return the oldest stored event of each of these stacks."""
    found: list[int] = []
    for which in queries.any_of(_E.stack_id, stack_ids):
        query = select(func.min(_E.id)).where(which).group_by(_E.stack_id)
        found += session.scalars(query)
    return get_many(found)


class StackPlace(typing.NamedTuple):
    """What events show of their stack; ``owner_id``: the stack that contains it, or None."""

    id: str
    name: str
    tenant: str
    owner_id: str | None


_PLACE = select(_S.id, _S.name, _S.tenant, _S.owner_id)


@session.reader
def places(stack_ids: Collection[str]) -> dict[str, StackPlace]:
    """Return the places of stacks by their ids, deleted ones too."""
    return {place.id: place for place in _places(_S.id, stack_ids)}


@session.reader
def places_below(owner_ids: Collection[str]) -> list[StackPlace]:
    """Return the stacks directly inside of some others, deleted ones too."""
    return _places(_S.owner_id, owner_ids)


def _places(column: ColumnElement, ids: Collection[str]) -> list[StackPlace]:
    return [StackPlace(*row) for row in queries.rows_with(_PLACE, column, ids)]


@session.reader
def places_of_project(project: str) -> list[StackPlace]:
    """Return the top-level stacks of a project, deleted ones too."""
    query = _PLACE.where(_S.tenant == project, _S.owner_id.is_(None))
    return [StackPlace(*row) for row in session.execute(query)]


class StackState(typing.NamedTuple):
    """The state of a stack; ``engine_id`` is that of the engine that works on it, or None."""

    id: str
    action: str
    status: str
    reason: str | None
    engine_id: str | None


@session.reader
def states(stack_ids: Collection[str]) -> list[StackState]:
    """Return the states of some stacks, deleted ones too."""
    columns = _S.id, _S.action, _S.status, _S.status_reason, _L.engine_id
    query = select(*columns).outerjoin(models.stack_lock, _L.stack_id == _S.id)
    return [StackState(*row) for row in queries.rows_with(query, _S.id, stack_ids)]
