"""What a turn of a walker changes, written at once: the stack, rows of resources, their properties and data, and the events about it."""

import dataclasses
import typing

from oslo_db import exception as db_exception
from sqlalchemy import delete, insert, or_, select, tuple_, update

from heat_lite.db import batch, models, resources, session, stacks
from heat_lite.db.types import utcnow

_INSERT_PROPERTIES = insert(models.resource_properties_data)
_INSERT_ROWS = insert(models.resource)
_INSERT_EVENTS = insert(models.event)
_INSERT_DATA = insert(models.resource_data)


class Superseded(Exception):
    """The stack is no longer as expected: another traversal has taken it over. Nothing was written."""


@dataclasses.dataclass
class Turn:
    """The changes of one turn. A row that has no id yet is named by its uuid, in ``properties``, ``data`` and an event's 'row' alike.

    ``property_ids`` is filled by ``save``: the id of the new properties by the name of the row.
    """

    stack_id: str
    stack: dict | None = None
    expect: dict = dataclasses.field(default_factory=dict)
    rows_added: list[dict] = dataclasses.field(default_factory=list)
    rows_changed: list[dict] = dataclasses.field(default_factory=list)
    rows_gone: list[int] = dataclasses.field(default_factory=list)
    properties: list[tuple[int | str, dict]] = dataclasses.field(default_factory=list)
    events: list[dict] = dataclasses.field(default_factory=list)
    data: list[tuple[int | str, str, typing.Any, bool]] = dataclasses.field(default_factory=list)
    data_gone: list[tuple[int | str, str]] = dataclasses.field(default_factory=list)
    property_ids: dict[int | str, int] = dataclasses.field(default_factory=dict)


def save(context, turn: Turn) -> list[int]:
    """Write the turn in one transaction; the ids of ``rows_added``, in order. Raises Superseded where ``expect`` does not hold.

    It may be called again with the same turn after any failure: what turns out to be stored already is not stored twice.
    """
    try:
        return _write(context, turn)
    except (session.Broken, db_exception.DBDuplicateEntry) as error:
        if _is_written(context, turn):
            return _read_back(context, turn)
        if isinstance(error, session.Broken):
            return _write(context, turn)
        raise


@session.writer
def _write(context, turn):
    _claim(turn)
    now = utcnow()
    kept = _keep_properties(turn, now)
    ids = _add_rows(turn, kept, now)
    known = {row['uuid']: row_id for row, row_id in zip(turn.rows_added, ids, strict=True) if row.get('uuid')}
    _change_rows(turn, kept)
    _keep_data(turn, known, now)
    _tell(turn, kept, now)
    if turn.rows_gone:
        session.execute(delete(models.resource).where(models.resource.c.id.in_(turn.rows_gone)))
    turn.property_ids = kept
    return ids


def _claim(turn):
    """Change the stack first: it holds off all others until the end, and tells whether it is still ours."""
    table = models.stack
    where = [table.c.id == turn.stack_id, *(table.c[name] == value for name, value in turn.expect.items())]
    if turn.stack:
        found = session.execute(update(table).where(*where).values(stacks.with_liveness(turn.stack))).rowcount
    elif turn.expect:
        found = len(session.execute(select(table.c.id).where(*where).with_for_update(read=True)).all())
    else:
        return
    if not found:
        raise Superseded(turn.stack_id)


def _keep_properties(turn, now):
    rows = [{'data': data, 'encrypted': False, 'created_at': now} for _, data in turn.properties]
    ids = batch.insert(_INSERT_PROPERTIES, rows, returning=models.resource_properties_data.c.id)
    return dict(zip((row for row, _ in turn.properties), ids, strict=True))


def _add_rows(turn, kept, now):
    rows = [
        {'stack_id': turn.stack_id, 'created_at': now, 'rsrc_prop_data_id': kept.get(row.get('uuid')), **row} for row in turn.rows_added
    ]
    return batch.insert(_INSERT_ROWS, rows, returning=models.resource.c.id)


def _change_rows(turn, kept):
    """Rows whose properties alone are new change too."""
    changes = {row['id']: row for row in turn.rows_changed}
    for name, properties_id in kept.items():
        if isinstance(name, int):
            changes[name] = {'id': name, **changes.get(name, {}), 'rsrc_prop_data_id': properties_id}
    batch.update(models.resource, changes.values())


def _keep_data(turn, known, now):
    """Each key of a row is there once: what is set anew is taken away first."""
    table = models.resource_data
    rows = [(known.get(row, row), key, value, redact) for row, key, value, redact in turn.data]
    stale = {(row, key) for row, key, *_ in turn.data if row not in known}
    stale |= {(known.get(row, row), key) for row, key in turn.data_gone}
    if stale:
        session.execute(delete(table).where(tuple_(table.c.resource_id, table.c.key).in_(sorted(stale))))
    batch.insert(_INSERT_DATA, [{'created_at': now, **resources.data_values(*row)} for row in rows])


def _tell(turn, kept, now):
    """Events of a row whose properties are new point at these; others may bring an older ``rsrc_prop_data_id`` along."""
    rows = []
    for event in turn.events:
        row = {'stack_id': turn.stack_id, 'created_at': now, **event}
        name = row.pop('row', None)
        if name in kept:
            row['rsrc_prop_data_id'] = kept[name]
        rows.append(row)
    batch.insert(_INSERT_EVENTS, rows)


@session.reader
def _is_written(context, turn):
    """Whether a turn, of whose commit nobody heard, is stored. One without new rows and events may as well be written once more."""
    for table, rows in ((models.event, turn.events), (models.resource, turn.rows_added)):
        uuid = next((row['uuid'] for row in rows if row.get('uuid')), None)
        if uuid is not None:
            return session.execute(select(table.c.id).where(table.c.uuid == uuid)).first() is not None
    return False


@session.reader
def _read_back(context, turn):
    """What ``_write`` would have told."""
    table = models.resource
    names = [name for name, _ in turn.properties] + [row.get('uuid') for row in turn.rows_added]
    ids, uuids = [name for name in names if isinstance(name, int)], [name for name in names if isinstance(name, str)]
    query = select(table.c.id, table.c.uuid, table.c.rsrc_prop_data_id).where(or_(table.c.id.in_(ids), table.c.uuid.in_(uuids)))
    found = {name: row for row in session.execute(query) for name in (row.id, row.uuid)}
    turn.property_ids = {name: found[name].rsrc_prop_data_id for name, _ in turn.properties if name in found}
    return [found[row['uuid']].id for row in turn.rows_added]
