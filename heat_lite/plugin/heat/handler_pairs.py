"""Handlers of the service's types in the form that plug-ins call: ``handle_X`` and
``check_X_complete``.
"""

import inspect
import threading
import time
from collections.abc import Callable
from typing import Any

from heat_lite.engine import scheduler
from heat_lite.plugin.heat.stack_view import unwrapped

#: seconds for which ``handle_create`` waits for the id of the object
ID_SECONDS = 30.0
CREATE = 'create'
#: the actions whose handlers are pairs; a type has those that it implements
ACTIONS = (CREATE, 'update', 'delete', 'suspend', 'resume', 'check', 'snapshot', 'adopt')


class HandlerRun:
    """A generator that ``check_X_complete`` steps, at the pace that it asks for."""

    def __init__(self, made: Any) -> None:
        task: Any = scheduler.flatten(made)
        self._runner = scheduler.TaskRunner(task)
        self._notified = threading.Event()

    @property
    def done(self) -> bool:
        return self._runner.done

    @property
    def result(self) -> Any:
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


class WorkToken(str):
    """The token of a handler that has begun: the id of the object, as far as it is known.

    The handlers of the service run each other by ``yield from``, which runs the work to its end.
    """

    work: HandlerRun

    def __iter__(self) -> Any:
        while not self.work.step():
            yield self.work.pause
        return self.work.result


class HandlerPairs:
    """The methods that begin, continue and cancel handlers of the service."""

    resource_id: str | None

    @property
    def _works(self) -> dict[str, HandlerRun]:
        return self.__dict__.setdefault('_works_by_action', {})

    def begin_work(self, action: str, made: Any) -> Any:
        """Begin a handler of the service and return its token. ``made`` is a generator, or the
        result of a handler that is none. A create runs until the id of the object is known.
        """
        self._works.pop(action, None)
        if not hasattr(made, 'send'):
            return made
        work = self._works[action] = HandlerRun(made)
        until = time.monotonic() + ID_SECONDS
        while not work.step() and action == CREATE and self.resource_id is None:
            if time.monotonic() >= until:
                break
            time.sleep(min(work.pause, 1.0))
        if work.done and work.result is not None:
            return work.result
        token = WorkToken(self.resource_id or '')
        token.work = work
        return token

    def is_work_done(self, action: str) -> bool:
        """Continue a handler of the service. Return whether it is done, or has never begun."""
        work = self._works.get(action)
        return work is None or work.step()

    def has_begun(self, action: str) -> bool:
        return action in self._works

    def cancel_work(self, action: str) -> None:
        work = self._works.pop(action, None)
        if work is not None:
            work.cancel()


def pair(action: str, base: type) -> dict[str, Any]:
    """Return ``handle_X``, ``check_X_complete`` and ``handle_X_cancel`` for a subclass of a type of
    the service.

    A create of an engine that is gone is begun again by the check: the handler finds its object by
    the id. It does so only if it is a generator (see ``engine/resource/resource.py``).
    """
    given: Callable[..., Any] = getattr(base, f'handle_{action}')
    repeats = action == CREATE and inspect.isgeneratorfunction(given)

    def handle(self: Any, *args: Any) -> Any:
        return self.begin_work(action, given(self, *map(unwrapped, args)))

    def check_complete(self: Any, token: Any = None) -> bool:
        if repeats and self.resource_id is not None and not self.has_begun(action):
            self.begin_work(action, given(self))
        done: bool = self.is_work_done(action)
        return done

    def cancel(self: Any, token: Any = None) -> None:
        self.cancel_work(action)

    return {
        f'handle_{action}': handle,
        f'check_{action}_complete': check_complete,
        f'handle_{action}_cancel': cancel,
    }
