"""The registry of resource types: which class implements a type name. The types are handed in.

Tests: tests/unit/startup/test_global_environment.py.
"""

import fnmatch
import functools
import importlib
import logging
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from heat_lite.clients import errors
from heat_lite.clients.finders import FINDERS
from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values
from heat_lite.template import checks, constraints
from heat_lite.template.environment import Environment
from heat_lite.template.resource_registry import TEMPLATE, Resolution, TypeRegistry, is_template
from heat_lite.template.suggest import suggest

if TYPE_CHECKING:
    from heat_lite.clients.clients import Clients
    from heat_lite.engine.resource.resource import Resource
    from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)


#: returns None for a valid value, else the reason why it is invalid
Check = Callable[['Stack', Value], str | None]
Resolve = Callable[['Registry', Environment, str, str | None], Resolution]


def _kept_by_environment(resolve: Resolve) -> Resolve:
    """Let the environment keep results: a large template names the same few types very often."""

    @functools.wraps(resolve)
    def look_up(
        registry: 'Registry', environment: Environment, type_name: str, resource_name: str | None
    ) -> Resolution:
        kept = environment.registry
        named = resource_name if kept.names_resource(resource_name) else None
        key = registry, len(registry._locations), type_name, named
        found = kept.found.get(key)
        if found is None:
            found = kept.found[key] = resolve(registry, environment, type_name, resource_name)
        return found

    return look_up


class Registry:
    """Resource types by name. The module of a type is imported when the type is first used.

    ``locations`` is ``{type name: (module, class name)}``. ``checks`` is ``{custom constraint:
    callable(stack, value)}``; the callable returns None or the reason why the value is invalid.
    ``template_type`` is the (module, class name) behind types that are templates. ``mappings`` is
    the operator's TypeRegistry, consulted after that of a stack's environment; ``files`` holds the
    templates that it names.
    """

    def __init__(
        self,
        locations: Mapping[str, tuple[str, str]],
        checks: Mapping[str, Check],
        template_type: tuple[str, str],
        mappings: TypeRegistry | None = None,
        files: Mapping[str, str] | None = None,
    ) -> None:
        self._locations = dict(locations)
        self._classes: dict[str, type[Resource]] = {}
        self._checks = dict(checks)
        self._template_type = template_type
        self._mappings = mappings or TypeRegistry()
        self.files = dict(files or {})
        #: clients and event sinks of plug-ins, by name
        self.client_plugins: dict[str, type] = {}
        self.event_sinks: dict[str, type] = {}
        #: the class that authenticates requests (option ``cloud_backend``), if any
        self.cloud_backend = None

    def names(self) -> list[str]:
        """Return the sorted names of all types, including templates that the operator maps, and
        without those that the operator hides by an empty entry.
        """
        return sorted({*self._locations, *self._templates()} - self._mappings.hidden_names())

    def aliases(self) -> dict[str, str]:
        """Return the operator's mappings of types to other types: {name: target}."""
        return {
            name: target
            for name, target in self._mappings.as_dict().items()
            if isinstance(target, str) and not is_template(target)
        }

    def _templates(self) -> set[str]:
        return {name for name, target in self._mappings.as_dict().items() if is_template(target)}

    def knows(self, type_name: str) -> bool:
        return type_name in self._locations

    def get(self, type_name: str) -> 'type[Resource]':
        """Return the class of a type. Raises EntityNotFound for an unknown name."""
        cls = self._classes.get(type_name)
        if cls is None and type_name not in self._locations and type_name in self._templates():
            cls = self._classes[type_name] = self._described(type_name)
        if cls is None:
            if type_name not in self._locations:
                raise exception.no_resource_type(type_name).with_hint(
                    suggest(type_name, self._locations)
                )
            module, name = self._locations[type_name]
            cls = self._classes[type_name] = getattr(importlib.import_module(module), name)
        return cls

    def load_all(self) -> None:
        """Import the modules of all types, which are imported at their first use otherwise."""
        for type_name in self._locations:
            self.get(type_name)

    def shown(self, type_name: str) -> 'tuple[str, type[Resource]]':
        """Return (name, class) of the type that the operator's entries make of a type.

        The name is another one for an alias. Raises EntityNotFound for an unknown or hidden type.
        """
        found = self._operator_target(type_name)
        if found.kind == TEMPLATE:
            return type_name, self._described(type_name)
        return found.target, self.get(found.target)

    def _described(self, type_name: str) -> 'type[Resource]':
        """Return a class that describes a template as a type. It is never instantiated."""
        target = self._operator_target(type_name).target
        return importlib.import_module(self._template_type[0]).describe_template(
            type_name, target, self.files
        )

    def register(self, type_name: str, cls: 'type[Resource]') -> None:
        """Add a type by its class (plug-ins)."""
        cls.resource_type = cls.resource_type or type_name
        self._locations[type_name] = (cls.__module__, cls.__name__)
        self._classes[type_name] = cls

    def class_for(
        self, environment: Environment, type_name: str, resource_name: str | None
    ) -> 'type[Resource]':
        """Return the class of a type in the environment of a stack.

        Raises EntityNotFound for an unknown one.
        """
        resolution = self._resolve(environment, type_name, resource_name)
        return (
            self._template_class() if resolution.kind == TEMPLATE else self.get(resolution.target)
        )

    def template_of(
        self, environment: Environment, type_name: str, resource_name: str | None
    ) -> str | None:
        """Return the file or URL of the template that a type stands for; None for a built-in
        type.
        """
        resolution = self._resolve(environment, type_name, resource_name)
        return resolution.target if resolution.kind == TEMPLATE else None

    def facade_of(
        self, environment: Environment, type_name: str, resource_name: str | None
    ) -> Resolution | None:
        """Return the Resolution of the type whose place a template takes; None if it takes none.

        As in Heat, an alias of a type that is mapped to a template takes none.
        """
        template = self.template_of(environment, type_name, resource_name)
        entry = environment.registry.next_entry(
            type_name, resource_name, self._is_type
        ) or self._mappings.next_entry(type_name, None, self._serves)
        if template is None or entry is None or entry[1] != template:
            return None
        mappings = self._mappings.without(template)
        try:
            found = environment.registry.without(template).resolve(
                type_name, resource_name, self._is_type
            )
            return (
                found
                if found.kind == TEMPLATE
                else mappings.resolve(found.target, None, self._serves)
            )
        except exception.EntityNotFound:
            return None

    @_kept_by_environment
    def _resolve(
        self, environment: Environment, type_name: str, resource_name: str | None
    ) -> Resolution:
        """Resolve a type name by the environment of the stack, then by that of the operator.

        The environment of the stack shows the operator's entry from then on, as in Heat.
        """
        try:
            found = environment.registry.resolve(type_name, resource_name, self._is_type)
            if found.kind == TEMPLATE:
                return found
            entry = self._mappings.next_entry(found.target, None, self._serves)
            if entry is not None:
                environment.registry.record(found.target, entry[0])
            return self._operator_target(found.target)
        except exception.EntityNotFound:
            hint = suggest(type_name, [*environment.registry.names(), *self._locations])
            if type_name in environment.registry.replaced:
                hint = ' The template that takes its place contains it.'
            raise exception.no_resource_type(type_name).with_hint(hint) from None

    def _operator_target(self, type_name: str) -> Resolution:
        return self._mappings.resolve(type_name, None, self._serves)

    def _serves(self, name: str) -> bool:
        """Return whether a type is built in, and not hidden by the operator."""
        return name in self._locations and not self._mappings.hides(name)

    def _is_type(self, name: str) -> bool:
        """Return whether a name leads to a type here, by entries of the operator or by itself."""
        if name in self._locations and not self._mappings.hides(name):
            return True
        try:
            self._operator_target(name)
        except exception.EntityNotFound:
            return False
        return not is_template(name)

    def _template_class(self) -> 'type[Resource]':
        module, name = self._template_type
        return getattr(importlib.import_module(module), name)

    def matching(self, pattern: str) -> list[str]:
        is_match = re.compile(fnmatch.translate(pattern)).match
        return [name for name in self.names() if is_match(name)]

    def constraint_names(self) -> list[str]:
        """Return the names of the constraints that ``lookup`` knows."""
        return [*self._checks, *FINDERS]

    def add_check(self, constraint: str, check: Check) -> None:
        """Add a custom constraint (plug-ins)."""
        self._checks[constraint] = check

    def lookup(self, stack: 'Stack', constraint: str, value: Value) -> str | None:
        """Return None if ``value`` names an object of ``constraint``, else the reason.

        Raises UnknownConstraint.
        """
        if constraint in self._checks:
            return self._checks[constraint](stack, value)
        if constraint not in FINDERS:
            raise constraints.UnknownConstraint(constraint, tuple(self.constraint_names()))
        return stack.clients().lookup_error(constraint, value)

    def choices(self, clients: 'Clients', constraint: str) -> list[Values]:
        """Return the objects that a custom constraint allows: {'id': ..., 'name': ...} of each.

        Raises NotFound for a constraint whose objects cannot be listed.
        """
        if constraint not in FINDERS:
            raise exception.NotFound(
                f'The constraint {constraint} names no objects of a cloud.'
                + suggest(constraint, FINDERS)
            )
        try:
            return clients.choices(constraint)
        except (errors.NoSuchObject, errors.NoCloud) as error:
            raise exception.NotFound(str(error)) from error

    def find(self, stack: 'Stack', constraint: str, value: Value) -> Value:
        """Return the id of the cloud object that ``value`` names, or ``value`` itself if the
        constraint names no objects.
        """
        if constraint in self._checks or constraint not in FINDERS:
            return value
        try:
            return stack.clients().find(constraint, value)
        except (errors.NoSuchObject, errors.NoCloud) as error:
            raise checks.property_error(str(error)) from error

    def find_stored(self, stack: 'Stack', constraint: str, value: Value) -> Value:
        """Like ``find``, for a value of the past. An id is not looked up again.

        The value itself is returned if the requester may not read the object.
        """
        finder = FINDERS.get(constraint)
        if finder is not None and finder.is_id(value):
            return value
        try:
            return self.find(stack, constraint, value)
        except errors.Forbidden:
            return value
