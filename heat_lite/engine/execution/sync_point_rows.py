"""The sync points of a traversal and its graph, as Heat's tools read them (convergence).

The engine that holds the stack lock writes them. Other engines read the options of the traversal,
and which nodes they were given.

Tests: tests/functional/test_convergence_engines.py.
"""

import uuid
from collections.abc import Collection, Mapping

from heat_lite.common.value_types import Values
from heat_lite.db import traversals
from heat_lite.db.sync_points import Key
from heat_lite.engine.execution import nodes
from heat_lite.engine.execution.plan import Node
from heat_lite.engine.stack.stack import Stack

# keys of the data of the stack's own sync point
DELETING, ENDS_AT, STOPPED = 'deleting', 'ends_at', 'stopped'


class SyncPointRows:
    """The sync points of one traversal over ``graph``, written with the turns of the journal.

    A node without a row has none.
    """

    def __init__(self, stack: Stack, graph: Mapping[Node, Collection[Node]]) -> None:
        self.traversal_id = str(uuid.uuid4())
        self._stack = stack
        self._state: Values = {}
        self._keys: dict[Node, Key] = {}
        for node in graph:
            record = nodes.record_of(stack, node)
            if record is not None and record.id is not None:
                self._keys[node] = record.id, node.forward
        self._after: dict[Node, list[Node]] = {}
        for node, before in graph.items():
            for first in before:
                self._after.setdefault(first, []).append(node)
        self._before = {
            self._keys[node]: {self._keys[first] for first in graph[node] if first in self._keys}
            for node in self._keys
        }
        #: the data of the nodes before each node that has not ended, and its engine
        self._inputs: dict[Node, Values] = {}
        self._given: dict[Node, str] = {}
        self._versions: dict[Node | None, int] = {}
        self._passed: list[Node] = []
        self._ended: set[Node] = set()

    def begin(self, state: Values) -> None:
        """Store the graph and a sync point for each node in the place of those before."""
        journal, self._state = self._stack.journal, state
        self._stack.store(current_traversal=self.traversal_id)
        journal.stack(current_deps=traversals.deps_column(self._before))
        journal.clear_points()
        for node in self._keys:
            self._put(node)
        self._put(None)

    def key_of(self, node: Node) -> Key | None:
        """Return the key of a node, None where it has no row."""
        return self._keys.get(node)

    def give(self, node: Node, engine_id: str) -> None:
        """Name the engine that is to run the step of a node."""
        self._given[node] = engine_id
        self._put(node)

    def stop(self, reason: str) -> None:
        """Tell other engines to end their steps."""
        self._state[STOPPED] = reason
        self._put(None)

    def end_node(self, node: Node, is_passed: bool) -> None:
        """Note the end of a node; with ``is_passed``, those after it may start."""
        self._ended.add(node)
        self._inputs.pop(node, None)
        if is_passed and node in self._after and node in self._keys:
            self._passed.append(node)

    def pass_on(self) -> None:
        """Store the data of nodes that have ended with those after them that have not."""
        passed, self._passed = self._passed, []
        changed: dict[Node, None] = {}
        for node in passed:
            data = self._describe(node)
            for after in self._after[node]:
                if after in self._keys and after not in self._ended:
                    self._inputs.setdefault(after, {})[str(list(self._keys[node]))] = data
                    changed[after] = None
        for node in changed:
            self._put(node)

    def _describe(self, node: Node) -> Values:
        data: Values = {'engine_id': self._stack.runtime.engine_id}
        record = self._stack.records.best(node.key) if node.forward else None
        if record is not None:
            names = ('id', 'name', 'uuid', 'action', 'status')
            data.update((name, getattr(record, name)) for name in names)
        return data

    def _put(self, node: Node | None) -> None:
        """Store the sync point of a node, or that of the stack: None."""
        version = self._versions[node] = self._versions.get(node, -1) + 1
        entity, is_update = (self._stack.id, True) if node is None else self._keys[node]
        extra: Values | None = None
        if node is None:
            extra = dict(self._state)
        elif node in self._given:
            extra = {traversals.ENGINE: self._given[node]}
        self._stack.journal.put_point(
            {
                'entity_id': str(entity),
                'traversal_id': self.traversal_id,
                'is_update': is_update,
                'atomic_key': version,
                'stack_id': self._stack.id,
                'input_data': {} if node is None else dict(self._inputs.get(node, {})),
                'extra_data': extra,
            }
        )
