"""The revisions of a stack: who has changed its definition, when, why, and with which result.

Nested stacks have none: they follow their parent.

Tests: tests/functional/test_revisions.py.
"""

from typing import TYPE_CHECKING

from heat_lite.common import exception, status
from heat_lite.common.value_types import Values
from heat_lite.db import revisions as db_revisions
from heat_lite.engine.resource import fingerprint
from heat_lite.engine.stack import format
from heat_lite.engine.validation import masking
from heat_lite.rpc import api

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack

#: the actions that apply a definition
ACTIONS = (status.CREATE, status.ADOPT, status.UPDATE, status.RESTORE, status.ROLLBACK)


def present(stack: 'Stack') -> Values:
    """Return the present definition as a revision: the columns without a number."""
    template_id, options = stack.template_id, stack.update_base
    del options['template_id']
    return {
        'raw_template_id': template_id,
        'options': {**options, 'disable_rollback': bool(stack.disable_rollback)},
        'username': stack.username,
        'message': None,
        'action': stack.action,
        'status': stack.status,
        'status_reason': stack.status_reason,
        'created_at': stack.updated_at or stack.created_at,
        'updated_at': None,
    }


def first(stack: 'Stack') -> Values | None:
    """Return the revision of a new stack; None for a nested one."""
    return {**present(stack), 'message': stack.run.message} if stack.owner_id is None else None


def begin(stack: 'Stack', before: Values, action: str) -> None:
    """Store the definition that an action has set, if it differs from the one ``before``.

    With a message it is also stored if the action visits the resources again.
    """
    after, run = present(stack), stack.run
    message = run.message if action == run.action else None
    if stack.owner_id is not None or (
        db_revisions.is_of(before, after) and (run.noop or not message)
    ):
        return
    new = {
        **after,
        'username': stack.context.username,
        'message': message,
        'action': action,
        'status': status.IN_PROGRESS,
        'status_reason': f'Stack {action} started',
        'created_at': stack.utcnow(),
    }
    limit = stack.limits.max_revisions_per_stack
    stack.journal.revision(db_revisions.NewRevision(new, before, limit))


def set_result(stack: 'Stack', former: tuple[str, str]) -> None:
    """Store the state of the stack with its present revision, if the action applies it.

    ``former`` is the state before. The rollback of a create applies no definition.
    """
    applies = stack.action in ACTIONS and stack.owner_id is None and stack.state != former
    if applies and (stack.action != status.ROLLBACK or stack.previous_template_id is not None):
        result = {'status': stack.status, 'status_reason': stack.status_reason}
        stack.journal.revision(result)


# --------------------------------------------------------------- requests


def list_all(stack: 'Stack') -> list[Values]:
    """Return the revisions, the newest first, with that which is not stored yet."""
    if stack.owner_id is not None:
        return []
    rows = [dict(row._mapping) for row in db_revisions.list_rows(stack.id)]
    now = present(stack)
    if not rows or not db_revisions.is_of(rows[0], now):
        rows.insert(0, {**now, 'number': rows[0]['number'] + 1 if rows else 1})
    return rows


def find(stack: 'Stack', number: int | str) -> Values:
    """Return a revision. Raises NotFound."""
    rows = list_all(stack)
    for row in rows:
        if str(row['number']) == str(number):
            return row
    kept = ', '.join(str(row['number']) for row in reversed(rows)) or 'none: it is nested'
    raise exception.NotFound(
        f'Stack {stack.name} has no revision {number}, or it is not kept any more. It has: {kept}'
    )


def shown(row: Values) -> Values:
    """Return a revision as a list shows it."""
    names = ('number', 'username', 'message', 'action', 'status', 'status_reason')
    times = {'creation_time': row['created_at'], 'updated_time': row['updated_at']}
    return {
        **{name: row[name] for name in names},
        **{name: format.time(value) for name, value in times.items()},
        **row['options'],
    }


def described(stack: 'Stack', row: Values) -> Values:
    """Return a revision with its template, environment and files; hidden parameters are masked.

    ``digest`` is that of the stack with this definition.
    """
    template = stack.runtime.templates.get(row['raw_template_id'])
    return {
        **shown(row),
        'template': template.data,
        api.TEMPLATE_TEXT: template.text,
        'environment': masking.masked_environment(template.environment.as_dict(), template),
        'files': dict(template.files),
        'digest': fingerprint.stack_fingerprint(stack, template, row['options']),
    }
