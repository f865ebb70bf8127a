"""Purge: remove the rows of deleted stacks, and shared rows that nothing refers to."""

import datetime

from sqlalchemy import Table, func, select

from heat_lite.db import models, queries, revisions, session
from heat_lite.db.column_types import utcnow

UNITS = ('days', 'hours', 'minutes', 'seconds')
# Tables with rows of a stack, in an order that satisfies the foreign keys.
STACK_TABLES = (
    models.event,
    models.resource,
    models.stack_tag,
    models.stack_lock,
    models.sync_point,
    models.snapshot,
    models.watch_rule,
)
# Tables whose rows are shared, those that refer to others first.
SHARED = (
    models.user_creds,
    models.raw_template,
    models.raw_template_files,
    models.resource_properties_data,
)
SHARED_BATCH_SIZE = 500
# Shared rows are kept for some time after their last use: a template is stored, or its use is
# recorded (see templates.FRESH), shortly before a stack refers to it.
GRACE = datetime.timedelta(hours=2)


def purge_deleted(
    age: int,
    granularity: str = 'days',
    project_id: str | None = None,
    batch_size: int = 20,
    grace: datetime.timedelta = GRACE,
) -> int:
    """Purge the stacks of a project, or of all projects, that were deleted at least ``age`` ago.

    Return the number of stacks. Each batch is a transaction of its own, so that a large purge does
    not block the service. Shared rows are kept for ``grace`` after their last use. Raises
    ValueError for an invalid age, granularity or batch size.
    """
    if granularity not in UNITS:
        raise ValueError(f'granularity should be one of {", ".join(UNITS)}.')
    if age < 0 or batch_size < 1:
        raise ValueError('age must not be negative, and batch_size must be positive.')
    try:
        before = utcnow() - datetime.timedelta(**{granularity: age})
    except OverflowError as error:
        raise ValueError(f'An age of {age} {granularity} is too long.') from error
    purged = 0
    while batch := _purge_stacks(before, project_id, batch_size):
        purged += batch
    revisions.delete_expired_plans()
    for table in SHARED:
        last: int | None = 0
        while last is not None:
            last = _purge_shared(table, min(before, utcnow() - grace), last)
    return purged


@session.writer
def _purge_stacks(before: datetime.datetime, project_id: str | None, batch_size: int) -> int:
    stack = models.stack
    query = select(stack.c.id).where(stack.c.deleted_at <= before).order_by(stack.c.deleted_at)
    if project_id is not None:
        query = query.where(stack.c.tenant == project_id)
    ids = session.scalars(query.limit(batch_size))
    if not ids:
        return 0
    snapshot_ids = select(models.snapshot.c.id).where(models.snapshot.c.stack_id.in_(ids))
    part = models.resource_snapshot
    session.delete(part, part.c.snapshot_id.in_(snapshot_ids))
    rule_ids = select(models.watch_rule.c.id).where(models.watch_rule.c.stack_id.in_(ids))
    data = models.watch_data
    session.delete(data, data.c.watch_rule_id.in_(rule_ids))
    for table in STACK_TABLES:
        session.delete(table, table.c.stack_id.in_(ids))
    session.delete(stack, stack.c.id.in_(ids))
    return len(ids)


@session.writer
def _purge_shared(table: Table, before: datetime.datetime, after: int) -> int | None:
    """Delete the shared rows among the next ones after an id that nothing refers to.

    Return the last id of these, None at the end: rows that are in use are read once, not again for
    each batch of the others. Rows are locked and then checked again, because a row may have come
    into use since the query. New rows are kept: their creator has yet to refer to them.
    """
    following = select(table.c.id).where(table.c.id > after).order_by(table.c.id)
    batch = session.scalars(following.limit(SHARED_BATCH_SIZE))
    if not batch:
        return None
    unused = queries.is_unused(table)
    old = func.coalesce(table.c.updated_at, table.c.created_at) <= before
    query = select(table.c.id).where(table.c.id.between(batch[0], batch[-1]), old, *unused)
    ids = session.scalars(query.with_for_update())
    if ids:
        session.delete(table, table.c.id.in_(ids), *unused)
    return batch[-1] if len(batch) == SHARED_BATCH_SIZE else None
