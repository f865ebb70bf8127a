"""Translation rules for deprecated properties, where ``alias_of`` and ``ref`` do not suffice.

A rule maps all given top-level values, resolved but not converted, to a new map. Rules do not
modify their input. Paths apply to each map of a list: ``('tasks', 'policies')`` is the key
``policies`` of each task.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from heat_lite.common.value_types import Value
from heat_lite.template.coercion import AliasConflict
from heat_lite.template.unknown import LIST, Unknown


class Rule:
    """Base of translation rules."""

    path: tuple[str, ...]

    @property
    def keys(self) -> Value:
        """The top-level properties that the rule reads or writes."""
        return {self.path[0]}

    def apply(self, values: Mapping[str, Value]) -> Value:
        return _change_at(values, self.path[:-1], self._change)

    def _change(self, level: Value) -> Value:
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Replace(Rule):
    """Move the value at ``source`` to a property, or set the property to a constant ``value``.

    ``source`` is a path relative to the map that contains the property. Raises AliasConflict if
    both have a value.
    """

    path: tuple[str, ...]
    source: tuple[str, ...] = ()
    value: Value = None

    def _change(self, level: Mapping[str, Value]) -> Value:
        name = self.path[-1]
        if not self.source:
            return {**level, name: self.value}
        source_value = _value_at(level, self.source)
        if source_value is None:
            return level
        if level.get(name) is not None:
            raise AliasConflict(name, '.'.join(self.source))
        return {
            **_change_at(level, self.source[:-1], lambda inner: _without(inner, self.source[-1])),
            name: source_value,
        }


@dataclasses.dataclass(frozen=True)
class Add(Rule):
    """Append items to a list property.

    ``items`` is a list, or a function from all values to a list. An empty list changes nothing.
    """

    path: tuple[str, ...]
    items: list | Callable[[Mapping], list] = dataclasses.field(default_factory=list)

    def apply(self, values: Mapping[str, Value]) -> Value:
        items = self.items(values) if callable(self.items) else self.items
        return (
            _change_at(values, self.path[:-1], lambda level: self._extend(level, items))
            if items
            else values
        )

    def _extend(self, level: Mapping[str, Value], items: list[Value]) -> dict[str, Value]:
        name = self.path[-1]
        present = level.get(name)
        if isinstance(present, Unknown):
            known = [*present.known, *items]
            return {**level, name: Unknown(LIST, present.sources, present.shown, known)}
        present = present or []
        if not isinstance(present, list):
            raise ValueError(f'Cannot add to "{".".join(self.path)}", which is not a list')
        return {**level, name: [*present, *items]}


@dataclasses.dataclass(frozen=True)
class Delete(Rule):
    """Remove a property."""

    path: tuple[str, ...]

    def _change(self, level: Mapping[str, Value]) -> Value:
        return _without(level, self.path[-1])


def translate(rules: Iterable[Rule], values: Mapping[str, Value]) -> Value:
    """Return the values after applying all rules in order."""
    for rule in rules:
        values = rule.apply(values)
    return values


def _change_at(level: Value, path: Sequence, change: Callable) -> Value:
    """Return a copy of ``level`` with ``change`` applied to the maps at a path.

    Missing parts of the path are not created.
    """
    if isinstance(level, list):
        return [_change_at(item, path, change) for item in level]
    if not isinstance(level, Mapping):
        return level
    if not path:
        return change(level)
    first, *rest = path
    if level.get(first) is None:
        return level
    try:
        return {**level, first: _change_at(level[first], rest, change)}
    except AliasConflict as conflict:
        raise conflict.prefixed(first) from None


def _value_at(level: Value, path: tuple) -> Value:
    for key in path:
        level = level.get(key) if isinstance(level, Mapping) else None
    return level


def _without(level: Mapping[str, Value], name: str) -> dict[str, Value]:
    return {key: value for key, value in level.items() if key != name}
