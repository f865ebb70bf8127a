"""The work of this engine on a stack whose lock another engine holds (convergence).

A worker reads the rows that its engine holds, works on them and passes on what has ended. It goes
on with the next traversal of the stack at once; what it has begun for the last one ends meanwhile.

Tests: tests/chaos/test_convergence.py.
"""

import logging
import math
import time
from collections.abc import Generator, Iterable, Mapping
from typing import Any

from heat_lite.common import cooperation, status
from heat_lite.common.context import RequestContext
from heat_lite.db import locks
from heat_lite.db import stacks as db_stacks
from heat_lite.db import traversals as db_traversals
from heat_lite.db.sync_points import Key
from heat_lite.engine.execution import convergence, nodes, traversal
from heat_lite.engine.execution.mailbox import LOOK, Mailbox, Preempted
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.stack import adoption
from heat_lite.engine.stack.action_run import ActionRun
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)


class WorkerTraversal(convergence.ConvergedTraversal):
    """The walk of another engine. It ends when this engine has nothing left to do."""

    def __init__(
        self, stack: Any, before: Mapping[Key, set[Key]], home: str, view: Any, *args: Any
    ) -> None:
        self._home = home
        self._before = before
        names = {row.id: row.name for row in stack.stored_rows()}
        nodes = {
            key: Node(names.get(key[0], f'row {key[0]}') if key[1] else key[0], key[1])
            for key in cooperation.each(before)
        }
        self._node_keys = {node: key for key, node in nodes.items()}
        graph = {nodes[key]: {nodes[each] for each in first} for key, first in before.items()}
        super().__init__(stack, graph, *args)
        self.id = self._group.traversal_id = view.traversal_id
        self._group.foreign = db_traversals.rows_elsewhere(stack.context, stack.id, self._engine_id)
        self._group.hold(self._rows_of_draining())
        self._is_shared = True
        self._should_look = True
        self._ends_at = _deadline(view.state or {})

    def seconds_left(self) -> float:
        # home alone ends the time: the clocks of two hosts may differ
        return max(0.0, self._ends_at - time.monotonic())

    def _keys_of(self, graph: dict[Node, set[Node]]) -> dict[Node, Key]:
        return self._node_keys

    def walk(self) -> Generator[Any, None, traversal.Outcome]:
        """A generator for the task pool; returns the Outcome. Raises Preempted."""
        self._stack.journal.participant = self._group
        return (yield from super().walk())

    def _is_over(self) -> bool:
        is_at_work = self._group.running or self._group.ready() or self._group.given_up
        if is_at_work or self._stack.run.draining:
            return False
        return not self._should_look and not self._stack.journal.dirty

    def _should_end(self) -> bool:
        return self._is_stale or self._mailbox.must_leave

    def _pause(self) -> float:
        return min(super()._pause(), convergence.LOOK_SECONDS)

    def _engines_to_notify(self) -> Iterable[str]:
        found = db_traversals.engines_of(self._stack.context, self._stack.id)
        return {self._home, *found} - {self._engine_id}


class WorkerTask:
    """The work of this engine on one stack, as a generator for the task pool."""

    def __init__(
        self, runtime: Any, context: RequestContext, stack_id: str, mailbox: Mailbox
    ) -> None:
        self._runtime = runtime
        self._context = context
        self._stack_id = stack_id
        self._mailbox = mailbox
        #: the stack as this engine knows it; None before its first rows
        self.stack: Stack | None = None

    def run(self) -> Generator[Any, None, None]:
        """Walk one traversal after another, until this engine holds no row of the stack."""
        while True:
            if self._mailbox.must_leave:
                yield from self._leave()
                return
            self._mailbox.receive_all(LOOK)
            view = db_traversals.look(self._context, self._stack_id, self._runtime.engine_id)
            if view.state is not None and view.held.get(self._runtime.engine_id):
                yield from self._walk(view)
            elif self.stack is not None and self.stack.run.draining:
                yield from self._drain(self.stack)
            elif self._mailbox.close(with_messages=True):
                self._let_go(view)
                return

    def _walk(self, view: db_traversals.View) -> Generator[Any, None, None]:
        row = db_stacks.get(self._context, self._stack_id, tenant_safe=False)
        if row is None:
            return
        if self.stack is not None:
            yield from self.stack.journal.write()
        stack = self._load(row, view.state or {})
        walk = stack.run.walk = WorkerTraversal(
            stack,
            db_traversals.graph(self._context, self._stack_id),
            locks.holder(self._context, self._stack_id) or '',
            view,
            stack.action,
            self._mailbox,
            self._runtime.pool,
        )
        try:
            yield from walk.walk()
        except Preempted:
            LOG.debug('%s: another traversal has begun', stack)

    def _drain(self, stack: Stack) -> Generator[Any, None, None]:
        """Wait for what was begun for a traversal that is over, or for the next message."""
        walk = traversal.Traversal(stack, {}, stack.action, self._mailbox, self._runtime.pool)
        yield from walk.settle(until=lambda: self._mailbox.has(LOOK) or self._mailbox.must_leave)

    def _leave(self) -> Generator[Any, None, None]:
        """End all handlers: this engine has got the stack lock, and its task begins them again."""
        stack = self.stack
        if stack is None:
            return
        for walk in stack.run.draining:
            walk.abandon()
        while any(walk.collect() for walk in stack.run.draining):
            yield traversal.ENDING_PAUSE
        stack.journal.give_up()

    def _load(self, row: Any, state: dict) -> Stack:
        """Return the stack as its row says."""
        if self.stack is None:
            self.stack = Stack.from_row(self._runtime, self._context, row)
            self.stack.journal.writes_stack = False
        stack = self.stack
        draining = stack.run.draining
        for name, value in Stack.fields_of(row).items():
            setattr(stack, name, value)
        if row.raw_template_id != stack.template_id:
            template = self._runtime.templates.get(self._context, row.raw_template_id)
            stack.redefine(template, row.raw_template_id)
        stack.previous_template_id = row.prev_raw_template_id
        stack.run = ActionRun.from_column(stack.action, stack.plan)
        stack.run.draining = draining
        stack.run.deleting = bool(state.get(convergence.DELETING))
        keep = nodes.records_at_work(stack, draining)
        stack.refresh_rows(keep=keep)
        if stack.action == status.ADOPT:
            stack.run.adopted = adoption.stored_resources(stack)
        return stack

    def _let_go(self, view: db_traversals.View) -> None:
        """Let go of rows that are left of a traversal that is over."""
        if view.held.get(self._runtime.engine_id):
            db_traversals.release(self._context, self._stack_id, self._runtime.engine_id)


def _deadline(state: dict) -> float:
    """Return the end of the time of the action, by the monotonic clock of this engine."""
    ends_at = state.get(convergence.ENDS_AT)
    return math.inf if ends_at is None else time.monotonic() + ends_at - time.time()
