"""Fast path through oslo.messaging's driver for RabbitMQ, taken while the connection is healthy.

For each message, the library prepares for the loss of the broker: closures, a class and a loop of
attempts. Between two messages it polls every few milliseconds for messages to acknowledge, although
requests and replies are acknowledged on receipt. Both together took 40 % of the CPU time of an
engine for a request that reads nothing. See docs/decisions/0010.
"""

import contextlib
import importlib
import itertools
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import oslo_messaging
from oslo_concurrency import lockutils
from oslo_config import cfg
from oslo_messaging._drivers import base, common
from oslo_serialization import jsonutils

from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values

# Lower limit of the wait for the next message, in seconds. A message ends the wait at once; only
# the check whether the server is stopped has to wait for it.
MIN_CONSUME_TIMEOUT = 0.25
#: a connection is given up when it was silent for twice as long, by the broker for three times
HEARTBEAT_SECONDS = 8
LIBRARY = 'oslo_messaging._drivers.impl_rabbit'
GROUP = 'oslo_messaging_rabbit'
#: in the names of queues, for a configuration that no program has loaded
PROGRAM = 'heat-lite'
FANOUT = (
    f'[{GROUP}] rabbit_stream_fanout needs rabbit_qos_prefetch_count of at least 1 and '
    'rabbit_transient_quorum_queue = true; set both in that group, or rabbit_stream_fanout = false'
)
LOCKS = (
    f'[{GROUP}] use_queue_manager needs a folder for locks, and {{}} cannot be used. Set '
    '[oslo_concurrency] lock_path to a folder of the user of this program'
)


class Connection:
    """Methods that ``install_fast_path`` puts in front of those of the library's connection."""

    # attributes and methods of the library's connection
    channel: object | None
    amqp_durable_queues: bool | None
    heartbeat_timeout_threshold: float
    rabbit_transient_queues_ttl: int
    use_queue_manager: bool
    _initial_pid: int
    _consumers: dict[Any, int]
    _heartbeat_supported_and_enabled: Callable[[], bool]

    def ensure(self, method: Callable[[], Value], *args: object, **kwargs: object) -> Value:
        """Call ``method``; if it fails, its error counts as the first attempt of the library."""
        if self.channel is None or self._initial_pid != os.getpid():
            return super().ensure(method, *args, **kwargs)  # type: ignore[misc]
        try:
            return method()
        except Exception as error:
            attempts = itertools.chain([_raiser(error)], itertools.repeat(method))
        return super().ensure(lambda: next(attempts)(), *args, **kwargs)  # type: ignore[misc]

    def declare_consumer(self, consumer: Value) -> Value:
        """Declare a queue, which is durable unless amqp_durable_queues is set to false.

        RabbitMQ 4.3 refuses a queue that is neither durable nor exclusive. The exchange stays as
        Heat and the readers of its notifications declare it, and so do queues that the queue
        manager gives the names of Heat's. A queue with the id of its server expires as those for
        replies do, in case the server is killed.
        """
        is_named = self.use_queue_manager and consumer.type != 'topic'
        if self.amqp_durable_queues is not False and not is_named:
            consumer.durable = True
        if consumer.type == 'topic' and '.' in consumer.queue_name:
            seconds = self.rabbit_transient_queues_ttl
            consumer.queue_arguments |= {'x-expires': seconds * 1000} if seconds else {}
        return super().declare_consumer(consumer)  # type: ignore[misc]

    def _publish(self, exchange: Value, *args: object, **kwargs: object) -> None:
        """Send a message, which the broker writes to its disk if amqp_durable_queues is true."""
        if not self.amqp_durable_queues:
            exchange.delivery_mode = 'transient'
        super()._publish(exchange, *args, **kwargs)  # type: ignore[misc]

    def consume(self, timeout: float | None = None) -> None:
        """Wait for a message for ``timeout`` seconds, or MIN_CONSUME_TIMEOUT if that is longer.

        Raises the library's Timeout when none comes.
        """
        seconds = None if timeout is None else max(timeout, MIN_CONSUME_TIMEOUT)
        return super().consume(seconds)  # type: ignore[misc]

    def close(self) -> None:
        """Close the connection; what arrives meanwhile returns to its queue.

        The library acknowledges a request when it arrives, also after its listener was stopped,
        while the close waits for the deletion of a queue. Nothing would handle the request.
        """
        callbacks = getattr(self.channel, 'callbacks', None)
        if callbacks:
            callbacks.update(dict.fromkeys(callbacks, _leave))
            for consumer, tag in self._consumers.items():
                if consumer.type == 'fanout':  # the library deletes its queue
                    consumer.cancel(tag)
        super().close()  # type: ignore[misc]

    def _transport_socket_timeout(
        self, timeout: float | None
    ) -> contextlib.AbstractContextManager[None]:
        """Set the timeout of the socket while a message is sent.

        With heartbeats the socket has a shorter timeout already, so nothing has to be set.
        """
        if self._heartbeat_supported_and_enabled() and (
            timeout is None or timeout >= self.heartbeat_timeout_threshold
        ):
            return contextlib.nullcontext()
        return super()._transport_socket_timeout(timeout)  # type: ignore[misc]


def _leave(message: object) -> None:
    """Leave a message without acknowledgement: it is of the queue again after the close."""


def _raiser(error: Exception) -> Callable[[], NoReturn]:
    def attempt() -> NoReturn:
        raise error

    return attempt


def set_defaults() -> None:
    """Set the defaults of options that the library defines."""
    library = importlib.import_module(LIBRARY)
    # unset: queues are durable, exchanges are not
    cfg.set_defaults(library.rpc_amqp.amqp_opts, amqp_durable_queues=None)
    cfg.set_defaults(library.rabbit_opts, heartbeat_timeout_threshold=HEARTBEAT_SECONDS)


def check_options(conf: cfg.ConfigOpts, url: oslo_messaging.TransportURL) -> None:
    """Raise ConfigurationError for options with which the library would fail at each request.

    A WSGI server would name the queues of all its applications alike, so the default of their
    name is that of the program.
    """
    set_defaults()
    library = importlib.import_module(LIBRARY)
    for opts in (library.rabbit_opts, library.rpc_amqp.amqp_opts):
        conf.register_opts(opts, group=GROUP)
    conf.set_default('processname', getattr(conf, 'prog', PROGRAM), group=GROUP)
    options = common.ConfigOptsProxy(conf, url, GROUP)[GROUP]
    if options.rabbit_stream_fanout and not (
        options.rabbit_qos_prefetch_count > 0 and options.rabbit_transient_quorum_queue
    ):
        raise exception.ConfigurationError(FANOUT)
    if options.use_queue_manager:
        _require_lock_folder()
        if not Path(f'/proc/{os.getpgrp()}').exists():
            # The library counts the processes of a group, and reads when its first one started. A
            # process that leads its own is number 1 of it, and takes the replies of no other.
            os.setpgid(0, 0)
            conf.set_override('processname', f'{options.processname}-{os.getpid()}', group=GROUP)


def _require_lock_folder() -> None:
    """Let the library have its locks between processes in a folder that no other user writes to."""
    configured = lockutils.get_lock_path(cfg.CONF)
    folder = Path(
        configured or os.path.join(tempfile.gettempdir(), f'heat-lite-locks-{os.getuid()}')
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise exception.ConfigurationError(LOCKS.format(error)) from None
    own = (stat.S_IFDIR | 0o700, os.getuid()) == (found.st_mode, found.st_uid)
    if not (os.access(folder, os.W_OK | os.X_OK) if configured else own):
        raise exception.ConfigurationError(LOCKS.format(folder))
    lockutils.set_defaults(str(folder))


def serialize(message: Values) -> Values:
    """Return the library's envelope of a message.

    Without the check for circular references, which takes as long as the rest of the serialization;
    a circular reference raises RecursionError.
    """
    text = jsonutils.dumps(message, check_circular=False)
    return {common._VERSION_KEY: common._RPC_ENVELOPE_VERSION, common._MESSAGE_KEY: text}


def install_fast_path(driver: base.BaseDriver) -> None:
    """Make a RabbitMQ driver use the fast path; do nothing for any other driver."""
    pool: Value = getattr(driver, '_connection_pool', None)
    connection_class = getattr(pool, 'connection_cls', None)
    if connection_class is not None and connection_class.__module__ == LIBRARY:
        common.serialize_msg = serialize
        pool.connection_cls = type('Connection', (Connection, connection_class), {})
