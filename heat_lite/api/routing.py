"""From (method, path) to what serves it, by a Routes mapper."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import routes
import webob.exc


class Route(NamedTuple):
    """What serves a request: a callable, and the policy rule that is checked before it (None: it checks itself)."""

    action: Callable[..., Any]
    rule: str | None


class Router:
    """Finds routes. Fixed words win over gaps, but only where they know the method: PUT /stacks/detail is about a stack of that name."""

    def __init__(self):
        self._paths: dict[str, dict[str, Route]] = {}
        self._mapper: routes.Mapper | None = None

    def add(self, method, path, route):
        """``path`` is words and {gaps} between slashes; a last part ``{name:prefix*}`` takes the rest of a path that begins so."""
        self._paths.setdefault(path, {})[method] = route
        self._mapper = None

    def find(self, method, path):
        """The route and what stands in the gaps. HTTPNotFound, HTTPMethodNotAllowed with the methods that would do."""
        if self._mapper is None:
            self._mapper = self._mapped()
        # doubled slashes count as one; one at the end does not, so that /stacks/ is not /stacks
        parts = path.split('/')
        url = '/' + '/'.join([part for part in parts[:-1] if part] + parts[-1:])
        found = self._mapper.routematch(url, {'REQUEST_METHOD': method})
        if found is None:
            raise self._refusal(url)
        gaps, matched = found
        return self._paths[matched.name][method], gaps

    def _mapped(self):
        """The mapper takes the first match, so the most literal paths come first."""
        mapper = routes.Mapper(always_scan=False)
        mapper.minimization = False
        for path in sorted(self._paths, key=lambda path: [_rank(part) for part in path.split('/')]):
            pattern, requirements = _pattern(path)
            mapper.connect(path, pattern, conditions={'method': list(self._paths[path])}, requirements=requirements)
        return mapper

    def _refusal(self, url):
        allowed: dict[str, None] = {}
        for route in self._mapper.matchlist:
            methods = route.conditions['method']
            if route.match(url, {'REQUEST_METHOD': methods[0]}):
                allowed.update(dict.fromkeys(methods))
        if not allowed:
            return webob.exc.HTTPNotFound()
        return webob.exc.HTTPMethodNotAllowed(headers={'Allow': ','.join(allowed)})


def _pattern(path):
    """A path in the words of Routes: the pattern, and what a gap that takes the rest must look like."""
    head, _, last = path.rpartition('/')
    if not last.endswith('*}'):
        return '/' + path, {}
    name, _, prefix = last[1:-2].partition(':')
    return f'/{head}/{{{name}}}', {name: f'{re.escape(prefix)}.*'}


def _rank(part):
    if part.endswith('*}'):
        return 0
    return 2 if part.startswith('{') else 1
