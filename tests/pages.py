"""The commands of the documentation: blocks of pages, their commands, outputs to compare.

In a page, a block with a title is a file. A block ``console`` is run: it has commands after ``$``,
which may say how they exit (``# exits with 1``), and their whole output. A line ``…`` in an output
stands for any lines, the character in a line for any text; the order of lines, numbers of seconds,
times, ids and ports do not count. A block ``sh`` is not run, and a comment above it says why:
``<!-- not run: needs a cloud -->``. Its commands are checked against the parser of ``heat-lite``.
"""

import contextlib
import io
import re
import shlex
import textwrap
from pathlib import Path
from typing import NamedTuple

from heat_lite.cli import arguments, completion

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / 'docs'
PAGES = [ROOT / 'README.md', *sorted(DOCS.rglob('*.md'))]
BLOCK = re.compile(
    r'^(?P<indent> *)```(?P<kind>[\w+-]+)(?: title="(?P<title>[^"]+)")?\n'
    r'(?P<text>.*?)^(?P=indent)```$',
    re.MULTILINE | re.DOTALL,
)
NOT_RUN = re.compile(r'<!-- not run: (.{8,}) -->\s*$')
EXIT = re.compile(r'\s+# exits with (\d+)$')
#: what differs in each run
MASKS = (
    (re.compile(r'\x1b\[[\d;]*m'), ''),
    (re.compile(r'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b'), 'ID'),
    (re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?|\b\d\d:\d\d:\d\d\b'), 'TIME'),
    (re.compile(r'(?<=[-/])[a-z0-9]{12}\b'), 'ID'),
    (re.compile(r'\b\d+(\.\d+)? ?(ms|s|m)\b'), 'SECONDS'),
    (re.compile(r'\s+'), ' '),
)
ELLIPSIS = '…'
OPERATORS = set('|&;<>()')


class Step(NamedTuple):
    """A command of a block, its exit status, the lines of its output."""

    source: list[str]
    command: str
    status: int
    lines: list[str]


def blocks(text):
    """Yield (match, text without indentation) of each block of a page."""
    for found in BLOCK.finditer(text):
        yield found, textwrap.dedent(found['text'])


def reason_not_to_run(text, block):
    """Return the reason in the comment above a block; None without one."""
    found = NOT_RUN.search(text[: block.start()])
    return found and found[1]


def steps(text):
    """Return the steps of a block ``console``."""
    found, lines = [], text.splitlines()
    while lines:
        source = [lines.pop(0)]
        assert source[0].startswith('$ '), f'A block begins with output: {source[0]}'
        while source[-1].endswith('\\'):
            source.append(lines.pop(0))
        command = '\n'.join(source)[2:]
        exits = EXIT.search(command)
        output = []
        while lines and not lines[0].startswith('$ '):
            output.append(lines.pop(0))
        status = int(exits[1]) if exits else 0
        found.append(Step(source, EXIT.sub('', command), status, output))
    return found


def masked(line):
    for pattern, replacement in MASKS:
        line = pattern.sub(replacement, line)
    return line.strip()


def merge(expected, actual, keep=lambda page, line: True):
    """Return the actual lines, each as the page has it if both are the same but for what varies.

    ``keep`` tells of two such lines whether that of the page stays.
    """
    left, merged = list(expected), []
    for line in actual:
        same = next((each for each in left if each != ELLIPSIS and fits(each, line)), None)
        if same is not None:
            left.remove(same)
        merged.append(line if same is None or not keep(same, line) else same)
    return merged


def has_columns_of(page, line):
    """Whether a line of a page has the columns of that of a run; its unknown texts have none."""
    if ELLIPSIS in page.strip()[1:]:
        return True
    shown = []
    for each in (page, line):
        for pattern, replacement in MASKS[:-1]:
            each = pattern.sub(replacement, each)
        shown.append(re.sub(r'\s*SECONDS\s*', ' SECONDS ', each).rstrip())
    return shown[0] == shown[1]


def counts(line):
    """Whether a line is compared. Whether work in progress is seen depends on its duration."""
    return line == ELLIPSIS or not re.match(r'\s*(…|$)', line)


def fits(expected, actual):
    """Return whether a line of output is that of a page."""
    parts = map(re.escape, masked(expected).split(ELLIPSIS))
    return re.fullmatch('.*'.join(parts), masked(actual)) is not None


def differences(expected, actual):
    """Return the lines of a page that an output lacks, and those that it has in addition."""
    expected = [line for line in expected if counts(line)]
    merged = merge(expected, filter(counts, actual))
    missing, added = list(expected), []
    for line in merged:
        if line in missing:
            missing.remove(line)
        else:
            added.append(line)
    if ELLIPSIS in missing:
        missing, added = [line for line in missing if line != ELLIPSIS], []
    return [f'- {line}' for line in missing] + [f'+ {line}' for line in added]


def shell_commands(text):
    """Yield each command ``heat-lite`` of a block, as words."""
    for line in text.replace('\\\n', ' ').splitlines():
        words = []
        for word in [*_words(line.removeprefix('$ ')), ';']:
            if word and set(word) <= OPERATORS:
                if words and words[0].removeprefix('.venv/bin/') == 'heat-lite':
                    yield words[1:]
                words = []
            elif words or '=' not in word:
                words.append(word)


def _words(line):
    reader = shlex.shlex(line.replace('"$(', ' ; ').replace('$(', ' ; '), None, True, True)
    reader.commenters, reader.whitespace_split = '#', True
    with contextlib.suppress(ValueError):  # a text in quotes that goes on in the next line
        yield from reader


def code_spans(text):
    """Yield the words of each command ``heat-lite`` in the prose of a page."""
    prose = BLOCK.sub('', text)
    for span in re.findall(r'`heat-lite ([^`]+)`', prose):
        with contextlib.suppress(ValueError):
            yield shlex.split(' '.join(span.split()))


def fault(words):
    """Return what the parser of ``heat-lite`` says about a command line; None if it accepts it."""
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
            consumed, parser = completion.parser_of(words)
            parser.parse_args(arguments.with_depth(words[consumed:], parser))
    except SystemExit as end:
        return told.getvalue() or 'refused' if end.code else None
    return None
