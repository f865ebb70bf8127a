"""The documents that the linter looks at: templates and environments, read once, with the positions of all their parts.

Nothing here raises for what an author wrote: what cannot be read is empty, and a rule says why.
"""

import functools
from typing import NamedTuple

from heat_lite.common import exception
from heat_lite.template import format, registry, versions
from heat_lite.template.environment import RESOURCE_REGISTRY, Environment
from heat_lite.template.lint.calls import Calls
from heat_lite.template.lint.types import Type
from heat_lite.template.positions import Positions
from heat_lite.template.schema import AttributeSchema, PropertySchema, any_
from heat_lite.template.template import Template

#: what Python raises for a template or environment whose parts are not of the right kind
UNREADABLE = (exception.HeatException, ValueError, AttributeError, TypeError)


#: what says that a document is a template
_OF_TEMPLATES = {*format.VERSION_KEYS, *versions.HOT.sections.values(), *versions.CFN.sections.values()} - {*format.ENVIRONMENT_SECTIONS}


class Document:
    """A text and the data in it. ``error`` is why there is none."""

    def __init__(self, name: str, text: str, error: Exception | None = None):
        self.name = name
        self.text = text
        self.error = error
        self.data: dict = {}
        try:
            self.data = format.parse(text, name=name)
        except format.FormatError as problem:
            self.error = problem

    @functools.cached_property
    def positions(self):
        return Positions(self.text)


def is_environment(document: Document) -> bool:
    """Whether it is one: it says no version, and of its sections some are those of environments and none of templates alone."""
    sections = set(document.data)
    return bool(sections.intersection(format.ENVIRONMENT_SECTIONS)) and not sections.intersection(_OF_TEMPLATES)


class Definition(NamedTuple):
    """A resource, or what describes one inside the properties of another (``resource_def`` of a group): ``inner``."""

    name: str
    path: tuple
    type_name: str
    snippet: dict
    inner: bool = False


class EnvironmentDocument(Document):
    """``files`` reads and joins names (see ``linter``); ``types`` are those of the service, ``base`` is the operator's environment,
    ``templates`` are the templates it is used with."""

    def __init__(self, document, files, types, base):
        self.__dict__.update(document.__dict__)
        self.base = base
        self.files = files
        self.types = types
        self.templates: list[TemplateDocument] = []

    def section(self, name) -> dict:
        value = self.data.get(name)
        return value if isinstance(value, dict) else {}

    def registry(self):
        """The data of its resource_registry, names of files as seen from where the linter was started."""
        return _located(self.section(RESOURCE_REGISTRY), functools.partial(self.files.join, self.name))


def _located(entries, join):
    def place(value):
        if isinstance(value, dict):
            return _located(value, join)
        return join(value) if registry.is_template(value) else value

    return {key: place(value) for key, value in entries.items()}


class TemplateDocument(Document):
    """A template. ``environment`` maps its types; ``nested(file, environment)`` gives the TemplateDocument of a file, None where there is
    none; ``refusals(document)`` yields what types themselves find wrong (see ``Linter``)."""

    def __init__(self, document, files, types, environment, nested, refusals):
        self.__dict__.update(document.__dict__)
        self.files = files
        self.types = types
        self.environment = environment
        self.refusals = refusals
        self._nested = nested
        self._kinds: dict[tuple, Type | None] = {}

    # ------------------------------------------------------------ parts

    @functools.cached_property
    def template(self):
        try:
            return Template(self.data, {}, self.environment)
        except exception.InvalidTemplateVersion:
            return None

    @property
    def version(self):
        return self.template.version

    def word(self, section):
        """How this dialect calls a section."""
        return self.version.dialect.sections[section]

    def part(self, name):
        """How this dialect calls a part of a resource."""
        return self.version.dialect.resource.get(name)

    def section(self, name) -> dict:
        """A section that is a map, empty where it is none."""
        value = self.template.section(name)
        return value if isinstance(value, dict) else {}

    @functools.cached_property
    def resources(self) -> dict[str, dict]:
        """The resources that are maps."""
        return {name: snippet for name, snippet in self.section('resources').items() if isinstance(snippet, dict)}

    @functools.cached_property
    def parameters(self) -> dict:
        """The schemas of the parameters that can be read."""
        return {name: schema for name, schema in map(self._parameter, self.section('parameters')) if schema is not None}

    def _parameter(self, name):
        word = self.word('parameters')
        try:
            return name, self.schemata_of({word: {name: self.data[word][name]}})[name]
        except UNREADABLE:
            return name, None

    def schemata_of(self, sections):
        """The schemas of some parameters alone. Raises InvalidSchemaError."""
        return Template({self.version.key: self.data[self.version.key], **sections}).parameter_schemata

    def as_properties(self):
        """The properties of the type that it is when another template uses it."""
        known = {name: PropertySchema.from_parameter(schema) for name, schema in self.parameters.items()}
        return {name: known.get(name) or any_() for name in self.section('parameters')}

    def definitions(self):
        """All resources with a type, and those described inside of others."""
        for name, snippet in self.resources.items():
            path = (self.word('resources'), name)
            type_name = snippet.get(self.part('type'))
            if isinstance(type_name, str):
                yield Definition(name, path, type_name, snippet)
            properties = snippet.get(self.part('properties'))
            for key in INNER if isinstance(properties, dict) else ():
                inner = properties.get(key)
                if isinstance(inner, dict) and isinstance(inner.get('type'), str):
                    yield Definition(name, (*path, self.part('properties'), key), inner['type'], inner, True)

    def properties_of(self, definition):
        """The word for the properties of a definition, and what it gives there."""
        word = 'properties' if definition.inner else self.part('properties')
        return word, definition.snippet.get(word)

    # ------------------------------------------------------------ calls

    @functools.cached_property
    def calls(self) -> Calls:
        """All that functions do in it."""
        found = Calls(self.template, self.resources, self._type_of_resource)
        for name, snippet in self.resources.items():
            self._read_resource(found, (self.word('resources'), name), snippet)
        for name, snippet in self.section('outputs').items():
            self._read_output(found, (self.word('outputs'), name), snippet)
        if self.version.has_conditions:
            for name, snippet in self.section('conditions').items():
                path = (self.word('conditions'), name)
                found.read_condition(snippet, path, path, by_name=False)
        return found

    def _read_resource(self, found, path, snippet):
        for part in ('properties', 'metadata', 'update_policy', 'external_id', 'deletion_policy'):
            word = self.part(part)
            if word in snippet:
                found.read(snippet[word], (*path, word), path)
        if self.part('condition') in snippet:
            found.read_condition(snippet[self.part('condition')], (*path, self.part('condition')), path)

    def _read_output(self, found, path, snippet):
        words = self.version.dialect.output
        if not isinstance(snippet, dict):
            return
        if words['value'] in snippet:
            found.read(snippet[words['value']], (*path, words['value']), path)
        if words['condition'] in snippet:
            found.read_condition(snippet[words['condition']], (*path, words['condition']), path)

    # ------------------------------------------------------------ types

    def _type_of_resource(self, name):
        type_name = self.resources[name].get(self.part('type'))
        return self.type_of(type_name, name) if isinstance(type_name, str) else None

    def type_of(self, type_name, resource_name) -> Type | None:
        """What is known of a type, None where nothing is (``resolve`` raises why)."""
        key = (type_name, resource_name)
        if key not in self._kinds:
            self._kinds[key] = None  # a template that is made of itself
            try:
                self._kinds[key] = self._found(self.resolve(type_name, resource_name), type_name, resource_name)
            except exception.HeatException:
                pass
        return self._kinds[key]

    def resolve(self, type_name, resource_name):
        """Raises EntityNotFound for a type that nobody knows, StackValidationFailed for names that stand for each other."""
        return self.environment.registry.resolve(type_name, resource_name, self.types.knows)

    def _found(self, resolution, type_name, resource_name):
        if resolution.kind == registry.TYPE:
            return self.types.get(resolution.target)
        document = self.nested_document(resolution.target, type_name, resource_name)
        if document is None or document.template is None:
            return None
        return Type(type_name, document.as_properties(), _Outputs(document.section('outputs')))

    def nested_document(self, target, type_name, resource_name):
        """The template that a type is."""
        file = self.file_of(target, type_name)
        inside = self.environment.child(resource_name, {}, without=type_name)
        return self._nested(file, inside)

    def file_of(self, target, type_name):
        """The name of a nested template's file. The registry has whole names; a type that is a file is seen from its template."""
        return self.files.join(self.name, target) if target == type_name else target


INNER = ('resource_def', 'resource')


class _Outputs(dict):
    """The attributes of a nested template: its outputs, its id, and what its resources have."""

    def __init__(self, outputs):
        super().__init__({name: AttributeSchema() for name in (*outputs, 'OS::stack_id', 'show')})

    def __contains__(self, name):
        return super().__contains__(name) or (isinstance(name, str) and name.startswith('resource.'))


def merged(environments, base=None) -> Environment:
    """The types of several environments, the later ones winning, on top of the operator's. An entry that is none is left out: a rule tells
    of it."""
    entries: dict = {}
    inner: dict = {}
    for environment in environments:
        for name, value in environment.registry().items():
            if name == registry.PER_RESOURCE and isinstance(value, dict):
                inner.update({key: entry for key, entry in value.items() if _reads({name: {key: entry}})})
            elif _reads({name: value}):
                entries[name] = value
    return Environment({RESOURCE_REGISTRY: {**entries, registry.PER_RESOURCE: inner}}, base)


def _reads(entries):
    try:
        registry.TypeRegistry(entries)
    except UNREADABLE:
        return False
    return True
