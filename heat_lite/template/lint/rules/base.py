"""The base class of the rules."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from heat_lite.template.checks import Violation
from heat_lite.template.lint.finding import ERROR
from heat_lite.template.source_positions import Position, Positions

ANY, TEMPLATE, ENVIRONMENT = 'any', 'template', 'environment'


class Rule:
    """A rule of the linter. Its docstring is the line about it in reports and in docs/lint.md.

    ``check`` yields pairs: a path in the data or a Position, and the text of the finding.
    """

    name: ClassVar[str]
    level: ClassVar[str] = ERROR
    subject: ClassVar[str] = TEMPLATE

    def check(self, document: Any) -> Iterator[tuple]:
        raise NotImplementedError

    def position(self, positions: Positions, path: tuple) -> Position:
        """Return the position of a finding at a path: that of its key."""
        return positions.find(path)

    @classmethod
    def summary(cls) -> str:
        return ' '.join((cls.__doc__ or '').split())


class ValueRule(Rule):
    """A rule about a value, such as a name: its findings are at the value, not at the key."""

    def position(self, positions: Positions, path: tuple) -> Position:
        return positions.find_value(path)


def at(path: tuple, violations: Iterable[Violation]) -> Iterator[tuple]:
    """Yield the paths and texts of violations in the part of a document that ``path`` leads to."""
    for violation in violations:
        yield (*path, *violation.path), violation.text


def not_read(file: str) -> str:
    """Return why a file is not read, as the end of a sentence."""
    if '://' in file:
        return 'remote: it is not read'
    return 'outside of the folders of the linted files: it is not read (see --root)'


def reaches(edges: Mapping[str, Iterable[str]], start: str, end: str) -> bool:
    """Whether a path of at least one edge leads from one name to another."""
    waiting, seen = list(edges[start]), set()
    while waiting:
        name = waiting.pop()
        if name == end:
            return True
        if name not in seen:
            seen.add(name)
            waiting.extend(edges[name])
    return False
