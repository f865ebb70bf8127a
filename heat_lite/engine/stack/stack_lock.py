"""The lock of a stack in the database: only its holder runs actions on the stack.

Tests: tests/chaos/test_takeover.py.
"""

import dataclasses
import logging
from collections.abc import Callable

from heat_lite.common import exception, metrics
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value
from heat_lite.db import journal, locks, traversals
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)


class LockHeld(exception.ActionInProgress):
    """The lock of a stack is, or was, that of another task: its action may allow this one."""


@dataclasses.dataclass
class StackLock:
    """The lock of one stack.

    ``is_gone(engine_id)`` returns whether an engine is dead; the lock of a dead engine is taken
    over.
    """

    stack: Stack
    engine_id: str
    is_gone: Callable[[str], bool]

    def acquire(self) -> None:
        """Take the lock. Raises LockHeld if a living engine holds it, this one included.

        A stack that was stored together with its lock holds it already.
        """
        if self.stack.stored_locked:
            self.stack.stored_locked = False
            return
        for _ in range(3):  # another engine may win the race for the lock and die in turn
            holder = locks.acquire(self.stack.id, self.engine_id)
            if holder is None:
                return
            if holder == self.engine_id or not self.is_gone(holder):
                break
            LOG.warning(
                'Stack %s: taking the lock over from engine %s, which does not answer',
                self.stack.id,
                holder,
            )
            if locks.steal(self.stack.id, holder, self.engine_id) is None:
                return
        metrics.LOCK_CONFLICTS.add()
        raise held(self.stack)

    def release(self) -> None:
        journal.save(journal.ChangeSet(self.stack.id, release=self.engine_id))


def held(stack: Stack) -> LockHeld:
    return LockHeld(stack_name=stack.name, action=stack.action)


def holder_elsewhere(runtime: Runtime, stack_id: Value) -> str | None:
    """Return the id of another engine that holds the stack's lock, or None."""
    holder = locks.holder(stack_id)
    return None if holder == runtime.engine_id else holder


def engines_elsewhere(runtime: Runtime, stack_id: Value) -> set[str]:
    """Return the ids of the other engines that work on the stack, with its lock or without."""
    found: set[Value] = {locks.holder(stack_id), *traversals.engines_of(stack_id)}
    return found - {None, runtime.engine_id}


def live_holder_elsewhere(runtime: Runtime, context: RequestContext, stack_id: Value) -> str | None:
    """Return the id of another engine that holds the stack's lock and answers, or None."""
    holder = holder_elsewhere(runtime, stack_id)
    return holder if holder is not None and runtime.listener.is_alive(context, holder) else None
