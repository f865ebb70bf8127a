"""The walk of the engine that holds the stack lock, in a traversal of all engines (convergence).

It begins the traversal, shares the nodes that are ready, and ends it when no engine holds a row.

Tests: tests/functional/test_convergence.py, tests/chaos/test_convergence.py.
"""

import logging
import time
import uuid
from collections.abc import Generator, Iterable, Mapping
from typing import Any

from heat_lite.common import cooperation, status
from heat_lite.db import journal
from heat_lite.db import traversals as db_traversals
from heat_lite.db.sync_points import Key
from heat_lite.engine.execution import convergence, nodes, recovery
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.execution.sync_point_group import SyncPointGroup
from heat_lite.engine.execution.traversal import Begun, Outcome
from heat_lite.engine.resource import failures
from heat_lite.engine.stack import lifecycle, quarantine

LOG = logging.getLogger(__name__)


class HomeTraversal(convergence.ConvergedTraversal):
    """The walk of the engine that holds the stack lock: it begins and ends the traversal."""

    is_home = True

    def __init__(self, stack: Any, *args: Any) -> None:
        #: rows of dead engines that this one holds although their nodes are not ready yet
        self._waiting: set[int] = set()
        super().__init__(stack, *args)

    def walk(self) -> Generator[Any, None, Outcome]:
        """A generator for the task pool; returns the Outcome.

        Raises Preempted, LockLost, and PlanOutdated before anything has begun.
        """
        yield from self._stack.journal.write()
        self._begin_traversal()
        self._stack.journal.participant = self._group
        try:
            outcome = yield from super().walk()
        finally:
            if self._stack.journal.participant is self._group:
                self._stack.journal.participant = None
        self._conclude(outcome)
        return outcome

    def _keys_of(self, graph: dict[Node, set[Node]]) -> dict[Node, Key]:
        keys: dict[Node, Key] = {}
        for node in cooperation.each(graph):
            if isinstance(node.key, int):
                keys[node] = node.key, False
            else:
                record = self._stack.best_record(node.key)
                if record.id is None:  # a handler of an earlier walk has just made it
                    raise db_traversals.PlanOutdated(self._stack.id)
                keys[node] = record.id, True
        return keys

    def _begin_traversal(self) -> None:
        stack = self._stack
        self.id = stack.current_traversal = self._group.traversal_id = str(uuid.uuid4())
        options: dict[str, Any] = {convergence.DELETING: stack.run.deleting}
        if self._deadline is not None:
            options[convergence.ENDS_AT] = time.time() + self.seconds_left()
        new = db_traversals.NewTraversal(
            self.id,
            stack.id,
            self._engine_id,
            self._key_graph(),
            [row.id for row in stack.stored_rows()],
            self._rows_of_draining(),
            [row.id for row in stack.stored_rows() if recovery.is_interrupted(stack, row)],
            self._group.others,
            self._group.share_above,
            nodes.lead(self._group.share_above),
            options,
        )
        was_shared = any(
            row.engine_id not in (None, self._engine_id) for row in stack.stored_rows()
        )
        holders = db_traversals.begin(stack.context, new)
        if new.has_replaced or was_shared:
            # other engines may have let go of rows since these were read
            self._refresh()
        self._group.foreign = {row for row, holder in holders.items() if holder != self._engine_id}
        first = [key for key, before in new.before.items() if not before]
        own = {row for row, holder in holders.items() if holder == self._engine_id}
        self._receive({key: {} for key in first if key[0] in own})
        # the row of a delete that has just ended has no record any more
        self._waiting = own & stack.records.keys()
        self._waiting -= self._group.rows() | self._rows_of_draining()
        for row in self._waiting:
            stack.records[row].engine_id = self._engine_id
        self._group.hold(self._group.rows() | self._rows_of_draining())
        others = set(holders.values()) - {self._engine_id}
        self._is_shared = bool(others)
        for engine_id in others:
            self._notify(engine_id, [])

    def _key_graph(self) -> dict[Key, set[Key]]:
        keys = self._keys
        return {
            keys[node]: {keys[first] for first in before}
            for node, before in cooperation.each(self._graph.items())
        }

    def _group_of(self, graph: dict[Node, set[Node]]) -> SyncPointGroup:
        self._graph = graph
        return super()._group_of(graph)

    def _is_over(self) -> bool:
        return self._is_ended and not self._group.running and not self._group.dirty

    def _after_write(self, begun: list[Begun]) -> list[Begun]:
        begun = super()._after_write(begun)
        if self._is_stale and not self._is_ended:
            self.abandon()
            raise journal.LockLost(self._stack.id)
        return begun

    def _engines_to_notify(self) -> Iterable[str]:
        found = db_traversals.engines_of(self._stack.context, self._stack.id)
        return [engine_id for engine_id in found if engine_id != self._engine_id]

    def _look_at_others(self, view: db_traversals.View) -> None:
        others = {engine for engine in view.held if engine != self._engine_id}
        gone = self._stack.runtime.placement.gone_engines(others)
        if gone:
            LOG.warning('%s: engines %s are gone, their resources go on here', self._stack, gone)
            self._take_over(gone)
        for engine_id in others - gone:
            self._notify(engine_id, [])
        is_at_work = self._group.rows() or self._group.dirty or self._collect_draining()
        if view.held.keys() <= {self._engine_id} and not is_at_work:
            # what is held here waits for a node that was lost: the rest is planned anew
            db_traversals.release(self._stack.context, self._stack.id, self._engine_id)
            self._is_ended = self._is_shared = True

    def _take_over(self, gone: set[str]) -> None:
        """Go on with the rows of dead engines; any of them may have ended its engine."""
        stack = self._stack
        rows = db_traversals.take_rows(stack.context, stack.id, gone, self._engine_id)
        self._refresh()
        names = {
            record.name
            for record in map(stack.records.get, rows)
            if record is not None and record.status == status.IN_PROGRESS
        }
        quarantine.extend(stack, names)
        self._waiting.update(rows)
        self._should_look = True
        self._mailbox.wake()

    def _receive(self, inputs: Mapping[Key, Mapping[str, dict]]) -> None:
        super()._receive(inputs)
        self._waiting -= self._group.rows()

    def _drop_ready(self) -> None:
        super()._drop_ready()
        for row in self._waiting - self._rows_of_draining():
            record = self._stack.records.get(row)
            if record is not None and record.engine_id == self._engine_id:
                record.set(engine_id=None)
        self._waiting.clear()

    def _stop(self, why: str, error: BaseException) -> None:
        if self._outcome.stopped is None and self._is_shared:
            db_traversals.stop(self._stack.context, self._stack.id, self.id, why)
            for engine_id in self._engines_to_notify():
                self._stack.runtime.workers.stop(self._stack, engine_id)
        super()._stop(why, error)

    def _pause(self) -> float:
        pause = super()._pause()
        if self._is_shared or not self._group.running:
            return min(pause, convergence.LOOK_SECONDS)
        return pause

    def _conclude(self, outcome: Outcome) -> None:
        """Take over what other engines have done, and fail what dead ones have left."""
        if self._is_shared:
            self._take_results(outcome)
        if self._has_lost:
            # a row whose delete was dropped has no record here any more
            self._refresh()
        if outcome.errors or outcome.stopped:
            self._fail_interrupted()
        elif (self._is_shared or self._has_lost) and not self._is_complete():
            raise db_traversals.PlanOutdated(self._stack.id)
        if self._is_shared:
            db_traversals.end(self._stack.context, self._stack.id)

    def _take_results(self, outcome: Outcome) -> None:
        view = db_traversals.look(self._stack.context, self._stack.id, self._engine_id)
        entries = (view.state or {}).get(convergence.FAILURES, ())
        if entries:
            outcome.errors = [nodes.error_of(entry) for entry in entries]
        for entry in entries:
            failures.merge(self._stack, entry['notes'])
        self._refresh(self._names_of(self._group.nodes_elsewhere()))

    def _fail_interrupted(self) -> None:
        """No engine goes on with these rows: the stack has failed, or was stopped."""
        for record in self._stack.stored_rows():
            if record.status == status.IN_PROGRESS:
                resource = self._stack.resource_of(record)
                reason = f'{record.action} aborted (the engine that worked on it is gone)'
                lifecycle.state_set(resource, record.action, status.FAILED, reason)

    def _is_complete(self) -> bool:
        """Return whether all nodes have ended: else one was lost, and the rest is planned anew."""
        stack = self._stack
        if stack.action in status.KEEPING:
            return all(map(self._is_visited, self._group.nodes_elsewhere()))
        unwanted = [row for row in stack.stored_rows() if not stack.is_wanted(row)]
        wanted = [stack.best_record(name) for name in stack.wanted]
        return not unwanted and all(
            record is not None
            and record.status == status.COMPLETE
            and record.current_template_id == stack.template_id
            for record in wanted
        )

    def _is_visited(self, node: Node) -> bool:
        """Return whether another engine has ended a node of an action that keeps all rows."""
        stack = self._stack
        record = stack.best_record(node.key) if node.forward else stack.records.get(node.key)
        return (
            record is None
            or record.action == status.INIT
            or (record.action, record.status) == (stack.action, status.COMPLETE)
            or (stack.action == status.SNAPSHOT and record.status == status.FAILED)
        )
