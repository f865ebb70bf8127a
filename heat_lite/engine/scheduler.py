"""Cooperative tasks: a generator is a piece of work, ``yield`` means "not yet".

``yield`` asks to be stepped again soon (the pause grows from call to call), ``yield 10`` in ten seconds, ``yield bell`` when it rings.
A timeout or a cancellation is an exception that is thrown into the generator at its next step.
"""

import functools
import itertools
import math
import threading
import time
import types

FIRST_PAUSE, PAUSE_GROWTH, LONGEST_PAUSE = 0.05, 1.5, 2.0


class Timeout(BaseException):
    """The time of a task is over. Not an Exception, so that a handler's ``except Exception`` does not swallow it."""

    def __init__(self, seconds=None):
        super().__init__('Timed out')
        self.seconds = seconds


class Cancelled(BaseException):
    """Somebody who may has asked the task to end."""

    def __init__(self, reason='user triggered cancel'):
        super().__init__(reason)


class Abandoned(GeneratorExit):
    """Somebody else goes on with what the task was at: it ends where it is, without tidying up."""


class ExceptionGroup(Exception):
    """Several tasks of a group have failed; ``exceptions`` holds them in the order in which they came."""

    def __init__(self, exceptions=()):
        self.exceptions = list(exceptions)
        super().__init__(str([str(error) for error in self.exceptions]))


class Bell:
    """Something to wait for: a task yields it and is stepped again when it is rung, or after ``patience`` seconds.

    ``ring`` may be called from any thread, before or after somebody listens.
    """

    def __init__(self, patience=LONGEST_PAUSE):
        self.patience = patience
        self._lock = threading.Lock()
        self._rung = False
        self._listener = None

    def ring(self):
        with self._lock:
            self._rung, listener = True, self._listener
        if listener is not None:
            listener()

    def listen(self, listener):
        """Call ``listener`` when it is rung, or now if that has been."""
        with self._lock:
            self._listener, rung = listener, self._rung
        if rung:
            listener()


def pauses():
    """The growing pauses between the polls of one wait, in seconds."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * PAUSE_GROWTH, LONGEST_PAUSE)


def wrappertask(task):
    """Let a generator yield other generators, which then run in its place (the style of Heat's plug-ins)."""

    @functools.wraps(task)
    def wrapper(*args, **kwargs):
        return flatten(task(*args, **kwargs))

    return wrapper


def flatten(outer):
    resume, argument = outer.send, None
    while True:
        try:
            item = resume(argument)
        except StopIteration as end:
            return end.value
        resume, argument = outer.send, None
        try:
            argument = (yield from flatten(item)) if isinstance(item, types.GeneratorType) else (yield item)
        except GeneratorExit:
            outer.close()
            raise
        except BaseException as error:  # it belongs to the outer task, which may handle it
            resume, argument = outer.throw, error


class TaskRunner:
    """Steps one task: a generator, or a callable that returns one or does its work at once.

    After ``step`` said True, ``result`` holds what the task returned. ``pause`` is how long to wait before the next step, in seconds,
    unless the ``bell`` rings before (None: there is none).
    """

    def __init__(self, task, *args, name=None, timeout=None, clock=time.monotonic, **kwargs):
        self._task = (lambda: task) if isinstance(task, types.GeneratorType) else functools.partial(task, *args, **kwargs)
        self.name = name or getattr(task, '__name__', str(task))
        self._clock = clock
        self._generator = None
        self._thrown = None
        self._pauses = pauses()
        self._timeout = timeout
        self._deadline = None
        self.pause = 0
        self.bell = None
        self._due = 0.0
        self.started = self.done = False
        self.result = None

    def start(self, timeout=None):
        """Begin; the time allowed, in seconds, counts from now. The task runs up to its first wait."""
        if self.started:
            raise RuntimeError(f'{self.name} has been started already')
        self.started = True
        timeout = self._timeout if timeout is None else timeout
        if timeout is not None:
            self._timeout, self._deadline = timeout, self._clock() + timeout
        outcome = self._task()
        if isinstance(outcome, types.GeneratorType):
            self._generator = outcome
            self.step()
        else:
            self.result, self.done = outcome, True

    def step(self):
        """Run up to the next wait; True when the task has ended. Its exceptions come out of here."""
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

    def _advance(self):
        thrown, self._thrown = self._thrown, None
        asked = next(self._generator) if thrown is None else self._generator.throw(thrown)
        self.bell = asked if isinstance(asked, Bell) else None
        if self.bell is not None:
            asked = self.bell.patience
        self.pause = next(self._pauses) if asked is None else asked
        self._due = self._clock() + self.pause

    def wait_left(self):
        """Seconds until the task wants to be stepped again."""
        return max(0.0, self._due - self._clock())

    def throw(self, error):
        """Let ``error`` come up inside the task at its next step."""
        if not self.done:
            self._thrown = error

    def cancel(self, grace=None):
        """End the task now, or when ``grace`` seconds have gone by. A task that has not begun never will."""
        if not self.started:
            self.started = self.done = True
        elif grace:
            deadline = self._clock() + grace
            self._deadline = deadline if self._deadline is None else min(deadline, self._deadline)
            self._timeout = grace
        elif not self.done:
            self._generator.close()
            self.done = True

    def run_to_completion(self, sleep=time.sleep):
        """Step until the end in this thread, sleeping between the steps, and give the result."""
        while not self.step():
            sleep(self.pause)
        return self.result


class DependencyTaskGroup:
    """Runs the nodes of a graph, each when all that it requires is done.

    ``graph`` is ``{node: set of nodes that come first}``; ``reverse`` turns the arrows round. ``task(node)`` gives the work of a node.
    The bookkeeping (``ready``, ``start``, ``finish``) serves walkers that run nodes elsewhere; calling the group runs it here, as a
    generator. After a failure no new node starts; those at work get ``error_wait_time`` seconds to end (None: as long as they need).
    """

    def __init__(self, graph, task=None, reverse=False, error_wait_time=None, aggregate_exceptions=False, clock=time.monotonic):
        self._task = task
        self._clock = clock
        self._error_wait_time = error_wait_time
        self._aggregate = aggregate_exceptions
        self._waits_for, self._wakes = _arrows(graph, reverse)
        self._ready = dict.fromkeys(node for node, first in self._waits_for.items() if not first)
        self.running = {}
        self.errors = []
        self._failed_at = None

    def ready(self):
        """The nodes that may start now, in the order in which they became ready; none after a failure, unless errors are collected."""
        if self.errors and not self._aggregate:
            return []
        return list(self._ready)

    def start(self, node, work=None):
        """``node`` is being worked on; ``work`` is whatever the caller wants to find again in ``running``."""
        del self._ready[node]
        self.running[node] = work

    def finish(self, node, error=None):
        """``node`` has ended; its dependants become ready unless it failed."""
        del self.running[node]
        if error is not None:
            self.errors.append(error)
            self._failed_at = self._clock() if self._failed_at is None else self._failed_at
            return
        for dependant in self._wakes.pop(node, ()):
            waits_for = self._waits_for[dependant]
            waits_for.discard(node)
            if not waits_for:
                self._ready[dependant] = None

    @property
    def done(self):
        return not self.running and not self.ready()

    def patience_left(self):
        """Seconds that the running nodes may still have; infinite before a failure, or without a limit."""
        if self._failed_at is None or self._error_wait_time is None:
            return math.inf
        return max(0.0, self._failed_at + self._error_wait_time - self._clock())

    def raise_errors(self):
        if len(self.errors) == 1 or (self.errors and not self._aggregate):
            raise self.errors[0]
        if self.errors:
            raise ExceptionGroup(self.errors)

    def __call__(self):
        try:
            while not self.done:
                self._start_ready()
                self._step_running()
                if self.patience_left() == 0:
                    self._cancel_running()
                elif self.running:
                    yield min(self.patience_left(), *(runner.wait_left() for runner in self.running.values()))
        finally:
            self._cancel_running()
        self.raise_errors()

    def _start_ready(self):
        # a task that ends at once makes others ready in this very turn
        while ready := self.ready():
            for node in ready:
                runner = TaskRunner(self._task, node, clock=self._clock)
                self.start(node, runner)
                self._step(node, runner)

    def _step_running(self):
        for node, runner in list(self.running.items()):
            if runner.wait_left() == 0:
                self._step(node, runner)

    def _step(self, node, runner):
        try:
            if runner.step():
                self.finish(node)
        except Exception as error:
            self.finish(node, error)

    def _cancel_running(self):
        for node, runner in list(self.running.items()):
            runner.cancel()
            self.running.pop(node)


def _arrows(graph, reverse):
    waits_for = {node: set() for node in itertools.chain(graph, *graph.values())}
    for node, first in graph.items():
        for required in first:
            before, after = (node, required) if reverse else (required, node)
            waits_for[after].add(before)
    wakes = {}
    for node, first in waits_for.items():
        for required in first:
            wakes.setdefault(required, []).append(node)
    return waits_for, wakes
