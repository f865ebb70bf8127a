"""A WSGI server: a green thread for each connection, a native thread for each request.

The green thread reads a request with its body, and writes the response. The application runs in a
native thread meanwhile, so it may compute and wait as it likes.
"""

import concurrent.futures
import contextlib
import dataclasses
import errno
import functools
import io
import itertools
import logging
import re
import resource
import socket

import eventlet
import eventlet.wsgi
import greenlet
from oslo_context import context as oslo_context

from heat_lite.api import event_feed, request_metrics, wsgi
from heat_lite.common import admission, exception, log_context, metrics, printable
from heat_lite.server import hub, wsgi_body, wsgi_connection

LOG = logging.getLogger(__name__)

DEFAULT_BACKLOG = 1024
#: seconds in which the clients of streams learn that the process stops
STREAM_SECONDS = 2
#: errors of ``accept``: the listening socket is closed; no file descriptor or memory is left
CLOSED = (errno.EBADF, errno.EINVAL, errno.ENOTSOCK)
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
EXHAUSTED_SECONDS = 0.05
#: connections accepted in a flood, after which all other green threads run
ACCEPTED_AT_ONCE = 32
#: open files of a process beside its connections: modules, logs, database, broker
OTHER_FILES = 256
#: connections that compute at a time, before the projects of their requests are known
PEER_PERMITS = 2
#: bytes of a body that count as none, and the part of the connections that may have larger ones
SMALL_BODY = 64 * 1024
BODY_PART = 8
REFUSAL = (
    b'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n'
    b'Connection: close\r\n\r\n'
)
#: the signature of a signed URL, which authorizes the request by itself: Signature,
#: X-Amz-Signature, or signature at the port for containers
SIGNATURE = re.compile(r'(?<=[Ss]ignature=)[^&\s"]+')
LOG_FORMAT = '%(client_ip)s "%(request_line)s" %(status_code)s %(body_length)s %(wall_seconds).3f'


def _mask_signature(record):
    record.msg, record.args = SIGNATURE.sub('***', record.getMessage()), ()
    return True


LOG.addFilter(_mask_signature)


def listen(host, port, options=None):
    """Return a listening socket. Raises OSError if the address is in use or not local."""
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    backlog = options.backlog if options else DEFAULT_BACKLOG
    # by default eventlet shares the port with other servers of the user
    sock = eventlet.listen((host, port), family=family, backlog=backlog, reuse_port=False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if options:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, options.tcp_keepidle)
    return sock


def adopt_socket(fileno):
    """Return the listening socket inherited from the first process under a file descriptor."""
    return eventlet.greenio.GreenSocket(eventlet.patcher.original('socket').socket(fileno=fileno))


class Protocol(eventlet.wsgi.HttpProtocol):
    """HTTP on a stream with deadlines."""

    def setup(self):
        self.connection = self.request
        self.stream = self.conn_state.stream
        self.rfile = wsgi_body.LineReader(self.stream)
        self.wfile = io.BufferedWriter(self.stream, self.wbufsize)
        self.requests = 0

    def _read_request_line(self):
        if self.requests:
            self.stream.begin(wsgi_connection.NEXT_REQUEST)
            # a pipelined request may be here already, and its client gone
            self.stream.take_permit()
        self.requests += 1
        return super()._read_request_line()

    def parse_request(self):
        if not super().parse_request():
            return False
        problem = wsgi_body.framing_error(self.headers)
        if problem:
            self.send_error(400, explain=problem)  # which also ends the connection
        return not problem

    def get_environ(self):
        self.stream.begin(wsgi_connection.BODY)
        environ = super().get_environ()
        if 'Content-Type' not in self.headers:
            # eventlet would set text/plain, which a page can send to any server
            del environ['CONTENT_TYPE']
        environ['wsgi.input'] = environ['eventlet.input'] = wsgi_body.Body(
            environ['wsgi.input'], self._end_after_response, self.stream.take_permit
        )
        environ[admission.INTERRUPTIBLE] = self.stream.interruptible
        environ[admission.END_PEER_PERMIT] = self.stream.permit.end
        environ[wsgi.BEGIN_STREAM] = self.conn_state.begin_stream
        return environ

    def log_message(self, format, *args):
        """Log a request that the server itself refuses, with its signature masked."""
        LOG.info('%s', printable.escape(f'{self.client_address[0]} {format % args}'))

    def _end_after_response(self):
        self.close_connection = 1

    def handle_one_response(self):
        """Respond; end a connection that is closed or ending, or whose client was too slow."""
        application = self.application

        def respond(environ, start_response):
            result = application(environ, start_response, self.conn_state)
            # eventlet reads the rest of the request before the next one
            if self.stream.timed_out or self.stream.is_aborted or self.conn_state.is_ending:
                self.close_connection = 1
            return result

        self.application = respond
        try:
            super().handle_one_response()
        finally:
            # both refer to this object or to themselves: without this the body of a request
            # stays in memory until a collection of garbage
            self.application = None
            self.environ.clear()
            log_context.forget_request()


def serve(sock, app, conf):
    """Return a started server with the limits of the configuration."""
    server = Server(sock, app, wsgi_connection.limits_of(conf))
    server.start()
    return server


class Server:
    """A server that runs an application on a socket in the background."""

    def __init__(self, sock, app, limits, options=None):
        secure = bool(options and options.cert_file)
        if secure:
            sock = eventlet.wrap_ssl(
                sock, certfile=options.cert_file, keyfile=options.key_file, server_side=True
            )
        if options:
            eventlet.wsgi.MAX_HEADER_LINE = options.max_header_line
        self._sock = sock
        self._secure = secure
        possible = _possible(limits.total + limits.streams)
        total = min(limits.total, possible)
        self._limits = dataclasses.replace(limits, total=total, streams=possible - total)
        self._connections = wsgi_connection.ConnectionTable(self._limits)
        self._app = request_metrics.measured(app)
        self._hub = hub.of_process()
        self._permits = admission.Admission(PEER_PERMITS)
        self._bodies = admission.Admission(limits.total // BODY_PART, limits.per_peer // BODY_PART)
        # a thread for each request: those that wait for their turn have one, too
        self._threads = concurrent.futures.ThreadPoolExecutor(total, 'request')
        self._pool = eventlet.GreenPool(2 * self._limits.total + self._limits.streams)
        self._thread = None
        self._http = eventlet.wsgi.Server(
            sock,
            sock.getsockname(),
            self._respond,
            log=LOG,
            log_format=LOG_FORMAT,
            log_output=LOG.isEnabledFor(logging.INFO),
            debug=False,
            max_http_version='HTTP/1.1',
            protocol=Protocol,
        )

    def start(self):
        """Start to accept connections."""
        metrics.add_sampler(request_metrics.sample)
        self._thread = self._hub.run(eventlet.spawn, self._accept)

    def stop(self, seconds):
        """Stop to accept connections, and wait at most ``seconds`` for running requests.

        Streams of events of the process end first: their clients reconnect.
        """
        event_feed.stop_all(STREAM_SECONDS)
        self._hub.run(self._finish, seconds)

    def _finish(self, seconds):
        self._thread.kill()
        with eventlet.Timeout(seconds or 0.1, False), contextlib.suppress(greenlet.GreenletExit):
            self._thread.wait()

    def _accept(self):
        try:
            for number in itertools.count():
                if not number % ACCEPTED_AT_ONCE:  # in a flood no accept waits
                    eventlet.sleep(0)
                try:
                    self._admit(*self._sock.accept())
                except OSError as error:
                    if error.errno in CLOSED:
                        LOG.error('The listening socket is closed: %s', error)
                        raise
                    self._survive(error)
                except Exception:
                    LOG.exception('A connection could not be accepted; the next one is awaited.')
        finally:
            for connection in self._connections.all():
                connection.end_after_response()
            self._pool.waitall()
            self._sock.close()

    def _survive(self, error):
        """Continue after a failed accept, at a lack of file descriptors with one fewer in use."""
        if error.errno in EXHAUSTED:
            LOG.error('Cannot accept a connection: %s. A waiting connection is closed.', error)
            self._connections.make_room()
            eventlet.sleep(EXHAUSTED_SECONDS)

    def _admit(self, sock, address):
        connection = wsgi_connection.Connection(
            address, sock, self._limits, self._permits, self._hub
        )
        connection.begin_stream = functools.partial(self._begin_stream, connection)
        if self._connections.add(connection):
            self._pool.spawn(self._serve, connection)
            return
        LOG.warning('Refused a connection of %s: the limit of connections is reached.', address[0])
        with contextlib.suppress(OSError), contextlib.closing(sock):
            if not self._secure:
                sock.send(REFUSAL)

    def _begin_stream(self, connection):
        self._hub.run(self._connections.begin_stream, connection)
        connection.client = Client(connection, self._hub, self._threads)
        return connection.client

    def _respond(self, environ, start_response, connection):
        """Answer a request of a connection; called in its green thread."""
        stream = connection.stream
        body = wsgi_body.CompleteBody(environ['wsgi.input'], self._hub)
        place = wsgi_connection.PeerPermit(self._bodies, connection.peer, self._hub)
        environ['wsgi.input'] = body
        try:
            if body.size > SMALL_BODY:
                stream.permit.end()
                place.take(stream.interruptible)
            body.complete(self._limits.max_body)
            environ[admission.END_PEER_PERMIT] = lambda: (stream.permit.end(), place.end())
            status, headers, parts, context = self._hub.run_in(
                self._threads, self._call, environ, connection
            )
            if context is not None:  # the line in the log, which follows the hooks, names it
                environ['eventlet.posthooks'].append((lambda _: context.update_store(), (), {}))
        except exception.RequestAbandoned:
            status, headers, parts = '503 Service Unavailable', [], []  # nothing reads it
        finally:
            stream.permit.end()
            place.end()
        if connection.client is not None:
            environ['eventlet.minimum_write_chunk_size'] = 0
        start_response(status, headers)
        return parts

    def _call(self, environ, connection):
        """Call the application in a native thread.

        Return status, headers, parts of the body, and the context of the request or None.
        """
        started = []
        log_context.forget_request()
        try:
            parts = self._app(environ, lambda *given: started.append(given))
            if connection.client is None:
                parts = _joined(parts)
            context = oslo_context.get_current()
        finally:
            log_context.forget_request()
        return *started[-1][:2], parts, context

    def _serve(self, connection):
        sock = connection[1]
        try:
            # so that a crowd of new connections is accepted at once, with all others behind it
            connection.stream.take_permit()
            if self._secure:
                with eventlet.Timeout(self._limits.header, TimeoutError()):
                    eventlet.hubs.trampoline(sock.fileno(), read=True)
                    connection.stream.take_permit()  # the handshake computes for milliseconds
                    sock.do_handshake()
            self._http.process_request(connection)
        except OSError as error:
            LOG.debug('The connection of %s ends: %s', connection.peer, error)
        finally:
            connection.stream.permit.end()
            self._connections.remove(connection)
            eventlet.greenio.shutdown_safe(sock)
            sock.close()


class Client:
    """The client of a stream, for the green thread that writes the stream.

    ``news``: an event that any thread sets.
    """

    def __init__(self, connection, loop, threads):
        self._stream = connection.stream
        self.news = hub.Event(loop)
        #: call a function that may wait, in a native thread, and return its result
        self.run = functools.partial(loop.run_in, threads)

    def is_there(self):
        """Return whether the connection is open."""
        return not self._stream.is_aborted


def _joined(parts):
    """Return a body in one part, which needs no native thread any more."""
    try:
        return [b''.join(parts)]
    finally:
        if hasattr(parts, 'close'):
            parts.close()


def _possible(connections):
    """Return the number of connections that the limit of open files permits, at most the given.

    The soft limit is raised as far as necessary and permitted.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(min(connections, wanted - OTHER_FILES), 1)
