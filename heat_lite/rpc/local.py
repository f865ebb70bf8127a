"""An oslo.messaging driver for one process: ``local://``.

Here a message is a call: the sender's thread gives it to the executor of the server that it is for, so nothing polls and nothing is woken
twice. What is sent is turned into JSON and back, as any broker would have it, so both sides own what they hold. Names after the slashes
(``local:///name``) are separate worlds; without one all transports of the process meet.
"""

import collections
import itertools
import json
import queue
import threading
import time

import oslo_messaging
from oslo_messaging._drivers import base, common
from oslo_serialization import jsonutils

# Messages that wait for a listener to come; notifications that nobody ever wants must not fill the memory.
BACKLOG = 1000


class LocalDriver(base.BaseDriver):
    """The driver; oslo.messaging finds it by its entry point."""

    def __init__(self, conf, url, default_exchange=None, allowed_remote_exmods=None):
        super().__init__(conf, url, default_exchange, allowed_remote_exmods)
        self._broker = broker(url.virtual_host or '')

    def require_features(self, requeue=False):
        """All are there."""

    def send(
        self,
        target,
        ctxt,
        message,
        wait_for_reply=None,
        timeout=None,
        call_monitor_timeout=None,
        retry=None,
        transport_options=None,
    ):
        """Hand over a message, and where wanted wait for its reply."""
        caller = Caller() if wait_for_reply else None
        deadline = None if timeout is None else time.monotonic() + timeout
        incoming = Letter(_copy(ctxt), _copy(message), caller, deadline, call_monitor_timeout)
        address = (target.exchange or self._default_exchange, target.topic)
        mandatory = transport_options is not None and transport_options.at_least_once
        if target.fanout:
            delivered = self._broker.fanout(address, incoming)
        else:
            delivered = self._broker.send((*address, target.server), incoming, keep=not mandatory)
        if mandatory and not delivered:
            raise oslo_messaging.MessageUndeliverable(None, address[0], target.topic, message)
        return caller.wait(timeout, call_monitor_timeout, self._allowed_remote_exmods) if caller else None

    def send_notification(self, target, ctxt, message, version, retry=None):
        """Give a notification to one listener of each pool."""
        incoming = Letter(_copy(ctxt), _copy(message))
        self._broker.publish((target.exchange or self._default_exchange, target.topic), incoming)

    def listen(self, target, batch_size, batch_timeout):
        """Requests for a topic, for one server of it, and for all its servers."""
        address = (target.exchange or self._default_exchange, target.topic)
        return LocalListener(self._broker, [(*address, None), (*address, target.server)], address)

    def listen_for_notifications(self, targets_and_priorities, pool, batch_size, batch_timeout):
        """Notifications of some topics; listeners of one pool share them. They come one at a time, whatever the size of a batch."""
        topics = [(target.exchange or self._default_exchange, f'{target.topic}.{priority}') for target, priority in targets_and_priorities]
        return LocalListener(self._broker, [(*topic, ('pool', pool)) for topic in topics])

    def cleanup(self):
        """Nothing is held: listeners leave when they are stopped."""


class Broker:
    """Who listens where. An address is (exchange, topic, server or None or ('pool', name))."""

    def __init__(self):
        self._lock = threading.Lock()
        self._listeners = collections.defaultdict(list)
        self._turns = collections.defaultdict(itertools.count)
        self._fanouts = collections.defaultdict(list)
        self._waiting = collections.defaultdict(lambda: collections.deque(maxlen=BACKLOG))

    def attach(self, listener):
        """Let a listener have what comes, and what has been waiting."""
        with self._lock:
            for address in listener.addresses:
                self._listeners[address].append(listener)
            if listener.fanout:
                self._fanouts[listener.fanout].append(listener)
            waiting = [(address, letter) for address in listener.addresses for letter in self._waiting.pop(address, ())]
        for address, letter in waiting:
            self.send(address, letter)

    def detach(self, listener):
        """Give a listener nothing more."""
        with self._lock:
            for address in listener.addresses:
                self._listeners[address].remove(listener)
                if not self._listeners[address]:
                    del self._listeners[address]
                    self._turns.pop(address, None)
            if listener.fanout:
                self._fanouts[listener.fanout].remove(listener)

    def send(self, address, letter, keep=True):
        """Give a letter to one of the listeners, in turn; where there is none, ``keep`` it for one to come. Says whether one took it."""
        if letter.expired():
            return False
        letter = letter.to(self, address)
        while listener := self._next(address, letter if keep else None):
            if listener.take(letter):
                return True
        return False

    def fanout(self, topic, letter):
        """Give a letter to all servers of a topic."""
        with self._lock:
            listeners = list(self._fanouts.get(topic, ()))
        return any([listener.take(letter.copy()) for listener in listeners])

    def publish(self, topic, letter):
        """Give a letter to each pool of listeners, or keep it for the pool without a name."""
        with self._lock:
            pools = [address for address in self._listeners if address[:2] == topic and isinstance(address[2], tuple)]
        for address in pools or [(*topic, ('pool', None))]:
            self.send(address, letter.copy())

    def _next(self, address, to_keep):
        """Whose turn it is. Finding nobody and putting the letter aside is one step, or a listener that comes would miss it."""
        with self._lock:
            listeners = [listener for listener in self._listeners.get(address, ()) if not listener.stopped]
            if listeners:
                return listeners[next(self._turns[address]) % len(listeners)]
            if to_keep is not None:
                self._waiting[address].append(to_keep)
            return None


class LocalListener(base.Listener):
    """A server's ear: passes what comes to the server at once, in the thread of the sender."""

    def __init__(self, broker, addresses, fanout=None):
        super().__init__(batch_size=1, batch_timeout=None)
        self.addresses = addresses
        self.fanout = fanout
        self.stopped = True
        self._broker = broker
        self._lock = threading.Lock()

    def start(self, on_incoming_callback):
        """Begin to listen."""
        super().start(on_incoming_callback)
        self.stopped = False
        self._broker.attach(self)

    def take(self, letter):
        """Pass a letter on; False once stopped. Never while stopping: the server's executor ends after that."""
        with self._lock:
            if not self.stopped:
                self.on_incoming_callback([letter])
            return not self.stopped

    def stop(self):
        """Take nothing more."""
        with self._lock:
            if self.stopped:
                return
            self.stopped = True
        self._broker.detach(self)
        super().stop()

    def cleanup(self):
        """Stopping was all."""


class Letter(base.RpcIncomingMessage):
    """A message on its way, and how to answer it."""

    def __init__(self, ctxt, message, caller=None, deadline=None, client_timeout=None):
        super().__init__(ctxt, message, msg_id=id(self))
        self.caller = caller
        self.deadline = deadline
        self.client_timeout = client_timeout
        self._origin = None

    def to(self, broker, address):
        """The same letter, knowing where it would come back to."""
        self._origin = (broker, address)
        return self

    def copy(self):
        """A letter of the same text for another reader."""
        return Letter(_copy(self.ctxt), _copy(self.message), deadline=self.deadline)

    def expired(self):
        """Whether the caller has given up: then nobody shall do the work."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def reply(self, reply=None, failure=None):
        """Answer the caller, if it is one that waits."""
        if self.caller:
            failure = common.serialize_remote_exception(failure) if failure else None
            self.caller.answers.put(('end', None if failure else _copy(reply), failure))

    def heartbeat(self):
        """Tell the caller that the work goes on."""
        if self.caller:
            self.caller.answers.put(('alive', None, None))

    def requeue(self):
        """Give the letter back, as a reader of notifications may."""
        broker, address = self._origin
        broker.send(address, self)


class Caller:
    """Waits for the answer to one call."""

    def __init__(self):
        self.answers = queue.SimpleQueue()

    def wait(self, timeout, silence, known_modules):
        """The reply, or the failure raised. ``silence``: seconds without a sign of life after which to give up earlier."""
        deadline = None if timeout is None else time.monotonic() + timeout
        kind = None
        while kind != 'end':
            left = None if deadline is None else deadline - time.monotonic()
            kind, reply, failure = self._next(left if not silence else min(silence, left or silence))
        if failure:
            raise common.deserialize_remote_exception(failure, known_modules)
        return reply

    def _next(self, seconds):
        try:
            return self.answers.get(timeout=None if seconds is None else max(seconds, 0))
        except queue.Empty:
            raise oslo_messaging.MessagingTimeout('No reply came in time.') from None


_brokers: dict[str, Broker] = {}
_brokers_lock = threading.Lock()


def broker(name):
    """The broker of a name; the same for all that ask in this process."""
    with _brokers_lock:
        return _brokers.setdefault(name, Broker())


def _copy(value):
    # a circle is a RecursionError then, and looking for one would take as long as all the rest
    return json.loads(jsonutils.dumps(value, check_circular=False))
