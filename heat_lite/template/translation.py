"""Rules that bring older ways of writing properties into the present one, for what ``alias_of`` and ``ref`` of a schema cannot say.

A rule works on the map of all given top-level values, resolved but not yet converted, and gives a new one; it never changes what it was
given. Paths go through lists of maps: ``('tasks', 'policies')`` is the key ``policies`` of each task.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from heat_lite.template.values import Conflict


class Rule:
    """``apply(values)`` answers the translated values; ``keys`` are the top-level properties that a rule reads or writes."""

    path: tuple[str, ...]

    @property
    def keys(self):
        return {self.path[0]}

    def apply(self, values):
        return _at(values, self.path[:-1], self._change)

    def _change(self, level):
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Replace(Rule):
    """A property gets the value of another: a sibling at ``source`` (a path from the same level), or a constant ``value``.

    The source is emptied. Both given at the same time is a conflict.
    """

    path: tuple[str, ...]
    source: tuple[str, ...] = ()
    value: Any = None

    def _change(self, level):
        name = self.path[-1]
        if not self.source:
            return {**level, name: self.value}
        found = _dig(level, self.source)
        if found is None:
            return level
        if level.get(name) is not None:
            raise Conflict(name, '.'.join(self.source))
        return {**_at(level, self.source[:-1], lambda inner: _without(inner, self.source[-1])), name: found}


@dataclasses.dataclass(frozen=True)
class Add(Rule):
    """Items are appended to a list. ``items`` is the list, or makes it of all values (an empty one adds nothing)."""

    path: tuple[str, ...]
    items: list | Callable[[Mapping], list] = dataclasses.field(default_factory=list)

    def apply(self, values):
        items = self.items(values) if callable(self.items) else self.items
        return _at(values, self.path[:-1], lambda level: self._extend(level, items)) if items else values

    def _extend(self, level, items):
        name = self.path[-1]
        present = level.get(name) or []
        if not isinstance(present, list):
            raise ValueError(f'Cannot add to "{".".join(self.path)}", which is not a list')
        return {**level, name: [*present, *items]}


@dataclasses.dataclass(frozen=True)
class Delete(Rule):
    """A property is taken out."""

    path: tuple[str, ...]

    def _change(self, level):
        return _without(level, self.path[-1])


def translate(rules, values):
    """The values after all rules, in their order."""
    for rule in rules:
        values = rule.apply(values)
    return values


def _at(level, path, change):
    """A copy of ``level`` in which ``change`` was applied to the maps at the path; what is not there stays away."""
    if isinstance(level, list):
        return [_at(item, path, change) for item in level]
    if not isinstance(level, Mapping):
        return level
    if not path:
        return change(level)
    first, *rest = path
    if level.get(first) is None:
        return level
    try:
        return {**level, first: _at(level[first], rest, change)}
    except Conflict as conflict:
        raise conflict.within(first) from None


def _dig(level, path):
    for key in path:
        level = level.get(key) if isinstance(level, Mapping) else None
    return level


def _without(level, name):
    return {key: value for key, value in level.items() if key != name}
