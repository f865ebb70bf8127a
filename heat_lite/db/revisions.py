"""Revisions: the definitions that a top-level stack has had, with author, reason and result.
Plans: those that it may get, by an update or a create that does what its preview has shown.

The newest one is the present definition. A stack of Heat, or one that an older release has changed,
lacks it until its next change.
"""

import datetime
import typing
from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, insert, select

from heat_lite.common import exception, status
from heat_lite.common.value_types import Row, Values
from heat_lite.db import batch, models, session
from heat_lite.db.column_types import utcnow

_C, _P = models.stack_revision.c, models.stack_plan.c
#: the newest plans of a stack, and those of creates in a project, are kept: this many at most
MAX_PLANS = 20
RESULT = ('status', 'status_reason')
#: the result of a revision whose action another one has ended
PREEMPTED = dict(zip(RESULT, (status.FAILED, 'Another action has preempted it'), strict=True))


class NewRevision(typing.NamedTuple):
    """A definition that becomes the present one.

    ``values`` and ``before``, the definition so far, are columns without the number. The newest
    ``limit`` revisions are kept; 0: all.
    """

    values: Values
    before: Values
    limit: int


@session.reader
def list_rows(stack_id: str) -> Sequence[Row]:
    """Return the revisions of a stack, the newest first."""
    query = select(models.stack_revision).where(_C.stack_id == stack_id)
    return session.rows(query.order_by(_C.number.desc()))


@session.writer
def add_plan(values: Values, lifetime: int) -> Row:
    """Insert a plan that expires after ``lifetime`` seconds; return its row.

    Its owner, in all functions about plans, is ``{'stack_id': ID}`` for an update,
    ``{'tenant': ID}`` for a create.
    """
    delete_expired_plans()
    owner: Values = {name: values[name] for name in ('stack_id', 'tenant') if name in values}
    known = session.scalars(select(_P.id).where(_of(owner)).order_by(_P.created_at.desc()))
    session.delete(models.stack_plan, _P.id.in_(known[MAX_PLANS - 1 :]))
    expires_at = utcnow() + datetime.timedelta(seconds=lifetime)
    plan_id = session.insert_row(models.stack_plan, {**values, 'expires_at': expires_at})
    return session.first(select(models.stack_plan).where(_P.id == plan_id))


def _of(owner: Values) -> ColumnElement[bool]:
    return and_(*(_P[name] == value for name, value in owner.items()))


@session.reader
def get_plan(owner: Values, plan_id: str) -> Row | None:
    """Return a plan of the owner, unless it has expired."""
    known = _P.id == plan_id, _of(owner), _P.expires_at > utcnow()
    return session.first(select(models.stack_plan).where(*known))


@session.reader
def list_plans(owner: Values) -> Sequence[Row]:
    """Return the plans of the owner that have not expired, the newest first."""
    query = select(models.stack_plan).where(_of(owner), _P.expires_at > utcnow())
    return session.rows(query.order_by(_P.created_at.desc()))


@session.writer
def approve_plan(plan_id: str, approver: str | None) -> None:
    session.update(
        models.stack_plan, {'approver': approver, 'approved_at': utcnow()}, _P.id == plan_id
    )


def use_plan(plan_id: str) -> None:
    """Delete the plan of a create in the current transaction. Raises NotFound if it was used."""
    if not session.delete(models.stack_plan, _P.id == plan_id):
        raise exception.NotFound(f'The plan {plan_id} was applied already')


@session.writer
def delete_expired_plans() -> None:
    session.delete(models.stack_plan, _P.expires_at <= utcnow())


def is_of(revision: Values, definition: Values) -> bool:
    """Return whether the columns of a revision have this definition."""
    return all(revision[name] == definition[name] for name in ('raw_template_id', 'options'))


def add_first(stack_id: str, values: Values) -> None:
    """Insert the first revision of a new stack in the current transaction."""
    session.insert_row(models.stack_revision, {**values, 'stack_id': stack_id, 'number': 1})


def write(changes: Sequence[tuple[str, NewRevision | Values]]) -> None:
    """Write changes in the current transaction: (id of the stack, change), in their order.

    A map is the result of the newest revision. The caller has written the rows of the stacks, so
    no other transaction changes their revisions.
    """
    if not changes:
        return
    now, stored = utcnow(), _stored({stack_id for stack_id, _ in changes})
    former = {row['id']: dict(row) for rows in stored.values() for row in rows}
    for stack_id, change in changes:
        rows = stored[stack_id]
        if not isinstance(change, NewRevision):
            _set_result(rows, change)
            continue
        is_known = rows and is_of(rows[-1], change.before)
        for values in [change.values] if is_known else [change.before, change.values]:
            _end(rows, change.before)
            number = rows[-1]['number'] + 1 if rows else 1
            rows.append({'created_at': now, **values, 'stack_id': stack_id, 'number': number})
        del rows[: -change.limit if change.limit else 0]
    kept = [row for rows in stored.values() for row in rows]
    batch.insert(insert(models.stack_revision), [row for row in kept if 'id' not in row])
    known = {row['id']: row for row in kept if 'id' in row}
    changed = [known[each] for each in known if known[each] != former[each]]
    results = [{name: row[name] for name in ('id', *RESULT)} for row in changed]
    batch.update(models.stack_revision, [{**row, 'updated_at': now} for row in results])
    if former.keys() - known:
        session.delete(models.stack_revision, _C.id.in_(former.keys() - known))


def _stored(stack_ids: Collection[str]) -> dict[str, list[Values]]:
    """Return the revisions of stacks, the oldest first."""
    found: dict[str, list[Values]] = {stack_id: [] for stack_id in stack_ids}
    query = select(models.stack_revision).where(_C.stack_id.in_(stack_ids)).order_by(_C.number)
    for row in session.execute(query):
        found[row.stack_id].append(dict(row._mapping))
    return found


def _set_result(rows: list[Values], result: Values) -> None:
    for row in rows[-1:]:
        row.update(result)


def _end(rows: list[Values], before: Values) -> None:
    """Give the newest revision a result, if its action has not stored one.

    An engine of an older release ends an action without it.
    """
    for row in rows[-1:]:
        if row['status'] == status.IN_PROGRESS:
            is_over = is_of(row, before) and before['status'] != status.IN_PROGRESS
            row.update({name: before[name] for name in RESULT} if is_over else PREEMPTED)
