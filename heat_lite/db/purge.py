"""Removes for good what was deleted some time ago, and what nothing refers to any more."""

import datetime

from sqlalchemy import delete, func, select

from heat_lite.db import models, session
from heat_lite.db.types import utcnow

UNITS = ('days', 'hours', 'minutes', 'seconds')
# rows that belong to a stack, in an order in which they can go
OF_STACKS = (models.event, models.resource, models.stack_tag, models.stack_lock, models.sync_point, models.snapshot)
# rows that many may share, and who refers to them
SHARED = {
    models.user_creds: [models.stack.c.user_creds_id],
    models.raw_template: [models.stack.c.raw_template_id, models.stack.c.prev_raw_template_id, models.resource.c.current_template_id],
    models.raw_template_files: [models.raw_template.c.files_id],
    models.resource_properties_data: [
        models.resource.c.rsrc_prop_data_id,
        models.resource.c.attr_data_id,
        models.event.c.rsrc_prop_data_id,
    ],
}
SHARED_AT_ONCE = 500
# a template is stored, or found stored (and then marked, see templates.FRESH), a moment before a stack refers to it
GRACE = datetime.timedelta(hours=2)


def purge_deleted(context, age: int, granularity: str = 'days', project_id: str | None = None, batch_size: int = 20, grace=GRACE) -> int:
    """Purge the stacks deleted at least ``age`` ago, of one project or of all, and then what they leave behind.

    Each batch is a transaction of its own, so that a purge of years does not hold up the service. What many may share is left alone for
    the time of ``grace`` after its last use. How many stacks went.
    """
    if granularity not in UNITS:
        raise ValueError(f'granularity should be one of {", ".join(UNITS)}.')
    if age < 0 or batch_size < 1:
        raise ValueError('age must not be negative, and batch_size must be positive.')
    try:
        before = utcnow() - datetime.timedelta(**{granularity: age})
    except OverflowError as error:
        raise ValueError(f'An age of {age} {granularity} is too long.') from error
    gone = 0
    while batch := _purge_stacks(context, before, project_id, batch_size):
        gone += batch
    for table, references in SHARED.items():
        while _purge_shared(context, table, references, min(before, utcnow() - grace)):
            pass
    return gone


@session.writer
def _purge_stacks(context, before, project_id, batch_size):
    stack = models.stack
    query = select(stack.c.id).where(stack.c.deleted_at <= before).order_by(stack.c.deleted_at).limit(batch_size)
    if project_id is not None:
        query = query.where(stack.c.tenant == project_id)
    ids = session.execute(query).scalars().all()
    if not ids:
        return 0
    of_these = select(models.snapshot.c.id).where(models.snapshot.c.stack_id.in_(ids))
    session.execute(delete(models.resource_snapshot).where(models.resource_snapshot.c.snapshot_id.in_(of_these)))
    for table in OF_STACKS:
        session.execute(delete(table).where(table.c.stack_id.in_(ids)))
    session.execute(delete(stack).where(stack.c.id.in_(ids)))
    return len(ids)


@session.writer
def _purge_shared(context, table, references, before):
    """One batch of rows that nothing refers to; how many went.

    They are locked first and looked at once more: one may have been taken into use since. New ones are left alone, as whoever made them
    has yet to refer to them.
    """
    unused = [~select(column.table.c.id).where(column == table.c.id).exists() for column in references]
    old = func.coalesce(table.c.updated_at, table.c.created_at) <= before
    ids = session.execute(select(table.c.id).where(old, *unused).limit(SHARED_AT_ONCE).with_for_update()).scalars().all()
    return session.execute(delete(table).where(table.c.id.in_(ids), *unused)).rowcount if ids else 0
