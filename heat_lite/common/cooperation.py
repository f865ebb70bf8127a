"""The pauses of long computations, which keep them from delaying the requests of others.

Loops over a large stack, and the functions of templates, call ``cooperate``. Green threads change
only there and where they wait. Native threads are divided by the interpreter, but it divides the
time by their number. So with either kind a work that has computed for LONG_SECONDS, or a limit of
its own, goes on in its turn only (``common/long_turns.py: LongTurns``): others wait for one long
work, not for all.

A work may pause with a lock held only if no code that others need at once takes that lock. Within
``away`` a work waits for something else, e.g. the database: it needs no turn, and has given its own
to others.
"""

import contextlib
import threading
import time
import typing
from collections.abc import Callable, Iterable, Iterator

from heat_lite.common import long_turns

#: Seconds that a thread computes between two pauses.
SLICE_SECONDS = 0.005
#: Seconds of a loop between two looks whether a pause is due.
LOOK_SECONDS = 0.0005
#: Seconds of processor time after which a work is a long one.
LONG_SECONDS = 0.01
T = typing.TypeVar('T')


class _State:
    """Whether this process has green threads, and when one of them has begun to run.

    ``due``: the monotonic time of the next pause; ``begun``: by the clock of the processor time.
    """

    def __init__(self) -> None:
        self.green = False
        self.due = 0.0
        self.begun = 0.0


_state = _State()
_turns = long_turns.LongTurns()
_current = threading.local()


def use_green_threads() -> None:
    """Let ``cooperate`` pause. The caller has replaced ``time.sleep`` by that of green threads."""
    _state.green = True


@contextlib.contextmanager
def work(party: str, long_seconds: float = LONG_SECONDS) -> Iterator[None]:
    """Run the block, a request or the step of a task, as a work of a party, e.g. of a project.

    It needs a turn after ``long_seconds`` of processor time. Threads without a work compute without
    a turn.
    """
    before = getattr(_current, 'work', None)
    new = _current.work = long_turns.Work(party, time.thread_time(), long_seconds)
    new.due = time.monotonic() + long_seconds
    try:
        yield
    finally:
        _current.work = before
        _turns.give(new)


@contextlib.contextmanager
def away() -> Iterator[None]:
    """Run a block that waits for the database, a service or another thread, without a turn."""
    present = getattr(_current, 'work', None)
    if present is None:
        yield
        return
    _turns.give(present)
    present.away += 1
    try:
        yield
    finally:
        present.away -= 1


def cooperate() -> None:
    """Let other threads run if this one has computed for SLICE_SECONDS."""
    if _state.green:
        # before the variable of a green thread, which takes longer than the clock
        if time.monotonic() >= _state.due:
            _pause(getattr(_current, 'work', None))
        return
    present = getattr(_current, 'work', None)
    if present is not None and time.monotonic() >= present.due:
        _pause(present)


def _pause(present):
    """Let other threads run, and wait for the turn of a long work."""
    if present is not None and not present.away:
        _take_turn(present)
    if _state.green:
        time.sleep(0)
        _state.due = time.monotonic() + SLICE_SECONDS
        _state.begun = time.thread_time()
        if present is not None:
            present.mark = _state.begun
    if present is not None:
        present.due = time.monotonic() + SLICE_SECONDS


def _take_turn(present):
    """Count what a work has computed; wait for its turn if it is long."""
    now = time.thread_time()
    # green threads have the clock in common: what others have computed since is not counted
    spent = now - max(present.mark, _state.begun)
    present.mark = now
    present.spent += spent
    if present.spent > present.limit:
        _turns.take(present, spent)


def each(items: Iterable[T]) -> Iterator[T]:
    """Yield the items; let other threads run in between."""
    due = 0.0
    for item in items:
        now = time.monotonic()
        if now >= due:
            cooperate()
            due = now + LOOK_SECONDS
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
