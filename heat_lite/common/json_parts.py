"""JSON of large values, written in parts with pauses in between.

The encoder of Python lets no other thread run until a text is complete: 0.1 s for one of 50 MB, and
the replies to one project are many. The text is that of the encoder.
"""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from heat_lite.common import cooperation
from heat_lite.common.value_types import Value

#: seconds of a part: a shorter one is followed by one of twice as many items, a longer one by half
SHORT, LONG = 0.0005, 0.002
MAX_ITEMS = 2048
#: levels of maps and lists that are divided, e.g. {"graph": {"nodes": [...]}}
LEVELS = 3

_encode = json.JSONEncoder(check_circular=False).encode


def dumps(value: Value, encode: Callable[[Any], str] = _encode) -> str:
    """Return the text of a value, as ``encode`` writes it with the usual separators."""
    texts: list[str] = []
    _write(value, encode, LEVELS, texts)
    return ''.join(texts)


def _write(value: Value, encode: Callable[[Any], str], levels: int, texts: list[str]) -> None:
    if not levels or not value or type(value) not in (list, dict):
        texts.append(encode(value))
        return
    is_list, separator = type(value) is list, ''
    texts.append('[' if is_list else '{')
    for part in _parts(value):
        texts.append(separator)
        separator = ', '
        if len(part) > 1:
            texts.append(encode(part)[1:-1])
        elif is_list:
            _write(part[0], encode, levels - 1, texts)
        else:
            ((key, item),) = part.items()
            texts.append(encode({key: 0})[1:-2])
            _write(item, encode, levels - 1, texts)
    texts.append(']' if is_list else '}')


def _parts(value: Value) -> Iterator[Any]:
    """Yield a list or map in parts, of which each takes about as long to write."""
    items = iter(value if type(value) is list else value.items())
    kind, count = type(value), 1
    while part := list(itertools.islice(items, count)):
        begun = time.monotonic()
        yield kind(part)
        seconds = time.monotonic() - begun
        if seconds < SHORT:
            count = min(2 * count, MAX_ITEMS)
        elif seconds > LONG:
            count = max(count // 2, 1)
        cooperation.cooperate()
