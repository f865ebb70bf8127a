"""Tables and colours of a terminal; plain lines where the output is none."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

COLOURS = {'COMPLETE': '32', 'FAILED': '31', 'IN_PROGRESS': '33'}
MARKS = {'COMPLETE': '✔', 'FAILED': '✘', 'IN_PROGRESS': '…'}


def outcome(status: str) -> str:
    """What a status such as CREATE_IN_PROGRESS ends with; nothing for a resource that nobody has touched yet."""
    if status.startswith('INIT_'):
        return ''
    return next((end for end in COLOURS if status.endswith(end)), '')


def cell(value: Any) -> str:
    """A value on one line."""
    if value is None:
        return ''
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return ' '.join(text.split())


class Screen:
    """Writes to ``stream``; ``live`` says whether lines can be redrawn and coloured."""

    def __init__(self, stream: TextIO | None = None, live: bool | None = None):
        self.stream = stream or sys.stdout
        asked = self.stream.isatty() and os.environ.get('TERM') != 'dumb'
        self.live = asked if live is None else live
        self.drawn = 0

    def say(self, text: str = '') -> None:
        self.stream.write(text + '\n')
        self.stream.flush()

    def paint(self, text: str, status: str) -> str:
        colour = COLOURS.get(outcome(status))
        return f'\033[{colour}m{text}\033[0m' if self.live and colour else text

    def mark(self, status: str) -> str:
        return self.paint(MARKS.get(outcome(status), '·'), status)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Columns as wide as their content; statuses in colour."""
        lines = [[cell(value) for value in row] for row in rows]
        widths = [max(len(line[index]) for line in [list(heads), *lines]) for index in range(len(heads))]
        self.say('  '.join(head.ljust(width) for head, width in zip(heads, widths, strict=True)).rstrip())
        for line in lines:
            padded = [self.paint(text.ljust(width), text) for text, width in zip(line, widths, strict=True)]
            self.say('  '.join(padded).rstrip())

    def redraw(self, lines: Sequence[str]) -> None:
        """Put ``lines`` where the last call put its own (live screens only)."""
        up = f'\033[{self.drawn}A' if self.drawn else ''
        self.stream.write(up + ''.join(f'\r\033[K{line}\n' for line in lines))
        self.stream.flush()
        self.drawn = len(lines)

    def keep(self) -> None:
        """What was drawn stays; the next drawing begins below."""
        self.drawn = 0
