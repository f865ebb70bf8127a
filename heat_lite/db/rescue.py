"""By hand, where all else has failed: a stack is declared to have failed, and nobody works on it any more."""

from sqlalchemy import delete, select, update

from heat_lite.common import exception, status
from heat_lite.db import models, session, stacks
from heat_lite.db.types import utcnow

# Heat's words
REASON = 'Stack status manually reset'

_S, _R = models.stack, models.resource


@session.writer
def reset(context, stack_id: str) -> int:
    """Set what is in progress of a stack, and of the stacks inside it, to FAILED, and free it of its locks. How many stacks there are.

    Raises EntityNotFound. An engine that still works on one of them writes nothing more, since it has lost the lock.
    """
    if session.execute(select(_S.c.id).where(_S.c.id == stack_id, _S.c.deleted_at.is_(None))).first() is None:
        raise exception.EntityNotFound(entity='Stack', name=stack_id)
    tree = stacks.tree(context, stack_id)
    for table, mine in ((_S, _S.c.id), (_R, _R.c.stack_id)):
        failed = {'status': status.FAILED, 'status_reason': REASON, 'updated_at': utcnow()}
        session.execute(update(table).where(mine.in_(tree), table.c.status == status.IN_PROGRESS).values(failed))
    session.execute(update(_S).where(_S.c.id.in_(tree)).values(asker=None))
    session.execute(update(_R).where(_R.c.stack_id.in_(tree)).values(engine_id=None))
    for table in (models.stack_lock, models.sync_point):
        session.execute(delete(table).where(table.c.stack_id.in_(tree)))
    return len(tree)
