"""The door for resources of a stack: list, look, signal."""

from heat_lite.common import context as request_context
from heat_lite.common import exception, identifier, status
from heat_lite.db import resources as db_resources
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import format, signals
from heat_lite.engine import stack as engine_stack
from heat_lite.engine.endpoints.base import Endpoint, at_work

#: filters of the list -> how they are found in a formatted resource
FILTERS = {
    'name': 'resource_name',
    'type': 'resource_type',
    'action': 'resource_action',
    'status': 'resource_status',
    'physical_resource_id': 'physical_resource_id',
}


class Resources(Endpoint):
    def list_stack_resources(self, context, stack_identity, nested_depth=0, with_detail=False, filters=None):
        """The resources of a stack and of the stacks inside it, ``nested_depth`` levels down."""
        level, result = [self._stack(context, stack_identity, show_deleted=True)], []
        for depth in range(nested_depth + 1):
            result.extend(self._list_level(context, level, with_detail, filters))
            children = db_stacks.children(context, [stack.id for stack in level]) if depth < nested_depth else ()
            level = [engine_stack.Stack.from_row(self._runtime, context, row) for row in children]
            if not level:
                break
        return result

    @staticmethod
    def _list_level(context, stacks, with_detail, filters):
        """Stacks of one depth: their rows are read at once, and no more of them than is shown."""
        listed = {} if with_detail else db_resources.listed(context, [stack.id for stack in stacks])
        for stack in stacks:
            if not with_detail:
                stack.kept.look_over(listed.get(stack.id, ()))
            yield from _list(stack, with_detail, filters)

    def describe_stack_resource(self, context, stack_identity, resource_name, with_attr=None):
        stack = self._stack(context, stack_identity)
        stack.kept.looks_at_few = True
        found = self._found(stack, resource_name)
        _refuse_stack_users(context, stack, found.name)
        return self._describe(stack, found, with_attr)

    def describe_stack_resources(self, context, stack_identity, resource_name=None):
        """All resources of the stack, or the one of that name."""
        stack = self._stack(context, stack_identity)
        return [self._describe(stack, item) for item in stack.current_resources() if resource_name in (None, item.name)]

    @staticmethod
    def _describe(stack, item, with_attr=None):
        required_by, parent = stack.required_by().get(item.name, ()), stack.parent_resource_name
        return format.resource(item, required_by, detail=True, with_attributes=with_attr or None, parent=parent)

    @staticmethod
    def _found(stack, resource_name):
        row = stack.best_record(resource_name)
        if row is None:
            raise exception.ResourceNotFound(resource_name=resource_name, stack_name=stack.name)
        return stack.resource_of(row)

    def find_physical_resource(self, context, physical_resource_id):
        """The identity of the resource that has this physical id."""
        row = db_resources.get_by_physical_id(context, physical_resource_id)
        stack_row = row and db_stacks.get(context, row.stack_id)
        if not stack_row:
            raise exception.EntityNotFound(entity='Resource', name=physical_resource_id)
        return identifier.HeatIdentifier(stack_row.tenant, stack_row.name, stack_row.id).resource(row.name).as_dict()

    @at_work
    def resource_signal(self, context, stack_identity, resource_name, details, sync_call=False):
        """Tell a resource something. Only types that listen take it; ``unset_hook`` is for all."""
        row = self._row(context, stack_identity)
        stack = engine_stack.Stack.from_row(self._runtime, _owner(context, row), row)
        item = signals.find(stack, resource_name)
        signals.signal(stack, item.name, details, wait=sync_call)
        return item.metadata_get()

    @at_work
    def resource_mark_unhealthy(self, context, stack_identity, resource_name, mark_unhealthy, resource_status_reason=None):
        """Have the next update replace the resource, or take that back."""
        signals.mark(self._stack(context, stack_identity), resource_name, mark_unhealthy, resource_status_reason)


def _list(stack, with_detail, filters):
    if stack.state == (status.DELETE, status.COMPLETE):
        return
    required_by, parent = stack.required_by(), stack.parent_resource_name
    for item in stack.current_resources():
        one = format.resource(item, required_by.get(item.name, ()), detail=with_detail, parent=parent)
        if _matches(one, item.record, filters):
            yield one


def _owner(context, row):
    """In whose name a signal is acted upon: a user of the stack's own may give it, but sees neither the stack around nor those inside."""
    return context if context.tenant_id == row.tenant else request_context.admin_context(row.tenant)


def _refuse_stack_users(context, stack, name):
    """A user that was made for a stack sees only what its own resource allows it to."""
    if context.tenant_id == stack.tenant or context.tenant_id != stack.stack_user_project_id:
        return
    own = (item for item in stack.current_resources() if context.user_id in (item.resource_id, item.data().get('user_id')))
    if not any(item.access_allowed(name) for item in own):
        raise exception.Forbidden(action='this action')


def _matches(listed, row, filters):
    for name, wanted in (filters or {}).items():
        if wanted == '':
            continue  # nothing is asked for
        values = [row.uuid if name == 'id' else listed.get(FILTERS.get(name, name))]
        if name == 'status':
            values.append(f'{row.action}_{row.status}')  # the status as it is shown
        if not any(value in (wanted if isinstance(wanted, list) else [wanted]) for value in values):
            return False
    return True
