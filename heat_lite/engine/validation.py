"""What is checked before a stack is touched: names, limits, the template, and each resource by its type."""

import re

from heat_lite.common import exception, status
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import format
from heat_lite.engine import stack as engine_stack
from heat_lite.template import dependencies

_NAME = re.compile(r'[a-zA-Z][a-zA-Z0-9_.-]{0,254}')


def stack_name(name):
    """Raises StackValidationFailed for what is no name of a stack."""
    if not isinstance(name, str):
        raise exception.StackValidationFailed(f'Invalid stack name {name}, must be a string')
    if not _NAME.fullmatch(name):
        raise exception.StackValidationFailed(
            f'Invalid stack name {name} must contain only alphanumeric or "_-." characters, '
            'must start with alpha and must be 255 characters or less.'
        )


def room(context, runtime):
    """Whether this engine can take one more stack. Raises EngineBusy, TooManyStacksAtWork."""
    limits, running = runtime.limits, runtime.running
    if 0 < limits.max_stacks_at_work <= (count := running.count()):
        raise exception.EngineBusy(count=count)
    if 0 < limits.max_stacks_at_work_per_tenant <= (count := running.count(context.tenant_id)):
        raise exception.TooManyStacksAtWork(count=count)


def new_stack(context, runtime, name, template):
    """Whether a stack of that name may be made at all. Raises StackExists, RequestLimitExceeded."""
    if isinstance(name, str) and db_stacks.get_by_name(context, name) is not None:
        raise exception.StackExists(stack_name=name)
    limit = runtime.limits.max_stacks_per_tenant
    if limit >= 0 and db_stacks.count(context, filters={'tenant': context.tenant_id}) >= limit:
        raise exception.RequestLimitExceeded(f'You have reached the maximum stacks per tenant, {limit}. Please delete some stacks.')
    resource_count(runtime, template)


def owned(item):
    """Whether a stack may stand inside the one that is said to own it. Raises EntityNotFound, RequestLimitExceeded."""
    if item.tree.parent is None or item.tree.parent.deleted_at is not None:
        raise exception.EntityNotFound(entity='Stack', name=item.owner_id)
    limit = item.limits.max_nested_stack_depth
    if item.nested_depth > limit:
        raise exception.RequestLimitExceeded(f'Recursion depth exceeds {limit}.')


def resource_count(runtime, template, others=0):
    """``others``: resources of the same tree of stacks that are there already."""
    limit = runtime.limits.max_resources_per_stack
    snippets = template.resource_snippets
    # what is no map at all, the template's own check refuses
    if limit >= 0 and isinstance(snippets, dict) and others + len(snippets) > limit:
        raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')


def stack(item):
    """The whole stack as its template and parameters make it, with those inside its resources. Raises what tells the first fault."""
    if item.tree.is_nested:
        _inner_stack(item)
    else:
        item.tree.counted = len(item.template.resource_snippets)
        try:
            _inner_stack(item)
            if _too_many(item):
                raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')
        finally:
            item.tree.counted = None
            item.tree.seen.clear()


def inside(item):
    """A stack that is about to be inside a resource: now with all values, but not down into the stacks inside of it, which are looked at
    when it is their turn."""
    item.tree.validates_inside = False
    stack(item)


def change_inside(present, changed):
    """The same of what it is to become."""
    more_resources(present, len(changed.definitions) - len(present.definitions))
    inside(changed)


def more_resources(item, more):
    """Raises RequestLimitExceeded where the tree of a stack cannot have so many further resources."""
    limit = item.limits.max_resources_per_stack
    if 0 <= limit and more > 0 and db_stacks.count_tree_resources(item.context, item.root_id()) + more > limit:
        raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')


def nested_stack(item):
    """A stack inside a resource of one that is being validated. Values may still be placeholders: types look at them, schemas do not."""
    item.tree.strict = False
    _count(item)
    if not _too_many(item):
        _inner_stack(item)


def _inner_stack(item):
    item.template.validate()
    _ = item.bound  # Heat, too, finds fault with resources and conditions before it does with parameters
    item.parameters.validate(validate_value=item.tree.strict, lookup=item.lookup)
    _definitions(item, 'validate')


def _count(item):
    """All resources of a tree of stacks count together."""
    top = item.tree.top.tree
    if top.counted is not None:
        top.counted += len(item.definitions)


def _too_many(item):
    return 0 <= item.limits.max_resources_per_stack < (item.tree.top.tree.counted or 0)


def template(context, runtime, parsed, show_nested=False):
    """What ``validate_template`` answers. Values of parameters and properties are not looked at, as in Heat.

    Where the fault is in the template's own text, the answer is ``{'Error': text}``.
    """
    item = engine_stack.Stack(runtime, context, parsed, tenant=context.tenant_id, name='template_validate')
    try:
        parsed.validate()
        item.parameters.validate(validate_value=False)
        _definitions(item, 'validate_names')
    except exception.StackValidationFailed as error:
        return {'Error': str(error), 'Path': list(error.path)}
    answer = _described(item, show_nested)
    environment = parsed.environment.as_dict()
    environment.pop('encrypted_param_names', None)
    return {**answer, 'Environment': environment}


def _described(item, show_nested):
    """What a user may fill in; with ``show_nested`` for the stacks inside its resources too."""
    answer = {'Description': item.template.description or format.NO_DESCRIPTION, 'Parameters': item.parameters.describe()}
    if item.template.parameter_groups:
        answer['ParameterGroups'] = item.template.parameter_groups
    nested = {}
    for name in item.definitions if show_nested else ():
        resource = item.resource_for(name)
        inside = resource.described_inside()
        if inside is not None:
            nested[name] = {'Type': resource.type(), **_described(inside, show_nested)}
    return {**answer, 'NestedParameters': nested} if nested else answer


def _definitions(item, check):
    """The template's own faults, then those of each resource, in the order of their dependencies: a cycle is found before others.

    ``check`` is the name of the method that a resource is asked by.
    """
    item.template.validate_declarations()
    graph = _graph(item)
    outputs = item.bound.outputs.values()  # to read them tells what is wrong with their form
    for name in graph.order():
        _resource(item, item.bound.resources[name], check)
    for definition in outputs:
        definition.validate(item.scope)


def _graph(item):
    """What requires what, by names."""
    item.bound.refuse_slashes()
    kinds = {name: item.class_of(definition) for name, definition in item.bound.resources.items()}
    _permitted(item)
    item.bound.refuse_duplicates()
    edges = [(name, required) for name, first in item.requirements.items() for required in first or (None,)]
    return dependencies.Dependencies(edges, lambda name: f'{kinds[name].__name__} "{name}"')


def _permitted(item):
    """Raises Forbidden for a type that the policy keeps from whoever asks."""
    for name in {definition.resource_type for definition in item.bound.resources.values()}:
        if not item.context.is_admin and not item.runtime.allows_type(item.context, name):
            raise exception.Forbidden(action=f'resource_types:{name}')


def _resource(item, definition, check):
    resource = item.resource_for(definition.name)
    definition.validate(item.scope)
    if definition.external_id is not None:
        return
    _deletion_policy(resource, definition)
    try:
        getattr(resource, check)()
    except exception.StackValidationFailed as error:
        raise error if error.path[:1] == ('resources',) or not error.path else _placed(error, definition) from None


def _placed(error, definition):
    """A fault of a section of a resource, with where it is in the words of the template's dialect."""
    section, name, _ = definition.path
    if error.path[:2] == (name, 'Properties'):  # a check of the type's own has read a value that is none
        return exception.StackValidationFailed(error.error_message, path=(section, name))
    part, *rest = error.path
    path = (section, name, definition.version.dialect.resource.get(part, part), *rest)
    return exception.StackValidationFailed(error.error_message, error=error.error, path=path)


def _deletion_policy(resource, definition):
    if definition.deletion_policy == 'Snapshot' and not hasattr(resource, 'handle_snapshot_delete'):
        section, name, _ = definition.path
        path = (section, name, definition.version.dialect.resource['deletion_policy'])
        raise exception.StackValidationFailed('"Snapshot" deletion policy not supported', path=path)


def updatable(item):
    """Raises NotSupported for a stack that is suspended or on its way out."""
    if item.action in (status.SUSPEND, status.DELETE):
        raise exception.NotSupported(feature=f'Updating a stack when it is {_WORDS[item.action]}')
    stays(item)


def stays(item):
    """Raises ActionInProgress for a stack that is being deleted, adopted, or kept in a snapshot: nothing but a delete takes that over."""
    if item.status == status.IN_PROGRESS and item.action in (status.DELETE, status.ADOPT, status.SNAPSHOT):
        raise exception.ActionInProgress(stack_name=item.name, action=item.action)


def cancellable(item, with_rollback):
    """Raises NotSupported where there is nothing to cancel; a create has nothing to go back to."""
    if item.status != status.IN_PROGRESS or item.action not in ((status.UPDATE,) if with_rollback else (status.CREATE, status.UPDATE)):
        raise exception.NotSupported(feature=f'Cancelling update when stack is {item.action}_{item.status}')


_WORDS = {status.SUSPEND: 'suspended', status.DELETE: 'deleting'}


def immutable_parameters(present, changed):
    """Raises ImmutableParameterModified where the update gives other values to parameters that must stay."""
    names = present.parameters.immutable_changes(changed.parameters)
    if names:
        raise exception.ImmutableParameterModified(*names)


def tags(values):
    """Raises Invalid for tags that the database could not hold."""
    for tag in values or ():
        if not isinstance(tag, str) or len(tag) > 80:
            raise exception.Invalid(reason=f'"{tag}" is no tag: tags are texts of at most 80 characters')
