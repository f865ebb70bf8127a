"""Where in a text things are: the line and column of each part of a YAML or JSON document, by its path in the data.

Nothing here is needed to read a template: positions are worked out when somebody has to be told where a fault is.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from heat_lite.template import yaml_reader

_LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
_MERGE_KEY = '<<'


class Position(NamedTuple):
    """Both count from one."""

    line: int
    column: int

    @classmethod
    def of(cls, mark):
        return cls(mark.line + 1, mark.column + 1)


START = Position(1, 1)


class Duplicate(NamedTuple):
    """A key that a map has twice: where it is, and where it was first."""

    path: tuple
    position: Position
    first: Position


class Plain(NamedTuple):
    """A value without quotes, as it is written, and what YAML takes it for ('int', 'bool', 'float', 'null', 'str', ...)."""

    path: tuple
    text: str
    kind: str
    position: Position


class Positions:
    """The positions of one text. A text that nobody can read has none: then everything is at its start."""

    def __init__(self, text: str):
        self._root = _composed(text)

    def find(self, path) -> Position:
        """Where the part at a path begins: its key in a map, its first character in a list. What is not there is where its surroundings
        are.

        Paths of errors do not always spell as the text does (``Properties``, ``Value``): upper and lower case count as the same.
        """
        return self.match(path)[0]

    def match(self, path) -> tuple[Position, int]:
        """The same, and how many parts of the path were found."""
        node, position, found = self._root, START if self._root is None else Position.of(self._root.start_mark), 0
        for part in path:
            step = _step(node, part)
            if step is None:
                break
            mark, node = step
            position = Position.of(mark)
            found += 1
        return position, found

    def duplicates(self) -> Iterator[Duplicate]:
        """Keys that a map has more than once: the last one counts, the others are lost."""
        for path, node in self._maps():
            first: dict[str, Position] = {}
            for key, _value in node.value:
                if _is_merge(key) or not isinstance(key, yaml.ScalarNode):
                    continue
                name, position = _name(key), Position.of(key.start_mark)
                if name in first:
                    yield Duplicate((*path, name), position, first[name])
                first.setdefault(name, position)

    def plain(self) -> Iterator[Plain]:
        """All values that are written without quotes."""
        for path, node in self._nodes():
            if isinstance(node, yaml.ScalarNode) and not node.style:
                yield Plain(path, node.value, node.tag.rpartition(':')[2], Position.of(node.start_mark))

    def _maps(self):
        return ((path, node) for path, node in self._nodes() if isinstance(node, yaml.MappingNode))

    def _nodes(self):
        """All nodes with their paths, in the order of the text; what aliases repeat, once."""
        seen = set()
        waiting: list[tuple[tuple, Any]] = [] if self._root is None else [((), self._root)]
        while waiting:
            path, node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield path, node
            waiting.extend(reversed([((*path, part), child) for part, child in _children(node)]))


def _composed(text):
    """The tree of the text's nodes; None where it has none."""
    # JSON may be indented with tabs, YAML may not; neither has them inside of texts in JSON
    text = text.replace('\t', ' ') if text.lstrip()[:1] == '{' else text
    try:
        return yaml.compose(text, Loader=_LOADER)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _children(node):
    if isinstance(node, yaml.MappingNode):
        return [(_name(key), value) for key, value in node.value]
    return list(enumerate(node.value)) if isinstance(node, yaml.SequenceNode) else []


def _step(node, part):
    """The mark and the node that are one key or index further inside."""
    if isinstance(node, yaml.SequenceNode):
        if isinstance(part, int) and -len(node.value) <= part < len(node.value):
            item = node.value[part]
            return item.start_mark, item
        return None
    return _entry(node, str(part), 0) if isinstance(node, yaml.MappingNode) else None


def _entry(node, name, depth):
    """The last entry of that name: it is the one that counts. Entries that are merged in come after the map's own."""
    for same in (lambda key: key == name, lambda key: key.lower() == name.lower()):
        for key, value in reversed(node.value):
            if not _is_merge(key) and same(_name(key)):
                return key.start_mark, value
    for key, value in node.value:
        for source in _merged(value) if _is_merge(key) and depth < 10 else ():
            found = _entry(source, name, depth + 1)
            if found is not None:
                return found
    return None


def _merged(value):
    sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
    return [source for source in sources if isinstance(source, yaml.MappingNode)]


def _is_merge(key):
    return isinstance(key, yaml.ScalarNode) and key.value == _MERGE_KEY and not key.style


def _name(key):
    """A key as it is in the data."""
    return yaml_reader.key_text(key.value, key.tag) if isinstance(key, yaml.ScalarNode) else str(key.tag)


# --------------------------------------------------------------- errors


class Place(NamedTuple):
    """Where in a file something is."""

    file: str
    line: int
    column: int

    def __str__(self):
        return f'file {self.file}, line {self.line}, column {self.column}'


#: what the template of a request is called, which has no name
TEMPLATE = 'template'
#: Longer texts are not looked through: to tell of an error must not cost much more than the error.
LONGEST = 128 * 1024
_LABEL = re.compile(r'(.*)<(.+)>', re.DOTALL)


def locate(path, text, files: Mapping) -> Place | None:
    """Where the path of an error leads: into the text of a template, or by ``name<file>`` into a file that a resource is made of.

    None where that came as no text of several lines: lines of what a program has written tell nobody anything.
    """
    found = (place(file, content, inside) for file, content, inside in reversed(_ways(path, text, files)))
    return next((place for place in found if place is not None), None)


def place(file, content, path, whole=False) -> Place | None:
    """Where in one text a path leads to, or as far as it leads; ``whole``: None where it does not lead all of its way."""
    if not isinstance(content, str) or '\n' not in content.strip() or len(content) > LONGEST:
        return None
    position, found = Positions(content).match(path)
    return Place(file, *position) if found and (found == len(path) or not whole) else None


def _ways(path, text, files):
    """``file, its content, the path in it`` of each template that a path leads through, the outermost first."""
    ways: list[tuple[str, Any, list]] = [(TEMPLATE, text, [])]
    for part in path:
        label = _LABEL.fullmatch(part) if isinstance(part, str) else None
        ways[-1][2].append(label.group(1) if label else part)
        if label:
            ways.append((label.group(2), files.get(label.group(2)), []))
    return ways
