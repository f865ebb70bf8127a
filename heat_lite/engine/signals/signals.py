"""Requests to single resources: signals, clearing of hooks, and marks of unhealthy resources.

Tests: tests/functional/test_signals.py.
"""

import logging
import types

from heat_lite.common import exception, status
from heat_lite.db import locks, traversals
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import event, scheduler
from heat_lite.engine.resource import resource as engine_resource
from heat_lite.engine.signals import pending_signals
from heat_lite.engine.stack import hooks, stack_lock
from heat_lite.template import function

LOG = logging.getLogger(__name__)
SIGNAL = 'SIGNAL'
#: signals that are handled in one turn
BATCH = 256
#: Signals of a resource that wait to be handled one by one: each keeps a task and its stack. An
#: alarm that sends more has sent the same again.
MAX_PENDING = 100
#: prefixes of messages to another engine: the id of the signalled row follows, or the hook to
#: clear and the name of its resource
SIGNAL_PREFIX, HOOK_PREFIX = 'signal:', 'hook:'
MARKED = 'state changed by resource_mark_unhealthy api'


def signal(stack, name, details, wait=False):
    """Signal a resource. Its type handles the signal after the response, unless the caller waits.

    Raises NotSupported, ResourceActionNotSupported, InvalidBreakPointHook, and
    RequestLimitExceeded for a handle that is full, or a resource with too many pending signals;
    with ``wait`` also the errors of the type.
    """
    if isinstance(details, dict) and hooks.UNSET in details:
        _clear_hook(stack, name, details[hooks.UNSET])
        return
    item = find(stack, name)
    _require_signal_handler(stack, item)
    row_id, pending = item.record.id, stack.runtime.pending_signals
    if not item.batches_signals:
        _require_room(item, pending.of(row_id))
    outcome = pending_signals.SignalOutcome()
    ticket = stack.runtime.signal_gates.add(stack, name, item, details, outcome)
    if item.signals_in_parallel:
        _start_alone(stack, item, details, ticket, outcome)
    elif pending.begin(row_id):
        _start_in_turn(stack, item)
    if wait:
        outcome.ended.wait()
        if outcome.error is not None:
            raise outcome.error


def enter(services, context, stack_row, name, details, wait=False):
    """Accept a signal without its stack, if possible; return whether it was accepted.

    Raises RequestLimitExceeded for a handle that is full.
    """
    if isinstance(details, dict) and hooks.UNSET in details:
        return False
    return services.signal_gates.enter(context, stack_row, name, details, services.limits, wait)


def _require_room(item, pending):
    if len(pending) >= MAX_PENDING:
        raise exception.RequestLimitExceeded(
            f'{item.name} has {len(pending)} signals that are not handled yet, which is the limit. '
            'The signal was refused; send it again when they are handled.'
        )


def _clear_hook(stack, name, hook):
    """Clear a hook in the engine that works on the resource."""
    runtime = stack.runtime
    engine = traversals.engine_of(stack.context, stack.id, name) if stack.convergence else None
    if engine in (None, runtime.engine_id):
        clear_hook(stack, name, hook)
    else:
        identity = stack.identifier().as_dict()
        runtime.listener.send(stack.context, engine, identity, f'{HOOK_PREFIX}{hook}:{name}')


def clear_hook(stack, name, hook):
    """Clear a hook in the task of this engine that works on the resource."""
    stack.runtime.task_manager.call(stack, lambda live: hooks.clear(find(live, name), hook))


def _start_alone(stack, item, details, ticket, outcome):
    """Handle a signal in a task of its own."""
    row_id = item.record.id

    def on_end(result, error):
        stack.runtime.pending_signals.remove(row_id, ticket)
        stack.runtime.signal_gates.drop(stack, item)
        _end(item, outcome, error)

    work = scheduler.TaskRunner(_handle_signal(stack, item, details), name=f'signal to {item}')
    stack.runtime.pool.spawn(work, on_end=on_end, subject=stack.log_subject)


def _start_in_turn(stack, item):
    """Handle all pending signals of the resource in one task: together, or one after another.

    A task for each would keep a stack with all stored signals for each, and read and write all of
    them; and one would overwrite what another has just stored.
    """
    row_id, pending = item.record.id, stack.runtime.pending_signals

    def on_end(result, error):
        while error is not None and (batch := pending.take(row_id, BATCH)):
            _end_batch(item, row_id, batch, [error] * len(batch))
            stack.runtime.signal_gates.drop(stack, item)

    handle = _handle_batches if item.batches_signals else _handle_singles
    work = scheduler.TaskRunner(handle(stack, item), name=f'signals to {item}')
    stack.runtime.pool.spawn(work, on_end=on_end, subject=stack.log_subject)


def _handle_batches(stack, item):
    pending, row_id = stack.runtime.pending_signals, item.record.id
    while batch := pending.take(row_id, BATCH):
        several = [details for _, details, _ in batch]
        results, is_counted = yield from _handle_batch(stack, item, several)
        _end_batch(item, row_id, batch, results)
        if not is_counted:
            stack.runtime.signal_gates.drop(stack, item)
        if not pending.of(row_id):
            continue
        yield
        stack, item = _reload(stack, item.name)


def _handle_singles(stack, item):
    pending, row_id = stack.runtime.pending_signals, item.record.id
    while batch := pending.take(row_id, 1):
        try:
            yield from _handle_locked(stack, item, batch[0][1])
        except Exception as error:
            results = [error]
        else:
            results = [None]
        _end_batch(item, row_id, batch, results)
        stack.runtime.signal_gates.drop(stack, item)


def _handle_locked(stack, item, details):
    """Handle a signal while no other engine handles one to the resource."""
    runtime, row_id = stack.runtime, item.record.id
    pauses, gone = scheduler.pauses(), None
    while holder := locks.acquire_signals(stack.context, row_id, runtime.engine_id, gone):
        yield next(pauses)
        gone = holder if runtime.placement.gone_engines({holder}) else None
    try:
        # The rows of the request may be older than the end of the last signal.
        stack, item = _reload(stack, item.name)
        yield from _handle_signal(stack, item, details)
    finally:
        locks.release_signals(stack.context, row_id, runtime.engine_id)


def _reload(stack, name):
    """Return the stack and its resource of that name as they are stored now.

    Raises EntityNotFound and ResourceNotFound.
    """
    row = db_stacks.get(stack.context, stack.id)
    if row is None:
        raise exception.EntityNotFound(entity='Stack', name=stack.name)
    stack = type(stack).from_row(stack.runtime, stack.context, row)
    stack.resource_records.expects_few_reads = True
    return stack, find(stack, name)


def _handle_batch(stack, item, several):
    try:
        results, is_counted = stack.runtime.signal_gates.store(stack, item, several)
    finally:
        yield from _refresh_outputs(stack)
    for details, result in zip(several, results, strict=True):
        if not isinstance(result, Exception):
            event.of_resource(item, SIGNAL, reason=_reason(details, result))
    yield from _tell(stack, item)
    return results, is_counted


def _end_batch(item, row_id, batch, results):
    pending = item.stack.runtime.pending_signals
    for (ticket, _, outcome), result in zip(batch, results, strict=True):
        pending.remove(row_id, ticket)
        _end(item, outcome, result if isinstance(result, BaseException) else None)


def find(stack, name):
    """Return the resource with that name or physical id. Raises ResourceNotFound."""
    row = stack.best_record(name)
    if row is None:
        row = next((each for each in stack.rows() if each.nova_instance == name), None)
    if row is None:
        raise exception.ResourceNotFound(resource_name=name, stack_name=stack.name)
    return stack.resource_of(row)


def mark(stack, name, unhealthy, reason=None):
    """Let the next update replace the resource, or revoke that.

    Raises ActionInProgress if an action runs on it.
    """
    if stack.convergence and traversals.engine_of(stack.context, stack.id, name) is not None:
        raise exception.ActionInProgress(stack_name=stack.name, action=stack.action)

    def apply(live):
        if live.convergence:
            live.refresh_rows([name])
        _mark(find(live, name), unhealthy, reason or MARKED)

    stack.runtime.task_manager.call(stack, apply)


def _mark(item, unhealthy, reason):
    if item.status == status.IN_PROGRESS:
        raise exception.ActionInProgress(stack_name=item.stack.name, action=item.stack.action)
    reason = item.stack.redact(reason)
    is_marked = item.state == (status.CHECK, status.FAILED)
    if unhealthy and is_marked:
        item.record.set(status_reason=reason)
    elif unhealthy or is_marked:
        state = status.FAILED if unhealthy else status.COMPLETE
        item.record.set(action=status.CHECK, status=state, status_reason=reason)
        event.of_resource(item)


def _require_signal_handler(stack, item):
    if item.action in item.no_signal_actions:
        event.of_resource(item, reason=f'Cannot signal resource during {item.action}')
        stack.journal.flush()
        raise exception.NotSupported(feature=f'Signal resource during {item.action}')
    if type(item).handle_signal is engine_resource.Resource.handle_signal:
        raise exception.ResourceActionNotSupported(action='signal')


def _handle_signal(stack, item, details):
    try:
        result = item.handle_signal(details)
        if isinstance(result, types.GeneratorType):
            result = yield from scheduler.flatten(result)
        item.clear_stored_attributes()
    except exception.NoActionRequired as reason:
        LOG.info('%s: the signal requires no action: %s', item, reason)
        return
    finally:
        yield from _refresh_outputs(stack)
    event.of_resource(item, SIGNAL, reason=_reason(details, result))
    yield from _tell(stack, item)


def _tell(stack, item):
    """Store the events of signals; wake what waits for them."""
    yield from stack.journal.write()
    notify_waiters(
        stack.runtime, stack.context, stack.identifier(), item.record.id, stack.convergence
    )
    _refresh_metadata(stack, item)


def notify_waiters(services, context, identity, row_id, several=False):
    """Wake the tasks that wait for a change of the row.

    They run in the engines that work on the stack, maybe others. ``several``: tasks of more than
    one engine may wait for the row, as all engines walk the stack.
    """
    if services.waits.notify(row_id) and not several:
        return
    for engine in stack_lock.engines_elsewhere(services, context, identity.stack_id):
        try:
            # without a reply: an engine that hangs must not delay the others
            services.listener.cast_message(
                context, engine, identity.as_dict(), f'{SIGNAL_PREFIX}{row_id}'
            )
        except exception.HeatException as error:
            LOG.warning(
                'Engine %s could not be notified of the signal to row %s, it polls: %s',
                engine,
                row_id,
                error,
            )


def _refresh_outputs(stack):
    """Recompute the stored outputs of a stack and its ancestors, where no action runs."""
    while stack is not None:
        if stack.status != status.IN_PROGRESS and stack.outputs.stored is not None:
            stack.outputs.store()
            yield from stack.journal.write()
        stack = stack.tree.parent


def _refresh_metadata(stack, signalled):
    """Refresh the metadata of servers, which may read attributes that the signal has changed."""
    for name, definition in stack.definitions.items():
        if name == signalled.name or not function.dependencies(definition.metadata):
            continue
        item = stack.resource_for(name)
        if item.refreshes_metadata and item.action != status.INIT:
            _resolve_metadata(item, stack, definition)


def _resolve_metadata(item, stack, definition):
    try:
        resolved = stack.resolve(definition.metadata)
    except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
        LOG.warning(
            'The metadata of %s could not be refreshed after a signal to another resource: %s',
            item,
            error,
        )
        return
    if any(item.metadata_get().get(key) != value for key, value in resolved.items()):
        item.metadata_updated(item.metadata_change(lambda known: {**known, **resolved}))


def _reason(details, result):
    """Return the reason for the event of a signal by the text that its type returns, or None."""
    if result:
        return f'Signal: {result}'
    if not details and not isinstance(details, dict):
        return 'No signal details provided'
    if isinstance(details, str):
        return details
    if isinstance(details, dict) and {'current', 'previous', 'reason'} <= details.keys():
        return 'alarm state changed from {previous} to {current} ({reason})'.format(**details)
    return 'Unknown'


def _end(item, outcome, error):
    if error is not None:
        known = isinstance(error, exception.HeatException)
        LOG.warning('Signal to %s failed: %s', item, error, exc_info=None if known else error)
    outcome.end(error)
