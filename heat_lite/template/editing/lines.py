"""The collections and scalars of a YAML text, and the lines that each of them occupies.

Lines and columns count from 0. The text is split at ``\\n`` only (see ``split``).
"""

import dataclasses
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    MappingStartEvent,
    ScalarEvent,
)

from heat_lite.template.yaml_reader import LOADER

#: line breaks of YAML that editors do not show as such
_RARE_BREAKS = '\r\x85\u2028\u2029'


class NotFormattable(ValueError):
    """A text that cannot be laid out anew. The text of the error says why."""


@dataclasses.dataclass
class Part:
    """A scalar, an alias or a collection.

    ``children`` are the items of a list; of a map they are its keys and values by turns. ``end`` is
    the last line, of a block scalar without the empty lines below it.
    """

    event: Any
    children: list['Part'] = dataclasses.field(default_factory=list)
    end: int = 0

    @property
    def line(self) -> int:
        return self.event.start_mark.line

    @property
    def column(self) -> int:
        return self.event.start_mark.column

    @property
    def end_column(self) -> int:
        return self.event.end_mark.column

    @property
    def is_map(self) -> bool:
        return isinstance(self.event, MappingStartEvent)

    @property
    def is_block(self) -> bool:
        """Whether this is a map or a list in block style, not in brackets."""
        return isinstance(self.event, CollectionStartEvent) and not self.event.flow_style

    @property
    def is_block_scalar(self) -> bool:
        return isinstance(self.event, ScalarEvent) and self.event.style in ('|', '>')

    def pairs(self) -> list[tuple['Part', 'Part']]:
        """Return the keys and values of a map."""
        return list(zip(self.children[::2], self.children[1::2], strict=True))

    def last_line(self) -> int:
        """Return the last line of the content, without the comments and blank lines after it."""
        if self.is_block:
            return max([self.line, *(child.last_line() for child in self.children)])
        return self.end


def split(text: str) -> list[str]:
    """Return the lines of a text. Raises NotFormattable for rare line breaks."""
    text = text.replace('\r\n', '\n')
    for character in _RARE_BREAKS:
        if character in text:
            raise NotFormattable(f'the text contains the line break U+{ord(character):04X}')
    return text.split('\n')


def read(lines: list[str]) -> Part | None:
    """Return the document of a valid text, None if it is empty."""
    pending: list[Part] = []
    for event in yaml.parse('\n'.join(lines), Loader=LOADER):
        if isinstance(event, CollectionEndEvent):
            done = pending.pop()
            done.end = _last_line(event, lines)
            if not pending:
                return done
        elif isinstance(event, CollectionStartEvent | ScalarEvent | AliasEvent):
            part = Part(event, [], _last_line(event, lines))
            if pending:
                pending[-1].children.append(part)
            if isinstance(event, CollectionStartEvent):
                pending.append(part)
            elif not pending:
                return part
    return None


def _last_line(event: Any, lines: list[str]) -> int:
    start, end = event.start_mark, event.end_mark
    if not isinstance(event, ScalarEvent) or event.style not in ('|', '>'):
        return end.line
    last = end.line - 1 if end.line > start.line and not end.column else end.line
    header = lines[start.line][start.column :].partition('#')[0]
    texts = [line for line in lines[start.line + 1 : last + 1] if not is_blank(line)]
    if '+' in header or not texts or any(each.isdigit() for each in header):
        return last
    indent = indent_of(texts[0])
    # a longer line of spaces is content
    while last > start.line and is_blank(lines[last]) and len(lines[last]) <= indent:
        last -= 1
    return last


def is_blank(line: str) -> bool:
    return not line.strip()


def is_comment(line: str) -> bool:
    return line.lstrip().startswith('#')


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(' '))
