"""The connections of the WSGI server: time limits of each, and caps on their number.

A client that sends nothing, or a byte now and then, must not take the place of others. Each wait
for a client has a deadline, and at a cap the connection that has waited longest for its client is
closed in favour of the new one.
"""

import contextlib
import dataclasses
import io
import re
import socket
import time
from collections.abc import Callable, Iterator
from email import errors as email_errors
from email.message import Message
from typing import Any

import eventlet
import eventlet.wsgi
from oslo_config import cfg

from heat_lite.cmd import peer_turns
from heat_lite.common import exception, fair_turns

#: bytes of a line between the chunks of a body, and lines after the last chunk
MAX_CHUNK_LINE = 4096
MAX_TRAILERS = 100
#: chunks of a body: each costs about 10 microseconds, however short it is
MAX_CHUNKS = 65536
#: chunks after which a connection waits for its next turn: about 2 milliseconds
CHUNKS_OF_TURN = 256
#: Turns without a wait for the client, after which a connection has its turns in a queue apart: the
#: other clients behind a proxy do not wait for it. The second number is such a wait in seconds.
TURNS_AHEAD = 8
WAIT_SECONDS = 0.001
#: bytes of a body that are read, although nothing needs them, so that the client gets its response
MAX_DISCARDED = 4 * 2**20
#: a line before a chunk: its size and extensions
CHUNK_SIZE = re.compile(rb'([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n')
LINE_ENDS = (b'\r\n', b'\n')
#: the name of a header (RFC 9110, section 5.6.2)
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Of the defects that the parser of e-mails finds those of header lines; the others are of bodies,
# which it does not get.
HEADER_DEFECTS = (
    email_errors.FirstHeaderLineIsContinuationDefect,
    email_errors.MisplacedEnvelopeHeaderDefect,
    email_errors.MissingHeaderBodySeparatorDefect,
    email_errors.HeaderDefect,
)
FIRST_REQUEST, NEXT_REQUEST, HEADERS, BODY = 'first request', 'next request', 'headers', 'body'


@dataclasses.dataclass(frozen=True)
class ConnectionLimits:
    """Limits in seconds for headers, a body and an idle connection; numbers of connections."""

    header: float = 30
    body: float = 60
    idle: float = 60
    total: int = 1024
    per_peer: int = 512
    streams: int = 4096


def limits_of(conf: cfg.ConfigOpts) -> ConnectionLimits:
    """Return the limits that the options set."""
    ours = conf.heat_lite
    return ConnectionLimits(
        ours.http_header_timeout,
        ours.http_body_timeout,
        ours.http_idle_timeout,
        ours.http_max_connections,
        ours.http_max_connections_per_peer,
        ours.max_event_streams,
    )


class ClientStream(io.RawIOBase):
    """The bytes of a client, with a deadline for each phase of a request.

    ``since``: when the phase began. ``waiting``: whether the server waits for the client, or makes
    it wait: such a connection may be closed at a cap.
    """

    def __init__(
        self, sock: Any, limits: ConnectionLimits, turns: peer_turns.PeerTurns, peer: str
    ) -> None:
        super().__init__()
        self.timed_out = False
        self.waiting = True
        #: turns without a wait for the client in between
        self._turns_ahead = 0
        self._aborted = False
        self._wake: Callable[[], None] | None = None
        self._sock = sock
        self._limits = limits
        self._turns = turns
        self._peer = peer
        self.begin(FIRST_REQUEST)

    def begin(self, phase: str) -> None:
        """Begin a phase. The time of a body counts from its first read."""
        self._phase = phase
        self.since = time.monotonic()
        seconds = {NEXT_REQUEST: self._limits.idle, BODY: None}.get(phase, self._limits.header)
        self._end = seconds and self.since + seconds

    def is_idle(self) -> bool:
        """Return whether nothing of the next request has been read."""
        return self._phase in (FIRST_REQUEST, NEXT_REQUEST)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what the client sends. Raises TimeoutError at the end of the phase's time."""
        now = time.monotonic()
        if self._end is None:
            self._end = now + self._limits.body
        size = 0
        # a reset is an end, too
        with self._client_wait(self._end - now), contextlib.suppress(ConnectionError):
            size = self._sock.recv_into(buffer)
        if self.is_idle():
            self.begin(HEADERS)
        if time.monotonic() - now > WAIT_SECONDS:
            self._turns_ahead = 0
        if size or not self._aborted:  # ends need turns: a thousand may come at once
            self.take_turn()
        return size

    def write(self, data: Any) -> int:
        """Send a part of a response. Raises TimeoutError if the client does not take any of it.

        What is written after ``abort``, or when the client has closed the connection, is lost.
        """
        try:
            with self._client_wait(self._limits.body):
                return self._sock.send(data)
        except OSError as error:
            if not self._aborted and not isinstance(error, ConnectionError):
                raise
            self._aborted = True
            return len(data)

    def take_turn(self) -> None:
        """Wait until the connection may go on. Raises ConnectionAbortedError after ``abort``."""
        self._turns_ahead += 1
        if not (self._aborted or self._turns.is_free()):
            turn = self._turns.request((self._peer, self._turns_ahead > TURNS_AHEAD))
            with self.interruptible(turn.cancel):
                turn.wait()
        if self._aborted:
            raise ConnectionAbortedError('closed in favour of another connection')

    @contextlib.contextmanager
    def interruptible(self, wake: Callable[[], None] | None) -> Iterator[None]:
        """Permit that the connection is closed while the block waits; ``wake`` ends the wait."""
        self.waiting, self._wake = True, wake
        try:
            yield
        finally:
            self.waiting, self._wake = False, None

    @property
    def is_aborted(self) -> bool:
        return self._aborted

    def abort(self) -> None:
        """End the present wait, and any further read."""
        self._aborted = True
        if self._wake:
            self._wake()

    @contextlib.contextmanager
    def _client_wait(self, seconds):
        too_slow = TimeoutError('the client is too slow')
        try:
            if seconds <= 0:  # the limit itself needs a wait, and bytes may always be ready
                raise too_slow
            with self.interruptible(None), eventlet.Timeout(seconds, too_slow):
                yield
        except TimeoutError:
            self.timed_out = True
            raise


class LineReader(io.BufferedReader):
    """A reader whose lines have a maximum length, since lines between chunks have none."""

    def readline(self, size: Any = -1) -> bytes:
        if size is not None and size >= 0:
            return super().readline(size)
        line = super().readline(MAX_CHUNK_LINE)
        if len(line) == MAX_CHUNK_LINE:
            raise eventlet.wsgi.ChunkReadError('a line between chunks is too long')
        return line


class Body(eventlet.wsgi.Input):
    """The body of a request. After an incomplete or malformed one the connection has to end.

    ``end_connection`` is called then, because the beginning of the next request is unknown.
    ``take_turn`` is called after each CHUNKS_OF_TURN chunks.
    """

    def __init__(
        self, body: Any, end_connection: Callable[[], None], take_turn: Callable[[], None]
    ) -> None:
        super().__init__(
            body.rfile,
            body.content_length,
            body.get_socket(),
            body.wfile,
            body.wfile_line,
            body.chunked_input,
        )
        self._end_connection = end_connection
        self._take_turn = take_turn
        self._left = 0
        self._chunks = 0
        self._complete = False

    def read(self, length: int | None = None) -> bytes:
        """Read at most ``length`` bytes. Raises ChunkReadError, a ValueError, and OSError."""
        try:
            return self._read_chunks(length) if self.chunked_input else super().read(length)
        except (OSError, ValueError):
            self._end_connection()
            raise

    def discard(self, buffer_size: int = 16 << 10) -> None:
        """Read the rest, so that the next request can follow; end the connection after much."""
        with contextlib.suppress(OSError, ValueError):
            for _ in range(MAX_DISCARDED // buffer_size):
                if not self.read(buffer_size):
                    return
            self._end_connection()

    def _read_chunks(self, length):
        if self.should_send_hundred_continue:
            self.send_hundred_continue_response()
            self.is_hundred_continue_response_sent = True
        parts, wanted = [], float('inf') if length is None or length < 0 else length
        while wanted and (self._left or self._begin_chunk()):
            data = self.rfile.read(min(wanted, self._left))
            if not data:
                raise eventlet.wsgi.ChunkReadError('a chunk is incomplete')
            parts.append(data)
            wanted -= len(data)
            self._left -= len(data)
            if not self._left and self.rfile.readline() not in LINE_ENDS:
                raise eventlet.wsgi.ChunkReadError('a chunk is longer than its size')
        return b''.join(parts)

    def _begin_chunk(self):
        """Read the size of the next chunk; return whether there is one."""
        if not self._complete:
            found = CHUNK_SIZE.fullmatch(self.rfile.readline())
            if not found:
                raise eventlet.wsgi.ChunkReadError(
                    'the size of a chunk is not a hexadecimal number'
                )
            self._left = int(found[1], 16)
            self._complete = not self._left
            self._chunks += 1
            if not self._chunks % CHUNKS_OF_TURN:
                self._take_turn()
            if self._chunks > MAX_CHUNKS:
                raise eventlet.wsgi.ChunkReadError(f'the body has more than {MAX_CHUNKS} chunks')
            if self._complete:
                self._skip_trailers()
        return bool(self._left)

    def _skip_trailers(self):
        for _ in range(MAX_TRAILERS):
            line = self.rfile.readline()
            if line in LINE_ENDS:
                return
            if not line:
                raise eventlet.wsgi.ChunkReadError('the end of the last chunk is missing')
        raise eventlet.wsgi.ChunkReadError(f'more than {MAX_TRAILERS} lines follow the last chunk')


def framing_error(headers: Message) -> str | None:
    """Return why the end of a request is not certain, or None (RFC 9112, section 6.3).

    A proxy could see another end than this server, and another client could get the response.
    """
    lengths, codings = headers.get_all('Content-Length', []), headers.get_all('Transfer-Encoding')
    malformed = any(isinstance(each, HEADER_DEFECTS) for each in headers.defects)
    if malformed or not all(TOKEN.fullmatch(name) for name in headers.keys()):
        return 'A header is malformed'
    if len(lengths) > 1 or not all(each.isascii() and each.isdigit() for each in lengths):
        return 'Content-Length must be one number'
    if codings and [each.lower() for each in codings] != ['chunked']:
        return 'The only supported Transfer-Encoding is chunked'
    return None


class Connection(list):
    """A connection in the form of eventlet: [address, socket, state]; and its stream."""

    def __init__(
        self, address: Any, sock: Any, limits: ConnectionLimits, turns: peer_turns.PeerTurns
    ) -> None:
        super().__init__([address, sock, eventlet.wsgi.STATE_IDLE])
        self.peer = fair_turns.peer_of(address[0])
        self.stream = ClientStream(sock, limits, turns, self.peer)
        #: takes the connection out of the caps (see ``ConnectionTable.begin_stream``)
        self.begin_stream: Callable[[], Callable[[], bool]] | None = None

    __hash__ = object.__hash__  # type: ignore[assignment]

    def shut_down(self) -> None:
        """End all waits for the client, as if it had closed the connection."""
        self.stream.abort()
        with contextlib.suppress(OSError):
            self[1].shutdown(socket.SHUT_RDWR)

    def end_after_response(self) -> None:
        """Close the connection after the request in progress; an idle one at once."""
        idle = self[2] == eventlet.wsgi.STATE_IDLE and self.stream.is_idle()
        self[2] = eventlet.wsgi.STATE_CLOSE
        if idle:
            self.shut_down()


class ConnectionTable:
    """The open connections by their peers."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._by_peer: dict[str, dict[int, Connection]] = {}
        self._total = 0
        self._streams: dict[int, Connection] = {}

    def add(self, connection: Connection) -> bool:
        """Add a connection, at a cap in the place of a waiting one. False if there is none."""
        mine = self._by_peer.get(connection.peer, {})
        if len(mine) >= self._limits.per_peer:
            if not self._close_waiting(mine):
                return False
        elif self._total >= self._limits.total and not self.make_room():
            return False
        self._by_peer.setdefault(connection.peer, {})[id(connection)] = connection
        self._total += 1
        return True

    def remove(self, connection: Connection) -> None:
        """Remove a connection; one that was removed before is ignored."""
        self._streams.pop(id(connection), None)
        mine = self._by_peer.get(connection.peer, {})
        if mine.pop(id(connection), None) is not None:
            self._total -= 1
            if not mine:
                del self._by_peer[connection.peer]

    def begin_stream(self, connection: Connection) -> Callable[[], bool]:
        """Take a connection out of the caps; return whether its client is there, as a function.

        Raises ServiceUnavailable if there is no place.
        """
        if len(self._streams) >= self._limits.streams:
            raise exception.ServiceUnavailable(reason='all places of streams are taken')
        self.remove(connection)
        self._streams[id(connection)] = connection
        return lambda: not connection.stream.is_aborted

    def make_room(self) -> bool:
        """Close a waiting connection, if there is one, of the peer with the most connections."""
        crowds = sorted(self._by_peer.values(), key=len, reverse=True)
        return any(self._close_waiting(each) for each in crowds)

    def all(self) -> list[Connection]:
        return [
            *self._streams.values(),
            *(each for mine in self._by_peer.values() for each in mine.values()),
        ]

    def _close_waiting(self, connections: dict[int, Connection]) -> bool:
        waiting = [each for each in connections.values() if each.stream.waiting]
        if not waiting:
            return False
        oldest = min(waiting, key=lambda each: each.stream.since)
        self.remove(oldest)
        oldest.shut_down()
        return True
