"""Rules about environments: their sections, the types they map, the parameters they give."""

from heat_lite.common import exception
from heat_lite.template import format
from heat_lite.template.environment import PARAMETER_DEFAULTS, PARAMETERS, RESOURCE_REGISTRY, Environment
from heat_lite.template.lint.document import UNREADABLE
from heat_lite.template.lint.finding import NOTE, WARNING
from heat_lite.template.lint.rules.base import ENVIRONMENT, Rule, meant, text_of
from heat_lite.template.lint.rules.properties import OWN_NAMESPACES
from heat_lite.template.parameters import Parameters
from heat_lite.template.registry import PER_RESOURCE, TypeRegistry, is_template


class EnvironmentSection(Rule):
    """The sections of an environment are known, and maps or lists where these are wanted."""

    name = 'environment-section'
    subject = ENVIRONMENT

    def check(self, document):
        for section, value in document.data.items():
            if section not in format.ENVIRONMENT_SECTIONS:
                yield (section,), meant(f'There is no section "{section}"', section, format.ENVIRONMENT_SECTIONS)
            elif value is None:
                yield (section,), f'The section "{section}" is empty: leave it out, or write {{}}'
            elif section != RESOURCE_REGISTRY or not isinstance(value, dict):
                yield from _told(lambda data: Environment(data), {section: value}, (section,))


class RegistryEntry(Rule):
    """An entry of the resource_registry is a type, a template, a hook or a restricted action that there is."""

    name = 'registry-entry'
    subject = ENVIRONMENT

    def check(self, document):
        for path, entry in _entries(document.section(RESOURCE_REGISTRY), (RESOURCE_REGISTRY,)):
            yield from _told(TypeRegistry, entry, path)


def _entries(registry, path):
    """``path, data`` of each single entry, as a registry of its own."""
    for name, value in registry.items():
        if name == PER_RESOURCE and isinstance(value, dict):
            for resource, inner in value.items():
                yield (*path, name, resource), {PER_RESOURCE: {resource: inner}}
        else:
            yield (*path, name), {name: value}


def _told(build, data, path):
    try:
        build(data)
    except UNREADABLE as error:
        yield path, text_of(error)


class RegistryTarget(Rule):
    """What types stand for is there: a template's file, or a type that somebody knows."""

    name = 'registry-target'
    subject = ENVIRONMENT

    def check(self, document):
        for path, name, target in _mapped(document):
            if is_template(target):
                file = document.files.join(document.name, target)
                if document.files.has(file) is False:
                    yield path, f'There is no template "{target}" ({file})'
            elif target.startswith(OWN_NAMESPACES) and not _known(document, name, target):
                yield path, meant(f'There is no resource type "{target}"', target, document.types.names())


class ForeignTarget(Rule):
    """A type that stands for one outside of OS:: and AWS:: needs a plug-in that is not known here; a template far away is not read."""

    name = 'foreign-target'
    level = NOTE
    subject = ENVIRONMENT

    def check(self, document):
        for path, name, target in _mapped(document):
            if is_template(target):
                file = document.files.join(document.name, target)
                if document.files.has(file) is None:
                    yield path, f'The template {file} is not read'
            elif not target.startswith(OWN_NAMESPACES) and not _known(document, name, target):
                yield path, f'The type "{target}" is not known here'


def _mapped(document):
    """``path, name, target`` of all entries that map a type."""
    registry = document.section(RESOURCE_REGISTRY)
    for name, target in registry.items():
        if isinstance(target, str) and name not in ('hooks', 'restricted_actions'):
            yield (RESOURCE_REGISTRY, name), name, target
    for resource, entry in (registry.get(PER_RESOURCE) or {}).items() if isinstance(registry.get(PER_RESOURCE), dict) else ():
        for name, target in entry.items() if isinstance(entry, dict) else ():
            if isinstance(target, str) and name not in ('hooks', 'restricted_actions'):
                yield (RESOURCE_REGISTRY, PER_RESOURCE, resource, name), name, target


def _known(document, name, target):
    if name.endswith('*') and target.endswith('*'):
        return any(known.startswith(target[:-1]) for known in document.types.names()) or document.types.names() == []
    try:
        Environment({RESOURCE_REGISTRY: document.section(RESOURCE_REGISTRY)}, document.base).registry.resolve(
            target, None, document.types.knows
        )
    except (exception.HeatException, *UNREADABLE):
        return False
    return True


class EnvironmentParameter(Rule):
    """An environment gives values only to parameters that one of the templates beside it declares."""

    name = 'environment-parameter'
    subject = ENVIRONMENT

    def check(self, document):
        templates = [template for template in document.templates if template.template is not None]
        declared = {name for template in templates for name in template.section('parameters')}
        for name in document.section(PARAMETERS) if templates else ():
            if name not in declared:
                yield (PARAMETERS, name), meant(f'No template declares the parameter "{name}"', name, declared)


class UnknownDefault(Rule):
    """The same for parameter_defaults, where other names are ignored without a word."""

    name = 'unknown-default'
    level = WARNING
    subject = ENVIRONMENT

    def check(self, document):
        templates = [template for template in document.templates if template.template is not None]
        declared = {name for template in templates for name in template.section('parameters')}
        for name in document.section(PARAMETER_DEFAULTS) if templates else ():
            hint = meant('', name, declared)
            if name not in declared and hint:
                yield (PARAMETER_DEFAULTS, name), f'No template declares the parameter "{name}"{hint}'


class ParameterValue(Rule):
    """The values that an environment gives are of the parameters' types and within their constraints."""

    name = 'parameter-value'
    subject = ENVIRONMENT

    def check(self, document):
        for section in (PARAMETERS, PARAMETER_DEFAULTS):
            for name, value in document.section(section).items():
                for template in document.templates:
                    yield from self._value(template, (section, name), value)

    @staticmethod
    def _value(template, path, value):
        name = path[-1]
        schema = template.parameters.get(name) if template.template is not None else None
        if schema is None or value is None:
            return
        try:
            Parameters({name: schema}, {name: value}).validate()
        except UNREADABLE as error:
            yield path, f'{text_of(error)} ({template.name})'
