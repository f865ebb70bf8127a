"""Handlers of the service's types in the form that plug-ins call: ``handle_X`` and
``check_X_complete``.
"""

import functools
import inspect
import threading
import time
import types
from collections.abc import Callable

from heat_lite.common.value_types import Value
from heat_lite.engine import scheduler
from heat_lite.plugin.heat.stack_view import unwrapped

#: seconds for which ``handle_create`` waits for the id of the object
ID_SECONDS = 30.0
CREATE = 'create'
#: the actions whose handlers are pairs; a type has those that it implements
ACTIONS = (CREATE, 'update', 'delete', 'suspend', 'resume', 'check', 'snapshot', 'adopt')


class HandlerRun:
    """A generator that ``check_X_complete`` steps, at the pace that it asks for."""

    def __init__(self, made: types.GeneratorType) -> None:
        self._runner = scheduler.TaskRunner(functools.partial(scheduler.flatten, made))
        self._notified = threading.Event()

    @property
    def done(self) -> bool:
        return self._runner.done

    @property
    def result(self) -> Value:
        return self._runner.result

    @property
    def pause(self) -> float:
        return self._runner.wait_left() if self._runner.started else 0.0

    def step(self) -> bool:
        """Run up to the next wait, if the last one is over. Return whether the work is done."""
        if self.pause == 0 or self._notified.is_set():
            self._notified.clear()
            self._runner.step()
            if not self._runner.done and self._runner.wakeup is not None:
                self._runner.wakeup.on_notify(self._notified.set)
        return self._runner.done

    def cancel(self) -> None:
        self._runner.cancel()


class HandlerPairs:
    """The methods that begin, continue and cancel handlers of the service.

    A handler of the service that runs another one by ``yield from`` gets its generator.
    """

    resource_id: str | None
    _is_stepping = False

    @property
    def _works(self) -> dict[str, HandlerRun]:
        return self.__dict__.setdefault('_works_by_action', {})

    def begin_work(self, action: str, made: Value) -> Value:
        """Begin a handler of the service and return its token: the id of the object, as far as it
        is known. ``made`` is a generator, or the result of a handler that is none. A create runs
        until the id is known.
        """
        if self._is_stepping:
            return made
        self._works.pop(action, None)
        if not hasattr(made, 'send'):
            return made
        work = self._works[action] = HandlerRun(made)
        until = time.monotonic() + ID_SECONDS
        while not self._step(work) and action == CREATE and self.resource_id is None:
            if time.monotonic() >= until:
                break
            time.sleep(min(work.pause, 1.0))
        if work.done and work.result is not None:
            return work.result
        return self.resource_id or ''

    def _step(self, work: HandlerRun) -> bool:
        self._is_stepping = True
        try:
            return work.step()
        finally:
            self._is_stepping = False

    def is_work_done(self, action: str) -> bool:
        """Continue a handler of the service. Return whether it is done, or has never begun."""
        work = self._works.get(action)
        return work is None or self._step(work)

    def has_begun(self, action: str) -> bool:
        return action in self._works

    def cancel_work(self, action: str) -> None:
        work = self._works.pop(action, None)
        if work is not None:
            work.cancel()


def beginning(action: str, given: Callable[..., Value]) -> Callable[..., Value]:
    """Return the method that begins a handler of the service."""

    def handle(self: HandlerPairs, *args: Value) -> Value:
        return self.begin_work(action, given(self, *map(unwrapped, args)))

    return handle


def pair(action: str, base: type) -> dict[str, Callable[..., Value]]:
    """Return ``handle_X``, ``check_X_complete`` and ``handle_X_cancel`` for a subclass of a type of
    the service.

    A create of an engine that is gone is begun again by the check: the handler finds its object by
    the id. It does so only if it is a generator (see ``engine/resource/resource.py``).
    """
    given: Callable[..., Value] = getattr(base, f'handle_{action}')
    repeats = action == CREATE and inspect.isgeneratorfunction(given)

    def check_complete(self: HandlerPairs, token: Value = None) -> bool:
        if repeats and self.resource_id is not None and not self.has_begun(action):
            self.begin_work(action, given(self))
        return self.is_work_done(action)

    def cancel(self: HandlerPairs, token: Value = None) -> None:
        self.cancel_work(action)

    return {
        f'handle_{action}': beginning(action, given),
        f'check_{action}_complete': check_complete,
        f'handle_{action}_cancel': cancel,
    }
