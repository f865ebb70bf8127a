"""The nodes of a traversal of all engines that this engine works on.

The group stages what has ended for the next turn of the journal, which passes it on to the sync
points (see ``db.sync_points``), and receives the nodes that this engine is given. A node whose
required nodes have all ended here is begun at once: no other engine can be given it.

Tests: tests/unit/engine/execution/test_sync_point_group.py.
"""

import threading
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from heat_lite.common import cooperation
from heat_lite.db.sync_points import KEPT_NODES, Key, SyncTurn
from heat_lite.engine import scheduler
from heat_lite.engine.execution.plan import Node


class SyncPointGroup(scheduler.DependencyTaskGroup):
    """A DependencyTaskGroup of the nodes of one engine, and its part in the journal's turns.

    ``graph`` and ``keys`` have all nodes of the traversal. ``describe(node)`` returns the data of
    an ended node for those after it, ``describe_error(node, error)`` the entry of a failed one.
    ``others``: the ids of the other living engines.
    """

    def __init__(
        self,
        graph: Mapping[Node, Collection[Node]],
        keys: Mapping[Node, Key],
        engine_id: str,
        describe: Any,
        describe_error: Any,
        others: Collection[str] = (),
        share_above: int = KEPT_NODES,
        is_home: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(graph, **options)
        self._ready = {}
        self._keys = keys
        self._nodes = {key: node for node, key in keys.items()}
        self._before = {key: len(graph[node]) for node, key in keys.items()}
        self._after = dict(self._dependants)
        self._engine_id, self._is_home = engine_id, is_home
        self._describe, self._describe_error = describe, describe_error
        #: the other engines, and the number of ready nodes above which these are shared with them
        self.others, self.share_above = list(others), share_above
        #: rows that other engines held when the traversal began: those pass them on themselves
        self.foreign: set[int] = set()
        #: nodes that another engine works on now, and whose handlers here have not ended yet
        self.given_up: set[Node] = set()
        #: the id of the traversal
        self.traversal_id = ''
        #: set by the walker while it writes a turn with nothing left to do
        self.is_idle = False
        self._guard = threading.Lock()
        #: the nodes that have ended here: the database may still name this engine as their holder
        self._done: set[Node] = set()
        self._ended: list[tuple[Node, BaseException | None]] = []
        #: the nodes without a failure that ended in the turn that is written
        self._passed: list[Node] = []
        self._drained: list[int] = []
        self._held: set[int] = set()
        self._saved: list[SyncTurn] = []
        self._lost: set[int] = set()

    # ------------------------------------------------------------ for the walker

    def ready(self) -> list[Node]:
        return [node for node in super().ready() if node not in self.given_up]

    def rows(self) -> set[int]:
        """Return the ids of the rows that this engine works on or is about to."""
        return {self._keys[node][0] for node in (*self.running, *self._ready)}

    def assign(self, keys: Iterable[Key]) -> list[Node]:
        """Take nodes that this engine was given; return those that are new here."""
        new = [
            node
            for node in cooperation.each(self.nodes_of(keys))
            if not (node in self.running or node in self._ready or node in self._done)
        ]
        self._ready.update(dict.fromkeys(new))
        return new

    def nodes_of(self, keys: Iterable[Key]) -> list[Node]:
        return [self._nodes[key] for key in keys if key in self._nodes]

    def has_ended(self, node: Node) -> bool:
        """Return whether the work on a node has ended in this engine."""
        return node in self._done

    def nodes_elsewhere(self) -> list[Node]:
        """Return the nodes whose work has not ended in this engine."""
        return [node for node in cooperation.each(self._keys) if node not in self._done]

    @property
    def counts(self) -> Mapping[Key, int]:
        """The number of nodes before each node."""
        return self._before

    def is_complete(self, key: Key, inputs: Mapping[str, Any]) -> bool:
        """Return whether the node may start: all nodes before it have ended."""
        return key in self._before and len(inputs) >= self._before[key]

    def drop_ready(self) -> list[Node]:
        """Give up the nodes that have not begun, after a failure or a stop; return them."""
        dropped, self._ready = list(self._ready), {}
        return dropped

    def drop(self, node: Node) -> Any:
        """Forget a node that another engine works on now; return its job, which has to end."""
        self._ready.pop(node, None)
        job = self.running.pop(node, None)
        if job is not None:
            self.given_up.add(node)
        return job

    def reopen(self, rows: Collection[int]) -> None:
        """Forget that nodes have ended here: their results were dropped with the rows."""
        self._done.difference_update([node for node in self._done if self._keys[node][0] in rows])

    def drop_key(self, key: Key) -> None:
        """Forget a node that has not begun: another engine was given it."""
        self._ready.pop(self._nodes[key], None)

    def note(self, error: BaseException) -> None:
        """Add the failure of a node in another engine."""
        self.errors.append(error)
        self._failed_at = self._clock() if self._failed_at is None else self._failed_at

    def finish(self, node: Node, error: BaseException | None = None) -> None:
        super().finish(node, error)
        self._done.add(node)
        for dependant in self._after.get(node, ()):
            if self._keys[dependant][0] in self.foreign or self._is_full():
                self._ready.pop(dependant, None)
        with self._guard:
            self._ended.append((node, error))

    def news(self) -> tuple[list[SyncTurn], set[int]]:
        """Return the saved turns and the lost rows that were not returned before."""
        with self._guard:
            saved, self._saved = self._saved, []
            lost, self._lost = self._lost, set()
        return saved, lost

    def _is_full(self) -> bool:
        return bool(self.others) and len(self._ready) > self.share_above

    # ------------------------------------------------------------ for the journal

    @property
    def dirty(self) -> bool:
        return bool(self._ended or self._drained)

    def drain(self, row: int) -> None:
        """Note that the work on a row for an earlier traversal has ended."""
        with self._guard:
            self._drained.append(row)

    def take(self) -> SyncTurn:
        """Return the part of the next turn, and begin a new one."""
        with self._guard:
            ended, self._ended = self._ended, []
            drained, self._drained = self._drained, []
        turn = SyncTurn(
            self.traversal_id,
            self._engine_id,
            held=frozenset(self._held),
            stops_at_failure=not self._aggregate,
            engines=self.others,
            share_above=self.share_above,
            is_idle=self.is_idle,
            is_home=self._is_home,
            is_outdated=bool(self._lost),
        )
        self._passed = [node for node, error in ended if error is None]
        gone = {node for node, _ in ended}
        rows = {self._keys[node][0] for node in gone}
        drained = [row for row in drained if row not in rows]
        for node, error in cooperation.each(ended):
            if error is not None:
                turn.failures.append(self._describe_error(node, error))
                continue
            data = str(list(self._keys[node])), self._describe(node)
            for dependant in self._after.get(node, ()):
                if dependant not in gone:
                    turn.inputs.setdefault(self._keys[dependant], {})[data[0]] = data[1]
        turn.drained = drained
        own = [(row, way) for row in drained for way in (True, False)]
        turn.needed = {
            key: self._before[key] for key in (*turn.inputs, *own) if key in self._before
        }
        return turn

    def saved(self, turn: SyncTurn) -> None:
        """Keep the results of a turn for the walker."""
        with self._guard:
            self._saved.append(turn)

    def lost(self, rows: Collection[int], turn: SyncTurn | None) -> None:
        """Take what ended on lost rows out of a turn; pass on to them what ended on others."""
        with self._guard:
            self._lost.update(rows)
        if turn is None:
            return
        names = {str([row, way]) for row in rows for way in (True, False)}
        turn.failures = [each for each in turn.failures if each['key'][0] not in rows]
        turn.drained = [row for row in turn.drained if row not in rows]
        turn.inputs = {
            key: {name: data for name, data in inputs.items() if name not in names}
            for key, inputs in turn.inputs.items()
        }
        for node in self._passed:
            if self._keys[node][0] not in rows:
                self._pass_to_lost(node, rows, turn)

    def _pass_to_lost(self, node: Node, rows: Collection[int], turn: SyncTurn) -> None:
        for dependant in self._after.get(node, ()):
            key = self._keys[dependant]
            if key[0] in rows:
                data = {str(list(self._keys[node])): self._describe(node)}
                turn.inputs.setdefault(key, {}).update(data)
                turn.needed[key] = self._before[key]

    def hold(self, rows: Iterable[int]) -> None:
        """Note the rows that this engine holds in the database."""
        self._held = set(rows)
