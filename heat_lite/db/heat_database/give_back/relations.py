"""How rows refer to others in Heat's form: replacements, previous templates, parts of snapshots."""

from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import ColumnElement, Table, insert, or_, select, true

from heat_lite.common import status
from heat_lite.common.value_types import Values
from heat_lite.db import models, queries, session
from heat_lite.db.column_types import utcnow

_S, _R, _T = models.stack.c, models.resource.c, models.raw_template.c
_V = models.stack_revision.c
_N, _PARTS = models.snapshot.c, models.resource_snapshot.c
#: rows of one transaction
BATCH = 500
#: the key of a snapshot's data with what each resource has saved
RESOURCES = 'resources'


def relate_replacements() -> int:
    """Name the replacement in each replaced row, and no rows that are gone. Return their number.

    Heat reads both columns to find the rows of a rollback.
    """
    named = or_(_R.replaces.is_not(None), _R.replaced_by.is_not(None))
    return by_ids(models.resource, named, _relate_batch)


def _relate_batch(ids: Collection[int | str]) -> int:
    columns = select(_R.id, _R.replaces, _R.replaced_by)
    rows = session.rows(columns.where(_R.id.in_(ids)))
    named = {row.replaces for row in rows} | {row.replaced_by for row in rows}
    known = set(session.scalars(select(_R.id).where(_R.id.in_(named - {None}))))
    changed = 0
    for row in rows:
        gone = {
            name: None
            for name in ('replaces', 'replaced_by')
            if getattr(row, name) not in {None, *known}
        }
        changed += change(models.resource, _R.id == row.id, gone)
        if row.replaces in known:
            other = or_(_R.replaced_by.is_(None), _R.replaced_by != row.id)
            old = (_R.id == row.replaces) & other
            changed += change(models.resource, old, {'replaced_by': row.id})
    return changed


def forget_previous_templates() -> int:
    """Remove the templates that stacks had before their last action. Return the number of stacks.

    Heat keeps them during an action and after a failure only.
    """
    ended = _S.prev_raw_template_id.is_not(None), _S.status == status.COMPLETE
    return by_ids(models.stack, ended[0] & ended[1], _forget_batch)


def forget_revisions() -> int:
    """Remove the definitions that stacks have had. Return their number."""
    return by_ids(models.stack_revision, true(), _forget_revisions)


def _forget_revisions(ids: Collection[int | str]) -> int:
    templates = set(session.scalars(select(_V.raw_template_id).where(_V.id.in_(ids))))
    session.delete(models.stack_revision, _V.id.in_(ids))
    _delete_unused(templates)
    return len(ids)


def _forget_batch(ids: Collection[int | str]) -> int:
    chosen = _S.id.in_(ids)
    templates = set(session.scalars(select(_S.prev_raw_template_id).where(chosen)))
    changed = change(models.stack, chosen, {'prev_raw_template_id': None})
    _delete_unused(templates)
    return changed


def _delete_unused(templates: set[int]) -> None:
    session.delete(
        models.raw_template, _T.id.in_(templates), *queries.is_unused(models.raw_template)
    )


def part_snapshots() -> int:
    """Give each resource of a snapshot a row of its own. Return the number of snapshots.

    Heat's convergence engine restores by these rows, its legacy engine by the snapshot itself.
    """
    has_parts = select(_PARTS.id).where(_PARTS.snapshot_id == _N.id).exists()
    walked_together = select(_S.id).where(
        _S.id == _N.stack_id, or_(_S.digest.is_not(None), _S.convergence.is_(True))
    )
    return by_ids(models.snapshot, ~has_parts & walked_together.exists(), _part_batch)


def _part_batch(ids: Collection[int | str]) -> int:
    changed = 0
    for row in session.rows(select(_N.id, _N.data).where(_N.id.in_(ids))):
        saved = (row.data or {}).get(RESOURCES)
        if saved:
            parts = [
                {'snapshot_id': row.id, 'resource_name': name, 'data': data, 'created_at': utcnow()}
                for name, data in saved.items()
            ]
            session.execute(insert(models.resource_snapshot), parts)
            changed += change(
                models.snapshot, _N.id == row.id, {'data': {**row.data, RESOURCES: {}}}
            )
    return changed


def add_logins() -> int:
    """Give each top-level stack without a login the row of one. Return their number.

    It has no secret. Heat replaces it with a trust of the user who first updates the stack, and the
    stacks that it nests share that; without the row each of them gets a trust that stays behind.
    """
    lacking = _S.owner_id.is_(None) & _S.user_creds_id.is_(None) & models.ALIVE
    return by_ids(models.stack, lacking, _add_login_batch)


def _add_login_batch(ids: Collection[int | str]) -> int:
    rows = session.rows(select(_S.id, _S.tenant).where(_S.id.in_(ids)))
    for row in rows:
        login = {'tenant_id': row.tenant, 'decrypt_method': ''}
        made = session.insert_row(models.user_creds, login)
        change(models.stack, _S.id == row.id, {'user_creds_id': made})
    return len(rows)


def change(table: Table, which: ColumnElement[bool], values: Values) -> int:
    """Update rows without a new time of their last update. Return their number."""
    if not values:
        return 0
    unchanged = {'updated_at': table.c.updated_at}
    return session.update(table, {**unchanged, **values}, which)


def by_ids(
    table: Table, which: ColumnElement[bool], convert: Callable[[Collection[Any]], int]
) -> int:
    """Call ``convert(ids)`` with the rows of a condition, in batches. Return the sum of results."""
    count, last = 0, None
    while True:
        last, changed = _batch(table, which, convert, last)
        count += changed
        if last is None:
            return count


@session.writer
def _batch(
    table: Table, which: ColumnElement[bool], convert: Callable[[Collection[Any]], int], last: Any
) -> tuple[Any, int]:
    after = which if last is None else which & (table.c.id > last)
    query = select(table.c.id).where(after).order_by(table.c.id).limit(BATCH)
    ids = session.scalars(query)
    return (ids[-1], convert(ids)) if ids else (None, 0)
