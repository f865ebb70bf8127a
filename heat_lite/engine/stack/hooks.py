"""Hooks: an environment can pause a resource before or after an action, until a signal clears the
hook.

A pending hook is stored in the data of the resource's row, so that every engine can see and clear
it. The paused task sleeps until it is woken, and polls the row in case the engine that cleared the
hook could not reach this one.

Tests: tests/functional/test_hooks_cancel_preempt.py.
"""

import logging
from collections.abc import Generator

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value
from heat_lite.db import resources as db_resources
from heat_lite.engine import event, scheduler
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack.stack import Stack
from heat_lite.template.resource_registry import HOOK_TYPES

LOG = logging.getLogger(__name__)
UNSET = 'unset_hook'
#: seconds between two polls of the row
POLL_SECONDS = 30.0
#: actions of a stack in which the hooks of a resource's action apply: resources that an update adds
#: or removes do not wait (as in Heat)
STACK_ACTIONS = {
    status.CREATE: (status.CREATE,),
    status.UPDATE: (status.UPDATE, status.ROLLBACK),
    status.DELETE: (status.DELETE,),
}


def before(resource: Resource, action: str) -> Generator[Value, None, bool]:
    """Wait if the environment sets a hook before ``action``. Return whether it did. A generator."""
    return (yield from _wait(resource, 'pre', action))


def after(resource: Resource, action: str) -> Generator[Value, None, bool]:
    """Wait if the environment sets a hook after ``action``. Return whether it did. A generator."""
    return (yield from _wait(resource, 'post', action))


def is_set(resource: Resource, when: str, action: str) -> bool:
    """Return whether a hook pauses the resource ``when`` ('pre' or 'post') its own ``action``."""
    if resource.stack.action not in STACK_ACTIONS[action]:
        return False
    return f'{when}-{action.lower()}' in resource.stack.template.environment.registry.hooks(
        resource.name
    )


def release(stack: Stack) -> None:
    """End all waits with Cancelled: another action takes the stack over."""
    for wakeup in list(stack.run.paused.values()):
        wakeup.cancelled = True
        wakeup.notify()


def clear(resource: Resource, hook: str) -> None:
    """Let a resource continue that waits for ``hook``.

    Raises InvalidBreakPointHook if none is pending.
    """
    if hook not in HOOK_TYPES:
        raise exception.InvalidBreakPointHook(f'Invalid hook type "{hook}" for {resource}')
    if hook not in resource.record.data:
        raise exception.InvalidBreakPointHook(f'The "{hook}" hook is not defined on {resource}')
    resource.data_delete(hook)
    event.record_resource(resource, reason=f'Hook {hook} is cleared')
    wakeup = resource.stack.run.paused.get(resource.record)
    if wakeup is not None:
        wakeup.notify()


class _HookWakeup(scheduler.Wakeup):
    """The wake-up of a paused resource. ``cancelled`` ends the wait with Cancelled."""

    cancelled = False


def _wait(resource: Resource, when: str, action: str) -> Generator[Value, None, bool]:
    if not is_set(resource, when, action):
        return False
    hook = f'{when}-{action.lower()}'
    paused, record = resource.stack.run.paused, resource.record
    resource.data_set(hook, 'waiting')
    event.record_resource(resource, reason=f'{action} paused until Hook {hook} is cleared')
    paused[record] = wakeup = _HookWakeup(POLL_SECONDS)
    try:
        while hook in record.data:
            yield wakeup
            if wakeup.cancelled:
                raise scheduler.Cancelled
            _reread_row(resource, hook)
    except scheduler.Timeout:
        event.record_resource(resource, reason='Failure occurred while waiting.')
        raise
    finally:
        paused.pop(record, None)
        resource.data_delete(hook)
    LOG.info('%s continues: hook %s is cleared', resource, hook)
    return True


def _reread_row(resource: Resource, hook: str) -> None:
    """Drop the pending hook if another engine has cleared it in the row."""
    record = resource.record
    if (
        hook in record.data
        and record.id is not None
        and hook not in {key for key, *_ in db_resources.data(record.id)}
    ):
        del record.data[hook]
