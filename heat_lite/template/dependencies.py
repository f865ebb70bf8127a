"""A graph of what must come before what. Nodes are any hashable things."""

from heat_lite.common import exception


class Dependencies:
    """Made of edges ``(requirer, required)``; ``(node, None)`` adds a node that requires nothing.

    Iterating gives each node after all that it requires, and raises CircularDependencyException where that is impossible. ``label``
    says what a node is called in its text.
    """

    def __init__(self, edges=(), label=str):
        self._label = label
        self._requires = {}
        self._required_by = {}
        for requirer, required in edges:
            self.add(requirer, required)

    def add(self, requirer, required=None):
        self._node(requirer)
        if required is not None:
            self._node(required)
            self._requires[requirer][required] = None
            self._required_by[required][requirer] = None

    def _node(self, node):
        # dicts as sets that keep their order: the walk of a stack should not differ from run to run
        if node not in self._requires:
            self._requires[node] = {}
            self._required_by[node] = {}

    def requires(self, node):
        """What must directly come before a node."""
        return set(self._requires[node])

    def required_by(self, node):
        """What a node must directly come before."""
        return set(self._required_by[node])

    def roots(self):
        """The nodes that nothing requires."""
        return [node for node, users in self._required_by.items() if not users]

    def leaves(self):
        """The nodes that require nothing."""
        return [node for node, required in self._requires.items() if not required]

    def reversed(self):
        """The same graph with all edges turned round."""
        turned = Dependencies((node, None) for node in self._requires)
        for node, required in self._requires.items():
            for other in required:
                turned.add(other, node)
        return turned

    def graph(self):
        """``{node: set of what it requires}``, a copy."""
        return {node: set(required) for node, required in self._requires.items()}

    def __getitem__(self, node):
        """The part of the graph that a node is in: the node and all that, directly or not, require it."""
        part = Dependencies([(node, None)])
        waiting = [node]
        while waiting:
            required = waiting.pop()
            for user in self._required_by[required]:
                if user not in part:
                    waiting.append(user)
                part.add(user, required)
        return part

    def __contains__(self, node):
        return node in self._requires

    def __len__(self):
        return len(self._requires)

    def __iter__(self):
        return iter(self.order())

    def order(self):
        """A list of all nodes, each after what it requires."""
        missing = {node: len(required) for node, required in self._requires.items()}
        ready = [node for node, count in missing.items() if not count]
        for node in ready:  # grows while it is walked
            for user in self._required_by[node]:
                missing[user] -= 1
                if not missing[user]:
                    ready.append(user)
        if len(ready) < len(missing):
            raise exception.CircularDependencyException(cycle=self._stuck(set(missing).difference(ready)))
        return ready

    def _stuck(self, nodes):
        """The circles, and what waits for them."""
        edges = ((node, other) for node in self._requires if node in nodes for other in self._requires[node] if other in nodes)
        return Dependencies(edges, self._label)

    def __str__(self):
        parts = []
        for node, required in self._requires.items():
            inside = ', '.join(self._label(other) for other in required)
            parts.append(f'{self._label(node)}: {{{inside}}}' if required else self._label(node))
        return '{' + ', '.join(parts) + '}'

    def __repr__(self):
        return f'<Dependencies {self}>'
