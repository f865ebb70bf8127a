"""A TCP proxy of tests that can stop to answer, as a host behind a broken network does."""

import contextlib
import socket
import threading

from tests import ports


class BlackHole:
    """Forwards connections to ``address`` until ``swallow()``.

    From then on it accepts connections and data, and neither answers nor closes anything.
    """

    def __init__(self, address, port=None):
        self._address = address
        self._silent = threading.Event()
        self._opened = []
        self.port = port or ports.reserve()
        self._listener = socket.create_server(('127.0.0.1', self.port), backlog=512)
        threading.Thread(target=self._accept, daemon=True).start()

    def swallow(self):
        """Begin to forward nothing."""
        self._silent.set()

    def close(self):
        """Close all sockets."""
        for each in (self._listener, *self._opened):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self):
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                client, _ = self._listener.accept()
                self._opened.append(client)
                if not self._silent.is_set():
                    self._connect(client)

    def _connect(self, client):
        server = socket.create_connection(self._address)
        self._opened.append(server)
        for source, target in ((client, server), (server, client)):
            threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source, target):
        with contextlib.suppress(OSError):  # one of the two is closed
            while data := source.recv(65536):
                if not self._silent.is_set():
                    target.sendall(data)
            if not self._silent.is_set():
                target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def before(host, port):
    """Run a BlackHole in front of a server."""
    proxy = BlackHole((host, port))
    try:
        yield proxy
    finally:
        proxy.close()
