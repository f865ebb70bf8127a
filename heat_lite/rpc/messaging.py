"""Messaging between the processes: one oslo.messaging transport, with its servers and clients.

Arguments and results are plain data. The driver serializes a whole message to JSON once, so the
serializer here converts nothing but the request context.
"""

import contextlib
import functools
import logging
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence

import oslo_messaging
from oslo_config import cfg
from oslo_messaging import serializer as oslo_serializer
from oslo_messaging._drivers import common as oslo_common
from oslo_messaging._drivers.base import RpcIncomingMessage
from oslo_messaging.notify import notifier as oslo_notifier
from oslo_messaging.rpc import (
    client as oslo_client,
    dispatcher as oslo_dispatcher,
    server as oslo_server,
)

from heat_lite.common import (
    context as common_context,
    exception,
    log_context,
    long_work,
    metrics,
    tracing,
)
from heat_lite.common.value_types import Value, Values
from heat_lite.rpc import api, rabbit, remote_errors, reply_size, request_executor, tables

LOG = logging.getLogger(__name__)

#: end the threads of this process that wait for requests
end_idle_threads = request_executor.end_idle_threads

#: None before ``setup``
transport: oslo_messaging.Transport = None
#: its URL, once there is one
_url: oslo_messaging.TransportURL = None
_broker_checked = False
_notification_transport: oslo_messaging.Transport = None

CONNECT_TIMEOUT = 3
# seconds in which a server notices that it is stopped, while the broker answers
STOP_POLL_SECONDS = 1
# exchange in which the consumers of Heat's notifications look
EXCHANGE = 'heat'

# Errors that inform the caller. Any other class is a fault of the service and is logged with its
# traceback.
EXPECTED_ERRORS = (exception.HeatException, ValueError)


def setup(conf: cfg.ConfigOpts, url: str | None = None) -> oslo_messaging.Transport:
    """Create the transport of ``url``, or of the configuration if ``url`` is None.

    The driver connects at first use, so processes must be forked before that.
    """
    global transport, _url, _broker_checked
    cleanup()
    _broker_checked = False
    oslo_messaging.set_transport_defaults(EXCHANGE)
    _register_options(conf)
    _url = oslo_messaging.TransportURL.parse(conf, url)
    if _is_rabbit():
        rabbit.check_options(conf, _url)
    transport = oslo_messaging.get_rpc_transport(conf, url=_url, allowed_remote_exmods=[])
    rabbit.install_fast_path(transport._driver)
    return transport


def cleanup() -> None:
    """Close the transports that ``setup`` and ``notifier`` created."""
    global transport, _notification_transport
    former, transport = transport, None
    for opened in (former, _notification_transport):
        if opened is not None:
            opened.cleanup()
    _notification_transport = None


def _register_options(conf: cfg.ConfigOpts) -> None:
    # oslo.messaging reads these options from the given configuration, but registers them in the
    # global one only.
    for group in ('oslo_messaging_metrics', 'oslo_messaging_tracing'):
        module = sys.modules.get(f'oslo_messaging._{group.removeprefix("oslo_messaging_")}.client')
        if module is not None:
            conf.register_opts(getattr(module, group), group=group)
    conf.register_opts(oslo_notifier._notifier_opts, group='oslo_messaging_notifications')
    # a client would register these
    conf.register_opts(oslo_client._client_opts)


def is_local() -> bool:
    """Return whether the transport reaches this process only."""
    return _url.transport == 'local'


def _is_rabbit() -> bool:
    return _url.transport.partition('+')[0] in ('rabbit', 'kombu')


def opened() -> oslo_messaging.Transport:
    """Return the transport. Raises ServiceUnavailable after ``cleanup``, which requests outlive."""
    found = transport
    if found is None:
        raise exception.ServiceUnavailable(reason='this process stops; repeat the request')
    return found


def check_broker() -> None:
    """Raise OSError when no broker accepts a connection; succeeds at once after the first success.

    The first call of a process declares a queue for its replies, and oslo.messaging would wait
    without a timeout for a broker that is down.
    """
    global _broker_checked
    if _broker_checked:
        return
    hosts = [(host.hostname or 'localhost', host.port or 5672) for host in _url.hosts] or [
        ('localhost', 5672)
    ]
    if _is_rabbit():
        _connect(hosts)
    _broker_checked = True


def probe() -> None:
    """Open and close a channel of the broker. Raises the library's errors; may hang.

    Does nothing for a transport inside the process, or one that is closed meanwhile.
    """
    opened, connect = transport, _connector()
    if connect is None:
        return
    check_broker()
    try:
        with connect(retry=0) as pooled:
            pooled.ensure(functools.partial(_open_channel, pooled), retry=0)
    except Exception:
        if transport is opened:
            raise


def _connector() -> (
    Callable[..., contextlib.AbstractContextManager[oslo_common.ConnectionContext]] | None
):
    """Return the function that lends a connection to RabbitMQ; None for another transport."""
    return getattr(transport and transport._driver, '_get_connection', None)


def _open_channel(pooled: oslo_common.ConnectionContext) -> None:
    with pooled._connection_lock, pooled.connection.connection.channel():
        pass


def _connect(hosts: list[tuple[str, int]]) -> None:
    for number, address in enumerate(hosts, start=1):
        try:
            return socket.create_connection(address, CONNECT_TIMEOUT).close()
        except OSError:
            if number == len(hosts):
                raise


def serve(
    topic: str,
    server: str,
    endpoints: Sequence[object],
    pool_size: int | None = None,
    around: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext,
    max_reply: int = sys.maxsize,
) -> 'Server':
    """Create an RPC server: ``start()``, ``stop()`` (accept no more), ``wait()`` (finish requests).

    A method is looked up in ``endpoints`` in their order. An endpoint gets the version of
    the topic. Each request runs in a context ``around()``. ``max_reply`` limits the
    characters of a reply.
    """
    version = api.VERSIONS.get(topic)
    target = oslo_messaging.Target(topic=topic, server=server, version=version)
    for endpoint in endpoints:
        endpoint.target = oslo_messaging.Target(version=version)  # type: ignore[attr-defined]
    dispatcher = Dispatcher(endpoints, around, max_reply)
    rpc_server = oslo_server.RPCServer(transport, target, dispatcher, executor='threading')
    return Server(rpc_server, pool_size, topic, server)


def delete_queue(queue: str, is_shared: bool = False, if_empty: bool = False) -> bool:
    """Delete a queue of RabbitMQ, which oslo.messaging would leave. Return whether it is gone.

    One that servers share only if none uses it and, with ``if_empty``, if it has no message. It
    stays where an option makes it durable: Heat declares it by the same option.
    """
    connect = _connector()
    if connect is None:
        return True
    try:
        # With the lock, because the heartbeat thread of the connection reads from it, too; on a
        # channel of its own, because an error closes the channel.
        with connect(retry=0) as pooled, pooled._connection_lock:
            if is_shared and pooled.durable:
                return True
            with pooled.connection.connection.channel() as channel:
                channel.queue_delete(queue=queue, if_unused=is_shared, if_empty=if_empty)
    except Exception as error:  # the driver's library raises many classes
        LOG.info('Queue %s was not deleted and stays on the broker: %s', queue, error)
        return False
    return True


def notifier(publisher_id: str) -> oslo_messaging.Notifier | None:
    """Return a Notifier for [oslo_messaging_notifications]; None if no driver is configured."""
    global _notification_transport
    if _notification_transport is None:
        group = transport.conf.oslo_messaging_notifications
        _notification_transport = oslo_messaging.get_notification_transport(
            transport.conf, url=group.transport_url or _url
        )
    drivers = set(transport.conf.oslo_messaging_notifications.driver) - {'noop'}
    if not drivers:
        return None
    return oslo_messaging.Notifier(
        _notification_transport, publisher_id=publisher_id, serializer=NotificationSerializer()
    )


class ContextSerializer(oslo_serializer.NoOpSerializer):
    """Serializer of request contexts as dicts of their non-empty values."""

    def serialize_context(self, ctxt: common_context.RequestContext) -> Values:
        values = {
            name: value for name, value in ctxt.to_dict().items() if value not in (None, '', [])
        }
        traced = tracing.current()
        return values if traced is None else {**values, tracing.TRACEPARENT: traced.traceparent}

    def deserialize_context(self, ctxt: Values) -> common_context.RequestContext:
        return common_context.RequestContext.from_dict(ctxt)


class RequestSerializer(ContextSerializer):
    """Serializer that tells the server that the client reads tables."""

    def serialize_context(self, ctxt: common_context.RequestContext) -> Values:
        return {**super().serialize_context(ctxt), tables.CONTEXT_KEY: True}


class NotificationSerializer(ContextSerializer):
    """Serializer that removes credentials: other services read notifications."""

    SECRET = ('auth_token', 'password', 'aws_creds', 'service_token', 'auth_token_info')

    def serialize_context(self, ctxt: common_context.RequestContext) -> Values:
        return {
            name: value
            for name, value in super().serialize_context(ctxt).items()
            if name not in self.SECRET
        }


class Server:
    """RPC server of oslo.messaging whose idle threads use no CPU."""

    def __init__(
        self, server: oslo_server.RPCServer, pool_size: int | None, topic: str, name: str
    ) -> None:
        self._server = server
        self._pool_size = pool_size
        self._topic, self._name = topic, name
        # The threads of the library's pool poll once a second, and take as long to end.
        # Calls that run at a pause keep their executor, so there is one.
        server._executor_cls = functools.cache(
            functools.partial(request_executor.RequestExecutor, refuse=_refuse)
        )
        self._guard = threading.Lock()
        self._stopped = False

    def start(self) -> None:
        """Start to accept requests; do nothing if the server does so, or is stopped."""
        with self._guard:
            if self._server.listener is None and not self._stopped:
                try:
                    self._server.start(override_pool_size=self._pool_size)
                except Exception:
                    self._server.stop()  # else the library ignores the next start
                    raise

    def pause(self) -> None:
        """Leave requests to the other servers of the topic, until the next start.

        Those that have done nothing yet are given back to their clients.
        """
        with self._guard:
            if self._server.listener is not None and not self._stopped:
                self._server.stop()
                listener, self._server.listener = self._server.listener, None
                listener.cleanup()
        for incoming, attempt in self._server._work_executor.attempts():
            if _expects_reply(incoming) and attempt.give_back():
                _answer(incoming, exception.RequestGivenBack())

    def stop(self) -> None:
        """Stop to accept requests."""
        with self._guard:
            self._stopped = True
            self._server.stop()

    def wait(self) -> None:
        """Wait for the end of all accepted requests, then delete what no other server uses."""
        self._server.wait()
        delete_queue(f'{self._topic}.{self._name}')
        delete_queue(self._topic, is_shared=True, if_empty=True)


def stop_servers(servers: Sequence[Server], seconds: float | None = None) -> bool:
    """Stop servers and wait for the end of all their requests, at most ``seconds``.

    Return whether all have ended. The servers are stopped in parallel, because each polls for its
    stop every few seconds.
    """
    ending = [threading.Thread(target=_end, args=[server], daemon=True) for server in servers]
    for thread in ending:
        thread.start()
    end = None if seconds is None else time.monotonic() + seconds + STOP_POLL_SECONDS
    for thread in ending:
        thread.join(None if end is None else max(end - time.monotonic(), 0))
    return not any(thread.is_alive() for thread in ending)


def _end(server: Server) -> None:
    server.stop()
    server.wait()


class Dispatcher(oslo_dispatcher.RPCDispatcher):
    """Dispatcher that serializes errors by ``remote_errors`` and logs unexpected ones."""

    def __init__(
        self,
        endpoints: Sequence[object],
        around: Callable[[], contextlib.AbstractContextManager],
        max_reply: int,
    ) -> None:
        super().__init__(endpoints, ContextSerializer())
        self._around, self._max_reply = around, max_reply

    def dispatch(self, incoming: RpcIncomingMessage) -> Value:
        log_context.forget_request()
        subject = log_context.subject_of_arguments(incoming.message.get('args'))
        log_context.set_subject(subject)
        began, outcome = time.monotonic(), 'ok'
        method = str(incoming.message.get('method'))
        try:
            with (
                tracing.message(incoming.ctxt, method),
                _permit(incoming, method),
                self._around(),
            ):
                reply = super().dispatch(incoming)
            packed = tables.pack(reply) if _reads_tables(incoming, method) else None
            reply_size.check(method, reply, self._max_reply, packed)
            return reply if packed is None else packed
        except Exception as error:
            outcome = 'refused' if is_expected(error) else 'error'
            _log_failure(method, error)
            # An error may quote the value of a hidden parameter, which the requester knows
            # already; logs of clients and reasons of other stacks would repeat it.
            carrier = remote_errors.Carrier(error, subject.redactor.redact_data)
        finally:
            metrics.RPC_SERVER.add(time.monotonic() - began, method, outcome)
        # Outside of the block, which forgets the error. A variable of it would keep it, by its
        # traceback, with all values of the request until a collection of garbage.
        raise _expected(carrier)


def _permit(incoming: RpcIncomingMessage, method: str) -> contextlib.AbstractContextManager[None]:
    """Return the block of a method: with a permit, if it computes for long."""
    if method not in api.LONG_METHODS:
        return contextlib.nullcontext()
    return long_work.permit(request_executor.project_of([incoming]))


def _reads_tables(incoming: RpcIncomingMessage, method: str) -> bool:
    return method in tables.METHODS and tables.CONTEXT_KEY in incoming.ctxt


def _refuse(incoming: request_executor.Incoming) -> bool:
    """Answer a request that has waited for its turn until the server was stopped.

    Return False for a cast: its sender expects no answer, so it would be lost.
    """
    if not _expects_reply(incoming):
        return False
    reason = 'the engine is stopped; repeat the request'
    _answer(incoming, exception.ServiceUnavailable(reason=reason))
    return True


def _expects_reply(incoming: request_executor.Incoming) -> bool:
    # what a message over a broker replies to, and one inside the process
    return bool(getattr(incoming[0], 'reply_q', None) or getattr(incoming[0], 'pending', None))


def _answer(incoming: request_executor.Incoming, error: exception.HeatException) -> None:
    """Answer a request that is not executed with an error."""
    carrier = remote_errors.Carrier(error)
    incoming[0].acknowledge()
    incoming[0].reply(failure=(type(carrier), carrier, None))


def _log_failure(method: str, error: Exception) -> None:
    if is_expected(error):
        LOG.info('RPC method %s failed with %s: %s', method, type(error).__name__, error)
    elif isinstance(error, remote_errors.UNAVAILABLE):
        reason = str(error).partition('\n')[0]
        LOG.error('RPC method %s failed: the database does not answer: %s', method, reason)
    else:
        LOG.exception('RPC method %s failed', method)


def is_expected(error: Exception) -> bool:
    """Return whether an error informs the caller about its request.

    An AttributeError without a name is one that is raised for invalid data; Python names its own.
    """
    if isinstance(error, AttributeError):
        return error.name is None
    return isinstance(error, EXPECTED_ERRORS)


def _expected(carrier: remote_errors.Carrier) -> oslo_dispatcher.ExpectedException:
    # Without a traceback: formatting and sending it costs more than the call, and the log has it.
    expected = oslo_dispatcher.ExpectedException()
    expected.exc_info = (type(carrier), carrier, None)
    return expected
