"""Rules about environments: sections, mapped types, values of parameters."""

from collections.abc import Iterator, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template import checks, merge, reader
from heat_lite.template.environment import (
    PARAMETER_DEFAULTS,
    PARAMETERS,
    RESOURCE_REGISTRY,
    Environment,
)
from heat_lite.template.lint.document import READ_ERRORS, EnvironmentDocument, TemplateDocument
from heat_lite.template.lint.finding import NOTE, WARNING
from heat_lite.template.lint.rules.base import ENVIRONMENT, at, not_read, rule
from heat_lite.template.lint.rules.properties import SERVICE_NAMESPACES
from heat_lite.template.parameters.parameters import Parameters
from heat_lite.template.resource_registry import PER_RESOURCE, TypeRegistry, is_template
from heat_lite.template.suggest import closest_match, with_suggestion


@rule('environment-section', subject=ENVIRONMENT)
def check_environment_section(document: EnvironmentDocument) -> Iterator[tuple]:
    """The sections of an environment are known, and are maps or lists as required."""
    for section, value in document.data.items():
        found = list(reader.environment_sections({section: value}))
        yield from at((), found)
        if section == merge.STRATEGIES and not isinstance(value, dict | None):
            yield (section,), f'The section "{section}" must be a map'
        yield from reader.unwanted_sections({section: value})
        # each entry of the registry has a finding of its own: registry-entry
        if not found and not (section == RESOURCE_REGISTRY and isinstance(value, dict)):
            yield from _errors_of(Environment, {section: value}, (section,))


@rule('registry-entry', subject=ENVIRONMENT)
def check_registry_entry(document: EnvironmentDocument) -> Iterator[tuple]:
    """An entry of resource_registry is an existing type, template, hook or restricted action."""
    for path, entry in _entries(document.section(RESOURCE_REGISTRY), (RESOURCE_REGISTRY,)):
        yield from _errors_of(TypeRegistry, entry, path)


def _entries(registry: Mapping[str, Value], path: tuple) -> Iterator[tuple]:
    """Yield the path and the data of each entry, as a registry with this entry alone."""
    for name, value in registry.items():
        if name == PER_RESOURCE and isinstance(value, dict):
            for resource, inner in value.items():
                yield (*path, name, resource), {PER_RESOURCE: {resource: inner}}
        else:
            yield (*path, name), {name: value}


def _errors_of(build: type, data: Mapping[str, Value], path: tuple) -> Iterator[tuple]:
    """Yield the path and the text of the error that building an object from data raises."""
    try:
        build(data)
    except READ_ERRORS as error:
        yield path, checks.message_of(error)


@rule('registry-target', subject=ENVIRONMENT)
def check_registry_target(document: EnvironmentDocument) -> Iterator[tuple]:
    """The target of a type exists: the file of a template, or a known type."""
    for path, name, target in document.mapped():
        if is_template(target):
            file = document.files.join(document.name, target)
            if document.files.has(file) is False:
                unused = '' if document.uses(path) else ', which clients read even if it is unused'
                yield path, f'There is no template "{target}" ({file}){unused}'
        elif target.startswith(SERVICE_NAMESPACES) and not _is_known(document, name, target):
            text = f'There is no resource type "{target}"'
            yield path, with_suggestion(text, target, document.types.names())


@rule('foreign-target', level=NOTE, subject=ENVIRONMENT)
def check_foreign_target(document: EnvironmentDocument) -> Iterator[tuple]:
    """A target outside OS:: and AWS:: is known.

    One of a plug-in is not known here; a remote template is not read.
    """
    for path, name, target in document.mapped():
        if is_template(target):
            file = document.files.join(document.name, target)
            if document.files.has(file) is None:
                yield path, f'The template {file} is {not_read(file)}'
        elif not target.startswith(SERVICE_NAMESPACES) and not _is_known(document, name, target):
            yield path, f'The type "{target}" is not known here'


def _is_known(document: EnvironmentDocument, name: str, target: str) -> bool:
    if name.endswith('*') and target.endswith('*'):
        names = document.types.names()
        return not names or any(known.startswith(target[:-1]) for known in names)
    entries = {RESOURCE_REGISTRY: document.section(RESOURCE_REGISTRY)}
    try:
        registry = Environment(entries, document.base).registry
        registry.resolve(target, None, document.types.knows)
    except READ_ERRORS:
        return False
    return True


@rule('environment-parameter', subject=ENVIRONMENT)
def check_environment_parameter(document: EnvironmentDocument) -> Iterator[tuple]:
    """An environment sets only parameters that a template checked with it declares."""
    yield from _undeclared(document, PARAMETERS)


@rule('unknown-default', level=WARNING, subject=ENVIRONMENT)
def check_unknown_default(document: EnvironmentDocument) -> Iterator[tuple]:
    """No name in parameter_defaults is a misspelt parameter: the service ignores unknown names."""
    for path, text in _undeclared(document, PARAMETER_DEFAULTS):
        if closest_match(path[-1], document.declared_parameters() or ()) is not None:
            yield path, text


def _undeclared(document: EnvironmentDocument, section: str) -> Iterator[tuple]:
    """Yield the paths and texts of the names in a section that no template declares."""
    declared = document.declared_parameters()
    if declared is not None:
        for name in document.section(section):
            yield from at((section, name), checks.user_parameter(name, declared))


@rule('parameter-value', subject=ENVIRONMENT)
def check_parameter_value(document: EnvironmentDocument) -> Iterator[tuple]:
    """The values in an environment have the types of the parameters and meet their constraints."""
    for section in (PARAMETERS, PARAMETER_DEFAULTS):
        for name, value in document.section(section).items():
            for template in document.templates:
                yield from _value(template, (section, name), value)


def fits(document: EnvironmentDocument, template: TemplateDocument) -> bool:
    """Whether a template declares all parameters of an environment, and the values are valid."""
    if template.template is None:
        return False
    declared = template.section('parameters')
    values = {**document.section(PARAMETERS), **document.section(PARAMETER_DEFAULTS)}
    return all(name in declared for name in document.section(PARAMETERS)) and not any(
        True for name, value in values.items() for _ in _value(template, (name,), value)
    )


def _value(template: TemplateDocument, path: tuple, value: Value) -> Iterator[tuple]:
    name = path[-1]
    schema = template.parameters.get(name) if template.template is not None else None
    if schema is None or value is None:
        return
    try:
        Parameters({name: schema}, {name: value}).validate()
    except READ_ERRORS as error:
        yield path, f'{checks.message_of(error)} ({template.name})'
