"""Validation of requests before a stack is changed: names, limits, the template, and each
resource by its type.

Tests: tests/functional/test_conformance.py.
"""

import contextlib
import dataclasses
import logging
import re
from collections.abc import Collection

from heat_lite.common import exception, log_context, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.db import queries as db_queries, stacks as db_stacks
from heat_lite.engine.resource import fingerprint
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.resource.resource_type import check_rules
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.stack import format, object_import
from heat_lite.engine.stack.stack import Stack
from heat_lite.template import dependencies, stored_properties
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.environment import RESOURCE_REGISTRY
from heat_lite.template.template import Template
from heat_lite.template.unknown import Unknown, ValueUnknown

LOG = logging.getLogger(__name__)

_NAME = re.compile(r'[a-zA-Z][a-zA-Z0-9_.-]{0,254}')
LONGEST_NAME = 255  # length of the column of names of resources
#: what functions read outside of a template and its parameters: the cloud, and a name that changes
_OUTSIDE = ('Fn::GetAZs', 'OS::stack_name', 'AWS::StackName')


@dataclasses.dataclass
class ValidationPass:
    """One validation of a stack and of the stacks nested in it.

    ``nested``: whether it descends into nested stacks. ``limit`` is that of the resources in the
    tree; below zero there is none. ``counted`` are the resources so far. ``seen`` has the number
    of resources of each nested stack: equal ones are validated once.
    """

    nested: bool = True
    limit: int = -1
    counted: int = 0
    seen: dict[tuple[Value, ...], int] = dataclasses.field(default_factory=dict)

    @property
    def exceeds_limit(self) -> bool:
        return 0 <= self.limit < self.counted


def stack_name(name: object) -> None:
    """Raise StackValidationFailed for an invalid name of a stack."""
    if not isinstance(name, str):
        raise exception.StackValidationFailed(f'Invalid stack name {name}, must be a string')
    if not _NAME.fullmatch(name):
        raise exception.StackValidationFailed(
            f'Invalid stack name {name} must contain only alphanumeric or "_-." characters, '
            'must start with alpha and must be 255 characters or less.'
        )


def capacity(context: RequestContext, runtime: Runtime) -> None:
    """Raise EngineBusy or TooManyStacksAtWork if this engine cannot work on one more stack."""
    limits, task_manager = runtime.limits, runtime.task_manager
    if 0 < limits.max_stacks_at_work <= (count := task_manager.count()):
        raise exception.EngineBusy(count=count)
    if 0 < limits.max_stacks_at_work_per_tenant <= (count := task_manager.count(context.tenant_id)):
        raise exception.TooManyStacksAtWork(count=count)


def new_stack(context: RequestContext, runtime: Runtime, name: str, template: Template) -> None:
    """Raise StackExists or RequestLimitExceeded if a stack of that name may not be created."""
    # A name that is no name cannot be looked up: PostgreSQL refuses a NUL character.
    if isinstance(name, str) and _NAME.fullmatch(name):
        free_name(context, name)
    limit = runtime.limits.max_stacks_per_tenant
    own = db_queries.StackFilter(filters={'tenant': context.tenant_id})
    if limit >= 0 and db_stacks.count(context, own) >= limit:
        raise exception.RequestLimitExceeded(
            f'You have reached the maximum stacks per tenant, {limit}. Please delete some stacks.'
        )
    resource_count(runtime, template)


def free_name(context: RequestContext, name: str) -> None:
    """Raise StackExists or StackValidationFailed if no stack can get the name."""
    stack_name(name)
    if db_stacks.get_by_name(context, name) is not None:
        raise exception.StackExists(stack_name=name)


def is_resource_name(name: str) -> bool:
    """Return whether a resource can get this name."""
    return name.isprintable() and 0 < len(name) <= LONGEST_NAME


def stored_names(template: Template) -> None:
    """Raise StackValidationFailed for a name of a resource that is longer than its column.

    Heat validates and previews such a template, so this belongs to what stores the stack.
    """
    for name in template.resource_snippets:
        if len(name) > LONGEST_NAME:
            raise exception.StackValidationFailed(
                f'Resource name may have at most {LONGEST_NAME} characters: {name[:40]}...'
            )


def owned(item: Stack) -> None:
    """Raise EntityNotFound or RequestLimitExceeded if a stack may not be nested in its owner."""
    if item.tree.parent is None or item.tree.parent.deleted_at is not None:
        raise exception.no_stack(item.owner_id)
    limit = item.limits.max_nested_stack_depth
    if item.nested_depth > limit:
        raise exception.RequestLimitExceeded(f'Recursion depth exceeds {limit}.')


def resource_count(runtime: Runtime, template: Template) -> None:
    """Raise RequestLimitExceeded for a template with too many resources."""
    limit = runtime.limits.max_resources_per_stack
    snippets = template.resource_snippets
    # the template's own check reports a section that is not a map
    if limit >= 0 and isinstance(snippets, dict) and len(snippets) > limit:
        raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')


def stack(item: Stack, present: Stack | None = None) -> None:
    """Validate a stack with its nested stacks. Raises the first error.

    ``present``: the stack before an update, whose own template was valid.
    """
    # the engine of the root stack counts the resources of a nested one
    run = ValidationPass(limit=-1 if item.tree.is_nested else item.limits.max_resources_per_stack)
    snippets = item.template.resource_snippets
    # the template's own check reports a section that is not a map
    run.counted = len(snippets) if isinstance(snippets, dict) else 0
    _stack_itself(item, run, present)
    if run.exceeds_limit:
        raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')


def nested_values(item: Stack) -> None:
    """Validate a nested stack with its final values.

    Its own nested stacks are validated when they are created.
    """
    stored_names(item.template)
    _stack_itself(item, ValidationPass(nested=False))


def nested_update(present: Stack, changed: Stack) -> None:
    """Validate the update of a nested stack."""
    immutable_parameters(present, changed)
    more_resources(present, len(changed.definitions) - len(present.definitions))
    nested_values(changed)


def more_resources(item: Stack, more: int) -> None:
    """Raise RequestLimitExceeded if the tree of a stack cannot have ``more`` further resources."""
    limit = item.limits.max_resources_per_stack
    if 0 <= limit and more > 0 and db_stacks.count_tree_resources(item.root_id()) + more > limit:
        raise exception.RequestLimitExceeded('Maximum resources per stack exceeded.')


def nested_stack(item: Stack, run: ValidationPass) -> None:
    """Validate a nested stack of a stack under validation."""
    run.counted += len(item.definitions)
    if not run.exceeds_limit:
        _stack_itself(item, run)


def _stack_itself(item: Stack, run: ValidationPass, present: Stack | None = None) -> None:
    item.template.validate()
    # errors in resources and conditions, then forbidden types, precede those in parameters
    _permitted(item)
    with item.foreseen():
        item.parameters.validate(validate_value=item.checks_values, lookup=item.lookup)
        _definitions(item, run, present=present)


def template(
    context: RequestContext,
    runtime: Runtime,
    parsed: Template,
    show_nested: bool = False,
    ignorable: Collection[str] = (),
) -> Values:
    """Return the response of ``validate_template``. As in Heat, values are not validated, and the
    types that the policy denies the requester are accepted: nothing is created.

    ``ignorable``: the codes of errors of resources to ignore.
    For an error of the template the response is its text, place and subject:
    ``{'Error': text, 'Path': [...], 'Subject': text}``.
    """
    item = Stack(runtime, context, parsed, tenant=context.tenant_id, name='dummy')
    try:
        parsed.validate()
        item.parameters.validate(validate_value=False)
        with item.foreseen():
            _definitions(item, None, ignorable)
    except exception.StackValidationFailed as error:
        text, subject = log_context.redact(str(error)), error.subject
        return {'Error': text, 'Path': list(error.place), 'Subject': subject}
    foreseen = item.with_template(parsed.with_unknown_parameters()) if show_nested else item
    with foreseen.foreseen():
        answer = _described(foreseen, show_nested)
    environment = parsed.environment.as_dict()
    environment.pop('encrypted_param_names', None)
    return {**answer, 'Environment': environment}


def _described(item: Stack, show_nested: bool) -> Values:
    """Return the parameters that a user may set; with ``show_nested`` also those of nested
    stacks.
    """
    answer = {
        'Description': item.template.description or format.NO_DESCRIPTION,
        'Parameters': item.parameters.describe(lists_as_text=item.tree.is_nested),
    }
    if item.template.parameter_groups:
        answer['ParameterGroups'] = item.template.parameter_groups
    nested = {}
    for name in item.definitions if show_nested else ():
        resource = item.resource_for(name)
        resource.ignore_invalid()
        try:
            nested_item = resource.describe_nested()
        except ValueUnknown:
            nested_item = None
        if nested_item is not None:
            nested[name] = {'Type': resource.type(), **_described(nested_item, show_nested)}
    return {**answer, 'NestedParameters': nested} if nested else answer


def _definitions(
    item: Stack,
    run: ValidationPass | None,
    ignorable: Collection[str] = (),
    present: Stack | None = None,
) -> None:
    """Validate the template, then each resource in order of dependencies: a cycle comes first.

    Without a pass, values are not validated. The errors of a resource whose codes are ``ignorable``
    are ignored. What is as in ``present``, with all that it reads, is not validated again.
    """
    item.template.validate_declarations()
    graph = dependency_graph(item)
    outputs = item.bound.outputs.values()  # reading them raises errors of form
    former = _Former(present, item) if present is not None else None
    for name in graph.order():
        if former is not None and former.stays_valid(name):
            continue
        try:
            single_resource(item, item.bound.resources[name], run)
        except exception.HeatException as error:
            if getattr(error, 'error_code', None) not in ignorable:
                raise
    for definition in outputs:
        definition.validate(item.scope)


class _Former:
    """What the validation of an update knows from that of the present template."""

    def __init__(self, present: Stack, item: Stack) -> None:
        was, becomes = present.template, item.template
        self._item, self._same = item, set[str]()
        equal = stored_properties.equal
        registries = [each.environment.data.get(RESOURCE_REGISTRY) or {} for each in (was, becomes)]
        has_types = was.version is becomes.version and equal(*registries)
        self._definitions = present.definitions if has_types else {}
        self._has_values = has_types and equal(_read_by_functions(was), _read_by_functions(becomes))

    def stays_valid(self, name: str) -> bool:
        """Return whether a resource is as it was, with all that its validation reads. Call it in
        order of dependencies.
        """
        definition, before = self._item.definitions[name], self._definitions.get(name)
        cls = self._item.class_of(definition)
        if (
            before is None
            or not stored_properties.equal(before.raw, definition.raw)
            or not self._item.requirements[name] <= self._same
            or cls.validate_nested is not Resource.validate_nested
            or not self._reads_same(definition)
        ):
            return False
        self._same.add(name)
        schemata = cls.properties_schema
        return (
            (cls.validates_properties_only or cls.validate is Resource.validate)
            and definition.external_id is None
            and not any(
                schemata[key].looks_up for key in definition.properties or () if key in schemata
            )
        )

    def _reads_same(self, definition: ResourceDefinition) -> bool:
        if not any(definition.functions()):
            return True
        text = repr(definition.raw)
        return self._has_values and not any(each in text for each in _OUTSIDE)


def _read_by_functions(template: Template) -> list[Value]:
    """Return all that functions read of a template and what came with it."""
    words = template.version.dialect.sections
    others = {words[name] for name in ('resources', 'outputs', 'description')}
    sections = {key: part for key, part in template.data.items() if key not in others}
    return [sections, dict(template.files), fingerprint.sections(template.environment.data)]


def dependency_graph(item: Stack) -> dependencies.Dependencies:
    """Return the dependencies of the resources, by names. Raises errors of names and types."""
    item.bound.validate_resource_names()
    for definition in item.bound.resources.values():
        item.class_of(definition)
    item.bound.validate_unique_names()
    edges = [
        (name, required)
        for name, first in item.requirements.items()
        for required in first or (None,)
    ]
    return dependencies.Dependencies(edges)


def _permitted(item: Stack) -> None:
    """Raise Forbidden for a type that the policy denies the requester."""
    for name in {definition.resource_type for definition in item.bound.resources.values()}:
        item.runtime.require_type(item.context, name)


def single_resource(
    item: Stack, definition: ResourceDefinition, run: ValidationPass | None
) -> None:
    """Validate a resource of a stack by its type. Raises its first error.

    Without a pass, only the names of its properties are validated.
    """
    resource = item.resource_for(definition.name)
    definition.validate(item.scope)
    if definition.external_id is not None:
        object_id = resource.external_id()  # raises errors of its functions
        if not isinstance(object_id, Unknown):
            object_import.refuse_other_path(object_id or None, definition.place('external_id'))
            # the resource of an update has the id already, one of a create has none
            if run is not None and object_id is not None:
                _require_object(resource, object_id)
        return
    definition.check_snapshot_policy(resource.supports_snapshot_delete())
    try:
        definition.check_ignored_paths(resource.properties_schema)
        resource.require_service(resource.stack.clients(), resource.type())
        refusal = resource.validate_names() if run is None else validate_resource(resource)
        if refusal:  # types of plug-ins may return the reason, as a text
            raise exception.StackValidationFailed(str(refusal))
        if run is not None:
            resource.validate_nested(run)
    except exception.StackValidationFailed as error:
        if error.path and error.path[:1] != definition.path[:1]:
            raise _placed(error, definition) from None
        raise error.at(*error.place or definition.path[:2]) from None
    except (exception.PropertiesError, exception.ResourceTypeUnavailable) as error:
        raise error.at(*definition.path[:2]) from None
    except (AttributeError, LookupError, TypeError) as error:
        LOG.exception(
            'The type %s cannot validate the resource %s; the request is refused',
            definition.resource_type,
            definition.name,
        )
        raise exception.StackValidationFailed(
            f'A value does not fit {definition.resource_type}: {type(error).__name__}: {error}',
            path=definition.path[:2],
        ) from error


def validate_resource(resource: Resource) -> Value:
    """Validate a resource by its type, up to the first check that needs a value which is not known
    yet, then by each of the rules between its properties.
    """
    refusal = None
    try:
        with contextlib.suppress(ValueUnknown):
            refusal = resource.validate()
        if not refusal:
            check_rules(resource.property_rules, resource.properties.value_without_lookup, resource)
    except exception.HeatException as error:
        if not error.place:
            error.at(*resource.definition.place('properties'))
        raise
    return refusal


def _require_object(resource: Resource, object_id: str) -> None:
    """Raise StackValidationFailed if ``external_id`` names no object, and ResourceTypeUnavailable
    without the service that knows it.
    """
    resource.require_service(resource.stack.clients(), resource.type())
    if not resource.standing_for(object_id).object_exists():
        raise exception.StackValidationFailed(
            f'Invalid external resource: Resource {object_id} ({resource.type()}) can not be found.'
        )


def _placed(
    error: exception.StackValidationFailed, definition: ResourceDefinition
) -> exception.StackValidationFailed:
    """Return an error of a section with its path in the words of the dialect of the template."""
    section, name, _ = definition.path
    part: Value
    part, *rest = error.path
    below, kind = [definition.version.dialect.resource.get(part, part), *rest], error.error
    if error.path[:2] == (name, 'Properties'):  # a check of the type has read an invalid value
        below, kind = [], 'ValueError'
    path = (section, name, *below)
    return exception.StackValidationFailed(error.error_message, kind, path, subject=error.subject)


def updatable(item: Stack) -> None:
    """Raise NotSupported for a stack that is suspended or being deleted."""
    if item.action in (status.SUSPEND, status.DELETE):
        raise exception.NotSupported(
            feature=f'Updating a stack when it is {_STATE_WORDS[item.action]}'
        )
    not_exclusive(item)


def not_exclusive(item: Stack) -> None:
    """Raise ActionInProgress during a delete, adoption or snapshot: only a delete interrupts
    those.
    """
    if item.action in (status.DELETE, status.ADOPT, status.SNAPSHOT):
        at_rest(item)


def at_rest(item: Stack) -> None:
    """Raise ActionInProgress for a stack at work."""
    if item.status == status.IN_PROGRESS:
        raise exception.action_in_progress(item)


def cancellable(item: Stack, with_rollback: bool) -> None:
    """Raise NotSupported if there is nothing to cancel. A create has nothing to roll back to."""
    if item.status != status.IN_PROGRESS or item.action not in (
        (status.UPDATE,) if with_rollback else (status.CREATE, status.UPDATE)
    ):
        raise exception.NotSupported(
            feature=f'Cancelling update when stack is {item.action}_{item.status}'
        )


def unchanged(item: Stack, digests: Collection[str] | None) -> None:
    """Raise DefinitionChanged unless one of the digests, or *, fits the stack. None fits any."""
    if digests is not None and not {'*', fingerprint.stack_fingerprint(item)}.intersection(digests):
        raise exception.DefinitionChanged(stack_name=item.name)


_STATE_WORDS = {status.SUSPEND: 'suspended', status.DELETE: 'deleting'}


def immutable_parameters(present: Stack, changed: Stack) -> None:
    """Raise ImmutableParameterModified if an update changes immutable parameters."""
    names = present.parameters.immutable_changes(changed.parameters)
    if names:
        raise exception.ImmutableParameterModified(*sorted(names))


def tags(runtime: Runtime, values: Collection[Value] | None) -> None:
    """Raise Invalid for too many tags, and for tags that do not fit the column."""
    limit = runtime.limits.max_tags_per_stack
    values = values or ()
    if 0 <= limit < len(values):
        raise exception.Invalid(reason=f'{len(values)} tags, the limit of a stack is {limit}')
    for tag in values:
        if not isinstance(tag, str) or len(tag) > 80:
            raise exception.Invalid(
                reason=f'"{tag}" is not a valid tag: tags are texts of at most 80 characters'
            )
