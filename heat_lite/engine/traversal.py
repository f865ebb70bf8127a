"""Walker 1: this engine, under the stack's lock, with a DependencyTaskGroup over the plan.

In a turn the walker takes in what has ended, begins what may begin, writes all changes of state in one transaction, and only then lets the
handlers go on, side by side in the task pool. What is local (touches nothing outside) runs within the turn, one resource after another
along the chain of dependencies, so that it costs no transaction of its own.
"""

import collections
import dataclasses
import math
import time

from heat_lite.common import status
from heat_lite.db import journal
from heat_lite.engine import scheduler, steps, threads
from heat_lite.engine.inbox import TakenOver

#: how long a turn may run local work before it writes, so that a watcher sees progress
TURN_SECONDS = 0.2
TIMEOUT = 'timeout'


@dataclasses.dataclass
class Outcome:
    """How a walk ended: the failures in the order in which they came, and why it was stopped before its end, if it was."""

    errors: list = dataclasses.field(default_factory=list)
    stopped: str | None = None  # running.CANCEL, CANCEL_WITH_ROLLBACK, STOP or TIMEOUT


class Traversal:
    """One walk over ``graph`` (see ``plan``). ``deadline`` is a time of the monotonic clock, or None.

    When another verb takes the stack over, the walk ends, but the handlers that it has begun go on: they are in the midst of something. The
    walk then is one of the stack's ``leftovers``, and later walks wait with each resource until nobody works on it any more.
    """

    def __init__(self, stack, graph, action, inbox, pool, deadline=None):
        self._stack = stack
        self._action = action
        self._inbox = inbox
        self._pool = pool
        self._deadline = deadline
        # these go on with all that they can reach: only what is used by what has failed must stay, or is not looked at
        stubborn = action in (status.DELETE, status.CHECK)
        wait = None if stubborn else stack.limits.error_wait_time
        self._group = scheduler.DependencyTaskGroup(graph, error_wait_time=wait, aggregate_exceptions=stubborn)
        self._lane = threads.Lane(stack.limits.max_parallel_handlers)
        self._names = {}
        self._ended = collections.deque()
        self._outcome = Outcome()

    def seconds_left(self):
        """Of the time that the walk may take."""
        return math.inf if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def walk(self):
        """The generator for the pool; its result is an Outcome. Raises TakenOver."""
        while not self._over():
            cut = yield from self._turn()
            if self._over():
                break
            self._look_up()
            yield 0 if cut else self._pause()
        self._outcome.errors = self._group.errors
        return self._outcome

    def settle(self):
        """The generator that waits until nothing is at work any more. Raises TakenOver."""
        while True:
            yield from self._turn()
            if not self._take_in_all():
                return
            self._look_up()
            yield self._pause()

    def throw(self, error):
        """Let ``error`` come up in all handlers at work."""
        for job in list(self._group.running.values()):
            if job is not None:
                job.throw(error)

    def abandon(self):
        """Another engine has taken the stack over: nothing more is done here, by earlier walks neither."""
        for walk in (self, *self._stack.leftovers):
            walk.throw(scheduler.Abandoned())

    def _give_way(self):
        """Break off what need not go on."""
        for node, job in self._group.running.items():
            record = self._stack.best_record(self._names[node])
            if job is not None and record is not None and self._stack.resource_of(record).gives_way:
                job.throw(scheduler.Cancelled('another action takes over'))

    def take_in(self):
        """See what has ended. Gives the names of the resources that are worked on."""
        while self._ended:
            node, error = self._ended.popleft()
            self._group.finish(node, error)
        return {self._names[node] for node in self._group.running}

    def _over(self):
        return self._group.done or bool(self._outcome.stopped and not self._take_in_all() and not self._group.running)

    def _turn(self):
        """Take in, begin, write. Gives whether there is more to begin."""
        self.take_in()
        visits = self._inbox.visits()
        for visit in visits:
            visit.make(self._stack)
        begun, cut = self._begin_ready()
        try:
            yield from self._stack.journal.write()
        except journal.Superseded:
            self.abandon()
            raise
        for visit in visits:
            visit.leave()
        self._hand_over(begun)
        if self._inbox.wants_over(self._stack):
            self._give_way()
            self._stack.leftovers.append(self)
            raise TakenOver
        return cut

    def _take_in_all(self):
        """The names of the resources on which earlier walks still work."""
        leftovers = self._stack.leftovers
        busy = {walk: walk.take_in() for walk in leftovers}
        leftovers[:] = [walk for walk, names in busy.items() if names]
        return set().union(*busy.values())

    def _begin_ready(self):
        """Begin all that may begin, up to their first wait. Gives those that wait, and whether time was up before the end."""
        begun = []
        until = time.monotonic() + TURN_SECONDS
        busy = self._take_in_all()
        while not self._outcome.stopped and (ready := self._beginnable(busy)):
            for node in ready:
                self._begin(node, begun)
                if time.monotonic() > until:
                    return begun, True
        return begun, False

    def _beginnable(self, busy):
        ready = self._group.ready()
        return [node for node in ready if steps.name_of(self._stack, node) not in busy] if busy else ready

    def _begin(self, node, begun):
        self._group.start(node)
        self._names[node] = steps.name_of(self._stack, node)
        try:
            work = steps.step(self._stack, self._action, node)
            if work is not None:
                runner = scheduler.TaskRunner(work, name=f'{self._action} {node.key}')
                if not runner.step():
                    begun.append((node, runner))
                    return
        except Exception as error:
            self._group.finish(node, error)
            return
        self._group.finish(node)

    def _hand_over(self, begun):
        for node, runner in begun:
            record = self._stack.best_record(self._names[node])
            lane = self._lane if record is None or self._stack.resource_of(record).calls_cloud else None
            job = self._pool.spawn(
                runner, lane=lane, on_step=self._on_step, on_end=self._on_end(node), late=self._stack.owner_id is not None
            )
            if node in self._group.running:
                self._group.running[node] = job

    def _on_step(self):
        if self._stack.journal.dirty:
            self._inbox.wake()

    def _on_end(self, node):
        def on_end(_result, error):
            self._ended.append((node, error))
            self._inbox.wake()

        return on_end

    def _look_up(self):
        """Messages, the deadline, and the patience after a failure."""
        while (message := self._inbox.receive()) is not None:
            self._stop(message, scheduler.Cancelled())
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._stop(TIMEOUT, scheduler.Timeout(self._stack.timeout_seconds()))
        elif self._group.patience_left() == 0:
            self.throw(scheduler.Cancelled('another resource failed'))

    def _stop(self, why, error):
        if self._outcome.stopped is None:
            self._outcome.stopped = why
            self._throw(error)

    def _throw(self, error):
        for walk in (self, *self._stack.leftovers):
            walk.throw(error)

    def _pause(self):
        """Until something ends or is sent, at most until the next time limit."""
        left = self._group.patience_left() or 1.0  # they have been told to end, which may take a moment
        if self._deadline is not None and self._outcome.stopped is None:
            left = min(left, max(0.01, self._deadline - time.monotonic()))
        return left
