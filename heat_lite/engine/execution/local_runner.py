"""The runner of a walk in one engine: each node's step runs here.

Tests: tests/functional/test_convergence.py, tests/functional/test_hooks_cancel_preempt.py.
"""

import math
from typing import Protocol

from heat_lite.engine import scheduler
from heat_lite.engine.execution import nodes
from heat_lite.engine.execution.mailbox import Mailbox
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.stack.stack import Stack


class Walk(Protocol):
    """The walk of a runner (``traversal.Traversal``)."""

    group: scheduler.DependencyTaskGroup

    def seconds_left(self) -> float: ...

    def nodes_at_work(self) -> list[Node]: ...

    def finish(self, node: Node, error: BaseException | None = None) -> None: ...

    def stop(self, why: str, error: BaseException) -> None: ...


class LocalRunner:
    """Runs all steps in this engine. With convergence it notes the engine in the rows at work."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._engine_id = stack.runtime.engine_id if stack.convergence else None
        #: the nodes that run in other engines, and the ids of their rows
        self.given: dict[Node, int] = {}
        #: whether another traversal has begun, so that no node of this one may start
        self.is_stale = False

    def begin(self, walk: Walk) -> None:
        """Begin the walk: called before its first turn."""

    def look(self, walk: Walk, is_asked: bool) -> None:
        """Learn at the begin of a turn what other engines have done. ``is_asked``: by a message."""

    def busy_names(self) -> set[str]:
        """Return the names of the resources on which other engines work for earlier walks."""
        return set()

    def gives(self, walk: Walk, node: Node) -> bool:
        """Give a node that may start to another engine; False where its step is to run here."""
        return False

    def lease(self, node: Node) -> None:
        """Note that the step of a node waits in this engine."""
        if self._engine_id is None:
            return
        best = nodes.record_of(self._stack, node)
        for record in nodes.records_of(self._stack, node):
            # an older row that awaits its delete is not at work
            is_replaced = best is not None and best.id is None and record.id == best.replaces
            is_part = record is best or is_replaced
            if is_part and record.engine_id != self._engine_id:
                record.set(engine_id=self._engine_id)

    def end_node(self, node: Node, error: BaseException | None) -> None:
        """Let go of the rows of an ended node."""
        for record in nodes.records_of(self._stack, node):
            if record.engine_id is not None and record.engine_id == self._engine_id:
                record.set(engine_id=None)

    def before_write(self, walk: Walk) -> None:
        """Add to a turn what other engines need."""

    def written(self, walk: Walk) -> None:
        """Notify other engines of a turn that is written."""

    def stop(self, error: BaseException) -> bool:
        """Raise ``error`` in the steps in other engines; return whether a turn has to tell them."""
        return False

    def should_end(self, mailbox: Mailbox) -> bool:
        """Return whether the walk has to end: another action waits for its place."""
        return mailbox.should_preempt(self._stack)

    def goes_on(self) -> bool:
        """Return whether the walk goes on though no node is left."""
        return False

    def pause(self) -> float:
        """Return the seconds until the next look at other engines."""
        return math.inf

    def end(self, has_failed: bool) -> None:
        """End the walk: called after its last turn. ``has_failed``: or it was stopped."""
