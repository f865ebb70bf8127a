"""Line and column of each part of a YAML or JSON document, by its path in the data.

Positions are computed only to report errors; reading a template does not need them.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import yaml

from heat_lite.common.value_types import Value
from heat_lite.template import yaml_reader
from heat_lite.template.functions import budget

_MERGE_KEY = '<<'


class Position(NamedTuple):
    """A line and a column, both counted from 1."""

    line: int
    column: int

    @classmethod
    def from_mark(cls, mark: Value) -> 'Position':
        return cls(mark.line + 1, mark.column + 1)


START = Position(1, 1)


class Duplicate(NamedTuple):
    """A repeated key of a map: its path, its position, the position of its first occurrence."""

    path: tuple
    position: Position
    first: Position


class PlainScalar(NamedTuple):
    """An unquoted scalar: ``text`` as written, ``kind`` as YAML reads it.

    ``kind`` is 'int', 'bool', 'float', 'null', 'str' or another tag of YAML.
    """

    path: tuple
    text: str
    kind: str
    position: Position


class _Descent(NamedTuple):
    """The end of a way along a path: ``found`` parts of it exist, and lead to ``node``."""

    position: Position
    found: int
    node: yaml.Node | None


class Positions:
    """The positions in one text. If the text cannot be parsed, each position is its start.

    Raises LimitExceeded for more than ``max_nodes`` keys and values: each takes half a kilobyte.
    """

    def __init__(self, text: str, max_nodes: int | None = None) -> None:
        self._root = compose(text, max_nodes)
        self._keys: dict[int, _Keys] = {}

    def find(self, path: Iterable) -> Position:
        """Return the position of a path: of the key in a map, or of the item in a list.

        If the path does not exist, return the position of its deepest existing part. Keys match
        case-insensitively, since paths of errors use other spellings (``Properties``, ``Value``).
        """
        return self.match(path)[0]

    def match(self, path: Iterable) -> tuple[Position, int]:
        """Return the position of a path and the number of its parts that exist."""
        return self._descend(path)[:2]

    def _descend(self, path: Iterable) -> _Descent:
        node = self._root
        position = START if node is None else Position.from_mark(node.start_mark)
        found = 0
        for part in path:
            step = self._step(node, part)
            if step is None:
                break
            mark, node = step
            position = Position.from_mark(mark)
            found += 1
        return _Descent(position, found, node)

    def _step(self, node: yaml.Node | None, part: int | str) -> tuple | None:
        """Return ``(mark, node)`` at a key or index of a node, None if it does not exist."""
        if isinstance(node, yaml.SequenceNode):
            if isinstance(part, int) and -len(node.value) <= part < len(node.value):
                item = node.value[part]
                return item.start_mark, item
            return None
        return self._entry(node, str(part), 0) if isinstance(node, yaml.MappingNode) else None

    def _entry(self, node: yaml.Node, name: str, depth: int) -> tuple | None:
        """Return the effective entry of a name: the last of the map's own, else a merged-in one."""
        keys = self._keys.get(id(node))
        if keys is None:
            keys = self._keys[id(node)] = _Keys(node)
        entry = keys.entry(name)
        if entry is not None:
            return entry
        for source in keys.merged if depth < 10 else ():
            found = self._entry(source, name, depth + 1)
            if found is not None:
                return found
        return None

    def find_value(self, path: Iterable) -> Position:
        """Return the position of the text at a path, or of the first text of a list there.

        That of another value, or of a text behind an alias, is the position of its key.
        """
        position, _, node = self._descend(path)
        while isinstance(node, yaml.SequenceNode) and node.value:
            node = node.value[0]
        text = node if isinstance(node, yaml.ScalarNode) else None
        # the text of an alias stands above its key
        return position if text is None else max(position, Position.from_mark(text.start_mark))

    def find_text(self, path: Iterable, text: str) -> Position | None:
        """Return the first position of a text among the values at or below a path, or None."""
        start = tuple(path)
        top = self._descend(start)
        for _path, node in nodes_below(top.node) if top.found == len(start) else ():
            if isinstance(node, yaml.ScalarNode) and node.value == text:
                return max(top.position, Position.from_mark(node.start_mark))
        return None

    def duplicates(self) -> Iterator[Duplicate]:
        """Yield repeated keys of maps. The last occurrence is the effective one."""
        for path, node in nodes_below(self._root):
            if not isinstance(node, yaml.MappingNode):
                continue
            first: dict[str, Position] = {}
            for key, _value in node.value:
                if _is_merge(key) or not isinstance(key, yaml.ScalarNode):
                    continue
                name, position = name_of(key), Position.from_mark(key.start_mark)
                if name in first:
                    yield Duplicate((*path, name), position, first[name])
                first.setdefault(name, position)

    def plain_keys(self, path: Iterable) -> Iterator[PlainScalar]:
        """Yield the unquoted keys of the map at a path."""
        start = tuple(path)
        node = self._descend(start).node
        for key, _value in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and not key.style and not _is_merge(key):
                yield _plain((*start, name_of(key)), key)

    def plain_scalars(self) -> Iterator[PlainScalar]:
        """Yield all unquoted scalars."""
        for path, node in nodes_below(self._root):
            if isinstance(node, yaml.ScalarNode) and not node.style:
                yield _plain(path, node)


def _plain(path: tuple, node: yaml.ScalarNode) -> PlainScalar:
    kind = node.tag.rpartition(':')[2]
    return PlainScalar(path, node.value, kind, Position.from_mark(node.start_mark))


def nodes_below(top: yaml.Node | None) -> Iterator[tuple]:
    """Yield ``(path, node)`` in the order of the text; a node with aliases once."""
    seen = set()
    pending: list[tuple[tuple, yaml.Node]] = [] if top is None else [((), top)]
    while pending:
        path, node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield path, node
        pending.extend(reversed([((*path, part), child) for part, child in _children(node)]))


class _CountingLoader(yaml_reader.LOADER):  # type: ignore[misc, valid-type]
    """A loader that ends at a number of nodes."""

    def __init__(self, text: str, max_nodes: Value) -> None:
        super().__init__(text)
        self._max_nodes = max_nodes
        self._nodes = 0

    def resolve(self, kind: type, value: Value, implicit: bool | tuple) -> str:
        self._nodes += 1
        if self._max_nodes is not None and self._nodes > self._max_nodes:
            raise budget.LimitExceeded(
                f'a text has more than {self._max_nodes} keys and values, whose lines and columns '
                'are not computed'
            )
        return super().resolve(kind, value, implicit)


def compose(text: str, max_nodes: int | None = None) -> yaml.Node | None:
    """Return the node tree of a text, None if it is empty or invalid."""
    # JSON allows tabs for indentation, YAML does not; strings in JSON contain no literal tabs
    text = text.replace('\t', ' ') if text.lstrip()[:1] == '{' else text
    try:
        loader: Value = functools.partial(_CountingLoader, max_nodes=max_nodes)
        return yaml.compose(text, Loader=loader)
    except budget.LimitExceeded:
        raise
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _children(node: yaml.Node) -> list[Value]:
    if isinstance(node, yaml.MappingNode):
        return [(name_of(key), value) for key, value in node.value]
    return list(enumerate(node.value)) if isinstance(node, yaml.SequenceNode) else []


class _Keys:
    """The keys of a map: many positions are looked up in one large map."""

    def __init__(self, node: yaml.Node) -> None:
        self._own = {}
        self._lower = {}
        self.merged = []
        for key, value in node.value:
            if _is_merge(key):
                self.merged += _merged(value)
            else:
                name = name_of(key)
                self._own[name] = self._lower[name.lower()] = (key.start_mark, value)

    def entry(self, name: str) -> tuple | None:
        """Return ``(mark, node)``. An exact match has precedence over a case-insensitive one."""
        return self._own.get(name) or self._lower.get(name.lower())


def _merged(value: Value) -> list[Value]:
    sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
    return [source for source in sources if isinstance(source, yaml.MappingNode)]


def _is_merge(key: yaml.Node) -> bool:
    return isinstance(key, yaml.ScalarNode) and key.value == _MERGE_KEY and not key.style


def name_of(key: yaml.Node) -> str:
    """Return a key as the data contains it."""
    return (
        yaml_reader.key_text(key.value, key.tag)
        if isinstance(key, yaml.ScalarNode)
        else str(key.tag)
    )


# --------------------------------------------------------------- errors


class SourceLocation(NamedTuple):
    """A position in a named file."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f'file {self.file}, line {self.line}, column {self.column}'


#: name of the template of a request, which has no file name
TEMPLATE = 'template'
#: longer texts are not parsed for positions, to limit the cost of an error report
MAX_TEXT_LENGTH = 128 * 1024


def locate(
    path: Iterable, text: Value, files: Mapping, subject: Value = None
) -> SourceLocation | None:
    """Return the location of the path of an error, or that of its subject there.

    The path leads into the template, or by ``name<file>`` into the template of a resource. None
    if the text is not available or has a single line: it was generated by a program.
    """
    locations = (
        locate_in_text(file, content, file_path, subject=subject)
        for file, content, file_path in reversed(_split_by_file(path, text, files))
    )
    return next((location for location in locations if location is not None), None)


def locate_in_text(
    file: str, content: Value, path: Sequence, whole: bool = False, subject: Value = None
) -> SourceLocation | None:
    """Return the location of a path in one text, or of its deepest existing part.

    With ``whole``, return None unless the complete path exists. With a subject, return the location
    of the key or the text of that name there, if there is one.
    """
    if not path or not is_readable(content):
        return None
    positions = Positions(content)
    position, found = positions.match(path)
    if not found or (whole and found < len(path)):
        return None
    if subject is not None:
        existing = path[:found]
        key, parts = positions.match((*existing, str(subject)))
        position = key if parts > found else positions.find_text(existing, str(subject)) or position
    return SourceLocation(file, *position)


def is_readable(content: Value) -> bool:
    """Whether a text has lines, and is short enough to be parsed for positions."""
    return isinstance(content, str) and '\n' in content.strip() and len(content) <= MAX_TEXT_LENGTH


def _split_by_file(path: Iterable, text: Value, files: Mapping[str, Value]) -> list[Value]:
    """Return ``(file, content, path in it)`` of each template on a path, the outermost first."""
    parts: list[tuple[str, Value, list]] = [(TEMPLATE, text, [])]
    for part in path:
        name, file = _split_label(part)
        parts[-1][2].append(name)
        if file is not None:
            parts.append((file, files.get(file), []))
    return parts


def _split_label(part: int | str) -> tuple:
    """Return name and file of ``name<file>``, else the part and None.

    In linear time: a part may be any text of a user.
    """
    if not isinstance(part, str) or not part.endswith('>'):
        return part, None
    start = part.rfind('<', 0, len(part) - 2)
    return (part, None) if start < 0 else (part[:start], part[start + 1 : -1])
