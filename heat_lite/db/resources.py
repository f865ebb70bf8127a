"""Rows of resources: reads, metadata, data and row locks.

The changes of an action on a stack go through ``journal``.
"""

import collections
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import ColumnElement, Select, bindparam, select

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row, Value
from heat_lite.db import encryption, group_commit, models, queries, session
from heat_lite.db.column_types import row_type

_R, _P, _D = models.resource.c, models.resource_properties_data.c, models.resource_data.c
#: all columns except that of ``locks.acquire_signals``: a database of Heat lacks it before db_sync
_COLUMNS = [column for column in _R if column is not _R.signal_engine]
_ResourceRow: typing.Any = row_type(*(column.name for column in _COLUMNS), 'properties', 'data')


class ResourceRow(_ResourceRow):
    """All columns of a resource, its properties at its last action, and its data by key."""

    __slots__ = ()


LISTED = [
    _R.id,
    _R.uuid,
    _R.name,
    _R.stack_id,
    _R.nova_instance,
    _R.current_template_id,
    _R.action,
    _R.status,
    _R.status_reason,
    _R.created_at,
    _R.updated_at,
]
_ListedResource: typing.Any = row_type(*(column.name for column in LISTED))


class ListedResource(_ListedResource):
    """The columns of a resource that a list shows."""

    __slots__ = ()


_LIST = (
    select(*LISTED).where(_R.stack_id.in_(bindparam('stack_ids', expanding=True))).order_by(_R.id)
)
_DATA = select(_D.resource_id, _D.key, _D.value, _D.decrypt_method)
_ROWS = select(*_COLUMNS, _P.encrypted, _P.data).outerjoin(
    models.resource_properties_data, _R.rsrc_prop_data_id == _P.id
)


def list_by_stack(stack_id: str) -> list[ResourceRow]:
    """Return the rows of a stack in the order of ids, with their properties and data."""
    return _rows_of_stacks.get(stack_id) or []


@session.reader
def list_by_name(stack_id: str, name: str) -> list[ResourceRow]:
    """Return the rows of one resource name: the resource and its replacements."""
    return _rows((_R.stack_id == stack_id) & (_R.name == name))


@session.reader
def list_by_names(stack_id: str, names: Collection[str]) -> list[ResourceRow]:
    """Return the rows of several resource names of a stack in the order of ids."""
    found = []
    for named in queries.any_of(_R.name, names):
        found += _rows((_R.stack_id == stack_id) & named)
    return sorted(found, key=lambda row: row.id)


@session.reader
def list_by_stacks(stack_ids: Collection[str]) -> list[ResourceRow]:
    """Return the rows of several stacks in the order of ids."""
    return _rows(_R.stack_id.in_(stack_ids)) if stack_ids else []


@session.reader
def list_brief(stack_ids: Collection[str]) -> dict[str, list[ListedResource]]:
    """Return the rows of each stack by stack id.

    The rows have no properties, data, metadata and requirements.
    """
    found = collections.defaultdict(list)
    for row in session.execute(_LIST, {'stack_ids': stack_ids}) if stack_ids else ():
        found[row.stack_id].append(ListedResource(*row))
    return found


@session.reader
def template_ids(stack_id: str) -> list[int | None]:
    """Return the ids of the templates by which the resources of a stack were made."""
    query = select(_R.current_template_id).where(_R.stack_id == stack_id).distinct()
    return session.scalars(query)


@session.reader
def get(resource_id: int) -> ResourceRow | None:
    return _first(_ROWS.where(_R.id == resource_id))


@session.reader
def get_by_physical_id(context: RequestContext, physical_id: str) -> Row:
    """Return the ResourceRow of a physical resource in the stacks of the project, or None."""
    return _newest_of_project(context, _R.nova_instance == physical_id)


@session.reader
def list_by_physical_id(physical_id: str | None) -> list[ResourceRow]:
    """Return the rows of a physical id in the order of ids, of any stack."""
    return _rows(_R.nova_instance == physical_id)


@session.reader
def existing_physical_ids(physical_ids: Collection[str]) -> set[str]:
    """Return those of the physical ids that a resource of any stack has."""
    column = _R.nova_instance
    return {each for (each,) in queries.rows_with(select(column), column, physical_ids)}


@session.reader
def get_by_uuid(context: RequestContext, uuid: str) -> Row:
    """Return the ResourceRow of a UUID in the stacks of the project, or None."""
    return _newest_of_project(context, _R.uuid == uuid)


def _newest_of_project(context: RequestContext, which: ColumnElement[bool]) -> ResourceRow | None:
    stack = models.stack
    query = _ROWS.join(stack, _R.stack_id == stack.c.id).where(which)
    query = query.where(
        (stack.c.tenant == context.tenant_id) | (stack.c.stack_user_project_id == context.tenant_id)
    )
    return _first(query.order_by(_R.id.desc()).limit(1))


@session.reader
def attribute_values(ids: Collection[int]) -> dict[int, dict]:
    """Return the stored attributes by the id of their row."""
    query = select(_P.id, _P.encrypted, _P.data)
    return {
        row_id: encryption.decrypt_properties(encrypted, data)
        for row_id, encrypted, data in queries.rows_with(query, _P.id, ids)
    }


def read_each(
    stack_ids: Collection[str],
) -> typing.Iterator[tuple[str, ResourceRow | exception.InvalidEncryptionKey]]:
    """Yield (stack id, row) of the resources of stacks, in the order of ids.

    The error takes the place of a row with a secret that cannot be decrypted. The caller is in a
    transaction.
    """
    for row, data in _rows_with_data(_R.stack_id.in_(stack_ids)):
        try:
            yield row.stack_id, _complete_row(row, data)
        except exception.InvalidEncryptionKey as error:
            yield row.stack_id, error


def _rows(which: ColumnElement[bool]) -> list[ResourceRow]:
    return [_complete_row(row, data) for row, data in _rows_with_data(which)]


def _rows_with_data(which: ColumnElement[bool]) -> Iterator[tuple[typing.Any, Sequence]]:
    """Yield the chosen rows in the order of ids, and their stored data.

    The data is read last. An update that is written meanwhile gives new data to an old row, whose
    state tells that it is being updated; old data would look like that of the ended update.
    """
    rows = session.rows(_ROWS.where(which).order_by(_R.id))
    data = _data(_DATA.join(models.resource).where(which))
    for row in rows:
        yield row, data.get(row[0], ())


def _first(query: Select) -> ResourceRow | None:
    row = session.first(query)
    if row is None:
        return None
    data = _data(_DATA.where(_D.resource_id == row.id))
    return _complete_row(row, data.get(row.id, ()))


def _complete_row(row: Row, data: Sequence) -> ResourceRow:
    """Return the ResourceRow of a row and its stored ``data``: [(key, value, method)]."""
    *columns, encrypted, properties = row
    try:
        values = {key: encryption.decrypt(method, value, key) for key, value, method in data}
        plain = encryption.decrypt_properties(encrypted, properties)
    except exception.InvalidEncryptionKey as error:
        place = f'{error.subject} of resource {row.name} of stack {row.stack_id}'
        raise exception.InvalidEncryptionKey(place) from None
    return ResourceRow(*columns, plain, values)


def _data(query: Select) -> Mapping[int, list]:
    """Return the stored data by resource id: [(key, value, method)]."""
    found = collections.defaultdict(list)
    for resource_id, *value in session.rows(query):
        found[resource_id].append(value)
    return found


@session.reader
def metadata(resource_id: int) -> tuple[typing.Any, int | None] | None:
    """Return (metadata, atomic key for ``set_metadata``); None if the row is gone."""
    row = session.first(select(_R.rsrc_metadata, _R.atomic_key).where(_R.id == resource_id))
    return row and (row.rsrc_metadata, row.atomic_key)


#: For ``set_metadata``: overwrite the metadata regardless of the atomic key.
ANY_KEY = object()


@session.writer
def set_metadata(resource_id: int, metadata: Value, expect: typing.Any = ANY_KEY) -> bool:
    """Store metadata and return whether it was stored.

    With ``expect`` the metadata is stored only if the row has this atomic key, which is then
    incremented. This prevents the lost update of two concurrent signals.
    """
    values, which = {'rsrc_metadata': metadata}, [_R.id == resource_id]
    if expect is not ANY_KEY:
        which.append(_R.atomic_key == expect)
        values['atomic_key'] = (expect or 0) + 1
    return session.update(models.resource, values, *which) == 1


def data_values(resource_id: int, key: str, value: str | None, redact: bool) -> dict:
    """Return the row of ``resource_data`` for a value, encrypted if it is secret or has a NUL."""
    method = None
    if value is not None:
        # PostgreSQL refuses a NUL character, which the encrypted form does not contain.
        method, value = encryption.encrypt(value, always=redact or '\0' in str(value))
    return {
        'resource_id': resource_id,
        'key': key,
        'value': value,
        'redact': redact,
        'decrypt_method': method,
    }


@session.reader
def data(resource_id: int) -> list[tuple[str, str | None, bool]]:
    """Return (key, value, redact) of a resource, for ``heat-lite-manage resource_data_list``."""
    query = (
        select(_D.key, _D.value, _D.redact, _D.decrypt_method)
        .where(_D.resource_id == resource_id)
        .order_by(_D.id)
    )
    return [
        (key, encryption.decrypt(method, value, f'{key} of resource {resource_id}'), redact)
        for key, value, redact, method in session.execute(query)
    ]


def _grouped_by_stack(stack_ids: Collection[str]) -> Mapping[str, list[ResourceRow]]:
    found = collections.defaultdict(list)
    for row in list_by_stacks(stack_ids):
        found[row.stack_id].append(row)
    return found


_rows_of_stacks = group_commit.GroupRead(_grouped_by_stack)


def delete_unused_properties(ids: Collection[int | None]) -> int:
    """Delete the rows of these ids that no resource and no event refers to; return their number.

    The caller is in a transaction.
    """
    table = models.resource_properties_data
    return sum(
        session.delete(table, wanted, *queries.is_unused(table))
        for wanted in queries.any_of(_P.id, {*ids} - {None})
    )
