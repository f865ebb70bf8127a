"""Rules about the types of resources and their properties."""

from typing import NamedTuple

from heat_lite.common import exception
from heat_lite.template import support, values
from heat_lite.template.constraints import ANY, LIST, MAP
from heat_lite.template.lint.finding import NOTE, WARNING
from heat_lite.template.lint.rules.base import Rule, meant, text_of
from heat_lite.template.registry import TEMPLATE, is_template

#: the namespaces whose types are all known: a name in one of them that nobody knows is a mistake
OWN_NAMESPACES = ('OS::', 'AWS::')


class UnknownType(Rule):
    """A resource is of a type that there is, or that an environment maps to one."""

    name = 'unknown-type'

    def check(self, document):
        for definition, error in unresolved(document):
            if isinstance(error, exception.StackValidationFailed) or definition.type_name.startswith(OWN_NAMESPACES):
                yield (*definition.path, _type_word(document, definition)), _unknown(document, definition, error)


class ForeignType(Rule):
    """A type outside of OS:: and AWS:: is known: one of a plug-in, or one that no environment maps here, is not checked any further."""

    name = 'foreign-type'
    level = WARNING

    def check(self, document):
        for definition, error in unresolved(document):
            if isinstance(error, exception.EntityNotFound) and not definition.type_name.startswith(OWN_NAMESPACES):
                yield (*definition.path, _type_word(document, definition)), _unknown(document, definition, error)


class NestedFile(Rule):
    """Templates that resources are made of are there."""

    name = 'nested-file'

    def check(self, document):
        for definition, file in nested_files(document):
            if document.files.has(file) is False:
                yield (*definition.path, _type_word(document, definition)), f'There is no template "{definition.type_name}" ({file})'


class NotRead(Rule):
    """What is far away is not read: the linter asks no network."""

    name = 'not-read'
    level = NOTE

    def check(self, document):
        for definition, file in nested_files(document):
            if document.files.has(file) is None:
                yield (*definition.path, _type_word(document, definition)), f'The template {file} is not read, so nothing of it is checked'


def unresolved(document):
    """Definitions whose type stands for nothing, and the errors that say so."""
    for definition in document.definitions():
        try:
            document.resolve(definition.type_name, definition.name)
        except (exception.EntityNotFound, exception.StackValidationFailed) as error:
            yield definition, error


def nested_files(document):
    """Definitions whose type is a template, and the names of their files."""
    for definition in document.definitions():
        try:
            found = document.resolve(definition.type_name, definition.name)
        except exception.HeatException:
            continue
        if found.kind == TEMPLATE:
            yield definition, document.file_of(found.target, definition.type_name)


def _type_word(document, definition):
    return 'type' if definition.inner else document.part('type')


def _unknown(document, definition, error):
    if isinstance(error, exception.StackValidationFailed):
        return text_of(error)
    name = definition.type_name
    known = [*document.types.names(), *(key for key in document.environment.registry.as_dict() if not is_template(key))]
    return meant(f'There is no resource type "{name}"', name, known)


# --------------------------------------------------------------- properties


class Flaw(NamedTuple):
    """Something wrong with the properties of a resource; ``rule`` is the one that tells of it."""

    rule: str
    path: tuple
    text: str


class _PropertyRule(Rule):
    """Flaws of properties are looked for together, once a document."""

    def check(self, document):
        return ((flaw.path, flaw.text) for flaw in flaws(document) if flaw.rule == self.name)


class UnknownProperty(_PropertyRule):
    """A resource has only properties that its type knows, at any depth."""

    name = 'unknown-property'


class MissingProperty(_PropertyRule):
    """A resource has the properties that its type requires."""

    name = 'missing-property'


class PropertyValue(_PropertyRule):
    """The value of a property is of its type and within its constraints, as far as it can be told from the text. The cloud is not asked."""

    name = 'property-value'


class Deprecated(_PropertyRule):
    """No type or property is used that will go away."""

    name = 'deprecated'
    level = WARNING


def flaws(document):
    if 'flaws' not in document.__dict__:
        document.__dict__['flaws'] = list(_flaws(document))
    return document.__dict__['flaws']


def _flaws(document):
    for definition in document.definitions():
        kind = document.type_of(definition.type_name, definition.name)
        if kind is None:
            continue
        if kind.support.status in (support.DEPRECATED, support.HIDDEN, support.UNSUPPORTED):
            yield Flaw('deprecated', (*definition.path, _type_word(document, definition)), _old(f'The type {kind.name}', kind.support))
        word, given = document.properties_of(definition)
        if isinstance(given, dict | None) and kind.properties is not None:
            yield from _Reader(document, definition.inner).properties(kind.properties, given or {}, (*definition.path, word))
        policy = definition.snippet.get(document.part('update_policy'))
        if kind.update_policy and isinstance(policy, dict) and not definition.inner:
            yield from _Reader(document, False).properties(kind.update_policy, policy, (*definition.path, document.part('update_policy')))


class _Reader:
    """Holds given values against schemas; what only a running stack can tell is passed over.

    ``inner``: these are the properties of group members, whose texts may hold a place for the number of the member.
    """

    def __init__(self, document, inner):
        self._document = document
        self._calls = document.calls
        self._inner = inner

    def properties(self, schemata, given, path, nested=False):
        if self._calls.is_call(given):
            return
        aliases = values.aliases_of(schemata)
        shown = [name for name, schema in schemata.items() if not schema.hidden]
        for key in given:
            if key not in schemata:
                yield Flaw('unknown-property', (*path, key), meant(f'There is no property "{key}"', key, shown))
        for name, schema in schemata.items():
            if name in given:
                yield from self._given(name, schema, given[name], (*path, name))
            elif schema.required and not schema.has_default and aliases.get(name) not in given:
                yield Flaw('missing-property', path, f'The property "{name}" is required')

    def _given(self, name, schema, value, path):
        if not schema.implemented:
            yield Flaw('property-value', path, f'The property "{name}" is not implemented yet')
        elif schema.support.status == support.DEPRECATED:
            yield Flaw('deprecated', path, _old(f'The property "{name}"', schema.support))
        yield from self._value(schema, value, path)

    def _value(self, schema, value, path):
        if value is None or self._calls.is_call(value) or (self._inner and isinstance(value, str) and '%' in value):
            return
        below = list(self._below(schema, value, path))
        yield from below
        # what has calls in it cannot be converted as a whole, but a list or map where a single value belongs is wrong anyhow
        single = schema.type not in (LIST, MAP, ANY)
        if not any(flaw.rule != 'deprecated' for flaw in below) and (single or not self._calls.contains_call(value)):
            yield from self._converted(schema, value, path)

    def _below(self, schema, value, path):
        if schema.type == MAP and schema.schema and isinstance(value, dict):
            yield from self.properties(schema.schema, value, path)
        elif schema.type == LIST and schema.schema is not None and isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._value(schema.schema, item, (*path, index))

    @staticmethod
    def _converted(schema, value, path):
        try:
            values.convert(schema, value)
        except exception.StackValidationFailed as error:
            yield Flaw('property-value', (*path, *error.path), text_of(error))
        except values.Conflict as conflict:
            yield Flaw('property-value', path, f'Give one of these only: {", ".join(conflict.names)}')


def _old(what, status):
    since = f' since {status.version}' if status.version else ''
    message = f': {status.message}' if status.message else ''
    return f'{what} is {status.status.lower()}{since}{message}'


class Validation(Rule):
    """The types themselves find nothing else to refuse: many know rules between properties that no schema can tell."""

    name = 'validation'

    def check(self, document):
        for error in document.refusals(document):
            yield getattr(error, 'path', ()), text_of(error)
