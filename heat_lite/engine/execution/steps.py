"""What one node of a plan does to one resource. Both walkers come through here."""

import logging

from heat_lite.common import exception, status
from heat_lite.engine import adoption, diff, event, failures, hooks, lifecycle, progress

LOG = logging.getLogger(__name__)


def step(stack, action, node):
    """The work of ``node`` as a generator (see ``lifecycle``), or None when there is nothing to do."""
    if node.forward and (reason := progress.failure_of(stack, node.key)) is not None:
        raise _failed_before(stack, node, action, reason)
    return STEPS[action, node.forward](stack, node)


def _failed_before(stack, node, action, reason):
    """Another engine has seen it fail, and then went itself."""
    record = stack.best_record(node.key)
    if record is not None and record.status == status.FAILED:
        action, reason = record.action, record.status_reason
    return exception.ResourceFailure.of_stack(f'Resource {action} failed: {reason}')


def name_of(stack, node):
    """The name of the resource that ``node`` is about."""
    if node.forward:
        return node.key
    record = stack.records.get(node.key)
    return None if record is None else record.name


def make_it_so(stack, node):
    """The resource of that name becomes what the template says: made, changed, or replaced by a new row."""
    record = stack.best_record(node.key)
    if record is None:
        record = stack.new_record(node.key)
    resource = stack.resource_of(record)
    if resource.status == status.IN_PROGRESS:
        return _interrupted(stack, node, resource)
    if resource.action != status.INIT and (hooks.stops(resource, 'pre', status.UPDATE) or stack.converge):
        return _looked_at_first(stack, node, resource)
    return _made_so(stack, node, resource)


def _interrupted(stack, node, resource):
    """An engine has died while it was at it. What was being made is made by the definition that it was begun with; then it is decided as
    usual what is to be done."""
    ours = resource.record.current_template_id == stack.template_id
    if resource.action in (status.CREATE, status.ADOPT):
        try:
            yield from lifecycle.go_on(resource)
        except exception.ResourceFailure:
            if ours:
                raise
        else:
            if ours:
                yield from hooks.after(resource, status.CREATE)
    else:
        yield from resource.settle()
    yield from _announced(stack, _made_so(stack, node, resource))


def _looked_at_first(stack, node, resource):
    """Wait for the hook, see what is really there, and only then decide what is to be done."""
    yield from hooks.before(resource, status.UPDATE)
    if stack.converge:
        yield from lifecycle.observe(resource)
    yield from _announced(stack, _made_so(stack, node, resource))


def _made_so(stack, node, resource):
    definition = stack.definitions[node.key]
    requires = _required_ids(stack, node.key)
    if resource.action != status.INIT and resource.status == status.COMPLETE and not stack.type_changed(resource, definition):
        _keep_external_id(resource, definition)
    try:
        decision = diff.decide(resource, definition, stack.type_changed(resource, definition))
    except Exception as error:
        return lifecycle.refuse(resource, status.UPDATE, error)
    if decision.action == diff.CREATE:
        resource.redefine(definition)
        return _create(resource, requires)
    if decision.action in RESTRICTED_AS and _is_restricted(resource, RESTRICTED_AS[decision.action]):
        return _restricted(resource, RESTRICTED_AS[decision.action])
    if decision.action == diff.REPLACE and decision.changes is None:
        return _replace(stack, resource, definition, requires)
    return _update(stack, resource, definition, requires, decision)


#: what an environment may forbid (restricted_actions), by what is to be done
RESTRICTED_AS = {diff.UPDATE: 'update', diff.REPLACE: 'replace'}


def _keep_external_id(resource, definition):
    """The refusal of another object is no failure of the resource: it stays as it is, without an event, as in Heat."""
    try:
        diff.refuse_other_external_id(resource, definition)
    except exception.NotSupported as error:
        failures.note(resource, status.UPDATE, error)
        raise exception.ResourceFailure(error, ('resources', resource.name), status.UPDATE) from error


def _is_restricted(resource, what):
    return what in resource.stack.template.environment.registry.restricted_actions(resource.name)


def _restricted(resource, what):
    """It fails, but stays as it is: the event alone tells of it."""
    error = exception.ResourceActionRestricted(action=what)
    event.of_resource(resource, status.UPDATE, status.FAILED, str(error))
    failures.note(resource, status.UPDATE, error)
    raise exception.ResourceFailure(error, ('resources', resource.name), status.UPDATE)
    yield  # it is a generator like the others


def _announced(stack, work):
    """``work``, of which the beginning is stored before it goes on: what is done within a walker's turn needs no such care."""
    try:
        next(work)
    except StopIteration:
        return
    yield from stack.journal.write()
    yield from work


def clean_up(stack, node):
    """A row that is not wanted any more goes away, and what it stands for in the cloud with it."""
    record = stack.records.get(node.key)
    if record is None or stack.is_wanted(record):
        return None
    if record.action == status.INIT:
        stack.forget(record)
        return None
    return _delete(stack, stack.resource_of(record))


def suspend(stack, node):
    """What has never been made stays so: it must not look as if it only slept, or no update would make it."""
    record = stack.records.get(node.key)
    if record is None or record.action == status.INIT or progress.is_done(stack, record.name):
        return None
    return _at_rest(stack.resource_of(record), lifecycle.suspend)


def _at_rest(resource, work):
    """``work(resource)``; where an engine has died in the midst of something, what it has left running is waited for first."""
    return _settled(resource, work) if resource.status == status.IN_PROGRESS else work(resource)


def _settled(resource, work):
    yield from resource.settle()
    yield from _announced(resource.stack, work(resource))


def resume(stack, node):
    record = stack.best_record(node.key)
    if record is None or record.action == status.INIT or progress.is_done(stack, node.key):
        return None
    return _at_rest(stack.resource_of(record), lifecycle.resume)


def check(stack, node):
    record = stack.best_record(node.key)
    if record is None or progress.is_done(stack, node.key):
        return None
    return _at_rest(stack.resource_of(record), lifecycle.check)


def adopt(stack, node):
    if stack.progress is not None and not stack.adopted:
        stack.adopted = adoption.kept(stack)
    resource = stack.resource_of(stack.best_record(node.key))
    if progress.is_done(stack, node.key):
        return None
    if resource.status == status.IN_PROGRESS:
        return _interrupted(stack, node, resource)
    requires = _required_ids(stack, node.key)
    return _create(resource, requires, lifecycle.adopt(resource, stack.adopted.get(node.key) or {}))


def snapshot(stack, node):
    """What is not there has nothing to keep: its state goes on saying that it must be made."""
    record = stack.best_record(node.key)
    if record is None or record.nova_instance is None and (record.action == status.INIT or record.status == status.FAILED):
        return None
    return None if progress.is_done(stack, node.key) else _at_rest(stack.resource_of(record), lifecycle.snapshot)


STEPS = {
    (status.CREATE, True): make_it_so,
    (status.UPDATE, True): make_it_so,
    (status.ROLLBACK, True): make_it_so,
    (status.RESTORE, True): make_it_so,
    (status.ADOPT, True): adopt,
    (status.SNAPSHOT, True): snapshot,
    (status.CREATE, False): clean_up,
    (status.ADOPT, False): clean_up,
    (status.UPDATE, False): clean_up,
    (status.ROLLBACK, False): clean_up,
    (status.RESTORE, False): clean_up,
    (status.DELETE, False): clean_up,
    (status.SUSPEND, False): suspend,
    (status.RESUME, True): resume,
    (status.CHECK, True): check,
}


def _create(resource, requires, work=None):
    record = resource.record
    record.set(requires=requires, current_template_id=resource.stack.template_id)
    _complete_requirements(resource.stack, record)
    if not record.rsrc_metadata:
        metadata = resource.stack.resolve(resource.definition.metadata)
        if metadata:
            resource.metadata_set(metadata)
    work = work or lifecycle.create(resource)
    paused = yield from hooks.before(resource, status.CREATE)
    yield from _announced(resource.stack, work) if paused else work
    yield from hooks.after(resource, status.CREATE)


def _update(stack, resource, definition, requires, decision):
    template_id = stack.template_id
    try:
        yield from lifecycle.update(resource, definition, decision)
    except exception.UpdateReplace:
        # where another action has taken the stack over meanwhile, it is for that one to say what shall be there
        if stack.template_id == template_id:
            yield from _announced(stack, _replaced_after_all(stack, resource, definition, requires))
        return
    record = resource.record
    if record.current_template_id != template_id or record.requires != requires:
        record.set(requires=requires, current_template_id=template_id)
    _complete_requirements(stack, record)
    if decision.action == diff.UPDATE:
        yield from hooks.after(resource, status.UPDATE)


def _replaced_after_all(stack, resource, definition, requires):
    if _is_restricted(resource, 'replace'):
        yield from _restricted(resource, 'replace')
    yield from _replace(stack, resource, definition, requires)


def _replace(stack, resource, definition, requires):
    """A second row takes the name over; the first goes when its users have gone over to the new one."""
    if stack.keeps_all and stack.action == status.UPDATE:
        raise _refused(stack, resource)
    old = resource.record
    if definition.resource_type != resource.type():
        LOG.info('%s becomes a %s: it is replaced', resource, definition.resource_type)
    new = stack.resource_of(stack.new_record(resource.name, replaces=old))
    yield from _create(new, requires, lifecycle.create(new, instead_of=resource))


def _refused(stack, resource):
    """What nobody could foresee: it fails, and stays as it is."""
    error = exception.ReplacementRefused(stack_name=stack.name, resources=resource.name)
    failures.note(resource, status.UPDATE, error)
    return exception.ResourceFailure(error, ('resources', resource.name), status.UPDATE)


def _delete(stack, resource):
    paused = yield from hooks.before(resource, status.DELETE)
    work = lifecycle.delete(resource)
    try:
        yield from _announced(stack, work) if paused else work
    except exception.ResourceFailure:
        if not (stack.forcing and stack.action == status.DELETE):
            raise
        failures.forget(resource)
    if stack.forcing:
        failures.gather(resource)
    yield from hooks.after(resource, status.DELETE)
    stack.forget(resource.record)


def _required_ids(stack, name):
    records = (stack.best_record(required) for required in sorted(stack.requirements[name]))
    return [each.id for each in records if each is not None and each.id is not None]


def _complete_requirements(stack, row):
    """What a row requires may get its id only with the turn that is being collected: then the row is completed after it."""
    needed = [each for each in map(stack.best_record, sorted(stack.requirements[row.name])) if each is not None]
    if any(each.id is None for each in needed):
        stack.journal.afterwards(lambda: row.set(requires=[each.id for each in needed if each.id is not None]))
