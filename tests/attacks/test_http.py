"""Clients that hold connections, or send more than they may."""

import contextlib
import resource
import socket
import time
from pathlib import Path

import pytest
import requests

from tests import bodies, identity
from tests.functional import shapes
from tests.http import scripted

CONNECTIONS = 1100
FILES = 4096
# far above the usual 0.1 s, for a loaded machine; without limits there is no answer at all
ANSWER_SECONDS = 60
HEADERS = b'Host: 127.0.0.1\r\nContent-Type: application/json\r\n'
GET = b'GET / HTTP/1.1\r\n' + HEADERS + b'\r\n'
POST = b'POST /v1/demo/stacks HTTP/1.1\r\n' + HEADERS
SHORT_TIMES = """
[heat_lite]
http_header_timeout = 1
http_body_timeout = 2
http_idle_timeout = 1
"""


@pytest.fixture(scope='module', autouse=True)
def many_files():
    """Permit this process more open files than the service has connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FILES:
        pytest.skip(f'the limit of open files is {hard}')
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, FILES), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope='module')
def service(tmp_path_factory):
    with shapes.embedded(tmp_path_factory.mktemp('up')) as running:
        yield running


@pytest.fixture(scope='module')
def impatient(tmp_path_factory):
    """A service with short limits of time."""
    folder = tmp_path_factory.mktemp('impatient')
    (folder / 'short.conf').write_text(SHORT_TIMES)
    with shapes.embedded(folder, '--config-file', folder / 'short.conf') as running:
        yield running


def connect(service):
    port = int(service.url.rpartition(':')[2].partition('/')[0])
    return socket.create_connection(('127.0.0.1', port), timeout=20)


def memory(service):
    """Return the resident memory of the service in MB."""
    status = Path(f'/proc/{service.processes["up"].pid}/status').read_text()
    return int(status.partition('VmRSS:')[2].split()[0]) / 1024


# --------------------------------------------------------------- held connections


@pytest.mark.parametrize(
    'sent',
    [b'', b'GET /v1/demo/stacks HTTP/1.1\r\nHost: ', POST + b'Content-Length: 99\r\n\r\n{', GET],
    ids=['idle', 'half headers', 'slow bodies', 'idle keep-alives'],
)
def test_held_connections_do_not_delay_others(service, sent):
    with contextlib.ExitStack() as stack:
        for _ in range(CONNECTIONS):
            held = stack.enter_context(connect(service))
            with contextlib.suppress(OSError):
                held.sendall(sent)
        begun = time.monotonic()
        answer = requests.get(f'{service.endpoint}/stacks', timeout=ANSWER_SECONDS)
        assert answer.status_code == 200
        assert time.monotonic() - begun < ANSWER_SECONDS


def until_closed(connection, drip):
    """Return what comes until the connection is closed, and how long that took."""
    begun, received = time.monotonic(), b''
    connection.settimeout(0.2)
    with contextlib.suppress(ConnectionError):
        while time.monotonic() - begun < ANSWER_SECONDS:
            try:
                part = connection.recv(10000)
                if not part:
                    break
                received += part
            except TimeoutError:
                connection.sendall(drip)
    return received, time.monotonic() - begun


@pytest.mark.parametrize(
    ('sent', 'drip', 'answer'),
    [
        (b'', b'', b''),
        (b'GET / HTTP/1.1\r\nX: ', b'x', b''),
        (POST + b'Content-Length: 999\r\n\r\n{', b' ', b'408 Request Timeout'),
        (POST + b'Transfer-Encoding: chunked\r\n\r\n', b'1\r\n \r\n', b'408 Request Timeout'),
        (GET, b'', b'300 Multiple Choices'),
    ],
    ids=['idle', 'headers', 'body', 'chunked body', 'idle keep-alive'],
)
def test_slow_client_is_disconnected(impatient, sent, drip, answer):
    with connect(impatient) as connection:
        connection.sendall(sent)
        received, seconds = until_closed(connection, drip)
    assert answer in received and seconds < ANSWER_SECONDS


def test_connection_in_use_is_kept(impatient):
    with requests.Session() as session:
        for _ in range(5):
            time.sleep(0.4)
            assert session.get(f'{impatient.endpoint}/stacks', timeout=20).status_code == 200


# --------------------------------------------------------------- malformed requests

CHUNKED = POST + b'Transfer-Encoding: chunked\r\n\r\n'
SECOND = b'GET /v1/demo/stacks?second HTTP/1.1\r\n' + HEADERS + b'\r\n'


@pytest.mark.parametrize(
    'sent',
    [
        CHUNKED + b'-5\r\nabcde\r\n0\r\n\r\n',
        CHUNKED + b'+5\r\nabcde\r\n0\r\n\r\n',
        CHUNKED + b'1\r\n \r\n' * 65536 + b'1\r\n',
        CHUNKED + b'0x5\r\nabcde\r\n0\r\n\r\n',
        CHUNKED + b'1_0\r\n' + b'a' * 16 + b'\r\n0\r\n\r\n',
        CHUNKED + b'\r\n',
        CHUNKED + b'zz\r\n',
        CHUNKED + b'fffffffffffffff\r\nabc',
        CHUNKED + b'2\r\nabcdef\r\n0\r\n\r\n',
        CHUNKED + b'2\r\n{}\r\n0\r\n' + b'a: b\r\n' * 200,
        POST + b'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        POST + b'Content-Length: -5\r\n\r\nabcde',
        POST + b'Content-Length: +2\r\n\r\n{}',
        POST + b'Content-Length: 1_0\r\n\r\n{}',
        POST + b'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ',
        POST + b'Transfer-Encoding: identity\r\n\r\n' + SECOND,
        POST + b'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n' + SECOND,
        POST + b'Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n' + SECOND,
        POST + b'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n' + SECOND,
        POST + b'no header\r\nContent-Length: 2\r\n\r\n{}' + SECOND,
    ],
    ids=lambda sent: repr(sent.partition(HEADERS)[2][:40]),
)
def test_malformed_request_is_answered_once_and_disconnected(service, sent):
    """Where the next request would begin is unknown, so a second answer could be a stranger's."""
    with connect(service) as connection:
        connection.sendall(sent)
        received, seconds = until_closed(connection, b'')
    assert received.startswith((b'HTTP/1.1 400', b'HTTP/1.0 400')), received[:200]
    assert received.count(b'HTTP/1.') == 1 and seconds < 8
    assert requests.get(f'{service.endpoint}/stacks', timeout=20).status_code == 200
    assert ' ERROR ' not in service.logs()


def test_malformed_chunk_that_nothing_reads_ends_the_connection(service):
    """The body of a request without a route is not read before the answer."""
    with connect(service) as connection:
        connection.sendall(CHUNKED.replace(b'/v1/demo/stacks', b'/v1/demo/a/b/c') + b'-5\r\na')
        received, seconds = until_closed(connection, b'')
    assert received.startswith(b'HTTP/1.1 404') and seconds < 8
    assert ' ERROR ' not in service.logs()


@pytest.mark.parametrize('chunk', [b'2;name=value\r\n{}\r\n', b'1\r\n{\r\n1 \r\n}\r\n'])
def test_well_formed_chunks_keep_the_connection(service, chunk):
    with connect(service) as connection:
        connection.sendall(CHUNKED + chunk + b'0\r\nTrailer: x\r\n\r\n')
        assert b'No stack name' in connection.recv(10000)
        connection.sendall(SECOND)
        assert connection.recv(10000).startswith(b'HTTP/1.1 200')


# --------------------------------------------------------------- large bodies


def flood(service, head, part, count):
    """Send a request of many parts as far as the service takes it. Return the growth in MB."""
    before = memory(service)
    growth = 0
    with connect(service) as connection, contextlib.suppress(OSError):
        connection.sendall(head)
        for number in range(count):
            connection.sendall(part)
            if number % 16 == 0:
                growth = max(growth, memory(service) - before)
    return max(growth, memory(service) - before)


@pytest.mark.parametrize(
    ('head', 'part'),
    [
        (b'Content-Length: 104857600\r\n\r\n', b'x' * 2**20),
        (b'Transfer-Encoding: chunked\r\n\r\n', b'100000\r\n' + b'x' * 2**20 + b'\r\n'),
        (b'Transfer-Encoding: chunked\r\n\r\n1;', b'x' * 2**20),
    ],
    ids=['length', 'chunked', 'a line between chunks'],
)
def test_large_body_takes_no_memory(service, head, part):
    assert flood(service, POST + head, part, 100) < 40
    assert requests.get(f'{service.endpoint}/stacks', timeout=20).status_code == 200


def send_large(app, **headers):
    """Send an endless body without a login. Return the response and the bytes read."""
    body, started = bodies.EndlessBody(), []
    environ = {
        'REQUEST_METHOD': 'PUT',
        'PATH_INFO': '/v1/waitcondition/arn:openstack:heat::p:stacks/s/1/resources/h',
        'QUERY_STRING': 'AWSAccessKeyId=k&Signature=s',
        'SERVER_NAME': 'heat',
        'SERVER_PORT': '8000',
        'SERVER_PROTOCOL': 'HTTP/1.1',
        'wsgi.url_scheme': 'http',
        'wsgi.input': body,
        **headers,
    }
    answer = b''.join(app(environ, lambda status, headers, exc_info=None: started.append(status)))
    return started[0], answer, body.taken


@pytest.mark.parametrize(
    'headers',
    [{'CONTENT_LENGTH': str(400 * 2**20)}, {'HTTP_TRANSFER_ENCODING': 'chunked'}],
    ids=['length', 'chunked'],
)
def test_body_without_a_login_is_not_read(headers):
    with (
        identity.serve(identity.Identity({}, {})) as url,
        scripted.service(name='heat-api-cfn', keystone=url) as (app, _),
    ):
        status, answer, taken = send_large(app, **headers)
    assert status.startswith('400') and b'IncompleteSignature' in answer
    assert not taken
