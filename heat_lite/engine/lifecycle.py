"""Runs one action on one resource: IN_PROGRESS, the handler, then COMPLETE or FAILED.

Each function is a generator. Up to its first ``yield`` it touches nothing but the record, so a walker can run that much of many resources,
store all of it, and only then go on: nothing is called that has not been announced.
"""

import functools
import inspect
import logging

from heat_lite.common import exception, status
from heat_lite.engine import diff, event, failures, patience, scheduler

LOG = logging.getLogger(__name__)
RETRY_PAUSE = 2.0
GOING_ON = 'Another engine goes on with it'


class Drift(str):
    """What others have changed, in words: what a check may find, and nothing that makes it fail."""


def state_set(resource, action, state, reason='state changed', tell=True):
    """The new state, in the row and as an event."""
    resource.record.set(action=action, status=state, status_reason=reason)
    if tell:
        event.of_resource(resource)


def create(resource, instead_of=None):
    """Make it, or adopt what ``external_id`` names. ``instead_of`` is the resource that it replaces."""
    if resource.definition.external_id is not None:
        yield from _adopt_external(resource)
    else:
        yield from _perform(resource, status.CREATE, _create(resource) if instead_of is None else _succeed(resource, instead_of))


def go_on(resource):
    """Go on with making it where an engine has died: see first whether it is there. Fails where nobody can tell."""
    if resource.definition.external_id is not None:
        yield from _adopt_external(resource)
    else:
        work = _create(resource, interrupted=True) if resource.action == status.CREATE else _adopted(resource)
        yield from _perform(resource, resource.action, work, GOING_ON)


def update(resource, definition, decision):
    """Turn it into what ``definition`` says, as decided (see ``diff``). Raises UpdateReplace where only a replacement can."""
    before = resource.definition
    if decision.action == diff.NONE:
        resource.redefine(definition)
        return
    resource.record.set(updated_at=resource.stack.utcnow())
    yield from _perform(resource, status.UPDATE, _update(resource, before, definition, decision))


def observe(resource):
    """Let what is really there stand for what has been stored: then an update mends what others have changed. Types may not know how to."""
    try:
        yield
        found = resource.get_live_state(resource.properties) if resource.resource_id is not None else None
    except (exception.NotFound, exception.EntityNotFound):
        LOG.info('%s is not there any more', resource)
        state_set(resource, status.CHECK, status.FAILED, 'The object is not there any more')
        return
    if found:
        resource.record.set_properties({**(resource.record.properties or {}), **found})


def refuse(resource, action, error):
    """The action fails before anything is called."""
    yield from _perform(resource, action, _raising(error))


def _raising(error):
    raise error
    yield  # it is a generator like the others


def delete(resource):
    """Take it away as its deletion policy says. What was never begun goes without a word."""
    if resource.action == status.INIT:
        return
    policy = resource.definition.deletion_policy
    external = resource.definition.external_id is not None
    work = None
    if resource.stack.abandoning:
        work = _handle(resource, 'abandon')
    elif not external and policy != 'Retain' and not _lives_on(resource):
        work = patience.deleting(resource, functools.partial(_delete, resource, policy, resource.state))
    yield from _perform(resource, status.DELETE, work)


def _lives_on(resource):
    """Whether another row stands for the same object from now on: some are known by a name, or by what they connect, as what comes instead
    of them is."""
    best = resource.stack.best_record(resource.name)
    if resource.resource_id is None or best in (None, resource.record):
        return False
    return resource.stack.is_wanted(best) and best.nova_instance == resource.resource_id


def adopt(resource, data):
    """Take over an object that exists; ``data`` is what ``prepare_abandon`` told of it."""
    yield from _perform(resource, status.ADOPT, _adopt(resource, data))


def snapshot(resource):
    """Let it keep what it can of itself."""
    yield from _perform(resource, status.SNAPSHOT, _handle(resource, status.SNAPSHOT))


def delete_snapshot(resource, data):
    """Take away what it kept for a snapshot, of which ``data`` tells. The resource itself may be gone long since: it has no state here."""
    yield from _handle(resource, 'delete_snapshot', data)


def suspend(resource):
    """What is not well cannot be suspended, unless it is a suspend that went wrong before."""
    if resource.action == status.DELETE or resource.action != status.SUSPEND and resource.status != status.COMPLETE:
        raise _unfit(resource, status.SUSPEND)
    yield from _perform(resource, status.SUSPEND, _handle(resource, status.SUSPEND))


def resume(resource):
    """Heat resumes only what is suspended: anything else is a failure. But what an earlier resume has brought back is well as it is, and
    what that has left unfinished is gone on with: so a resume can be asked for twice."""
    if resource.state == (status.RESUME, status.COMPLETE):
        return
    if resource.state != (status.SUSPEND, status.COMPLETE) and resource.action != status.RESUME:
        raise _unfit(resource, status.RESUME)
    yield from _perform(resource, status.RESUME, _handle(resource, status.RESUME))


def check(resource):
    """Ask the cloud whether it is still there and well; a type that cannot ask says so in its reason. The handler may give a Drift."""
    if resource.action == status.INIT:
        state_set(resource, status.CHECK, status.FAILED, f'Can not check {resource.name}, resource not created yet.')
        error = Exception(f'Resource {resource.name} not created yet.')
        raise exception.ResourceFailure(error, ('resources', resource.name), status.CHECK)
    if getattr(resource, 'handle_check', None) is None:
        state_set(resource, status.CHECK, status.COMPLETE, f'CHECK not supported for {resource.type()}')
        return
    yield from _perform(resource, status.CHECK, _handle(resource, status.CHECK))


def _unfit(resource, action):
    error = exception.Error(f'State {resource.state} invalid for {action.lower()}')
    return exception.ResourceFailure(error, ('resources', resource.name), action)


# --------------------------------------------------------------- the frame


def _perform(resource, action, work, reason='state changed'):
    state_set(resource, action, status.IN_PROGRESS, reason)
    try:
        if not resource.local:
            yield
        told = (yield from work) if work is not None else None
    except scheduler.Cancelled as error:
        state_set(resource, action, status.FAILED, f'{action} aborted ({error})')
        raise
    except scheduler.Timeout as error:
        state_set(resource, action, status.FAILED, f'{action} aborted (Task {action.lower()} from {resource} {error})')
        failures.note(resource, action, resource.status_reason)
        raise
    except exception.UpdateReplace as error:
        state_set(resource, action, status.COMPLETE, f'The Resource {error} requires replacement.')
        raise
    except Exception as error:
        raise _failed(resource, action, error) from error
    state_set(resource, action, status.COMPLETE, f'state changed; {failures.DRIFT}{told}' if isinstance(told, Drift) else 'state changed')


def _failed(resource, action, error):
    """The state FAILED, and the failure to raise."""
    failure = exception.ResourceFailure(error, ('resources', resource.name), action)
    if not isinstance(error, exception.HeatException):
        LOG.info('%s of %s failed', action, resource, exc_info=error)
    state_set(resource, action, status.FAILED, str(failure))
    failures.note(resource, action, failure)
    return failure


def _handle(resource, action, *args):
    """The handler of an action, in either style: a generator, or a token and ``check_X_complete(token)``."""
    handler = getattr(resource, f'handle_{action.lower()}', None)
    return (yield from _run(resource, handler, action, *args))


def _run(resource, handler, action, *args):
    """A handler that may have another name than that of the action. ``handle_X_cancel(token)`` hears that it is broken off."""
    token = None
    try:
        made = None if handler is None else handler(*args)
        token = (yield from scheduler.flatten(made)) if hasattr(made, 'send') else made
        complete = getattr(resource, f'check_{action.lower()}_complete', None)
        while complete is not None and not complete(token):
            yield
    except (scheduler.Cancelled, scheduler.Timeout):
        broken_off = getattr(resource, f'handle_{action.lower()}_cancel', None)
        if broken_off is not None:
            broken_off(token)
        raise
    return token


# --------------------------------------------------------------- the actions


def _create(resource, interrupted=False):
    if not interrupted or resource.record.properties is None:
        resource.record.set_properties(resource.properties.resolved())
    if resource.requires_deferred_auth:
        resource.stack.tree.deferred.ensure(resource.context)
    retries = resource.stack.limits.action_retry_limit
    for attempt in range(retries + 1):
        try:
            return (yield from _create_again(resource) if interrupted and attempt == 0 else _handle(resource, status.CREATE))
        except exception.ResourceInError as error:
            # what went into error of its own accord is taken away and tried again, as Heat does
            if attempt == retries:
                raise
            LOG.info('%s: %s; attempt %d of %d', resource, error, attempt + 1, retries + 1)
            yield from _handle(resource, status.DELETE)
            resource.resource_id_set(None)
            yield RETRY_PAUSE * (attempt + 1)


def _succeed(resource, instead_of):
    yield from instead_of.prepare_for_replace(resource.definition)
    yield from _create(resource)


def _create_again(resource):
    """What is there is waited for; what is not is made."""
    if resource.resource_id is None:
        found = resource.find_existing()
        if found is not None:
            LOG.info('%s: an interrupted create has made %s', resource, found)
            resource.resource_id_set(found)
    complete = getattr(resource, 'check_create_complete', None)
    looks_itself = resource.repeatable or complete is None and inspect.isgeneratorfunction(resource.handle_create)
    if resource.resource_id is None or looks_itself:
        return (yield from _handle(resource, status.CREATE))
    while complete is not None and not complete(resource.resource_id):
        yield
    return None


def _adopted(resource):
    """The object is there already; only a stack inside may be under way, or not be there yet."""
    if resource.resource_id is None:
        yield from _adopt(resource, resource.stack.adopted.get(resource.name) or {})
    yield from resource.settle()


def _update(resource, before, definition, decision):
    if decision.action == diff.REPLACE:
        # Heat's words: in full where the type asks for it, by name alone where a property cannot change
        by_schema = any(not resource.takes_update_of(name) for name in decision.forced_by)
        raise exception.UpdateReplace(resource.name if by_schema else resource)
    changes = decision.changes
    try:
        resource.redefine(definition)
        yield from _handle(resource, status.UPDATE, definition, changes.definition, changes.properties)
    except exception.UpdateReplace:
        resource.redefine(before)
        raise
    resource.record.set_properties(resource.properties.resolved())
    if 'metadata' in changes.definition:
        resource.metadata_set(resource.stack.resolve(definition.metadata) or {})


def _delete(resource, policy, state):
    if resource.resource_id is None:
        _find_lost(resource, state)
    if policy == 'Snapshot' and hasattr(resource, 'handle_snapshot_delete'):
        # the handler stands in for handle_delete: both end by check_delete_complete
        yield from _run(resource, resource.handle_snapshot_delete, status.DELETE, state)
    else:
        yield from _handle(resource, status.DELETE)


def _find_lost(resource, state):
    """What was made, but of which nobody heard, is taken away too."""
    try:
        found = resource.find_existing()
    except Exception as error:
        if state[1] == status.IN_PROGRESS:
            raise
        LOG.info('%s cannot be looked for (%s); its create was seen to its end, so there should be nothing', resource, error)
        return
    if found is not None:
        resource.resource_id_set(found)


def _adopt(resource, data):
    resource.record.set_properties(resource.properties.resolved())
    yield from _handle(resource, status.ADOPT, data)


def _adopt_external(resource):
    """Somebody else's object: take its id, see that it is there, never change or delete it."""
    yield from _perform(resource, status.ADOPT, _take_external_id(resource))
    yield from check(resource)


def _take_external_id(resource):
    resource.resource_id_set(resource.external_id())
    return
    yield  # it is a generator like the others
