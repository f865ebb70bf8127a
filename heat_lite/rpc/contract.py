"""The client side of RPC: requests to a topic, and the errors of their replies."""

import contextlib
import time
from collections.abc import Callable, Iterator

import oslo_messaging
from oslo_messaging.rpc import client as oslo_client

from heat_lite.common import exception, long_work, metrics, tracing
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.operations.remote_method import Method
from heat_lite.rpc import messaging, remote_errors, tables

# Attempts to reach the broker. Without a limit, a request would hang until the broker returns.
RETRY = 3
# seconds between two attempts to send a message that no server has a queue for
RETRY_INTERVAL = 0.1


class RpcClient:
    """Base of RPC clients of a topic, or of one ``server`` of it.

    The transport is looked up at the first call, so a client may be created before
    ``messaging.setup`` and before a fork.
    """

    topic: str
    # fail at once if the queue does not exist; otherwise the message is lost and the call times out
    mandatory = False
    # repeat an undeliverable request until its timeout, because a server may be starting, and one
    # that a server has given back
    retry_undeliverable = False
    # to all servers of the topic; only one-way messages
    fanout = False

    def __init__(self, server: str | None = None, timeout: float | None = None) -> None:
        self.server = server
        self.timeout = timeout
        self._prepared: dict[tuple, oslo_client.RPCClient] = {}

    def invoke(self, method: Method, context: RequestContext, /, **given: object) -> Value:
        """Call or cast a method of the contract."""
        return self.deliver(method, context, method.arguments(given))

    def ask_for_tables(self, method: Method, context: RequestContext, /, **given: object) -> Value:
        """Call a method of ``tables.METHODS``; return a long list as tables, if the server can."""
        with self._timed(method):
            return self._deliver(method, context, method.arguments(given), None, None)

    def deliver(
        self,
        method: Method,
        context: RequestContext,
        args: Values,
        expects_reply: bool | None = None,
        timeout: float | None = None,
    ) -> Value:
        """Send a request; ``expects_reply`` and ``timeout`` (seconds) override the defaults.

        An error of the server is raised with the same class and text. Raises EngineTimeout when no
        server replies in time, ServiceUnavailable when the broker cannot be reached.
        """
        with self._timed(method):
            reply = self._deliver(method, context, args, expects_reply, timeout)
        return tables.unpack(method.name, reply)

    @contextlib.contextmanager
    def _timed(self, method: Method) -> Iterator[None]:
        """Count the request of the block, and its time, in the metrics and the trace."""
        began, outcome = time.monotonic(), 'error'
        try:
            with tracing.span(f'{self.topic} {method.name}', tracing.CLIENT):
                yield
            outcome = 'ok'
        except exception.HeatException as error:
            outcome = 'error' if getattr(error, 'code', 500) >= 500 else 'refused'
            raise
        finally:
            metrics.RPC_CLIENT.add(time.monotonic() - began, self.topic, method.name, outcome)

    def _deliver(
        self,
        method: Method,
        context: RequestContext,
        args: Values,
        expects_reply: bool | None,
        timeout: float | None,
    ) -> Value:
        transport = messaging.opened()
        prepared = self._prepare(transport, method.version_for(args), timeout or self.timeout)
        expects_reply = method.expects_reply if expects_reply is None else expects_reply
        send = prepared.call if expects_reply else prepared.cast
        try:
            messaging.check_broker()
            with long_work.waiting():
                return self._send(send, context, method, args, prepared)
        except oslo_messaging.RemoteError as remote:
            raise remote_errors.unpack(remote, method.name) from None
        except oslo_messaging.MessagingTimeout:
            raise self._timed_out(method, prepared) from None
        except Exception as failure:
            messaging.opened()
            if not _is_broker_error(failure):
                raise
            raise exception.ServiceUnavailable(
                reason=f'the message broker does not answer ({failure})'
            ) from failure

    def _send(
        self,
        send: Callable[..., Value],
        context: RequestContext,
        method: Method,
        args: Values,
        prepared: oslo_client.RPCClient,
    ) -> Value:
        end = time.monotonic() + _timeout_of(prepared)
        while True:
            try:
                return send(context, method.name, **args)
            except oslo_messaging.MessageUndeliverable:
                if not self.retry_undeliverable:
                    raise
            except oslo_messaging.RemoteError as remote:
                error = remote_errors.unpack(remote, method.name)
                if self.server or not isinstance(error, exception.RequestGivenBack):
                    raise
            if time.monotonic() > end:
                raise self._timed_out(method, prepared)
            time.sleep(RETRY_INTERVAL)

    def _timed_out(
        self, method: Method, prepared: oslo_client.RPCClient
    ) -> exception.EngineTimeout:
        asked = f'the engine {self.server}' if self.server else f'the topic {self.topic!r}'
        return exception.EngineTimeout(
            engine=asked, method=method.name, seconds=_timeout_of(prepared)
        )

    def _prepare(
        self, transport: oslo_messaging.Transport, version: str, timeout: float | None
    ) -> oslo_client.RPCClient:
        """Return the client of oslo.messaging; kept, because creating one takes about 20 us."""
        key = (transport, version, timeout)
        if key not in self._prepared:
            self._prepared = {
                known: prepared
                for known, prepared in self._prepared.items()
                if known[0] is transport
            }
            created = oslo_messaging.get_rpc_client(
                transport,
                oslo_messaging.Target(
                    topic=self.topic, server=self.server, version=version, fanout=self.fanout
                ),
                serializer=messaging.RequestSerializer(),
                timeout=timeout,
                retry=RETRY,
                transport_options=oslo_messaging.TransportOptions(at_least_once=self.mandatory),
            )
            self._prepared[key] = created.prepare()  # once, instead of at each call
        return self._prepared[key]


def _timeout_of(prepared: oslo_client.RPCClient) -> float:
    return prepared.conf.rpc_response_timeout if prepared.timeout is None else prepared.timeout


def _is_broker_error(failure: Exception) -> bool:
    """Return whether the broker could not be reached.

    oslo.messaging lets some errors of kombu and amqp through unchanged.
    """
    return isinstance(failure, (oslo_messaging.MessageDeliveryFailure, OSError)) or type(
        failure
    ).__module__.startswith(('kombu', 'amqp'))
