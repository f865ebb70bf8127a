"""What one node of a plan does to one resource. Every walker calls ``step``.

Tests: tests/functional/test_stack_lifecycle_rest.py.
"""

import logging
from collections.abc import Callable

from heat_lite.common import exception, status
from heat_lite.engine import event
from heat_lite.engine.execution import nodes, recovery
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.resource import failures
from heat_lite.engine.resource.record import Record
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack import diff, hooks, lifecycle
from heat_lite.engine.stack.stack import Stack
from heat_lite.template.definition import ResourceDefinition

LOG = logging.getLogger(__name__)
#: what an environment may forbid (restricted_actions), by the decided action
RESTRICTED_AS = {diff.UPDATE: 'update', diff.REPLACE: 'replace'}


def step(stack: Stack, action: str, node: Node) -> Work | None:
    """Return the work of ``node`` as a generator (see ``lifecycle``), None when there is none.

    Raises ResourceFailure when the resource failed before a take-over.
    """
    if node.forward and (reason := recovery.failure_of(stack, node.key)) is not None:
        raise _recorded_failure(stack, node, action, reason)
    return (FORWARD if node.forward else BACKWARD)[action](stack, node)


def _recorded_failure(
    stack: Stack, node: Node, action: str, reason: str
) -> exception.ResourceFailure:
    """The failure that the previous engine stored before it died."""
    record = stack.records.best(node.key)
    if record is not None and record.status == status.FAILED:
        action, reason = record.action, record.status_reason
    return recorded_failure(node.key, action, reason)


def recorded_failure(name: str, action: str, reason: str) -> exception.ResourceFailure:
    """Return the failure of a resource that its status reason tells."""
    told = exception.ResourceFailure.from_status_reason(f'Resource {action} failed: {reason}')
    if not told.path:
        return exception.ResourceFailure(exception.Error(reason), action=action, kind='')
    path = ('resources', name)
    rest = exception.render_path(told.path).removeprefix(exception.render_path(path)).lstrip('.')
    return exception.ResourceFailure(told.error, (*path, rest), action, kind=told.kind)


def resource_name(stack: Stack, node: Node) -> str | None:
    """Return the name of the resource of ``node``; None where its row is gone."""
    if node.forward:
        return node.key
    record = stack.records.by_id.get(node.key)
    return None if record is None else record.name


# --------------------------------------------------------------- create, update, replace


def apply(stack: Stack, node: Node) -> Work | None:
    """Create, update or replace the resource so that it matches the template."""
    if node.key in stack.run.kept:
        return None
    record = stack.records.best(node.key)
    if record is None:
        record = stack.records.new(node.key)
    resource = stack.resource_of(record)
    if resource.status == status.IN_PROGRESS:
        return _recover(stack, node, resource)
    waits = hooks.is_set(resource, 'pre', status.UPDATE) or stack.run.converge
    if resource.action != status.INIT and waits:
        return _apply_after_hook(stack, node, resource)
    return _decide(stack, node, resource)


def _recover(stack: Stack, node: Node, resource: Resource) -> Work:
    """Finish what an engine had begun when it died, then apply the definition as usual.

    A resource that was being created is finished with the definition of its beginning.
    """
    has_current_definition = resource.record.current_template_id == stack.template_id
    if resource.action in (status.CREATE, status.ADOPT):
        try:
            yield from lifecycle.resume_create(resource)
        except exception.ResourceFailure:
            if has_current_definition:
                raise
        else:
            if has_current_definition:
                yield from hooks.after(resource, status.CREATE)
        yield from stored_first(resource, _decide(stack, node, resource))
    else:
        yield from _settled(resource, lambda settled: _decide(stack, node, settled))


def _apply_after_hook(stack: Stack, node: Node, resource: Resource) -> Work:
    """Wait for the hook, observe the real object if wanted, and decide only then."""
    yield from hooks.before(resource, status.UPDATE)
    if stack.run.converge:
        yield from lifecycle.observe(resource)
    yield from stored_first(resource, _decide(stack, node, resource))


def _decide(stack: Stack, node: Node, resource: Resource) -> Work:
    """Return the generator that creates, updates or replaces the resource, as ``diff`` decides."""
    definition = stack.definitions[node.key]
    requires = _required_ids(stack, node.key)
    type_changed = stack.type_changed(resource, definition)
    if resource.action != status.INIT and resource.status == status.COMPLETE and not type_changed:
        _keep_external_id(resource, definition)
    try:
        decision = diff.decide(resource, definition, type_changed)
    except Exception as error:
        return lifecycle.fail(resource, status.UPDATE, error)
    if decision.action == diff.CREATE:
        resource.redefine(definition)
        return _create(resource, requires)
    if decision.action == diff.IMPORT:
        resource.redefine(definition)
        return _import(resource, requires)
    restriction = RESTRICTED_AS.get(decision.action)
    if restriction is not None and _is_restricted(resource, restriction):
        return _refuse_restricted(resource, restriction)
    if decision.action == diff.REPLACE and decision.changes is None:
        return _replace(stack, resource, definition, requires)
    return _update(stack, resource, definition, requires, decision)


def _keep_external_id(resource: Resource, definition: ResourceDefinition) -> None:
    """Refuse another external_id. The resource keeps its state and gets no event, as in Heat."""
    try:
        diff.refuse_other_external_id(resource, definition)
    except exception.NotSupported as error:
        failures.note(resource, status.UPDATE, error)
        raise exception.ResourceFailure(
            error, ('resources', resource.name), status.UPDATE
        ) from error


def _is_restricted(resource: Resource, restriction: str) -> bool:
    registry = resource.stack.template.environment.registry
    return restriction in registry.restricted_actions(resource.name)


def _refuse_restricted(resource: Resource, restriction: str) -> Work:
    """Fail with an event; the resource keeps its state."""
    error = exception.ResourceActionRestricted(action=restriction)
    event.record_resource(resource, status.UPDATE, status.FAILED, str(error))
    failures.note(resource, status.UPDATE, error)
    raise exception.ResourceFailure(error, ('resources', resource.name), status.UPDATE)
    yield  # makes this a generator like the other steps


def stored_first(resource: Resource, work: Work) -> Work:
    """Run ``work``, storing its IN_PROGRESS before its second step.

    Only needed after a wait: within a turn the walker stores the beginning. Raises LockLost where
    another engine has taken the stack or the row.
    """
    try:
        next(work)
    except StopIteration:
        return
    yield from resource.stack.journal.write()
    yield from work


def _create(resource: Resource, requires: list[int], work: Work | None = None) -> Work:
    record = resource.record
    record.set(requires=requires, current_template_id=resource.stack.template_id)
    _complete_requirements(resource.stack, record)
    if not record.rsrc_metadata:
        metadata = resource.initial_metadata()
        if metadata:
            resource.metadata_set(metadata)
    work = work or lifecycle.create(resource)
    paused = yield from hooks.before(resource, status.CREATE)
    yield from stored_first(resource, work) if paused else work
    yield from hooks.after(resource, status.CREATE)


def _import(resource: Resource, requires: list[int]) -> Work:
    """Take the object over, and change it to what its definition says.

    What fails or refuses the change leaves the resource as it was taken over: no later action
    replaces its object because of that.
    """
    yield from _create(resource, requires, lifecycle.take_over(resource))
    decision = diff.decide(resource, resource.definition)
    try:
        work = lifecycle.update(resource, resource.definition, decision)
        yield from stored_first(resource, work)
    except exception.UpdateReplace as error:
        kind = exception.ReplacementRefused
        raise _refused(resource, kind) from error
    except exception.ResourceFailure as error:
        lifecycle.state_set(resource, status.ADOPT, status.COMPLETE, str(error))
        raise


def _update(
    stack: Stack,
    resource: Resource,
    definition: ResourceDefinition,
    requires: list[int],
    decision: diff.Decision,
) -> Work:
    template_id = stack.template_id
    try:
        yield from lifecycle.update(resource, definition, decision)
    except exception.UpdateReplace:
        # an action that has preempted this one has its own definition to apply
        if stack.template_id == template_id:
            work = _replace_on_request(stack, resource, definition, requires)
            yield from stored_first(resource, work)
        return
    record = resource.record
    if record.current_template_id != template_id or record.requires != requires:
        record.set(requires=requires, current_template_id=template_id)
    _complete_requirements(stack, record)
    if decision.action == diff.UPDATE:
        yield from hooks.after(resource, status.UPDATE)


def _replace_on_request(
    stack: Stack, resource: Resource, definition: ResourceDefinition, requires: list[int]
) -> Work:
    """Replace a resource whose handler raised UpdateReplace."""
    if _is_restricted(resource, 'replace'):
        yield from _refuse_restricted(resource, 'replace')
    yield from _replace(stack, resource, definition, requires)


def _replace(
    stack: Stack, resource: Resource, definition: ResourceDefinition, requires: list[int]
) -> Work:
    """Create a second row under the name; the old row is deleted after its users have moved on."""
    if stack.run.forbid_replacement and stack.action == status.UPDATE:
        raise _refused(resource, exception.ReplacementRefused)
    if diff.prevents_destroy(resource, definition):
        raise _refused(resource, exception.DestroyPrevented)
    old = resource.record
    if definition.resource_type != resource.type():
        LOG.info('%s becomes a %s: it is replaced', resource, definition.resource_type)
    new = stack.resource_of(stack.records.new(resource.name, replaces=old))
    yield from _create(new, requires, lifecycle.create(new, instead_of=_holder(resource)))


def _holder(resource: Resource) -> Resource:
    """Return the resource whose object is in the way of a replacement: instead of a failed
    replacement without an object the one before it, if that has not released what it holds.
    """
    if resource.resource_id is not None:
        return resource
    named = resource.stack.records.find_by_name(resource.name)
    rows = {each.id: each for each in named if each.id is not None}  # the new one is not stored yet
    found = resource
    while found.resource_id is None and found.record.replaces in rows:
        found = resource.stack.resource_of(rows[found.record.replaces])
    key = getattr(found, 'released_key', None)
    return resource if key is None or key in found.data() else found


def _refused(resource: Resource, kind: type[exception.HeatException]) -> exception.ResourceFailure:
    """The failure of what a preview could not predict and the request or the lifecycle forbids."""
    error = kind(stack_name=resource.stack.name, resources=resource.name)
    failures.note(resource, status.UPDATE, error)
    return exception.ResourceFailure(error, ('resources', resource.name), status.UPDATE)


def _required_ids(stack: Stack, name: str) -> list[int]:
    records = (stack.records.best(required) for required in sorted(stack.requirements[name]))
    return [each.id for each in records if each is not None and each.id is not None]


def _complete_requirements(stack: Stack, row: Record) -> None:
    """Name the required rows that get their ids with the present turn by their uuids."""
    names = sorted(stack.requirements[row.name])
    required = [each for each in map(stack.records.best, names) if each is not None]
    if any(each.id is None for each in required):
        row.set(requires=[each.uuid if each.id is None else each.id for each in required])
        stack.journal.on_commit(
            lambda: setattr(row, 'requires', [each.id for each in required if each.id is not None])
        )


# --------------------------------------------------------------- the other actions


def clean_up(stack: Stack, node: Node) -> Work | None:
    """Delete a row that is not wanted any more, with its object.

    The preempted action may have deleted it while this node waited for the end of its handler.
    """
    record = nodes.record_of(stack, node)
    if record is None or stack.is_wanted(record) or record.name in stack.run.kept:
        return None
    if record.action == status.INIT:
        stack.forget(record)
        return None
    resource = stack.resource_of(record)
    is_removed = record.name not in stack.wanted and stack.action in (status.UPDATE, status.RESTORE)
    if is_removed and diff.prevents_destroy(resource):
        raise _refused(resource, exception.DestroyPrevented)
    return _delete(stack, resource)


def _delete(stack: Stack, resource: Resource) -> Work:
    paused = yield from hooks.before(resource, status.DELETE)
    work = lifecycle.delete(resource)
    try:
        yield from stored_first(resource, work) if paused else work
    except exception.ResourceFailure:
        if not (stack.run.force and stack.action == status.DELETE):
            raise
        failures.forget(resource)
    if stack.run.force:
        failures.gather(resource)
    yield from hooks.after(resource, status.DELETE)
    stack.forget(resource.record)


def suspend(stack: Stack, node: Node) -> Work | None:
    """Suspend a resource; one in INIT stays so, else no later update would create it."""
    record = nodes.record_of(stack, node)
    if record is None or record.action == status.INIT or recovery.is_done(stack, record.name):
        return None
    return _when_settled(stack.resource_of(record), lifecycle.suspend)


def resume(stack: Stack, node: Node) -> Work | None:
    record = stack.records.best(node.key)
    if record is None or record.action == status.INIT or recovery.is_done(stack, node.key):
        return None
    return _when_settled(stack.resource_of(record), lifecycle.resume)


def check(stack: Stack, node: Node) -> Work | None:
    record = stack.records.best(node.key)
    if record is None or recovery.is_done(stack, node.key):
        return None
    return _when_settled(stack.resource_of(record), lifecycle.check)


def adopt(stack: Stack, node: Node) -> Work | None:
    """Make a resource of an existing object, by the adopted document."""
    resource = stack.resource_for(node.key)
    if recovery.is_done(stack, node.key) or resource.state == (status.ADOPT, status.COMPLETE):
        return None
    if resource.status == status.IN_PROGRESS:
        return _recover(stack, node, resource)
    requires = _required_ids(stack, node.key)
    data = stack.run.adopted.get(node.key) or {}
    return _create(resource, requires, lifecycle.adopt(resource, data))


def snapshot(stack: Stack, node: Node) -> Work | None:
    """Snapshot a resource; one without an object keeps the state that makes an update create it."""
    record = stack.records.best(node.key)
    if record is None or recovery.is_done(stack, node.key):
        return None
    never_created = record.action == status.INIT or record.status == status.FAILED
    if record.nova_instance is None and never_created:
        return None
    return _when_settled(stack.resource_of(record), lifecycle.snapshot)


def _when_settled(resource: Resource, work: Callable[[Resource], Work]) -> Work:
    """Return ``work(resource)``, after the end of what a dead engine has left running."""
    return _settled(resource, work) if resource.status == status.IN_PROGRESS else work(resource)


def _settled(resource: Resource, work: Callable[[Resource], Work]) -> Work:
    """Wait for what a dead engine has left running, then do ``work``.

    What has failed in the nested stack meanwhile is not repeated.
    """
    yield from resource.settle()
    action = resource.action
    if (reason := recovery.nested_failure(resource)) is None:
        rest = work(resource)
    else:
        failure = exception.ResourceFailure.from_status_reason(reason)
        rest = lifecycle.fail(resource, action, failure)
    yield from stored_first(resource, rest)


#: what a node that applies a definition does in each action, and one that follows its dependants
FORWARD = {
    **dict.fromkeys((status.CREATE, status.UPDATE, status.ROLLBACK, status.RESTORE), apply),
    status.ADOPT: adopt,
    status.SNAPSHOT: snapshot,
    status.RESUME: resume,
    status.CHECK: check,
}
BACKWARD = {
    **dict.fromkeys((status.CREATE, status.ADOPT, status.UPDATE, status.DELETE), clean_up),
    **dict.fromkeys((status.ROLLBACK, status.RESTORE), clean_up),
    status.SUSPEND: suspend,
}
