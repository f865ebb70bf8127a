"""The documents that the linter checks: templates and environments with positions.

A document is parsed once. A mistake of its author raises nothing: a part that cannot be read is
empty, and a rule reports the reason.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Protocol

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import dialects, reader, resource_registry
from heat_lite.template.dialects import Version
from heat_lite.template.environment import (
    PARAMETER_DEFAULTS,
    PARAMETERS,
    RESOURCE_REGISTRY,
    Environment,
)
from heat_lite.template.lint import chains, misfits
from heat_lite.template.lint.calls import Calls, ConstantConditions
from heat_lite.template.lint.type_info import Definition, TypeInfo
from heat_lite.template.parameters.parameter_schema import ParameterSchema
from heat_lite.template.resource_registry import Resolution
from heat_lite.template.schema import PropertySchema, any_
from heat_lite.template.source_positions import Positions
from heat_lite.template.suggest import closest_match
from heat_lite.template.template import Template

#: what Python raises for a template or environment with parts of the wrong type
READ_ERRORS = (exception.HeatException, ValueError, AttributeError, TypeError)

#: the properties of groups that hold the definition of a member; of INDEXED, the members have an
#: index
INDEXED = 'resource_def'
MEMBER_PROPERTIES = (INDEXED, 'resource')

#: the parts of a resource that hold values
_VALUES = ('properties', 'metadata', 'update_policy', 'external_id', 'import_id', 'deletion_policy')

_TEMPLATE_KEYS = {
    *dialects.VERSION_KEYS,
    *dialects.OWN.sections.values(),
    *dialects.CFN.sections.values(),
} - {*reader.ENVIRONMENT_SECTIONS}


class Files(Protocol):
    """The files of a run. ``has`` is None for a remote or forbidden file, which is not read."""

    def read(self, name: str) -> str: ...

    def has(self, name: str) -> bool | None: ...

    def join(self, name: str, reference: str) -> str: ...


class Types(Protocol):
    """The types and the constraints of a service."""

    def names(self) -> list[str]: ...

    def knows(self, name: str) -> bool: ...

    def get(self, name: str) -> TypeInfo | None: ...

    def constraint_names(self) -> list[str]: ...


class Document:
    """A text and its data. ``error`` is the reason why there is no data.

    ``max_nodes`` limits ``positions``, which raise LimitExceeded beyond it.
    """

    def __init__(
        self,
        name: str,
        text: str,
        error: Exception | None = None,
        max_nodes: int | None = None,
    ) -> None:
        self.name = name
        self.max_nodes = max_nodes
        self.text = text
        self.error = error
        self.data: dict = {}
        try:
            self.data = reader.parse(text, name=name)
        except reader.FormatError as problem:
            self.error = problem

    @property
    def is_blank(self) -> bool:
        """Whether the text is empty: an empty environment, but no template."""
        return self.error is None and not self.text.strip()

    @functools.cached_property
    def positions(self) -> Positions:
        return Positions(self.text, self.max_nodes)


def is_environment(document: Document) -> bool:
    """Whether a document is an environment.

    An environment has sections of environments and no key that only templates have.
    """
    keys = set(document.data)
    return bool(keys.intersection(reader.ENVIRONMENT_SECTIONS)) and keys.isdisjoint(_TEMPLATE_KEYS)


def looks_like_heat(document: Document) -> bool:
    """Whether a file of a folder is a template or an environment, perhaps an invalid one."""
    if document.data:
        keys = set(document.data)
        marks = {*dialects.VERSION_KEYS, RESOURCE_REGISTRY, PARAMETER_DEFAULTS}
        return not keys.isdisjoint(marks) or keys <= {*reader.ENVIRONMENT_SECTIONS}
    return any(key in document.text for key in dialects.VERSION_KEYS)


class EnvironmentDocument(Document):
    """An environment.

    ``files`` reads and joins names (see ``linter``). ``types`` are those of the service, ``base``
    is the operator's environment. ``is_named``: the caller names it; otherwise a folder contains
    it. ``templates`` are the templates that use the environment, ``used_targets`` the targets of
    entries that a template uses. ``is_merged``: it is merged over another one.
    """

    def __init__(
        self,
        document: Document,
        files: Files,
        types: Types,
        base: Environment | None,
        is_named: bool = True,
    ) -> None:
        self.__dict__.update(document.__dict__)
        self.base = base
        self.files = files
        self.types = types
        self.is_named = is_named
        self.templates: list[TemplateDocument] = []
        self.used_targets: set[str] = set()
        self.is_merged = False

    def section(self, name: str) -> dict:
        """Return a section; an empty map where it is none."""
        value = self.data.get(name)
        return value if isinstance(value, dict) else {}

    def registry(self) -> dict:
        """Return the resource_registry, its file names relative to the working directory."""
        join = functools.partial(self.files.join, self.name)
        return _joined(self.section(RESOURCE_REGISTRY), join)

    def mapped(self) -> Iterator[tuple[tuple, str, str]]:
        """Yield the path, the name and the target of all entries that map a type."""
        registry = self.section(RESOURCE_REGISTRY)
        yield from _targets(registry, (RESOURCE_REGISTRY,))
        per_resource = registry.get(resource_registry.PER_RESOURCE)
        if isinstance(per_resource, dict):
            for name, entry in per_resource.items():
                if isinstance(entry, dict):
                    path = (RESOURCE_REGISTRY, resource_registry.PER_RESOURCE, name)
                    yield from _targets(entry, path)

    def uses(self, path: tuple) -> bool:
        """Whether a template uses the entry at a path of the registry."""
        target: Value = functools.reduce(dict.__getitem__, path, self.data)
        if resource_registry.is_template(target):
            target = self.files.join(self.name, target)
        return target in self.used_targets

    def may_be_of_other_template(self) -> bool:
        """Whether an environment of a folder has a parameter whose name no template of the folder
        declares, nor a similar name.
        """
        declared = self.declared_parameters() or set()
        unknown = set(self.section(PARAMETERS)) - declared
        return not self.is_named and any(closest_match(each, declared) is None for each in unknown)

    def declared_parameters(self) -> set[str] | None:
        """Return the parameters of all templates, None where there are no templates."""
        templates = [template for template in self.templates if template.template is not None]
        if not templates:
            return None
        return {name for template in templates for name in template.section('parameters')}


def _targets(entries: Mapping[str, Value], path: tuple) -> Iterator[tuple[tuple, str, str]]:
    for name, target in entries.items():
        is_setting = name in (resource_registry.HOOKS, resource_registry.RESTRICTED_ACTIONS)
        if isinstance(target, str) and not is_setting:
            yield (*path, name), name, target


def _joined(entries: Mapping[str, Value], join: Callable) -> dict[str, Value]:
    """Return the entries of a registry with the names of files joined to that of their document."""

    def joined(value: Value) -> Value:
        if isinstance(value, dict):
            return _joined(value, join)
        return join(value) if resource_registry.is_template(value) else value

    return {key: joined(value) for key, value in entries.items()}


def _placeholder(group: Mapping[str, Value]) -> str:
    """Return what the index replaces in the members of a group; '' where a function gives it."""
    given = group.get('index_var', '%index%')
    return given if isinstance(given, str) else ''


class TemplateDocument(Document):
    """A template.

    ``environment`` maps its types. ``is_nested``: another document uses it as a type.
    ``is_mapped``: an environment puts it in the place of a type. ``mapped_types`` are the entries
    of environments of folders, which may be those of other templates.
    ``nested(file, environment)`` returns the TemplateDocument of a file, None where there is none.
    ``validation_errors(document)`` yields the errors that the types raise about it (see
    ``linter``).
    """

    def __init__(
        self,
        document: Document,
        files: Files,
        types: Types,
        environment: Environment,
        nested: Callable[[str, Environment], 'TemplateDocument | None'],
        validation_errors: Callable,
    ) -> None:
        self.__dict__.update(document.__dict__)
        self.files = files
        self.types = types
        self.environment = environment
        self.validation_errors = validation_errors
        self._nested = nested
        self.is_nested = False
        #: the parameters that environments set
        self.given: set[str] = set()
        self.is_mapped = False
        self.mapped_types: Collection[str] = ()
        self._type_infos: dict[tuple, TypeInfo | None] = {}

    def use(self, environment: Environment) -> None:
        """Map the types of the template by another environment."""
        self.environment = environment
        self.__dict__.pop('template', None)

    # ------------------------------------------------------------ parts

    @functools.cached_property
    def template(self) -> Value:
        """The parsed template, None where its version is unknown."""
        try:
            return Template(self.data, {}, self.environment)
        except exception.InvalidTemplateVersion:
            return None

    @property
    def version(self) -> Version:
        return self.template.version

    def section_key(self, section: str) -> str | None:
        """Return the key of a section in this dialect, None where it has none."""
        return self.version.dialect.sections.get(section)

    def path_of(self, section: str, *parts: str | int) -> tuple:
        """Return the path of a part of a section, with the key of the section in this dialect."""
        return (self.section_key(section), *parts)

    def resource_key(self, part: str) -> Value:
        """Return the key of a part of a resource in this dialect, None where it has none."""
        return self.version.dialect.resource.get(part)

    def section(self, name: str) -> dict:
        """Return a section; an empty map where it is none."""
        value = self.template.section(name)
        return value if isinstance(value, dict) else {}

    @functools.cached_property
    def resources(self) -> dict[str, dict]:
        """The resources that are maps."""
        return {
            name: snippet
            for name, snippet in self.section('resources').items()
            if isinstance(snippet, dict)
        }

    @functools.cached_property
    def parameters(self) -> dict:
        """The schemas of the parameters that can be read."""
        return {
            name: schema
            for name, schema in map(self._parameter, self.section('parameters'))
            if schema is not None
        }

    def _parameter(self, name: str) -> tuple:
        try:
            return name, self.parameter_schema(name)
        except READ_ERRORS:
            return name, None

    def parameter_schema(self, name: str) -> ParameterSchema:
        """Return the schema of one parameter, read alone. Raises InvalidSchemaError."""
        section, version = str(self.section_key('parameters')), self.version.key
        data = {version: self.data[version], section: {name: self.data[section][name]}}
        return Template(data).parameter_schemata[name]

    def overridden(self) -> set[str]:
        """Return the parameters whose defaults do not count.

        Of a template that is a type none counts: the template that uses it may give any value.
        """
        return set(self.section('parameters')) if self.is_nested else self.given

    def as_properties(self) -> dict[str, PropertySchema]:
        """Return the properties of the type that another template makes of this one."""
        known = {
            name: PropertySchema.from_parameter(schema) for name, schema in self.parameters.items()
        }
        return {name: known.get(name) or any_() for name in self.section('parameters')}

    def definitions(self) -> Iterator[Definition]:
        """Yield all resources with a type, and the members that groups describe."""
        for name, snippet in self.resources.items():
            path = self.path_of('resources', name)
            type_name = snippet.get(self.resource_key('type'))
            if isinstance(type_name, str):
                yield Definition(name, path, type_name, snippet)
            key = self.resource_key('properties')
            yield from self._members(name, (*path, key), snippet.get(key))
        yield from chains.definitions(self)

    @staticmethod
    def _members(name: str, path: tuple, properties: Value) -> Iterator[Definition]:
        for key in MEMBER_PROPERTIES if isinstance(properties, dict) else ():
            member = properties.get(key)
            if isinstance(member, dict) and isinstance(member.get('type'), str):
                place = _placeholder(properties) if key == INDEXED else None
                yield Definition(name, (*path, key), member['type'], member, True, place)

    def is_external(self, definition: Definition) -> bool:
        """Whether a resource is an existing object, whose properties the engine does not check."""
        return not definition.is_member and self.resource_key('external_id') in definition.snippet

    def properties_of(self, definition: Definition) -> tuple[str, Value]:
        """Return the key of the properties of a definition, and their value."""
        key = 'properties' if definition.is_member else self.resource_key('properties')
        return key, definition.snippet.get(key)

    # ------------------------------------------------------------ calls

    @functools.cached_property
    def calls(self) -> Calls:
        """The calls of functions in all sections."""
        dialect = self.version.dialect
        enabled = [
            name
            for name, snippet in self.resources.items()
            if not self._is_disabled(snippet, dialect.resource)
        ]
        found = Calls(self.template, self.resources, self.resource_type, self.constants, enabled)
        self._read(found, 'resources', dialect.resource, _VALUES)
        self._read(found, 'outputs', dialect.output, ('value',))
        if self.version.has_conditions:
            for name, snippet in self.section('conditions').items():
                found.read_definition(snippet, self.path_of('conditions', name))
        return found

    @functools.cached_property
    def typed_calls(self) -> list[misfits.Use]:
        """The calls that give values of properties."""
        return list(misfits.uses(self))

    @functools.cached_property
    def constants(self) -> ConstantConditions:
        """The conditions whose values the text determines."""
        return ConstantConditions(self.template)

    def _is_disabled(self, snippet: dict, words: Mapping[str, str]) -> bool:
        """Whether a constant condition disables a resource or an output."""
        key = words['condition']
        has_condition = self.version.has_conditions and key in snippet
        return has_condition and self.constants.value(snippet[key]) is False

    def _read(
        self, found: Calls, section: str, words: Mapping[str, str], parts: Iterable[str]
    ) -> None:
        """Read the values and the conditions of resources or outputs."""
        for name, snippet in self.section(section).items():
            if not isinstance(snippet, dict):
                continue
            path = self.path_of(section, name)
            is_dormant = self._is_disabled(snippet, words)
            if is_dormant:
                found.dormant.append(path)
            for key in map(words.get, parts):
                if key in snippet:
                    found.read(snippet[key], (*path, key), path, is_dormant)
            key = words['condition']
            if key in snippet:
                found.read_condition(snippet[key], (*path, key), path)

    # ------------------------------------------------------------ types

    def resource_type(self, name: str) -> TypeInfo | None:
        """Return the type of a resource of the template, None where it is unknown."""
        type_name = self.resources.get(name, {}).get(self.resource_key('type'))
        info = self.type_of(type_name, name) if isinstance(type_name, str) else None
        return chains.with_attributes(self, name, info)

    def type_of(self, type_name: str, resource_name: str) -> TypeInfo | None:
        """Return a type, None where it is unknown (``resolve`` raises why)."""
        key = (type_name, resource_name)
        if key not in self._type_infos:
            self._type_infos[key] = None  # ends the recursion of a template that contains itself
            try:
                resolution = self.resolve(type_name, resource_name)
                self._type_infos[key] = self._type_info(resolution, type_name, resource_name)
            except exception.HeatException:
                pass
        return self._type_infos[key]

    def resolve(self, type_name: str, resource_name: str) -> Resolution:
        """Return what a type name stands for.

        Raises EntityNotFound for an unknown type, StackValidationFailed for circular names.
        """
        return self.environment.registry.resolve(type_name, resource_name, self.types.knows)

    def is_mapped_elsewhere(self, type_name: str) -> bool:
        """Whether an environment maps a type, but not for this template."""
        registry = self.environment.registry
        if type_name in registry.replaced:
            return True
        return not registry.maps(type_name) and any(
            resource_registry.applies(name, type_name) for name in self.mapped_types
        )

    def used_targets(self) -> set[str]:
        """Return the targets of the entries of environments that types of the template lead to."""
        found: set[str] = set()
        for definition in self.definitions():
            waiting, seen = [definition.type_name], set()
            while waiting:
                name = waiting.pop()
                if name not in seen and len(name) <= resource_registry.MAX_TARGET:
                    seen.add(name)
                    entries = [*self.environment.registry.entries_for(name, definition.name)]
                    found.update(given for given, _target in entries)
                    waiting += [target for _given, target in entries]
        return found

    def _type_info(
        self, resolution: Resolution, type_name: str, resource_name: str
    ) -> TypeInfo | None:
        if resolution.kind == resource_registry.TYPE:
            return self.types.get(resolution.target)
        document = self.nested_document(resolution.target, type_name, resource_name)
        if document is None or document.template is None:
            return None
        attributes = chains.Attributes((*document.section('outputs'), 'OS::stack_id', 'show'))
        description = str(document.data.get(document.section_key('description')) or '')
        return TypeInfo(type_name, document.as_properties(), attributes, description=description)

    def nested_of(self, name: str) -> 'TemplateDocument | None':
        """Return the template that a resource stands for, None where it is none."""
        type_name = self.resources.get(name, {}).get(self.resource_key('type'))
        return self.template_of(type_name, name) if isinstance(type_name, str) else None

    def template_of(self, type_name: str, resource_name: str) -> 'TemplateDocument | None':
        """Return the template that a type stands for, None where it is none."""
        try:
            found = self.resolve(type_name, resource_name)
        except exception.HeatException:
            return None
        is_template = found.kind == resource_registry.TEMPLATE
        return self.nested_document(found.target, type_name, resource_name) if is_template else None

    def nested_document(
        self, target: str, type_name: str, resource_name: str
    ) -> 'TemplateDocument | None':
        """Return the template in a file that a type stands for."""
        environment = self.environment.child(resource_name, {}, excluded_type=type_name)
        return self._nested(self.file_of(target, type_name), environment)

    def file_of(self, target: str, type_name: str) -> str:
        """Return the name of a nested template's file.

        The registry holds joined names; a type that is a file name is relative to its template.
        """
        return self.files.join(self.name, target) if target == type_name else target
