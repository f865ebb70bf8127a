"""The lines of a text that an error is about, with a mark below, as compilers show them."""

import re
import unicodedata
from collections.abc import Sequence

from heat_lite.template import source_positions

#: columns of a line that are shown
WIDTH = 100
#: columns in front of the mark, in a line that is too long
CONTEXT = 60
#: a dependency in the error of a cycle
DEPENDENCY = re.compile(r'"([^"]*)" needs "([^"]*)"')


def excerpt(text: str, line: int, column: int) -> list[str]:
    """Return the line, and the mark below its column; nothing for a line that does not exist.

    Both count from 1. Characters that a terminal would obey are replaced.
    """
    return excerpt_of_lines(text.split('\n'), line, column)


def excerpt_of_lines(lines: Sequence[str], line: int, column: int) -> list[str]:
    """Return the excerpt of a text that is split already."""
    if not 1 <= line <= len(lines) or not lines[line - 1].strip():
        return []
    shown = _printable(lines[line - 1].rstrip('\r'))
    start = max(0, column - 1 - CONTEXT) if len(shown) > WIDTH else 0
    before = ' ' * _width(shown[start : column - 1])
    margin = f'{line:5}'
    return [
        f'{margin} | {shown[start : start + WIDTH]}',
        f'{" " * len(margin)} | {before}^',
    ]


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return ''.join(
        each if each.isprintable() else ' ' if each == '\t' else '\ufffd' for each in text
    )


def _width(text: str) -> int:
    """Return the columns of a text in a terminal."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in 'WF' else 1


def cycle_lines(name: str, text: str, source: str) -> list[str]:
    """Return a line for each dependency of a cycle, with the place of its reference.

    ``text``: the error, with ``"resource" needs "other"`` for each.
    """
    positions = source_positions.Positions(source)
    lines = []
    for resource, other in DEPENDENCY.findall(text):
        paths = (('resources', resource), ('Resources', resource))
        place = next(filter(None, (positions.find_text(each, other) for each in paths)), None)
        where = f'{name}:{place[0]}:{place[1]}: ' if place else ''
        lines.append(f'  {where}{resource} needs {other}')
    return lines
