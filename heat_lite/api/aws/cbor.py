"""CBOR (RFC 8949) as AWS's protocol of RPC uses it: its only tag is that of times."""

import datetime
import struct
from collections.abc import Iterator

from heat_lite.common.value_types import Value

UNSIGNED, NEGATIVE, BYTES, TEXT, LIST, MAP, TAG, SIMPLE = range(8)
INDEFINITE, BREAK, TIME_TAG = 31, b'\xff', 1
MAX_DEPTH = 50
SIMPLE_VALUES = {20: False, 21: True, 22: None, 23: None}
FLOATS = {25: '>e', 26: '>f', 27: '>d'}


class Time(float):
    """A time to encode, in seconds since 1970."""


def decode(data: bytes) -> Value:
    """Return the value of a text of CBOR; a time is a datetime of UTC. Raises ValueError."""
    reader = _Reader(data)
    try:
        value = reader.item(0)
    except (TypeError, OverflowError, OSError) as error:
        raise ValueError(f'a key or a time is invalid: {error}') from None
    if reader.place < len(data):
        raise ValueError('it goes on after its value')
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def item(self, depth: int) -> Value:
        if depth > MAX_DEPTH:
            raise ValueError(f'it is nested in more than {MAX_DEPTH} levels')
        (first,) = self._take(1)
        kind, info = first >> 5, first & 31
        if kind == LIST:
            return [self.item(depth + 1) for _ in self._each(info)]
        if kind == MAP:
            return {self.item(depth + 1): self.item(depth + 1) for _ in self._each(info)}
        if kind == TEXT:
            return self._text(info, depth)
        if kind == BYTES:
            raise ValueError('it has bytes in the place of a text')
        if kind == SIMPLE:
            return self._simple(info)
        number = self._number(info)
        if kind == TAG and number == TIME_TAG:
            return datetime.datetime.fromtimestamp(self.item(depth + 1), datetime.UTC)
        if kind == TAG:
            raise ValueError(f'the tag {number} is unknown')
        return number if kind == UNSIGNED else -1 - number

    def _text(self, info: int, depth: int) -> str:
        if info == INDEFINITE:
            return ''.join(self.item(depth + 1) for _ in self._each(info))
        return self._take(self._number(info)).decode()

    def _simple(self, info: int) -> Value:
        if info in FLOATS:
            return struct.unpack(FLOATS[info], self._take(1 << info - 24))[0]
        if info not in SIMPLE_VALUES:
            raise ValueError(f'the simple value {info} is unknown')
        return SIMPLE_VALUES[info]

    def _each(self, info: int) -> Iterator[None]:
        """Yield once for each item of a list or map."""
        left = -1 if info == INDEFINITE else self._number(info)
        while left and not (left < 0 and self._data.startswith(BREAK, self.place)):
            yield
            left -= 1
        self.place += left < 0

    def _number(self, info: int) -> int:
        if info > 27:
            raise ValueError(f'the length {info} is unknown')
        return info if info < 24 else int.from_bytes(self._take(1 << info - 24), 'big')

    def _take(self, count: int) -> bytes:
        found = self._data[self.place : self.place + count]
        if len(found) < count:
            raise ValueError('it ends too early')
        self.place += count
        return found


def encode(value: Value) -> bytes:
    """Return the CBOR of a value of text, numbers, booleans, times, lists and maps."""
    if isinstance(value, bool):
        return b'\xf5' if value else b'\xf4'
    if isinstance(value, dict):
        parts = [encode(part) for pair in value.items() for part in pair]
        return _head(MAP, len(value)) + b''.join(parts)
    if isinstance(value, list):
        return _head(LIST, len(value)) + b''.join(map(encode, value))
    if isinstance(value, float):
        tag = _head(TAG, TIME_TAG) if isinstance(value, Time) else b''
        return tag + b'\xfb' + struct.pack('>d', value)
    if isinstance(value, int):
        return _head(NEGATIVE, -1 - value) if value < 0 else _head(UNSIGNED, value)
    text = str(value).encode()
    return _head(TEXT, len(text)) + text


def _head(kind: int, number: int) -> bytes:
    if number < 24:
        return bytes([kind << 5 | number])
    info = next(each for each in (24, 25, 26, 27) if number < 1 << (8 << each - 24))
    return bytes([kind << 5 | info]) + number.to_bytes(1 << info - 24, 'big')
