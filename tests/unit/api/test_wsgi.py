"""Reading of requests: bodies, limits, base URL."""

import io

import pytest

from heat_lite.api import wsgi
from heat_lite.common import exception

LIMIT = 1000


def request(body=b'', **environ):
    return wsgi.Request({**wsgi.Request.blank('/', method='POST', body=body).environ, **environ})


def json_object(sent, limit=LIMIT):
    return wsgi.json_object(wsgi.read_body(sent.environ, limit))


BLANK = ' \t\r\n\v\f\N{NO-BREAK SPACE}\N{BYTE ORDER MARK}\n'.encode()


@pytest.mark.parametrize('kind', ['application/json', 'application/x-www-form-urlencoded', ''])
@pytest.mark.parametrize('body', [b'{"a": 1}', BLANK + b'{"a": 1}' + BLANK])
def test_json_object_is_read_whatever_its_type_and_the_blanks_around_it(kind, body):
    assert json_object(request(body, CONTENT_TYPE=kind)) == {'a': 1}


@pytest.mark.parametrize('body', [b'', b'\n', BLANK, b'null'])
def test_json_object_of_an_empty_body_is_none(body):
    assert json_object(request(body)) is None


@pytest.mark.parametrize('body', [b'[1]', b'"{"', b'0', b'""', b'[]', b'false'])
def test_json_object_of_another_value_is_refused(body):
    with pytest.raises(wsgi.BadRequest, match='The body is not a JSON object.'):
        json_object(request(body))


@pytest.mark.parametrize('body', [b'a=b', b'\xff{"a": 1}', b'{"a": 1', b'{"a": "\xed\xa0\x80"}'])
def test_json_object_of_a_body_that_is_no_json_is_refused(body):
    with pytest.raises(wsgi.BadRequest):
        json_object(request(body))


@pytest.mark.parametrize(
    ('body', 'details'),
    [
        (b'\n{"status": "FAILURE"}', {'status': 'FAILURE'}),
        (b'[1]', [1]),
        (b'"FAILURE"', 'FAILURE'),
        (b'false', False),
        (b'status=FAILURE', 'status=FAILURE'),
        (b'\xff', '\N{REPLACEMENT CHARACTER}'),
        (BLANK, None),
        (b'', None),
    ],
)
def test_signal_details_are_the_json_value_or_the_text(body, details):
    assert wsgi.signal_details(body) == details


def test_json_object_checks_content_length_before_reading():
    source = io.BytesIO(b'{"a": 1}')
    with pytest.raises(exception.RequestLimitExceeded) as error:
        json_object(request(CONTENT_TYPE='', CONTENT_LENGTH='1001', **{'wsgi.input': source}))
    assert (
        str(error.value)
        == 'Request limit exceeded: JSON body size (1001 bytes) exceeds maximum allowed size '
        '(1000 bytes).'
    )
    assert source.tell() == 0


def chunked(source):
    environ = request(
        CONTENT_TYPE='', HTTP_TRANSFER_ENCODING='chunked', **{'wsgi.input': source}
    ).environ
    del environ['CONTENT_LENGTH']
    return wsgi.Request(environ)


def test_json_object_reads_chunked_body():
    assert json_object(chunked(io.BytesIO(b'{"a": 1}'))) == {'a': 1}


def test_json_object_reads_chunked_body_up_to_the_limit():
    source = io.BytesIO(b'{' + b' ' * 100_000)
    with pytest.raises(exception.RequestLimitExceeded):
        json_object(chunked(source))
    assert source.tell() == LIMIT + 1


def test_json_object_with_invalid_content_length_raises_bad_request():
    with pytest.raises(wsgi.BadRequest):
        json_object(request(b'{}', CONTENT_TYPE='', CONTENT_LENGTH='x'))


@pytest.mark.parametrize('depth', [wsgi.MAX_DEPTH, 900, 100_000])
def test_json_object_with_deep_nesting_raises_bad_request(depth):
    body = b'{"a":' + b'[' * depth + b']' * depth + b'}'
    with pytest.raises(wsgi.BadRequest) as error:
        json_object(request(body, CONTENT_TYPE=''), 10**6)
    assert error.value.detail == 'The body is nested too deeply.'


def test_json_object_with_many_siblings_is_accepted():
    body = b'{"a":[' + b'[],' * 5000 + b'[]]}'
    assert len(json_object(request(body, CONTENT_TYPE=''), 10**6)['a']) == 5001


def test_base_is_the_url_of_the_version():
    assert request(SCRIPT_NAME='/heat/v1', HTTP_HOST='x:80').base == 'http://x/heat/v1'


def test_drain_reads_the_rest_of_the_body():
    source = io.BytesIO(b'x' * 5000)
    wsgi.drain({'CONTENT_LENGTH': '3000', 'wsgi.input': source})
    assert source.tell() == 3000


def test_drain_skips_read_unsized_and_oversized_bodies():
    source = io.BytesIO(b'{}' * 5000)
    sent = request(CONTENT_TYPE='', CONTENT_LENGTH='2', **{'wsgi.input': source})
    json_object(sent)
    wsgi.drain(sent.environ)
    wsgi.drain({'CONTENT_LENGTH': str(wsgi.MAX_DRAIN + 1), 'wsgi.input': source})
    wsgi.drain({'wsgi.input': source})
    wsgi.drain({'CONTENT_LENGTH': 'x', 'wsgi.input': source})
    assert source.tell() == 2


def test_json_object_with_a_lone_surrogate_is_refused():
    with pytest.raises(wsgi.BadRequest, match='lone surrogate'):
        json_object(request(b'{"stack_name": "\\ud800"}'), 1000)
