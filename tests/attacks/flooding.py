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
import uuid

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


def _get(project, header=b''):
    return b'GET /v1/p%d/stacks HTTP/1.1\r\n%s%s\r\n' % (project, holding.HEADERS, header)


#: the same for clients of many addresses: name -> what the connection of a number sends
CROWDS = {
    'pipelined': lambda number: holding.VERSIONS * 200,
    'headers of 15 kB': lambda number: _get(number, b'X-Pad: %s\r\n' % (b'x' * 15_000)) * 20,
    'random tokens': lambda number: b''.join(
        _get(number, b'X-Auth-Token: %s\r\n' % uuid.uuid4().hex.encode()) for _ in range(200)
    ),
    '300 projects': lambda number: _get(number % 300) * 200,
}


class Client:
    """The connections of a flood; each that the service closes is opened again."""

    def __init__(self, address, name, crowd):
        self.address = address
        self.opened = 0
        self._name = name
        self._crowd = crowd
        self._selector = selectors.DefaultSelector()

    def open(self):
        if self._crowd:
            source = f'127.9.0.{1 + self.opened % self._crowd}', 0
            first, part = b'', CROWDS[self._name](self.opened)
        else:
            source, (first, part) = None, FLOODS[self._name]
        with contextlib.suppress(OSError):
            connection = socket.create_connection(self.address, 5, source)
            self.opened += 1
            connection.setblocking(False)
            holding.send(connection, first)
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if part else 0)
            self._selector.register(connection, events, [0, part])

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
            sent, part = key.data
            key.data[0] = (sent + key.fileobj.send(part[sent:])) % len(part)


def flood(service, name, count, seconds, crowd=0):
    """Flood a service from ``count`` connections; return how many were opened.

    ``crowd``: the number of addresses of the clients; 0: one client of the table FLOODS.
    """
    command = [sys.executable, '-m', 'tests.attacks.flooding', service.url, name]
    done = subprocess.run(
        [*command, *map(str, (count, seconds, crowd))], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def main(url, name, count, seconds, crowd):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(OPEN_FILES, hard), hard))
    parts = urllib.parse.urlsplit(url)
    client = Client((parts.hostname, parts.port), name, int(crowd))
    client.run(int(count), float(seconds))
    print(client.opened)


if __name__ == '__main__':
    main(*sys.argv[1:])
