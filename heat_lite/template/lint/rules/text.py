"""Rules about the text of a document, whatever its data mean."""

import re
from typing import ClassVar

from heat_lite.template import reader
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import ANY, Rule
from heat_lite.template.lint.suppressions import comments
from heat_lite.template.source_positions import START, Position
from heat_lite.template.suggest import with_suggestion

_MARK = re.compile(r'line (\d+), column (\d+)')


class Syntax(Rule):
    """The text is one document of YAML or JSON, a map at the top level, not nested too deeply."""

    name = 'syntax'
    subject = ANY

    def check(self, document):
        if document.error is not None:
            yield _position(str(document.error)), _summary(document.error)
        elif not document.data:
            yield START, 'The document is empty'


def _position(text):
    """Return the last position in an error of the YAML parser: the place where it failed."""
    marks = _MARK.findall(text)
    return Position(*map(int, marks[-1])) if marks else START


def _summary(error):
    """Return the lines of an error that state the problem, without positions and excerpts."""
    lines = [line.strip() for line in str(error).splitlines()]
    stated = [line for line in lines if line and not _MARK.search(line) and line[0] != '^']
    details = ('found', 'expected', 'could not', 'but')
    return ' '.join(stated[:1] + [line for line in stated[1:] if line.startswith(details)])


def without_excerpt(error: Exception) -> str:
    """Return the text of a syntax error with its position only."""
    line, column = _position(str(error))
    return f'The file is no valid YAML or JSON, or no map\nline {line}, column {column}'


class DuplicateKey(Rule):
    """No map has a key twice: the last value replaces the others."""

    name = 'duplicate-key'
    level = WARNING
    subject = ANY

    def check(self, document):
        for path, position, first in document.positions.duplicates():
            yield (
                position,
                f'The key "{path[-1]}" is in line {first.line}, too: only the last value counts',
            )


class UnknownRule(Rule):
    """A comment that disables a rule names an existing one."""

    name = 'unknown-rule'
    level = WARNING
    subject = ANY
    #: the names of all rules
    known: ClassVar[tuple[str, ...]] = ()

    def check(self, document):
        for comment in comments(document.text):
            if comment.rule not in self.known:
                text = f'There is no rule "{comment.rule}"'
                yield comment.position, with_suggestion(text, comment.rule, self.known)


#: octal and sexagesimal numbers of YAML 1.1
_SURPRISING = re.compile(r'[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)')


class SurprisingNumber(Rule):
    """No unquoted number has an unexpected value: in YAML 1.1, 12:30 is 750 and 010 is 8."""

    name = 'surprising-number'
    level = WARNING
    subject = ANY

    def check(self, document):
        if document.text.lstrip()[:1] == '{':
            return
        for path, text, kind, position in document.positions.plain_scalars():
            is_number = kind in ('int', 'float') and path and path[0] not in reader.VERSION_KEYS
            if is_number and _SURPRISING.fullmatch(text):
                yield position, f'{text} is read as {_value(text)}: quote it if it is a string'


def _value(text):
    return reader.parse(f'value: {text}')['value']
