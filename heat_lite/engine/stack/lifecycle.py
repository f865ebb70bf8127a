"""The lifecycle of a resource: runs one action on it, from IN_PROGRESS through the handler to
COMPLETE or FAILED.

Each function is a generator. Up to its first ``yield`` it changes the record only. A walker
therefore runs many resources up to that point, stores their states in one transaction, and only
then lets the handlers call services.

Tests: tests/functional/test_stack_lifecycle_rest.py.
"""

import contextlib
import functools
import inspect
import logging
import time

from heat_lite.clients import errors
from heat_lite.common import exception, log_context, status, tracing
from heat_lite.common.value_types import Value, Values, Work
from heat_lite.db import snapshots
from heat_lite.engine import event, scheduler
from heat_lite.engine.resource import failures, handlers
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.resource.resource_metrics import counted, facts_of, repeated
from heat_lite.engine.stack import conflict_retry, diff, object_import
from heat_lite.engine.stack.diff import Decision
from heat_lite.template.definition import ResourceDefinition

LOG = logging.getLogger(__name__)
RETRY_PAUSE = 2.0
CONTINUED = 'Another engine continues the action'
#: key of the data of a resource whose engine stopped in the middle of a call of its create
CUT_OFF = 'create_cut_off'


class Drift(str):
    """The properties changed by others that a check has found. They do not fail the check."""


def state_set(resource: Resource, action: str, state: str, reason: str = 'state changed') -> None:
    """Set the state in the row, and as an event."""
    reason = resource.stack.redact(reason)
    resource.record.set(action=action, status=state, status_reason=reason)
    event.record_state(resource)


def create(resource: Resource, instead_of: Resource | None = None) -> Work:
    """Create the object, or adopt the one that ``external_id`` names.

    ``instead_of`` is the resource that is replaced.
    """
    if resource.definition.external_id is not None:
        yield from _adopt_external(resource)
    else:
        yield from _perform(
            resource,
            status.CREATE,
            _create(resource) if instead_of is None else _create_replacement(resource, instead_of),
        )


def take_over(resource: Resource) -> Work:
    """Take the object that the definition imports, with its live properties as the stored ones."""
    yield from _perform(resource, status.ADOPT, _take_over(resource))


def resume_create(resource: Resource) -> Work:
    """Continue a create whose engine is gone.

    The object is looked up first; the create fails if that is impossible.
    """
    if resource.definition.external_id is not None:
        yield from _adopt_external(resource)
    elif diff.is_import(resource, resource.definition) and resource.action == status.ADOPT:
        yield from take_over(resource)
    else:
        work = (
            _create(resource, interrupted=True)
            if resource.action == status.CREATE
            else _adopted(resource)
        )
        yield from _perform(resource, resource.action, work, CONTINUED)


def update(resource: Resource, definition: ResourceDefinition, decision: Decision) -> Work:
    """Update the resource to ``definition`` as decided (see ``diff``).

    Raises UpdateReplace if it must be replaced.
    """
    before = resource.definition
    if decision.action == diff.NONE:
        resource.redefine(definition)
        return
    resource.record.set(updated_at=resource.stack.utcnow())
    changes: Value = decision.changes
    resource.changing = tuple(changes.properties)
    yield from _perform(resource, status.UPDATE, _update(resource, before, definition, decision))


def observe(resource: Resource) -> Work:
    """Store the live properties of the object, so that an update repairs changes by others.

    Not all types support it.
    """
    try:
        yield
        found = (
            resource.get_live_state(resource.properties)
            if resource.resource_id is not None
            else None
        )
    except (exception.NotFound, exception.EntityNotFound):
        LOG.info('%s: the object does not exist any more, the resource fails', resource)
        state_set(resource, status.CHECK, status.FAILED, 'The object is not there any more')
        return
    resource.store_observed(found or {})


def fail(resource: Resource, action: str, error: Exception) -> Work:
    """Fail the action with ``error`` before any service is called."""
    yield from _perform(resource, action, _raising(error))


def _raising(error: Exception) -> Work:
    raise error
    yield  # makes this function a generator


def delete(resource: Resource) -> Work:
    """Delete the object by its deletion policy. A resource in INIT needs no action and no event."""
    if resource.action == status.INIT:
        return
    policy = resource.definition.deletion_policy
    stays = resource.definition.external_id is not None or (
        object_import.IMPORTED in resource.data()
        and status.ROLLBACK in resource.stack.tree.actions()
    )
    work = None
    if resource.stack.run.abandoning:
        work = handlers.call(resource, 'abandon')
    elif not stays and policy != 'Retain' and not _is_object_shared(resource):
        work = conflict_retry.retry_on_conflict(
            resource, functools.partial(_delete, resource, policy, resource.state)
        )
    yield from _perform(resource, status.DELETE, work)


def _is_object_shared(resource: Resource) -> bool:
    """Return whether another row owns the same object from now on.

    Some objects are identified by a name or by what they connect, which a replacement shares.
    """
    best = resource.stack.records.best(resource.name)
    if resource.resource_id is None or best in (None, resource.record):
        return False
    return resource.stack.is_wanted(best) and best.nova_instance == resource.resource_id


def adopt(resource: Resource, data: Values) -> Work:
    """Adopt an existing object. ``data`` is what ``prepare_abandon`` has returned."""
    yield from _perform(resource, status.ADOPT, _adopt(resource, data))


def snapshot(resource: Resource) -> Work:
    """Let the resource save what it can of itself.

    An interrupted snapshot continues with what it has begun to save.
    """
    if resource.state != (status.SNAPSHOT, status.IN_PROGRESS):
        for key in resource.snapshot_keys:
            resource.data_delete(key)
    yield from _perform(resource, status.SNAPSHOT, handlers.call(resource, status.SNAPSHOT))


def delete_snapshot(resource: Resource, data: Values) -> Work:
    """Delete what the resource saved for a snapshot, described by ``data``.

    Its own state does not change.
    """
    yield from handlers.call(resource, 'delete_snapshot', data)


def restored_data(resource: Resource) -> Values:
    """Return the entry of the resource in the snapshot that a RESTORE goes back to, else {}."""
    stack = resource.stack
    if stack.action != status.RESTORE or stack.run.restored is None:
        return {}
    row = snapshots.get(stack.context, stack.run.restored)
    return (row and row.data['resources'].get(resource.name)) or {}


def suspend(resource: Resource) -> Work:
    """Suspend the resource. It must be COMPLETE, or its last suspend must have failed."""
    if (
        resource.action == status.DELETE
        or resource.action != status.SUSPEND
        and resource.status != status.COMPLETE
    ):
        raise _invalid_state(resource, status.SUSPEND)
    yield from _perform(resource, status.SUSPEND, handlers.call(resource, status.SUSPEND))


def resume(resource: Resource) -> Work:
    """Resume the resource.

    It must be suspended (as in Heat), or an earlier resume is repeated or is complete.
    """
    if resource.state == (status.RESUME, status.COMPLETE):
        return
    if resource.state != (status.SUSPEND, status.COMPLETE) and resource.action != status.RESUME:
        raise _invalid_state(resource, status.RESUME)
    yield from _perform(resource, status.RESUME, handlers.call(resource, status.RESUME))


def check(resource: Resource) -> Work:
    """Check that the object exists and is healthy.

    The handler may return a Drift. A type without one says so.
    """
    if resource.action == status.INIT:
        state_set(
            resource,
            status.CHECK,
            status.FAILED,
            f'Can not check {resource.name}, resource not created yet.',
        )
        error = Exception(f'Resource {resource.name} not created yet.')
        raise exception.ResourceFailure(error, ('resources', resource.name), status.CHECK)
    if getattr(resource, 'handle_check', None) is None:
        state_set(
            resource, status.CHECK, status.COMPLETE, f'CHECK not supported for {resource.type()}'
        )
        return
    yield from _perform(resource, status.CHECK, handlers.call(resource, status.CHECK))


def _invalid_state(resource: Resource, action: str) -> exception.ResourceFailure:
    error = exception.Error(f'State {resource.state} invalid for {action.lower()}')
    return exception.ResourceFailure(error, ('resources', resource.name), action)


# --------------------------------------------------------------- the frame


@counted
def _perform(resource: Resource, action: str, work: Value, reason: str = 'state changed') -> Work:
    resource.clear_stored_attributes()
    state_set(resource, action, status.IN_PROGRESS, reason)
    work = resource.stack.run.guarded(resource, handlers.noting_first_wait(resource, work))
    try:
        if not resource.local:
            yield
        work = tracing.handler(work, f'{action} resource', facts_of(resource))
        result = (yield from work) if work is not None else None
    except scheduler.Cancelled as error:
        state_set(resource, action, status.FAILED, f'{action} aborted ({error})')
        raise
    except scheduler.Timeout as error:
        state_set(
            resource,
            action,
            status.FAILED,
            f'{action} aborted (Task {action.lower()} from {resource} {error})',
        )
        failures.note(resource, action, resource.status_reason)
        raise
    except exception.UpdateReplace as error:
        state_set(resource, action, status.COMPLETE, f'The Resource {error} requires replacement.')
        raise
    except Exception as error:
        raise _failed(resource, action, error) from error
    state_set(
        resource,
        action,
        status.COMPLETE,
        f'state changed; {failures.DRIFT}{result}'
        if isinstance(result, Drift)
        else 'state changed',
    )


def _failed(resource: Resource, action: str, error: Exception) -> exception.ResourceFailure:
    """Store the state FAILED. Return the failure to raise."""
    failure = exception.ResourceFailure(error, ('resources', resource.name), action)
    # Without the text of the error, which may repeat a hidden parameter; the event has it.
    with log_context.naming_resource(resource.name):
        LOG.info('%s of %s failed: %s', action, resource, failures.kind_of(error))
    state_set(resource, action, status.FAILED, str(failure))
    failures.note(resource, action, failure)
    failures.note_refusal(resource, action, error)
    return failure


# --------------------------------------------------------------- the actions


def _create(resource: Resource, interrupted: bool = False) -> Work:
    if not interrupted or resource.record.properties is None:
        resource.store_properties()
    failures.forget_refusal(resource)
    if resource.requires_deferred_auth:
        resource.stack.tree.deferred.ensure_or_keep(resource.context)
    retries = resource.stack.limits.action_retry_limit
    for attempt in range(retries + 1):
        try:
            return (
                yield from _continue_create(resource)
                if interrupted and attempt == 0
                else handlers.call(resource, status.CREATE)
            )
        except Exception as error:
            # As in Heat: an object in error is deleted and created again, and a service is asked
            # again after a conflict, e.g. while another stack still uses a name or an address.
            if attempt == retries or not _can_create_again(error):
                raise
            repeated(resource)
            LOG.info(
                '%s failed: %s; attempt %d of %d',
                resource,
                failures.kind_of(error),
                attempt + 1,
                retries + 1,
            )
            yield from handlers.call(resource, status.DELETE)
            resource.resource_id_set(None)
            yield RETRY_PAUSE * (attempt + 1)


def _can_create_again(error: Exception) -> bool:
    return isinstance(error, exception.ResourceInError) or conflict_retry.is_conflict(error)


def _create_replacement(resource: Resource, instead_of: Resource) -> Work:
    yield from instead_of.prepare_for_replace(resource.definition)
    yield from _create(resource)


def note_cut_off(resource: Resource) -> None:
    """Note that the engine stops in the middle of a call, if that call may yet make the object."""
    is_open = resource.resource_id is None and not resource.repeatable
    if is_open and resource.state == (status.CREATE, status.IN_PROGRESS):
        LOG.warning('%s: this engine stops in the middle of its create', resource)
        resource.data_set(CUT_OFF, 'true')


def _find_made(resource: Resource) -> Work:
    """Find the object that an interrupted create has made, if there is one.

    A call that was cut off may make it later: it is looked for as long as an answer is awaited.
    The note of it outlives this engine, so that the next one looks as long.
    """
    found = _existing(resource)
    if CUT_OFF in resource.data():
        seconds = resource.stack.clients().option(str(resource.default_client_name), 'timeout')
        until = time.monotonic() + seconds
        reason = f'waiting for what a create that was cut off may yet make, at most {seconds:g} s'
        resource.record.set(status_reason=reason)
        while found is None and time.monotonic() < until:
            yield None
            found = _existing(resource)
        resource.data_delete(CUT_OFF)
    if found is not None:
        LOG.info('%s: the interrupted create has created %s', resource, found)
        resource.resource_id_set(found)


def _existing(resource: Resource) -> str | None:
    with contextlib.suppress(errors.NotFound):  # the object, or what would contain it, is gone
        return resource.find_existing()
    return None


def _continue_create(resource: Resource) -> Work:
    """Wait for the object of an interrupted create, or create it if there is none."""
    if resource.resource_id is None:
        yield from _find_made(resource)
    complete = getattr(resource, 'check_create_complete', None)
    handler_can_repeat = (
        resource.repeatable
        or complete is None
        and inspect.isgeneratorfunction(getattr(resource, 'handle_create', None))
    )
    if resource.resource_id is None or handler_can_repeat:
        return (yield from handlers.call(resource, status.CREATE))
    yield from handlers.poll(complete, resource.resource_id)
    return None


def _adopted(resource: Resource) -> Work:
    """Continue an adoption. Only a nested stack may still be in progress, or not exist yet."""
    if resource.resource_id is None:
        yield from _adopt(resource, resource.stack.run.adopted.get(resource.name) or {})
    elif object_import.IMPORTED in resource.data():
        yield from _claim(resource)
    yield from resource.settle()


def _update(
    resource: Resource,
    before: ResourceDefinition,
    definition: ResourceDefinition,
    decision: Decision,
) -> Work:
    if decision.action == diff.REPLACE:
        # Heat's words: in full where the type asks for it, by name alone where a property cannot
        # change
        by_schema = any(not resource.can_update_in_place(name) for name in decision.forced_by)
        raise exception.UpdateReplace(resource.name if by_schema else resource)
    changes: Value = decision.changes
    try:
        resource.redefine(definition)
        yield from handlers.call(
            resource,
            status.UPDATE,
            resource.handler_definition(definition),
            changes.definition,
            changes.properties,
        )
    except exception.UpdateReplace:
        resource.redefine(before)
        raise
    resource.store_properties()
    if 'metadata' in changes.definition:
        resource.metadata_set(resource.stack.resolve(definition.metadata) or {})


def _delete(resource: Resource, policy: str, state: tuple[str, str]) -> Work:
    is_failed_import = state[0] == status.ADOPT and resource.definition.import_id is not None
    is_known = is_failed_import or failures.REFUSED in resource.data()
    if resource.resource_id is None and not is_known:
        yield from _find_unrecorded(resource, state)
    if policy == 'Snapshot' and hasattr(resource, 'handle_snapshot_delete'):
        # the handler replaces handle_delete: both end with check_delete_complete
        yield from handlers.run(resource, resource.handle_snapshot_delete, status.DELETE, state)
    else:
        yield from handlers.call(resource, status.DELETE)


def _find_unrecorded(resource: Resource, state: tuple[str, str]) -> Work:
    """Find the object of a create whose result was never stored, so that it is deleted too.

    The properties are not stored either, and without them its name would be taken for generated.
    """
    try:
        if resource.record.properties is None:
            resource.store_properties()
        yield from _find_made(resource)
        if _is_object_shared(resource):  # the create failed, its replacement has made the object
            resource.resource_id_set(None)
    except Exception as error:
        can_find = not isinstance(error, exception.Interrupted)
        if state[1] == status.IN_PROGRESS or CUT_OFF in resource.data() and can_find:
            raise
        LOG.info(
            '%s: looking up its object failed (%s); its create ended without one, none is deleted',
            resource,
            error,
        )


def _adopt(resource: Resource, data: Values) -> Work:
    resource.store_properties()
    yield from handlers.call(resource, status.ADOPT, data)


def _adopt_external(resource: Resource) -> Work:
    """Take the id of an external object and check it. The object is never changed or deleted."""
    yield from _perform(resource, status.ADOPT, _take_external_id(resource))
    yield from check(resource)


def _take_over(resource: Resource) -> Work:
    item, _ = object_import.compare(resource)
    resource.record.set_properties(item.record.properties or {})
    resource.data_set(object_import.IMPORTED, 'true')
    yield from handlers.call(resource, status.ADOPT, {'resource_id': item.resource_id})
    yield from _claim(resource)


def _claim(resource: Resource) -> Work:
    """Store the id of an imported object before the look for others that have stored it, too.

    Of two imports at the same time each may find the other one: then both fail.
    """
    yield
    try:
        object_import.require_sole_owner(resource)
    except exception.StackValidationFailed:
        resource.resource_id_set(None)
        raise


def _take_external_id(resource: Resource) -> Work:
    object_id = resource.external_id()
    if object_id == '':
        raise Exception('Resource ID was not provided.')  # Heat shows it as a plain Exception
    resource.resource_id_set(object_id)
    return
    yield  # makes this function a generator
