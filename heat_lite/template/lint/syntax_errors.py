"""The errors of the YAML parser: their position, what they state, and what an author may change."""

import re

from heat_lite.template.source_positions import START, Position

_MARK = re.compile(r'line (\d+), column (\d+)')
_PREFIX = re.compile(
    r'^(?:Template not in valid format: )?Error parsing template (?:\[root stack\]|\S+) '
)
#: parts of errors about quotes and brackets
_OPEN = ('while scanning a quoted scalar', 'while parsing a flow ')
#: {part of an error: what an author may change}
ADVICE = {
    r"character '\t'": 'YAML indents with spaces: replace the tab',
    "but found '<block mapping start>'": 'the indentation fits to no line above',
    "but found '<scalar>'": 'check the quotes in this line and before it',
    'did not find expected key': 'check the indentation of this line and the quotes before it',
    'mapping values are not allowed': 'check the indentation, or quote a value that has a colon',
    "could not find expected ':'": 'check for a key without a colon, and the indentation',
    'found unexpected end of stream': 'check for a quote that is not closed',
    "expected ',' or ']'": 'check for a bracket that is not closed, or a missing comma',
    "expected ',' or '}'": 'check for a brace that is not closed, or a missing comma',
    "character '%'": 'quote the value',
    "character '@'": 'quote the value',
    "character '`'": 'quote the value',
    'determine a constructor for the tag': 'write a function as a map, {get_param: NAME}',
    'unknown escape character': 'write a backslash twice between double quotes',
}


def is_syntax_error(text: str) -> bool:
    """Return whether an error is one of the YAML parser."""
    return bool(_PREFIX.match(text) or _MARK.search(text))


def position_of(text: str) -> Position:
    """Return the position of an error of the YAML parser.

    It is the last one in the error, where the parser failed. For a quote or a bracket that is not
    closed, and whose end the parser expects somewhere below, it is where this begins.
    """
    marks = [Position(*map(int, mark)) for mark in _MARK.findall(text)]
    if not marks:
        return START
    is_open = any(part in text for part in _OPEN) and marks[0].line < marks[-1].line
    return marks[0] if is_open else marks[-1]


def summary(error: Exception | str) -> str:
    """Return the lines of an error that state the problem, and advice.

    Positions and excerpts are left out.
    """
    lines = [line.strip() for line in str(error).splitlines()]
    stated = [line for line in lines if line and not _MARK.search(line) and line[0] != '^']
    details = ('found', 'expected', 'could not', 'but')
    text = ' '.join(
        [_PREFIX.sub('', each) for each in stated[:1]]
        + [line for line in stated[1:] if line.startswith(details)]
    )
    advice = next((each for part, each in ADVICE.items() if part in text), None)
    return f'{text}: {advice}' if advice else text
