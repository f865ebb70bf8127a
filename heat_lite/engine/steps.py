"""What one node of a plan does to one resource. Both walkers come through here."""

import logging

from heat_lite.common import exception, status
from heat_lite.engine import diff, failures, lifecycle

LOG = logging.getLogger(__name__)


def step(stack, action, node):
    """The work of ``node`` as a generator (see ``lifecycle``), or None when there is nothing to do."""
    return STEPS[action, node.forward](stack, node)


def make_it_so(stack, node):
    """The resource of that name becomes what the template says: made, changed, or replaced by a new row."""
    definition = stack.definitions[node.key]
    record = stack.best_record(node.key)
    if record is None:
        record = stack.new_record(node.key)
    resource = stack.resource_of(record)
    requires = stack.required_ids(node.key)
    try:
        decision = diff.decide(resource, definition, stack.type_changed(resource, definition))
    except Exception as error:
        return lifecycle.refuse(resource, status.UPDATE, error)
    if decision.action == diff.CREATE:
        resource.redefine(definition)
        return _create(resource, requires)
    if decision.action == diff.REPLACE and decision.changes is None:
        return _replace(stack, resource, definition, requires)
    return _update(stack, resource, definition, requires, decision)


def clean_up(stack, node):
    """A row that is not wanted any more goes away, and what it stands for in the cloud with it."""
    record = stack.records.get(node.key)
    if record is None or stack.is_wanted(record):
        return None
    return _delete(stack, stack.resource_of(record))


def suspend(stack, node):
    return _if_there(stack, node, lifecycle.suspend)


def resume(stack, node):
    record = stack.best_record(node.key)
    return None if record is None else lifecycle.resume(stack.resource_of(record))


def check(stack, node):
    record = stack.best_record(node.key)
    return None if record is None else lifecycle.check(stack.resource_of(record))


def adopt(stack, node):
    resource = stack.resource_of(stack.best_record(node.key))
    requires = stack.required_ids(node.key)
    return _create(resource, requires, lifecycle.adopt(resource, stack.adopted.get(node.key) or {}))


def snapshot(stack, node):
    """What is not there has nothing to keep: its state goes on saying that it must be made."""
    record = stack.best_record(node.key)
    if record is None or record.nova_instance is None and (record.action == status.INIT or record.status == status.FAILED):
        return None
    return lifecycle.snapshot(stack.resource_of(record))


STEPS = {
    (status.CREATE, True): make_it_so,
    (status.UPDATE, True): make_it_so,
    (status.ROLLBACK, True): make_it_so,
    (status.RESTORE, True): make_it_so,
    (status.ADOPT, True): adopt,
    (status.SNAPSHOT, True): snapshot,
    (status.CREATE, False): clean_up,
    (status.UPDATE, False): clean_up,
    (status.ROLLBACK, False): clean_up,
    (status.RESTORE, False): clean_up,
    (status.DELETE, False): clean_up,
    (status.SUSPEND, False): suspend,
    (status.RESUME, True): resume,
    (status.CHECK, True): check,
}


def _if_there(stack, node, work):
    record = stack.records.get(node.key)
    return None if record is None else work(stack.resource_of(record))


def _create(resource, requires, work=None):
    record = resource.record
    record.set(requires=requires, current_template_id=resource.stack.template_id)
    if not record.rsrc_metadata:
        metadata = resource.stack.resolve(resource.definition.metadata)
        if metadata:
            resource.metadata_set(metadata)
    yield from work or lifecycle.create(resource)


def _update(stack, resource, definition, requires, decision):
    try:
        yield from lifecycle.update(resource, definition, decision)
    except exception.UpdateReplace:
        yield from _replace(stack, resource, definition, requires)
        return
    record = resource.record
    if record.current_template_id != stack.template_id or record.requires != requires:
        record.set(requires=requires, current_template_id=stack.template_id)


def _replace(stack, resource, definition, requires):
    """A second row takes the name over; the first goes when its users have gone over to the new one."""
    if stack.keeps_all and stack.action == status.UPDATE:
        raise _refused(stack, resource)
    old = resource.record
    if definition.resource_type != resource.type():
        LOG.info('%s becomes a %s: it is replaced', resource, definition.resource_type)
    new = stack.new_record(resource.name, replaces=old)
    yield from _create(stack.resource_of(new), requires)


def _refused(stack, resource):
    """What nobody could foresee: it fails, and stays as it is."""
    error = exception.ReplacementRefused(stack_name=stack.name, resources=resource.name)
    failures.note(resource, status.UPDATE, error)
    return exception.ResourceFailure(error, ('resources', resource.name), status.UPDATE)


def _delete(stack, resource):
    try:
        yield from lifecycle.delete(resource)
    except exception.ResourceFailure:
        if not (stack.forcing and stack.action == status.DELETE):
            raise
        failures.forget(resource)
    stack.forget(resource.record)
