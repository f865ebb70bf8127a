"""What a rule of the linter is, and what several of them need."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from heat_lite.template.checks import Violation
from heat_lite.template.lint.finding import ERROR
from heat_lite.template.source_positions import Position, Positions

ANY, TEMPLATE, ENVIRONMENT = 'any', 'template', 'environment'
#: yields pairs: a path in the data of a document or a Position, and the text of the finding
Check: TypeAlias = Callable[[Any], Iterator[tuple]]


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule of the linter. The docstring of ``check`` is the line about it in docs/lint.md.

    ``position`` returns the position of a finding at a path: that of its key, or of its value.
    """

    name: str
    check: Check
    level: str
    subject: str
    position: Callable[[Positions, tuple], Position]

    @property
    def title(self) -> str:
        """The name in CamelCase, as in SARIF: that of the function without ``check_``."""
        return ''.join(word.capitalize() for word in self.check.__name__.split('_')[1:])

    def summary(self) -> str:
        return ' '.join((self.check.__doc__ or '').split())


#: the names of all rules
NAMES: list[str] = []


def rule(
    name: str,
    level: str = ERROR,
    subject: str = TEMPLATE,
    position: Callable[[Positions, tuple], Position] = Positions.find,
) -> Callable[[Check], Rule]:
    """Return a decorator that makes a rule of its check."""
    NAMES.append(name)
    return lambda check: Rule(name, check, level, subject, position)


def at(path: tuple, violations: Iterable[Violation]) -> Iterator[tuple]:
    """Yield the paths and texts of violations in the part of a document that ``path`` leads to."""
    for violation in violations:
        yield (*path, *violation.path), violation.text


def of_rule(violations: Iterable[Violation], name: str) -> Iterator[Violation]:
    """Yield the violations of one rule."""
    return (each for each in violations if each.rule == name)


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
