"""Hooks: an environment can have a resource wait before or after an action, until somebody clears the hook by a signal.

While it waits, the hook is among the data of the resource's row, so that every engine can tell and clear it. The waiting task sleeps until
it is woken, and looks at the row now and then in case whoever cleared the hook could not reach this engine.
"""

import logging

from heat_lite.common import exception, status
from heat_lite.db import resources as db_resources
from heat_lite.engine import event, scheduler
from heat_lite.template.registry import HOOK_TYPES

LOG = logging.getLogger(__name__)
UNSET = 'unset_hook'
#: seconds between two looks at the row
PATIENCE = 30.0
#: the actions of a stack in which the hooks of a resource's action count: what an update adds or removes does not wait, as in Heat
COUNT_IN = {
    status.CREATE: (status.CREATE,),
    status.UPDATE: (status.UPDATE, status.ROLLBACK),
    status.DELETE: (status.DELETE,),
}


def before(resource, action):
    """A generator: waits where the environment says so. True when it had to."""
    return (yield from _wait(resource, 'pre', action))


def after(resource, action):
    return (yield from _wait(resource, 'post', action))


def stops(resource, when, action):
    """Whether the resource has to wait ``when`` ('pre' or 'post') the action of its own."""
    if resource.stack.action not in COUNT_IN[action]:
        return False
    return f'{when}-{action.lower()}' in resource.stack.template.environment.registry.hooks(resource.name)


def release(stack):
    """Break all waiting off: another action goes on with the stack."""
    for bell in list(stack.paused.values()):
        bell.broken_off = True
        bell.ring()


def clear(resource, hook):
    """Let a resource go on that waits for ``hook``. Raises InvalidBreakPointHook where there is none."""
    if hook not in HOOK_TYPES:
        raise exception.InvalidBreakPointHook(f'Invalid hook type "{hook}" for {resource}')
    if hook not in resource.record.data:
        raise exception.InvalidBreakPointHook(f'The "{hook}" hook is not defined on {resource}')
    resource.data_delete(hook)
    event.of_resource(resource, reason=f'Hook {hook} is cleared')
    bell = resource.stack.paused.get(resource.record)
    if bell is not None:
        bell.ring()


class _HookBell(scheduler.Bell):
    broken_off = False


def _wait(resource, when, action):
    if not stops(resource, when, action):
        return False
    hook = f'{when}-{action.lower()}'
    paused, record = resource.stack.paused, resource.record
    resource.data_set(hook, 'waiting')
    event.of_resource(resource, reason=f'{action} paused until Hook {hook} is cleared')
    paused[record] = bell = _HookBell(PATIENCE)
    try:
        while hook in record.data:
            yield bell
            if bell.broken_off:
                raise scheduler.Cancelled
            _look_at_row(resource, hook)
    except scheduler.Timeout:
        event.of_resource(resource, reason='Failure occurred while waiting.')
        raise
    finally:
        paused.pop(record, None)
        resource.data_delete(hook)
    LOG.info('%s goes on: the hook %s is cleared', resource, hook)
    return True


def _look_at_row(resource, hook):
    """Another engine may have cleared the hook there."""
    record = resource.record
    if hook in record.data and record.id is not None and hook not in {key for key, *_ in db_resources.data(resource.context, record.id)}:
        del record.data[hook]
