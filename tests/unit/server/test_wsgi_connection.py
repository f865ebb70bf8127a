"""The reads of the WSGI server, on pairs of sockets."""

import io
import socket
import struct
import time

import eventlet
import pytest

from heat_lite.server import peer_turns, wsgi_body, wsgi_connection
from tests.timeouts import WAIT_SECONDS


@pytest.fixture
def turns(monkeypatch):
    """Turns that are never free at once, and the keys of those that were requested."""
    made, keys = peer_turns.PeerTurns(), []
    request = made.request
    monkeypatch.setattr(made, 'is_free', lambda: bool(made._schedule()))
    monkeypatch.setattr(made, 'request', lambda key: keys.append(key) or request(key))
    return made, keys


@pytest.fixture
def pair(turns):
    """The stream of a client, and the socket of the client."""
    ours, theirs = eventlet.green.socket.socketpair()
    limits = wsgi_connection.ConnectionLimits(body=0.05)
    yield wsgi_connection.ClientStream(ours, limits, turns[0], 'peer'), theirs
    ours.close()
    theirs.close()


def test_reads_without_a_wait_take_turns_apart_after_some(pair, turns, monkeypatch):
    # a busy machine may stop this process between two looks at the clock: that is not such a wait
    monkeypatch.setattr(wsgi_connection, 'WAIT_SECONDS', WAIT_SECONDS)
    stream, client = pair
    client.sendall(b'x' * 2 * wsgi_connection.TURNS_AHEAD)
    assert all(stream.read(1) for _ in range(2 * wsgi_connection.TURNS_AHEAD))
    assert [apart for _, apart in turns[1]] == sorted([False, True] * wsgi_connection.TURNS_AHEAD)


def test_reads_that_wait_take_turns_with_the_others(pair, turns):
    stream, client = pair
    for _ in range(2 * wsgi_connection.TURNS_AHEAD):
        eventlet.spawn_after(3 * wsgi_connection.WAIT_SECONDS, client.sendall, b'x')
        assert stream.read(1) == b'x'
    assert turns[1] == [('peer', False)] * 2 * wsgi_connection.TURNS_AHEAD


def test_body_whose_bytes_are_always_ready_ends_with_its_time(pair):
    stream, client = pair
    stream.begin(wsgi_connection.BODY)
    client.sendall(b'x' * 10_000)
    with eventlet.Timeout(WAIT_SECONDS), pytest.raises(TimeoutError):
        while stream.read(1):
            time.sleep(0.01)
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
    made = wsgi_body.Body(plain, lambda: called.append('end'), lambda: called.append('turn'))
    return made, called


def test_many_chunks_take_turns():
    count = 2 * wsgi_body.CHUNKS_OF_TURN
    made, called = body(b'1\r\nx\r\n' * count + b'0\r\n\r\n')
    assert made.read() == b'x' * count and called == ['turn', 'turn']


@pytest.mark.parametrize('more, called', [(0, []), (1, ['end'])])
def test_discarded_body_ends_the_connection_beyond_a_limit(more, called):
    size = wsgi_body.MAX_DISCARDED // 2 if not more else 2 * wsgi_body.MAX_DISCARDED
    made, found = body(b'x' * size, length=size)
    made.discard()
    assert found == called
    assert made.position == min(size, wsgi_body.MAX_DISCARDED)


def test_connection_that_is_closed_ends_its_wait_for_a_turn(pair, turns, monkeypatch):
    stream, client = pair
    monkeypatch.setattr(turns[0], '_next', lambda: pytest.fail('the turn has come'))
    monkeypatch.setattr(turns[0], 'is_free', lambda: False)
    client.sendall(b'x')
    eventlet.spawn_after(0.01, abort, stream, turns[0])
    with eventlet.Timeout(WAIT_SECONDS), pytest.raises(ConnectionAbortedError):
        stream.read(1)
    assert not stream.waiting


def abort(stream, turns):
    assert stream.waiting
    stream.abort()
    turns._schedule()


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
def test_client_that_leaves_during_a_wait_is_noticed(turns, unread, reset):
    with eventlet.listen(('127.0.0.1', 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    stream = wsgi_connection.ClientStream(
        ours, wsgi_connection.ConnectionLimits(), turns[0], 'peer'
    )
    with stream.interruptible(None) as is_closed:
        client.sendall(unread)
        assert not is_closed()
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        client.close()
        assert is_closed()
    assert stream.is_aborted
    ours.close()
