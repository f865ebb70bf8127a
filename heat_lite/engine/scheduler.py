"""Cooperative tasks: a task is a generator, and ``yield`` means "not done yet".

``yield`` asks to be stepped again soon (the pause grows from step to step), ``yield 10`` in ten
seconds, ``yield wakeup`` when the Wakeup is notified. A timeout or a cancellation is an exception
that is thrown into the generator at its next step.
"""

import functools
import itertools
import math
import threading
import time
import types
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from heat_lite.template.functions import budget

Item = TypeVar('Item', bound=Hashable)
Result = TypeVar('Result')
FIRST_PAUSE, PAUSE_GROWTH, LONGEST_PAUSE = 0.05, 1.5, 2.0


class Timeout(BaseException):
    """The task has run out of time.

    It derives from BaseException, so that a handler's ``except Exception`` does not swallow it.
    """

    def __init__(self, seconds: float | None = None):
        super().__init__('Timed out')
        self.seconds = seconds


class Cancelled(BaseException):
    """The task was asked to end, by a user or by another action on the same stack."""

    def __init__(self, reason: str = 'user triggered cancel'):
        super().__init__(reason)


class Abandoned(GeneratorExit):
    """Another task continues this work: the task ends at once and cleans nothing up."""


class Wakeup:
    """An event that a task waits for by yielding it.

    The task is stepped again after ``notify``, or after ``timeout`` seconds. ``notify`` may be
    called from any thread, before or after a callback is registered.
    """

    def __init__(self, timeout: float = LONGEST_PAUSE):
        self.seconds = timeout
        self._lock = threading.Lock()
        self._notified = False
        self._callback: Callable[[], object] | None = None

    def notify(self) -> None:
        with self._lock:
            self._notified, callback = True, self._callback
        if callback is not None:
            callback()

    def on_notify(self, callback: Callable[[], object]) -> None:
        """Call ``callback`` on notification, or now if the notification has come already."""
        with self._lock:
            self._callback, notified = callback, self._notified
        if notified:
            callback()


#: what a task yields: the seconds of a pause, a Wakeup, or None for a pause that grows
Wait = float | Wakeup | None
#: a task
Work = Generator[Wait, None, Result]


def pauses() -> Iterator[float]:
    """Yield the growing pauses between the polls of one wait, in seconds."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * PAUSE_GROWTH, LONGEST_PAUSE)


def wrappertask(
    task: Callable[..., Generator[Any, Any, Result]],
) -> Callable[..., Work[Result]]:
    """Decorate a generator function that yields other generators to run (style of Heat
    plug-ins).
    """

    @functools.wraps(task)
    def wrapper(*args: Any, **kwargs: Any) -> Work[Result]:
        return flatten(task(*args, **kwargs))

    return wrapper


def flatten(outer: Generator[Any, Any, Result]) -> Work[Result]:
    """Run a generator, and each generator that it yields in place of that yield.

    Return its result.
    """
    resume: Callable[[Any], Any] = outer.send
    argument: Any = None
    while True:
        try:
            item = resume(argument)
        except StopIteration as end:
            return end.value
        resume, argument = outer.send, None
        try:
            argument = (
                (yield from flatten(item))
                if isinstance(item, types.GeneratorType)
                else (yield item)
            )
        except GeneratorExit:
            outer.close()
            raise
        except BaseException as error:  # the outer task may handle it
            resume, argument = outer.throw, error


def continue_task(task: Work[Result], request: Wait) -> Work[Result]:
    """Run the rest of a generator whose last wait was ``request``. Return its result."""
    while True:
        try:
            yield request
        except GeneratorExit:
            task.close()
            raise
        except BaseException as error:  # the task may handle it
            try:
                request = task.throw(error)
            except StopIteration as end:
                return end.value
        else:
            return (yield from task)


class TaskRunner:
    """Steps one task: a generator, or a callable that returns one or does its work at once.

    Once ``step`` has returned True, ``result`` holds the return value of the task. Before that,
    ``pause`` is the wait before the next step, in seconds, and ``wakeup`` is the Wakeup that ends
    the wait early (None: there is none).
    """

    def __init__(
        self,
        task: Work | Callable[..., Any],
        *args: Any,
        name: str | None = None,
        timeout: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        **kwargs: Any,
    ):
        #: the callable, and once it has been called, its generator
        self._task: Any = (
            task if isinstance(task, Generator) else functools.partial(task, *args, **kwargs)
        )
        self.name = name or getattr(task, '__name__', str(task))
        self._clock = clock
        self._thrown: BaseException | None = None
        self._pauses = pauses()
        self._timeout = timeout
        self._deadline: float | None = None
        self.pause: float = 0
        self.wakeup: Wakeup | None = None
        self._due = 0.0
        self.started = self.done = False
        self.result: Any = None

    def start(self, timeout: float | None = None) -> None:
        """Run the task up to its first wait. ``timeout``, in seconds, counts from now."""
        if self.started:
            raise RuntimeError(f'{self.name} has been started already')
        self.started = True
        timeout = self._timeout if timeout is None else timeout
        if timeout is not None:
            self._timeout, self._deadline = timeout, self._clock() + timeout
        if callable(self._task):
            with budget.fresh():
                outcome = self._task()
            if not isinstance(outcome, types.GeneratorType):
                self.result, self.done = outcome, True
                return
            self._task = outcome
        self.step()

    def step(self) -> bool:
        """Run up to the next wait.

        Return True when the task has ended. Raises the exceptions of the task.
        """
        if not self.started:
            self.start()
            return self.done
        if self.done:
            return True
        if self._deadline is not None and self._clock() >= self._deadline and self._thrown is None:
            self._thrown, self._deadline = Timeout(self._timeout), None
        try:
            self._advance()
        except StopIteration as end:
            self.result, self.done = end.value, True
        except BaseException:
            self.done = True
            raise
        return self.done

    def _advance(self) -> None:
        thrown, self._thrown = self._thrown, None
        with budget.fresh():
            request = next(self._task) if thrown is None else self._task.throw(thrown)
        self.wakeup = request if isinstance(request, Wakeup) else None
        if self.wakeup is not None:
            request = self.wakeup.seconds
        self.pause = next(self._pauses) if request is None else request
        self._due = self._clock() + self.pause

    def wait_left(self) -> float:
        """Return the seconds until the next step is due."""
        return max(0.0, self._due - self._clock())

    def throw(self, error: BaseException) -> None:
        """Raise ``error`` inside the task at its next step."""
        if not self.done:
            self._thrown = error

    def cancel(self, grace: float | None = None) -> None:
        """End the task now, or after ``grace`` seconds. A task that has not started never will."""
        if not self.started:
            self.started = self.done = True
        elif grace:
            deadline = self._clock() + grace
            self._deadline = deadline if self._deadline is None else min(deadline, self._deadline)
            self._timeout = grace
        elif not self.done:
            self._task.close()
            self.done = True

    def run_to_completion(self, sleep: Callable[[float], object] = time.sleep) -> Any:
        """Step to the end in this thread, sleeping between steps. Return the result."""
        while not self.step():
            sleep(self.pause)
        return self.result


class DependencyTaskGroup(Generic[Item]):
    """The bookkeeping of the nodes of a graph, each of which runs after all nodes that it requires.

    ``graph`` is ``{node: set of nodes that come first}``. After a failure no new node starts, and
    running nodes get ``error_wait_time`` seconds to end (None: no limit). With
    ``aggregate_exceptions`` nodes that do not require a failed one still start.
    """

    def __init__(
        self,
        graph: Mapping[Item, Iterable[Item]],
        error_wait_time: float | None = None,
        aggregate_exceptions: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._clock = clock
        self._error_wait_time = error_wait_time
        self._aggregate = aggregate_exceptions
        self._waits_for: dict[Item, set[Item]] = {
            node: set() for node in itertools.chain(graph, *graph.values())
        }
        self._dependants: dict[Item, list[Item]] = {}
        for node, first in graph.items():
            self._waits_for[node].update(first)
            for required in self._waits_for[node]:
                self._dependants.setdefault(required, []).append(node)
        self._ready = dict.fromkeys(node for node, first in self._waits_for.items() if not first)
        self.running: dict[Item, Any] = {}
        self.errors: list[BaseException] = []
        self._failed_at: float | None = None

    def ready(self) -> list[Item]:
        """Return the nodes that may start now, in the order in which they became ready.

        There are none after a failure, unless exceptions are aggregated.
        """
        if self.errors and not self._aggregate:
            return []
        return list(self._ready)

    def start(self, node: Item, work: object = None) -> None:
        """Mark ``node`` as running. ``work`` is a value for the caller, kept in ``running``."""
        del self._ready[node]
        self.running[node] = work

    def finish(self, node: Item, error: BaseException | None = None) -> None:
        """Mark ``node`` as ended. Its dependants become ready unless it failed."""
        del self.running[node]
        if error is not None:
            self.errors.append(error)
            self._failed_at = self._clock() if self._failed_at is None else self._failed_at
            return
        for dependant in self._dependants.pop(node, ()):
            waits_for = self._waits_for[dependant]
            waits_for.discard(node)
            if not waits_for:
                self._ready[dependant] = None

    def add(self, node: Item) -> None:
        """Add a node that requires no other one."""
        self._ready[node] = None

    def reopen(self, node: Item) -> None:
        """Mark a running node as ready again."""
        del self.running[node]
        self._ready[node] = None

    @property
    def done(self) -> bool:
        return not self.running and not self.ready()

    def grace_left(self) -> float:
        """Return the seconds left to running nodes: infinite before a failure, or without a
        limit.
        """
        if self._failed_at is None or self._error_wait_time is None:
            return math.inf
        return max(0.0, self._failed_at + self._error_wait_time - self._clock())
