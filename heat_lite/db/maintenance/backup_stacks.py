"""Rows of Heat's legacy engine, brought into the form that actions of this service expect.

The legacy engine stores neither the requirements of resources nor the template of each. What an
update has replaced is in a backup stack, ``NAME*``, that the stack owns.
"""

from sqlalchemy import select

from heat_lite.common import status
from heat_lite.common.value_types import Values
from heat_lite.db import models, session
from heat_lite.db.column_types import utcnow

_S, _R = models.stack.c, models.resource.c


@session.writer
def absorb_backups(stack_id: str) -> int:
    """Give the resources of the backup stacks of a stack to the stack itself.

    Each row gets its template, which tells it from the newer row of its name. The backup stacks
    are marked deleted. Return their number. The caller holds the lock of the stack.
    """
    owned = (_S.owner_id == stack_id) & _S.backup.is_(True) & models.ALIVE
    found = session.rows(select(_S.id, _S.raw_template_id).where(owned))
    main = session.scalar(select(_S.raw_template_id).where(_S.id == stack_id))
    for backup in [*found, (stack_id, main)]:
        _assign_template(*backup)
    for backup_id, _ in found:
        moved = {'stack_id': stack_id, 'updated_at': _R.updated_at}
        session.update(models.resource, moved, _R.stack_id == backup_id)
        nested = (_S.owner_id == backup_id) & models.NO_BACKUP
        session.update(models.stack, {'owner_id': stack_id}, nested)
        ended = {'action': status.DELETE, 'status': status.COMPLETE, 'deleted_at': utcnow()}
        session.update(models.stack, ended, _S.id == backup_id)
    return len(found)


def _assign_template(stack_id: str, template_id: int) -> None:
    rows = (_R.stack_id == stack_id) & _R.current_template_id.is_(None)
    values = {'current_template_id': template_id, 'updated_at': _R.updated_at}
    session.update(models.resource, values, rows)


@session.writer
def store_requirements(requires: dict[int, list[int]]) -> None:
    """Store the ids of the rows that each row requires, by its id."""
    for row_id, ids in requires.items():
        values: Values = {'requires': ids, 'updated_at': _R.updated_at}
        session.update(models.resource, values, _R.id == row_id)
