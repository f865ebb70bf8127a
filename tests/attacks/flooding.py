"""A client with many connections that sends without a wait for answers, in a process of its own.

As threads of a test it would be slower than the service, and so no attack.
"""

import contextlib
import resource
import selectors
import socket
import subprocess
import sys
import time
import urllib.parse

from tests.attacks import holding

#: name -> what each connection sends at first, and what then without end
FLOODS = {
    'pipelined': (b'', holding.VERSIONS * 200),
    'chunks': (holding.POST + b'Transfer-Encoding: chunked\r\n\r\n', b'1\r\n \r\n' * 8000),
    'unread body': (
        b'POST /v1/x/no/such/route HTTP/1.1\r\n' + holding.HEADERS + b'Content-Length: 9999999999'
        b'\r\n\r\n',
        b'x' * 2**16,
    ),
    'connects': (b'', b''),
}
OPEN_FILES = 8192


class Client:
    """The connections of a flood; each that the service closes is opened again."""

    def __init__(self, address, name):
        self.address = address
        self.first, self.part = FLOODS[name]
        self.opened = 0
        self._selector = selectors.DefaultSelector()

    def open(self):
        with contextlib.suppress(OSError):
            connection = socket.create_connection(self.address, timeout=5)
            self.opened += 1
            connection.setblocking(False)
            holding.send(connection, self.first)
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.part else 0)
            self._selector.register(connection, events, [0])

    def run(self, count, seconds):
        end = time.monotonic() + seconds
        for _ in range(count):
            self.open()
        while time.monotonic() < end:
            for key, events in self._selector.select(0.1):
                try:
                    self._use(key, events)
                except BlockingIOError:
                    continue
                except OSError:
                    self._selector.unregister(key.fileobj)
                    key.fileobj.close()
                    self.open()

    def _use(self, key, events):
        if events & selectors.EVENT_READ and not key.fileobj.recv(2**16):
            raise ConnectionError('closed by the service')
        if events & selectors.EVENT_WRITE:
            sent = key.data[0]
            key.data[0] = (sent + key.fileobj.send(self.part[sent:])) % len(self.part)


def flood(service, name, count, seconds):
    """Flood a service from ``count`` connections; return how many were opened."""
    command = [sys.executable, '-m', 'tests.attacks.flooding', service.url, name]
    done = subprocess.run(
        [*command, str(count), str(seconds)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def main(url, name, count, seconds):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(OPEN_FILES, hard), hard))
    parts = urllib.parse.urlsplit(url)
    client = Client((parts.hostname, parts.port), name)
    client.run(int(count), float(seconds))
    print(client.opened)


if __name__ == '__main__':
    main(*sys.argv[1:])
