"""The pauses of long computations, which keep them from delaying the requests of others.

Green threads change only where they wait, so a loop over a large stack calls ``cooperate``: with
native threads the interpreter itself divides the time. What a template computes has in addition a
``Work``, whose pauses make the long works of a process take turns, with either kind of threads.

A computation may pause in a transaction or with a lock held if no code that others need at once
takes that lock: a pause delays the holder by the slices of the other threads.
"""

import time
import typing
from collections.abc import Callable, Iterable, Iterator

#: Seconds that a green thread computes between two pauses.
SLICE_SECONDS = 0.005
#: The turn of a work among other long works, in seconds: the shortest, and the longest that is
#: made up for.
MIN_TURN_SECONDS, MAX_TURN_SECONDS = 0.005, 0.25
T = typing.TypeVar('T')


class _State:
    """Whether this process has green threads, and the monotonic time of their next pause."""

    def __init__(self) -> None:
        self.green = False
        self.due = 0.0


_state = _State()
#: the works that have lasted long enough for a pause, by id; sets change atomically
long_works: set[int] = set()


def use_green_threads() -> None:
    """Let ``cooperate`` pause. The caller has replaced ``time.sleep`` by that of green threads."""
    _state.green = True


def cooperate() -> None:
    """Let the other green threads run if this one has computed for SLICE_SECONDS."""
    if _state.green and time.monotonic() >= _state.due:
        _pause(0)


def _pause(seconds):
    """Let other threads run for some seconds, or for one turn of each with 0."""
    time.sleep(seconds)
    _state.due = time.monotonic() + SLICE_SECONDS


def each(items: Iterable[T]) -> Iterator[T]:
    """Yield the items; let the other green threads run in between."""
    return _each(items) if _state.green else iter(items)


def _each(items):
    for item in items:
        cooperate()
        yield item


class Work:
    """What one request or step computes. It is a long work from its first pause until ``end``."""

    __slots__ = ('_begun', '_turn_begun')

    def __init__(self) -> None:
        self._begun = False
        self._turn_begun = 0.0

    def begin(self) -> None:
        """Begin a work that ``end`` will end. Only such a work takes turns with others."""
        self._begun = True

    def end(self) -> None:
        self._begun = False
        long_works.discard(id(self))

    def pause(self) -> None:
        """Let other threads run after some work: so long that the long works take turns.

        A short request then waits for one of them at a time, however many there are.
        """
        now = time.monotonic()
        worked = min(now - self._turn_begun, MAX_TURN_SECONDS) if self._turn_begun else 0
        if self._begun:
            long_works.add(id(self))
        self._turn_begun = now
        others = len(long_works) > 1
        # in seconds of the wall clock, since other processes slow down work and pauses alike
        _pause(max(worked, MIN_TURN_SECONDS) * len(long_works) if others else 0)
        self._turn_begun = time.monotonic()


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
