"""Locks: which engine processes a stack, and which one handles a signal to a resource.

Tests: tests/unit/db/test_locks.py.
"""

import collections
import json
from collections.abc import Callable, Mapping

from oslo_db import exception as db_exception
from sqlalchemy import ColumnElement, Table, exists, func, select

from heat_lite.common import exception, status
from heat_lite.db import batch, group_commit, models, queries, session

_L, _R, _T = models.stack_lock.c, models.resource.c, models.resource_signal.c
# MariaDB's INSERT IGNORE also ignores a missing stack, so the number of attempts is limited.
ATTEMPTS = 5
#: key of the column ``quarantine``: by the id of a dead engine, whether it has ended itself
ENDED = 'ended'


def acquire(stack_id: str, engine_id: str) -> str | None:
    """Acquire the lock of a stack. Return None, or the id of the engine that holds the lock.

    The holder can be ``engine_id`` itself. Raises EntityNotFound when there is no such stack.
    """
    request = stack_id, engine_id
    if session.retries_forever() and not session.in_transaction():
        return _acquisitions.submit(request)
    return _acquire_once(request)


def _acquire_many(requests: list[tuple[str, str]]) -> list[str | None]:
    """Acquire all locks or none. The individual attempts then find the holder of each lock."""
    return session.write_once(lambda: _insert(requests), lambda: _find_inserted(requests))


@session.writer
def _insert(requests: list[tuple[str, str]]) -> list[str | None]:
    rows = [
        {'stack_id': stack_id, 'engine_id': engine_id} for stack_id, engine_id in sorted(requests)
    ]
    if session.execute(batch.insert_or_ignore(models.stack_lock), rows).rowcount != len(rows):
        raise LookupError('Some of the stacks are locked already.')
    return [None] * len(rows)


def _find_inserted(requests: list[tuple[str, str]]) -> list[str | None] | None:
    are_held = all(holder(stack_id) == engine_id for stack_id, engine_id in requests)
    return [None] * len(requests) if are_held else None


def _acquire_once(request: tuple[str, str]) -> str | None:
    return _take_once(*request, lambda: _acquire(*request))


def _take_once(stack_id: str, engine_id: str, take: Callable[[], str | None]) -> str | None:
    """Return what ``take`` returns in a transaction: None, or the id of the holder of the lock.

    None also if a transaction whose commit had an unknown outcome has taken the lock.
    """
    answers: list[str | None] = []

    @session.writer
    def attempt() -> list[str | None]:
        answers.append(take())
        return answers[-1:]

    def find() -> list[str | None] | None:
        return _find_inserted([(stack_id, engine_id)]) if None in answers else None

    return session.write_once(attempt, find)[0]


def _acquire(stack_id: str, engine_id: str) -> str | None:
    row = {'stack_id': stack_id, 'engine_id': engine_id}
    for _ in range(ATTEMPTS):
        try:
            inserted = session.execute(batch.insert_or_ignore(models.stack_lock), row).rowcount == 1
        except db_exception.DBReferenceError:
            break
        if inserted:
            return None
        engine = holder(stack_id)
        if engine is not None:
            return engine
        # The lock was released between the two statements: try again.
    raise exception.no_stack(stack_id)


def steal(stack_id: str, old: str, new: str) -> str | None:
    """Transfer the lock from a dead engine to another one.

    Return None, or the id of the engine that holds the lock instead.
    """

    def take() -> str | None:
        held = _L.stack_id == stack_id, _L.engine_id == old
        stolen = session.update(models.stack_lock, {'engine_id': new}, *held) == 1
        return None if stolen else _acquire(stack_id, new)

    return _take_once(stack_id, new, take)


def hold(locks: Mapping[str, str]) -> list[str]:
    """Keep stack locks until the transaction of the caller ends; return those that it has lost.

    ``locks`` has engines by stacks. The rows are written, because the nodes of a Galera cluster
    compare what transactions have written: a row that is only locked can change on another node.
    """
    engines = collections.defaultdict(list)
    for stack_id, engine_id in locks.items():
        engines[engine_id].append(stack_id)
    kept = 0
    for engine_id, stack_ids in sorted(engines.items()):
        for chosen in queries.any_of(_L.stack_id, stack_ids):
            held = chosen, _L.engine_id == engine_id
            kept += session.update(models.stack_lock, {'uses': _L.uses + 1}, *held)
    if kept == len(locks):
        return []
    query = select(_L.stack_id, _L.engine_id)
    found = set(map(tuple, queries.rows_with(query, _L.stack_id, locks)))
    return [each[0] for each in locks.items() if each not in found]


@session.repeatable_writer
def release(stack_id: str, engine_id: str) -> None:
    """Release the lock if this engine holds it."""
    session.delete(models.stack_lock, _L.stack_id == stack_id, _L.engine_id == engine_id)


def _guarded(key: str | int) -> tuple[Table, ColumnElement[bool]]:
    """Return the table with the column ``quarantine``, and the condition for its row."""
    return (
        (models.stack_lock, _L.stack_id == key)
        if isinstance(key, str)
        else (models.resource_signal, _T.id == key)
    )


@session.reader
def quarantine(key: str | int) -> dict | None:
    """Return the column ``quarantine`` of the lock of a stack, or of a signal that waits.

    ``key`` is the id of either. None where the column is empty, or there is no row.
    """
    table, is_row = _guarded(key)
    text = session.scalar(select(table.c.quarantine).where(is_row))
    return None if text is None else json.loads(text)


@session.repeatable_writer
def set_quarantine(key: str | int, engine_id: str, value: dict | None) -> bool:
    """Store the column ``quarantine``. Return False if the row is not that of this engine.

    What is known of the ends of engines stays.
    """
    table, is_row = _guarded(key)
    is_own = is_row, table.c.engine_id == engine_id
    stored = session.first(select(table.c.quarantine).where(*is_own).with_for_update())
    if stored is None:
        return False
    if value is not None and stored.quarantine is not None:
        ended = json.loads(stored.quarantine).get(ENDED)
        value = {**value, ENDED: ended} if ended else value
    text = None if value is None else json.dumps(value)
    session.update(table, {'quarantine': text}, *is_own)
    return True


@session.repeatable_writer
def record_engine_end(engine_id: str, by_itself: bool) -> None:
    """Note how an engine has ended, in each column ``quarantine`` that names it."""
    for table, key in ((models.stack_lock, _L.stack_id), (models.resource_signal, _T.id)):
        query = select(key, table.c.quarantine).where(table.c.quarantine.contains(engine_id))
        for row_key, text in session.rows(query.order_by(key).with_for_update()):
            value = json.loads(text)
            value[ENDED] = {**value.get(ENDED, {}), engine_id: by_itself}
            session.update(table, {'quarantine': json.dumps(value)}, key == row_key)


@session.reader
def stack_ids_of(engine_id: str) -> list[str]:
    """Return the ids of the stacks that an engine has locked."""
    return session.scalars(select(_L.stack_id).where(_L.engine_id == engine_id))


@session.reader
def stack_ids_by_engine() -> dict[str, list[str]]:
    """Return the ids of all locked stacks by the id of the engine that has locked them."""
    found = collections.defaultdict(list)
    for stack_id, engine_id in session.execute(select(_L.stack_id, _L.engine_id)):
        found[engine_id].append(stack_id)
    return dict(found)


@session.reader
def stacks_at_work(limit: int) -> list:
    """Return the locked top-level stacks of all projects, the longest at work first.

    A row has ``engine_id``, ``id``, ``name``, ``tenant``, ``action``, ``status`` and ``since``.
    """
    table = models.stack
    since = func.coalesce(table.c.updated_at, table.c.created_at).label('since')
    found = table.c.id, table.c.name, table.c.tenant, table.c.action, table.c.status
    query = select(_L.engine_id, *found, since).join(table, table.c.id == _L.stack_id)
    top = query.where(table.c.owner_id.is_(None)).order_by(since, table.c.id).limit(limit)
    return list(session.execute(top))


@session.reader
def unlocked_in_progress() -> list[str]:
    """Return the ids of the stacks that are in progress without a lock."""
    table = models.stack
    locked = exists().where(_L.stack_id == table.c.id)
    query = select(table.c.id).where(
        table.c.status == status.IN_PROGRESS,
        table.c.deleted_at.is_(None),
        models.NO_BACKUP,
        ~locked,
    )
    return session.scalars(query)


@session.reader
def holder(stack_id: str) -> str | None:
    """Return the id of the engine that holds the lock."""
    return session.scalar(select(_L.engine_id).where(_L.stack_id == stack_id))


@session.repeatable_writer
def acquire_signals(row_id: int, engine_id: str, gone: str | None = None) -> str | None:
    """Acquire the right to handle signals to a resource. Return None, or the id of its holder.

    ``gone``: the id of a dead engine, whose lock is taken over. A row that does not exist cannot
    be locked, and its signals have no effect: the result is None.
    """
    query = select(_R.signal_engine).where(_R.id == row_id).with_for_update()
    row = session.first(query)
    if row is None:
        return None
    if row.signal_engine not in (None, engine_id, gone):
        return row.signal_engine
    session.update(models.resource, {'signal_engine': engine_id}, _R.id == row_id)
    return None


@session.repeatable_writer
def release_signals(row_id: int, engine_id: str) -> None:
    """Release the lock if this engine holds it."""
    held = _R.id == row_id, _R.signal_engine == engine_id
    session.update(models.resource, {'signal_engine': None}, *held)


_acquisitions = group_commit.GroupCommit(_acquire_many, _acquire_once)
