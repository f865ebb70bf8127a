"""The places of the dependencies of a cycle, for people."""

import re

from heat_lite.template import source_positions

#: the names of resources, and the dependencies of one, in the error of a cycle
QUOTED = re.compile(r'"([^"]*)"')
DEPENDENCIES = re.compile(r'"([^"]*)": \{([^{}]*)\}')


def cycle_lines(name: str, text: str, source: str) -> list[str]:
    """Return a line for each dependency of a cycle, with the place of its reference.

    ``text``: the error, with ``Type "resource": {Type "other", ...}`` for each resource.
    """
    graph = {found[1]: QUOTED.findall(found[2]) for found in DEPENDENCIES.finditer(text)}
    positions = source_positions.Positions(source)
    lines = []
    for resource, other in _cycle(graph):
        paths = (('resources', resource), ('Resources', resource))
        place = next(filter(None, (positions.find_text(each, other) for each in paths)), None)
        where = f'{name}:{place[0]}:{place[1]}: ' if place else ''
        lines.append(f'  {where}{resource} needs {other}')
    return lines


def _cycle(graph: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Return the edges of one cycle; none if the graph has none."""
    path = list(graph)[:1]
    while path:
        following = next((each for each in graph[path[-1]] if each in graph), None)
        if following is None:
            return []
        path.append(following)
        if following in path[:-1]:
            path = path[path.index(following) :]
            return list(zip(path, path[1:], strict=False))
    return []
