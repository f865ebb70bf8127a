"""Templates: the text of a stack as an object, and what it means once the parameters are known."""

import functools
import typing

from heat_lite.common import exception
from heat_lite.template import conditions, function, parameter_groups, sections, versions
from heat_lite.template.definition import OutputDefinition, ResourceDefinition
from heat_lite.template.parameters import Parameters, ParameterSchema


class Template:
    """A template with its files and its environment. Never changed after construction, so it may be shared and cached.

    Raises InvalidTemplateVersion when it does not say in which version of the language it is written.
    """

    def __init__(self, data, files=None, environment=None):
        self.data = data
        self.files = files or {}
        self.environment = environment
        self.version = versions.of_template(data)

    def content(self):
        """What has to be kept to make it again: data, the environment's data, files."""
        return self.data, dict(self.environment.data), dict(self.files)

    def section(self, name):
        """A section by its HOT name, None where the template has none."""
        return self.data.get(self.version.dialect.sections.get(name))

    @property
    def description(self):
        return self.section('description')

    @property
    def parameter_groups(self):
        return self.section('parameter_groups') or []

    @functools.cached_property
    def parameter_schemata(self) -> dict[str, ParameterSchema]:
        """Name -> schema, in the order of the template. Raises InvalidSchemaError."""
        return {name: self._parameter_schema(name, data) for name, data in self._map('parameters').items()}

    def _parameter_schema(self, name, data):
        try:
            if self.version.dialect is versions.CFN:
                return ParameterSchema.from_cfn(name, data)
            return ParameterSchema.from_hot(name, data, self.version.parameter_keys, self.version.parameter_constraints)
        except exception.InvalidSchemaError as error:
            error.kwargs['parameter'] = name  # not all of their texts say it
            raise

    @property
    def resource_snippets(self) -> dict:
        """The resources as they are written, those that a condition disables included."""
        return self.section('resources') or {}

    @property
    def output_snippets(self) -> dict:
        """The outputs as they are written."""
        return self._map('outputs')

    def _map(self, name):
        section = self.section(name) or {}
        if not isinstance(section, dict):
            # Heat answers this with a Python error; its type is what clients have come to see. With an ``obj`` Python does not add
            # a name on its way through properties: by that its own errors are known
            raise AttributeError(f'The section "{self.version.dialect.sections[name]}" must be a map', obj=section)
        return section

    @functools.cached_property
    def condition_definitions(self):
        """The parsed section of conditions; what its functions refuse is raised here."""
        word = self.version.dialect.sections['conditions']
        if not self.version.has_conditions or word not in self.data:
            return {}
        return conditions.parse(self.data[word], self.condition_parser(), word)

    def condition_parser(self, scope=None):
        """What reads conditions, in their section or where they are used."""
        return function.Parser(self.version.condition_functions or {}, scope, mappings=self.section('mappings'))

    def validate(self):
        """Checks what can be told at the first look: sections, keys of resources."""
        sections.validate(self.data, self.version)
        sections.validate_resources(self.resource_snippets, self.version)

    def validate_declarations(self):
        """Checks what stands between the parameters and the resources: groups, conditions."""
        parameter_groups.validate(self.section('parameter_groups'), self.parameter_schemata)
        conditions.validate(self.condition_definitions, versions.meant_condition)

    def parameters(self, identity=None, user_params=None) -> Parameters:
        """The parameters of a stack made from it: what the user gave wins over the environment, that over the defaults."""
        given = dict(self.environment.params) if self.environment is not None else {}
        given.update(user_params or {})
        defaults = self.environment.param_defaults if self.environment is not None else {}
        return Parameters(self.parameter_schemata, given, defaults, identity, self.version.dialect.name)

    def bind(self, parameters, lookup=None) -> 'BoundTemplate':
        """What the template means with these parameters; raises for resources that can not be read."""
        return BoundTemplate(self, parameters)


class BoundScope(function.Scope):
    """What can be asked before any resource exists: parameters, files, conditions."""

    def __init__(self, parameters, files):
        self.parameters = parameters
        self.files = files
        self.conditions = None

    def parameter(self, name):
        if not isinstance(name, str):
            raise exception.UserParameterMissing(key=name)
        return self.parameters[name]

    def file(self, name):
        return self.files.get(name)

    def condition(self, name):
        return self.conditions.enabled(name)


class BoundTemplate:
    """A template with parameters: conditions have been decided, ``resources`` are the enabled ones in the template's order."""

    def __init__(self, template: Template, parameters: Parameters):
        self.template = template
        self.parameters = parameters
        self.scope = BoundScope(parameters, template.files)
        self.conditions = self.scope.conditions = conditions.Conditions(template.condition_definitions, self.scope)
        self._condition_parser = template.condition_parser(self.scope)
        self.resources = self._resources()

    @property
    def version(self):
        return self.template.version

    def _resources(self) -> dict[str, ResourceDefinition]:
        snippets = self.template.resource_snippets
        sections.require_map(snippets, self.version)
        enabled, fault = self._first_look(snippets)
        parser = self._parser(frozenset(name for name, wanted in enabled.items() if wanted))
        definitions = {name: ResourceDefinition(name, snippets[name], self.version, parser, snippets, self.template) for name in enabled}
        if fault is not None:
            raise fault
        return {name: definition for name, definition in definitions.items() if enabled[name]}

    def _first_look(self, snippets):
        """``{name: whether its condition holds}`` up to the first faulty resource, and what is wrong with that.

        References must know all names before anything is read; but of several faults the one that comes first in the template is told.
        """
        word, enabled = self.version.dialect.sections['resources'], {}
        try:
            for name, snippet in snippets.items():
                sections.validate_resource(name, snippet, self.version)
                enabled[name] = self._enabled(snippet, word, name, self.version.dialect.resource)
        except exception.StackValidationFailed as fault:
            return enabled, fault
        return enabled, None

    def _parser(self, names):
        mappings = self.template.section('mappings')
        return function.Parser(self.version.functions, self.scope, names, self._condition_parser, mappings)

    def _enabled(self, snippet, section, name, words):
        """Whether the condition of a resource or an output holds; without one it does."""
        word = words['condition']
        condition = snippet.get(word) if self.version.has_conditions else None
        if condition is None:
            return True
        try:
            parsed = self._condition_parser.parse(condition)
            if isinstance(parsed, dict) and words is self.version.dialect.resource:
                raise sections.wrong_type(name, 'condition', self.version)
            return conditions.truth(parsed, self.scope)
        except exception.StackValidationFailed as error:
            raise function.outside(error, section, name, word) from error.__cause__
        except function.ARGUMENT_ERRORS as error:
            raise exception.StackValidationFailed(str(error), path=(section, name, word)) from error

    @functools.cached_property
    def outputs(self) -> dict[str, OutputDefinition]:
        """Read when first asked for: Heat, too, looks at resources first."""
        parser = self._parser(frozenset(self.resources))
        return {name: self._output(name, snippet, parser) for name, snippet in self.template.output_snippets.items()}

    def _output(self, name, snippet, parser):
        dialect = self.version.dialect
        section, word = dialect.sections['outputs'], dialect.output['value']
        sections.validate_output(name, snippet, self.version)
        value = None
        if self._enabled(snippet, section, name, dialect.output):
            try:
                value = parser.parse(snippet[word])
            except exception.StackValidationFailed as error:
                raise function.outside(error, section, name, word) from error.__cause__
        return OutputDefinition(name, snippet.get(dialect.output['description']), value, self.version)

    def validate(self):
        """Checks all but what the types of the resources must tell: groups, conditions, names."""
        self.template.validate_declarations()
        self.refuse_slashes()
        self.refuse_duplicates()

    def refuse_slashes(self):
        if any('/' in name for name in self.resources):
            raise exception.StackValidationFailed('Resource name may not contain "/"')

    def refuse_duplicates(self):
        """Parameters and resources share their names: ``Ref`` asks for either."""
        twice = sorted(name for name in self.resources if name in self.parameters)
        if twice:
            raise exception.StackValidationFailed(f'Duplicate names {{{", ".join(map(repr, twice))}}}')

    def reads(self) -> dict[str, set[tuple]]:
        """``{resource name: attribute paths}`` of all that definitions and outputs read."""
        return self._reads

    @functools.cached_property
    def _reads(self):
        found: dict[str, set[tuple]] = {}
        definitions: list[typing.Any] = [*self.resources.values(), *self.outputs.values()]
        for definition in definitions:
            for name, paths in definition.reads().items():
                found.setdefault(name, set()).update(paths)
        return found
