"""Events of stacks: reads and the limit of their number. ``journal`` writes them."""

import typing
from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, select

from heat_lite.common.value_types import Row
from heat_lite.db import encryption, models, queries, resources, session
from heat_lite.db.column_types import row_type

_E, _P = models.event.c, models.resource_properties_data.c
COLUMNS = [
    column for column in _E if column.name not in ('resource_properties', 'rsrc_prop_data_id')
]


_EventRow: typing.Any = row_type(*(column.name for column in COLUMNS), 'properties')


class EventRow(_EventRow):
    """An event. ``properties`` is None in a list.

    ``updated_at`` of the end of an action is the time at which its handler first waited.
    """

    __slots__ = ()


SORTS = {
    name: _E[name]
    for name in (
        'resource_type',
        'resource_name',
        'resource_status',
        'resource_action',
        'created_at',
    )
}
SORTS |= {'event_time': _E.created_at}
FILTERS = (
    'resource_action',
    'resource_status',
    'resource_name',
    'resource_type',
    'physical_resource_id',
    'uuid',
)


@session.reader
def get(event_uuid: str) -> Row:
    """Return one EventRow or None, with the properties of its resource at that time."""
    row = session.first(
        select(*COLUMNS, _P.encrypted, _P.data)
        .outerjoin(models.resource_properties_data)
        .where(_E.uuid == event_uuid)
    )
    if row is None:
        return None
    *columns, encrypted, properties = row
    return EventRow(*columns, encryption.decrypt_properties(encrypted, properties))


@session.writer
def trim(stack_id: str, keep: int, batch_size: int) -> int:
    """Delete the oldest events of a stack that has more than ``keep``; return their number.

    ``keep - batch_size`` events remain, so that the next deletion is not due soon.
    """
    # Both lookups use the index, whatever the number of events.
    query = select(_E.id).where(_E.stack_id == stack_id).order_by(_E.id.desc()).limit(1)
    if session.scalar(query.offset(keep)) is None:
        return 0
    last = session.scalar(query.offset(max(keep - batch_size, 0)))
    which = _E.stack_id == stack_id, _E.id <= last
    properties = select(_E.rsrc_prop_data_id).where(*which).distinct()
    old = session.scalars(properties)
    deleted = session.delete(models.event, *which)
    resources.delete_unused_properties(old)
    return deleted


@session.reader
def list_rows(
    stack_ids: str | Collection[str],
    limit: int | None = None,
    marker: str | None = None,
    sort_keys: Collection[str] | None = None,
    sort_dir: str | None = None,
    filters: dict | None = None,
) -> Sequence[EventRow]:
    """Return a page of the events of one or several stacks, oldest first, without properties.

    The marker is the uuid of an event.
    """
    query = select(*COLUMNS).where(_in_stacks(stack_ids))
    for name, wanted in (filters or {}).items():
        if name in FILTERS:
            query = query.where(_E[name].in_([wanted] if isinstance(wanted, str) else wanted))
    columns = [SORTS[key] for key in sort_keys or () if key in SORTS]
    query = queries.paginate(
        query, models.event, columns, queries.direction(sort_dir, 'asc'), limit, marker, _E.uuid
    )
    return [EventRow(*row, None) for row in session.execute(query)]


def _in_stacks(stack_ids: str | Collection[str]) -> ColumnElement[bool]:
    return _E.stack_id == stack_ids if isinstance(stack_ids, str) else _E.stack_id.in_(stack_ids)
