"""Rules about the types of resources and their properties."""

import dataclasses
import re
from collections.abc import Iterator, Mapping

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import checks, coercion, dialects, members, resource_registry, support
from heat_lite.template.checks import Violation, below
from heat_lite.template.constraints import ANY, LIST, MAP
from heat_lite.template.functions import refs
from heat_lite.template.lint import chains, self_nesting
from heat_lite.template.lint.calls import Calls
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.lint.finding import NOTE, OFF, WARNING
from heat_lite.template.lint.rules.base import at, not_read, of_rule, rule
from heat_lite.template.lint.rules.values import file_uses
from heat_lite.template.lint.type_info import Definition
from heat_lite.template.resource_registry import (
    IGNORE_CHANGES,
    LIFECYCLE,
    TEMPLATE,
    is_template,
)
from heat_lite.template.schema import PropertySchema
from heat_lite.template.source_positions import Positions
from heat_lite.template.suggest import closest_match, with_suggestion
from heat_lite.template.support import SupportStatus

#: the namespaces whose types the service knows completely: an unknown name in them is a mistake
SERVICE_NAMESPACES = ('OS::', 'AWS::')
_REGULAR_NAME = re.compile(r'[^:]+(::[^:]+)*')


@rule('unknown-type', position=Positions.find_value)
def check_unknown_type(document: TemplateDocument) -> Iterator[tuple]:
    """The type of a resource exists, or an environment maps it to one that exists."""
    yield from _unknown_types(document, is_mistake=True)
    yield from chains.invalid_types(document)


@rule('foreign-type', level=WARNING, position=Positions.find_value)
def check_foreign_type(document: TemplateDocument) -> Iterator[tuple]:
    """A type outside OS:: and AWS:: is known. One of a plug-in is not, and is not checked."""
    return _unknown_types(document, is_mistake=False)


@rule('nested-file', position=Positions.find_value)
def check_nested_file(document: TemplateDocument) -> Iterator[tuple]:
    """The templates that resources stand for exist."""
    for definition, file in _nested_files(document):
        if document.files.has(file) is False:
            text = f'There is no template "{definition.type_name}" ({file})'
            yield _type_path(document, definition), text


@rule('nested-cycle', position=Positions.find_value)
def check_nested_cycle(document: TemplateDocument) -> Iterator[tuple]:
    """No template contains itself, directly, through others or through an environment."""
    for way in self_nesting.ways_to_itself(document):
        files = ' > '.join([document.name, *(use.used.name for use in way)])
        yield _type_path(document, way[0].definition), f'The template contains itself: {files}'
    for definition in self_nesting.types_without_meaning(document):
        text = f'The template that takes the place of "{definition.type_name}" contains this type'
        yield _type_path(document, definition), text


@rule('not-read', level=NOTE)
def check_not_read(document: TemplateDocument) -> Iterator[tuple]:
    """Remote files, and files outside of the folders of the linted files, are not read."""
    for definition, file in _nested_files(document):
        if document.files.has(file) is None:
            text = f'The template {file} is {not_read(file)} and not checked'
            yield _type_path(document, definition), text
    for call, file in file_uses(document):
        if '://' not in file and document.files.has(file) is None:
            yield call.path, f'The file {file} is {not_read(file)}'


def _unknown_types(document: TemplateDocument, is_mistake: bool) -> Iterator[tuple]:
    """Yield the types that cannot be resolved: those of the service, or those of plug-ins."""
    for definition in document.definitions():
        try:
            document.resolve(definition.type_name, definition.name)
        except exception.StackValidationFailed as error:  # names that stand for each other
            if is_mistake:
                yield _type_path(document, definition), checks.message_of(error)
        except exception.EntityNotFound:
            if document.is_mapped_elsewhere(definition.type_name):
                continue
            if _is_of_service(document, definition.type_name) == is_mistake:
                yield (
                    _type_path(document, definition),
                    _unknown_type(document, definition.type_name),
                )


def _is_of_service(document: TemplateDocument, type_name: str) -> bool:
    """Whether a name is meant as that of a type of the service.

    It is in one of its namespaces, in any case, or it is no regular name and similar to a type,
    such as ``OS:Heat::None``. A regular name in another namespace is that of a plug-in.
    """
    if type_name.upper().startswith(SERVICE_NAMESPACES):
        return True
    is_regular = _REGULAR_NAME.fullmatch(type_name) is not None
    return not is_regular and closest_match(type_name, document.types.names()) is not None


def _nested_files(document: TemplateDocument) -> Iterator[tuple]:
    """Yield the definitions whose type is a template, each with the name of its file."""
    for definition in document.definitions():
        try:
            found = document.resolve(definition.type_name, definition.name)
        except exception.HeatException:
            continue
        if found.kind == TEMPLATE:
            yield definition, document.file_of(found.target, definition.type_name)


def _type_path(document: TemplateDocument, definition: Definition) -> tuple:
    return (*definition.path, 'type' if definition.is_member else document.resource_key('type'))


def _unknown_type(document: TemplateDocument, name: str) -> str:
    mapped = [key for key in document.environment.registry.as_dict() if not is_template(key)]
    known = [*document.types.names(), *mapped]
    return with_suggestion(f'There is no resource type "{name}"', name, known)


# --------------------------------------------------------------- properties


#: the rules that a value may break and fit its type all the same
_NO_MISTAKES = ('deprecated', 'not-in-heat')
#: the types of properties that take lists and maps
_TYPES: dict[type, str] = {dict: MAP, list: LIST}


@rule('unknown-property')
def check_unknown_property(document: TemplateDocument) -> Iterator[tuple]:
    """A resource has only properties that its type knows, at any depth."""
    return at((), of_rule(violations(document), 'unknown-property'))


@rule('missing-property')
def check_missing_property(document: TemplateDocument) -> Iterator[tuple]:
    """A resource has the properties that its type requires."""
    return at((), of_rule(violations(document), 'missing-property'))


@rule('property-value')
def check_property_value(document: TemplateDocument) -> Iterator[tuple]:
    """The value of a property has its type and meets its constraints, as far as the text shows.

    The cloud is not asked.
    """
    return at((), of_rule(violations(document), 'property-value'))


@rule('value-type')
def check_value_type(document: TemplateDocument) -> Iterator[tuple]:
    """The value of a function converts to the type of its property, as far as the text shows."""
    for use in document.typed_calls:
        if use.never_fits():
            yield use.path, f'{use.describe()} value of the type {use.given}, which never fits'


@rule('text-as-number', level=WARNING)
def check_text_as_number(document: TemplateDocument) -> Iterator[tuple]:
    """No reference and no attribute of texts is the value of a number: only digits would fit."""
    for use in document.typed_calls:
        if use.fits_digits_only():
            yield use.path, f'{use.describe()} string, which fits only if it consists of digits'


@rule('deprecated', level=WARNING)
def check_deprecated(document: TemplateDocument) -> Iterator[tuple]:
    """No type or property is deprecated."""
    return at((), of_rule(violations(document), 'deprecated'))


@rule('not-in-heat', level=OFF)
def check_not_in_heat(document: TemplateDocument) -> Iterator[tuple]:
    """Heat has the version of the template, its types, properties and attributes (--for heat)."""
    if document.version.dialect is dialects.OWN:
        yield (document.version.key,), f'Heat does not have the version {document.version.name}'
    yield from at((), of_rule(violations(document), 'not-in-heat'))
    for call in document.calls.calls:
        if isinstance(call.node, refs.GetAttr):
            info = document.resource_type(call.node.resource_name() or '')
            name, *_ = call.node.attribute_path() or ('',)
            known = (info and info.attributes) or {}
            if info and isinstance(name, str) and name in known and known[name].support.is_ours:
                yield call.path, f'Heat does not have the attribute "{name}" of {info.name}'


def violations(document: TemplateDocument) -> list[Violation]:
    """Return the violations in the properties of a template, with paths from its top level."""
    cache = document.__dict__
    if 'property_violations' not in cache:
        cache['property_violations'] = list(_document_violations(document))
    return cache['property_violations']


def _document_violations(document: TemplateDocument) -> Iterator[Violation]:
    for definition in document.definitions():
        info = document.type_of(definition.type_name, definition.name)
        if info is None:
            continue
        if info.support.status in (support.DEPRECATED, support.HIDDEN, support.UNSUPPORTED):
            note = '; it makes nothing' if info.properties is None else ''
            yield _deprecated(
                _type_path(document, definition), f'The type {info.name}', info.support, note
            )
        if info.support.is_ours:
            yield _not_in_heat(_type_path(document, definition), f'type {info.name}')
        if document.is_external(definition):
            continue
        reader = _PropertyReader(document.calls, definition.placeholder)
        key, given = document.properties_of(definition)
        if isinstance(given, dict | None) and info.properties is not None:
            yield from below((*definition.path, key), reader.read(info.properties, given or {}))
            given = definition.snippet.get(LIFECYCLE)
            paths = given.get(IGNORE_CHANGES) if isinstance(given, dict) else None
            where = (*definition.path, LIFECYCLE, IGNORE_CHANGES)
            yield from below(where, resource_registry.property_paths(paths, info.properties))
        key = document.resource_key('update_policy')
        policy = definition.snippet.get(key)
        if info.update_policy and isinstance(policy, dict) and not definition.is_member:
            yield from below((*definition.path, key), reader.read(info.update_policy, policy))


@dataclasses.dataclass
class _PropertyReader:
    """Checks values against schemas. Values that only a running stack knows are skipped.

    ``placeholder``: see ``Definition``.
    """

    calls: Calls
    placeholder: str | None

    def read(self, schemata: Mapping, given: dict) -> Iterator[Violation]:
        if self.calls.is_call(given):
            return
        aliases = coercion.aliases_of(schemata)
        yield from checks.property_names(schemata, given)
        for name, schema in schemata.items():
            if name in given:
                yield from below((name,), self._given(name, schema, given[name]))
            elif schema.required and not schema.has_default and aliases.get(name) not in given:
                yield checks.missing_property(name)

    def _given(self, name: str, schema: PropertySchema, value: Value) -> Iterator[Violation]:
        if schema.implemented and schema.support.status == support.DEPRECATED:
            yield _deprecated((), f'The property "{name}"', schema.support)
        if schema.support.is_ours:
            yield _not_in_heat((), f'property "{name}"')
        yield from self._value(schema, value)

    def _value(self, schema: PropertySchema, value: Value) -> Iterator[Violation]:
        if value is None or self.calls.is_call(value):
            return
        if self.placeholder is not None and isinstance(value, str) and self.placeholder in value:
            yield from self._indexed(schema, value)
            return
        inner = list(self._inner(schema, value))
        yield from inner
        if any(value in getattr(each, 'ours', ()) for each in schema.constraints):
            yield _not_in_heat((), f'value "{value}"')
        # a list or map with calls in it cannot be converted, but it never fits another type
        misfit = schema.type not in (_TYPES.get(type(value)), ANY)
        if not any(violation.rule not in _NO_MISTAKES for violation in inner) and (
            misfit or not self.calls.contains_call(value)
        ):
            yield from _conversion(schema, value)

    def _indexed(self, schema: PropertySchema, value: str) -> Iterator[Violation]:
        """Check the type of a string with the index of a member in it, which may be any number."""
        if self.placeholder:
            member = members.render_member(value, self.placeholder, '1')
            yield from _conversion(schema, member, coercion.LENIENT)

    def _inner(self, schema: PropertySchema, value: Value) -> Iterator[Violation]:
        if schema.type == MAP and schema.schema and isinstance(value, dict):
            yield from self.read(schema.schema, value)
        elif schema.type == LIST and schema.schema is not None and isinstance(value, list):
            for index, item in enumerate(value):
                yield from below((index,), self._value(schema.schema, item))


def _conversion(
    schema: PropertySchema, value: Value, options: coercion.CheckOptions = coercion.STRICT
) -> Iterator[Violation]:
    try:
        coercion.convert(schema, value, options)
    except exception.StackValidationFailed as error:
        yield Violation('property-value', error.path, error)
    except coercion.AliasConflict as conflict:
        yield checks.property_conflict(conflict.names)


def _not_in_heat(path: tuple, what: str) -> Violation:
    error = exception.StackValidationFailed(f'Heat does not have the {what}')
    return Violation('not-in-heat', path, error)


def _deprecated(path: tuple, what: str, status: SupportStatus, note: str = '') -> Violation:
    """Return the violation for a type or property that Heat accepts and will remove."""
    since = f' since {status.version}' if status.version else ''
    message = f': {status.message}' if status.message else ''
    text = f'{what} is {status.status.lower()}{since}{message}{note}'
    return Violation('deprecated', path, exception.StackValidationFailed(text))


@rule('validation')
def check_validation(document: TemplateDocument) -> Iterator[tuple]:
    """The types accept the template: some have rules that the schemas cannot express."""
    found = of_rule(document.calls.violations, 'unknown-attribute')
    reported = {violation.error.kwargs['resource'] for violation in found}
    for error in document.validation_errors(document):
        path: tuple = getattr(error, 'path', ())
        text = checks.message_of(error)
        if path[1:2] and path[1] in reported and '<nested_stack>.outputs.' in text.lower():
            continue  # the error of an attribute that members lack, known already
        yield path, text
