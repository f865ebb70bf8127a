"""Values as texts: read from JSON, and written in errors in the words of the language."""

import json
import math
import string
from collections.abc import Mapping, Sequence

from heat_lite.common.value_types import Value

#: the word for a value of a type, in the order in which the types are tried
KINDS: dict[type, str] = {
    bool: 'a boolean',
    str: 'a text',
    int: 'a number',
    float: 'a number',
    Mapping: 'a map',
    list: 'a list',
    tuple: 'a list',
    type(None): 'null',
}
#: characters of a list or a map that are shown
MAX_SHOWN = 200
#: texts that an error lists
MOST_LISTED = 20
#: what may stand around JSON
BLANKS = f'{string.whitespace}\N{NO-BREAK SPACE}\N{BYTE ORDER MARK}'


def finite_number(digits: str) -> float | str:
    """Return a float; one that JSON does not have, such as NaN or 1e999, stays a text."""
    number = float(digits)
    return number if math.isfinite(number) else digits


#: a reader of JSON that reads NaN and Infinity, which Python writes, as texts
from_json = json.JSONDecoder(parse_float=finite_number, parse_constant=str).decode
_write = json.JSONEncoder(allow_nan=False).encode


def read_json(text: str) -> Value:
    """Return the value of a JSON text; None for a blank one. Raises ValueError, RecursionError."""
    bare_text = text.strip(BLANKS)
    return from_json(bare_text) if bare_text else None


def to_json(value: Value) -> str:
    """Return the JSON of a value, with texts in the place of numbers that JSON does not have."""
    try:
        return _write(value)
    except ValueError:
        return _write(from_json(json.dumps(value)))


def kind_of(value: Value) -> str:
    """Return "a text", "a number", "a boolean", "a map", "a list" or "null"."""
    return next((word for kind, word in KINDS.items() if isinstance(value, kind)), 'no value')


def as_json(value: Value) -> str:
    """Return the beginning of the JSON text of a value."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else f'{text[:MAX_SHOWN]}...'


def bare(value: Value) -> str:
    """Return a text or a number as it is, and another value as JSON."""
    return str(value) if _is_plain(value) else as_json(value)


def quoted(value: Value) -> str:
    """Return a text or a number in quotes, and another value as JSON."""
    return f'"{value}"' if _is_plain(value) else as_json(value)


def listed(texts: Sequence[str], separator: str = ', ') -> str:
    """Return the first texts in a row, and how many others there are."""
    more = len(texts) - MOST_LISTED
    shown = [*texts[:MOST_LISTED], *([f'and {more} more'] if more > 0 else ())]
    return separator.join(shown)


def _is_plain(value: Value) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
