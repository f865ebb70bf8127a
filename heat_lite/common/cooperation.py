"""Means that keep a long computation from delaying the requests of others.

Green threads change only where they wait, so a computation on a large stack calls ``cooperate``
in its loops. ``cmd/concurrency.py`` sets the pause of a process with green threads. With native
threads there is none: the interpreter itself divides the time.

A computation may call it in a transaction or with a lock held if no code that others need at once
takes that lock: a pause delays the holder by the slices of the other threads.
"""

import time
import typing
from collections.abc import Callable, Iterable, Iterator

#: Seconds that a green thread computes between two pauses.
SLICE_SECONDS = 0.005
T = typing.TypeVar('T')
_END = object()


class _State:
    """The pause of this process, and the monotonic time at which the next one is due."""

    def __init__(self) -> None:
        self.pause: Callable[[], object] | None = None
        self.due = 0.0


_state = _State()


def use(pause: Callable[[], object] | None) -> None:
    """Set the callable that lets the other green threads run. None: there are none."""
    _state.pause = pause


def cooperate() -> None:
    """Let the other green threads run if this one has computed for SLICE_SECONDS."""
    if _state.pause is not None and time.monotonic() >= _state.due:
        _state.pause()
        _state.due = time.monotonic() + SLICE_SECONDS


def each(items: Iterable[T]) -> Iterator[T]:
    """Yield the items; let the other green threads run in between."""
    if _state.pause is None:
        return iter(items)
    return _each(items)


def _each(items):
    for item in items:
        cooperate()
        yield item


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
