"""The stack of a case: its resources have the ids and attributes of the stubs.

Groups and nested templates are evaluated down to the stubs of their members. No database, cloud or
network is used.
"""

import functools
from collections.abc import Mapping

from heat_lite.authoring import offline_types
from heat_lite.common import context, exception, status
from heat_lite.common.value_types import Value
from heat_lite.engine import runtime
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import stack_definition
from heat_lite.engine.stack.nested_stack_view import NestedStackView
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.validation import offline_validation
from heat_lite.resources.heat import value
from heat_lite.template import attributes, coercion
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.properties import Properties
from heat_lite.template.suggest import suggest
from heat_lite.template.template import Template

PROJECT = 'test'
#: the value of OS::stack_id
STACK_ID = '00000000-0000-0000-0000-000000000000'


class MissingStub(exception.HeatException):
    """A value needs an attribute that only a stub can give."""

    msg_fmt = (
        'the attribute "%(attribute)s" of the resource "%(path)s" is not known: write it into'
        ' stubs, "%(path)s: {attributes: {%(attribute)s: ...}}"'
    )


class Stubs:
    """The stubs of a stack and of the stacks nested in it, by path: ``outer/inner``.

    ``is_strict``: whether a missing stub is an error; if not, the value is None.
    """

    def __init__(self, given: Mapping[str, Value]) -> None:
        self._given = given
        self.is_strict = False

    def get(self, path: str) -> Mapping[str, Value]:
        return self._given.get(path) or {}


class CaseStack(Stack):
    """A stack whose resources read their ids and attributes from stubs."""

    stubs = Stubs({})
    #: the paths of the resources that contain this stack
    base = ''

    @functools.cached_property
    def definition(self) -> stack_definition.StackDefinition:
        identity = {'tenant': PROJECT, 'project_id': PROJECT, 'stack_name': self.name}
        return stack_definition.StackDefinition(self.template, {**identity, 'stack_id': STACK_ID})

    def class_of(self, definition: ResourceDefinition) -> type:
        found: Value = super().class_of(definition)
        return _stubbed(found)

    def find(self, path: str) -> Value:
        """Return the resource at a path. Raises ResourceNotFound, with a suggestion."""
        outer, _, inner = path.partition('/')
        if outer not in self.definitions:
            error = exception.ResourceNotFound(resource_name=outer, stack_name=self.name)
            raise error.with_hint(suggest(outer, self.definitions))
        item: Value = self.resource_for(outer)
        if not inner:
            return item
        if not item.has_nested_stack:
            raise exception.ResourceNotFound(resource_name=path, stack_name=self.name)
        return item.nested().find(inner)


class _CaseResource(Resource):
    """What the resources of a case answer themselves; their type answers the rest."""

    stack: CaseStack

    @property
    def path(self) -> str:
        return f'{self.stack.base}{self.name}'

    @property
    def action(self) -> str:
        return status.CREATE if self.has_nested_stack else super().action

    def properties_of(self, definition: ResourceDefinition) -> Properties:
        made = super().properties_of(definition)
        if self.stack.foresight is None:
            made.options = coercion.LENIENT  # a stub need not be real
        return made

    def reference_id(self) -> Value:
        known = self.stack.stubs.get(self.path)
        if 'id' not in known and self.has_nested_stack:
            return super().reference_id()
        return known.get('id', self.name)

    def attribute(self, *path: str) -> Value:
        known = self.stack.stubs.get(self.path).get('attributes', {})
        if not path and known:
            return dict(known)
        if path and path[0] in known:
            return attributes.select(known[path[0]], path[1:])
        if self.has_nested_stack:
            return super().attribute(*path)
        if isinstance(self, value.Value) and path[:1] == ('value',):
            return attributes.select(self.properties['value'], path[1:])
        if self.stack.stubs.is_strict:
            raise MissingStub(attribute=path[0] if path else '...', path=self.path)
        return None


@functools.cache
def _stubbed(cls: type) -> type:
    """Return a class of resources with stubs."""
    return type(cls.__name__, (_CaseResource, cls), {'__doc__': cls.__doc__})


class _CaseNestedStack(NestedStackView):
    """The nested stack of a resource of a case; it exists as soon as it is read."""

    def draft(self, template: Template, timeout_mins: int | None = None) -> Value:
        drafted: Value = super().draft(template, timeout_mins)
        resource: Value = self._resource
        drafted.stubs = resource.stack.stubs
        drafted.base = f'{resource.path}/'
        return drafted

    def existing_stack(self) -> Value:
        if self._stack is None and not self._reload:
            # The template of a group may read the group's present members: there are none.
            self._reload = True
            try:
                self._stack = self._resource.preview_nested()
            finally:
                self._reload = False
        return self._stack


def build(types: offline_types.OfflineTypes, template: Value, name: str, stubs: Stubs) -> CaseStack:
    """Return the stack of a template with its environment."""
    registry: Value = offline_validation.OfflineRegistry(types.registry)
    case_runtime = runtime.Runtime(
        registry,
        runtime.UNSET,
        runtime.EngineLimits(),
        'offline',
        offline_validation.offline_clients,
    )
    case_runtime.nested_stack = functools.partial(_CaseNestedStack, case_runtime)
    stack = CaseStack(
        case_runtime,
        context.RequestContext(project_id=PROJECT, overwrite=False),
        template,
        name=name,
        tenant=PROJECT,
        action=status.CREATE,
        status=status.COMPLETE,
    )
    stack.stubs = stubs
    return stack
