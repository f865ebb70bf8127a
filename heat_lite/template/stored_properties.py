"""Properties as they are stored: the values that a template gave, resolved, without defaults.

Rows of earlier versions hold the values of all properties: with defaults, with None for what was
not given, with ids in the place of names. Both forms are read through the schemas of the type.
"""

import json
from collections.abc import Collection, Mapping, Sequence

from heat_lite.common import exception
from heat_lite.common.value_types import Value, without_none
from heat_lite.template import coercion, function
from heat_lite.template.constraints import MAP
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.properties import Properties, replace_names
from heat_lite.template.schema import PropertySchema


class StoredValues(dict):
    """The map of a row, in the place of the properties of a definition."""


class StoredProperties(Properties):
    """A map of all properties of a type, as of the last action. Reading a value never fails.

    A name stays a name if ``find`` no longer knows its object.
    """

    def __getitem__(self, key: str) -> Value:
        if key not in self.schemata:
            raise self._invalid(key)
        if key not in self._values:
            value = self._stored_value(key)
            if self._find is not None and self.schemata[key].names_objects:
                value = replace_names(self.schemata[key], value, self._find_or_keep)
            self._values[key] = value
        return self._values[key]

    def _stored_value(self, key: str) -> Value:
        schema, given = self.schemata[key], None
        try:
            source = self._source(key)
            given = None if source is None else _without_none(schema, self._value(source))
            if given is None:
                return coercion.missing_value(key, schema)
            return coercion.convert(schema, given, coercion.LENIENT)
        except (exception.StackValidationFailed, coercion.AliasConflict):
            return given  # the schema has changed since

    def _find_or_keep(self, kind: str, value: Value) -> Value:
        try:
            return self._find(kind, value)
        except exception.StackValidationFailed:
            return value


def with_ignored(
    definition: ResourceDefinition, stored: Mapping[str, Value] | None, schemata: Mapping
) -> ResourceDefinition:
    """Return the definition with the stored values of what it ignores changes of."""
    given, paths = definition.properties, definition.ignored_paths
    if not paths or stored is None or isinstance(given, StoredValues):
        return definition
    given, stored = (by_current_names(each or {}, schemata) for each in (given, stored))
    return definition.with_properties(with_stored_parts(given, stored, paths))


def by_current_names(given: Mapping[str, Value], schemata: Mapping) -> dict[str, Value]:
    """Return values without deprecated names of properties, but of those given by both."""
    current = {name: schemata[name].alias_of for name in given if name in schemata}
    return {
        name if current.get(name) is None or current[name] in given else current[name]: value
        for name, value in given.items()
    }


def with_stored_parts(value: Value, stored: Value, paths: Collection[str]) -> Value:
    """Return a value, or a parsed tree, with the parts at ``paths`` as ``stored`` has them."""
    for path in paths:
        value = _with_part(value, stored, path.split('.'))
    return value


def _with_part(value: Value, stored: Value, path: Sequence[str]) -> Value:
    if isinstance(value, function.Function):
        return _Kept(value.name, [value, stored, path])
    key, *rest = path
    if isinstance(value, Mapping) and isinstance(stored, Mapping):
        others = {name: part for name, part in value.items() if name != key}
        if rest and key in value:
            return {**others, key: _with_part(value[key], stored.get(key), rest)}
        return {**others, key: stored[key]} if not rest and key in stored else others
    index = int(key) if key.isdecimal() else len(key)
    if (
        isinstance(value, list)
        and isinstance(stored, list)
        and index < min(map(len, (value, stored)))
    ):
        part = _with_part(value[index], stored[index], rest) if rest else stored[index]
        return [*value[:index], part, *value[index + 1 :]]
    return value


class _Kept(function.Function):
    """A call with the part of its result at a path as it is stored."""

    def result(self, scope: function.Scope) -> Value:
        call, stored, path = self.args
        return _with_part(function.resolve(call, scope), stored, path)


def changed_values(
    before: Mapping, after: Properties, later: Collection[str] = frozenset()
) -> dict[str, Value]:
    """Return ``{name: new value}`` of the properties that differ; None for one that ceases to be.

    A value that is given as before has not changed, whatever it stands for now. ``later`` are
    properties whose new values are unknown. Raises StackValidationFailed for invalid new values.
    """
    was_given = before.raw_values() if isinstance(before, Properties) else {}
    is_given = after.raw_values(later)
    differing = {
        name
        for name in {**was_given, **is_given}
        if name not in later and not _is_same(name, was_given, is_given)
    }
    changed = {}
    with after.translated_once():
        for name in after if differing else ():
            if name in differing and (value := after[name]) != before.get(name):
                changed[name] = value
    return changed


def _is_same(name: str, before: Mapping[str, Value], after: Mapping[str, Value]) -> bool:
    """Return whether a property is given in neither map, or in both with equal values."""
    if name not in before or name not in after:
        return name not in before and name not in after
    return equal(before[name], after[name])


def equal(one: Value, other: Value) -> bool:
    """Return whether two values are equal as JSON: ``true`` is not 1."""
    return one == other and (repr(one) == repr(other) or _text(one) == _text(other))


def _text(value: Value) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _without_none(schema: PropertySchema, value: Value) -> Value:
    """Return a stored value without the keys that have no value in maps with known keys."""
    if schema.schema is not None and schema.type == MAP and isinstance(value, Mapping):
        value = without_none(value)
    return schema.map_nested(value, _without_none)
