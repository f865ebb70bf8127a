"""The walk over the graph of a stack: a DependencyTaskGroup says what may start.

A runner runs the steps of the nodes in this engine (``local_runner``), or gives some of them to
others (``shared_runner``). In a turn the walk collects the handlers that have ended, begins the
nodes that are ready, stores all changes of state in one transaction, and only then lets the
handlers go on side by side in the task pool. Local resources (no call outside the engine) run
within the turn, one after another along the chain of dependencies, so they cost no transaction of
their own.

Tests: tests/functional/test_hooks_cancel_preempt.py.
"""

import collections
import dataclasses
import math
import time
from collections.abc import Iterable
from typing import Any

from heat_lite.db import journal
from heat_lite.engine import scheduler, task_pool
from heat_lite.engine.execution import nodes, recovery, steps
from heat_lite.engine.execution.local_runner import LocalRunner
from heat_lite.engine.execution.mailbox import LOOK, Mailbox, Preempted
from heat_lite.engine.execution.plan import Graph, Node
from heat_lite.engine.resource.failures import TIMEOUT
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack import lifecycle
from heat_lite.engine.stack.stack import Stack
from heat_lite.template.functions import budget

#: how long a turn may run local work before it stores, so that a client sees progress
TURN_SECONDS = 0.2
#: the pause for handlers that were told to end, in seconds
ENDING_PAUSE = 1.0
#: a node whose handler waits, and the runner of the handler
Begun = tuple[Node, scheduler.TaskRunner]


@dataclasses.dataclass
class Outcome:
    """The end of a walk: the failures in the order of their coming, and why it was stopped early.

    ``stopped`` is task_manager.CANCEL, CANCEL_WITH_ROLLBACK or STOP, TIMEOUT, or None.
    """

    errors: list = dataclasses.field(default_factory=list)
    stopped: str | None = None


class Traversal:
    """One walk over ``graph`` (see ``plan``); ``deadline`` is a monotonic time, or None.

    When another action preempts, the walk ends but its handlers go on. The walk then is among
    ``stack.run.draining``, and later walks wait with each resource until its handler has ended.
    ``collects_errors``: nodes that do not require a failed one go on.
    """

    def __init__(
        self,
        stack: Stack,
        graph: Graph,
        runner: LocalRunner,
        mailbox: Mailbox,
        deadline: float | None = None,
        collects_errors: bool = False,
    ) -> None:
        self._stack = stack
        self._action = stack.action
        self._runner = runner
        self._mailbox = mailbox
        self._deadline = deadline
        self.group = scheduler.DependencyTaskGroup(
            graph,
            error_wait_time=None if collects_errors else stack.limits.error_wait_time,
            aggregate_exceptions=collects_errors,
        )
        self._limit = task_pool.ConcurrencyLimit(stack.limits.max_parallel_handlers)
        #: the names of the resources; None where the row is gone
        self._names: dict[Node, Any] = {}
        self._ended: collections.deque[tuple[Node, BaseException | None]] = collections.deque()
        self._outcome = Outcome()

    def seconds_left(self) -> float:
        """Return the seconds until the deadline; infinite without one."""
        return math.inf if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def walk(self) -> Work[Outcome]:
        """A generator for the task pool; returns the Outcome. Raises Preempted and LockLost."""
        self._runner.begin(self)
        while not self._is_over():
            cut = yield from self._turn()
            if self._is_over():
                break
            self._check_limits()
            yield 0 if cut or self._has_news() else self._pause()
        self._outcome.errors = self.group.errors
        self._runner.end(bool(self.group.errors or self._outcome.stopped))
        return self._outcome

    def settle(self) -> Work[None]:
        """A generator: waits until no handler of an earlier walk is at work. Raises Preempted."""
        while True:
            yield from self._turn()
            if not self._collect_draining():
                yield from self._stack.journal.write()  # of those that ended after the turn
                return
            self._check_limits()
            yield 0 if self._has_news() else self._pause()

    def throw(self, error: BaseException) -> None:
        """Raise ``error`` in all handlers at work in this engine."""
        for job in list(self.group.running.values()):
            if job is not None:
                job.throw(error)

    def abandon(self) -> None:
        """End all handlers where they are, without clean-up: another engine has the stack."""
        for walk in (self, *self._stack.run.draining):
            walk.throw(scheduler.Abandoned())

    def note_cut_off(self) -> None:
        """Note in the rows which calls the end of this engine cuts off."""
        for node, job in list(self.group.running.items()):
            record = nodes.record_of(self._stack, node)
            if record is not None and job is not None and job.is_stepped:
                lifecycle.note_cut_off(self._stack.resource_of(record))

    def collect(self) -> set[str | None]:
        """Note the handlers that have ended. Returns the names of the resources still at work."""
        while self._ended:
            self.finish(*self._ended.popleft())
        return {self._names[node] for node in self.nodes_at_work()}

    def _has_news(self) -> bool:
        """Whether something has come while the turn was stored.

        Its wake-up is gone if the database was unreachable then: it has ended a pause between two
        retries.
        """
        return bool(self._ended) or self._mailbox.has_callbacks() or self._mailbox.has(LOOK)

    def _is_over(self) -> bool:
        if self._runner.goes_on():
            return False
        if self.group.done:
            return True
        is_at_work = self._collect_draining() or self.group.running or self._runner.busy_names()
        return bool(self._outcome.stopped and not is_at_work)

    def _turn(self) -> Work[bool]:
        """Collect, begin, store. Returns whether nodes are ready that could not begin in time."""
        self._runner.look(self, self._mailbox.receive_all(LOOK))
        self.collect()
        callbacks = self._mailbox.callbacks()
        for callback in callbacks:
            callback.call(self._stack)
        begun, cut = self._begin_ready()
        self._runner.before_write(self)
        try:
            yield from self._stack.journal.write()
        except journal.LockLost:
            for callback in callbacks:
                callback.give_back()
            for node, work in begun:
                work.cancel()
                del self.group.running[node]
            self.abandon()
            raise
        for callback in callbacks:
            callback.deliver()
        self._runner.written(self)
        self._spawn(begun)
        if self._runner.should_end(self._mailbox):
            self._cancel_interruptible()
            self._stack.run.draining.append(self)
            raise Preempted
        return cut

    def _cancel_interruptible(self) -> None:
        for node, job in self.group.running.items():
            record = self._stack.records.best(self._names[node])
            if job is None or record is None:
                continue
            if self._stack.resource_of(record).interruptible:
                job.throw(scheduler.Cancelled(recovery.INTERRUPTED))

    def _collect_draining(self) -> set[str | None]:
        """Return the names of the resources on which earlier walks are still at work."""
        draining = self._stack.run.draining
        busy = {walk: walk.collect() for walk in draining}
        draining[:] = [walk for walk, names in busy.items() if names]
        return set().union(*busy.values())

    def _begin_ready(self) -> tuple[list[Begun], bool]:
        """Begin all ready nodes, each up to its first wait.

        Returns the waiting (node, runner) pairs, and whether the time of a turn was over first.
        """
        begun: list[Begun] = []
        until = time.monotonic() + TURN_SECONDS
        busy = self._collect_draining() | self._runner.busy_names()
        while not (self._outcome.stopped or self._runner.is_stale) and (ready := self._ready(busy)):
            for node in ready:
                self._begin(node, begun)
                if time.monotonic() > until:
                    return begun, True
        return begun, False

    def _ready(self, busy: set[str | None]) -> list[Node]:
        ready = self.group.ready()
        if not busy:
            return ready
        return [node for node in ready if steps.resource_name(self._stack, node) not in busy]

    def _begin(self, node: Node, begun: list[Begun]) -> None:
        self.group.start(node)
        self._names[node] = steps.resource_name(self._stack, node)
        if self._runner.gives(self, node):
            return
        try:
            with budget.fresh():
                work = steps.step(self._stack, self._action, node)
            if work is not None:
                runner = scheduler.TaskRunner(work, name=f'{self._action} {node.key}')
                if not runner.step():
                    self._runner.lease(node)
                    begun.append((node, runner))
                    return
        except Exception as error:
            self.finish(node, error)
            return
        self.finish(node)

    def finish(self, node: Node, error: BaseException | None = None) -> None:
        """End a node; those that require it may start unless it failed."""
        self.group.finish(node, error)
        self._runner.end_node(node, error)

    def names_at_work(self) -> set[str | None]:
        """Return the names of the resources at work."""
        return {self._names.get(node) for node in self.group.running}

    def nodes_at_work(self) -> list[Node]:
        """Return the nodes whose steps run in this engine."""
        return [node for node in self.group.running if node not in self._runner.given]

    def _spawn(self, begun: list[Begun]) -> None:
        """Give the waiting handlers to the task pool; those that call a service share a limit."""
        for node, runner in begun:
            record = self._stack.records.best(self._names[node])
            calls_cloud = record is None or self._stack.resource_of(record).calls_cloud
            job = self._stack.runtime.pool.spawn(
                runner,
                limit_group=self._limit if calls_cloud else None,
                on_step=self._on_step,
                on_end=self._on_end(node),
                low_priority=self._stack.owner_id is not None,
                subject=self._stack.log_subject.of_resource(self._names[node]),
            )
            if node in self.group.running:
                self.group.running[node] = job

    def _on_step(self) -> None:
        if self._stack.journal.dirty:
            self._mailbox.wake()

    def _on_end(self, node: Node) -> task_pool.OnEnd:
        def on_end(_result: object, error: BaseException | None) -> None:
            self._ended.append((node, error))
            self._mailbox.wake()

        return on_end

    def _check_limits(self) -> None:
        """Obey messages, the deadline, and the time that handlers have after a failure."""
        while (message := self._mailbox.receive(self._stack)) is not None:
            self.stop(message, scheduler.Cancelled())
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.stop(TIMEOUT, scheduler.Timeout(self._stack.timeout_seconds()))
        elif self.group.grace_left() == 0:
            self._end_steps((self,), scheduler.Cancelled('another resource failed'))

    def stop(self, why: str, error: BaseException) -> None:
        """Begin nothing more, and raise ``error`` in all handlers at work."""
        if self._outcome.stopped is None:
            self._outcome.stopped = why
            self._end_steps((self, *self._stack.run.draining), error)

    def _end_steps(self, walks: Iterable['Traversal'], error: BaseException) -> None:
        for walk in walks:
            walk.throw(error)
        if self._runner.stop(error):
            self._mailbox.wake()

    def _pause(self) -> float:
        """The pause until the next time limit, in seconds; a message or an end wakes the task."""
        left = min(self.group.grace_left() or ENDING_PAUSE, self._runner.pause())
        if self._deadline is not None and self._outcome.stopped is None:
            left = min(left, max(0.01, self._deadline - time.monotonic()))
        return left
