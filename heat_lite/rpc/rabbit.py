"""The shorter way through oslo.messaging's driver for RabbitMQ, while nothing is wrong.

For each message the library makes ready for a broker that goes away: closures, a class, a loop of attempts. And between two messages it
looks every few milliseconds for what might have to be acknowledged, although requests and replies are acknowledged as they come. The two
were four tenths of an engine's CPU for a request that reads nothing.
"""

import contextlib
import itertools
import os

from oslo_messaging._drivers import common
from oslo_serialization import jsonutils

# seconds that a thread waits for the next message at least; what comes wakes it at once, only to be stopped it has to look up
PATIENCE = 0.25
LIBRARY = 'oslo_messaging._drivers.impl_rabbit'


class Connection:
    """Mixed into the library's connection, in front of it."""

    def ensure(self, method, *args, **kwargs):
        """Call the method; where it fails, that is the first attempt of the library, which knows what to do next."""
        if self.channel is None or self._initial_pid != os.getpid():
            return super().ensure(method, *args, **kwargs)
        try:
            return method()
        except Exception as error:
            attempts = itertools.chain([_raising(error)], itertools.repeat(method))
        return super().ensure(lambda: next(attempts)(), *args, **kwargs)

    def consume(self, timeout=None):
        """Wait for messages; raises the library's Timeout when there is none for that long, or a little longer."""
        return super().consume(None if timeout is None else max(timeout, PATIENCE))

    def _transport_socket_timeout(self, timeout):
        """What a socket may wait while a message is sent. Most of the time that is what it may wait anyway."""
        if self._heartbeat_supported_and_enabled() and (timeout is None or timeout >= self.heartbeat_timeout_threshold):
            return contextlib.nullcontext()
        return super()._transport_socket_timeout(timeout)


def _raising(error):
    def attempt():
        raise error

    return attempt


def serialize(message):
    """The library's envelope. It would look for circles in what is sent, which takes as long as all the rest; a circle fails so, too."""
    text = jsonutils.dumps(message, check_circular=False)
    return {common._VERSION_KEY: common._RPC_ENVELOPE_VERSION, common._MESSAGE_KEY: text}


def quicken(driver):
    """Have a driver go this way from now on; one that is none of RabbitMQ stays as it is."""
    pool = getattr(driver, '_connection_pool', None)
    made = getattr(pool, 'connection_cls', None)
    if made is not None and made.__module__ == LIBRARY:
        common.serialize_msg = serialize
        pool.connection_cls = type('Connection', (Connection, made), {})
