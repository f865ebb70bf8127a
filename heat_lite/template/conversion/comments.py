"""The comments of a YAML text, carried over to another text with the same or converted data."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from heat_lite.template.yaml_reader import LOADER

#: the path of the first entry of a text
FIRST: tuple = ()


class Comment(NamedTuple):
    """A comment: its line (from 1), its text from the number sign on, and what it is about.

    ``path``: the entry that it describes, ``FIRST`` for the first one of the text, whose key may
    change, None for a comment below all entries. ``is_alone``: whether nothing else is on its line.
    """

    line: int
    text: str
    path: tuple | None
    is_alone: bool


class _Entry(NamedTuple):
    """A key of a map with its value, or an item of a list. Lines count from 0."""

    path: tuple
    line: int
    column: int
    node: Any

    @property
    def is_block_item(self) -> bool:
        """Whether a map or a list in block style begins on the line of the key or dash."""
        is_block = not _is_scalar(self.node) and not self.node.flow_style
        return is_block and self.node.start_mark.line == self.line

    @property
    def is_on_one_line(self) -> bool:
        """Whether a comment may stand at the end of the line of the key."""
        first, last = self.node.start_mark.line, self.node.end_mark.line
        return first == last == self.line or (not _is_scalar(self.node) and first > self.line)


def read(text: str) -> list[Comment]:
    """Return the comments of a valid YAML text."""
    entries = _entries(text)
    return [
        Comment(line + 1, found, _path_of(entries, line, is_alone), is_alone)
        for line, found, is_alone in _places(text)
    ]


def insert(text: str, comments: list[Comment]) -> tuple[str, list[Comment]]:
    """Return the text with the comments, and the comments whose entry it does not have.

    Keys match without regard to case and underscores, as those of CFN and HOT. A comment on a part
    of a value that the text does not have is put above the value.
    """
    entries = _entries(text)
    above: dict[int, list[str]] = {}
    behind: dict[int, list[str]] = {}
    below, lost = [], []
    by_path = {_folded(entry.path): entry for entry in entries}
    for comment in comments:
        path = comment.path
        entry = entries[0] if path == FIRST else _find(by_path, path)
        if path is None:
            below.append(comment.text)
        elif entry is None:
            lost.append(comment)
        elif comment.is_alone or not entry.is_on_one_line or len(entry.path) < len(path):
            above.setdefault(entry.line, []).append(comment.text)
        else:
            behind.setdefault(entry.line, []).append(comment.text)
    return _merged(text, above, behind, below), lost


def _merged(
    text: str, above: dict[int, list[str]], behind: dict[int, list[str]], below: list[str]
) -> str:
    done = []
    for number, line in enumerate(text.rstrip('\n').split('\n')):
        indent = ' ' * (len(line) - len(line.lstrip(' ')))
        done += [indent + each for each in above.get(number, ())]
        done.append('  '.join([line, *behind.get(number, ())]))
    return '\n'.join([*done, *below]) + '\n'


def _find(by_path: Mapping[tuple, _Entry], path: tuple | None) -> _Entry | None:
    """Return the entry of a path, else that of its deepest existing part below a section."""
    path = path or ()
    for length in range(len(path), 0, -1):
        entry = by_path.get(_folded(path[:length]))
        if entry is not None and (length > 1 or len(path) == 1):
            return entry
    return None


def _folded(path: tuple) -> tuple:
    return tuple(part.lower().replace('_', '') if isinstance(part, str) else part for part in path)


def _entries(text: str) -> list[_Entry]:
    """Return all entries in the order of the text."""
    root = yaml.compose(text, Loader=LOADER)
    found: list[_Entry] = []
    waiting: list[tuple[tuple, yaml.Node | None]] = [((), root)]
    seen = set()
    while waiting:
        path, node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        for mark, part, value in _children(node):
            found.append(_Entry((*path, part), mark.line, mark.column, value))
            waiting.append(((*path, part), value))
    return sorted(found, key=lambda entry: (entry.line, entry.column, len(entry.path)))


def _children(node: yaml.Node) -> Iterator:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key.start_mark, str(key.value), value
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield item.start_mark, index, item


def _places(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line, text and whether it is alone, of each comment: a number sign outside of scalars
    begins one."""
    outside = list(text)
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.SafeLoader)
    for event in events:
        if isinstance(event, yaml.ScalarEvent):
            first, last = _index(event.start_mark), _index(event.end_mark)
            outside[first:last] = ['\n' if each == '\n' else 'x' for each in text[first:last]]
    lines = text.split('\n')
    for number, line in enumerate(''.join(outside).split('\n')):
        column = line.find('#')
        if column >= 0:
            yield number, lines[number][column:].rstrip(), not line[:column].strip()


def _index(mark: Any) -> int:
    return mark.index


def _path_of(entries: list[_Entry], line: int, is_alone: bool) -> tuple | None:
    """Return the path of the entry that a comment describes.

    That is the next one, for a comment alone; else the first one on its line or before it.
    """
    if is_alone:
        found = next((entry for entry in entries if entry.line > line), None)
    else:
        until = [entry for entry in entries if entry.line <= line]
        here = [entry for entry in until if entry.line == line and not entry.is_block_item]
        found = here[0] if here else until[-1] if until else None
    if found is None:
        return None
    return FIRST if found is entries[0] else found.path


def _is_scalar(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode)
