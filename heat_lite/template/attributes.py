"""The attributes of a resource, read through a cache, and lookups by path."""

import functools
from collections.abc import Callable, Mapping, Sequence

from heat_lite.common.value_types import Value
from heat_lite.template.schema import CACHE_NONE, AttributeSchema, SchemaMap
from heat_lite.template.unknown import Unknown


class Attributes(SchemaMap):
    """A map of all attributes of a type.

    ``resolver(name)`` reads an attribute of the resource. Values are cached if the schema allows
    it; None is never cached. ``stored`` are values that were cached before.
    """

    def __init__(
        self,
        resource_name: str,
        schemata: Mapping[str, AttributeSchema],
        resolver: Callable[[str], Value],
        stored: Mapping[str, Value] | None = None,
    ) -> None:
        self.resource_name = resource_name
        self.schemata = schemata
        self._resolver = resolver
        self._cache: dict[str, Value] = {}
        if stored:
            self._cache.update({name: stored[name] for name in stored if name in schemata})

    def __getitem__(self, name: str) -> Value:
        schema = self.schemata.get(name)
        if schema is None:
            raise KeyError(f'{self.resource_name}: Invalid attribute {name}')
        if name in self._cache:
            return self._cache[name]
        value = self._resolver(name)
        if value is not None and schema.cache_mode != CACHE_NONE:
            self._cache[name] = value
        return value

    def get(self, name: str, *path: Value) -> Value:
        """Return the value at a path in an attribute, None if the path does not exist."""
        return select(self[name], path) if path else self[name]

    def is_cached(self, name: str) -> bool:
        return name in self._cache

    def cached(self) -> dict[str, Value]:
        """Return the values that are known without a read."""
        return dict(self._cache)


def select(value: Value, path: Sequence) -> Value:
    """Return the value at a path of keys and indexes, None if the path does not exist.

    An index may be a numeric string, and negative; of a text it gives a character.
    """
    try:
        return functools.reduce(step, path, value)
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def step(value: Value, key: Value) -> Value:
    """Return the value at a key or index. Raises a LookupError, TypeError or ValueError."""
    if isinstance(value, Unknown):
        return value.at([key])
    if isinstance(value, Mapping):
        return value[key]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return value[int(key) if isinstance(key, str) else key]
    raise KeyError(key)
