"""The handlers of a resource type: calls one, and waits for its end.

Tests: tests/functional/test_plugin_contract.py.
"""

import datetime
from collections.abc import Callable
from typing import TYPE_CHECKING

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.db import column_types
from heat_lite.engine import scheduler
from heat_lite.engine.scheduler import Work

if TYPE_CHECKING:
    from heat_lite.engine.resource.resource import Resource

#: the first wait of a handler that has ended without one
NEVER = datetime.datetime.max


def call(resource: 'Resource', action: str, *args: Value) -> Work:
    """Run the handler of an action: a generator, or a token for ``check_X_complete(token)``."""
    handler = getattr(resource, f'handle_{action.lower()}', None)
    return (yield from run(resource, handler, action, *args))


def run(
    resource: 'Resource', handler: Callable[..., Value] | None, action: str, *args: Value
) -> Work:
    """Run a handler. ``handle_X_cancel(token)`` is called if it is cancelled or times out."""
    token: Value = None
    try:
        made: Value = None if handler is None else handler(*args)
        token = (yield from scheduler.flatten(made)) if hasattr(made, 'send') else made
        complete = getattr(resource, f'check_{action.lower()}_complete', None)
        yield from poll(complete, token)
    except (scheduler.Cancelled, scheduler.Timeout):
        cancel = getattr(resource, f'handle_{action.lower()}_cancel', None)
        if cancel is not None:
            cancel(token)
        raise
    return token


def poll(complete: Callable[[Value], bool] | None, token: Value) -> Work:
    """Wait until ``complete(token)`` returns True. A PollDelay delays the next poll."""
    while complete is not None:
        try:
            if complete(token):
                return
        except exception.PollDelay as delay:
            yield delay.period
        else:
            yield None


def noting_first_wait(resource: 'Resource', work: Work | None) -> Work | None:
    """Return ``work``, a generator or None; note in the resource when it first waits."""
    if work is None:
        resource.first_wait = NEVER
        return None
    resource.first_wait = None
    return _noting(resource, work)


def _noting(resource: 'Resource', work: Work) -> Work:
    try:
        request = next(work)
    except BaseException as end:
        resource.first_wait = NEVER
        if isinstance(end, StopIteration):
            return end.value
        raise
    resource.first_wait = column_types.exact_utcnow()
    return (yield from scheduler.continue_task(work, request))
