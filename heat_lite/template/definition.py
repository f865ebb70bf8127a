"""Definitions of resources and outputs: what a template says of them, parsed, checked and searchable."""

import copy
from collections.abc import Mapping

from heat_lite.common import exception
from heat_lite.template import function
from heat_lite.template.suggest import say_word, suggest

PARTS = ('properties', 'metadata', 'update_policy', 'external_id')


class ResourceDefinition:
    """One resource of a bound template.

    ``properties``, ``metadata``, ``update_policy`` and ``external_id`` are parsed trees, ``deletion_policy`` is one of Delete, Retain,
    Snapshot. ``raw`` is the snippet as it was written: whoever stores or compares definitions uses that. ``template`` is the Template
    that it is from, with the files and the environment by which its type is to be read.
    """

    __slots__ = (
        'name', 'raw', 'version', 'resource_type', 'properties', 'metadata', 'depends_on', 'deletion_policy', 'update_policy',
        'description', 'external_id', 'condition', 'template', '_declared',
    )  # fmt: skip

    def __init__(self, name, snippet, version, parser, declared, template=None):
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
        for part in PARTS:
            setattr(self, part, self._parsed(part, parser))
        self._refuse_function('properties')
        self._refuse_function('update_policy')
        self.deletion_policy = self._deletion_policy(parser)

    def _parsed(self, part, parser):
        word = self.version.dialect.resource.get(part)
        snippet = self.raw.get(word)
        if snippet is None:
            return None
        try:
            return parser.parse(snippet)
        except exception.StackValidationFailed as error:
            raise function.outside(error, self._section, self.name, word) from error.__cause__

    def _refuse_function(self, part):
        """Their keys must be known before anything is resolved."""
        parsed = getattr(self, part)
        if isinstance(parsed, function.Function):
            word = self.version.dialect.resource[part]
            raise exception.StackValidationFailed(f'"{parsed.name}" cannot stand for a whole map', path=(self._section, self.name, word))

    @property
    def path(self):
        """Where its properties are, for error messages: ('resources', 'web', 'properties')."""
        return (self._section, self.name, self.version.dialect.resource['properties'])

    @property
    def _section(self):
        return self.version.dialect.sections['resources']

    def _deletion_policy(self, parser):
        """Only what is known already may decide it: whether an object stays must not depend on an object that is gone."""
        word = self.version.dialect.resource['deletion_policy']
        policy = self.raw.get(word, 'Delete')
        if not isinstance(policy, str):
            policy = function.resolve(parser.parse(policy), parser.scope)
        if not isinstance(policy, str) or policy not in self.version.deletion_policies:
            raise exception.StackValidationFailed(say_word(f'Invalid deletion policy "{policy}"', policy, self.version.deletion_policies))
        return self.version.deletion_policies[policy]

    def freeze(self, **parts):
        """The same with other parts, by plain values: ``definition.freeze(properties={**definition.properties, ...})``, as types do that
        restore a snapshot. What is taken over from this one stays as it was written, functions and all."""
        other = copy.copy(self)
        other.raw = dict(self.raw)
        for part, value in parts.items():
            key = self.version.dialect.resource[part]
            setattr(other, part, value)
            other.raw[key] = _as_written(value, getattr(self, part), self.raw.get(key))
        return other

    def requires(self, names):
        """The resources among ``names`` that must come first; InvalidTemplateReference for names that nobody has."""
        required = set()
        for name in self.depends_on:
            if name in names:
                required.add(name)
            elif name not in self._declared:
                raise exception.InvalidTemplateReference(resource=name, key=self.name).with_hint(suggest(name, self._declared))
        for part, word in (('properties', 'Properties'), ('metadata', 'Metadata')):
            found = function.dependencies(getattr(self, part))
            if not found.issubset(names):
                self._refuse(getattr(self, part), found.difference(names), f'{self.name}.{word}', names)
            required |= found
        # unknown names in these are found when they are resolved
        return required.union(function.dependencies([self.update_policy, self.external_id]).intersection(names))

    def _refuse(self, snippet, unknown, place, names):
        """'None' stands for a name that nothing tells yet; a wrong name inside of that is what the author has to mend."""
        name = min(unknown, key=lambda name: (name == 'None', name))
        error = exception.InvalidTemplateReference(resource=name, key=function.locate(snippet, name, place))
        raise error.with_hint(suggest(name, names))

    def dep_attrs(self, resource_name):
        """The names of the attributes of a resource that it reads, None among them when it reads all."""
        return {path[0] if path else None for path in self.attribute_paths(resource_name)}

    def attribute_paths(self, resource_name):
        """The same as tuples ``(attribute, key, ...)``, ``()`` for all attributes."""
        parts = [getattr(self, part) for part in PARTS]
        return function.attribute_paths(parts, resource_name)

    def reads(self):
        """``{resource name: attribute paths}`` of all attributes that it reads."""
        return function.reads([getattr(self, part) for part in PARTS])

    def validate(self, scope=None):
        """Raises StackValidationFailed for functions that can not work; see ``Scope.check_attribute``."""
        for part in PARTS:
            word = self.version.dialect.resource.get(part)
            function.validate(getattr(self, part), (self._section, self.name, word), scope)

    def __eq__(self, other):
        return isinstance(other, ResourceDefinition) and self.name == other.name and self.raw == other.raw

    def __hash__(self):
        return hash((self.name, self.resource_type))

    def __repr__(self):
        return f'<ResourceDefinition {self.name} {self.resource_type}>'


def _as_written(value, parsed, raw):
    """A part of a definition, with those of its values that another one has as they were written there."""
    if not (isinstance(value, Mapping) and isinstance(parsed, Mapping) and isinstance(raw, Mapping)):
        return value
    return {name: raw[name] if name in raw and each is parsed.get(name) else each for name, each in value.items()}


class OutputDefinition:
    """One output of a bound template; ``value`` is a parsed tree. An output that a condition disables has None."""

    __slots__ = ('name', 'description', 'value', 'version')

    def __init__(self, name, description, value, version):
        self.name = name
        self.description = 'No description given' if description is None else str(description)
        self.value = value
        self.version = version

    def requires(self, names):
        """The resources among ``names`` whose attributes or references it reads."""
        return function.dependencies(self.value).intersection(names)

    def dep_attrs(self, resource_name):
        """The names of the attributes of a resource that it reads, None among them when it reads all."""
        return function.dep_attrs(self.value, resource_name)

    def attribute_paths(self, resource_name):
        return function.attribute_paths(self.value, resource_name)

    def reads(self):
        """``{resource name: attribute paths}`` of all attributes that it reads."""
        return function.reads(self.value)

    def validate(self, scope=None):
        """Raises StackValidationFailed for functions that can not work."""
        dialect = self.version.dialect
        # Heat says "Value" of a list with functions in it
        word = dialect.output['value'] if isinstance(self.value, function.Function | dict) else 'Value'
        function.validate(self.value, (dialect.sections['outputs'], self.name, word), scope)

    def result(self, scope):
        """The value; raises whatever its functions raise."""
        return function.resolve(self.value, scope)

    def __repr__(self):
        return f'<OutputDefinition {self.name}>'
