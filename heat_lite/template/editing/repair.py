"""A readable text from one that is not valid YAML, because it is being written.

Of the parts beside the line of the cursor, those that cannot be read are left out.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

_PAIRS = {'[': ']', '{': '}'}
_QUOTES = '\'"'
#: what stands before the begin of a quoted text
_BEFORE_QUOTE = ' \t[{,:'
_ITEM = re.compile(r'( *)- +(?=[^ #])')
_KEY = re.compile(
    r' *(?:- +)?(?:"[^"]*"|\'[^\']*\'|[^\s"\'#\[\]{},&*!|>%@`-][^:#]*?)(?= *(?::\s|:?$))'
)
#: a line that only begins a map or a list, which the next lines contain
_HEADER = re.compile(r'(:|^ *-) *(#.*)?$')
_NO_ENTRY = ('', '#', '%')
_DOCUMENT = ('---', '...')
MAX_LINES = 20_000


def closing(text: str) -> str:
    """Return the quote and the brackets that close those that a text leaves open."""
    waiting: list[str] = []
    quote, previous = '', ' '
    for letter in text:
        if quote:
            quote = '' if letter == quote else quote
        elif letter in _QUOTES and previous in _BEFORE_QUOTE:
            quote = letter
        elif letter in _PAIRS:
            waiting.append(_PAIRS[letter])
        elif waiting and letter == waiting[-1]:
            waiting.pop()
        previous = letter
    return quote + ''.join(reversed(waiting))


class Repaired:
    """The readable lines around line ``number`` of a text, which counts from zero.

    ``before`` and ``after`` are the lines before and after this one. ``opened`` is the text before
    it that leaves brackets open. ``is_readable(text)`` says whether a part is a map or a list.
    """

    def __init__(
        self, lines: Sequence[str], number: int, is_readable: Callable[[str], bool]
    ) -> None:
        self._lines = [with_spaces(line) for line in lines]
        #: the ranks of the lines at which entries begin, by their numbers
        self._ranks = {
            index: _rank(line) for index, line in enumerate(self._lines) if _is_entry(line)
        }
        self._is_readable = is_readable
        self._number = number
        self._path = self._ancestors()
        self.before: list[str] = []
        self.after: list[str] = []
        self.opened = ''
        self._keep_around()

    def _ancestors(self) -> list[int]:
        """Return the lines that contain the line of the cursor, and this line, outermost first."""
        found = [self._number]
        rank = _rank(self._lines[self._number])
        for index in range(self._number - 1, -1, -1):
            if self._ranks.get(index, rank) < rank:
                found.append(index)
                rank = self._ranks[index]
        return found[::-1]

    def _keep_around(self) -> None:
        begin, end = 0, len(self._lines)
        for head in self._path:
            rank = _rank(self._lines[head])
            stop = next((i for i in range(head + 1, end) if self._starts(i, rank)), end)
            self.before += self._kept(self._lines[begin:head], rank)
            self.after = [*self._kept(self._lines[stop:end], rank), *self.after]
            if head == self._number:
                return
            if not _HEADER.search(self._lines[head]) and self._opens(head):
                return
            self.before += self._header(head)
            begin, end = head + 1, stop

    def _starts(self, index: int, rank: int) -> bool:
        """Whether an entry begins at a line that is not below one of this rank."""
        begun = self._ranks.get(index)
        return begun is not None and begun <= rank and self._lines[index].lstrip()[0] not in ']}'

    def _opens(self, head: int) -> bool:
        """Keep the begin of a list or a map in brackets that contains the cursor."""
        lines = self._lines[head : self._number]
        self.opened = '\n'.join(lines)
        if not closing(self.opened):
            self.opened = ''
            return False
        self.before += lines
        return True

    def _header(self, head: int) -> list[str]:
        """Return the begin of an entry whose other parts are kept one by one."""
        line = self._lines[head]
        item = _ITEM.match(line)
        if item is None:
            return _key_of(line)
        first = ' ' * item.end() + line[item.end() :]
        return [f'{item[1]}-', *(self._kept_entry([first]))]

    def _kept(self, lines: list[str], rank: int | None = None) -> Iterator[str]:
        """Yield the readable lines of whole entries, which begin at a rank or at the lowest one."""
        starts = [index for index, line in enumerate(lines) if _is_entry(line)]
        if not starts:
            return
        lowest = min(_rank(lines[index]) for index in starts)
        rank = lowest if rank is None else rank
        if rank == lowest == _rank(lines[starts[0]]) and self._is_readable('\n'.join(lines)):
            yield from lines
            return
        heads = [i for i in starts if _rank(lines[i]) == rank and lines[i].lstrip()[0] not in ']}']
        for head, stop in itertools.pairwise([*heads, len(lines)]):
            yield from self._kept_entry(lines[head:stop])

    def _kept_entry(self, lines: list[str]) -> Iterator[str]:
        """Yield an entry, or what can be read of it: its key, and the entries below."""
        if self._is_readable('\n'.join(lines)):
            yield from lines
        elif _HEADER.search(lines[0]):
            yield lines[0]
            yield from self._kept(lines[1:])
        else:
            yield from _key_of(lines[0])


def with_spaces(line: str) -> str:
    """Return a line with spaces in place of the tabs of its indentation."""
    text = line.lstrip(' \t')
    return line[: len(line) - len(text)].expandtabs(4) + text


def _key_of(line: str) -> list[str]:
    """Return a line with the key of an entry; none of an item of a list."""
    key = _KEY.match(line)
    return [] if key is None or _ITEM.match(line) else [f'{key[0]}:']


def _is_entry(line: str) -> bool:
    text = line.lstrip(' ')
    return text[:1] not in _NO_ENTRY and not text.startswith(_DOCUMENT)


def _rank(line: str) -> int:
    """Return the depth of a line: an item of a list may have the indentation of its key."""
    text = line.lstrip(' ')
    return 2 * (len(line) - len(text)) + (text == '-' or text.startswith('- '))
