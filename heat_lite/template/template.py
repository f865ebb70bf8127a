"""Templates, and templates bound to parameters."""

import copy
import json
from collections.abc import Collection, Mapping, Set
from typing import Any

from heat_lite.common import exception, lru_cache
from heat_lite.common.value_types import Value
from heat_lite.template import (
    checks,
    conditions,
    dialects,
    function,
    resource_registry,
    versions,
)
from heat_lite.template.definition import OutputDefinition, ResourceDefinition
from heat_lite.template.dialects import Version
from heat_lite.template.editing import former_names
from heat_lite.template.environment import PARAMETERS, Environment
from heat_lite.template.function import Parser, Scope
from heat_lite.template.parameters import parameter_groups, parameter_types
from heat_lite.template.parameters.parameters import Parameters, ParameterSchema
from heat_lite.template.unknown import Unknown

#: words that a template, or a file of it, has if it imports objects
IMPORT, OWN_VERSION = 'import', 'heat_lite_'


class Template:
    """A template with its files and its environment. Immutable, so it can be shared and cached.

    ``text``: the template as its author wrote it, with comments; None if it came as data. Raises
    InvalidTemplateVersion if the template has no valid version key.
    """

    def __init__(
        self,
        data: Mapping[str, Value],
        files: Mapping[str, str] | None = None,
        environment: Environment | None = None,
        text: str | None = None,
    ) -> None:
        self.data = data
        self.text = text
        self.files = files or {}
        self.environment: Any = environment
        self.version = versions.template_version(data)

    def with_environment(self, environment: Environment) -> 'Template':
        """Return the template with another environment; what has been parsed is shared."""
        return self._with(environment=environment)

    def with_text(self, text: str | None) -> 'Template':
        return self._with(text=text)

    def _with(self, **fields: Value) -> 'Template':
        other = copy.copy(self)
        other.__dict__.pop('weight', None)
        vars(other).update(fields)
        return other

    @lru_cache.cached_property
    def weight(self) -> int:
        return lru_cache.template_weight(self)

    def with_unknown_parameters(self, overridden: Collection[str] = ()) -> 'Template':
        """Return the template with an Unknown for each parameter that has no value.

        ``overridden`` are those whose own defaults do not count.
        """
        environment = self.environment or Environment()
        unknown = {
            name: Unknown(
                parameter_types.PROPERTY_TYPES[schema.type], [f'parameter {name}'], is_given=True
            )
            for name, schema in self.parameter_schemata.items()
            if (schema.default is None or name in overridden)
            and environment.params.get(name) is None
            and environment.param_defaults.get(name) is None
        }
        parameters = {**environment.params, **unknown}
        return self.with_environment(
            Environment({**environment.data, PARAMETERS: parameters}, environment.base)
        )

    def content(self) -> tuple:
        """Return ``(data, environment data, files, text)``, from which it can be created again."""
        return self.data, dict(self.environment.data), dict(self.files), self.text

    def section(self, name: str) -> Value:
        """Return a section by its HOT name, None if the template has no such section."""
        key = self.version.dialect.sections.get(name)
        return None if key is None else self.data.get(key)

    @property
    def description(self) -> str:
        return self.section('description')

    @property
    def parameter_groups(self) -> list[Value]:
        return self.section('parameter_groups') or []

    @lru_cache.cached_property
    def parameter_schemata(self) -> dict[str, ParameterSchema]:
        """``{name: schema}`` in template order. Raises InvalidSchemaError."""
        return {
            name: self._parameter_schema(name, data)
            for name, data in self.section_map('parameters').items()
        }

    def _parameter_schema(self, name: str, data: Value) -> ParameterSchema:
        try:
            if self.version.dialect is dialects.CFN:
                return ParameterSchema.from_cfn(name, data)
            return ParameterSchema.from_hot(
                name, data, self.version.parameter_keys, self.version.parameter_constraints
            )
        except exception.InvalidSchemaError as error:
            error.at('parameters', name)
            raise
        except ValueError as error:  # of a bound, as in Heat
            raise ValueError(f"Parameter '{name}' is invalid: {error}") from None

    @property
    def resource_snippets(self) -> dict:
        """The unparsed resources, including those that a condition disables."""
        return self.section('resources') or {}

    @property
    def output_snippets(self) -> dict:
        """The unparsed outputs."""
        return self.section_map('outputs')

    def section_map(self, name: str) -> dict[str, Value]:
        """Return a section that is a map. Raises for another value; none is an empty map."""
        section = self.section(name) or {}
        word = self.version.dialect.sections[name]
        checks.raise_first(checks.section_map(name, section, word), (word,))
        return section

    @property
    def may_prevent_destroy(self) -> bool:
        """Whether the template, its environment or its files may have a ``prevent_destroy``."""
        return resource_registry.PREVENT_DESTROY in self._own_words

    @property
    def may_import(self) -> bool:
        """Whether the template or its files may import existing objects."""
        return self._own_words.issuperset({IMPORT, OWN_VERSION})

    @lru_cache.cached_property
    def _own_words(self) -> frozenset[str]:
        """Those words of our own language that stand anywhere in the template and its files."""
        text = json.dumps(self.content()[:3], default=str)
        words = (resource_registry.PREVENT_DESTROY, IMPORT, OWN_VERSION)
        return frozenset(each for each in words if each in text)

    @property
    def moves(self) -> dict[str, str]:
        """``{former name: name}`` of the resources that got another name; empty if invalid."""
        moved = self.section('moved') or []
        is_valid = not any(former_names.violations(moved, self.resource_snippets))
        return former_names.targets(moved) if is_valid else {}

    @lru_cache.cached_property
    def condition_definitions(self) -> dict[str, Value]:
        """The parsed section of conditions. Raises StackValidationFailed for invalid functions."""
        word = self.version.dialect.sections['conditions']
        if not self.version.has_conditions or word not in self.data:
            return {}
        return conditions.parse(self.data[word], self.condition_parser(), word)

    def condition_parser(self, scope: Scope | None = None) -> Parser:
        """Return the parser of conditions, for their section and for places that use them."""
        return function.Parser(
            self.version.condition_functions or {}, scope, mappings=self.section('mappings')
        )

    def validate(self) -> None:
        """Check the names of sections and the keys of resources."""
        checks.raise_first(checks.sections(self.data, self.version), ())
        bodies = checks.resource_bodies(self.section_map('resources'), self.version)
        checks.raise_first(bodies, (self.version.dialect.sections['resources'],))
        moved = self.section('moved')
        moved = former_names.violations([] if moved is None else moved, self.resource_snippets)
        checks.raise_first(moved, ('moved',))

    def validate_declarations(self) -> None:
        """Check parameter groups and conditions."""
        groups = self.section('parameter_groups')
        checks.raise_first(parameter_groups.check(groups, self.parameter_schemata))
        conditions.validate(self.condition_definitions, versions.suggest_condition)

    def parameters(
        self, identity: object = None, user_params: Mapping[str, Value] | None = None
    ) -> Parameters:
        """Return the parameters of a stack from this template.

        The user's values override the environment, which overrides the defaults of the template.
        """
        environment = self.environment or Environment()
        given = {**environment.params, **(user_params or {})}
        defaults = environment.param_defaults
        return Parameters(
            self.parameter_schemata, given, defaults, identity, self.version.dialect.name
        )

    def bind(self, parameters: Parameters) -> 'BoundTemplate':
        """Bind parameters. Raises StackValidationFailed for invalid resources."""
        return BoundTemplate(self, parameters)


class BoundScope(function.Scope):
    """The scope before any resource exists: parameters, files, conditions."""

    conditions: conditions.Conditions

    def __init__(self, parameters: Mapping[str, Value], files: Mapping[str, str]) -> None:
        self.parameters = parameters
        self.files = files

    def parameter(self, name: str) -> Value:
        if not isinstance(name, str):
            raise exception.UserParameterMissing(key=name)
        return self.parameters[name]

    def parameter_names(self) -> Collection[str]:
        return self.parameters

    def file(self, name: str) -> str | None:
        return self.files.get(name)

    def condition(self, name: str) -> Value:
        return self.conditions.is_enabled(name)


class BoundTemplate:
    """A template with parameters and decided conditions.

    ``resources`` are the enabled resources in template order; ``undecided`` are the conditions of
    those among them whose condition is not known yet: ``{name: Unknown}``.
    """

    def __init__(self, template: Template, parameters: Parameters) -> None:
        self.template = template
        self.parameters = parameters
        self.scope = BoundScope(parameters, template.files)
        self.conditions = self.scope.conditions = conditions.Conditions(
            template.condition_definitions, self.scope
        )
        self._condition_parser = template.condition_parser(self.scope)
        self.undecided: dict[str, Unknown] = {}
        self.resources = self._resources()

    @property
    def version(self) -> Version:
        return self.template.version

    def _resources(self) -> dict[str, ResourceDefinition]:
        snippets = self.template.section_map('resources')
        valid, enabled, error = self._decide_conditions(snippets)
        self.undecided = {
            name: wanted for name, wanted in enabled.items() if isinstance(wanted, Unknown)
        }
        enabled |= dict.fromkeys(self.undecided, True)
        parser = self._parser(dict.fromkeys(name for name, wanted in enabled.items() if wanted))
        definitions = {
            name: ResourceDefinition(name, snippet, self.version, parser, snippets, self.template)
            for name, snippet in valid.items()
        }
        if error is not None:
            raise error
        return {name: definition for name, definition in definitions.items() if enabled[name]}

    def _decide_conditions(self, snippets: Mapping[str, Value]) -> tuple:
        """Return ``({name: snippet}, {name: is enabled}, error)`` up to the first invalid resource.

        Of that resource the snippet has the parts before the invalid one. The parser of references
        needs the names of all enabled resources. The error is raised after parsing, since the first
        error in template order is the one to report.
        """
        word, valid, enabled = self.version.dialect.sections['resources'], {}, {}
        try:
            for name, snippet in snippets.items():
                invalid = next(checks.resource_parts(name, snippet, self.version), None)
                valid[name] = snippet if invalid is None else self._before(invalid.path, snippet)
                checks.raise_first([invalid] if invalid else (), (word, name))
                enabled[name] = self._enabled(snippet, word, name, self.version.dialect.resource)
        except (exception.StackValidationFailed, exception.UserParameterMissing) as error:
            return valid, enabled, error
        return valid, enabled, None

    def _before(self, path: tuple, snippet: Value) -> dict[str, Value]:
        """Return the parts of a resource that are read before the invalid one."""
        words = list(self.version.dialect.resource.values())
        earlier = words[: words.index(path[0])] if path else ()
        return {word: snippet[word] for word in earlier if word in snippet}

    def _parser(self, names: Mapping[str, Value]) -> Parser:
        mappings = self.template.section('mappings')
        return function.Parser(
            self.version.functions, self.scope, names, self._condition_parser, mappings
        )

    def _enabled(self, snippet: Value, section: str, name: str, words: Mapping) -> Value:
        """Return whether the condition of a resource or output is true, or there is none.

        An Unknown if that is not known yet.
        """
        word = words['condition']
        condition = snippet.get(word) if self.version.has_conditions else None
        if condition is None:
            return True
        try:
            parsed = self._condition_parser.parse(condition)
            if isinstance(parsed, dict) and words is self.version.dialect.resource:
                raise checks.wrong_type(name, 'condition', self.version, parsed).error
            return conditions.is_true(parsed, self.scope)
        except exception.StackValidationFailed as error:
            raise function.prefix_error(error, section, name, word) from error.__cause__
        except function.ARGUMENT_ERRORS as error:
            raise exception.StackValidationFailed.from_error(
                error, (section, name, word)
            ) from error

    @lru_cache.cached_property
    def outputs(self) -> dict[str, OutputDefinition]:
        """The outputs, parsed at first use: as in Heat, errors of resources come first."""
        parser = self._parser(dict.fromkeys(self.resources))
        return {
            name: self._output(name, snippet, parser)
            for name, snippet in self.template.output_snippets.items()
        }

    def _output(self, name: str, snippet: Value, parser: Parser) -> OutputDefinition:
        dialect = self.version.dialect
        section, word = dialect.sections['outputs'], dialect.output['value']
        checks.raise_first(checks.output(name, snippet, self.version), (section, name))
        value = None
        enabled = self._enabled(snippet, section, name, dialect.output)
        if isinstance(enabled, Unknown):
            value = enabled
        elif enabled:
            try:
                value = parser.parse(snippet[word])
            except exception.StackValidationFailed as error:
                raise function.prefix_error(error, section, name, word) from error.__cause__
        return OutputDefinition(
            name, snippet.get(dialect.output['description']), value, self.version
        )

    def validate(self) -> None:
        """Check parameter groups, conditions and names. Does not check properties of resources."""
        self.template.validate_declarations()
        self.validate_resource_names()
        self.validate_unique_names()

    def validate_resource_names(self) -> None:
        word = self.version.dialect.sections['resources']
        checks.raise_first(checks.resource_names(self.resources), (word,))

    def validate_unique_names(self) -> None:
        """Refuse names of both a parameter and a resource, since ``Ref`` refers to either."""
        duplicates = checks.duplicate_names(self.resources, self.parameters)
        checks.raise_first(duplicates, (self.version.dialect.sections['resources'],))

    def attribute_reads(self) -> dict[str, set[tuple]]:
        """Return ``{resource name: attribute paths}`` that definitions and outputs read."""
        return self._attribute_reads

    @lru_cache.cached_property
    def requires(self) -> Mapping[str, Set[str]]:
        """``{name: names that the template puts first}``. Do not change it."""
        names = set(self.resources)
        return {name: each.requires(names) for name, each in self.resources.items()}

    def importers(self, object_id: str | None) -> list[str]:
        """Return the names of the resources that import an object, or that others decide about."""
        keys = dict.fromkeys((object_id, None))
        return [name for key in keys for name in self._importers.get(key, ())]

    @lru_cache.cached_property
    def _importers(self) -> Mapping[str | None, list[str]]:
        """``{id of an object: names}``; None for the ids that are not known before the work."""
        found: dict[str | None, list[str]] = {}
        for name, definition in self.resources.items():
            if definition.import_id is not None:
                found.setdefault(self._static_id(definition.import_id), []).append(name)
        return found

    def _static_id(self, snippet: Value) -> str | None:
        try:
            value = function.resolve(snippet, self.scope)
        except (exception.HeatException, *function.ARGUMENT_ERRORS):
            return None
        return str(value) if isinstance(value, str | int | float) else None

    @lru_cache.cached_property
    def _attribute_reads(self) -> dict[str, Value]:
        paths_by_resource: dict[str, set[tuple]] = {}
        definitions: list[ResourceDefinition | OutputDefinition] = [
            *self.resources.values(),
            *self.outputs.values(),
        ]
        for definition in definitions:
            for name, paths in definition.attribute_reads().items():
                paths_by_resource.setdefault(name, set()).update(paths)
        return paths_by_resource
