"""The indentation of a YAML text: two spaces a level, lists indented below their key.

Only white space changes: at the beginning and end of lines, after dashes, and after the colons of
keys. Comments, quotes, collections in brackets and the content of block scalars stay as they are.
"""

import bisect
import re

from heat_lite.common.value_types import Value
from heat_lite.template.editing.lines import (
    NotFormattable,
    Part,
    indent_of,
    is_blank,
    is_comment,
    read,
)

STEP = 2
_COLON = re.compile(r'\s*:\s+')
_HEADER_INDENT = re.compile(r'[|>][+-]?[1-9]')
_LONE_DASH = re.compile(r'-\s*([&!]\S*\s*)*(#.*)?$')


def reindent(lines: list[str]) -> list[str]:
    """Return the lines with the usual indentation. Raises NotFormattable for unusual syntax."""
    top = read(lines)
    return list(lines) if top is None else _Indenter(lines).run(top)


class _Indenter:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.edits: dict[
            int, list[tuple[int, int, str]]
        ] = {}  # line -> [(from column, to column, text)]
        self.shifts: dict[
            int, tuple[int, int]
        ] = {}  # first line of an entry -> (old column, new column)
        self.starts: list[int] = []  # the first lines of all entries
        self.verbatim: dict[int, str] = {}  # line within a scalar or brackets -> its new text

    def run(self, top: Part) -> list[str]:
        if top.is_block:
            self._collection(top, 0)
        self.starts = sorted(self.shifts)
        done = [self._line(number) for number in range(len(self.lines))]
        for number, line in enumerate(self.lines):
            if is_comment(line) and number not in self.verbatim:
                done[number] = ' ' * self._comment_column(number) + line.strip()
        return done

    def _line(self, number: int) -> str:
        if number in self.verbatim:
            return self.verbatim[number]
        line = self.lines[number]
        for start, end, text in sorted(self.edits.get(number, ()), reverse=True):
            line = line[:start] + text + line[end:]
        return line if number + 1 in self.verbatim else line.rstrip()

    # ------------------------------------------------------------ collections

    def _collection(self, part: Part, column: int) -> None:
        if part.is_map:
            for key, value in part.pairs():
                self._map_entry(key, value, column)
        else:
            for item in part.children:
                self._list_item(item, column)

    def _map_entry(self, key: Part, value: Value, column: int) -> None:
        if key.end != key.line or '?' in self._before(key).split():
            raise NotFormattable(f'line {key.line + 1} has a key of more than one line')
        self._place(key.line, key.column, column)
        between = self.lines[key.line][key.end_column : value.column]
        if value.line == key.line and _COLON.fullmatch(between):
            self._edit(key.line, key.end_column, value.column, ': ')
        self._value(value, (key.line, key.column, column), column + STEP)

    def _list_item(self, item: Part, column: int) -> None:
        line, dash = self._dash(item)
        self._place(line, dash, column)
        if line == item.line and item.column > dash + 1:
            self._edit(line, dash + 1, item.column, ' ')
        self._value(item, (line, dash, column), column + STEP)

    def _value(self, part: Part, owner: tuple, column: int) -> None:
        """Lay out a value; ``owner``: line, old and new column of its key or dash."""
        if part.is_block:
            self._collection(part, column)
        elif part.is_block_scalar:
            self._block_scalar(part, owner)
        else:
            self._shift(range(owner[0] + 1, part.end + 1), owner[2] - owner[1])
            if part.end in self.verbatim:
                self.verbatim[part.end] = self.verbatim[part.end].rstrip()

    def _place(self, line: int, old: int, new: int) -> None:
        self.shifts.setdefault(line, (old, new))
        if is_blank(self.lines[line][:old]):
            self._edit(line, 0, old, ' ' * new)

    def _edit(self, line: int, start: int, end: int, text: str) -> None:
        self.edits.setdefault(line, []).append((start, end, text))

    def _before(self, part: Part) -> str:
        return self.lines[part.line][: part.column]

    def _dash(self, item: Part) -> tuple:
        """Return line and column of the dash of an item, which may be on a line above it."""
        before = self._before(item).rstrip()
        if before.endswith('-'):
            return item.line, len(before) - 1
        for number in range(item.line - 1, -1, -1):
            line = self.lines[number]
            found = None if is_comment(line) else _LONE_DASH.search(line)
            if found:
                return number, found.start()
            if not (is_blank(line) or is_comment(line)):
                break
        raise NotFormattable(f'line {item.line + 1} has an unusual list item')

    # ------------------------------------------------------------ lines of values

    def _shift(self, numbers: range, distance: int) -> None:
        for number in numbers:
            line = self.lines[number]
            indent = max(indent_of(line) + distance, 0)
            self.verbatim[number] = '' if is_blank(line) else ' ' * indent + line.lstrip(' ')

    def _block_scalar(self, part: Part, owner: tuple) -> None:
        numbers = range(part.line + 1, part.last_line() + 1)
        header = self.lines[part.line][part.column :]
        texts = [self.lines[number] for number in numbers if self.lines[number].strip(' ')]
        old = indent_of(texts[0]) if texts else 0
        distance = owner[2] + STEP - old
        if _HEADER_INDENT.search(header.partition('#')[0]):
            distance = owner[2] - owner[1]
        for number in numbers:
            line = self.lines[number]
            short = is_blank(line) and len(line) <= old
            self.verbatim[number] = '' if short else _moved(line, distance)

    def _comment_column(self, number: int) -> int:
        """Return the column of a comment: that of the entry that it describes.

        This is the next entry. A comment that is indented more than that ends the block before.
        """
        column = indent_of(self.lines[number])
        index = bisect.bisect(self.starts, number)
        for line in self.starts[index : index + 1]:
            old, new = self.shifts[line]
            if column <= old:
                return new
        for line in reversed(self.starts[:index]):
            old, new = self.shifts[line]
            if old <= column:
                return new + (STEP if column > old else 0)
        return 0


def _moved(line: str, distance: int) -> str:
    return ' ' * distance + line if distance > 0 else line[-distance:]
