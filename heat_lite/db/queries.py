"""Lists of rows: filters of stacks, sorting and paging."""

import dataclasses
import functools
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence

from oslo_utils import strutils
from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Integer,
    Select,
    Table,
    and_,
    case,
    func,
    not_,
    or_,
    select,
    tuple_,
)

from heat_lite.common import status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.db import models, session

_S, _TAG = models.stack.c, models.stack_tag.c
_COLUMN_FILTERS = (
    'id',
    'name',
    'status',
    'action',
    'status_reason',
    'username',
    'owner_id',
    'tenant',
    'timeout',
    'disable_rollback',
    'stack_user_project_id',
)
#: The name of a filter (the API's or the column's) and the column that it compares.
FILTERS = {
    'stack_name': 'name',
    'stack_status': 'status',
    'stack_action': 'action',
    'stack_status_reason': 'status_reason',
    'stack_owner': 'username',
    'stack_identity': 'id',
    'parent': 'owner_id',
    'project': 'tenant',
    'timeout_mins': 'timeout',
    **{name: name for name in _COLUMN_FILTERS},
}
SORTS = {
    'stack_name': _S.name,
    'stack_status': _S.status,
    'creation_time': _S.created_at,
    'updated_time': _S.updated_at,
    'created_at': _S.created_at,
    'updated_at': _S.updated_at,
}
DIRECTIONS = ('asc', 'desc')
#: values in one condition that each database accepts
MAX_VALUES = 500


class StackScope(typing.TypedDict, total=False):
    """The fields of StackFilter that a request may set."""

    filters: Mapping[str, typing.Any] | None
    tenant_safe: bool
    show_deleted: bool
    show_nested: bool
    show_hidden: bool
    tags: Collection[str] | None
    tags_any: Collection[str] | None
    not_tags: Collection[str] | None
    not_tags_any: Collection[str] | None


@dataclasses.dataclass(frozen=True)
class StackFilter:
    """The stacks that a list shows; the parameters of GET /stacks in Heat's API.

    ``filters`` maps a name of FILTERS to a value or a list of alternatives; other names are
    ignored. A stack matches ``tags`` if it has all of them, ``tags_any`` if it has one of them,
    ``not_tags`` unless it has all of them, ``not_tags_any`` unless it has one of them. Stacks
    with one of ``hidden_tags`` match only with ``show_hidden``. Without ``tenant_safe`` the
    stacks of all projects match.
    """

    filters: Mapping[str, typing.Any] | None = None
    tenant_safe: bool = True
    show_deleted: bool = False
    show_nested: bool = False
    show_hidden: bool = False
    hidden_tags: Collection[str] = ()
    tags: Collection[str] | None = None
    tags_any: Collection[str] | None = None
    not_tags: Collection[str] | None = None
    not_tags_any: Collection[str] | None = None


#: The living top-level stacks of the project.
DEFAULT_FILTER = StackFilter()


def stack_conditions(
    context: RequestContext, stack_filter: StackFilter
) -> Sequence[ColumnElement[bool]]:
    """Return the conditions of a filter; for an administrator of the cloud, in all projects."""
    conditions: list[ColumnElement[bool]] = []
    if stack_filter.tenant_safe and not context.is_admin:
        conditions.append(_S.tenant == context.tenant_id)
    if not stack_filter.show_deleted:
        conditions.append(models.ALIVE)
    if stack_filter.show_nested:
        conditions.append(models.NO_BACKUP)
    else:
        conditions.append(_S.owner_id.is_(None))
    conditions.extend(
        _matches(_S[FILTERS[name]], wanted)
        for name, wanted in (stack_filter.filters or {}).items()
        if name in FILTERS
    )
    return [*conditions, *_tag_conditions(stack_filter)]


def any_of(column: ColumnElement, values: Collection[typing.Any]) -> Iterator[ColumnElement[bool]]:
    """Yield conditions that together match the values, in their order, a part of them each."""
    ordered = sorted(values)
    for start in range(0, len(ordered), MAX_VALUES):
        yield column.in_(ordered[start : start + MAX_VALUES])


def rows_with(query: Select, column: ColumnElement, values: Collection[typing.Any]) -> Iterator:
    """Yield the rows of a query in which the column has one of the values."""
    for which in any_of(column, values):
        yield from session.execute(query.where(which))


@functools.cache
def is_unused(table: Table) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions of the rows that no foreign key refers to."""
    keys = [key for each in models.metadata.sorted_tables for key in each.foreign_keys]
    columns = [key.parent for key in keys if key.column.table is table]
    return tuple(~select(each.table.c.id).where(each == table.c.id).exists() for each in columns)


def _tag_conditions(stack_filter: StackFilter) -> list[ColumnElement[bool]]:
    conditions = []
    if stack_filter.tags:
        conditions.append(_has_all(stack_filter.tags))
    if stack_filter.tags_any:
        conditions.append(_has_any(stack_filter.tags_any))
    if stack_filter.not_tags:
        conditions.append(not_(_has_all(stack_filter.not_tags)))
    hidden = () if stack_filter.show_hidden else stack_filter.hidden_tags
    excluded = [*hidden, *(stack_filter.not_tags_any or ())]
    if excluded:
        conditions.append(not_(_has_any(excluded)))
    return conditions


def _has_any(tags: Collection[str]) -> ColumnElement[bool]:
    # SQLAlchemy correlates stack.id with the enclosing query.
    return select(_TAG.id).where(_TAG.stack_id == _S.id, _TAG.tag.in_(tags)).exists()


def _has_all(tags: Collection[str]) -> ColumnElement[bool]:
    # One condition for any number of tags: SQLite refuses an expression of more than 1000 levels.
    wanted = set(tags)
    if len(wanted) == 1:
        return _has_any(wanted)
    found = select(_TAG.stack_id).where(_TAG.tag.in_(wanted)).group_by(_TAG.stack_id)
    return _S.id.in_(found.having(func.count(_TAG.tag.distinct()) == len(wanted)))


def _matches(column: Column, wanted: Value) -> ColumnElement[bool]:
    """Compare a column with values from a URL, in one condition for any number of them."""
    values = wanted if isinstance(wanted, (list, tuple, set)) else [wanted]
    if column is _S.status:
        return _has_state(values)
    if isinstance(column.type, Boolean):
        return column.in_({strutils.bool_from_string(value) for value in values})
    if isinstance(column.type, Integer):
        texts = map(str, values)
        return column.in_({int(text) for text in texts if text.isdecimal() and len(text) < 10})
    return column.in_(set(values))


def _has_state(values: Collection[typing.Any]) -> ColumnElement[bool]:
    """Compare the state: COMPLETE is a status, CREATE_COMPLETE is an action and a status."""
    plain = {value for value in values if value in status.STATUSES}
    parts = {str(value).partition('_')[::2] for value in set(values) - plain}
    exact = or_(_S.status.in_(plain), tuple_(_S.action, _S.status).in_(parts))
    # implied, but MariaDB looks for neither alternative nor pair in an index
    return and_(_S.status.in_(plain | {each for _, each in parts}), exact)


def page_of_stacks(
    query: Select,
    context: RequestContext,
    stack_filter: StackFilter,
    limit: int | None,
    marker: str | None,
    sort_keys: Collection[str] | None,
    sort_dir: str | None,
) -> Select:
    """Return the query of one page of the stacks that match a filter.

    Without sort keys the newest stack comes first; with sort keys the order is ascending by
    default. Raises ValueError for an unknown direction.
    """
    columns = [SORTS[key] for key in sort_keys or () if key in SORTS]
    chosen = direction(sort_dir, default='asc' if columns else 'desc')
    if not stack_filter.show_deleted and session.dialect() == 'postgresql':
        # All are NULL. It sorts by an index only if the order names each column; MariaDB if not.
        query = query.order_by(getattr(_S.deleted_at, chosen)())
    # MariaDB would read all stacks in this order until it has found enough: a million of them where
    # nothing matches. In the list of all it would begin at the newest one instead of the marker.
    chooses = stack_filter.filters or stack_filter.tags or stack_filter.tags_any
    of_project = stack_filter.tenant_safe and not context.is_admin
    is_all = not (chooses or of_project or columns or stack_filter.show_deleted)
    hint = f'{"FORCE" if is_all else "IGNORE"} INDEX (ix_stack_newest)'
    query = query.with_hint(models.stack, hint, 'mysql')
    query = query.where(*stack_conditions(context, stack_filter))
    return paginate(query, models.stack, columns or [_S.created_at], chosen, limit, marker, _S.id)


def direction(given: str | None, default: str) -> str:
    """Return 'asc' or 'desc'. Raises ValueError for another direction."""
    if given and given not in DIRECTIONS:
        raise ValueError(
            f'Unknown sort direction "{given}", must be one of: {", ".join(DIRECTIONS)}'
        )
    return given or default


def paginate(
    query: Select,
    table: Table,
    columns: Sequence[Column],
    direction: str,
    limit: int | None,
    marker: str | int | None,
    marker_column: Column,
) -> Select:
    """Return the query with its order, its limit and its start after the row of the marker.

    An unknown marker is ignored. A repeated column counts once. Rows with equal keys are ordered by
    the primary key. NULL sorts first in ascending order, on each database.
    """
    keys: list[ColumnElement] = [
        key for column in dict.fromkeys(columns) for key in _with_null_first(column)
    ]
    keys.append(table.c.id)
    if marker is not None:
        last = session.first(select(*keys).where(marker_column == marker))
        if last is not None:
            query = query.where(_after(keys, last, direction))
    query = query.order_by(*(getattr(key, direction)() for key in keys))
    return query if limit is None else query.limit(limit)


def _with_null_first(column: Column) -> list[ColumnElement]:
    # created_at is never NULL in practice, and an index is usable only for the plain column.
    if not column.nullable or column.name == 'created_at':
        return [column]
    return [case((column.is_(None), 0), else_=1), column]


def _after(keys: Sequence[ColumnElement], last: typing.Any, direction: str) -> ColumnElement[bool]:
    """Return the condition of rows after the given one: a > A or (a = A and b > B) or ...

    PostgreSQL begins to read an index at a >= A, which is implied, but not at an alternative.
    """
    options: list[ColumnElement[bool]] = []
    equal: list[ColumnElement[bool]] = []
    for key, value in zip(keys, last, strict=True):
        if value is not None:
            options.append(and_(*equal, key > value if direction == 'asc' else key < value))
        equal.append(key.is_(None) if value is None else key == value)
    first, value = keys[0], last[0]
    if value is None:
        return or_(*options)
    return and_(first >= value if direction == 'asc' else first <= value, or_(*options))
