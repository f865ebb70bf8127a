"""What all doors of the engine share: finding the stack that an identity names."""

import functools

from heat_lite.common import exception, identifier
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import stack as engine_stack
from heat_lite.engine import stack_lock
from heat_lite.rpc import client as rpc_client


def at_work(door):
    """A door that another engine answers while it works on the stack: only there the stack is known as it is at this moment."""

    @functools.wraps(door)
    def answer(self, context, stack_identity, **args):
        holder = stack_lock.at_work_elsewhere(self._runtime, context, _identity(stack_identity).stack_id)
        if holder is None:
            return door(self, context, stack_identity, **args)
        there = getattr(rpc_client.EngineClient(holder), door.__name__)
        return there(context, stack_identity=stack_identity, **args)

    return answer


class Endpoint:
    def __init__(self, runtime):
        self._runtime = runtime

    def _row(self, context, stack_identity, show_deleted=False):
        """The stack's row. Raises InvalidTenant, and EntityNotFound where name and id do not belong together."""
        identity = _identity(stack_identity)
        if identity.tenant != context.tenant_id and not context.is_admin:
            raise exception.InvalidTenant(target=identity.tenant, actual=context.tenant_id)
        row = db_stacks.get(context, identity.stack_id, show_deleted=show_deleted)
        if row is None or identity.path or row.name != identity.stack_name:
            raise exception.EntityNotFound(entity='Stack', name=identity.stack_name)
        return row

    def _stack(self, context, stack_identity, show_deleted=False):
        return engine_stack.Stack.from_row(self._runtime, context, self._row(context, stack_identity, show_deleted))


def _identity(values):
    try:
        return identifier.HeatIdentifier.from_dict(values)
    except (KeyError, TypeError):
        raise exception.Invalid(reason=f'{values!r} does not identify a stack') from None
