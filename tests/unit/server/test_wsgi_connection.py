"""The reads of the WSGI server, on pairs of sockets."""

import io
import socket
import struct

import eventlet
import pytest

from heat_lite.common import admission
from heat_lite.server import wsgi_body, wsgi_connection
from tests.timeouts import WAIT_SECONDS


class Permit(wsgi_connection.PeerPermit):
    """The permit of the only connection of a peer."""

    def __init__(self):
        super().__init__(admission.Admission(1), 'peer', None)


@pytest.fixture
def pair():
    """The stream of a client, and the socket of the client."""
    ours, theirs = eventlet.green.socket.socketpair()
    limits = wsgi_connection.ConnectionLimits(body=0.05)
    yield wsgi_connection.ClientStream(ours, limits, Permit()), theirs
    ours.close()
    theirs.close()


def test_reads_whose_bytes_are_ready_let_other_green_threads_run(pair):
    stream, client = pair
    client.sendall(b'xx')
    ran = []
    eventlet.spawn(lambda: ran.append(eventlet.sleep(0)) or ran.append(eventlet.sleep(0)))
    assert stream.read(1) == b'x' and stream.read(1) == b'x' and len(ran) >= 1


def test_body_whose_bytes_are_always_ready_ends_with_its_time(pair):
    stream, client = pair
    stream.begin(wsgi_connection.BODY)
    client.sendall(b'x' * 10_000)
    with eventlet.Timeout(WAIT_SECONDS), pytest.raises(TimeoutError):
        while stream.read(1):
            eventlet.sleep(0.01)
    assert stream.timed_out


def test_read_of_a_connection_that_the_client_resets_is_its_end(pair):
    stream, client = pair
    stream._sock.sendall(b'never read')
    client.close()
    assert stream.read(1) == b''


def body(text, **parts):
    """Return the Body of a request in chunks or of a length, and what it has called."""
    called = []
    length = parts.get('length')
    plain = eventlet.wsgi.Input(io.BufferedReader(io.BytesIO(text)), length, None, None, None,
                                chunked_input=length is None)  # fmt: skip
    made = wsgi_body.Body(plain, lambda: called.append('end'), lambda: called.append('pause'))
    return made, called


def test_many_chunks_pause():
    count = 2 * wsgi_body.CHUNKS_A_PAUSE
    made, called = body(b'1\r\nx\r\n' * count + b'0\r\n\r\n')
    assert made.read() == b'x' * count and called == ['pause', 'pause']


@pytest.mark.parametrize('more, called', [(0, []), (1, ['end'])])
def test_discarded_body_ends_the_connection_beyond_a_limit(more, called):
    size = wsgi_body.MAX_DISCARDED // 2 if not more else 2 * wsgi_body.MAX_DISCARDED
    made, found = body(b'x' * size, length=size)
    made.discard()
    assert found == called
    assert made.position == min(size, wsgi_body.MAX_DISCARDED)


def test_connection_that_is_closed_reads_nothing_and_loses_what_is_written(pair):
    stream, client = pair
    client.sendall(b'x')
    stream.abort()
    stream._sock.shutdown(socket.SHUT_RDWR)
    with pytest.raises(ConnectionAbortedError):
        stream.read(1)
    assert stream.write(b'answer') == 6


def test_answer_to_a_client_that_has_gone_is_lost_and_ends_the_connection(pair):
    stream, client = pair
    client.sendall(b'x')
    client.close()
    assert stream.write(b'answer') == 6
    with pytest.raises(ConnectionAbortedError):
        stream.read(1)


@pytest.mark.parametrize('unread', [b'', b'a pipelined request'])
@pytest.mark.parametrize('reset', [False, True])
def test_client_that_leaves_during_a_wait_is_noticed(unread, reset):
    with eventlet.listen(('127.0.0.1', 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    stream = wsgi_connection.ClientStream(ours, wsgi_connection.ConnectionLimits(), Permit())
    with stream.interruptible(None) as is_closed:
        client.sendall(unread)
        assert not is_closed()
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        client.close()
        assert is_closed()
    assert stream.is_aborted
    ours.close()
