"""Free ports for servers of tests, on a machine where several test runs are at work."""

import fcntl
import pathlib
import random
import socket
import tempfile

# below the ports that Linux gives to outgoing connections, which could take a port meanwhile
FIRST, LAST = 20000, 32000
_FOLDER = pathlib.Path(tempfile.gettempdir()) / 'heat_lite_test_ports'
_locks = []


def reserve():
    """Return a free port of 127.0.0.1 that no other process gets here while this one lives."""
    _FOLDER.mkdir(exist_ok=True)
    for _ in range(1000):
        port = random.SystemRandom().randrange(FIRST, LAST)
        lock = (_FOLDER / str(port)).open('w')
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _require_free(port)
        except OSError:
            lock.close()
            continue
        _locks.append(lock)
        return port
    raise OSError(f'No port between {FIRST} and {LAST} is free.')


def _require_free(port):
    """Raise OSError if the port is in use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(('127.0.0.1', port))
