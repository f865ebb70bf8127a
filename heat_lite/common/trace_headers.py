"""Headers that name a trace: W3C's ``traceparent``, and those of osprofiler, which are signed."""

import base64
import dataclasses
import hashlib
import hmac
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

INFO, HMAC = 'X-Trace-Info', 'X-Trace-HMAC'
#: W3C Trace Context, section 3.2: version, trace, parent, flags
TRACEPARENT = re.compile('(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?')
SAMPLED = 1
MAX_INFO = 1024
SPAN_BITS = (1 << 64) - 1


@dataclasses.dataclass(frozen=True)
class Caller:
    """The trace and the span of a caller; ``span_id`` None: it has no span of its own."""

    trace_id: int
    span_id: int | None
    sampled: bool = True


def read(environ: Mapping[str, Any], keys: Sequence[str]) -> Caller | None:
    """Return the caller by the headers of a request; None if it names no trace."""
    info, signature = environ.get('HTTP_X_TRACE_INFO'), environ.get('HTTP_X_TRACE_HMAC')
    if info and signature and (found := _verified(info, signature, keys)):
        return found
    return parse_traceparent(environ.get('HTTP_TRACEPARENT'))


def parse_traceparent(text: Any) -> Caller | None:
    """Return what a ``traceparent`` names; None if it is missing or not valid."""
    match = TRACEPARENT.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    trace_id, span_id = int(match[1], 16), int(match[2], 16)
    if not trace_id or not span_id or (match[4] and text.strip().startswith('00')):
        return None
    return Caller(trace_id, span_id, bool(int(match[3], 16) & SAMPLED))


def format_traceparent(trace_id: int, span_id: int) -> str:
    return f'00-{trace_id:032x}-{span_id:016x}-01'


def sign(trace_id: int, span_id: int, key: str) -> dict[str, str]:
    """Return osprofiler's headers, which services with the same key read."""
    data = {'base_id': str(uuid.UUID(int=trace_id)), 'parent_id': str(uuid.UUID(int=span_id))}
    packed = base64.urlsafe_b64encode(json.dumps(data).encode()).decode()
    return {INFO: packed, HMAC: _signature(packed, key)}


def _signature(packed: str, key: str) -> str:
    return hmac.new(key.encode(), packed.encode(), hashlib.sha1).hexdigest()


def _verified(info: str, signature: str, keys: Sequence[str]) -> Caller | None:
    """Return the caller of signed headers; None if no key has signed them or they say nothing."""
    given = signature.strip().encode()
    if len(info) > MAX_INFO or not any(
        hmac.compare_digest(given, _signature(info, key).encode()) for key in keys
    ):
        return None
    try:
        data = json.loads(base64.urlsafe_b64decode(info))
        trace_id = uuid.UUID(data['base_id']).int
        parent = uuid.UUID(data.get('parent_id') or data['base_id']).int
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if not trace_id:
        return None
    # The client of osprofiler sends the same id twice if nothing is above this request.
    return Caller(trace_id, (parent & SPAN_BITS or None) if parent != trace_id else None)
