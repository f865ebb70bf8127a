"""Reads of stacks in a database of Heat to which no column has been added yet."""

from collections.abc import Iterator

from sqlalchemy import select

from heat_lite.common.context import RequestContext
from heat_lite.db import heat_schema, models, session
from heat_lite.db.stacks import StackRow

_S = models.stack
_COLUMNS = [column for column in _S.c if column.name not in heat_schema.OWN_COLUMNS['stack']]
_BLANK = dict.fromkeys(StackRow._fields)


def living_stacks(context: RequestContext, batch_size: int) -> Iterator[StackRow]:
    """Yield the rows of all stacks that are not deleted, in the order of ids.

    Columns that Heat does not have, and tags, are None.
    """
    last = ''
    while rows := _batch(context, last, batch_size):
        yield from rows
        last = rows[-1].id


@session.reader
def _batch(context, last, batch_size):
    query = (
        select(*_COLUMNS)
        .where(_S.c.id > last, _S.c.deleted_at.is_(None))
        .order_by(_S.c.id)
        .limit(batch_size)
    )
    return [_row(row) for row in session.execute(query)]


@session.reader
def stack(context: RequestContext, stack_id: str) -> StackRow | None:
    """Return the row of a stack, as ``living_stacks`` does; None if there is none."""
    found = session.execute(select(*_COLUMNS).where(_S.c.id == stack_id)).first()
    return found and _row(found)


def _row(found):
    return StackRow(**{**_BLANK, **found._mapping})
