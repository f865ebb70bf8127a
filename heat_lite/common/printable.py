"""Text of a stranger, made safe for a line of a log or a terminal.

Control characters could forge lines, move the cursor, hide text, or send commands to a terminal.
"""

import re

#: control characters of C0 and C1, separators of lines, marks that reverse or isolate the direction
#: of text, and halves of surrogate pairs, which cannot be written
UNSAFE = re.compile(
    '[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]'
)
SHORT = {'\n': r'\n', '\r': r'\r', '\t': r'\t'}
ELLIPSIS = '... ({} characters more)'


def escape(text: str, keep: str = '') -> str:
    """Return the text with unsafe characters written as in a string of Python.

    The characters of ``keep`` stay as they are.
    """
    return UNSAFE.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), text)


def _escaped(character: str) -> str:
    if character in SHORT:
        return SHORT[character]
    code = ord(character)
    return f'\\x{code:02x}' if code < 0x100 else f'\\u{code:04x}'


def shorten(text: str, size: int) -> str:
    """Return the text cut to ``size`` bytes of UTF-8, with the number of omitted characters."""
    data = text.encode(errors='replace')
    if len(data) <= size:
        return text
    room = size - len(ELLIPSIS.format(len(text)))
    kept = data[: max(0, room)].decode(errors='ignore')
    return kept + ELLIPSIS.format(len(text) - len(kept))
