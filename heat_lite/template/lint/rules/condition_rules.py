"""Rules about conditions."""

from collections.abc import Iterator, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import checks, versions as language
from heat_lite.template.lint.calls import Call
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import at, reaches, rule
from heat_lite.template.lint.rules.values import parameter_uses
from heat_lite.template.parameters.parameter_schema import ParameterSchema
from heat_lite.template.source_positions import Positions


@rule('condition', position=Positions.find_value)
def check_condition(document: TemplateDocument) -> Iterator[tuple]:
    """A condition is a boolean or a function, and is defined where its name is used."""
    if not document.version.has_conditions:
        return
    defined = document.section('conditions')
    for path, name in document.calls.condition_names:
        yield from at(path, checks.condition_name(name, defined))
    for name, definition in defined.items():
        if not document.calls.is_condition(definition):
            path = document.path_of('conditions', name)
            yield from at(
                path, checks.condition_definition(name, definition, language.suggest_condition)
            )
    yield from _find_parameters(document)
    yield from _failing(document, defined)


def _find_parameters(document: TemplateDocument) -> Iterator[tuple]:
    """Yield conditions that are the value of a parameter that is no boolean."""
    for call, name in parameter_uses(document):
        schema = document.parameters.get(name)
        if schema is not None and schema.type != 'boolean' and _decides(document, call, schema):
            text = f'The parameter "{name}" is no boolean, so it cannot be a condition'
            yield call.path[:-1], text


def _failing(document: TemplateDocument, defined: Mapping[str, Value]) -> Iterator[tuple]:
    """Yield used conditions whose evaluation fails, whatever the parameters."""
    reported = {each.path[1] for each in document.calls.violations if len(each.path) > 1}
    errors = {name: document.constants.error(name) for name in used_conditions(document)}
    for name in defined:
        error = errors.get(name)
        if error is None or not document.calls.is_condition(defined[name]):
            continue
        causes = _names_in(document, name)
        if name not in reported and not any(
            other not in defined or errors.get(other) for other in causes
        ):
            yield (
                document.path_of('conditions', name),
                checks.message_of(error),
            )


def _decides(document: TemplateDocument, call: Call, schema: ParameterSchema) -> bool:
    """Whether the value of a parameter alone is a condition.

    A string where a condition is used may be the name of one.
    """
    path = call.path
    if path[0] == document.section_key('conditions'):
        return len(path) == 3
    if len(path) != 4 or path[2] != document.resource_key('condition'):
        return False
    default = schema.default
    may_be_name = default is None or default in list(document.section('conditions'))
    return not (schema.type == 'string' and may_be_name)


def _names_in(document: TemplateDocument, condition: str) -> set[str]:
    """Return the names of conditions in the definition of a condition."""
    place = document.path_of('conditions', condition)
    return {name for path, name in document.calls.condition_names if path[:2] == place}


@rule('condition-cycle')
def check_condition_cycle(document: TemplateDocument) -> Iterator[tuple]:
    """No condition depends on itself, directly or through others."""
    section = document.section_key('conditions')
    defined = document.section('conditions') if document.version.has_conditions else {}
    edges: dict[str, list[str]] = {name: [] for name in defined}
    for path, name in document.calls.condition_names:
        if path[0] == section and name in defined:
            edges[path[1]].append(name)
    for name in defined:
        if reaches(edges, name, name):
            yield from at((section, name), [checks.condition_cycle(name)])
            return


@rule('unused-condition', level=WARNING)
def check_unused_condition(document: TemplateDocument) -> Iterator[tuple]:
    """Every condition is used somewhere in the template."""
    used = used_conditions(document)
    for name in document.section('conditions') if document.version.has_conditions else ():
        if name not in used:
            path = document.path_of('conditions', name)
            yield path, f'The condition "{name}" is never used'


@rule('constant-condition', level=WARNING)
def check_constant_condition(document: TemplateDocument) -> Iterator[tuple]:
    """A function in conditions depends on a parameter: another is always true, or never."""
    defined = document.section('conditions') if document.version.has_conditions else {}
    for name, snippet in defined.items():
        value = document.constants.value(name)
        if value is not None and document.calls.is_condition(snippet):
            text = 'always' if value else 'never'
            path = document.path_of('conditions', name)
            yield path, f'The condition "{name}" is {text} true, whatever the parameters'


def used_conditions(document: TemplateDocument) -> set[str]:
    """Return the conditions that resources, outputs and functions use, directly or not."""
    section = document.section_key('conditions')
    uses: dict[str | None, set[str]] = {}
    for path, name in document.calls.condition_names:
        uses.setdefault(path[1] if path[0] == section else None, set()).add(name)
    found: set[str] = set()
    waiting = [*uses.get(None, ())]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses.get(name, ())
    return found
