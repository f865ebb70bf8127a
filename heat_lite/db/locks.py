"""Which engine works on a stack."""

import collections

from oslo_db import exception as db_exception
from sqlalchemy import delete, exists, select, update

from heat_lite.common import exception, status
from heat_lite.db import batch, models, session, together

_L = models.stack_lock
# MariaDB ignores that there is no such stack as it ignores that there is a lock: then we would try forever
ATTEMPTS = 5


def acquire(context, stack_id: str, engine_id: str) -> str | None:
    """None when the lock is ours now, else the id of the engine that holds it (ours too, where it had it before)."""
    wish = context, stack_id, engine_id
    return _together.do(wish) if session.is_patient() and not session.inside() else _acquire(*wish)


def _acquire_all(wishes):
    """All of them, or none: then who is in the way shows when they go one by one."""
    rows = [{'stack_id': stack_id, 'engine_id': engine_id} for _, stack_id, engine_id in wishes]
    _insert_all(wishes[0][0], sorted(rows, key=lambda row: row['stack_id']))
    return [None] * len(wishes)


@session.writer
def _insert_all(context, rows):
    if session.execute(batch.insert_or_ignore(_L), rows).rowcount != len(rows):
        raise LookupError('some are locked already')


@session.writer
def _acquire(context, stack_id, engine_id):
    for _ in range(ATTEMPTS):
        try:
            inserted = session.execute(batch.insert_or_ignore(_L), {'stack_id': stack_id, 'engine_id': engine_id}).rowcount == 1
        except db_exception.DBReferenceError:
            break
        if inserted:
            return None
        holder = _holder(stack_id)
        if holder is not None:
            return holder
        # nobody: it was set free just between the two statements, so once more
    raise exception.EntityNotFound(entity='Stack', name=stack_id)


@session.writer
def steal(context, stack_id: str, old: str, new: str) -> str | None:
    """Take the lock from an engine that is dead; None when it is ours now, else the id of the engine that was quicker."""
    query = update(_L).where(_L.c.stack_id == stack_id, _L.c.engine_id == old)
    if session.execute(query.values(engine_id=new)).rowcount == 1:
        return None
    return acquire(context, stack_id, new)


@session.writer
def release(context, stack_id: str, engine_id: str) -> bool:
    """Set the lock free, if that engine has it."""
    return session.execute(delete(_L).where(_L.c.stack_id == stack_id, _L.c.engine_id == engine_id)).rowcount == 1


@session.reader
def holder(context, stack_id: str) -> str | None:
    """The id of the engine that holds the lock."""
    return _holder(stack_id)


@session.reader
def held_by(context, engine_id: str) -> list[str]:
    """The ids of the stacks that an engine has locked."""
    return list(session.execute(select(_L.c.stack_id).where(_L.c.engine_id == engine_id)).scalars())


@session.reader
def by_engine(context) -> dict[str, list[str]]:
    """The ids of all stacks that are locked, by the id of the engine that has locked them."""
    found = collections.defaultdict(list)
    for stack_id, engine_id in session.execute(select(_L.c.stack_id, _L.c.engine_id)):
        found[engine_id].append(stack_id)
    return dict(found)


@session.reader
def missing(context) -> list[str]:
    """The ids of the stacks that are in progress, although no engine has locked them."""
    table = models.stack
    held = exists().where(_L.c.stack_id == table.c.id)
    query = select(table.c.id).where(table.c.status == status.IN_PROGRESS, table.c.deleted_at.is_(None), ~held)
    return list(session.execute(query).scalars())


def _holder(stack_id):
    return session.execute(select(_L.c.engine_id).where(_L.c.stack_id == stack_id)).scalar()


_together = together.Together(_acquire_all, lambda wish: _acquire(*wish))
