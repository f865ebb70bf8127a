"""Snapshots of stacks and of their resources."""

from sqlalchemy import delete as sql_delete
from sqlalchemy import func, insert, select
from sqlalchemy import update as sql_update

from heat_lite.common import status
from heat_lite.db import models, session, together
from heat_lite.db.types import utcnow

_S, _R = models.snapshot, models.resource_snapshot


@session.writer
def create(context, values: dict) -> str:
    """A snapshot of a stack: stack_id, name, tenant (the context's unless given), state and data. Its id."""
    return session.execute(insert(_S).values({'tenant': context.tenant_id, **values})).inserted_primary_key[0]


@session.reader
def get(context, snapshot_id: str, stack_id: str | None = None):
    """The snapshot, in this project and, where given, of that stack."""
    query = select(_S).where(_S.c.id == snapshot_id, _S.c.tenant == context.tenant_id)
    return session.execute(query if stack_id is None else query.where(_S.c.stack_id == stack_id)).first()


@session.writer
def update(context, snapshot_id: str, values: dict) -> bool:
    return session.execute(sql_update(_S).where(_S.c.id == snapshot_id).values(values)).rowcount == 1


@session.reader
def being_deleted(context):
    """(id, stack_id, updated_at) of all that are, of all projects."""
    query = select(_S.c.id, _S.c.stack_id, _S.c.updated_at).where(_S.c.action == status.DELETE, _S.c.status == status.IN_PROGRESS)
    return session.execute(query).all()


@session.writer
def touch(context, snapshot_id: str, seen):
    """Say that somebody is at it, who has last seen it so: when that was; None where somebody else has said so since, or it is gone."""
    now = utcnow()
    query = sql_update(_S).where(_S.c.id == snapshot_id, _S.c.updated_at == seen, _S.c.status == status.IN_PROGRESS)
    return now if session.execute(query.values(updated_at=now)).rowcount == 1 else None


@session.writer
def delete(context, snapshot_id: str) -> bool:
    """Remove it with the snapshots of the resources."""
    session.execute(sql_delete(_R).where(_R.c.snapshot_id == snapshot_id))
    return session.execute(sql_delete(_S).where(_S.c.id == snapshot_id)).rowcount == 1


def count(context, stack_id: str) -> int:
    return _together.get(context, stack_id) or 0


@session.writer
def add_resource(context, snapshot_id: str, resource_name: str, data) -> str:
    """What one resource kept of itself. The id of the row."""
    values = {'snapshot_id': snapshot_id, 'resource_name': resource_name, 'data': data}
    return session.execute(insert(_R).values(values)).inserted_primary_key[0]


@session.reader
def resources(context, snapshot_id: str):
    """The rows of the resources, by name."""
    return session.execute(select(_R).where(_R.c.snapshot_id == snapshot_id).order_by(_R.c.resource_name, _R.c.id)).all()


@session.reader
def _counts(context, stack_ids) -> dict[str, int]:
    query = select(_S.c.stack_id, func.count()).where(_S.c.stack_id.in_(stack_ids)).group_by(_S.c.stack_id)
    return {stack_id: count for stack_id, count in session.execute(query)}


_together = together.Reading(_counts)


# the last of the module: below it, the word no longer means Python's list
@session.reader
def list(context, stack_id: str):
    """The snapshots of a stack, oldest first."""
    return session.execute(select(_S).where(_S.c.stack_id == stack_id).order_by(_S.c.created_at, _S.c.id)).all()
