"""The stack and the definitions of resources in the form that plug-ins written for Heat read."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values, without_none
from heat_lite.engine.resource.resource import Resource
from heat_lite.plugin.heat.heat_properties import Properties
from heat_lite.plugin.heat.service_plugins import HeatContext
from heat_lite.template import definition as template_definition
from heat_lite.template.environment import Environment
from heat_lite.template.function import dependencies
from heat_lite.template.schema import PropertySchema
from heat_lite.template.template import Template

#: the stack of the service, of a floor that plug-ins do not import
Stack: TypeAlias = Any


class DefinitionView:
    """The definition of a resource: ``properties(schema)``, ``metadata()``, ``freeze(...)``.

    ``definition`` is that of the service; its other names are those of this object.
    """

    def __init__(self, definition: template_definition.ResourceDefinition, stack: Stack) -> None:
        self.definition, self._stack = definition, stack

    def __getattr__(self, name: str) -> Any:
        return getattr(self.definition, name)

    def _section(self, section: str, schema: Mapping[str, PropertySchema]) -> Properties:
        given = getattr(self.definition, section) or {}
        resolve, lookup = self._stack.scope.resolve, self._stack.lookup
        return Properties(schema, given, resolve, self.definition.name, section, lookup)

    def properties(
        self, schema: Mapping[str, PropertySchema], context: object = None
    ) -> Properties:
        return self._section('properties', schema)

    def update_policy(
        self, schema: Mapping[str, PropertySchema], context: object = None
    ) -> Properties:
        return self._section('update_policy', schema)

    def metadata(self) -> Value:
        return self._stack.resolve(self.definition.metadata) or {}

    def deletion_policy(self) -> str:
        """Return Delete, Retain or Snapshot."""
        return self.definition.deletion_policy

    def external_id(self) -> Value:
        return self._stack.resolve(self.definition.external_id)

    def condition(self) -> Value:
        return self.definition.condition

    def dependencies(self, stack: 'StackView') -> Iterator[Resource]:
        """Yield the resources that the definition refers to or depends on."""
        for name in self.required_resource_names():
            yield stack[name]

    def required_resource_names(self) -> set[str]:
        return self.definition.requires(self._stack.definitions)

    def render_hot(self) -> Values:
        """Return the definition as its template has it."""
        return dict(self.definition.raw)

    def freeze(self, **parts: Value) -> 'DefinitionView':
        """Return a copy with ``properties``, ``metadata`` or other parts replaced."""
        return DefinitionView(self.definition.freeze(**parts), self._stack)

    def __eq__(self, other: object) -> bool:
        return self.definition == unwrapped(other)

    def __hash__(self) -> int:
        return hash(self.definition)


def unwrapped(definition: Value) -> Value:
    """Return the definition of the service of a DefinitionView; anything else as it is."""
    return definition.definition if isinstance(definition, DefinitionView) else definition


class ResourceDefinition:
    """A definition that a plug-in constructs, e.g. for a nested template: see ``render_hot``."""

    _KEYS = {'resource_type': 'type', 'depends': 'depends_on'}

    def __init__(
        self,
        name: str,
        resource_type: str,
        properties: Mapping[str, Value] | None = None,
        metadata: Mapping[str, Value] | None = None,
        depends: list[str] | None = None,
        deletion_policy: str | None = None,
        update_policy: Mapping[str, Value] | None = None,
        description: str | None = None,
        external_id: str | None = None,
        condition: Value = None,
    ) -> None:
        self.name, self.resource_type = name, resource_type
        self.description, self.depends = description, depends
        self._parts = {
            'properties': properties,
            'metadata': metadata,
            'deletion_policy': deletion_policy,
            'update_policy': update_policy,
            'external_id': external_id,
            'condition': condition,
        }

    def render_hot(self) -> Values:
        """Return the snippet of a HOT template."""
        found = {
            'type': self.resource_type,
            'depends_on': self.depends,
            'description': self.description,
            **self._parts,
        }
        return without_none(found)

    def required_resource_names(self) -> set[str]:
        return {*(self.depends or ()), *dependencies(self._parts)}


class TemplateView:
    """The template of a stack: ``files``, ``env``, ``t`` (the document), ``version``."""

    def __init__(self, template: Template) -> None:
        self._template = template

    @property
    def env(self) -> Environment:
        return self._template.environment

    @property
    def t(self) -> Mapping[str, Value]:
        return self._template.data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._template, name)


class StackView(Mapping[str, Resource]):
    """The stack of a resource: a map of its resources by name, with the members of Heat's stack.

    All other names are those of the stack of the service.
    """

    ACTIONS = status.ACTIONS[1:]
    (CREATE, DELETE, UPDATE, ROLLBACK, SUSPEND, RESUME, ADOPT, SNAPSHOT, CHECK, RESTORE) = ACTIONS
    STATUSES = status.STATUSES
    (IN_PROGRESS, FAILED, COMPLETE) = STATUSES

    def __init__(self, stack: Stack) -> None:
        object.__setattr__(self, '_stack', stack)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stack, name)

    def __setattr__(self, name: str, value: Value) -> None:
        setattr(self._stack, name, value)

    def __str__(self) -> str:
        return str(self._stack)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return self._stack is getattr(other, '_stack', other)

    def __hash__(self) -> int:
        return hash(self._stack)

    @property
    def real(self) -> Stack:
        """The stack of the service."""
        return self._stack

    # ------------------------------------------------------------ resources

    def __getitem__(self, name: str) -> Resource:
        try:
            return self._stack.resource_for(name)
        except exception.ResourceNotFound as error:
            raise KeyError(name) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._stack.definitions)

    def __len__(self) -> int:
        return len(self._stack.definitions)

    @property
    def resources(self) -> dict[str, Resource]:
        return {name: self[name] for name in self}

    def resource_get(self, name: str) -> Resource | None:
        return self.get(name)

    def resource_by_refid(self, refid: Value) -> Resource | None:
        """Return the resource whose ``get_resource`` gives ``refid``; None if there is none."""
        for each in self._stack.current_resources():
            if each.action != status.DELETE and refid in (each.reference_id(), each.resource_id):
                return each
        return None

    # ------------------------------------------------------------ identity, template and time

    @property
    def context(self) -> HeatContext:
        return HeatContext(self._stack.context, self._stack.clients())

    @property
    def tenant_id(self) -> str:
        return self._stack.tenant

    @property
    def t(self) -> TemplateView:
        return TemplateView(self._stack.template)

    @property
    def env(self) -> Environment:
        return self._stack.template.environment

    def root_stack_id(self) -> str:
        return self._stack.root_id()

    def timeout_secs(self) -> int:
        return self._stack.timeout_seconds()
