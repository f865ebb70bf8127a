"""Reading requests."""

import io

import pytest

from heat_lite.api import wsgi
from heat_lite.common import exception

LIMIT = 1000


def request(body=b'', **environ):
    return wsgi.Request({**wsgi.Request.blank('/', method='POST', body=body).environ, **environ})


@pytest.mark.parametrize('kind', ['application/json', 'application/json; charset=utf-8', 'JSON', 'text/plain', 'text/plain;x=y', ''])
def test_reads_what_may_be_json(kind):
    assert request(b'{"a": 1}', CONTENT_TYPE=kind).json_object(LIMIT) == {'a': 1}


@pytest.mark.parametrize('kind', ['application/yaml', 'text/html', 'application/x-www-form-urlencoded'])
def test_leaves_other_kinds_alone(kind):
    assert request(b'{"a": 1}', CONTENT_TYPE=kind).json_object(LIMIT) is None


@pytest.mark.parametrize('body', [b'', b'[1]', b' {"a": 1}', b'null', b'"{"'])
def test_leaves_alone_what_does_not_begin_with_a_brace(body):
    assert request(body, CONTENT_TYPE='').json_object(LIMIT) is None


def test_size_is_checked_before_anything_is_read():
    source = io.BytesIO(b'{"a": 1}')
    with pytest.raises(exception.RequestLimitExceeded) as refusal:
        request(CONTENT_TYPE='', CONTENT_LENGTH='1001', **{'wsgi.input': source}).json_object(LIMIT)
    assert str(refusal.value) == 'Request limit exceeded: JSON body size (1001 bytes) exceeds maximum allowed size (1000 bytes).'
    assert source.tell() == 0


def chunked(source):
    environ = request(CONTENT_TYPE='', HTTP_TRANSFER_ENCODING='chunked', **{'wsgi.input': source}).environ
    del environ['CONTENT_LENGTH']
    return wsgi.Request(environ)


def test_reads_a_body_of_unknown_length():
    assert chunked(io.BytesIO(b'{"a": 1}')).json_object(LIMIT) == {'a': 1}


def test_reads_no_more_of_it_than_allowed():
    source = io.BytesIO(b'{' + b' ' * 100_000)
    with pytest.raises(exception.RequestLimitExceeded):
        chunked(source).json_object(LIMIT)
    assert source.tell() == LIMIT + 1


def test_a_length_that_is_no_number_is_the_clients_fault():
    with pytest.raises(wsgi.BadRequest):
        request(b'{}', CONTENT_TYPE='', CONTENT_LENGTH='x').json_object(LIMIT)


@pytest.mark.parametrize('depth', [wsgi.MAX_DEPTH, 900, 100_000])
def test_refuses_what_could_not_be_sent_on(depth):
    body = b'{"a":' + b'[' * depth + b']' * depth + b'}'
    with pytest.raises(wsgi.BadRequest) as refusal:
        request(body, CONTENT_TYPE='').json_object(10**6)
    assert refusal.value.detail == 'The body is nested too deeply.'


def test_width_is_no_depth():
    body = b'{"a":[' + b'[],' * 5000 + b'[]]}'
    assert len(request(body, CONTENT_TYPE='').json_object(10**6)['a']) == 5001


def test_base_is_where_the_version_was():
    assert request(SCRIPT_NAME='/heat/v1', HTTP_HOST='x:80').base == 'http://x/heat/v1'


def test_what_is_left_of_a_body_is_taken():
    source = io.BytesIO(b'x' * 5000)
    wsgi.drain({'CONTENT_LENGTH': '3000', 'wsgi.input': source})
    assert source.tell() == 3000


def test_but_not_twice_and_not_without_end():
    source = io.BytesIO(b'{}' * 5000)
    asked = request(CONTENT_TYPE='', CONTENT_LENGTH='2', **{'wsgi.input': source})
    asked.json_object(LIMIT)
    wsgi.drain(asked.environ)
    wsgi.drain({'CONTENT_LENGTH': str(wsgi.MAX_DRAIN + 1), 'wsgi.input': source})
    wsgi.drain({'wsgi.input': source})
    wsgi.drain({'CONTENT_LENGTH': 'x', 'wsgi.input': source})
    assert source.tell() == 2
