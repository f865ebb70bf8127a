"""Properties that old versions of Heat stored in ``resource`` and ``event`` themselves.

Since Heat 9 both refer to ``resource_properties_data``. The batches are transactions of their own:
the move can be interrupted and repeated, and engines may run meanwhile.
"""

import collections
import io
import json
import pickle
import typing
from collections.abc import Mapping

from sqlalchemy import select

from heat_lite.common.value_types import Value, Values
from heat_lite.db import encryption, models, session

_R, _E = models.resource.c, models.event.c
#: rows of one transaction
BATCH = 200


class Moved(typing.NamedTuple):
    """The numbers of moved rows, and (id, reason) of the events whose properties are unreadable."""

    resources: int
    events: int
    unreadable: list[tuple[int, str]]


class _Values(pickle.Unpickler):
    """Reads pickled maps, lists, texts and numbers: classes could run code of their own."""

    def find_class(self, module: str, name: str) -> typing.Any:
        if (module, name) == ('collections', 'OrderedDict'):
            return collections.OrderedDict
        raise ValueError(f'it contains an object of {module}.{name}')


def move() -> Moved:
    """Move the properties of all resources and events that have them in their own rows."""
    resources = 0
    while count := _move_resources():
        resources += count
    events = 0
    last: int | None = 0
    unreadable: list[tuple[int, str]] = []
    while last is not None:
        count, wrong, last = _move_events(last)
        events += count
        unreadable += wrong
    return Moved(resources, events, unreadable)


@session.writer
def _move_resources() -> int:
    query = select(_R.id, _R.properties_data, _R.properties_data_encrypted)
    query = query.add_columns(_R.rsrc_prop_data_id).where(_R.properties_data.is_not(None))
    rows = session.rows(query.limit(BATCH).with_for_update())
    for row in rows:
        values: Values = {'properties_data': None}
        if row.properties_data and row.rsrc_prop_data_id is None:
            encrypted = bool(row.properties_data_encrypted)
            values['rsrc_prop_data_id'] = _store(encrypted, row.properties_data)
        session.update(models.resource, {'updated_at': _R.updated_at, **values}, _R.id == row.id)
    return len(rows)


@session.writer
def _move_events(last: int) -> tuple[int, list[tuple[int, str]], int | None]:
    """Return (number of moved rows, unreadable ones, the last id); the id is None at the end."""
    query = select(_E.id, _E.resource_properties, _E.rsrc_prop_data_id)
    query = query.where(_E.resource_properties.is_not(None), _E.id > last)
    rows = session.rows(query.order_by(_E.id).limit(BATCH).with_for_update())
    unreadable = []
    for row in rows:
        values: Values = {'resource_properties': None}
        try:
            found = _read(row.resource_properties)
        except Exception as error:  # a damaged pickle fails in any way
            unreadable.append((row.id, str(error) or type(error).__name__))
            continue
        if found and row.rsrc_prop_data_id is None:
            values['rsrc_prop_data_id'] = _store(*encryption.encrypt_properties(found))
        session.update(models.event, {'updated_at': _E.updated_at, **values}, _E.id == row.id)
    return len(rows) - len(unreadable), unreadable, rows[-1].id if rows else None


def _store(encrypted: bool, values: Mapping[str, typing.Any]) -> int:
    return session.insert_row(
        models.resource_properties_data, {'data': values, 'encrypted': encrypted}
    )


def _read(data: Value) -> Value:
    values = _Values(io.BytesIO(data)).load()
    if values is not None and not isinstance(values, dict):
        raise ValueError('it is no map')
    json.dumps(values)  # what JSON cannot say must not stop the whole batch later
    return values
