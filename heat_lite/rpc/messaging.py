"""The way between the processes: one oslo.messaging transport, servers and clients on it.

Entities cross as they are: the driver makes JSON of the whole message once, so nothing is converted here but the context.
"""

import concurrent.futures
import logging
import socket
import sys
import threading

import oslo_messaging
from oslo_messaging import serializer as oslo_serializer
from oslo_messaging.notify import notifier as oslo_notifier
from oslo_messaging.rpc import dispatcher as oslo_dispatcher
from oslo_messaging.rpc import server as oslo_server

from heat_lite.common import context as common_context
from heat_lite.common import exception
from heat_lite.rpc import api, errors, rabbit

LOG = logging.getLogger(__name__)

transport = None
_url = None
_reached = False
_notifications = None

REACH_SECONDS = 3
# where those who read our notifications look for them
EXCHANGE = 'heat'

# Raised on purpose to tell the caller something; anything else is a fault of ours and leaves a traceback in the log.
EXPECTED = (exception.HeatException, ValueError)


def setup(conf, url=None):
    """Open the transport that ``url``, or else the configuration, names. Connections are made when first used, so fork before that."""
    global transport, _url, _reached
    cleanup()
    _reached = False
    set_defaults()
    _register_options(conf)
    _url = url
    transport = oslo_messaging.get_rpc_transport(conf, url=url, allowed_remote_exmods=[])
    rabbit.quicken(transport._driver)
    return transport


def cleanup():
    """Close what ``setup`` opened."""
    global transport, _notifications
    for opened in (transport, _notifications):
        if opened is not None:
            opened.cleanup()
    transport = _notifications = None


def set_defaults():
    """Defaults of options that are the library's."""
    oslo_messaging.set_transport_defaults(EXCHANGE)


def _register_options(conf):
    # oslo.messaging reads these from whatever conf it is given, but declares them in the global one only
    for group in ('oslo_messaging_metrics', 'oslo_messaging_tracing'):
        module = sys.modules.get(f'oslo_messaging._{group.removeprefix("oslo_messaging_")}.client')
        if module is not None:
            conf.register_opts(getattr(module, group), group=group)
    conf.register_opts(oslo_notifier._notifier_opts, group='oslo_messaging_notifications')


def is_local():
    """Whether all that can be reached is in this process."""
    return oslo_messaging.TransportURL.parse(transport.conf, _url).transport == 'local'


def reach():
    """OSError where no broker can be reached. Once one was, this is not looked at again.

    The first call of a process makes a queue for its replies, and oslo.messaging would wait for the broker then without an end.
    """
    global _reached
    if _reached:
        return
    url = oslo_messaging.TransportURL.parse(transport.conf, _url)
    hosts = [(host.hostname or 'localhost', host.port or 5672) for host in url.hosts] or [('localhost', 5672)]
    if url.transport.partition('+')[0] in ('rabbit', 'kombu'):
        _connect(hosts)
    _reached = True


def _connect(hosts):
    for place, address in enumerate(hosts, start=1):
        try:
            return socket.create_connection(address, REACH_SECONDS).close()
        except OSError:
            if place == len(hosts):
                raise


def serve(topic, server, endpoints, executor=None, pool_size=None):
    """An RPC server of our transport: ``start()``, ``stop()`` (takes no more), ``wait()`` (ends when all taken is done).

    Endpoints are looked through in turn for a public method of the wanted name. One without a ``target`` of its own gets the version of
    the topic. ``executor`` is 'threading' or 'eventlet'; None finds out.
    """
    version = api.VERSIONS.get(topic)
    target = oslo_messaging.Target(topic=topic, server=server, version=version)
    for endpoint in endpoints:
        if getattr(endpoint, 'target', None) is None:
            endpoint.target = oslo_messaging.Target(version=version)
    chosen = {'executor': executor} if executor else {}
    made = oslo_server.RPCServer(transport, target, Dispatcher(endpoints, ContextSerializer()), **chosen)
    return Server(made, pool_size, own_queue=f'{topic}.{server}')


def forget(queue):
    """Remove a queue of RabbitMQ to which nobody will ever listen again; oslo.messaging would leave it there for good."""
    get = getattr(transport and transport._driver, '_get_connection', None)
    if get is None:
        return
    try:
        with get(retry=0) as connection:
            connection.channel.queue_delete(queue=queue)
    except Exception as error:  # whatever the driver's library raises; a queue that stays costs little
        LOG.info('The queue %s stays: %s', queue, error)


def client(topic, server=None, version=None, timeout=None, retry=None, mandatory=False):
    """A caller of one topic. ``mandatory``: fail at once where nobody has ever listened instead of waiting for the timeout."""
    caller = oslo_messaging.get_rpc_client(
        transport,
        oslo_messaging.Target(topic=topic, server=server, version=version),
        serializer=ContextSerializer(),
        timeout=timeout,
        retry=retry,
        transport_options=oslo_messaging.TransportOptions(at_least_once=True) if mandatory else None,
    )
    return caller.prepare()  # what each call would do again otherwise


def notifier(publisher_id):
    """Sends notifications as [oslo_messaging_notifications] says; None where no driver is configured there."""
    global _notifications
    if _notifications is None:
        group = transport.conf.oslo_messaging_notifications
        _notifications = oslo_messaging.get_notification_transport(transport.conf, url=group.transport_url or _url)
    drivers = set(transport.conf.oslo_messaging_notifications.driver) - {'noop'}
    return oslo_messaging.Notifier(_notifications, publisher_id=publisher_id, serializer=NoticeSerializer()) if drivers else None


class ContextSerializer(oslo_serializer.NoOpSerializer):
    """Contexts travel as dicts of what they know; all else is left to the driver's JSON."""

    def serialize_context(self, ctxt):
        return {name: value for name, value in ctxt.to_dict().items() if value not in (None, '', [])}

    def deserialize_context(self, ctxt):
        return common_context.RequestContext.from_dict(ctxt)


class NoticeSerializer(ContextSerializer):
    """What others read says who did it, but does not let them do it too."""

    SECRET = ('auth_token', 'password', 'aws_creds', 'service_token', 'auth_token_info')

    def serialize_context(self, ctxt):
        return {name: value for name, value in super().serialize_context(ctxt).items() if name not in self.SECRET}


class Server:
    """oslo.messaging's server, with threads that cost nothing while there is nothing to do."""

    def __init__(self, server, pool_size=None, own_queue=None):
        self._server = server
        self._pool_size = pool_size
        self._own_queue = own_queue
        if server.executor_type == 'threading':
            # the threads of its own pool look for work once a second each, idle or not, and take as long to end
            server._executor_cls = concurrent.futures.ThreadPoolExecutor

    @property
    def executor(self):
        """'threading' or 'eventlet'."""
        return self._server.executor_type

    def start(self):
        """Take requests from now on."""
        self._server.start(override_pool_size=self._pool_size)

    def stop(self):
        """Take no more."""
        self._server.stop()

    def wait(self):
        """Return when all that was taken is done. The queue in which only this server was meant goes with it."""
        self._server.wait()
        if self._own_queue is not None:
            forget(self._own_queue)


def stop(servers):
    """Have servers take no more, and wait until all that they took is done.

    At the same time: each looks only every few seconds whether it is to stop.
    """
    stopping = [threading.Thread(target=server.stop) for server in servers]
    for thread in stopping:
        thread.start()
    for thread in stopping:
        thread.join()
    for server in servers:
        server.wait()


class Dispatcher(oslo_dispatcher.RPCDispatcher):
    """Turns exceptions into what ``errors`` can carry, and logs a traceback only of those that nobody meant to raise."""

    def dispatch(self, incoming):
        try:
            return super().dispatch(incoming)
        except EXPECTED as error:
            LOG.info('%s ends with %s: %s', incoming.message.get('method'), type(error).__name__, error)
            failure = error
        except Exception as error:
            LOG.exception('%s failed', incoming.message.get('method'))
            failure = error
        raise _expected(errors.Carrier(failure))


def _expected(carrier):
    # without a traceback: formatting and sending one costs more than the call itself, and the log has it where it matters
    expected = oslo_dispatcher.ExpectedException()
    expected.exc_info = (type(carrier), carrier, None)
    return expected
