"""The lock of a stack in the database: one engine at a time acts on it."""

import logging

from heat_lite.common import exception
from heat_lite.db import journal, locks

LOG = logging.getLogger(__name__)


class StackLock:
    """``is_gone(engine_id)`` says whether another engine is dead: its lock is taken over."""

    def __init__(self, context, stack, engine_id, is_gone):
        self._context = context
        self._stack = stack
        self._engine_id = engine_id
        self._is_gone = is_gone

    def acquire(self):
        """Raises ActionInProgress when a living engine, this one included, is at work on the stack. One that was stored together with its
        lock has it."""
        if self._stack.stored_locked:
            self._stack.stored_locked = False
            return
        for _ in range(3):  # another may win the race for a dead engine's lock, and die in turn
            holder = locks.acquire(self._context, self._stack.id, self._engine_id)
            if holder is None:
                return
            if holder == self._engine_id or not self._is_gone(holder):
                break
            LOG.warning('Taking the lock of stack %s over from engine %s, which does not answer', self._stack.id, holder)
            if locks.steal(self._context, self._stack.id, holder, self._engine_id) is None:
                return
        raise exception.ActionInProgress(stack_name=self._stack.name, action=self._stack.action)

    def release(self):
        journal.save(self._context, journal.Turn(self._stack.id, release=self._engine_id))


def elsewhere(runtime, context, stack_id):
    """The id of another engine that has the stack's lock; None where nobody has it, or this one."""
    holder = locks.holder(context, stack_id)
    return None if holder == runtime.engine_id else holder


def at_work_elsewhere(runtime, context, stack_id):
    """The same of one that lives."""
    holder = elsewhere(runtime, context, stack_id)
    return holder if holder is not None and runtime.listener.alive(context, holder) else None
