"""The connections of the WSGI server: time limits of each, and caps on their number.

A client that sends nothing, or a byte now and then, must not take the place of others. Each wait
for a client has a deadline, and at a cap the connection that has waited longest for its client is
closed in favour of the new one.
"""

import contextlib
import dataclasses
import io
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import eventlet
import eventlet.wsgi
from oslo_config import cfg

from heat_lite.common import admission, exception
from heat_lite.server import hub

#: states of a TCP connection that its client has reset or closed (TCP_CLOSE and TCP_CLOSE_WAIT)
LEFT_STATES = (7, 8)
FIRST_REQUEST, NEXT_REQUEST, HEADERS, BODY = 'first request', 'next request', 'headers', 'body'


@dataclasses.dataclass(frozen=True)
class ConnectionLimits:
    """Limits in seconds for headers, a body and an idle connection; numbers of connections.

    ``max_body``: bytes of a body that is read before the request is passed on; a longer one is
    refused.
    """

    header: float = 30
    body: float = 60
    idle: float = 60
    total: int = 1024
    per_peer: int = 512
    streams: int = 4096
    max_body: int = 2**20


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
        conf.max_json_body_size,
    )


class ClientStream(io.RawIOBase):
    """The bytes of a client, with a deadline for each phase of a request.

    ``since``: when the phase began. ``waiting``: whether the server waits for the client, or makes
    it wait: such a connection may be closed at a cap.
    """

    def __init__(self, sock: Any, limits: ConnectionLimits, permit: 'PeerPermit') -> None:
        super().__init__()
        self.permit = permit
        self.timed_out = False
        self.waiting = True
        self._aborted = False
        self._wake: Callable[[], None] | None = None
        self._sock = sock
        self._limits = limits
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
        self.take_permit()
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

    def take_permit(self) -> None:
        """Wait until the connection may go on: bytes may always be ready, so that no read waits.

        Raises ConnectionAbortedError after ``abort``.
        """
        self.permit.end()
        eventlet.sleep(0)
        with contextlib.suppress(exception.RequestAbandoned):
            self.permit.take(self.interruptible)
        if self._aborted:
            self.permit.end()
            raise ConnectionAbortedError('closed in favour of another connection')

    @contextlib.contextmanager
    def interruptible(self, wake: Callable[[], None] | None) -> Iterator[Callable[[], bool]]:
        """Permit that the connection is closed while the block waits; ``wake`` ends the wait.

        Yield a function that returns whether it was closed, by the client or by this server.
        """
        self.waiting, self._wake = True, wake
        try:
            yield self._is_closed
        finally:
            self.waiting, self._wake = False, None

    def _is_closed(self) -> bool:
        """Look whether the client has left. Bytes that it sent before may still be unread.

        A client that has only ended its sending looks alike.
        """
        with contextlib.suppress(OSError):  # not a TCP connection
            state = self._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
            self._aborted = self._aborted or state in LEFT_STATES
        return self._aborted

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
        self.permit.end()
        too_slow = TimeoutError('the client is too slow')
        try:
            if seconds <= 0:  # the limit itself needs a wait, and bytes may always be ready
                raise too_slow
            with self.interruptible(None), eventlet.Timeout(seconds, too_slow):
                yield
        except TimeoutError:
            self.timed_out = True
            raise


class PeerPermit:
    """The permit of a connection to compute, among all connections of its peer.

    It ends before each wait for the client.
    """

    def __init__(self, permits: admission.Admission, peer: str, loop: hub.Hub) -> None:
        self._permits, self._peer, self._loop = permits, peer, loop
        self._permit: admission.Permit | None = None

    def take(self, interruptible: admission.Interruptible) -> None:
        """Wait for the permit, in a green thread. Raises RequestAbandoned if it is interrupted."""
        wanted = admission.Permit(self._peer, hub.Event(self._loop))
        self._permit = self._permits.take(wanted, interruptible)

    def end(self) -> None:
        """End the permit, in any thread; one that has ended is ignored."""
        permit, self._permit = self._permit, None
        if permit is not None:
            self._permits.leave(permit)


class Connection(list):
    """A connection in the form of eventlet: [address, socket, state]; and its stream."""

    def __init__(
        self,
        address: Any,
        sock: Any,
        limits: ConnectionLimits,
        permits: admission.Admission,
        loop: hub.Hub,
    ) -> None:
        super().__init__([address, sock, eventlet.wsgi.STATE_IDLE])
        self.peer = admission.peer_of(address[0])
        self.stream = ClientStream(sock, limits, PeerPermit(permits, self.peer, loop))
        #: begins a stream (see ``wsgi.BEGIN_STREAM``); its client, if it has begun
        self.begin_stream: Callable[[], Any] | None = None
        self.is_ending = False
        self.client: Any = None

    __hash__ = object.__hash__  # type: ignore[assignment]

    def shut_down(self) -> None:
        """End all waits for the client, as if it had closed the connection."""
        self.stream.abort()
        with contextlib.suppress(OSError):
            self[1].shutdown(socket.SHUT_RDWR)

    def end_after_response(self) -> None:
        """Close the connection after the request in progress; an idle one at once."""
        idle = self[2] == eventlet.wsgi.STATE_IDLE and self.stream.is_idle()
        # eventlet forgets the state of a connection whose next request has begun
        self.is_ending, self[2] = True, eventlet.wsgi.STATE_CLOSE
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

    def begin_stream(self, connection: Connection) -> None:
        """Take a connection out of the caps. Raises ServiceUnavailable if there is no place."""
        if len(self._streams) >= self._limits.streams:
            raise exception.ServiceUnavailable(reason='all places of streams are taken')
        self.remove(connection)
        self._streams[id(connection)] = connection

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
