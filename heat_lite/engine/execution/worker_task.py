"""The work of this engine on rows of a stack whose lock another engine holds (convergence).

A worker runs the steps that it was given, stores in the rows what comes of them, lets go of the
rows, and notifies the engine with the lock, here called home. It goes on with the next traversal of
the stack at once; what it has begun for the last one ends meanwhile.

Tests: tests/functional/test_convergence_engines.py, tests/chaos/test_convergence.py.
"""

import logging
import time
from collections.abc import Collection

from heat_lite.common import status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.db import journal, stacks as db_stacks, traversals
from heat_lite.db.sync_points import Key
from heat_lite.engine import scheduler
from heat_lite.engine.execution import nodes
from heat_lite.engine.execution.local_runner import LocalRunner, Walk
from heat_lite.engine.execution.mailbox import LOOK, Mailbox, Preempted
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.execution.shared_runner import LOOK_SECONDS
from heat_lite.engine.execution.sync_point_rows import DELETING, ENDS_AT, STOPPED
from heat_lite.engine.execution.traversal import ENDING_PAUSE, Traversal
from heat_lite.engine.resource.failures import TIMEOUT
from heat_lite.engine.runtime import Runtime
from heat_lite.engine.scheduler import Work
from heat_lite.engine.stack.action_run import ActionRun
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
#: seconds after which a worker ends the time of an action itself: home should, by its own clock
LATE_SECONDS = 30.0


class GivenRunner(LocalRunner):
    """Runs the steps that home gives to this engine, in one traversal after another."""

    def __init__(self, stack: Stack, view: traversals.View) -> None:
        super().__init__(stack)
        self._view = view
        #: the nodes of the traversal that were taken already, by their keys
        self._taken: dict[Key, Node] = {}
        self._has_news = False
        self._held: frozenset[int] = frozenset()
        self._looked = time.monotonic()

    def follow(self, view: traversals.View) -> None:
        """Go on with another traversal."""
        self._view, self._taken, self.is_stale = view, {}, False

    def begin(self, walk: Walk) -> None:
        self._take(walk)

    def look(self, walk: Walk, is_asked: bool) -> None:
        """Take further nodes. Raises LeaseLost where another engine has rows at work here."""
        if not is_asked and time.monotonic() - self._looked < LOOK_SECONDS:
            return
        self._looked = time.monotonic()
        stack, before = self._stack, self._leased(walk)
        view = traversals.look(stack.id, stack.runtime.engine_id)
        # a row that is deleted by its step, or added by one, is leased on one side only
        if lost := (before & self._leased(walk)) - view.rows:
            raise journal.LeaseLost(stack.id, sorted(lost))
        is_over = (view.state is None) != (self._view.state is None)
        self.is_stale = is_over or view.traversal_id != self._view.traversal_id
        if not self.is_stale:
            self._view = view
            rows = {row for row, _ in view.given - self._taken.keys()}
            names = {stack.records.by_id[row].name for row in rows}
            names.update(each for name in list(names) for each in stack.requirements.get(name, ()))
            nodes.refresh(stack, names, (walk, *stack.run.draining))
            self._take(walk)

    def _take(self, walk: Walk) -> None:
        """Begin with new nodes, and let go of rows with which there is nothing to do."""
        stack, stopped = self._stack, (self._view.state or {}).get(STOPPED)
        if stopped is not None:
            is_late = stopped == TIMEOUT
            error = scheduler.Timeout(stack.timeout_seconds()) if is_late else None
            walk.stop(stopped, error or scheduler.Cancelled(stopped))
        for key in sorted(self._view.given - self._taken.keys()):
            self._taken[key] = node = self._node(key)
            walk.group.add(node)
        busy = self._leased(walk)
        if stopped is None:
            ready = set(walk.group.ready())
            busy |= {row for (row, _), node in self._taken.items() if node in ready}
        for record in map(stack.records.by_id.get, self._view.rows - busy):
            if record is not None and record.engine_id == self._engine_id:
                record.set(engine_id=None)
                self._has_news = True

    def _node(self, key: Key) -> Node:
        row, is_forward = key
        return Node(self._stack.records.by_id[row].name, True) if is_forward else Node(row, False)

    def _leased(self, walk: Walk) -> set[int]:
        """Return the ids of the rows at work that this engine holds by its own account."""
        walks = (walk, *self._stack.run.draining)
        found = nodes.records_at_work(self._stack, walks)
        return {
            record.id
            for record in found
            if record.id is not None and record.engine_id == self._engine_id
        }

    def end_node(self, node: Node, error: BaseException | None) -> None:
        super().end_node(node, error)
        self._has_news = True

    def before_write(self, walk: Walk) -> None:
        self._hold(self._held | self._leased(walk))

    def written(self, walk: Walk) -> None:
        self._hold(self._leased(walk))
        home = self._view.home
        if self._has_news and home is not None and home != self._engine_id:
            self._has_news = False
            self._stack.runtime.workers.look(self._stack, home, self._view.traversal_id, [])

    def _hold(self, rows: Collection[int]) -> None:
        self._held = frozenset(rows)
        self._stack.journal.lease = journal.Lease(self._stack.runtime.engine_id, self._held)

    def should_end(self, mailbox: Mailbox) -> bool:
        return self.is_stale or mailbox.must_leave

    def goes_on(self) -> bool:
        return bool(self._stack.run.draining) or self._stack.journal.dirty

    def pause(self) -> float:
        return LOOK_SECONDS


class WorkerTask:
    """The work of this engine on one stack, as a generator for the task pool."""

    def __init__(self, runtime: Runtime, context: RequestContext, stack_id: str) -> None:
        self._runtime = runtime
        self._context = context
        self._stack_id = stack_id
        self.mailbox = Mailbox()
        #: the stack as this engine knows it, and its runner; None before its first rows
        self.stack: Stack | None = None
        self._runner: GivenRunner | None = None

    def run(self) -> Work[None]:
        """Walk one traversal after another, until this engine holds no row of the stack."""
        while not self.mailbox.must_leave:
            self.mailbox.receive_all(LOOK)
            view = traversals.look(self._stack_id, self._runtime.engine_id)
            if view.rows or (self.stack is not None and self.stack.run.draining):
                yield from self._walk(view)
            elif self.mailbox.close(with_messages=True):
                return
        yield from self._give_up()

    def _walk(self, view: traversals.View) -> Work[None]:
        row = db_stacks.get(self._context, self._stack_id, tenant_safe=False)
        if row is None or row.current_traversal != view.traversal_id:
            yield None  # the next traversal begins just now
            return
        try:
            if self.stack is not None:
                yield from self.stack.journal.write()
            walk = self._load(row, view)
            yield from walk.walk()
        except Preempted:
            LOG.debug('%s: another traversal has begun', self.stack)
        except journal.LockLost as error:
            LOG.warning(
                '%s: another engine works on resources that this one had; they are given up: %s',
                self.stack,
                error,
            )
            yield from self._give_up()

    def _give_up(self) -> Work[None]:
        """End all handlers; what they have not stored is lost."""
        stack = self.stack
        if stack is None:
            return
        walks = [stack.run.walk, *stack.run.draining]
        stack.run.walk.abandon()
        while any([walk.collect() for walk in walks]):
            yield ENDING_PAUSE
        stack.journal.give_up()
        self.stack = self._runner = None

    def _load(self, row: db_stacks.StackRow, view: traversals.View) -> Traversal:
        """Return the walk of the stack as its row says."""
        if self.stack is None or self._runner is None:
            self.stack = Stack.from_row(self._runtime, self._context, row)
            self.stack.journal.lease = journal.Lease(self._runtime.engine_id)
            self._runner = GivenRunner(self.stack, view)
        stack = self.stack
        draining = stack.run.draining
        stack.take_row(row)
        stack.run = ActionRun.from_column(stack.action, stack.plan)
        stack.run.draining = draining
        stack.run.deleting = bool((view.state or {}).get(DELETING))
        stack.refresh_rows(keep=nodes.records_at_work(stack, draining))
        stack.records.stored()
        if stack.action == status.DELETE:
            for walk in draining:
                walk.throw(scheduler.Cancelled())
        self._runner.follow(view)
        deadline = _deadline(view.state or {})
        walk = Traversal(stack, {}, self._runner, self.mailbox, deadline, collects_errors=True)
        stack.run.walk = walk
        return walk


def _deadline(state: Values) -> float | None:
    """Return the end of the time of the action, by the monotonic clock of this engine."""
    ends_at = state.get(ENDS_AT)
    return None if ends_at is None else time.monotonic() + ends_at - time.time() + LATE_SECONDS
