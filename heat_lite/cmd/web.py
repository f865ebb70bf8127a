"""A WSGI server of green threads: one a connection."""

import contextlib
import logging
import re
import socket

import eventlet
import eventlet.wsgi
import greenlet

LOG = logging.getLogger(__name__)

# whoever has it may do what a signed URL is for
SIGNATURE = re.compile(r'(?<=[?&]Signature=)[^&\s"]+')
LOG_FORMAT = '%(client_ip)s "%(request_line)s" %(status_code)s %(body_length)s %(wall_seconds).3f'


def _discreet(record):
    record.msg = SIGNATURE.sub('***', record.msg)
    return True


LOG.addFilter(_discreet)


def listen(host, port, options=None):
    """A listening socket; OSError where the address is taken or not ours."""
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    sock = eventlet.listen((host, port), family=family, backlog=options.backlog if options else 128)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if options:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, options.tcp_keepidle)
    return sock


def adopt(number):
    """The listening socket that this process has from another, by the number of its file."""
    return eventlet.greenio.GreenSocket(eventlet.patcher.original('socket').socket(fileno=number))


class Server:
    """Serves an application on a socket in the background."""

    def __init__(self, sock, app, options=None):
        if options and options.cert_file:
            sock = eventlet.wrap_ssl(sock, certfile=options.cert_file, keyfile=options.key_file, server_side=True)
        if options:
            eventlet.wsgi.MAX_HEADER_LINE = options.max_header_line
        self._sock = sock
        self._app = app
        self._thread = None

    def start(self):
        """Begin to serve."""
        wanted = LOG.isEnabledFor(logging.INFO)
        self._thread = eventlet.spawn(
            eventlet.wsgi.server, self._sock, self._app, log=LOG, log_format=LOG_FORMAT, log_output=wanted, debug=False
        )

    def stop(self, seconds):
        """Accept no more; give requests under way so many seconds to end."""
        self._thread.kill()
        with eventlet.Timeout(seconds or 0.1, False), contextlib.suppress(greenlet.GreenletExit):
            self._thread.wait()
