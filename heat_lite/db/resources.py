"""Rows of resources, read. A walker's changes to them go through ``journal``; what others change is here."""

import collections
import typing
from collections.abc import Collection

from sqlalchemy import bindparam, delete, insert, select, update

from heat_lite.db import models, seals, session, together
from heat_lite.db.types import row_type

_R, _P, _D = models.resource, models.resource_properties_data, models.resource_data


_ResourceRow: typing.Any = row_type(*_R.c.keys(), 'properties', 'data')


class ResourceRow(_ResourceRow):
    """All columns of a resource, its properties as they were at its last action, and its data by key."""

    __slots__ = ()


_LISTED = [
    _R.c[name]
    for name in 'id uuid name stack_id nova_instance current_template_id action status status_reason created_at updated_at'.split()
]
_ListedResource: typing.Any = row_type(*(column.name for column in _LISTED))


class ListedResource(_ListedResource):
    """What a list shows of a resource."""

    __slots__ = ()


_LIST = select(*_LISTED).where(_R.c.stack_id.in_(bindparam('stack_ids', expanding=True))).order_by(_R.c.id)
_DATA = select(_D.c.resource_id, _D.c.key, _D.c.value, _D.c.decrypt_method)
_ROWS = select(_R, _P.c.data).outerjoin(_P, _R.c.rsrc_prop_data_id == _P.c.id)


def for_stack(context, stack_id: str) -> list[ResourceRow]:
    """All rows of a stack by id, with their properties and data."""
    return _together.get(context, stack_id) or []


@session.reader
def of_name(context, stack_id: str, name: str) -> list[ResourceRow]:
    """The rows of one name: that of a resource, and those that it replaces or is replaced by."""
    which = (_R.c.stack_id == stack_id) & (_R.c.name == name)
    return _rows(_ROWS.where(which).order_by(_R.c.id), which)


@session.reader
def for_stacks(context, stack_ids: Collection[str]) -> list[ResourceRow]:
    """The rows of several stacks, by id."""
    if not stack_ids:
        return []
    return _rows(_ROWS.where(_R.c.stack_id.in_(stack_ids)).order_by(_R.c.id), _R.c.stack_id.in_(stack_ids))


@session.reader
def listed(context, stack_ids: Collection[str]) -> dict[str, list[ListedResource]]:
    """The rows of each stack by id, without what is heavy: properties, data, metadata, and what requires what."""
    found = collections.defaultdict(list)
    for row in session.execute(_LIST, {'stack_ids': stack_ids}) if stack_ids else ():
        found[row.stack_id].append(ListedResource(*row))
    return found


@session.reader
def get(context, resource_id: int) -> ResourceRow | None:
    return _first(_ROWS.where(_R.c.id == resource_id))


@session.reader
def get_by_name(context, stack_id: str, name: str) -> ResourceRow | None:
    """The newest row of that name: one that is being replaced is older."""
    return _first(_ROWS.where(_R.c.stack_id == stack_id, _R.c.name == name).order_by(_R.c.id.desc()).limit(1))


@session.reader
def get_by_physical_id(context, physical_id: str) -> ResourceRow | None:
    """The row of an object of the cloud, in the stacks of this project."""
    stack = models.stack
    query = _ROWS.join(stack, _R.c.stack_id == stack.c.id).where(_R.c.nova_instance == physical_id)
    query = query.where((stack.c.tenant == context.tenant_id) | (stack.c.stack_user_project_id == context.tenant_id))
    return _first(query.order_by(_R.c.id.desc()).limit(1))


def _rows(query, which):
    data = _data(_DATA.join(_R).where(which))
    return [ResourceRow(*row, data.get(row[0], {})) for row in session.execute(query)]


def _first(query):
    row = session.execute(query).first()
    if row is None:
        return None
    data = _data(_DATA.where(_D.c.resource_id == row.id))
    return ResourceRow(*row, data.get(row.id, {}))


def _data(query):
    found = collections.defaultdict(dict)
    for resource_id, key, value, method in session.execute(query):
        found[resource_id][key] = seals.unseal(method, value)
    return found


@session.reader
def metadata(context, resource_id: int) -> tuple[typing.Any, int | None] | None:
    """The metadata and the atomic key with which ``set_metadata`` may replace it; None where the row is gone."""
    row = session.execute(select(_R.c.rsrc_metadata, _R.c.atomic_key).where(_R.c.id == resource_id)).first()
    return row and (row.rsrc_metadata, row.atomic_key)


#: for ``set_metadata``: over whatever there is
ANY_KEY = object()


@session.writer
def set_metadata(context, resource_id: int, metadata, expect=ANY_KEY) -> bool:
    """Store the metadata; with ``expect`` only over that atomic key, which is then one higher, so that no signal is lost between two."""
    query = update(_R).where(_R.c.id == resource_id)
    values = {'rsrc_metadata': metadata}
    if expect is not ANY_KEY:
        query = query.where(_R.c.atomic_key == expect)
        values['atomic_key'] = (expect or 0) + 1
    return session.execute(query.values(values)).rowcount == 1


@session.writer
def set_data(context, resource_id: int, key: str, value, redact: bool = False):
    """Keep a value under this key of the resource, instead of the one before; sealed, if it is not for all eyes."""
    session.execute(delete(_D).where(_D.c.resource_id == resource_id, _D.c.key == key))
    session.execute(insert(_D), [data_values(resource_id, key, value, redact)])


def data_values(resource_id: int, key: str, value, redact: bool) -> dict:
    """The row of a value."""
    method, value = seals.seal(value, always=redact) if value is not None else (None, value)
    return {'resource_id': resource_id, 'key': key, 'value': value, 'redact': redact, 'decrypt_method': method}


@session.writer
def delete_data(context, resource_id: int, key: str) -> bool:
    return session.execute(delete(_D).where(_D.c.resource_id == resource_id, _D.c.key == key)).rowcount > 0


@session.reader
def data(context, resource_id: int) -> list[tuple[str, str | None, bool]]:
    """(key, value, redact) of one resource: what ``heat-lite-manage resource_data_list`` shows."""
    query = select(_D.c.key, _D.c.value, _D.c.redact, _D.c.decrypt_method).where(_D.c.resource_id == resource_id).order_by(_D.c.id)
    return [(key, seals.unseal(method, value), redact) for key, value, redact, method in session.execute(query)]


@session.writer
def claim(context, resource_id: int, atomic_key: int | None, engine_id: str | None) -> bool:
    """Take the row for an engine (or give it back, with None); False where somebody changed it since ``atomic_key`` was read."""
    query = update(_R).where(_R.c.id == resource_id, _R.c.atomic_key == atomic_key)
    if engine_id is not None:
        query = query.where(_R.c.engine_id.is_(None))
    return session.execute(query.values(engine_id=engine_id, atomic_key=(atomic_key or 0) + 1)).rowcount == 1


def _by_stack(context, stack_ids):
    found = collections.defaultdict(list)
    for row in for_stacks(context, stack_ids):
        found[row.stack_id].append(row)
    return found


_together = together.Reading(_by_stack)
