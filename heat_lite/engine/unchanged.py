"""Whether an update asks for nothing that is not there already: then no resource is visited."""

from heat_lite.common import status
from heat_lite.template import digest


def nothing_new(stack, template):
    """Whether the stack is just what ``template`` with its parameters, files and environment says, and all its resources are at rest."""
    if stack.leftovers or digest.of(stack.template) != digest.of(template):
        return False
    rows = stack.rows()
    if len(rows) != len(stack.definitions) or any(row.name not in stack.definitions for row in rows):
        return False
    return all(_rests(stack, stack.resource_of(row)) for row in rows)


def _rests(stack, resource):
    record = resource.record
    made = record.action != status.INIT and record.status == status.COMPLETE and record.current_template_id == stack.template_id
    # a hook is minded even by a resource that does not change
    return made and not stack.template.environment.registry.hooks(resource.name) and not resource.needs_update(resource.definition)
