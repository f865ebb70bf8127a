"""The contract of a remote object, one line a method::

    show_stack = call('show_stack', '1.20', 'stack_identity', resolve_outputs=True)

names the method, the version that knows it, what must be given, and what is sent where nothing is given. Arguments go by name.
"""

import functools
import time

import oslo_messaging

from heat_lite.common import exception
from heat_lite.rpc import errors, messaging

# As a default: an argument that is sent only where it is given.
ABSENT = object()

# Attempts to reach the broker before a request is given up; without a limit a request would hang as long as the broker is away.
RETRY = 3
# seconds between two looks for an engine that is not there yet
PAUSE = 0.1


def call(name, version='1.0', *required, **defaults):
    """A method that answers."""
    return Method(name, version, required, defaults, answers=True)


def cast(name, version='1.0', *required, **defaults):
    """A method that is told and not waited for."""
    return Method(name, version, required, defaults, answers=False)


class Method:
    """One line of a contract; reached through an object it is that object's method."""

    def __init__(self, name, version, required, defaults, answers):
        self.name = name
        self.version = version
        self.required = required
        self.defaults = defaults
        self.answers = answers

    def __get__(self, remote, owner=None):
        return self if remote is None else functools.partial(remote.invoke, self)

    def arguments(self, given):
        """What is sent: everything named in the contract, and nothing else."""
        sent = {**self.defaults, **given}
        missing = [name for name in self.required if name not in sent]
        unknown = [name for name in sent if name not in self.defaults and name not in self.required]
        if missing or unknown:
            raise TypeError(f'{self.name}: missing {missing}, unknown {unknown}')
        return {name: value for name, value in sent.items() if value is not ABSENT}


class Remote:
    """Base of remote objects: a topic, or one server of it.

    The transport is looked up when first called, so that these may be made before ``messaging.setup``, and before a fork.
    """

    topic: str
    retry: int | None = RETRY
    # fail at once where nobody has ever listened, instead of sending what is lost and waiting for its answer
    mandatory = False
    # and then try again until the timeout: someone may just be starting
    patient = False

    def __init__(self, server=None, timeout=None):
        self.server = server
        self.timeout = timeout
        self._callers = {}

    def invoke(self, method, context, /, **given):
        """Call or cast a method of the contract."""
        return self.deliver(method, context, method.arguments(given))

    def deliver(self, method, context, args, answers=None, timeout=None):
        """The same with an own choice of waiting, and for how long. Errors of the other side are raised here as they were there."""
        caller = self._caller(method.version, timeout or self.timeout)
        send = caller.call if (method.answers if answers is None else answers) else caller.cast
        try:
            messaging.reach()
            return self._send(send, context, method, args, caller)
        except oslo_messaging.RemoteError as remote:
            raise errors.unpack(remote, method.name) from None
        except oslo_messaging.MessagingTimeout:
            raise self._timed_out(method, caller) from None
        except Exception as failure:
            if not _is_of_the_broker(failure):
                raise
            raise exception.ServiceUnavailable(reason=f'the message broker does not answer ({failure})') from failure

    def _send(self, send, context, method, args, caller):
        end = time.monotonic() + _seconds(caller)
        while True:
            try:
                return send(context, method.name, **args)
            except oslo_messaging.MessageUndeliverable:
                if not self.patient:
                    raise
                if time.monotonic() > end:
                    raise self._timed_out(method, caller) from None
            time.sleep(PAUSE)

    def _timed_out(self, method, caller):
        return exception.EngineTimeout(engine=self.server or self.topic, method=method.name, seconds=_seconds(caller))

    def _caller(self, version, timeout):
        # preparing a caller costs some 20 us; there are few versions and timeouts
        key = (messaging.transport, version, timeout)
        if key not in self._callers:
            self._callers = {known: caller for known, caller in self._callers.items() if known[0] is messaging.transport}
            self._callers[key] = messaging.client(self.topic, self.server, version, timeout, self.retry, self.mandatory)
        return self._callers[key]


def _seconds(caller):
    return caller.conf.rpc_response_timeout if caller.timeout is None else caller.timeout


def _is_of_the_broker(failure):
    """Whether a failure is one of reaching the broker: oslo.messaging lets some of the libraries below it through."""
    return isinstance(failure, (oslo_messaging.MessageDeliveryFailure, OSError)) or type(failure).__module__.startswith(('kombu', 'amqp'))
