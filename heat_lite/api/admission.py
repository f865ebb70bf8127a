"""Admission control: how many requests a process passes on at a time, of one project and in all.

Further requests of the project wait for their turn, without a place in an engine, so the requests
of one project cannot delay those of all others. Some of them wait with their bodies, most without.
Requests of many projects wait for each other as well, in an order that is fair to their peers.
"""

import contextlib
import threading
from collections.abc import Iterator

from oslo_config import cfg

from heat_lite.common import fair_turns
from heat_lite.common.context import RequestContext

#: the part of the limit that requests of OS::Heat::Stack resources have at each further level
NESTED_PART = 4
#: bodies that are read, or wait with their requests, for each turn
BODIES_PER_TURN = 4
#: levels with turns of their own: a client may send any level in its header
MAX_DEPTH = 5

#: project, level, and whether the turns are those of bodies
Key = tuple[str | None, int, bool]


class AdmissionControl:
    """The turns of all projects.

    ``limit``: requests of a project at a time, ``total``: those of all projects; 0: no limit.
    ``seconds``: the longest wait.
    """

    def __init__(self, limit: int, seconds: float, total: int = 0) -> None:
        self._limit = limit
        self._seconds = seconds
        self._lock = threading.Lock()
        self._turns: dict[Key, fair_turns.FairTurns] = {}
        refusal = (
            f'the service has {total} requests in progress, and the turn of this one did not come '
            f'for {seconds:g} seconds; repeat it later'
        )
        self._total = [
            fair_turns.FairTurns(each, seconds, refusal, yields=True)
            for each in (total, *[total and max(total // NESTED_PART, 1)] * MAX_DEPTH)
        ]

    @classmethod
    def of_options(cls, conf: cfg.ConfigOpts) -> 'AdmissionControl':
        """Return the admission control that the options set."""
        options = conf.heat_lite
        return cls(
            options.max_requests_per_tenant,
            options.request_queue_timeout,
            options.max_requests_in_progress,
        )

    @contextlib.contextmanager
    def admit_body(
        self,
        context: RequestContext,
        peer: str = '',
        interruptible: fair_turns.Interruptible | None = None,
    ) -> Iterator[None]:
        """Run the block, which reads a body and then waits for a turn, as one of a few."""
        with (
            self._turns_of((context.project_id, _depth(context), True)) as turns,
            turns.turn(peer, interruptible),
        ):
            yield

    @contextlib.contextmanager
    def admit(
        self,
        context: RequestContext,
        peer: str = '',
        interruptible: fair_turns.Interruptible | None = None,
    ) -> Iterator[None]:
        """Run the block in a turn of the project, and in one of all.

        Raises ServiceUnavailable after the wait, and RequestAbandoned if it was interrupted. A
        request waits for requests of stacks inside its own only, which have turns of their own: so
        requests never wait for each other in a circle.
        """
        depth = _depth(context)
        with (
            self._turns_of((context.project_id, depth, False)) as turns,
            turns.turn(peer, interruptible),
            self._total[depth].turn(peer, interruptible, context.project_id),
        ):
            yield

    @contextlib.contextmanager
    def _turns_of(self, key: Key) -> Iterator[fair_turns.FairTurns]:
        with self._lock:
            turns = self._turns.get(key)
            if turns is None:
                turns = self._turns[key] = self._new_turns(key)
            turns.users += 1
        try:
            yield turns
        finally:
            with self._lock:
                turns.users -= 1
                if not turns.users:
                    del self._turns[key]

    def _new_turns(self, key: Key) -> fair_turns.FairTurns:
        _, depth, is_body = key
        limit = self._limit
        if limit:
            limit = max(limit // NESTED_PART, 1) if depth else limit
            limit *= BODIES_PER_TURN if is_body else 1
        refusal = (
            f'the project has {self._limit} requests in progress, and none has ended for '
            f'{self._seconds:g} seconds; repeat the request when they have ended'
        )
        return fair_turns.FairTurns(limit, self._seconds, refusal)


def _depth(context: RequestContext) -> int:
    return min(context.stack_depth or 0, MAX_DEPTH)
