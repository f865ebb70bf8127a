"""Tables and colors on a terminal; plain lines for other output."""

import io
import json
import os
import pkgutil
import re
import shutil
import sys
import termios
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import IO, TextIO

from heat_lite.common import printable
from heat_lite.common.value_types import Value

COLORS = {'COMPLETE': '32', 'FAILED': '31', 'IN_PROGRESS': '33'}
#: the sequences that ``colorize`` writes
COLOR_CODE = re.compile('(\033\\[(?:3[123]|0)m)')
SYMBOLS = {'COMPLETE': '✔', 'FAILED': '✘', 'IN_PROGRESS': '…', 'UNCHANGED': '='}
#: the index of the flags with ECHO in the attributes of a terminal
LOCAL_FLAGS = 3
#: the columns of a table that become narrower on a small terminal, and their smallest width
SHRINKING = ('NAME', 'RESOURCE', 'TYPE', 'REASON', 'DESCRIPTION', 'TAGS')
MIN_WIDTH = 8
#: last columns that a terminal which is too narrow does not show
LEFT_OUT = ('ID', 'PHYSICAL ID')
GAP = '  '


def columns() -> int:
    """Return the width of the terminal; that of an output which is none is 80."""
    return shutil.get_terminal_size((80, 24)).columns


def can_ask() -> bool:
    """Return whether the standard input is a terminal; it is None if the caller has closed it."""
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str) -> bool:
    """Ask a person, and return whether the answer is yes."""
    print(f'{question} [y/N] ', end='', file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ('y', 'yes')


def ask_value(label: str, hidden: bool) -> str:
    """Ask a person for a text, a hidden one without an echo. Raises EOFError for its end."""
    label = printable.escape(label)
    if hidden:
        return pkgutil.resolve_name('getpass:getpass')(label)
    print(label, end='', file=sys.stderr, flush=True)
    text = sys.stdin.readline()
    if not text:
        raise EOFError
    return text.rstrip('\n')


def outcome(status: str) -> str:
    """Return COMPLETE, FAILED or IN_PROGRESS of a status; an empty string for INIT_COMPLETE."""
    if status.startswith('INIT_'):
        return ''
    return next((end for end in COLORS if status.endswith(end)), '')


def cell(value: Value) -> str:
    """Return a value as text on one line."""
    if value is None:
        return ''
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return printable.escape(' '.join(text.split()))


def json_text(value: Value, indent: int | None = None) -> str:
    """Return JSON that is readable for people, and harmless on a terminal."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return printable.UNSAFE.sub(
        lambda found: found[0] if found[0] == '\n' else f'\\u{ord(found[0]):04x}', text
    )


def shorten(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + '…'


class Echo:
    """The echo of typed keys, which would mix with lines that are redrawn.

    It is that of the terminal of standard input. Ctrl-C and Ctrl-Z keep their effect.
    """

    def __init__(self) -> None:
        self._before: Value = None

    def disable(self) -> None:
        """Disable the echo, unless the input is no terminal or belongs to another program."""
        if self._before is None and _owns_input():
            attributes = termios.tcgetattr(sys.stdin)
            self._before = list(attributes)
            attributes[LOCAL_FLAGS] &= ~termios.ECHO
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, attributes)

    def restore(self) -> None:
        """Restore the echo. A shell in the foreground has set the terminal anew by itself."""
        before, self._before = self._before, None
        if before is not None and _owns_input():
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _owns_input() -> bool:
    """Return whether this process is in the foreground: others are stopped by a change."""
    try:
        return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):  # closed, or no file
        return False


def is_in_foreground(stream: IO[str]) -> bool:
    """Return whether this process may draw on a terminal; True for a stream that is none."""
    try:
        return os.tcgetpgrp(stream.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):  # closed, no file, or not its terminal
        return True


class Terminal:
    """Output to ``stream``.

    ``live``: whether lines can be redrawn and colored. ``is_json``: whether results are JSON.
    """

    def __init__(
        self, stream: TextIO | None = None, live: bool | None = None, is_json: bool = False
    ) -> None:
        # The standard output is None if the caller has closed it: the output is dropped.
        self.stream = stream or sys.stdout or io.StringIO()
        if live is None:
            live = self.stream.isatty() and os.environ.get('TERM') != 'dumb'
        self.live = live
        self.has_colors = live and not os.environ.get('NO_COLOR')
        self.is_json = is_json

    def write_line(self, text: str = '') -> None:
        """Write text, whose newlines are kept, and escape what could command the terminal."""
        self._write(self._safe(text, '\n'))

    def confirm(self, text: str) -> None:
        """Tell a person on a terminal that a request without a result was accepted."""
        if self.live and not self.is_json:
            self.write_line(text)

    def write_json(self, value: Value, indent: int | None = 2) -> None:
        """Write a value as JSON; with ``indent`` None on one line, as part of a stream."""
        self._write(json_text(value, indent))

    def write_document(self, document: Value, indent: int | None = 2) -> None:
        """Write a value as JSON or as YAML."""
        if self.is_json:
            self.write_json(document, indent)
            return
        # The library yaml starts slowly, and few verbs need it.
        dump = pkgutil.resolve_name('yaml:safe_dump')
        self.write_line(dump(document, sort_keys=False, allow_unicode=True, width=100).rstrip())

    def show(self, found: Value, headers: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        """Write what was found as JSON, or its rows as a table."""
        if self.is_json:
            self.write_json(found)
        else:
            self.table(headers, rows)

    def _write(self, text: str) -> None:
        self.stream.write(text + '\n')
        self.stream.flush()

    def _safe(self, text: str, keep: str = '') -> str:
        """Escape unsafe characters, except the colors that ``colorize`` has added."""
        if not self.live:
            return printable.escape(text, keep)
        parts = COLOR_CODE.split(text)
        return ''.join(
            part if index % 2 else printable.escape(part, keep) for index, part in enumerate(parts)
        )

    def colorize(self, text: str, status: str) -> str:
        color = COLORS.get(outcome(status))
        text = printable.escape(text)
        return f'\033[{color}m{text}\033[0m' if self.has_colors and color else text

    def symbol(self, status: str) -> str:
        return self.colorize(SYMBOLS.get(outcome(status), '·'), status)

    def table(
        self,
        headers: Sequence[str],
        rows: Iterable[Sequence[Value]],
        least: Mapping[str, int] = MappingProxyType({}),
    ) -> list[int]:
        """Write a table with columns as wide as their content and statuses in color.

        ``least``: the widths of columns with shorter content. Return the widths.
        """
        lines = [[cell(value) for value in row] for row in rows]
        widths = [
            max(least.get(header, 0), *(len(line[index]) for line in [list(headers), *lines]))
            for index, header in enumerate(headers)
        ]
        if self.live:
            excess = fit(headers, widths, columns())
            if excess > 0 and headers[-1] in LEFT_OUT:
                return self.table(headers[:-1], [line[:-1] for line in lines])
        self.write_row(headers, widths)
        for line in lines:
            self.write_row(line, widths)
        return widths

    def write_row(self, line: Iterable[str], widths: Sequence[int]) -> None:
        """Write a row of a table. A text that is too long is shortened on a terminal only."""
        cells = [
            self.colorize((shorten(text, width) if self.live else text).ljust(width), text)
            for text, width in zip(line, widths, strict=True)
        ]
        self.write_line(GAP.join(cells).rstrip())


def fit(headers: Sequence[str], widths: list[int], limit: int) -> int:
    """Make shrinking columns narrower until a line has ``limit`` characters, if they allow it.

    Return the number of characters that are still too many.
    """
    shrinking = [index for index, header in enumerate(headers) if header in SHRINKING]
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - limit
    while excess > 0 and shrinking:
        widest = max(shrinking, key=lambda index: widths[index])
        if widths[widest] <= MIN_WIDTH:
            break
        widths[widest] -= 1
        excess -= 1
    return excess
