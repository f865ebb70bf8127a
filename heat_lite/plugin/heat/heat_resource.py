"""The base class of resource types that are written for Heat."""

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from heat_lite.clients import errors
from heat_lite.clients.client_plugin import ClientPlugin, RequestingContext
from heat_lite.clients.clients import Clients
from heat_lite.common import exception, identifier, status
from heat_lite.common.value_types import Value
from heat_lite.engine.resource.record import Record
from heat_lite.plugin import resource
from heat_lite.plugin.heat.client_libraries import Client
from heat_lite.plugin.heat.heat_properties import Properties
from heat_lite.plugin.heat.service_plugins import HeatContext
from heat_lite.plugin.heat.stack_view import DefinitionView, Stack, StackView, unwrapped
from heat_lite.template.definition import ResourceDefinition


def _prepare(given: Callable[..., Value]) -> Callable[..., tuple[()]]:
    """Return ``prepare_for_replace`` of the service for one of a plug-in, which has no arguments
    and does its work at once.
    """

    @functools.wraps(given)
    def prepare_for_replace(self: Resource, *definition: object) -> tuple[()]:
        given(self)
        return ()

    return prepare_for_replace


class _Dependencies:
    """Collects what ``add_explicit_dependencies`` adds: ``deps += (self, other)``."""

    def __init__(self, names: Iterable[str]) -> None:
        self.found: list[str] = []
        self._names = frozenset(names)

    def __iadd__(self, edge: tuple[resource.Resource, resource.Resource | None]) -> '_Dependencies':
        _, required = edge
        if required is not None and required.name in self._names:
            self.found.append(required.name)
        return self


class ResourceStatus:
    """The actions and statuses of resources."""

    ACTIONS, STATUSES = status.ACTIONS, status.STATUSES
    INIT, CREATE, DELETE, UPDATE, ROLLBACK, SUSPEND = status.ACTIONS[:6]
    RESUME, ADOPT, SNAPSHOT, CHECK, RESTORE = status.ACTIONS[6:]
    IN_PROGRESS, FAILED, COMPLETE = status.STATUSES


class Resource(resource.Resource, ResourceStatus):
    """Base of resource types: what ``heat.engine.resource.Resource`` offers to plug-ins.

    A type is constructed with three arguments. ``client('nova')`` is the client library of the
    service; ``stack`` and ``t`` are views of the stack and the definition.
    """

    #: what a plug-in may pass to the locks of rows, which the service keeps by itself
    LOCK_ACTIONS = (LOCK_NONE, LOCK_ACQUIRE, LOCK_RELEASE, LOCK_RESPECT) = (None, 1, -1, 0)
    BASE_ATTRIBUTES = (SHOW,) = ('show',)
    properties_class: Any = Properties
    #: a StackView
    stack: Any

    def __init_subclass__(cls, **options: Value) -> None:
        super().__init_subclass__(**options)
        if 'prepare_for_replace' in vars(cls) and 'service_type' not in vars(cls):
            setattr(cls, 'prepare_for_replace', _prepare(cls.prepare_for_replace))  # noqa: B010

    @classmethod
    def build(
        cls, name: str, definition: ResourceDefinition, stack: Stack, record: Record
    ) -> 'Resource':
        made: Any = cls.__new__(cls)
        made._begin(name, definition, stack, record)
        made.__init__(name, DefinitionView(definition, stack), made.stack)
        return made

    def _begin(
        self, name: str, definition: ResourceDefinition, stack: Stack, record: Record
    ) -> None:
        """Set what the ``__init__`` of a plug-in may read already."""
        view: Any = StackView(stack)
        super().__init__(name, definition, view, record)

    def __init__(self, name: str, definition: DefinitionView, stack: StackView) -> None:
        """Do nothing: the object is ready, and ``__init__`` of a plug-in may call this one."""

    # ------------------------------------------------------------ clients

    @property
    def context(self) -> Any:
        return HeatContext(self.stack.real.context, self.stack.clients())

    def client(self, name: str | None = None, version: str | None = None) -> Client:
        """Return the library of a service, or the client that a plug-in brings.

        Raises NoCloud if the library is not installed.
        """
        return self.client_plugin(name).client(version=version)

    def client_plugin(self, name: str | None = None) -> ClientPlugin:
        wanted = name or self.default_client_name
        if wanted is None:
            raise exception.Error(f'{type(self).__name__} has no default_client_name')
        return self.context.clients.client_plugin(wanted)

    cinder = functools.partialmethod(client, 'cinder')
    heat = functools.partialmethod(client, 'heat')
    keystone = functools.partialmethod(client, 'keystone')
    neutron = functools.partialmethod(client, 'neutron')
    nova = functools.partialmethod(client, 'nova')
    swift = functools.partialmethod(client, 'swift')

    @classmethod
    def is_service_available(cls, context: RequestingContext) -> tuple[bool, str | None]:
        """Return whether the type can be used, and the reason if it cannot. Types override it."""
        name = cls.default_client_name
        if name is None:
            return True, None
        try:
            context.clients.require(name, cls.required_service_extension)
        except errors.NoCloud as error:
            return False, f'{error}.'
        return True, None

    @classmethod
    def require_service(cls, clients: Clients, type_name: str) -> None:
        available, reason = cls.is_service_available(clients.requesting(HeatContext))
        if not available:
            raise exception.ResourceTypeUnavailable(
                service_name=cls.default_client_name, resource_type=type_name, reason=reason
            )

    # ------------------------------------------------------------ definition

    @property
    def t(self) -> DefinitionView:
        return DefinitionView(self.definition, self.stack.real)

    @t.setter
    def t(self, definition: DefinitionView | ResourceDefinition) -> None:
        self.redefine(unwrapped(definition))

    @property
    def properties(self) -> Properties:
        made: Any = super().properties  # of ``properties_class``
        return made

    @properties.setter
    def properties(self, values: Properties) -> None:
        """Types set it to the properties of a new definition, in ``handle_update``."""
        self._properties = values

    def handler_definition(self, definition: ResourceDefinition) -> DefinitionView:
        return DefinitionView(definition, self.stack.real)

    def frozen_definition(self) -> DefinitionView:
        """Return the definition with the properties of the last create or update."""
        stored = self.record.properties
        return self.t if stored is None else self.t.freeze(properties=dict(stored))

    def parsed_template(self, section: str | None = None, default: Value = None) -> Value:
        """Return the snippet of the resource, or one section of it, with resolved functions."""
        parts = ('properties', 'metadata', 'update_policy')
        found = {part.title(): getattr(self.definition, part) for part in parts}
        resolved = {part: self.stack.resolve(value) for part, value in found.items()}
        resolved['Type'] = self.definition.resource_type
        return resolved if section is None else resolved.get(section) or default or {}

    def has_interface(self, resource_type: str) -> bool:
        """Return whether the resource is of the type, or of one that the type stands for."""
        return resource_type in (self.type(), type(self).resource_type)

    def reparse(self) -> None:
        """Make the next read of ``properties`` and ``attributes`` resolve them again."""
        self.redefine(self.definition)

    def implied_dependencies(self, others: Mapping[str, ResourceDefinition]) -> Iterable[str]:
        found = _Dependencies(others)
        self.add_dependencies(found)
        return [*super().implied_dependencies(others), *found.found]

    def add_dependencies(self, deps: _Dependencies) -> None:
        self.add_explicit_dependencies(deps)

    def add_explicit_dependencies(self, deps: _Dependencies) -> None:
        """Add dependencies that the template does not show: ``deps += (self, other)``."""

    # ------------------------------------------------------------ identity and metadata

    @property
    def id(self) -> int:
        return self.record.id

    @property
    def uuid(self) -> str:
        return self.record.uuid

    def physical_resource_name_or_FnGetRefId(self) -> Value:  # noqa: N802 - the name in Heat
        return self.physical_resource_name() or self.FnGetRefId()

    @staticmethod
    def reduce_physical_resource_name(name: str, limit: int | None) -> str:
        return identifier.reduce_name(name, limit)

    def required_by(self) -> list[str]:
        """Return the names of the resources that depend on this one."""
        return self.stack.required_by().get(self.name, [])

    def metadata_set(
        self, metadata: Value, merge_metadata: Callable[[Value, Value], Value] | None = None
    ) -> None:
        """Store the metadata; ``merge_metadata(new, stored)`` merges them with those stored."""
        if merge_metadata is None:
            super().metadata_set(metadata)
        else:
            self.metadata_change(lambda stored: merge_metadata(metadata, stored))

    def has_nested(self) -> bool:
        """Return whether there is a nested stack."""
        return False

    # ------------------------------------------------------------ references and attributes

    def reference_id(self) -> Value:
        return self.FnGetRefId()

    def FnGetRefId(self) -> Value:  # noqa: N802 - the name in Heat
        return super().reference_id()

    def attribute(self, *path: str | int) -> Value:
        return self.FnGetAtt(*path) if path else super().attribute()

    def FnGetAtt(self, key: str | int, *path: str | int) -> Value:  # noqa: N802 - the name in Heat
        return super().attribute(key, *path)

    def _resolve_any_attribute(self, name: str) -> Value:
        return self._attribute_value(name)
