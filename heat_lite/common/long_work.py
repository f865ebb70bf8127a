"""Work that computes for long: a process does little of it at a time.

Each thread that computes delays all others by the switch interval of the interpreter, whenever one
of them has waited for something.
"""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Protocol

from heat_lite.common.admission import Admission, Permit

#: long computations of requests at a time, for two processors
PERMITS = 2
#: seconds after which a step begins without a permit: the one that has it may be a plug-in's, and
#: wait for a service of its own
STEP_SECONDS = 0.05


class _Held(Protocol):
    """A permit that a thread takes again after each wait."""

    def take(self) -> None: ...

    def leave(self) -> None: ...


class _RequestPermit:
    def __init__(self, party: str) -> None:
        self._party = party

    def take(self) -> None:
        self._permit = _permits.take(Permit(self._party, threading.Event()))

    def leave(self) -> None:
        _permits.leave(self._permit)


class _StepPermit:
    def __init__(self, steps: threading.Semaphore) -> None:
        self._steps = steps

    def take(self) -> None:
        self._is_held = self._steps.acquire(timeout=STEP_SECONDS)

    def leave(self) -> None:
        if self._is_held:
            self._steps.release()


_permits = Admission(PERMITS)
_steps: threading.Semaphore | None = None
_current = threading.local()


def permit(party: str) -> contextlib.AbstractContextManager[None]:
    """Return a block with one of the permits for long computations of requests."""
    return _holding(_RequestPermit(party))


def limit_steps(to_one: bool) -> None:
    """Let one step of a task compute at a time, or any number: one if the database is SQLite.

    SQLite works in this process and lets other threads run at each row. If many of them compute,
    the one that holds the transaction waits for each of its rows: the delete of 50 nested stacks
    takes three times the processor time.
    """
    global _steps
    _steps = threading.Semaphore(1) if to_one else None


def step() -> contextlib.AbstractContextManager[None]:
    """Return the block of a step of a task, with a permit if steps are limited."""
    return contextlib.nullcontext() if _steps is None else _holding(_StepPermit(_steps))


@contextlib.contextmanager
def _holding(held: _Held) -> Iterator[None]:
    held.take()
    _current.held = held
    try:
        yield
    finally:
        _current.held = None
        held.leave()


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Run a block that waits for another thread or service without the permit of this thread.

    What the thread waits for may need a permit itself.
    """
    held: _Held | None = getattr(_current, 'held', None)
    if held is None:
        yield
        return
    _current.held = None
    held.leave()
    try:
        yield
    finally:
        held.take()
        _current.held = held


@contextlib.contextmanager
def locked(lock: threading.Lock) -> Iterator[None]:
    """Run a block with a lock, for which it waits without the permit of this thread."""
    with waiting():
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def sleep(seconds: float) -> None:
    """Sleep without the permit of this thread."""
    with waiting():
        time.sleep(seconds)
