"""What a turn of a walker changes, written at once: the stack, rows of resources, their properties and data, and the events about it."""

import collections
import dataclasses
import typing

from oslo_db import exception as db_exception
from sqlalchemy import delete, insert, or_, select, tuple_, update

from heat_lite.db import batch, models, resources, session, stacks, together
from heat_lite.db.types import utcnow

_INSERT_PROPERTIES = insert(models.resource_properties_data)
_INSERT_ROWS = insert(models.resource)
_INSERT_EVENTS = insert(models.event)
_INSERT_DATA = insert(models.resource_data)


class Superseded(Exception):
    """The stack is no longer as expected: another traversal, or another engine, has taken it over. Nothing was written."""


@dataclasses.dataclass
class Turn:
    """The changes of one turn. A row that has no id yet is named by its uuid, in ``properties``, ``data`` and an event's 'row' alike.

    ``holder`` is the engine that must have the stack's lock, or else nothing is written. ``release`` is the engine whose lock on the stack
    ends with the turn. ``property_ids`` is filled by ``save``: the id of the new properties by the name of the row.
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
    holder: str | None = None
    release: str | None = None
    property_ids: dict[int | str, int] = dataclasses.field(default_factory=dict)


def save(context, turn: Turn) -> list[int]:
    """Write the turn in one transaction; the ids of ``rows_added``, in order. Raises Superseded where ``expect`` does not hold.

    Turns that come while another transaction is being committed share the next one. It may be called again with the same turn after any
    failure: what turns out to be stored already is not stored twice.
    """
    if session.inside():
        return _save(context, turn)
    return _together.do((context, turn))


def _save(context, turn):
    try:
        return _write(context, [turn])[0]
    except (session.Broken, db_exception.DBDuplicateEntry) as error:
        if _is_written(context, turn):
            return _read_back(context, turn)
        if isinstance(error, session.Broken):
            return _write(context, [turn])[0]
        raise


def _save_all(wishes):
    return _write(wishes[0][0], [turn for _, turn in wishes])


_together = together.Together(_save_all, lambda wish: _save(*wish))


@session.writer
def _write(context, turns):
    """The ids of the rows that each turn has added."""
    _held(turns)
    _claim(turns)
    now = utcnow()
    kept = _keep_properties(turns, now)
    added = [_with_defaults(row, turn, kept, now) for turn in turns for row in turn.rows_added]
    ids = batch.insert(_INSERT_ROWS, added, returning=models.resource.c.id)
    known = {row['uuid']: row_id for row, row_id in zip(added, ids, strict=True) if row.get('uuid')}
    _change_rows(turns, kept)
    _keep_data(turns, known, now)
    _tell(turns, kept, now)
    gone = [row for turn in turns for row in turn.rows_gone]
    if gone:
        session.execute(delete(models.resource).where(models.resource.c.id.in_(gone)))
    _release(turns)
    numbers = iter(ids)
    for turn in turns:
        turn.property_ids = {row: kept[row] for row, _ in turn.properties}
    return [[next(numbers) for _ in turn.rows_added] for turn in turns]


def _held(turns):
    """Whoever has lost its lock has lost the stack, even if it does not know yet because it was stopped, or cut off for a while.

    The locks stay as they are until the end of the transaction: so nobody takes a stack over while something is being written about it.
    """
    wanted = {turn.stack_id: turn.holder for turn in turns if turn.holder is not None}
    if not wanted:
        return
    table = models.stack_lock
    query = select(table.c.stack_id, table.c.engine_id).where(table.c.stack_id.in_(sorted(wanted))).with_for_update()
    found = {row.stack_id: row.engine_id for row in session.execute(query)}
    lost = [stack_id for stack_id, engine_id in wanted.items() if found.get(stack_id) != engine_id]
    if lost:
        raise Superseded(lost)


def _claim(turns):
    """Change the stacks first: that holds off all others until the end, and tells whether they are still ours."""
    plain = [turn for turn in turns if turn.stack and not turn.expect]
    rows = [{'id': turn.stack_id, **stacks.with_consequences(turn.stack)} for turn in plain]
    if batch.update(models.stack, rows) != len(rows):
        raise Superseded([turn.stack_id for turn in plain])
    for turn in turns:
        if turn.expect:
            _claim_as_expected(turn)


def _claim_as_expected(turn):
    table = models.stack
    where = [table.c.id == turn.stack_id, *(table.c[name] == value for name, value in turn.expect.items())]
    if turn.stack:
        found = session.execute(update(table).where(*where).values(stacks.with_consequences(turn.stack))).rowcount
    else:
        found = len(session.execute(select(table.c.id).where(*where).with_for_update(read=True)).all())
    if not found:
        raise Superseded(turn.stack_id)


def _release(turns):
    """The locks of engines that are done with a stack."""
    table = models.stack_lock
    by_engine = collections.defaultdict(list)
    for turn in turns:
        if turn.release is not None:
            by_engine[turn.release].append(turn.stack_id)
    for engine_id, stack_ids in by_engine.items():
        session.execute(delete(table).where(table.c.engine_id == engine_id, table.c.stack_id.in_(stack_ids)))


def _keep_properties(turns, now):
    named = [pair for turn in turns for pair in turn.properties]
    rows = [{'data': data, 'encrypted': False, 'created_at': now} for _, data in named]
    ids = batch.insert(_INSERT_PROPERTIES, rows, returning=models.resource_properties_data.c.id)
    return dict(zip((row for row, _ in named), ids, strict=True))


def _with_defaults(row, turn, kept, now):
    return {'stack_id': turn.stack_id, 'created_at': now, 'rsrc_prop_data_id': kept.get(row.get('uuid')), **row}


def _change_rows(turns, kept):
    """Rows whose properties alone are new change too."""
    changes = {row['id']: row for turn in turns for row in turn.rows_changed}
    for name, properties_id in kept.items():
        if isinstance(name, int):
            changes[name] = {'id': name, **changes.get(name, {}), 'rsrc_prop_data_id': properties_id}
    batch.update(models.resource, changes.values())


def _keep_data(turns, known, now):
    """Each key of a row is there once: what is set anew is taken away first."""
    table = models.resource_data
    given = [each for turn in turns for each in turn.data]
    rows = [(known.get(row, row), key, value, redact) for row, key, value, redact in given]
    stale = {(row, key) for row, key, *_ in given if row not in known}
    stale |= {(known.get(row, row), key) for turn in turns for row, key in turn.data_gone}
    if stale:
        session.execute(delete(table).where(tuple_(table.c.resource_id, table.c.key).in_(sorted(stale))))
    batch.insert(_INSERT_DATA, [{'created_at': now, **resources.data_values(*row)} for row in rows])


def _tell(turns, kept, now):
    """Events of a row whose properties are new point at these; others may bring an older ``rsrc_prop_data_id`` along."""
    rows = []
    for turn in turns:
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
