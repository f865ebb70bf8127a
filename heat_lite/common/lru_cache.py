"""Caches that evict the least recently used values, and drop them while a process is idle."""

import collections
import functools
import threading
import typing
import weakref
from collections.abc import Callable, Hashable

from heat_lite.common.value_types import Value

_caches: 'weakref.WeakSet[LruCache]' = weakref.WeakSet()
_functions: list[typing.Any] = []
T = typing.TypeVar('T')


def drop_idle() -> None:
    """Drop the values of all caches that were not used since the last call.

    Those of ``cached_function`` are all dropped: they take little time to make again.
    """
    for cache in list(_caches):
        cache.drop_idle()
    for function in _functions:
        function.cache_clear()


def cached_function(max_entries: int) -> Callable[[typing.Any], typing.Any]:
    """Decorate a function of a module as ``functools.lru_cache`` does; ``drop_idle`` empties it.

    For results that depend on what users send. A small one that stays keeps a whole block of
    memory from the system, since the memory around it can not be returned.
    """

    def decorate(function: Callable) -> typing.Any:
        cached = functools.lru_cache(max_entries)(function)
        _functions.append(cached)
        return cached

    return decorate


class cached_property(typing.Generic[T]):  # noqa: N801 - named as that of functools
    """An attribute that is computed at its first use, without a lock.

    ``functools.cached_property`` of Python 3.11 holds one lock for all instances of the class, so
    the computation for a large stack would block that for each other stack. Here two threads may
    compute one value at the same time; all get that of the first to end.
    """

    def __init__(self, function: Callable[[typing.Any], T]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, instance: typing.Any, owner: type | None = None) -> T:
        if instance is None:
            return typing.cast(T, self)
        return instance.__dict__.setdefault(self._name, self._function(instance))


class LruCache:
    """A thread-safe cache of values by key, limited in number and in weight.

    It holds at most ``max_entries`` values of at most ``max_weight`` in total; ``weigh(value)``
    returns the weight of one value. The most recently used value is never evicted. ``is_cheap``:
    values take little time to make again, so ``drop_idle`` drops all of them.
    """

    def __init__(
        self,
        max_entries: int,
        max_weight: float,
        weigh: Callable[[typing.Any], float],
        is_cheap: bool = False,
    ) -> None:
        self._max_entries, self._max_weight, self._weigh = max_entries, max_weight, weigh
        self._is_cheap = is_cheap
        self._lock = threading.Lock()
        self._entries: collections.OrderedDict = collections.OrderedDict()
        self._weight = 0.0
        self._used: set[Hashable] = set()
        _caches.add(self)

    def get(self, key: Hashable) -> Value:
        """Return the value, or None."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            self._used.add(key)
            return self._entries[key][0]

    def put(self, key: Hashable, value: Value) -> Value:
        """Store the value and return it."""
        weight = self._weigh(value)
        with self._lock:
            self._weight += weight - self._entries.pop(key, (None, 0))[1]
            self._entries[key] = value, weight
            self._used.add(key)
            while len(self._entries) > 1 and self._is_full():
                oldest, (_, freed) = self._entries.popitem(last=False)
                self._used.discard(oldest)
                self._weight -= freed
        return value

    def pop(self, key: Hashable) -> None:
        """Forget the value, if there is one."""
        with self._lock:
            self._weight -= self._entries.pop(key, (None, 0))[1]
            self._used.discard(key)

    def pop_chosen(self, is_chosen: Callable[[typing.Any], bool]) -> list[typing.Any]:
        """Forget the values whose keys are chosen; return these keys."""
        with self._lock:
            chosen = [key for key in self._entries if is_chosen(key)]
        for key in chosen:
            self.pop(key)
        return chosen

    def drop_idle(self) -> None:
        """Drop the values that were not used since the last call; all of them if they are cheap."""
        with self._lock:
            if self._is_cheap:
                self._used.clear()
            for key in self._entries.keys() - self._used:
                self._weight -= self._entries.pop(key)[1]
            self._used.clear()

    def _is_full(self) -> bool:
        return len(self._entries) > self._max_entries or self._weight > self._max_weight


#: bytes that a value of a template takes beside its characters
VALUE_SIZE = 64


def template_weight(template: typing.Any) -> int:
    """Return the approximate memory of a parsed template in KiB: 2 per resource, its text, its
    environment and its files.
    """
    entries = sum(
        len(section) for section in template.data.values() if isinstance(section, dict | list)
    )
    files = sum(len(text) for text in template.files.values() if isinstance(text, str))
    environment = template.environment and template.environment.data
    text = size_of(template.data) + size_of(environment) + len(template.text or '')
    return 1 + 2 * entries + (text + files) // 1024


def size_of(data: Value) -> int:
    """Return the approximate memory of data of JSON in bytes."""
    size, pending = 0, [data]
    while pending:
        value = pending.pop()
        size += VALUE_SIZE + (len(value) if isinstance(value, str) else 0)
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list | tuple):
            pending += value
    return size
