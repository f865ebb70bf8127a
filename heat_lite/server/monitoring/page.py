"""The page of metrics and health: a small HTTP server on a socket that all workers share.

The kernel gives each connection to one worker, which answers for all of them. A connection has few
seconds, and few connections are served at a time.
"""

import contextlib
import http.server
import json
import logging
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

LOG = logging.getLogger(__name__)

#: seconds that a client has for its request
REQUEST_SECONDS = 5
MAX_CONNECTIONS = 8
#: seconds between two attempts to accept a connection after an error
PAUSE_SECONDS = 0.05
BACKLOG = 64
JSON = 'application/json'

#: status, content type and body
Answer = tuple[int, str, bytes]


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises OSError if the address is in use or not local."""
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def adopt_socket(fileno: int) -> socket.socket:
    """Return the listening socket inherited from the first process under a file descriptor."""
    return socket.socket(fileno=fileno)


def json_answer(good: bool, body: Mapping[str, Any]) -> Answer:
    """Return the answer of a check: 200 or 503 with a JSON body."""
    return 200 if good else 503, JSON, json.dumps(body, indent=1).encode() + b'\n'


class Handler(http.server.BaseHTTPRequestHandler):
    """One request: GET or HEAD of a path of the table."""

    timeout = REQUEST_SECONDS
    server_version = 'heat_lite'
    sys_version = ''

    def do_GET(self) -> None:
        path = urllib.parse.urlsplit(self.path).path
        answer = self.server.paths.get(path)  # type: ignore[attr-defined]
        if answer is None:
            self.send_error(404)
            return
        status, content_type, body = answer()
        self.send_response(status)
        self.send_header('Content-Type', content_type)
        self.send_header('Content-Length', str(len(body)))
        self.send_header('Cache-Control', 'no-store')
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        LOG.debug('%s %s', self.address_string(), format % args)


class Page:
    """Serves ``paths``, functions of an answer by path, in threads."""

    def __init__(self, sock: socket.socket, paths: Mapping[str, Callable[[], Answer]]) -> None:
        self.paths = paths
        self._sock = sock
        self._slots = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._stopping = False
        self._thread = threading.Thread(target=self._accept, name='monitoring', daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Answer no further connection."""
        self._stopping = True
        with contextlib.suppress(OSError):
            self._sock.close()

    def _accept(self) -> None:
        while not self._stopping:
            self._slots.acquire()
            try:
                connection, address = self._sock.accept()
            except OSError as error:
                self._slots.release()
                if self._sock.fileno() < 0 or self._stopping:
                    return
                LOG.debug('A connection to the page of metrics failed: %s', error)
                # without a file descriptor each attempt fails at once
                time.sleep(PAUSE_SECONDS)
                continue
            threading.Thread(
                target=self._serve, args=(connection, address), name='monitoring', daemon=True
            ).start()

    def _serve(self, connection: socket.socket, address: Any) -> None:
        try:
            with connection:
                Handler(connection, address, self)  # type: ignore[arg-type]
        except OSError as error:
            LOG.debug('The page of metrics lost a connection of %s: %s', address, error)
        except Exception:
            LOG.exception('The page of metrics failed for %s', address)
        finally:
            self._slots.release()
