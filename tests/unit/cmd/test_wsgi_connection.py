"""The reads of the WSGI server, on pairs of sockets."""

import io

import eventlet
import pytest

from heat_lite.cmd import wsgi_connection
from tests.timeouts import WAIT_SECONDS


@pytest.fixture
def pair():
    """The stream of a client, and the socket of the client."""
    ours, theirs = eventlet.green.socket.socketpair()
    yield wsgi_connection.ClientStream(ours, wsgi_connection.ConnectionLimits()), theirs
    ours.close()
    theirs.close()


@pytest.fixture
def turns(monkeypatch):
    """The works that have paused, as a list that grows."""
    made = []
    monkeypatch.setattr(wsgi_connection.ReadAhead, 'pause', lambda work: made.append(work))
    return made


def test_reads_without_a_wait_take_turns(pair, turns):
    stream, client = pair
    client.sendall(b'x' * 2 * wsgi_connection.READS_OF_TURN)
    assert all(stream.read(1) for _ in range(2 * wsgi_connection.READS_OF_TURN))
    assert len(turns) == 2


def test_reads_that_wait_take_no_turns(pair, turns):
    stream, client = pair
    for _ in range(2 * wsgi_connection.READS_OF_TURN):
        eventlet.spawn_after(0, client.sendall, b'x')
        assert stream.read(1) == b'x'
    assert turns == []


def test_read_of_a_connection_that_the_client_resets_is_its_end(pair):
    stream, client = pair
    stream._sock.sendall(b'never read')
    client.close()
    assert stream.read(1) == b''


def test_reader_knows_whether_bytes_of_the_next_request_are_here(pair):
    stream, client = pair
    reader = wsgi_connection.LineReader(stream)
    assert not reader.is_ahead()
    client.sendall(b'one\ntwo\n')
    assert not reader.is_ahead()  # not read yet, and the check does not wait
    assert reader.readline() == b'one\n'
    assert reader.is_ahead()
    assert reader.readline() == b'two\n' and not reader.is_ahead()


def body(text, **parts):
    """Return the Body of a request in chunks or of a length, and what it has called."""
    called = []
    length = parts.get('length')
    plain = eventlet.wsgi.Input(io.BufferedReader(io.BytesIO(text)), length, None, None, None,
                                chunked_input=length is None)  # fmt: skip
    made = wsgi_connection.Body(plain, lambda: called.append('end'), lambda: called.append('turn'))
    return made, called


def test_many_chunks_take_turns():
    count = 2 * wsgi_connection.CHUNKS_OF_TURN
    made, called = body(b'1\r\nx\r\n' * count + b'0\r\n\r\n')
    assert made.read() == b'x' * count and called == ['turn', 'turn']


@pytest.mark.parametrize('more, called', [(0, []), (1, ['end'])])
def test_discarded_body_ends_the_connection_beyond_a_limit(more, called):
    size = wsgi_connection.MAX_DISCARDED // 2 if not more else 2 * wsgi_connection.MAX_DISCARDED
    made, found = body(b'x' * size, length=size)
    made.discard()
    assert found == called
    assert made.position == min(size, wsgi_connection.MAX_DISCARDED)


def test_connection_that_is_closed_ends_its_pause(pair):
    stream, _ = pair
    others = [wsgi_connection.ReadAhead() for _ in range(1000)]
    stream.work._turn_begun = 1.0  # so a pause would take 250 s
    try:
        for each in (*others, stream.work):
            each.works.add(id(each))
        eventlet.spawn_after(0.01, stream.work.close)
        with eventlet.Timeout(WAIT_SECONDS), pytest.raises(ConnectionAbortedError):
            stream.take_turn()
        assert not stream.waiting
    finally:
        for each in (*others, stream.work):
            each.end()
