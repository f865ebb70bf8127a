"""What a rule is."""

from collections.abc import Iterator
from typing import ClassVar

from heat_lite.template.lint.finding import ERROR
from heat_lite.template.suggest import suggest

ANY, TEMPLATE, ENVIRONMENT = 'any', 'template', 'environment'


class Rule:
    """One thing to look for. The docstring of a rule is what users read about it: a line each, in docs and reports.

    ``check`` yields pairs: where (a path in the data, or a Position) and what is wrong there.
    """

    name: ClassVar[str]
    level: ClassVar[str] = ERROR
    subject: ClassVar[str] = TEMPLATE

    def check(self, document) -> Iterator[tuple]:
        raise NotImplementedError

    @classmethod
    def summary(cls):
        return ' '.join((cls.__doc__ or '').split())


def meant(text, name, known):
    """A text, with what was probably meant by the name at its end."""
    hint = suggest(name, known)
    return f'{text}.{hint}' if hint else text


def text_of(error):
    """What an error says, without where: that is the position of the finding."""
    return getattr(error, 'error_message', None) or str(error)


def reaches(edges, start, end):
    """Whether the edges lead from one name to another."""
    waiting, seen = list(edges[start]), set()
    while waiting:
        name = waiting.pop()
        if name == end:
            return True
        if name not in seen:
            seen.add(name)
            waiting.extend(edges[name])
    return False
