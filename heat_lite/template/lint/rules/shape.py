"""Rules about the shape of a template: version, sections, resources, outputs, groups."""

from collections.abc import Iterator

from heat_lite.common import exception
from heat_lite.common.exception import append_hint
from heat_lite.common.value_types import Value
from heat_lite.template import checks, dependencies, dialects, resource_registry, versions
from heat_lite.template.checks import Violation
from heat_lite.template.editing import former_names
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import at, rule
from heat_lite.template.parameters import parameter_groups
from heat_lite.template.parameters.parameters import Parameters
from heat_lite.template.source_positions import Positions
from heat_lite.template.suggest import (
    closest_match,
    with_keyword_suggestion,
)


@rule('version', position=Positions.find_value)
def check_version(document: TemplateDocument) -> Iterator[tuple]:
    """The template names an existing version of the template language."""
    try:
        versions.template_version(document.data)
    except exception.InvalidTemplateVersion as error:
        keys = [key for key in versions.TABLE if key in document.data]
        misspelt = None if keys else checks.misspelt_version_key(document.data)
        text = append_hint(checks.message_of(error), versions.suggest_version(document.data))
        yield tuple(keys[:1]) if misspelt is None else document.positions.find([misspelt]), text


@rule('unknown-section')
def check_unknown_section(document: TemplateDocument) -> Iterator[tuple]:
    """Every key at the top level is a section of this version."""
    yield from at((), checks.sections(document.data, document.version))


@rule('section-type')
def check_section_type(document: TemplateDocument) -> Iterator[tuple]:
    """Parameters, conditions, resources and outputs are maps."""
    for section in ('parameters', 'resources', 'outputs', 'conditions'):
        key = document.section_key(section)
        value = document.data.get(key)
        # the engine takes an empty value for an empty map, except for conditions
        given = key in document.data if section == 'conditions' else value is not None
        if given and key in document.version.sections:
            yield from at((key,), checks.section_map(section, value, key))


@rule('moved')
def check_moved(document: TemplateDocument) -> Iterator[tuple]:
    """A move leads from a former name to a resource."""
    if 'moved' in document.data and 'moved' in document.version.sections:
        found = former_names.violations(document.data['moved'], document.section('resources'))
        yield from at(('moved',), found)


@rule('no-resources', level=WARNING)
def check_no_resources(document: TemplateDocument) -> Iterator[tuple]:
    """A template has resources: an empty stack is seldom intended."""
    if not document.template.section('resources'):
        yield (), f'The template has no {document.section_key("resources")}'


@rule('resource-definition')
def check_resource_definition(document: TemplateDocument) -> Iterator[tuple]:
    """A resource has a type, known keys, values of the right types, a name without a slash."""
    section = document.section_key('resources')
    snippets = document.section('resources')
    yield from at((section,), checks.resource_names(snippets))
    for name, snippet in snippets.items():
        yield from at((section, name), _keys(document, name, snippet))
        if isinstance(snippet, dict):
            yield from _values(document, (section, name), snippet)
    for each in document.definitions():
        if each.is_member:
            yield from at(each.path, resource_registry.member_definition(each.snippet))


def _keys(document: TemplateDocument, name: str, snippet: Value) -> Iterator[Violation]:
    version = document.version
    misspelt = list(_misspelt_keys(snippet, version))
    body = list(checks.resource_body(snippet, version))
    # the key that is missing may be the misspelt one
    yield from misspelt or body
    if isinstance(snippet, dict) and (snippet.get(document.resource_key('type')) or not body):
        yield from checks.resource_parts(name, snippet, version)


def _values(document: TemplateDocument, path: tuple, snippet: Value) -> Iterator[tuple]:
    for part in ('properties', 'update_policy'):
        key = document.resource_key(part)
        if document.calls.is_call(snippet.get(key)):
            violation = checks.function_for_map(next(iter(snippet[key])))
            yield from at((*path, key), [violation])
    key = document.resource_key('lifecycle')
    if isinstance(snippet.get(key), dict):
        yield from at((*path, key), resource_registry.lifecycle_violations(snippet[key]))
    key = document.resource_key('import_id')
    if isinstance(snippet.get(key), dict):
        found = resource_registry.import_violations(snippet[key], snippet)
        yield from at((*path, key), found)
    key = document.resource_key('deletion_policy')
    if isinstance(snippet.get(key), str):
        yield from at((*path, key), checks.deletion_policy(snippet[key], document.version))


def _misspelt_keys(snippet: Value, version: dialects.Version) -> Iterator[Violation]:
    """Yield the unknown keys of a CFN resource that resemble a known one. Heat ignores them."""
    known = version.resource_keys
    is_cfn = version.dialect is dialects.CFN and isinstance(snippet, dict)
    for key in snippet if is_cfn else ():
        if key not in known and closest_match(key, known):
            text = with_keyword_suggestion(f'"{key}" is not a key of resources', key, known)
            yield Violation('resource-definition', (key,), exception.StackValidationFailed(text))


@rule('duplicate-name')
def check_duplicate_name(document: TemplateDocument) -> Iterator[tuple]:
    """No resource has the name of a parameter."""
    parameters = Parameters(document.section('parameters'), dialect=document.version.dialect.name)
    names = document.section('resources')
    yield from at(document.path_of('resources'), checks.duplicate_names(names, parameters))


@rule('output-definition')
def check_output_definition(document: TemplateDocument) -> Iterator[tuple]:
    """An output is a map with a value."""
    section = document.section_key('outputs')
    for name, snippet in document.section('outputs').items():
        yield from at((section, name), checks.output(name, snippet, document.version))
    if document.is_nested:
        # of the outputs of a type, Heat checks the keys, too
        found = checks.attribute_outputs(document.section('outputs'), document.version)
        yield from at((section,), (each for each in found if len(each.path) > 1))


@rule('parameter-groups')
def check_parameter_groups(document: TemplateDocument) -> Iterator[tuple]:
    """Groups name parameters of the template, each of them once."""
    groups = document.template.section('parameter_groups')
    names = document.section('parameters')
    yield from at(document.path_of('parameter_groups'), parameter_groups.check(groups, names))


@rule('cycle')
def check_cycle(document: TemplateDocument) -> Iterator[tuple]:
    """No resource depends on itself, directly or through others."""
    try:
        dependencies.Dependencies(dependency_edges(document)).order()
    except exception.CircularDependencyException as error:
        yield document.path_of('resources', error.subject), str(error)


def dependency_edges(document: TemplateDocument) -> Iterator[tuple]:
    """Yield the dependencies of resources, those of both branches of an ``if`` included."""
    resources = document.section_key('resources')
    for name, snippet in document.resources.items():
        yield name, None
        needed = snippet.get(document.resource_key('depends_on'))
        for other in needed if isinstance(needed, list) else [needed]:
            if isinstance(other, str) and other in document.resources:
                yield name, other
    for call in document.calls.calls:
        other = call.node.resource_name()
        if call.owner[0] == resources and other in document.resources:
            yield call.owner[1], other
