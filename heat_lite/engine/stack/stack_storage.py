"""Stores a new stack, and refreshes the copy of a stored one.

A new stack is stored with the lock for its first action, in one transaction.

Tests: tests/functional/test_engine.py.
"""

from heat_lite.common import exception
from heat_lite.common.value_types import Values
from heat_lite.db import stack_creation, stacks as db_stacks
from heat_lite.engine import deferred_auth
from heat_lite.engine.resource import fingerprint, record
from heat_lite.engine.stack import revisions
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_fields import COLUMNS, FIELDS


def store(stack: Stack, on_behalf_of: str | None = None, plan_id: str | None = None) -> bool:
    """Store the template, stack, tags and lock. Return False if another engine has done so before.

    ``on_behalf_of`` and ``plan_id``: see ``db.stack_creation.store``.
    """
    stack.digest = fingerprint.stack_fingerprint(stack)
    row, engine_id = new_row(stack), stack.runtime.engine_id
    stack.id, template_id = stack_creation.store(
        stack.template.content(),
        row,
        stack.tags,
        engine_id,
        on_behalf_of,
        revisions.first(stack),
        plan_id,
    )
    if template_id is None:
        return False
    stack.template_id, stack.stored_locked = template_id, True
    stack.runtime.templates.put(template_id, stack.template)
    stack.journal = record.Journal(stack.context, stack.id, stack.journal.announce)
    stack.forget_definition()  # its pseudo parameters may lack the id
    stack.drop_resources()
    return True


def new_row(stack: Stack) -> Values:
    """Return the columns of a stack that is not stored yet."""
    fields = ((name, getattr(stack, name)) for name in FIELDS)
    values = {COLUMNS.get(name, name): value for name, value in fields if value is not None}
    stack.created_at = stack.utcnow()
    return {
        **values,
        'created_at': stack.created_at,
        'user_creds_id': stack.tree.known_root.user_creds_id,
        'asker': deferred_auth.requester(stack, stack.action),
    }


def refresh(stack: Stack) -> None:
    """Read the stack again, under the lock.

    Raises EntityNotFound for a deleted stack.
    """
    row = db_stacks.get_row(stack.id)
    if row is None or row.deleted_at is not None:
        raise exception.no_stack(stack.name)
    if row.raw_template_id != stack.template_id:
        stack.outputs.stored = row.outputs
        stack.forget_rows()
    stack.take_row(row)
