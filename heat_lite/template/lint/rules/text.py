"""Rules about the text of a document, whatever its data mean."""

import re
from collections.abc import Iterator

from heat_lite.template import dialects, reader
from heat_lite.template.lint import syntax_errors
from heat_lite.template.lint.document import Document, TemplateDocument
from heat_lite.template.lint.finding import WARNING
from heat_lite.template.lint.rules.base import ANY, NAMES, rule
from heat_lite.template.lint.suppressions import comments
from heat_lite.template.source_positions import START
from heat_lite.template.suggest import with_suggestion


@rule('syntax', subject=ANY)
def check_syntax(document: Document) -> Iterator[tuple]:
    """The text is one document of YAML or JSON, a map at the top level, not nested too deeply."""
    if document.error is not None:
        text = str(document.error)
        yield syntax_errors.position_of(text), syntax_errors.summary(text)
    elif not document.data:
        yield START, 'The document is empty'


def without_excerpt(error: Exception) -> str:
    """Return the text of a syntax error with its position only."""
    line, column = syntax_errors.position_of(str(error))
    return f'The file is no valid YAML or JSON, or no map\nline {line}, column {column}'


@rule('duplicate-key', level=WARNING, subject=ANY)
def check_duplicate_key(document: Document) -> Iterator[tuple]:
    """No map has a key twice: the last value replaces the others."""
    for path, position, first in document.positions.duplicates():
        yield (
            position,
            f'The key "{path[-1]}" is in line {first.line}, too: only the last value counts',
        )


@rule('unknown-rule', level=WARNING, subject=ANY)
def check_unknown_rule(document: Document) -> Iterator[tuple]:
    """A comment that disables a rule names an existing one."""
    for comment in comments(document.text):
        if comment.rule not in NAMES:
            text = f'There is no rule "{comment.rule}"'
            yield comment.position, with_suggestion(text, comment.rule, NAMES)


#: octal and sexagesimal numbers of YAML 1.1
_SURPRISING = re.compile(r'[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)')
#: three octal digits, without the zero that makes a number octal
_DIGITS_OF_MODE = re.compile(r'[0-7]{3}')


@rule('surprising-number', level=WARNING, subject=ANY)
def check_surprising_number(document: Document) -> Iterator[tuple]:
    """No unquoted number has an unexpected value: in YAML 1.1, 12:30 is 750 and 010 is 8."""
    if document.text.lstrip()[:1] == '{':
        return
    for path, text, kind, position in document.positions.plain_scalars():
        if kind not in ('int', 'float') or not path or path[0] in dialects.VERSION_KEYS:
            continue
        if _is_file_mode(path):
            if _looks_like_mode(text):
                yield position, f"{text} is read as the mode 0{int(text):o}: write '0{text}'"
        elif _SURPRISING.fullmatch(text):
            yield position, f'{text} is read as {_value(text)}: quote it if it is a string'


def _is_file_mode(path: tuple) -> bool:
    """Whether a path leads to the mode of a file of cloud-init, which takes numbers as they are."""
    return path[-1] == 'permissions' and path[-3:-2] == ('write_files',)


def _looks_like_mode(text: str) -> bool:
    """Whether a decimal number has the digits of a usual mode: the group may do what the owner may
    do, at most, and others what the group may do.
    """
    if not _DIGITS_OF_MODE.fullmatch(text):
        return False
    owner, group, others = map(int, text)
    return group & ~owner == 0 == others & ~group


@rule('unquoted-name', level=WARNING)
def check_unquoted_name(document: TemplateDocument) -> Iterator[tuple]:
    """No name is a boolean or an unexpected number: in YAML 1.1, no is "false", and 010 is "8"."""
    for section in ('parameters', 'conditions', 'resources', 'outputs'):
        path = document.path_of(section)
        for key in document.positions.plain_keys(path):
            name = key.path[-1]
            if key.kind == 'bool' or (key.kind in ('int', 'float', 'null') and name != key.text):
                what = f'the name of this {section.removesuffix("s")}'
                yield key.position, f'YAML reads {key.text} as {name}: quote {what}'


def _value(text: str) -> int:
    return reader.parse(f'value: {text}')['value']
