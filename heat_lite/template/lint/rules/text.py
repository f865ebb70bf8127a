"""Rules about the text itself, before anybody asks what it means."""

import re

from heat_lite.template import format
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import ANY, Rule
from heat_lite.template.positions import START, Position

_MARK = re.compile(r'line (\d+), column (\d+)')


class Syntax(Rule):
    """The text can be read: YAML or JSON, one document, a map at the top, not too deep."""

    name = 'syntax'
    subject = ANY

    def check(self, document):
        if document.error is not None:
            yield _where(str(document.error)), _first_line(document.error)
        elif not document.data:
            yield START, 'The document is empty'


def _where(text):
    """The last place that the reader of YAML names: where it could not go on."""
    places = _MARK.findall(text)
    return Position(*map(int, places[-1])) if places else START


def _first_line(error):
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not _MARK.search(line) and not line.startswith('^')]
    return ' '.join(told[:1] + [line for line in told[1:] if line.startswith(('found', 'expected', 'could not', 'but'))])


class DuplicateKey(Rule):
    """No map has a key twice: the last one counts, and what the others said is lost."""

    name = 'duplicate-key'
    level = WARNING
    subject = ANY

    def check(self, document):
        for path, position, first in document.positions.duplicates():
            yield position, f'The key "{path[-1]}" is in this map already, in line {first.line}: only the last one counts'


class SurprisingNumber(Rule):
    """No number without quotes is read as another one than it looks like: 12:30 is 750 in YAML, and 010 is 8."""

    name = 'surprising-number'
    level = WARNING
    subject = ANY

    def check(self, document):
        if document.text.lstrip()[:1] == '{':
            return
        for path, text, kind, position in document.positions.plain():
            if kind in ('int', 'float') and path[:1] and path[0] not in format.VERSION_KEYS and _SURPRISING.fullmatch(text):
                yield position, f'{text} is read as {_value(text)}: put it in quotes if it is a text'


_SURPRISING = re.compile(r'[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)')


def _value(text):
    return format.parse(f'value: {text}')['value']
