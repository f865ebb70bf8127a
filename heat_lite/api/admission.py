"""Admission control: how many requests of one project a process passes on at a time.

Further requests of the project wait for their turn, without a place in an engine, so the requests
of one project cannot delay those of all others. Some of them wait with their bodies, most without.
"""

import collections
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from heat_lite.common import exception
from heat_lite.common.context import RequestContext

#: Key of the environ of WSGI. The value is a function of the server: it takes a function that ends
#: a wait, and returns a context in which the server may call that, since it closes the connection.
INTERRUPTIBLE = 'heat_lite.interruptible'
#: the part of the limit that requests of OS::Heat::Stack resources have at each further level
NESTED_PART = 4
#: bodies that are read, or wait with their requests, for each turn
BODIES_PER_TURN = 4
#: levels with turns of their own: a client may send any level in its header
MAX_DEPTH = 5

#: project, level, and whether the turns are those of bodies
Key = tuple[str | None, int, bool]
Interruptible = Callable[[Callable[[], None]], contextlib.AbstractContextManager[Any]]


class Wait:
    """The wait of one request for its turn."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.admitted = False


class Turns:
    """The turns of one key: the free ones, the requests that wait, and the number of all."""

    def __init__(self, limit: int) -> None:
        self.free = limit
        self.waits: collections.deque[Wait] = collections.deque()
        self.users = 0


class AdmissionControl:
    """The turns of all projects.

    ``limit``: requests of a project at a time; 0: no limit. ``seconds``: the longest wait.
    """

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._lock = threading.Lock()
        self._turns: dict[Key, Turns] = {}

    def admit_body(
        self, context: RequestContext, interruptible: Interruptible | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Run the block, which reads a body and then waits for a turn, as one of a few."""
        return self._admit(context, True, interruptible)

    def admit(
        self, context: RequestContext, interruptible: Interruptible | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Run the block in a turn of the project.

        Raises ServiceUnavailable after the wait, and RequestAbandoned if it was interrupted. A
        request waits for requests of stacks inside its own only, which have turns of their own: so
        requests never wait for each other in a circle.
        """
        return self._admit(context, False, interruptible)

    @contextlib.contextmanager
    def _admit(
        self, context: RequestContext, is_body: bool, interruptible: Interruptible | None
    ) -> Iterator[None]:
        if not self._limit:
            yield
            return
        depth = min(context.stack_depth or 0, MAX_DEPTH)
        with self._turns_of((context.project_id, depth, is_body)) as turns:
            wait = self._enter(turns)
            try:
                self._finish(wait, interruptible or contextlib.nullcontext)
                yield
            finally:
                self._leave(turns, wait)

    def _enter(self, turns: Turns) -> Wait:
        wait = Wait()
        with self._lock:
            wait.admitted = turns.free > 0
            if wait.admitted:
                turns.free -= 1
            else:
                turns.waits.append(wait)
        return wait

    def _finish(self, wait: Wait, interruptible: Interruptible) -> None:
        if wait.admitted:
            return
        with interruptible(wait.over.set):
            in_time = wait.over.wait(self._seconds)
        if not wait.admitted:
            raise exception.RequestAbandoned() if in_time else self._refusal()

    def _leave(self, turns: Turns, wait: Wait) -> None:
        with self._lock:
            if not wait.admitted:
                turns.waits.remove(wait)
            elif turns.waits:
                following = turns.waits.popleft()
                following.admitted = True
                following.over.set()
            else:
                turns.free += 1

    def _refusal(self) -> exception.ServiceUnavailable:
        reason = (
            f'the project has {self._limit} requests in progress, and none has ended for '
            f'{self._seconds:g} seconds; repeat the request when they have ended'
        )
        return exception.ServiceUnavailable(reason=reason)

    @contextlib.contextmanager
    def _turns_of(self, key: Key) -> Iterator[Turns]:
        _, depth, is_body = key
        limit = max(self._limit // NESTED_PART, 1) if depth else self._limit
        limit *= BODIES_PER_TURN if is_body else 1
        with self._lock:
            turns = self._turns.setdefault(key, Turns(limit))
            turns.users += 1
        try:
            yield turns
        finally:
            with self._lock:
                turns.users -= 1
                if not turns.users:
                    del self._turns[key]
