"""From (method, path) to what serves it: a tree of path segments, so a lookup costs a few dictionary reads."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import webob.exc


class Route(NamedTuple):
    """What serves a request: a callable, and the policy rule that is checked before it (None: it checks itself)."""

    action: Callable[..., Any]
    rule: str | None


@dataclasses.dataclass
class Node:
    """One segment of a path: fixed words below it, or one gap that takes any."""

    words: dict[str, 'Node'] = dataclasses.field(default_factory=dict)
    gap: 'Node | None' = None
    gap_name: str = ''
    routes: dict[str, Route] = dataclasses.field(default_factory=dict)
    rest: dict[str, 'Node'] = dataclasses.field(default_factory=dict)


class Router:
    """Finds routes. Fixed words win over gaps, but only where they know the method: PUT /stacks/detail is about a stack of that name."""

    def __init__(self):
        self._root = Node()

    def add(self, method, path, route):
        """``path`` is words and {gaps} between slashes; a last part ``{name:prefix*}`` takes the rest of a path that begins so."""
        node = self._root
        for part in path.split('/'):
            if part.endswith('*}'):
                self._add_rest(node, method, part, route)
                return
            node = _below(node, part)
        node.routes[method] = route

    def _add_rest(self, node, method, part, route):
        name, _, prefix = part[1:-2].partition(':')
        node.rest[prefix] = node.rest.get(prefix) or Node(gap_name=name)
        node.rest[prefix].routes[method] = route

    def find(self, method, path):
        """The route and what stands in the gaps. HTTPNotFound, HTTPMethodNotAllowed with the methods that would do."""
        places = list(_places(self._root, _segments(path), {}))
        for node, gaps in places:
            if method in node.routes:
                return node.routes[method], gaps
        if not places:
            raise webob.exc.HTTPNotFound()
        allowed = list(dict.fromkeys(name for node, _ in places for name in node.routes))
        raise webob.exc.HTTPMethodNotAllowed(headers={'Allow': ','.join(allowed)})


def _below(node, part):
    if not part.startswith('{'):
        return node.words.setdefault(part, Node())
    if node.gap is None:
        node.gap, node.gap_name = Node(), part[1:-1]
    return node.gap


def _segments(path):
    """Doubled slashes count as one; one at the end does not, so that /stacks/ is not /stacks."""
    parts = path.split('/')
    return [part for part in parts[:-1] if part] + parts[-1:]


def _places(node, segments, gaps):
    """All nodes that a path leads to, the most literal first."""
    if not segments:
        if node.routes:
            yield node, gaps
        return
    first, rest = segments[0], segments[1:]
    for prefix, tail in node.rest.items():
        if first.startswith(prefix):
            yield tail, {**gaps, tail.gap_name: '/'.join(segments)}
            return
    if first in node.words:
        yield from _places(node.words[first], rest, gaps)
    if node.gap is not None and first:
        yield from _places(node.gap, rest, {**gaps, node.gap_name: first})
