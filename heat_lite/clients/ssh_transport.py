"""Connections to a container engine through the command ssh, as the user of this process.

The library docker has such a transport, which needs paramiko and blocks green threads: it reads
from pipes. Here ssh has one end of a pair of sockets, and the other is an ordinary connection.
"""

import socket
import subprocess
import urllib.parse
from typing import Any

from docker.transport import unixconn

#: the command at the other host: Docker's, or else Podman's
COMMAND = (
    'command -v docker >/dev/null && exec docker system dial-stdio; exec podman system dial-stdio'
)
#: connections that are kept open for further requests, each with a process of ssh
CONNECTIONS = 8
OPTIONS = ('-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=30')


class SshConnection(unixconn.UnixHTTPConnection):
    """A connection of HTTP; ``unix_socket`` is the URL of the engine."""

    _process: subprocess.Popen | None = None

    def connect(self) -> None:
        self.sock, other = socket.socketpair()
        self.sock.settimeout(self.timeout)
        with other:
            self._process = subprocess.Popen(
                command_of(self.unix_socket), stdin=other.fileno(), stdout=other.fileno()
            )

    def close(self) -> None:
        super().close()
        if self._process is not None:
            self._process.terminate()  # it ends at the end of its input as well
            self._process.wait()
            self._process = None


def command_of(url: str) -> list[str]:
    """Return the command that connects to the engine of a URL."""
    parts = urllib.parse.urlsplit(url)
    user = ['-l', parts.username] if parts.username else []
    port = ['-p', str(parts.port)] if parts.port else []
    return ['ssh', *OPTIONS, *user, *port, '--', parts.hostname or '', COMMAND]


class SshConnectionPool(unixconn.UnixHTTPConnectionPool):
    def _new_conn(self) -> SshConnection:
        return SshConnection(self.base_url, self.socket_path, self.timeout)


class SshAdapter(unixconn.UnixHTTPAdapter):
    """The transport of requests; ``engine_url`` is that of the engine."""

    def __init__(self, engine_url: str, timeout: float) -> None:
        super().__init__('http+unix:///', timeout, max_pool_size=CONNECTIONS)
        self._engine_url = engine_url

    def get_connection(self, url: str, proxies: Any = None) -> SshConnectionPool:
        with self.pools.lock:
            pool = self.pools.get(self._engine_url)
            if pool is None:
                pool = SshConnectionPool(
                    url, self._engine_url, self.timeout, maxsize=self.max_pool_size
                )
                self.pools[self._engine_url] = pool
            return pool
