"""The part of a document under the cursor. Lines and columns count from one."""

import re
from typing import NamedTuple

import yaml

from heat_lite.template.editing import repair
from heat_lite.template.source_positions import compose, name_of, nodes_below

#: stands for the word that is being written
MARK = 'heat-lite-cursor'
_WORD_BEFORE = re.compile(r'[\w:.%/-]*$')
_WORD_AFTER = re.compile(r'[\w.%/-]*(::?[\w.%/-]+)*')
_MAX_DEPTH = 100


class Place(NamedTuple):
    """A place in the data: ``path`` leads to a key (``is_key``) or to a value.

    ``value`` is the text of a scalar value, None for others.
    """

    path: tuple
    is_key: bool
    value: str | None = None


class Draft(NamedTuple):
    """A text with MARK in place of the word at the cursor, and the place of MARK.

    ``word`` is the part of the word before the cursor, ``column`` where it begins.
    """

    text: str
    place: Place
    word: str
    column: int


def draft(text: str, line: int, column: int) -> Draft | None:
    """Return a readable text with a mark at the cursor, None if there is none.

    The line of the cursor is seldom valid YAML while it is written, and others may not be either.
    """
    lines = text.split('\n')
    if not 0 < line <= len(lines):
        return None
    before, after = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
    found = _WORD_BEFORE.search(before)
    word = found[0] if found else ''
    before = before[: len(before) - len(word)]
    after = _WORD_AFTER.sub('', after, count=1)
    context = _Context(lines[: line - 1], lines[line:], '')
    marked = _marked(context, before, after)
    if marked is None and len(lines) <= repair.MAX_LINES:
        around = repair.Repaired(
            [*lines[: line - 1], before + MARK, *lines[line:]], line - 1, _is_data
        )
        context = _Context(around.before, around.after, around.opened)
        marked = _marked(context, repair.with_spaces(before), after)
    if marked is None:
        return None
    candidate, place = marked
    return Draft(candidate, place, word, len(before) + 1)


def read_place(text: str, line: int, column: int) -> tuple[str, Place] | None:
    """Return a readable text and the place of the word at a position, None where there is none.

    In a text that is being written, it is what ``draft`` reads of it.
    """
    if _is_data(text):
        place = place_at(text, line, column)
        return place and (text, place)
    found = draft(text, line, column)
    if found is None:
        return None
    after = _WORD_AFTER.match(text.split('\n')[line - 1][column - 1 :])
    word = found.word + (after[0] if after else '')
    path = tuple(word if part == MARK else part for part in found.place.path)
    return found.text.replace(MARK, word), Place(path, found.place.is_key, word)


class _Context(NamedTuple):
    """The lines before and after that of the cursor. ``opened`` leaves brackets open in it."""

    before: list[str]
    after: list[str]
    opened: str


def _marked(context: _Context, before: str, after: str) -> tuple | None:
    """Return a text with a mark in place of a word, and the place of the mark; None if unreadable.

    The mark is tried as a value and as a key, and then without the rest of the line.
    """
    closed = repair.closing(context.opened + '\n' + before)
    ends = dict.fromkeys((after, '', after + closed, closed))
    for marked in (f'{mark}{end}' for end in ends for mark in (MARK, f'{MARK}: null')):
        candidate = '\n'.join((*context.before, before + marked, *context.after))
        place = _find_mark(compose(candidate))
        if place is not None:
            return candidate, place
    return None


def _is_data(text: str) -> bool:
    return isinstance(compose(text), yaml.CollectionNode)


def place_at(text: str, line: int, column: int) -> Place | None:
    """Return the key or the value at a position, None where there is neither."""
    node = compose(text)
    path: tuple = ()
    for _ in range(_MAX_DEPTH):
        if isinstance(node, yaml.ScalarNode):
            return Place(path, False, node.value) if _covers(node, line, column) else None
        step = _step(node, line, column)
        if step is None:
            return None
        part, is_key, node = step
        path = (*path, part)
        if is_key:
            return Place(path, True)
    return None


def _step(node: yaml.Node | None, line: int, column: int) -> tuple | None:
    """Return (part, whether it is the key, child) of the child at a position."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if _covers(key, line, column):
                return name_of(key), True, value
            if _covers(value, line, column):
                return name_of(key), False, value
    if isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            if _covers(value, line, column):
                return index, False, value
    return None


def _covers(node: yaml.Node, line: int, column: int) -> bool:
    start, end = node.start_mark, node.end_mark
    here = (line - 1, column - 1)
    return (start.line, start.column) <= here <= (end.line, end.column)


def _find_mark(top: yaml.Node | None) -> Place | None:
    for path, node in nodes_below(top):
        if isinstance(node, yaml.ScalarNode) and node.value == MARK:
            return Place(path, False)
        if isinstance(node, yaml.MappingNode) and any(
            name_of(key) == MARK for key, _ in node.value
        ):
            return Place((*path, MARK), True)
    return None
