"""Parsed definitions of resources and outputs."""

import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from heat_lite.common import exception, lru_cache
from heat_lite.common.value_types import Value
from heat_lite.template import checks, function, resource_registry
from heat_lite.template.dialects import Version
from heat_lite.template.function import Parser
from heat_lite.template.suggest import suggest
from heat_lite.template.unknown import Unknown

PARTS = ('properties', 'metadata', 'update_policy', 'external_id', 'import_id')
#: the parts with functions, in the order in which Heat reads them: the first fault is reported
_PARSED = ('properties', 'metadata', 'deletion_policy', 'update_policy', 'external_id')
_ABSENT = {'deletion_policy': 'Delete'}


class ResourceDefinition:
    """One resource of a bound template.

    ``properties``, ``metadata``, ``update_policy``, ``external_id`` and ``import_id`` are parsed
    trees. ``import_id`` names the object that becomes the resource. ``deletion_policy`` is Delete,
    Retain or Snapshot. ``raw`` is the unparsed snippet; store and compare definitions by it.
    ``template`` is the Template that contains the definition; its files and environment determine
    what the resource type stands for.
    """

    # assigned in a loop over _PARSED
    properties: Value
    metadata: Value
    deletion_policy: str
    update_policy: Value
    external_id: Value

    def __init__(
        self,
        name: str,
        snippet: Value,
        version: Version,
        parser: Parser,
        declared: Mapping[str, Value],
        template: Value = None,
    ) -> None:
        self.name = name
        self.template = template
        self.raw = snippet
        self.version = version
        self._declared = declared
        words = version.dialect.resource
        self.resource_type = snippet.get(words['type'])
        self.description = snippet.get(words['description']) or ''
        self.condition = snippet.get(words['condition'])
        depends_on = snippet.get(words['depends_on'])
        self.depends_on = [depends_on] if isinstance(depends_on, str) else list(depends_on or ())
        self._lifecycle = snippet.get(words.get('lifecycle')) or {}
        if self._lifecycle:
            violations = resource_registry.lifecycle_violations(self._lifecycle)
            checks.raise_first(violations, self.place('lifecycle'))
        for part in _PARSED:
            parse = self._deletion_policy if part == 'deletion_policy' else self._parsed
            is_given = words.get(part) in snippet
            setattr(self, part, parse(part, parser) if is_given else _ABSENT.get(part))
        self.import_id = self._import_id(parser)
        for part in ('external_id', 'import_id'):
            if isinstance(getattr(self, part), function.Function) and self._is_null(part, parser):
                setattr(self, part, None)
        self._refuse_function('properties')
        self._refuse_function('update_policy')

    def _parsed(self, part: str, parser: Parser) -> Value:
        snippet = self._snippet(part)
        if snippet is None:
            return None
        try:
            return parser.parse(snippet)
        except exception.StackValidationFailed as error:
            raise function.prefix_error(error, *self.place(part)) from error.__cause__

    def _snippet(self, part: str) -> Value:
        return self.raw.get(self.version.dialect.resource.get(part))

    def _import_id(self, parser: Parser) -> Value:
        snippet = self._snippet('import_id')
        if snippet is None:
            return None
        violations = resource_registry.import_violations(snippet, self.raw)
        checks.raise_first(violations, self.place('import_id'))
        return self._parsed('import_id', parser)['id']

    def _refuse_function(self, part: str) -> None:
        """Raise if a function replaces a whole map: its keys must be known before resolution."""
        parsed = getattr(self, part)
        if isinstance(parsed, function.Function):
            raise checks.function_for_map(parsed.name, self.place(part)).error

    @property
    def path(self) -> tuple:
        """The path of the properties, for error messages: ('resources', 'web', 'properties')."""
        return self.place('properties')

    def place(self, part: str) -> tuple:
        dialect = self.version.dialect
        return (dialect.sections['resources'], self.name, dialect.resource.get(part))

    def _deletion_policy(self, part: str, parser: Parser) -> str:
        """Resolve the deletion policy from parameters and files only.

        It must not depend on another resource, which may be deleted already.
        """
        place = self.place(part)
        policy = self.raw[place[-1]]
        if not isinstance(policy, str):
            try:
                policy = function.resolve(self._parsed(part, parser), parser.scope)
            except function.ARGUMENT_ERRORS as error:
                raise exception.StackValidationFailed.from_error(error).at(*place) from error
        if isinstance(policy, Unknown):
            return 'Delete'
        checks.raise_first(checks.deletion_policy(policy, self.version), place)
        return self.version.deletion_policies[policy]

    def _is_null(self, part: str, parser: Parser) -> bool:
        """Return whether parameters make an id null: then the stack creates the object."""
        try:
            return function.resolve(getattr(self, part), parser.scope) is None
        except (exception.HeatException, *function.ARGUMENT_ERRORS):
            return False  # it reads a resource, or the validation of the resource reports it

    @lru_cache.cached_property
    def _lifecycles(self) -> Sequence[Mapping[str, Value]]:
        """The lifecycle of the template and those of the environment, without empty ones."""
        environment = getattr(self.template, 'environment', None)
        others = () if environment is None else environment.registry.lifecycles(self.name)
        return tuple(each for each in (self._lifecycle, *others) if each)

    @property
    def prevents_destroy(self) -> bool:
        """Whether no update may replace or delete the object, and no delete may take the stack."""
        return any(each.get(resource_registry.PREVENT_DESTROY) for each in self._lifecycles)

    @property
    def ignored_paths(self) -> list[str]:
        """The paths of properties whose changes an update passes over."""
        key = resource_registry.IGNORE_CHANGES
        return [path for each in self._lifecycles for path in each.get(key, ())]

    def check_ignored_paths(self, schemata: Mapping) -> None:
        """Raise StackValidationFailed for a path of ``ignore_changes`` that leads to no property.

        An entry of the environment whose name is a pattern is for those that have the property.
        """
        key = resource_registry.IGNORE_CHANGES
        found = resource_registry.property_paths(self._lifecycle.get(key), schemata)
        checks.raise_first(found, (*self.place('lifecycle'), key))
        if self.template is not None and self.template.environment is not None:
            named = self.template.environment.registry.lifecycle_of_name(self.name)
            place = ('resource_registry', 'resources', self.name, resource_registry.LIFECYCLE, key)
            checks.raise_first(resource_registry.property_paths(named.get(key), schemata), place)

    def resolved_metadata(self, resolve: Callable[[Value], Value]) -> Value:
        """Return the metadata. Raises StackValidationFailed with the place of wrong arguments."""
        try:
            metadata = resolve(self.metadata)
            return metadata if isinstance(metadata, Unknown) or metadata else {}
        except function.ARGUMENT_ERRORS as error:
            place = self.place('metadata')
            raise exception.StackValidationFailed.from_error(error, place) from error

    def check_snapshot_policy(self, is_possible: bool) -> None:
        """Raise StackValidationFailed for the policy Snapshot of a type that makes no snapshots."""
        if self.deletion_policy == 'Snapshot' and not is_possible:
            raise exception.StackValidationFailed(
                '"Snapshot" deletion policy not supported', path=self.place('deletion_policy')
            )

    def freeze(self, **parts: Value) -> 'ResourceDefinition':
        """Return a copy with parts replaced: ``freeze(properties={**definition.properties, ...})``.

        Resource types use it to restore a snapshot. Values taken from this definition keep their
        functions in ``raw``.
        """
        other = copy.copy(self)
        other.raw = dict(self.raw)
        for part, value in parts.items():
            key = self.version.dialect.resource[part]
            setattr(other, part, value)
            other.raw[key] = _with_raw_values(value, getattr(self, part), self.raw.get(key))
        return other

    def with_properties(self, values: Mapping[str, Value]) -> 'ResourceDefinition':
        """Return a copy for reading other properties. Its ``raw`` is not changed."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), properties=values)
        return other

    def with_type(self, name: str) -> 'ResourceDefinition':
        """Return a copy of another type, such as that of the members of a group."""
        other = copy.copy(self)
        other.resource_type = name
        return other

    def requires(self, names: Collection[str]) -> set[str]:
        """Return the resources among ``names`` that this one depends on.

        Raises InvalidTemplateReference for a reference to an unknown resource: the first of
        properties, metadata, depends_on.
        """
        required = {name for name in self.depends_on if name in names}
        for part, given in self._parsed_parts().items():
            referenced = function.dependencies(given)
            unknown = referenced.difference(names)
            # resolution reports unknown names in other parts
            if unknown and part in ('properties', 'metadata'):
                self._raise_unknown(given, unknown, part.title(), names)
            required |= referenced - unknown
        if self.depends_on:
            errors = checks.depends_on(self.name, self.depends_on, self._declared)
            checks.raise_first(errors, self.place('depends_on'))
        return required

    def _raise_unknown(
        self, snippet: Value, unknown: set[str], word: str, names: Collection[str]
    ) -> None:
        """Raise InvalidTemplateReference for the first of the unknown names in the template.

        'None' stands for a name that a function has yet to compute. It is reported last: an
        unknown name in the arguments of that function is the cause.
        """
        given = unknown - {'None'} or unknown
        # a name that only a function of the template tells has no place
        name, path = function.locate_reference(snippet, given) or (min(given), None)
        key = None if path is None else f'{self.name}.{word}' + ''.join(map(_step, path))
        error = exception.InvalidTemplateReference(resource=name, key=key)
        error.at(self.path[0], self.name, word, *(path or ()))
        if name == 'None':
            raise error.with_hint(' A resource is named by a text, known before it exists.')
        raise error.with_hint(suggest(name, names))

    def attribute_reads(self) -> dict[str, Value]:
        """Return ``{resource name: attribute paths}`` of all attributes that are read."""
        return function.attribute_reads([getattr(self, part) for part in PARTS])

    def functions(self) -> Iterator[function.Function]:
        """Yield the functions in all parts; those of a deletion policy are not kept."""
        return function.nodes(self._parsed_parts())

    def _parsed_parts(self) -> dict[str, Value]:
        """Return the parts that are not those of the template, which have no functions."""
        given = {part: getattr(self, part) for part in PARTS}
        return {
            part: value
            for part, value in given.items()
            if value is not None and value is not self._snippet(part)
        }

    def validate(self, scope: function.Scope | None = None) -> None:
        """Raise StackValidationFailed for invalid functions (see ``Function.validate``)."""
        for part, given in self._parsed_parts().items():
            function.validate(given, self.place(part), scope)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ResourceDefinition)
            and self.name == other.name
            and self.raw == other.raw
        )

    def __hash__(self) -> int:
        return hash((self.name, self.resource_type))

    def __repr__(self) -> str:
        return f'<ResourceDefinition {self.name} {self.resource_type}>'


def _step(part: int | str) -> str:
    return f'[{part}]' if isinstance(part, int) else f'.{part}'


def _with_raw_values(
    value: Value, parsed: Mapping[str, Value], raw: Mapping[str, Value]
) -> dict[str, Value]:
    """Return a map in which values that are also in ``parsed`` are replaced by those of ``raw``."""
    if not (
        isinstance(value, Mapping) and isinstance(parsed, Mapping) and isinstance(raw, Mapping)
    ):
        return value
    return {
        name: raw[name] if name in raw and item is parsed.get(name) else item
        for name, item in value.items()
    }


class OutputDefinition:
    """One output of a bound template.

    ``value`` is a parsed tree, or None if a condition disables the output.
    """

    def __init__(self, name: str, description: str | None, value: Value, version: Version) -> None:
        self.name = name
        self.description = 'No description given' if description is None else str(description)
        self.value = value
        self.version = version

    def requires(self, names: Collection[str]) -> set[str]:
        """Return the resources among ``names`` that the value refers to."""
        return function.dependencies(self.value).intersection(names)

    def attribute_reads(self) -> dict[str, Value]:
        """Return ``{resource name: attribute paths}`` of all attributes that are read."""
        return function.attribute_reads(self.value)

    def validate(self, scope: function.Scope | None = None) -> None:
        """Raise StackValidationFailed for invalid functions (see ``Function.validate``)."""
        dialect = self.version.dialect
        # as in Heat: the path of an error in a list contains "Value" in both dialects
        word = (
            dialect.output['value'] if isinstance(self.value, function.Function | dict) else 'Value'
        )
        function.validate(self.value, (dialect.sections['outputs'], self.name, word), scope)

    def result(self, scope: function.Scope) -> Value:
        """Return the resolved value. Errors of its functions propagate."""
        return function.resolve(self.value, scope)

    def __repr__(self) -> str:
        return f'<OutputDefinition {self.name}>'
