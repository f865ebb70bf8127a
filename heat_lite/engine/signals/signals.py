"""Requests to single resources: signals, clearing of hooks, and marks of unhealthy resources.

Tests: tests/functional/test_signals.py.
"""

import logging

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values
from heat_lite.db import resources as db_resources, signals as db_signals, traversals
from heat_lite.engine import event
from heat_lite.engine.resource import resource as engine_resource
from heat_lite.engine.signals import signal_tasks
from heat_lite.engine.stack import hooks
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
#: Signals of a resource that wait to be handled one by one. An alarm that sends more has sent the
#: same again.
MAX_WAITING = 100
MARKED = 'state changed by resource_mark_unhealthy api'


def signal(stack: Stack, name: str, details: Value, wait: bool = False) -> Values | None:
    """Store a signal to a resource. Its type handles it after the response.

    With ``wait`` the type handles it before, and the new metadata are returned. Raises
    NotSupported, ResourceActionNotSupported, InvalidBreakPointHook, Invalid and
    StackValidationFailed for details that the type does not understand, and RequestLimitExceeded
    for a handle that is full, or a resource with too many waiting signals; with ``wait`` also the
    errors of the type.
    """
    if isinstance(details, dict) and hooks.UNSET in details:
        hook = details[hooks.UNSET]
        # a resource with hooks is never given to another engine
        stack.runtime.task_manager.call(stack, lambda live: hooks.clear(find(live, name), hook))
        return find(stack, name).metadata_get() if wait else None
    item, target = _find_target(stack, name)
    item.check_signal(details)
    runtime, row_id = stack.runtime, item.record.id
    if target.waiting and item.ignores_repeated_alarms and _is_repeated(details):
        LOG.info('%s: the alarm repeats itself while a signal waits: ignored', item)
        return None
    if not item.batches_signals:
        _require_room(item, target.waiting)
    tasks = runtime.signal_tasks
    tasks.count(item, target.version, details)
    outcome = tasks.new_outcome() if wait else None
    try:
        token = None if outcome is None else outcome.token
        signal_id = db_signals.add(row_id, runtime.engine_id, details, token)
    except BaseException:
        tasks.forget(row_id)
        raise
    signal_tasks.start(item, [signal_id])
    if outcome is None:
        return None
    try:
        outcome.wait(item, signal_id)
    finally:
        tasks.end_outcome(outcome.token)
    return (db_resources.metadata(row_id) or ({},))[0] or {}


def _find_target(stack: Stack, name: str) -> tuple[engine_resource.Resource, db_signals.Target]:
    """Return a resource that takes signals, without its metadata, and its Target."""
    targets = {each.listed.id: each for each in db_signals.targets(stack.id, name)}
    stack.records.use_listed([each.listed for each in targets.values()])
    item = find(stack, name)
    if item.action in item.no_signal_actions:
        stack.forget_rows()
        item = find(stack, name)
    _require_signal_handler(stack, item)
    return item, targets[item.record.id]


def _is_repeated(details: Value) -> bool:
    """Return whether an alarm tells again the state that it has told before."""
    state = details.get('current') if isinstance(details, dict) else None
    return state is not None and state == details.get('previous')


def _require_room(item: engine_resource.Resource, waiting: int) -> None:
    if waiting >= MAX_WAITING:
        raise exception.RequestLimitExceeded(
            f'{item.name} has {waiting} signals that are not handled yet, which is the limit. '
            'The signal was refused; send it again when they are handled.'
        )


def find(stack: Stack, name: str) -> engine_resource.Resource:
    """Return the resource with that name or physical id. Raises ResourceNotFound."""
    row = stack.records.best(name)
    if row is None:
        row = next((each for each in stack.records.all() if each.nova_instance == name), None)
    if row is None:
        raise exception.ResourceNotFound(resource_name=name, stack_name=stack.name)
    return stack.resource_of(row)


def mark(stack: Stack, name: str, unhealthy: bool, reason: str | None = None) -> None:
    """Let the next update replace the resource, or revoke that.

    Raises ActionInProgress if an action runs on it.
    """
    if stack.convergence and traversals.engine_of(stack.id, name) is not None:
        raise exception.action_in_progress(stack)

    def apply(live: Stack) -> None:
        if live.convergence:
            live.refresh_rows([name])
        _mark(find(live, name), unhealthy, reason or MARKED)

    stack.runtime.task_manager.call(stack, apply)


def _mark(item: engine_resource.Resource, unhealthy: bool, reason: str) -> None:
    if item.status == status.IN_PROGRESS:
        raise exception.action_in_progress(item.stack)
    reason = item.stack.redact(reason)
    is_marked = item.state == (status.CHECK, status.FAILED)
    if unhealthy and is_marked:
        item.record.set(status_reason=reason)
    elif unhealthy or is_marked:
        state = status.FAILED if unhealthy else status.COMPLETE
        item.record.set(action=status.CHECK, status=state, status_reason=reason)
        event.record_resource(item)


def _require_signal_handler(stack: Stack, item: engine_resource.Resource) -> None:
    if item.action in item.no_signal_actions:
        event.record_resource(item, reason=f'Cannot signal resource during {item.action}')
        stack.journal.flush()
        raise exception.NotSupported(feature=f'Signal resource during {item.action}')
    if type(item).handle_signal is engine_resource.Resource.handle_signal:
        raise exception.ResourceActionNotSupported(action='signal')
