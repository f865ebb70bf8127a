"""CBOR (RFC 8949) as AWS's protocol of RPC uses it: its only tag is that of times.

Strangers send the bytes. The library builds nothing for other tags: some stand for numbers of any
size or for objects that repeat others.
"""

import datetime
import io
from collections.abc import Callable

import cbor2

from heat_lite.common.value_types import Value

TIME_TAG = 1
MAX_DEPTH = 50


def _refuse(value: Value, immutable: bool) -> Value:
    raise ValueError('it has a tag that is not that of a time')


def _time(value: Value, immutable: bool) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(value, datetime.UTC)


class _Tags(dict[int, Callable]):
    """The reader of each tag. Others are refused and not kept, since strangers choose them."""

    def __missing__(self, tag: int) -> Callable:
        return _refuse


_TAGS = _Tags({TIME_TAG: _time})


def decode(data: bytes) -> Value:
    """Return the value of a text of CBOR; a time is a datetime of UTC. Raises ValueError."""
    stream = io.BytesIO(data)
    reader = cbor2.CBORDecoder(
        stream, semantic_decoders=_TAGS, max_depth=MAX_DEPTH, strict_hashable_types=True
    )
    try:
        value = reader.decode()
    except cbor2.CBORDecodeError as error:
        raise ValueError(str(error)) from None
    if stream.read(1):
        raise ValueError('it goes on after its value')
    return value
