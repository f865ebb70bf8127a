"""The runner of a walk that other engines help with (convergence).

The engine that holds the stack lock walks alone: it decides what is ready and what is over. It
gives rows whose steps call something to other engines, which run these steps, store what comes of
them in the rows, and let go of the rows (see ``worker_task``). A message only says that something
has changed, so it may be lost, repeated or late.

Tests: tests/functional/test_convergence.py, tests/chaos/test_convergence.py.
"""

import collections
import logging
import math
import time
from collections.abc import Collection, Mapping

from heat_lite.common import status
from heat_lite.db import traversals
from heat_lite.db.sync_points import Key
from heat_lite.engine import scheduler
from heat_lite.engine.execution import nodes, recovery, steps, sync_point_rows
from heat_lite.engine.execution.local_runner import LocalRunner, Walk
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.resource import failures, resource
from heat_lite.engine.resource.failures import TIMEOUT
from heat_lite.engine.resource.record import Record
from heat_lite.engine.stack import lifecycle, quarantine
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
#: seconds between two looks at what other engines do, in case a message was lost
LOOK_SECONDS = 5.0
#: number of nodes at work in this engine above which others are given some
KEPT_NODES = 16


class SharedRunner(LocalRunner):
    """Runs steps here, or gives them to other engines.

    ``graph`` is that of the walk, ``elsewhere`` are the rows that other engines hold since earlier
    walks, with these engines (see ``read_rows``): their nodes wait.
    """

    def __init__(
        self, stack: Stack, graph: Mapping[Node, Collection[Node]], elsewhere: dict[int, str]
    ) -> None:
        super().__init__(stack)
        self._points = sync_point_rows.SyncPointRows(stack, graph)
        self._elsewhere = elsewhere
        self._others = stack.runtime.placement.helpers(stack.context)
        #: the number of nodes at work in each other engine
        self._loads: collections.Counter[str] = collections.Counter()
        #: nodes that are not given again: another engine has not done them
        self._kept: set[Node] = set()
        #: the engines to notify after the turn, and the nodes that they are given
        self._news: dict[str, list[Key]] = {}
        self._stop: BaseException | None = None
        self._looked = time.monotonic()

    def begin(self, walk: Walk) -> None:
        state: dict = {sync_point_rows.DELETING: self._stack.run.deleting}
        if walk.seconds_left() < math.inf:
            state[sync_point_rows.ENDS_AT] = time.time() + walk.seconds_left()
        self._points.begin(state)
        self._news = {engine_id: [] for engine_id in self._elsewhere.values()}

    def busy_names(self) -> set[str]:
        found = map(self._stack.records.by_id.get, self._elsewhere)
        return {record.name for record in found if record is not None}

    # ------------------------------------------------------------ giving

    def gives(self, walk: Walk, node: Node) -> bool:
        at_work = len(walk.group.running) - len(self.given)
        engine_id = min(self._others, key=self._loads.__getitem__, default=None)
        if engine_id is None or at_work <= max(KEPT_NODES, self._loads[engine_id]):
            return False
        record = nodes.record_of(self._stack, node)
        key = self._points.key_of(node)
        if record is None or key is None or node in self._kept or not self._can_give(node, record):
            return False
        record.set(engine_id=engine_id)
        self.given[node] = key[0]
        self._loads[engine_id] += 1
        self._points.give(node, engine_id)
        self._news.setdefault(engine_id, []).append(key)
        return True

    def _can_give(self, node: Node, record: Record) -> bool:
        """Return whether the row alone says what to do, and shows afterwards whether it was done.

        A step that may be refused, paused or repeated stays here, as do those without calls.
        """
        stack, registry = self._stack, self._stack.template.environment.registry
        if record.status != status.COMPLETE or recovery.is_interrupted(stack, record):
            return False
        if stack.action in status.KEEPING and record.action in (status.INIT, status.DELETE):
            return False
        if stack.action == status.RESUME and record.action not in (status.SUSPEND, status.RESUME):
            return False
        if stack.run.force or stack.run.forbid_replacement or stack.action == status.ADOPT:
            return False
        if registry.hooks(record.name) or registry.restricted_actions(record.name):
            return False
        definitions = [stack.resource_of(record).definition]
        if node.forward:
            definitions.append(stack.definitions[record.name])
        return not any(
            each.external_id is not None or resource.class_or_unknown(stack.class_of, each).local
            for each in definitions
        )

    # ------------------------------------------------------------ what has come of it

    def look(self, walk: Walk, is_asked: bool) -> None:
        is_due = time.monotonic() - self._looked > LOOK_SECONDS
        if not (self.given or self._elsewhere) or not (is_asked or is_due):
            return
        self._looked = time.monotonic()
        stack = self._stack
        held, taken = hold_rows(stack)
        ended = [node for node, row in self.given.items() if row not in held]
        freed = [row for row in self._elsewhere if row not in held]
        names = {steps.resource_name(stack, node) for node in ended}
        names.update(
            record.name for record in map(stack.records.by_id.get, freed) if record is not None
        )
        nodes.refresh(stack, filter(None, names), (walk, *stack.run.draining))
        if freed:
            recovery.renew(stack)
        self._elsewhere = {row: held[row] for row in self._elsewhere if row in held}
        for node in ended:
            is_taken = self.given.pop(node) in taken
            self._take_result(walk, node, is_taken)
        self._loads = collections.Counter(held[row] for row in self.given.values())
        if is_due:
            for engine_id in {*self._loads, *self._elsewhere.values()}:
                self._news.setdefault(engine_id, [])
        if taken:
            quarantine.extend(stack, _interrupted(stack, taken))
            gone = stack.runtime.placement.gone_engines(set(self._others))
            self._others = [each for each in self._others if each not in gone]

    def _take_result(self, walk: Walk, node: Node, is_taken: bool) -> None:
        """End a node by what its row says, or run its step here."""
        record = nodes.record_of(self._stack, node)
        if is_taken:
            walk.group.reopen(node)
        elif record is not None and record.status == status.FAILED:
            walk.finish(node, self._failure(record))
        elif self._stop is not None or self._is_done(node, record):
            walk.finish(node)
        else:
            self._kept.add(node)
            walk.group.reopen(node)

    def _is_done(self, node: Node, record: Record | None) -> bool:
        action = self._stack.action
        if record is None:
            return not node.forward
        if record.status != status.COMPLETE:
            return False
        if action in status.KEEPING:
            return record.action == action
        is_applied = record.current_template_id == self._stack.template_id
        return node.forward and is_applied and record.action != status.INIT

    def _failure(self, record: Record) -> BaseException:
        """Note the failure of a resource in another engine; return it."""
        found = self._stack.resource_of(record)
        is_aborted = record.status_reason.startswith(f'{record.action} aborted (')
        if is_aborted and isinstance(self._stop, scheduler.Cancelled):
            return self._stop
        failures.note(found, record.action, record.status_reason)
        if is_aborted and self._stop is not None:
            return self._stop
        return steps.recorded_failure(record.name, record.action, record.status_reason)

    # ------------------------------------------------------------ the turn

    def end_node(self, node: Node, error: BaseException | None) -> None:
        super().end_node(node, error)
        self._points.end_node(node, error is None)

    def before_write(self, walk: Walk) -> None:
        self._points.pass_on()

    def written(self, walk: Walk) -> None:
        news, self._news = self._news, {}
        for engine_id, keys in news.items():
            self._stack.runtime.workers.look(
                self._stack, engine_id, self._points.traversal_id, keys
            )

    def stop(self, error: BaseException) -> bool:
        engines = {*self._loads, *self._elsewhere.values()}
        if self._stop is not None or not engines:
            return False
        self._stop = error
        self._points.stop(TIMEOUT if isinstance(error, scheduler.Timeout) else str(error))
        for engine_id in engines:
            self._news.setdefault(engine_id, [])
        return True

    def pause(self) -> float:
        return LOOK_SECONDS if self.given or self._elsewhere else math.inf

    # ------------------------------------------------------------ the end

    def end(self, has_failed: bool) -> None:
        """Let go of the rows that are left of dead engines, and of the sync points."""
        stack = self._stack
        at_work = nodes.records_at_work(stack, stack.run.draining)
        for record in stack.records.all():
            if record.engine_id not in (None, self._engine_id) or record in at_work:
                continue
            if record.engine_id is not None:
                record.set(engine_id=None)
            if has_failed and record.status == status.IN_PROGRESS:
                reason = f'{record.action} aborted (the engine that worked on it is gone)'
                item = stack.resource_of(record)
                lifecycle.state_set(item, record.action, status.FAILED, reason)
        stack.journal.clear_points()


def hold_rows(stack: Stack) -> tuple[dict[int, str], set[int]]:
    """Return the rows that other living engines hold, and those taken over from dead ones now."""
    runtime = stack.runtime
    held = traversals.rows_elsewhere(stack.id, runtime.engine_id)
    gone = runtime.placement.gone_engines(set(held.values()))
    taken: set[int] = set()
    if gone:
        LOG.warning('%s: engines %s are gone, their resources go on here', stack, sorted(gone))
        taken = traversals.take_rows(stack.id, gone, runtime.engine_id)
    return {row: engine_id for row, engine_id in held.items() if engine_id not in gone}, taken


def _interrupted(stack: Stack, rows: Collection[int]) -> set[str]:
    """Return the names of the resources in whose work an engine died."""
    found = (record for record in map(stack.records.by_id.get, rows) if record is not None)
    return {record.name for record in found if record.status == status.IN_PROGRESS}
