"""The walker of all engines: each one works on the nodes that it is given (convergence).

The engine that holds the stack lock, here called home, begins and ends the traversal. It and the
others walk the same graph: what ends is passed on by the sync points in the database, and a message
only tells another engine to look there, so it may be lost, repeated or late. What differs from
``traversal`` is where a node waits for those before it; steps, journal and task pool are the same.

Tests: tests/functional/test_convergence.py, tests/chaos/test_convergence.py.
"""

import functools
import time
from collections.abc import Collection, Generator, Iterable, Mapping
from typing import Any

from heat_lite.db import sync_points
from heat_lite.db import traversals as db_traversals
from heat_lite.db.sync_points import Key
from heat_lite.engine import scheduler
from heat_lite.engine.execution import nodes, steps, traversal
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.execution.sync_point_group import SyncPointGroup

#: seconds between two looks at what other engines do, in case a message was lost
LOOK_SECONDS = 5.0
# keys of the data of a stack's sync point
DELETING, ENDS_AT, STOPPED, FAILURES = 'deleting', 'ends_at', 'stopped', 'failures'


class ConvergedTraversal(traversal.Traversal):
    """The part that one engine takes in a traversal; base of the walks of home and of a worker."""

    is_home = False
    _group: SyncPointGroup

    def __init__(self, stack: Any, graph: dict[Node, set[Node]], *args: Any) -> None:
        self._keys: dict[Node, Key] = {}
        self.id = ''
        self._engine_id = stack.runtime.engine_id
        self._should_look = False
        self._looked = time.monotonic()
        #: whether another engine works on the traversal, too
        self._is_shared = False
        self._is_ended = False
        self._is_stale = False
        #: whether changes of this engine were dropped, since another one held the rows
        self._has_lost = False
        #: nodes that the database has given to this engine after they had ended here
        self._given_late: list[Node] = []
        #: the keys of the nodes whose failure in another engine is noted
        self._noted: list[list] = []
        super().__init__(stack, graph, *args)
        # A handler that writes in the middle would let go of the row of a node that has ended, and
        # another engine might be given the next node, which this one begins in the same turn.
        self._undisturbed = stack.journal.flushing

    def _group_of(self, graph: dict[Node, set[Node]]) -> SyncPointGroup:
        self._keys = self._keys_of(graph)
        return SyncPointGroup(
            graph,
            self._keys,
            self._engine_id,
            functools.partial(nodes.describe, self._stack, self._engine_id),
            lambda node, error: nodes.describe_error(
                self._stack, self._engine_id, self._keys[node], error
            ),
            others=self._stack.runtime.placement.other_engines(),
            share_above=nodes.share_above(self._stack),
            is_home=self.is_home,
            **self._group_options(),
        )

    def _keys_of(self, graph: dict[Node, set[Node]]) -> dict[Node, Key]:
        raise NotImplementedError

    # ------------------------------------------------------------ nodes and rows

    def _begin(self, node: Node, begun: list[traversal.Begun]) -> None:
        self._stack.journal.lost.regain(nodes.records_of(self._stack, node))
        super()._begin(node, begun)
        if node not in self._group.running:
            return
        best = self._stack.best_record(node.key) if node.forward else None
        row = self._keys[node][0]
        for record in nodes.records_of(self._stack, node):
            is_part = record.id in (row, None) or record is best
            if is_part and record.engine_id != self._engine_id:
                record.set(engine_id=self._engine_id)

    def collect(self) -> set[str | None]:
        names = super().collect()
        return names | {self._names[node] for node in self._group.given_up}

    def _finish(self, node: Node, error: BaseException | None = None) -> None:
        if node in self._group.given_up:
            self._group.given_up.discard(node)
            return
        if isinstance(error, scheduler.Abandoned):
            # another engine has the row: it is read again if this one is given the node once more
            self._group.drop(node)
            self._group.given_up.discard(node)
            self._group.foreign.add(self._keys[node][0])
            self._should_look = True
            return
        self._release(node)
        super()._finish(node, error)

    def _release(self, node: Node, keep: Collection[int | None] = ()) -> None:
        """Let go of the rows of an ended node, but for those in ``keep``.

        After a preemption the next walk does.
        """
        if self._stack.journal.participant in (None, self._group):
            for record in nodes.records_of(self._stack, node):
                if record.engine_id == self._engine_id and record.id not in keep:
                    record.set(engine_id=None)

    # ------------------------------------------------------------ the turn

    def _before_turn(self) -> None:
        is_due = time.monotonic() - self._looked > LOOK_SECONDS
        if self._should_look or is_due and (self._is_shared or not self._group.running):
            self._should_look = False
            self._look()

    @property
    def _collects_errors(self) -> bool:
        return self._group_options()['aggregate_exceptions']

    def _begin_ready(self) -> tuple[list[traversal.Begun], bool]:
        result = super()._begin_ready()
        if self._outcome.stopped or self._group.errors and not self._collects_errors:
            self._drop_ready()
        self._group.is_idle = not (
            self._group.running or self._group.ready() or self._collect_draining()
        )
        return result

    def _drop_ready(self) -> None:
        """Give up what has not begun, after a failure or a stop."""
        for node in self._group.drop_ready():
            self._release(node)

    def _turn(self) -> Generator[Any, None, bool]:
        try:
            cut = yield from super()._turn()
        finally:
            self._group.is_idle = False
        return cut or bool(self._ready(self._collect_draining()))

    def _after_write(self, begun: list[traversal.Begun]) -> list[traversal.Begun]:
        turns, lost = self._group.news()
        if lost:
            begun = self._give_up(lost, begun)
        notify: dict[str, list[Key]] = {}
        for turn in turns:
            self._learn(turn, notify)
        at_work = self._group.rows()
        for node in self._given_late:
            # a row may have been given again meanwhile, for the node that deletes it
            self._release(node, at_work)
        self._given_late = []
        self._group.hold(self._group.rows() | self._rows_of_draining())
        for engine_id, keys in notify.items():
            self._notify(engine_id, keys)
        return begun

    def _learn(self, turn: sync_points.SyncTurn, notify: dict[str, list[Key]]) -> None:
        """Act on the results of a turn; collect the nodes of other engines in ``notify``."""
        if turn.state is None:
            self._is_stale = True
            return
        self._note_state(turn.state)
        self._receive(
            {each.key: each.input_data for each in turn.ready if each.engine_id == self._engine_id}
        )
        for each in turn.ready:
            if each.engine_id != self._engine_id:
                self._group.drop_key(each.key)
                notify.setdefault(each.engine_id, []).append(each.key)
        self._is_shared = self._is_shared or bool(notify)
        self._should_look = self._should_look or turn.is_uncertain
        self._is_ended = self._is_ended or turn.ended
        if self._is_shared and (turn.failures or turn.ended):
            for engine_id in self._engines_to_notify():
                notify.setdefault(engine_id, [])

    def _engines_to_notify(self) -> Iterable[str]:
        """Return the engines that must know of a failure, or of the end."""
        raise NotImplementedError

    def _receive(self, inputs: Mapping[Key, Mapping[str, dict]]) -> None:
        """Take the nodes that this engine was given. Rows changed elsewhere are read again."""
        names = {
            data['name']
            for each in inputs.values()
            for data in each.values()
            if data['engine_id'] != self._engine_id and 'name' in data
        }
        given = self._group.assign(inputs)
        foreign = [node for node in given if self._keys[node][0] in self._group.foreign]
        if names or foreign:
            self._refresh(names | self._names_of(given))
        for node in self._group.nodes_of(inputs):
            record = self._stack.best_record(node.key) if node.forward else None
            for each in nodes.records_of(self._stack, node):
                if each is record or each.id == self._keys[node][0]:
                    each.engine_id = self._engine_id
            if self._group.has_ended(node):
                self._given_late.append(node)

    def _names_of(self, given: Iterable[Node]) -> set[str]:
        names = (steps.resource_name(self._stack, node) for node in given)
        return {name for name in names if name is not None}

    def _refresh(self, names: Iterable[str] | None = None) -> None:
        """Read rows again, except those that this engine works on."""
        keep = nodes.records_at_work(self._stack, (self, *self._stack.run.draining))
        self._stack.refresh_rows(names, keep)
        self._stack.stored_rows()

    def _give_up(self, rows: set[int], begun: list[traversal.Begun]) -> list[traversal.Begun]:
        """Drop the nodes whose rows another engine holds; return the begun nodes that go on."""
        lost = {
            node
            for node in (*self._group.running, *self._group.ready())
            if self._keys[node][0] in rows
        }
        self._has_lost = True
        self._group.reopen(rows)
        for walk in self._stack.run.draining:
            walk.throw(scheduler.Abandoned(), rows)
        for node in lost:
            job = self._group.drop(node)
            if job is not None:
                job.throw(scheduler.Abandoned())
        for node, runner in begun:
            if node in lost:
                runner.cancel()
        self._refresh(self._names_of(lost))
        self._should_look = True
        return [(node, runner) for node, runner in begun if node not in lost]

    # ------------------------------------------------------------ other engines

    def _look(self) -> None:
        """Read what this engine has to do, and what has happened elsewhere."""
        self._looked = time.monotonic()
        view = db_traversals.look(
            self._stack.context, self._stack.id, self._engine_id, self._group.counts
        )
        if view.state is None or view.traversal_id != self.id:
            self._is_stale = True
            return
        self._note_state(view.state)
        ready = {
            key: data for key, data in view.inputs.items() if self._group.is_complete(key, data)
        }
        # of a row that is also to be deleted, the first node has ended
        ready = {
            (row, way): data
            for (row, way), data in ready.items()
            if not way or (row, False) not in ready
        }
        working = self._group.rows() | self._rows_of_draining()
        self._receive({key: data for key, data in ready.items() if key[0] not in working})
        self._look_at_others(view)

    def _rows_of_draining(self) -> set[int]:
        draining = nodes.records_at_work(self._stack, self._stack.run.draining)
        return {record.id for record in draining}

    def _look_at_others(self, view: db_traversals.View) -> None:
        """Act on what other engines hold."""

    def _note_state(self, state: dict) -> None:
        """Learn of failures and of a stop, from the data of the stack's sync point."""
        for entry in state.get(FAILURES, ()):
            if entry['engine_id'] != self._engine_id and entry['key'] not in self._noted:
                self._noted.append(entry['key'])
                self._group.note(nodes.error_of(entry))
        if state.get(STOPPED) and self._outcome.stopped is None:
            self._stop(state[STOPPED], self._error_of_stop(state[STOPPED]))

    def _error_of_stop(self, why: str) -> BaseException:
        if why == traversal.TIMEOUT:
            return scheduler.Timeout(self._stack.timeout_seconds())
        return scheduler.Cancelled()

    def _notify(self, engine_id: str, keys: list[Key]) -> None:
        self._stack.runtime.workers.look(self._stack, engine_id, self.id, keys)

    def _on_look(self) -> None:
        self._should_look = True
        # messages are read after the turn: the look is due in a further one, at once
        self._mailbox.wake()
