"""The rules about templates that the engine and the linter share, each written once.

A check is a generator of violations, in the order in which Heat looks for them. The engine raises
the error of the first one (``raise_first``): its class and text are as recorded in
tests/conformance. The linter collects all of them and adds the position and the severity.
"""

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from heat_lite.common import exception
from heat_lite.common.exception import append_hint
from heat_lite.common.value_texts import as_json, bare, kind_of, quoted
from heat_lite.common.value_types import Value
from heat_lite.template.dialects import CFN, HOT, VERSION_KEYS, Version
from heat_lite.template.suggest import (
    closest_match,
    quote_hint,
    suggest,
    with_keyword_suggestion,
    with_suggestion,
)
from heat_lite.template.unknown import Unknown


@dataclasses.dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a part of a template breaks.

    ``rule`` is the name of the rule in the linter. ``path`` leads from the checked value to the
    faulty part. ``error`` is what the engine raises. ``message`` is the linter's text where the
    recorded text of the error lacks the name of the object or the remedy.
    """

    rule: str
    path: tuple
    error: Any
    message: str = ''

    @property
    def text(self) -> str:
        return self.message or message_of(self.error)


def message_of(error: Exception) -> str:
    """Return the text of an error without the path that StackValidationFailed puts before it."""
    return getattr(error, 'error_message', None) or str(error)


def raise_first(violations: Iterable[Violation], base: tuple | None = None) -> None:
    """Raise the error of the first violation, if there is one.

    ``base`` is the path of the checked value: with it, the place of an error is that of the
    violation.
    """
    for violation in violations:
        error = violation.error
        if base is not None and isinstance(error, exception.HeatException):
            # the path of an error of its own is more exact
            if not getattr(error, 'path', ()):
                error.at(*base, *violation.path)
        raise error


def below(path: tuple, violations: Iterable[Violation]) -> Iterator[Violation]:
    """Yield violations with the path of the value that they are in before their own."""
    for violation in violations:
        yield dataclasses.replace(violation, path=(*path, *violation.path))


# ---------------------------------------------------------------- version


def version_hint(data: Mapping) -> str:
    """Return what to write into a template without a version, or into none but a compose file."""
    given = next((key for key in VERSION_KEYS if key in data), None)
    if given is not None:
        return f' The value of "{given}" is a text, such as "{_EXAMPLES[given]}".'
    misspelt = misspelt_version_key(data)
    if misspelt is not None:
        return suggest(misspelt, VERSION_KEYS)
    if isinstance(data.get('services'), dict):
        return ' This looks like a compose file: "heat-lite convert" makes a template of it.'
    is_cfn = data.keys() & CFN.sections.values() and not data.keys() & HOT.sections.values()
    key = VERSION_KEYS[1 if is_cfn else 0]
    return f' Begin the template with "{key}: {_EXAMPLES[key]}".'


#: a version for each key, as examples
_EXAMPLES = dict(zip(VERSION_KEYS, ('2021-04-16', '2010-09-09', '2012-12-12'), strict=True))


def misspelt_version_key(data: Mapping) -> str | None:
    """Return the first key that looks like a misspelt one of a version, None without one."""
    return next((key for key in data if closest_match(key, VERSION_KEYS)), None)


# ---------------------------------------------------------------- sections


def sections(data: Mapping, version: Version) -> Iterator[Violation]:
    """Yield the sections that the version does not know."""
    for section in data:
        if section not in version.sections:
            # clients look for this very text: it gets no hint
            text = exception.InvalidTemplateSection.msg_fmt % {'section': section}
            message = with_suggestion(f'There is no section "{section}"', section, version.sections)
            error = exception.StackValidationFailed(text)
            yield Violation('unknown-section', (section,), error, message)


def section_map(name: str, value: Value, word: str) -> Iterator[Violation]:
    """Yield a section that is not a map.

    ``name`` is HOT's name of the section, ``word`` that of the dialect.
    """
    if not isinstance(value, dict):
        text = f'The section "{word}" must be a map'
        yield Violation('section-type', (), _no_map(name, word, value), text)


def _no_map(name: str, word: str, value: Value) -> Exception:
    """Return what Heat raises for a section that is not a map."""
    if name == 'resources':
        return exception.StackValidationFailed(
            f'"{word}" must contain a map of resource maps. Found {kind_of(value)} instead'
        )
    if name == 'conditions':
        return condition_error(
            f'Condition definitions must be a map. Found {kind_of(value)} instead',
            'Conditions validation error',
        )
    # Heat raises AttributeError for parameters and outputs, and clients see the name of the
    # class. ``obj`` marks the error as intended: in an accidental one, Python sets ``name``.
    return AttributeError(f'The section "{word}" must be a map', obj=value)


# ---------------------------------------------------------------- resources

_NO_TYPE = 'Each Resource must contain a Type key.'
_NO_HOT_TYPE = 'Each resource must contain a type key.'
#: part -> (Python types, the word for them). Calls of functions are maps: they are not parsed yet.
_TYPES = {
    'type': ((str,), 'string'),
    'properties': ((dict,), 'object'),
    'metadata': ((dict,), 'object'),
    'depends_on': ((list, str), 'list or string'),
    'deletion_policy': ((str, dict), 'string'),
    'update_policy': ((dict,), 'object'),
    'description': ((str,), 'string'),
    'external_id': ((str, dict), 'string'),
    'condition': ((str, bool, dict), 'string_or_boolean'),
    'lifecycle': ((dict,), 'object'),
    'import_id': ((dict,), 'object'),
}


def resource_bodies(snippets: Mapping, version: Version) -> Iterator[Violation]:
    """Yield resources without a type and keys that resources do not have.

    Resources are checked in the order of their names, as in Heat.
    """
    for name in sorted(snippets):
        yield from below((name,), resource_body(snippets[name], version))


def resource_body(snippet: Value, version: Version) -> Iterator[Violation]:
    """Yield the unknown keys of one resource, and a missing type."""
    if version.key == 'heat_template_version':
        return _hot_resource_body(snippet, version)
    return _cfn_resource_body(snippet)


def _hot_resource_body(snippet: Value, version: Version) -> Iterator[Violation]:
    if not snippet:
        yield _resource(_NO_HOT_TYPE)
    elif not isinstance(snippet, dict):
        yield _resource(
            f'"resources" must contain a map of resource maps. Found {kind_of(snippet)} instead'
        )
    else:
        yield from _hot_resource_keys(snippet, version)


def _hot_resource_keys(snippet: Value, version: Version) -> Iterator[Violation]:
    known = version.dialect.resource.values()
    unknown = [key for key in snippet if key not in known]
    for key in unknown:
        text = f'"{key}" is not a valid keyword inside a resource definition'
        message = with_suggestion(text, key, version.resource_keys)
        yield _resource(with_keyword_suggestion(text, key, known), key, message=message)
    later = sorted(key for key in snippet if key in known and key not in version.resource_keys)
    for key in later:
        text = f'Invalid keyword(s) inside a resource definition: {", ".join(later)}'
        yield _resource(text, key)
    # an unknown key may be the misspelt type
    if 'type' not in snippet and not unknown:
        yield _resource(_NO_HOT_TYPE)


def _cfn_resource_body(snippet: Value) -> Iterator[Violation]:
    if snippet is not None and not isinstance(snippet, dict):
        yield _resource(f'Resources must contain Resource. Found {kind_of(snippet)} instead')
    elif not (snippet or {}).get('Type'):
        yield _resource(_missing(_NO_TYPE, 'Type', snippet))


def resource_parts(name: str, snippet: Value, version: Version) -> Iterator[Violation]:
    """Yield the parts of one resource that are not of their type."""
    if not isinstance(snippet, dict) or not snippet.get(version.dialect.resource['type']):
        yield _resource(_NO_TYPE)
        return
    for part, word in version.dialect.resource.items():
        if word not in snippet or (part == 'condition' and not version.has_conditions):
            continue
        if isinstance(snippet[word], Unknown):  # in a member of a group
            continue
        if not isinstance(snippet[word], _TYPES[part][0]):
            yield wrong_type(name, part, version, snippet[word])
        elif part == 'depends_on':
            for other in snippet[word]:
                if not isinstance(other, str):
                    text = f'Resource {name} {word} must be a list of strings'
                    yield _resource(append_hint(text, quote_hint(other)), word)
                    break


def wrong_type(name: str, part: str, version: Version, value: Value) -> Violation:
    """Return the violation for a part of a resource that is not of its type."""
    word, (kinds, expected) = version.dialect.resource[part], _TYPES[part]
    if part == 'condition' and version.dialect.name == 'cfn':
        expected = 'string or boolean'
    # the text names the resource and the part: "whole" keeps callers from adding a path
    error = exception.StackValidationFailed(
        f'Resource {name} {word} type must be {expected}', whole=True
    ).with_hint(quote_hint(value) if str in kinds else '')
    return Violation('resource-definition', (word,), error)


def function_for_map(function: str, error_path: tuple = ()) -> Violation:
    """Return the violation for a function in place of a map whose keys must be known early."""
    text = f'"{function}" cannot stand for a whole map'
    return _resource(text, error_path=error_path, message=f'{text}: its keys must be known')


def deletion_policy(policy: Value, version: Version) -> Iterator[Violation]:
    """Yield a deletion policy that the version does not know."""
    known = version.deletion_policies
    if not isinstance(policy, str) or policy not in known:
        text = f'Invalid deletion policy {quoted(policy)}'
        message = with_suggestion(f'{text}: use one of {", ".join(known)}', policy, known)
        yield _resource(with_keyword_suggestion(text, policy, known), message=message)


def resource_names(names: Iterable[str]) -> Iterator[Violation]:
    """Yield the names of resources that no URL or no text of a database can contain."""
    for name in names:
        if '/' in name:
            yield _resource('Resource name may not contain "/"', name)
        elif '\0' in name:
            yield _resource('Resource name may not contain a NUL character', name)


def duplicate_names(names: Iterable[str], parameters: Collection[str]) -> Iterator[Violation]:
    """Yield the names that a resource and a parameter share: ``Ref`` reads either."""
    twice = sorted(name for name in names if name in parameters)
    for name in twice:
        error = exception.StackValidationFailed(f'Duplicate names {", ".join(map(quoted, twice))}')
        message = f'A parameter has the name "{name}", too: rename one of them'
        yield Violation('duplicate-name', (name,), error, message)


def depends_on(name: str, needed: Value, declared: Collection[str]) -> Iterator[Violation]:
    """Yield the names in ``depends_on`` of a resource that no resource has."""
    listed = isinstance(needed, list)
    for index, other in enumerate(needed if listed else [needed]):
        if isinstance(other, str) and other not in declared:
            error = exception.InvalidTemplateReference(resource=other, key=name)
            path = (index,) if listed else ()
            yield Violation('unknown-reference', path, error.with_hint(suggest(other, declared)))


def _resource(text: str, *path: Value, error_path: tuple = (), message: str = '') -> Violation:
    error = exception.StackValidationFailed(text, path=error_path)
    return Violation('resource-definition', path, error, message)


def _missing(text: str, word: str, snippet: Value) -> str:
    """Return the text for a missing word, with a hint where a key looks like a misspelt one."""
    meant = next((key for key in snippet or () if closest_match(key, [word])), None)
    return text if meant is None else with_keyword_suggestion(text, meant, [word])


# ---------------------------------------------------------------- outputs


def output(name: str, snippet: Value, version: Version) -> Iterator[Violation]:
    """Yield an output that is not a map or has no value."""
    path, word = (version.dialect.sections['outputs'], name), version.dialect.output['value']
    if not isinstance(snippet, dict):
        text = f'Output definitions must be a map. Found {kind_of(snippet)} instead'
        yield _output(text, path)
    elif word not in snippet:
        text = _missing(f'Each output definition must contain a {word} key.', word, snippet)
        yield _output(text, path)


def _output(text: str, path: tuple) -> Violation:
    error = exception.StackValidationFailed(text, error='Output validation error', path=path)
    return Violation('output-definition', (), error)


def attribute_outputs(snippets: Mapping, version: Version) -> Iterator[Violation]:
    """Yield outputs that cannot be the attributes of a template that stands for a resource type.

    Heat checks these outputs more strictly than those of a stack, in the order of their names. It
    checks the value of a CFN output only when it validates the nested stack.
    """
    word = version.dialect.output['value']
    for name in sorted(snippets):
        snippet = snippets[name]
        if version.dialect.name == 'cfn' and isinstance(snippet, dict):
            continue
        if snippet and version.dialect.name == 'hot':
            yield from _attribute_output_keys(name, snippet, version)
        if not isinstance(snippet, dict) or word not in snippet:
            yield _attribute_output(f'Each output must contain a {word} key.', name)


def _attribute_output_keys(name: str, snippet: Value, version: Version) -> Iterator[Violation]:
    if not isinstance(snippet, dict):
        text = f'"outputs" must contain a map of output maps. Found {kind_of(snippet)} instead'
        yield _attribute_output(text, name)
        return
    for key in snippet:
        if key not in version.output_keys:
            text = f'"{key}" is not a valid keyword inside a output definition'
            yield _attribute_output(
                with_keyword_suggestion(text, key, version.output_keys), name, key
            )


def _attribute_output(text: str, *path: Value) -> Violation:
    return Violation('output-definition', path, exception.StackValidationFailed(text))


# ---------------------------------------------------------------- parameters


def parameter_name(
    name: Value, known: Collection[str], similar: Iterable[str] = ()
) -> Iterator[Violation]:
    """Yield the name of a parameter that the template does not declare.

    ``similar`` are further names that the author may have intended.
    """
    if name not in known:
        error = exception.UserParameterMissing(key=name)
        error.with_hint(f' The template does not declare it.{suggest(name, known)}')
        text = f'The parameter "{name}" is not declared'
        message = with_suggestion(text, name, [*known, *similar])
        yield Violation('unknown-parameter', (), error, message)


def user_parameter(name: str, declared: Collection[str]) -> Iterator[Violation]:
    """Yield a parameter that a request or an environment sets and no template declares."""
    if name not in declared:
        error = exception.UnknownUserParameter(key=name).with_hint(suggest(name, declared))
        text = f'No template declares the parameter "{name}"'
        yield Violation('environment-parameter', (), error, with_suggestion(text, name, declared))


# ---------------------------------------------------------------- conditions


class UnknownCondition(ValueError):
    """The value of a condition is not the name of one: ``subject`` is the value."""

    def __init__(self, value: Value, hint: str = '') -> None:
        super().__init__(append_hint(f'Invalid condition {quoted(value)}', hint))
        self.subject = str(value)


def condition_error(
    text: str, error: str = 'Condition validation error'
) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(text, error=error)


def condition_definition(
    name: str, definition: Value, hint: Callable[[Value], str] = lambda definition: ''
) -> Iterator[Violation]:
    """Yield a definition without functions that is not a boolean. The text ends in the hint."""
    if not isinstance(definition, bool):
        error = condition_error(
            f'The definition of condition "{name}" is invalid: {bare(definition)}'
        )
        yield Violation('condition', (), error.with_hint(hint(definition)))


def condition_name(name: str, known: Collection[str]) -> Iterator[Violation]:
    """Yield the name of a condition that is not defined."""
    if name not in known:
        hint = suggest(name, known)
        message = append_hint(f'There is no condition "{name}"', hint)
        yield Violation('condition', (), UnknownCondition(name, hint), message)


def condition_value(value: Value, hint: str = '') -> Iterator[Violation]:
    """Yield a value that is neither a boolean nor the name of a condition.

    Null stands for no condition.
    """
    if value is not None and not isinstance(value, bool | str):
        error = UnknownCondition(value)
        yield Violation('function', (), error, append_hint(str(error), hint))


def condition_cycle(name: str) -> Violation:
    """Return the violation for a condition that needs itself, directly or through others."""
    error = condition_error(f'Circular definition for condition "{name}"')
    return Violation('condition-cycle', (), error)


# --------------------------------------------------------------- names of properties


PROPERTY_ERROR = 'Property error'


def property_error(
    text: str, path: tuple = (), subject: str | None = None
) -> exception.StackValidationFailed:
    return exception.StackValidationFailed(text, PROPERTY_ERROR, path, subject=subject)


def require_scalars(schemata: Mapping, values: Mapping, names: Iterable[str]) -> None:
    """Raise StackValidationFailed for a map or a list inside a map or a list without a schema.

    It is for types that make texts of such items.
    """
    for name in names:
        try:
            _require_scalars(schemata[name], values[name])
        except exception.StackValidationFailed as error:
            raise error.prefixed('properties', name) from None


def _require_scalars(schema: Value, value: Value) -> None:
    if schema.schema is not None:
        schema.map_nested(value, _require_scalars)
    elif isinstance(value, Mapping | list | tuple):
        for key, each in value.items() if isinstance(value, Mapping) else enumerate(value):
            if isinstance(each, Mapping | list | tuple):
                text = f'Value must be a text, a number or a boolean; got {as_json(each)}'
                raise property_error(text, (key,))


def property_names(
    schemata: Mapping, given: Iterable[str], error_path: tuple = (), nested: bool = False
) -> Iterator[Violation]:
    """Yield the properties that the type does not know or does not implement.

    A ``nested`` property that is not implemented is accepted: the engine checks the top level only.
    """
    for key in given:
        if key not in schemata:
            hint = suggest(key, visible_names(schemata))
            error = property_error(
                exception.append_hint(f'Unknown Property {key}', hint), error_path, key
            )
            message = exception.append_hint(f'There is no property "{key}"', hint)
            yield Violation('unknown-property', (key,), error, message)
        elif not nested and not schemata[key].implemented:
            error = property_error(f'Property {key} not implemented yet', error_path)
            message = f'The property "{key}" is not implemented yet'
            yield Violation('property-value', (key,), error, message)


def missing_property(name: str) -> Violation:
    """Return the violation for a required property that is not given."""
    error = property_error(f'Property {name} not assigned')
    return Violation('missing-property', (), error, f'The property "{name}" is required')


def property_conflict(names: Iterable[str]) -> Violation:
    """Return the violation for a property that is given under its name and under an older one."""
    listed = ', '.join(names)
    error = exception.ResourcePropertyConflict(
        message=f'Cannot define the following properties at the same time: {listed}'
    )
    return Violation('property-value', (), error, f'Give one of these only: {listed}')


def visible_names(schemata: Mapping) -> list[str]:
    """Return the names of properties that users see: older names are hidden."""
    return [name for name, schema in schemata.items() if not schema.hidden]
