"""Rules about names and values: parameters, conditions, functions, references."""

from collections.abc import Iterator

from heat_lite.common import exception
from heat_lite.common.exception import append_hint
from heat_lite.common.value_types import Value
from heat_lite.template import checks, versions as language
from heat_lite.template.checks import Violation
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.dialects import Version
from heat_lite.template.function import Function, items_of
from heat_lite.template.functions import cfn, refs
from heat_lite.template.lint.document import READ_ERRORS, TemplateDocument
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import at, of_rule, rule
from heat_lite.template.parameters.parameters import RESERVED_NAMES, Parameters
from heat_lite.template.source_positions import Position, Positions
from heat_lite.template.suggest import quote_hint, suggest, with_suggestion

#: {part of an error: the key that it is about, in both dialects}
_SCHEMA_PARTS = {
    'Invalid type (': ('type', 'Type'),
    'Invalid default ': ('default', 'Default'),
    'parameter constraints': ('constraints',),
}


@rule('parameter-schema')
def check_parameter_schema(document: TemplateDocument) -> Iterator[tuple]:
    """A parameter has a known type, known keys and constraints that fit its type."""
    for name in document.section('parameters'):
        error = _schema_error(document, name)
        if error is not None:
            yield _schema_path(document, name, str(error)), checks.message_of(error)
    # others may be those of plug-ins
    for path, unknown, hint in _unknown_constraints(document):
        if hint:
            yield path, f'There is no constraint "{unknown}".{hint}'


@rule('foreign-constraint', level=WARNING)
def check_foreign_constraint(document: TemplateDocument) -> Iterator[tuple]:
    """A custom constraint is known. One of a plug-in is not, and is not checked."""
    for path, unknown, hint in _unknown_constraints(document):
        if not hint:
            yield path, f'There is no constraint "{unknown}", unless a plug-in has it'


def _unknown_constraints(document: TemplateDocument) -> Iterator[tuple]:
    """Yield path, name and suggestion of each unknown constraint of a parameter."""
    known = document.types.constraint_names()
    for name, schema in document.parameters.items():
        for each in schema.constraints:
            if isinstance(each, CustomConstraint) and each.name not in known:
                path = document.path_of('parameters', name, 'constraints')
                yield path, each.name, suggest(each.name, known)


def _schema_error(document: TemplateDocument, name: str) -> Exception | None:
    """Return what the engine raises for the schema of a parameter, None for a valid one."""
    try:
        Parameters({name: document.parameter_schema(name)}).validate(validate_value=False)
    except READ_ERRORS as error:
        return error
    return None


def _schema_path(document: TemplateDocument, name: str, text: str) -> tuple:
    """Return the path of the part that an error names, else that of the parameter."""
    path, data = document.path_of('parameters', name), document.section('parameters')[name]
    if not isinstance(data, dict):
        return path
    about = next((words for start, words in _SCHEMA_PARTS.items() if start in text), ())
    quoted = [key for key in data if f"'{key}'" in text or key in about]
    return (*path, *quoted[:1])


@rule('parameter-default')
def check_parameter_default(document: TemplateDocument) -> Iterator[tuple]:
    """The default of a parameter is of its type."""
    for name, schema in document.parameters.items():
        if schema.default is None or _schema_error(document, name) is not None:
            continue
        try:
            Parameters({name: schema}).validate()
        except exception.StackValidationFailed as error:
            path = document.path_of('parameters', name, 'default')
            yield path, checks.message_of(error)


@rule('unused-parameter', level=WARNING)
def check_unused_parameter(document: TemplateDocument) -> Iterator[tuple]:
    """Every parameter is used somewhere in the template, unless a type that the template takes the
    place of prescribes it.
    """
    used = {name for _, name in parameter_uses(document)}
    if None in used or document.is_mapped:
        return  # a computed name may be that of any parameter
    for name in document.section('parameters'):
        if name not in used:
            path = document.path_of('parameters', name)
            yield path, f'The parameter "{name}" is never used'


@rule('unknown-parameter', position=Positions.find_value)
def check_unknown_parameter(document: TemplateDocument) -> Iterator[tuple]:
    """The template declares the parameters that it reads."""
    known = [*document.section('parameters'), *RESERVED_NAMES]
    for call, name in parameter_uses(document):
        if isinstance(name, int | float):
            yield call.path, append_hint('The name of a parameter is a text', quote_hint(name))
        elif isinstance(name, str):
            # Ref reads resources, too: the name may be that of one
            similar = document.resources if call.node.name == 'Ref' else ()
            yield from at(call.path, checks.parameter_name(name, known, similar))


def parameter_uses(document: TemplateDocument) -> Iterator[tuple]:
    """Yield each call that reads a parameter, and its name, None for a computed one."""
    for call in document.calls.calls:
        if isinstance(call.node, refs.GetParam | refs.ParamRef):
            args = call.node.args
            name = args[0] if isinstance(args, list) and args else args
            yield call, name if isinstance(name, str | int | float) else None


@rule('function')
def check_function_call(document: TemplateDocument) -> Iterator[tuple]:
    """Functions have valid arguments, and stand where the language allows them."""
    yield from at((), of_rule(document.calls.violations, 'function'))


@rule('unknown-reference', position=Positions.find_value)
def check_unknown_reference(document: TemplateDocument) -> Iterator[tuple]:
    """The template has the resources that it refers to."""
    for violation in of_rule(document.calls.violations, 'unknown-reference'):
        yield violation.path, _text(document, violation)
    key = document.resource_key('depends_on')
    declared = document.section('resources')
    for name, snippet in document.resources.items():
        path = document.path_of('resources', name, key)
        for violation in checks.depends_on(name, snippet.get(key), declared):
            yield (*path, *violation.path), _text(document, violation)


def _text(document: TemplateDocument, violation: Violation) -> str:
    name = str(violation.error.kwargs.get('resource'))
    if name in document.section('parameters'):
        return f'There is no resource "{name}"; "{name}" is a parameter'
    return append_hint(f'There is no resource "{name}"', violation.error.hint)


def _find_attribute(positions: Positions, path: tuple) -> Position:
    """Return the position of the second argument of a call, which is the attribute."""
    return positions.find_value((*path, 1))


@rule('unknown-attribute', position=_find_attribute)
def check_unknown_attribute(document: TemplateDocument) -> Iterator[tuple]:
    """A resource has the attributes that the template reads."""
    for violation in of_rule(document.calls.violations, 'unknown-attribute'):
        resource, attribute = (violation.error.kwargs[key] for key in ('resource', 'key'))
        type_name = document.resources.get(resource, {}).get(document.resource_key('type'))
        info = document.resource_type(resource)
        known = () if info is None or info.attributes is None else list(info.attributes)
        text = f'"{resource}" ({type_name}) has no attribute "{attribute}"'
        yield violation.path, with_suggestion(text, attribute, known)


@rule('missing-item', level=WARNING)
def check_missing_item(document: TemplateDocument) -> Iterator[tuple]:
    """A list or a map in the template has the item that a function asks for: another is null."""
    for call in document.calls.calls:
        if isinstance(call.node, cfn.CfnSelect):
            key, value = call.node.args
            path = [key]
        elif isinstance(call.node, refs.GetAttr) and call.node.args[1:2] == ['value']:
            name, _, *path = call.node.args
            value = _literal_value(document, name)
        else:
            continue
        missing = _missing_item(document, value, path)
        if missing is not None:
            yield call.path, f'The value has no item "{missing}"'


def _literal_value(document: TemplateDocument, name: Value) -> Value:
    """Return what the text gives as the value of an OS::Heat::Value; None for another resource."""
    snippet = document.resources.get(name, {}) if isinstance(name, str) else {}
    given = snippet.get(document.resource_key('properties'))
    is_value = snippet.get(document.resource_key('type')) == 'OS::Heat::Value'
    return given.get('value') if is_value and isinstance(given, dict) else None


def _missing_item(document: TemplateDocument, value: Value, path: list[Value]) -> Value:
    """Return the first key or index of a path that a literal value lacks, None if it has all."""
    for key in path:
        if not isinstance(value, dict | list) or document.calls.is_call(value):
            return None
        if not isinstance(key, str | int) or isinstance(key, bool):
            return None
        if isinstance(value, list):
            if not str(key).removeprefix('-').isdecimal():
                return None
            key = int(key)
            if not -len(value) <= key < len(value):
                return key
        elif key not in value:
            return key
        value = value[key]
    return None


@rule('misspelt-function', level=WARNING)
def check_misspelt_function(document: TemplateDocument) -> Iterator[tuple]:
    """A map that looks like a call is one: an unknown function is plain data."""
    known = list(document.version.functions)
    for path, name in _single_keys(document):
        # other names are likely to be those of data
        if name in known or not ('_' in name or '::' in name):
            continue
        since = _first_version(name, document.version)
        if since:
            text = f'"{name}" is plain data in this version: the function exists since {since}'
            yield path, text
        elif hint := suggest(name, known):
            yield path, f'"{name}" is plain data, not a function.{hint}'


def _single_keys(document: TemplateDocument) -> Iterator[tuple]:
    """Yield the path and the key of maps of one key in the values of resources and outputs."""
    for path, value in _values(document):
        waiting = [(path, value)]
        while waiting:
            path, value = waiting.pop()
            waiting.extend(((*path, key), inner) for key, inner in items_of(value))
            if isinstance(value, dict) and len(value) == 1:
                yield (*path, *value), next(iter(value))


def _values(document: TemplateDocument) -> Iterator[tuple]:
    """Yield the path and the value of properties and outputs."""
    section, key = document.section_key('resources'), document.resource_key('properties')
    for name, snippet in document.resources.items():
        properties = snippet.get(key)
        if isinstance(properties, dict):
            for each, value in properties.items():
                yield (section, name, key, each), value
        else:
            yield (section, name, key), properties
    section, key = document.section_key('outputs'), document.version.dialect.output['value']
    for name, snippet in document.section('outputs').items():
        if isinstance(snippet, dict):
            yield (section, name, key), snippet.get(key)


def _first_version(name: str, version: Version) -> str | None:
    """Return the first version of the dialect that has a function, None where none has it."""
    others = [other for other in language.TABLE[version.key].values() if name in other.functions]
    return min((other.name for other in others), default=None)


@rule('missing-file', position=Positions.find_value)
def check_missing_file(document: TemplateDocument) -> Iterator[tuple]:
    """The files that the template reads exist."""
    for call, file in file_uses(document):
        if document.files.has(file) is False:
            yield call.path, f'There is no file "{call.node.args}" ({file})'
    for call in document.calls.calls:
        if isinstance(call.node, refs.GetFile) and not isinstance(call.node.args, str | Function):
            yield call.path, f'Argument to "{call.node.name}" must be a string'


def file_uses(document: TemplateDocument) -> Iterator[tuple]:
    """Yield each call that reads a file, and the name of the file."""
    for call in document.calls.calls:
        if isinstance(call.node, refs.GetFile) and isinstance(call.node.args, str):
            yield call, document.files.join(document.name, call.node.args)
