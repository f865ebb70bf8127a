"""Which engine works on a stack."""

import collections

from oslo_db import exception as db_exception
from sqlalchemy import delete, select, update

from heat_lite.common import exception
from heat_lite.db import batch, models, session

_L = models.stack_lock
# MariaDB ignores that there is no such stack as it ignores that there is a lock: then we would try forever
ATTEMPTS = 5


@session.writer
def acquire(context, stack_id: str, engine_id: str) -> str | None:
    """None when the lock is ours now, else the id of the engine that holds it (ours too, where it had it before)."""
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


def _holder(stack_id):
    return session.execute(select(_L.c.engine_id).where(_L.c.stack_id == stack_id)).scalar()
