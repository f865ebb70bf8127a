"""A client of streams of events, as a browser reads them."""

import contextlib
import threading
import time
from typing import NamedTuple

import requests

from tests import strict_json
from tests.timeouts import WAIT_SECONDS


class Message(NamedTuple):
    """A message of Server-Sent Events."""

    id: str | None
    kind: str
    data: dict


class Stream:
    """The messages of one connection, read in a thread until the server ends it."""

    def __init__(self, url, headers=(), **params):
        self.messages = []
        self.times = []
        self.response = requests.get(
            url,
            params=params,
            headers={'Accept': 'text/event-stream', **dict(headers)},
            stream=True,
            timeout=WAIT_SECONDS,
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        if self.response.status_code == 200:
            self._thread.start()

    def _read(self):
        number, kind = None, None
        with contextlib.suppress(requests.RequestException, AttributeError):
            for line in self.response.iter_lines(chunk_size=1):
                name, _, value = line.decode().partition(': ')
                if name == 'id':
                    number = value
                elif name == 'event':
                    kind = value
                elif name == 'data':
                    self.times.append(time.time())
                    self.messages.append(Message(number, kind, strict_json.loads(value)))
                    number = None

    def is_alive(self):
        return self._thread.is_alive()

    def events(self):
        """Return the data of the events so far."""
        return [each.data for each in list(self.messages) if each.kind == 'event']

    def ids(self):
        return [each['id'] for each in self.events()]

    def last_id(self):
        """Return the id with which the stream continues."""
        return next((each.id for each in reversed(list(self.messages)) if each.id), None)

    def wait(self, is_met=None):
        """Wait for a condition of the stream; by default for its end."""
        end = time.monotonic() + WAIT_SECONDS
        while not (is_met(self) if is_met else not self.is_alive()):
            assert time.monotonic() < end, self.messages[-3:]
            time.sleep(0.01)
        return self

    def close(self):
        """Break the connection."""
        with contextlib.suppress(OSError, AttributeError):
            self.response.raw._fp.fp.raw._sock.shutdown(2)
        self.response.close()


@contextlib.contextmanager
def listening(url, headers=(), **params):
    """Open a stream for the block."""
    stream = Stream(url, headers, **params)
    try:
        yield stream
    finally:
        stream.close()


class PersistentClient:
    """A client that continues its stream after each break; ``ids`` are those of all events.

    ``taken``: (position at the begin of the connection, id of the message, id of the event or
    None) of each message.
    """

    def __init__(self, url, **params):
        self.url, self.params = url, params
        self.ids = []
        self.taken = []
        self.connections = 0
        self.stream = None
        self.position = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stopped.is_set():
            headers = {'Last-Event-ID': self.position} if self.position else {}
            with contextlib.suppress(requests.RequestException):
                self.stream = Stream(self.url, headers, **self.params)
                self.connections += self.stream.response.status_code == 200
                self._follow(self.stream)
            self._stopped.wait(0.1)

    def _follow(self, stream):
        taken, is_alive, start = 0, True, self.position
        while is_alive or taken < len(stream.messages):
            is_alive = stream.is_alive() and not self._stopped.is_set()
            for message in stream.messages[taken:]:
                taken += 1
                self.position = message.id or self.position
                self.taken.append((start, message.id, message.data.get('id')))
                if message.kind == 'event':
                    self.ids.append(message.data['id'])
            time.sleep(0.01)

    def break_connection(self):
        if self.stream is not None:
            self.stream.close()

    def stop(self):
        self._stopped.set()
        self.break_connection()
        self._thread.join(WAIT_SECONDS)
