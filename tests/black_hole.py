"""A TCP proxy of tests that can stop to answer, as a host behind a broken network does."""

import contextlib
import socket
import threading

from tests import ports

CONNECT_SECONDS = 5


class BlackHole:
    """Forwards connections to the first of ``address`` and ``spares`` that accepts them.

    After ``swallow()`` it accepts connections and data, and neither answers nor closes anything.
    """

    def __init__(self, address, port=None, spares=()):
        self._addresses = (address, *spares)
        self._silent = threading.Event()
        #: pairs of sockets of a client and a server -> whether they have lost bytes
        self._pairs = {}
        self.port = port or ports.reserve()
        self._listener = socket.create_server(('127.0.0.1', self.port), backlog=512)
        threading.Thread(target=self._accept, daemon=True).start()

    def swallow(self):
        """Begin to forward nothing."""
        self._silent.set()

    def recover(self):
        """Forward new connections again.

        Those that have lost bytes stay open and silent; their servers see that they end.
        """
        self._silent.clear()
        for pair, lost in tuple(self._pairs.items()):
            if lost.is_set() and pair[1]:
                _end(pair[1])

    def cut(self):
        """Close all present connections."""
        for pair in tuple(self._pairs):
            for each in filter(None, pair):
                _end(each)

    def close(self):
        """Close all sockets."""
        _end(self._listener)
        self._listener.close()
        self.cut()

    def _accept(self):
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        lost = threading.Event()
        server = None
        if self._silent.is_set():
            lost.set()
        else:
            server = self._connect()
        pair = client, server
        self._pairs[pair] = lost
        if server:
            answers = threading.Thread(target=self._forward, args=(server, client, lost))
            answers.daemon = True
            answers.start()
            self._forward(client, server, lost)
            answers.join()
        elif lost.is_set():
            self._forward(client, None, lost)
        del self._pairs[pair]
        for each in filter(None, pair):
            each.close()

    def _connect(self):
        """Return a connection to a server, or None."""
        for address in self._addresses:
            with contextlib.suppress(OSError):
                server = socket.create_connection(address, CONNECT_SECONDS)
                server.settimeout(None)
                return server
        return None

    def _forward(self, source, target, lost):
        how = socket.SHUT_RDWR
        with contextlib.suppress(OSError):  # one of the two is closed, or reset
            while data := source.recv(65536):
                if self._silent.is_set():
                    lost.set()
                if not lost.is_set():
                    target.sendall(data)
            how = socket.SHUT_WR
        if self._silent.is_set():
            lost.set()
        if not lost.is_set():  # else the end is lost, too
            _end(target, how)


def _end(connection, how=socket.SHUT_RDWR):
    with contextlib.suppress(OSError):
        connection.shutdown(how)


@contextlib.contextmanager
def before(host, port, spares=()):
    """Run a BlackHole in front of a server."""
    proxy = BlackHole((host, port), spares=spares)
    try:
        yield proxy
    finally:
        proxy.close()
