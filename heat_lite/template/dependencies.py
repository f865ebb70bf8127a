"""Dependency graphs: which node must precede which. Nodes are any hashable objects."""

import itertools
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any

from heat_lite.common import exception


def reached(graph: Mapping[Any, Iterable[Any]], starts: Iterable[Any]) -> set[Any]:
    """Return all nodes that follow ``starts`` in ``{node: following nodes}``."""
    found, waiting = set(), list(starts)
    while waiting:
        for node in graph.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


class Dependencies:
    """A graph from edges ``(requirer, required)``; ``(node, None)`` adds a node without edges.

    Iteration yields each node after all nodes that it requires. It raises
    CircularDependencyException if there is a cycle.
    """

    def __init__(self, edges: Iterable[tuple[Hashable, Hashable]] = ()) -> None:
        self._requires: dict[Hashable, dict[Hashable, None]] = {}
        self._required_by: dict[Hashable, dict[Hashable, None]] = {}
        for requirer, required in edges:
            self.add(requirer, required)

    def add(self, requirer: Hashable, required: Hashable = None) -> None:
        self._node(requirer)
        if required is not None:
            self._node(required)
            self._requires[requirer][required] = None
            self._required_by[required][requirer] = None

    def _node(self, node: Hashable) -> None:
        # dicts serve as ordered sets, so that the traversal order of a stack is deterministic
        self._requires.setdefault(node, {})
        self._required_by.setdefault(node, {})

    def requires(self, node: Hashable) -> set:
        """Return the direct dependencies of a node."""
        return set(self._requires[node])

    def required_by(self, node: Hashable) -> set:
        """Return the nodes that directly depend on a node."""
        return set(self._required_by[node])

    def graph(self) -> dict[Any, set]:
        """Return a new dict ``{node: set of direct dependencies}``."""
        return {node: set(required) for node, required in self._requires.items()}

    def __getitem__(self, node: Hashable) -> 'Dependencies':
        """Return the subgraph of a node and all its direct and indirect dependents."""
        subgraph = Dependencies([(node, None)])
        pending = [node]
        while pending:
            required = pending.pop()
            for dependent in self._required_by[required]:
                if dependent not in subgraph:
                    pending.append(dependent)
                subgraph.add(dependent, required)
        return subgraph

    def __contains__(self, node: object) -> bool:
        return node in self._requires

    def __len__(self) -> int:
        return len(self._requires)

    def __iter__(self) -> Iterator:
        return iter(self.order())

    def order(self) -> list:
        """Return all nodes in topological order, each node after its dependencies."""
        unmet = {node: len(required) for node, required in self._requires.items()}
        ready = [node for node, count in unmet.items() if not count]
        for node in ready:  # the list grows during the iteration
            for dependent in self._required_by[node]:
                unmet[dependent] -= 1
                if not unmet[dependent]:
                    ready.append(dependent)
        if len(ready) < len(unmet):
            cycle = self._cycle([node for node, count in unmet.items() if count])
            edges = itertools.pairwise([*cycle, cycle[0]])
            text = ', '.join(f'"{node}" needs "{other}"' for node, other in edges)
            raise exception.CircularDependencyException(cycle=text, subject=cycle[0])
        return ready

    def _cycle(self, nodes: Collection[Hashable]) -> list[Hashable]:
        """Return the nodes of a cycle, each before one that it requires.

        Each of ``nodes`` requires another one of them, or itself.
        """
        unmet = set(nodes)
        node, path = next(iter(nodes)), dict[Hashable, None]()
        while node not in path:
            path[node] = None
            node = next(other for other in self._requires[node] if other in unmet)
        return list(itertools.dropwhile(lambda each: each != node, path))

    def __repr__(self) -> str:
        return f'<Dependencies {self.graph()}>'
