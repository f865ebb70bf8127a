"""Comments in a document that disable rules.

``# heat-lint: disable=RULE, RULE`` at the end of a line disables rules in this line, on a line of
its own in the next line. ``# heat-lint: disable-file=RULE`` disables rules in the document.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from heat_lite.template.source_positions import Position

_COMMENT = re.compile(r'(?:^|\s)#\s*heat-lint:\s*disable(-file)?\s*=\s*([\w-]+(?:\s*,\s*[\w-]+)*)')


class Comment(NamedTuple):
    """One rule in a comment. ``line`` is the line that it applies to, None for all lines."""

    rule: str
    line: int | None
    position: Position


def comments(text: str) -> Iterator[Comment]:
    """Yield the rules that the comments of a text disable."""
    if 'heat-lint:' not in text:
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = _COMMENT.search(line)
        if found is None:
            continue
        is_alone = not line[: found.start()].strip()
        applies_to = None if found[1] else number + is_alone
        for rule in re.split(r'\s*,\s*', found[2]):
            yield Comment(rule, applies_to, Position(number, found.start(2) + 1))


class Suppressions:
    """The disabled rules of a document, by line."""

    def __init__(self, text: str) -> None:
        self._rules: dict[int | None, set[str]] = defaultdict(set)
        for comment in comments(text):
            self._rules[comment.line].add(comment.rule)

    def hide(self, rule: str, line: int) -> bool:
        """Whether comments disable a rule in a line."""
        return any(rule in self._rules.get(place, ()) for place in (None, line))
