"""Router from method and path to an action, by a Routes mapper."""

import re
from collections.abc import Callable
from typing import NamedTuple

import routes
import webob.exc

from heat_lite.common.value_types import Value

#: it takes the request, and the gaps of the path by name
Action = Callable[..., Value]


class Route(NamedTuple):
    """An action and its policy rule; with the rule None the action enforces the policy itself."""

    action: Action
    rule: str | None
    #: e.g. ``stacks.create``
    name: str = ''
    #: whether its body may be anything, not only a JSON object
    takes_any: bool = False


class Router:
    """Router of requests.

    A literal part of a path precedes a gap, but only for its methods: PUT /stacks/detail is a
    request for the stack "detail".
    """

    def __init__(self) -> None:
        self._paths: dict[str, dict[str, Route]] = {}
        self._mapper: routes.Mapper | None = None

    def add(self, method: str, path: str, route: Route) -> None:
        """Add a route.

        ``path`` consists of words and {gaps}; a last part ``{name:prefix*}`` matches the rest of a
        path that starts with the prefix, slashes included.
        """
        self._paths.setdefault(path, {})[method] = route
        self._mapper = None

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """Return the route of a request and the values of its gaps.

        Raises HTTPNotFound, or HTTPMethodNotAllowed with the allowed methods.
        """
        if self._mapper is None:
            self._mapper = self._create_mapper()
        # several slashes count as one, except at the end: /stacks/ differs from /stacks
        parts = path.split('/')
        url = '/' + '/'.join([part for part in parts[:-1] if part] + parts[-1:])
        found = self._mapper.routematch(url, {'REQUEST_METHOD': method})
        if found is None:
            raise self._error(url)
        gaps, matched = found
        return self._paths[matched.name][method], gaps

    def _create_mapper(self) -> routes.Mapper:
        """Return a mapper; it uses the first match, so the most literal paths are first."""
        mapper = routes.Mapper(always_scan=False)
        mapper.minimization = False
        for path in sorted(self._paths, key=lambda path: [_rank(part) for part in path.split('/')]):
            pattern, requirements = _pattern(path)
            mapper.connect(
                path,
                pattern,
                conditions={'method': list(self._paths[path])},
                requirements=requirements,
            )
        return mapper

    def _error(self, url: str) -> webob.exc.HTTPException:
        allowed: dict[str, None] = {}
        for route in self._mapper.matchlist if self._mapper else ():
            methods = route.conditions['method']
            if route.match(url, {'REQUEST_METHOD': methods[0]}):
                allowed.update(dict.fromkeys(methods))
        if not allowed:
            return webob.exc.HTTPNotFound()
        return webob.exc.HTTPMethodNotAllowed(headers={'Allow': ','.join(allowed)})


def _pattern(path: str) -> tuple[str, dict[str, str]]:
    """Return a path as a pattern of Routes, and the regular expression of a gap with a prefix."""
    head, _, last = path.rpartition('/')
    if not last.endswith('*}'):
        return '/' + path, {}
    name, _, prefix = last[1:-2].partition(':')
    return f'/{head}/{{{name}}}', {name: f'{re.escape(prefix)}.*'}


def _rank(part: str) -> int:
    if part.endswith('*}'):
        return 0
    return 2 if part.startswith('{') else 1
