"""Snapshots of stacks and of their resources."""

import collections
import datetime
import typing
from collections.abc import Collection, Sequence

from sqlalchemy import func, select

from heat_lite.common import status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Row
from heat_lite.db import group_commit, models, session
from heat_lite.db.column_types import row_type, utcnow

_S, _R = models.snapshot.c, models.resource_snapshot.c
RESOURCES = 'resources'

_SnapshotRow: typing.Any = row_type(*_S.keys())


class SnapshotRow(_SnapshotRow):
    """The row of a snapshot, whose ``data`` has what each resource saved."""

    __slots__ = ()


@session.writer
def create(context: RequestContext, values: dict) -> str:
    """Insert a snapshot of a stack and return its id.

    The values are stack_id, name, action, status, status_reason, data and tenant (by default the
    project of the context).
    """
    return session.insert_row(models.snapshot, {'tenant': context.tenant_id, **values})


@session.reader
def get(context: RequestContext, snapshot_id: str) -> SnapshotRow | None:
    """Return the snapshot if it belongs to the project."""
    query = select(models.snapshot).where(_S.id == snapshot_id, _S.tenant == context.tenant_id)
    return next(iter(_completed(session.rows(query))), None)


def _completed(rows: Sequence[Row]) -> Sequence[SnapshotRow]:
    """Return the rows with what the resources saved.

    Heat's convergence engine leaves it out of ``data``, and stores a row for each resource.
    """
    lacking = [row.id for row in rows if row.data and not row.data.get(RESOURCES)]
    saved: dict[str, dict] = collections.defaultdict(dict)
    if lacking:
        query = select(_R.snapshot_id, _R.resource_name, _R.data)
        for each in session.execute(query.where(_R.snapshot_id.in_(lacking))):
            saved[each.snapshot_id][each.resource_name] = each.data
    return [
        SnapshotRow(**{**row._mapping, 'data': {**row.data, RESOURCES: saved[row.id]}})
        if row.id in saved
        else SnapshotRow(**row._mapping)
        for row in rows
    ]


@session.writer
def update(snapshot_id: str, values: dict) -> bool:
    return session.update(models.snapshot, values, _S.id == snapshot_id) == 1


@session.reader
def list_deleting() -> Row:
    """Return (id, stack_id, updated_at) of the snapshots of all projects that are being deleted."""
    query = select(_S.id, _S.stack_id, _S.updated_at).where(
        _S.action == status.DELETE, _S.status == status.IN_PROGRESS
    )
    return session.rows(query)


@session.writer
def touch(snapshot_id: str, seen: datetime.datetime | None) -> datetime.datetime | None:
    """Set ``updated_at`` of a snapshot in progress, as a heartbeat of its action.

    Return the new time; None if ``updated_at`` is no longer ``seen`` or the snapshot is gone.
    """
    now = utcnow()
    known = _S.id == snapshot_id, _S.updated_at == seen, _S.status == status.IN_PROGRESS
    return now if session.update(models.snapshot, {'updated_at': now}, *known) == 1 else None


@session.writer
def delete(snapshot_id: str) -> bool:
    """Delete a snapshot and the snapshots of its resources."""
    session.delete(models.resource_snapshot, _R.snapshot_id == snapshot_id)
    return session.delete(models.snapshot, _S.id == snapshot_id) == 1


def count(stack_id: str) -> int:
    return _count_reads.get(stack_id) or 0


@session.reader
def _counts(stack_ids: Collection[str]) -> dict[str, int]:
    query = (
        select(_S.stack_id, func.count()).where(_S.stack_id.in_(stack_ids)).group_by(_S.stack_id)
    )
    return {stack_id: count for stack_id, count in session.execute(query)}


_count_reads = group_commit.GroupRead(_counts)


@session.reader
def list_rows(stack_id: str) -> Sequence[SnapshotRow]:
    """Return the snapshots of a stack, oldest first."""
    query = select(models.snapshot).where(_S.stack_id == stack_id).order_by(_S.created_at, _S.id)
    return _completed(session.rows(query))
