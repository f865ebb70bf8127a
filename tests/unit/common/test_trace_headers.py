"""Headers that name traces: valid ones, forged ones and rubbish."""

import base64
import json
import uuid

import pytest

from heat_lite.common import trace_headers

TRACE, SPAN = 0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331
KEYS = ('first', 'second')


def environ(headers):
    return {f'HTTP_{name.upper().replace("-", "_")}': value for name, value in headers.items()}


@pytest.mark.parametrize(
    'text, sampled',
    [
        ('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', True),
        ('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00', False),
        # a later version may say more
        ('cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-else', True),
    ],
)
def test_traceparent_is_read(text, sampled):
    found = trace_headers.parse_traceparent(text)
    assert found == trace_headers.Caller(TRACE, SPAN, sampled)


@pytest.mark.parametrize(
    'text',
    [
        None,
        '',
        7,
        'rubbish',
        'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        '00-00000000000000000000000000000000-b7ad6b7169203331-01',
        '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
        '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more',
        '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
    ],
)
def test_invalid_traceparent_is_none(text):
    assert trace_headers.parse_traceparent(text) is None


def test_traceparent_is_written_as_it_is_read():
    text = trace_headers.format_traceparent(TRACE, SPAN)
    assert trace_headers.parse_traceparent(text) == trace_headers.Caller(TRACE, SPAN)


def test_headers_of_osprofiler_are_read_with_each_key():
    for key in KEYS:
        sent = environ(trace_headers.sign(TRACE, SPAN, key))
        assert trace_headers.read(sent, KEYS) == trace_headers.Caller(TRACE, SPAN)


def test_headers_of_a_client_without_a_span_name_a_trace_only():
    sent = environ(trace_headers.sign(TRACE, TRACE, 'first'))
    assert trace_headers.read(sent, KEYS) == trace_headers.Caller(TRACE, None)


def test_unsigned_headers_are_none():
    sent = environ(trace_headers.sign(TRACE, SPAN, 'third'))
    assert trace_headers.read(sent, KEYS) is None
    assert trace_headers.read(sent, ()) is None
    assert trace_headers.read({**sent, 'HTTP_X_TRACE_HMAC': '\xe9'}, KEYS) is None
    # the W3C header applies then
    both = {**sent, 'HTTP_TRACEPARENT': trace_headers.format_traceparent(TRACE, SPAN)}
    assert trace_headers.read(both, KEYS) == trace_headers.Caller(TRACE, SPAN)


@pytest.mark.parametrize(
    'data',
    [
        b'not base64 \xff',
        b'{}',
        b'[1]',
        b'"x"',
        json.dumps({'base_id': 5}).encode(),
        json.dumps({'base_id': str(uuid.UUID(int=0))}).encode(),
        json.dumps({'base_id': 'x' * 32}).encode(),
    ],
)
def test_signed_rubbish_is_none(data):
    packed = base64.urlsafe_b64encode(data).decode()
    signature = trace_headers._signature(packed, 'first')
    sent = {'HTTP_X_TRACE_INFO': packed, 'HTTP_X_TRACE_HMAC': signature}
    assert trace_headers.read(sent, KEYS) is None
