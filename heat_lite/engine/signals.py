"""What users tell single resources: signals, the clearing of hooks, and that a resource is unhealthy."""

import logging
import types

from heat_lite.common import exception, status
from heat_lite.engine import event, hooks, scheduler, stack_lock
from heat_lite.engine import resource as engine_resource
from heat_lite.template import function

LOG = logging.getLogger(__name__)
SIGNAL = 'SIGNAL'
#: begins a message to another engine, before the id of the row that was signalled
NEWS = 'signal:'
MARKED = 'state changed by resource_mark_unhealthy api'


def signal(stack, name, details, wait=False):
    """Tell a resource something. What its type does about it happens after the answer, unless the caller wants to ``wait``.

    Raises NotSupported, ResourceActionNotSupported, InvalidBreakPointHook; for those who wait what the type raises, too.
    """
    if isinstance(details, dict) and hooks.UNSET in details:
        stack.runtime.running.visit(stack, lambda live: hooks.clear(find(live, name), details[hooks.UNSET]))
        return
    item = find(stack, name)
    _refuse_deaf(stack, item)
    work = scheduler.TaskRunner(_signalled(stack, item, details), name=f'signal to {item}')
    errors = []
    job = stack.runtime.pool.spawn(work, on_end=_note_failure(item, errors))
    if wait:
        job.ended.wait()
        for error in errors:
            raise error


def find(stack, name):
    """The resource of that name or physical id. Raises ResourceNotFound."""
    row = stack.best_record(name)
    if row is None:
        row = next((each for each in stack.rows() if each.nova_instance == name), None)
    if row is None:
        raise exception.ResourceNotFound(resource_name=name, stack_name=stack.name)
    return stack.resource_of(row)


def mark(stack, name, unhealthy, reason=None):
    """Have the next update replace the resource, or take that back. Raises ActionInProgress while something is done to it."""
    stack.runtime.running.visit(stack, lambda live: _mark(find(live, name), unhealthy, reason or MARKED))


def _mark(item, unhealthy, reason):
    if item.status == status.IN_PROGRESS:
        raise exception.ActionInProgress(stack_name=item.stack.name, action=item.stack.action)
    is_marked = item.state == (status.CHECK, status.FAILED)
    if unhealthy and is_marked:
        item.record.set(status_reason=reason)
    elif unhealthy or is_marked:
        state = status.FAILED if unhealthy else status.COMPLETE
        item.record.set(action=status.CHECK, status=state, status_reason=reason)
        event.of_resource(item)


def _refuse_deaf(stack, item):
    if item.action in item.no_signal_actions:
        event.of_resource(item, reason=f'Cannot signal resource during {item.action}')
        stack.journal.flush()
        raise exception.NotSupported(feature=f'Signal resource during {item.action}')
    if type(item).handle_signal is engine_resource.Resource.handle_signal:
        raise exception.ResourceActionNotSupported(action='signal')


def _signalled(stack, item, details):
    try:
        result = item.handle_signal(details)
        if isinstance(result, types.GeneratorType):
            result = yield from scheduler.flatten(result)
    except exception.NoActionRequired as reason:
        LOG.info('%s: nothing is done about a signal: %s', item, reason)
        return
    finally:
        yield from _outputs_follow(stack)
    event.of_resource(item, SIGNAL, reason=f'Signal: {result}' if result else _said(details))
    yield from stack.journal.write()
    spread(stack.runtime, stack.context, stack.identifier(), item.record.id)
    _metadata_follows(stack, item)


def spread(runtime, context, identity, row_id):
    """Wake those who wait for news of the row. They are where the stack is worked on, which may have begun in another engine meanwhile."""
    if runtime.bells.ring(row_id):
        return
    holder = stack_lock.elsewhere(runtime, context, identity.stack_id)
    if holder is None:
        return
    try:
        runtime.listener.send(context, holder, identity.as_dict(), f'{NEWS}{row_id}')
    except exception.EngineTimeout as error:
        LOG.warning('Engine %s hears of the signal to row %s only when it looks for itself: %s', holder, row_id, error)


def _outputs_follow(stack):
    """What a stack at rest shows has been stored. After a signal it is worked out anew, up to the top of the tree."""
    while stack is not None:
        if stack.status != status.IN_PROGRESS and stack.stored_outputs is not None:
            stack.keep_outputs()
            yield from stack.journal.write()
        stack = stack.tree.parent


def _metadata_follows(stack, signalled):
    """What servers are told may be made of what the signal has changed: how many members a group has, say."""
    for name, definition in stack.definitions.items():
        if name == signalled.name or not function.dependencies(definition.metadata):
            continue
        item = stack.resource_for(name)
        if item.metadata_follows and item.action != status.INIT:
            _tell_anew(item, stack, definition)


def _tell_anew(item, stack, definition):
    try:
        said = stack.resolve(definition.metadata)
    except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
        LOG.warning('The metadata of %s stays as it was before a signal to another resource: %s', item, error)
        return
    if any(item.metadata_get().get(key) != value for key, value in said.items()):
        item.metadata_told(item.metadata_change(lambda known: {**known, **said}))


def _said(details):
    """What the event of a signal tells where its type has nothing to tell."""
    if not details:
        return 'No signal details provided'
    if isinstance(details, str):
        return details
    if isinstance(details, dict) and {'current', 'previous', 'reason'} <= details.keys():
        return 'alarm state changed from {previous} to {current} ({reason})'.format(**details)
    return 'Unknown'


def _note_failure(item, errors):
    def on_end(_result, error):
        if error is not None:
            known = isinstance(error, exception.HeatException)
            LOG.warning('The signal to %s failed: %s', item, error, exc_info=None if known else error)
            errors.append(error)

    return on_end
