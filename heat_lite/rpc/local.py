"""An oslo.messaging driver for one process: ``local://``.

A message is a function call: the thread of the sender submits it to the executor of the receiving
server, so no thread polls. A message is serialized to JSON and back, as a broker would do it, so
sender and receiver share no objects. The name after the slashes (``local:///name``) selects a
separate broker; all transports of the process without a name share one.
"""

import collections
import itertools
import json
import queue
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence

import oslo_messaging
from oslo_config import cfg
from oslo_messaging._drivers import base, common
from oslo_serialization import jsonutils

from heat_lite.common.value_types import Value, Values

# Messages that are kept for an address without a listener. The limit bounds the memory that unread
# notifications take.
BACKLOG = 1000

ExcInfo = tuple[type[BaseException], BaseException, types.TracebackType | None]
Topic = tuple[str, str]  # exchange, topic
Address = tuple  # exchange, topic, and a server name, None or ('pool', name)


class LocalDriver(base.BaseDriver):
    """The driver, registered as an entry point of oslo.messaging."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        url: oslo_messaging.TransportURL,
        default_exchange: str | None = None,
        allowed_remote_exmods: Sequence[str] | None = None,
    ) -> None:
        super().__init__(conf, url, default_exchange, allowed_remote_exmods)
        self._broker = broker(url.virtual_host or '')

    def require_features(self, requeue: bool = False) -> None:
        """Accept any request: the driver has all optional features."""

    def send(
        self,
        target: oslo_messaging.Target,
        ctxt: Values,
        message: Values,
        wait_for_reply: bool | None = None,
        timeout: float | None = None,
        call_monitor_timeout: float | None = None,
        retry: int | None = None,
        transport_options: oslo_messaging.TransportOptions = None,
    ) -> Value:
        """Deliver a message; with ``wait_for_reply`` return its reply."""
        pending = PendingReply() if wait_for_reply else None
        deadline = None if timeout is None else time.monotonic() + timeout
        incoming = Message(_copy(ctxt), _copy(message), pending, deadline, call_monitor_timeout)
        topic = (target.exchange or self._default_exchange, target.topic)
        mandatory = transport_options is not None and transport_options.at_least_once
        if target.fanout:
            delivered = self._broker.fanout(topic, incoming)
        else:
            delivered = self._broker.send((*topic, target.server), incoming, keep=not mandatory)
        if mandatory and not delivered:
            raise oslo_messaging.MessageUndeliverable(None, topic[0], target.topic, message)
        if pending is None:
            return None
        return pending.wait(timeout, call_monitor_timeout, self._allowed_remote_exmods)

    def send_notification(
        self,
        target: oslo_messaging.Target,
        ctxt: Values,
        message: Values,
        version: float,
        retry: int | None = None,
    ) -> None:
        """Deliver a notification to one listener of each pool."""
        incoming = Message(_copy(ctxt), _copy(message))
        self._broker.publish((target.exchange or self._default_exchange, target.topic), incoming)

    def listen(
        self, target: oslo_messaging.Target, batch_size: int, batch_timeout: float | None
    ) -> 'LocalListener':
        """Listen for requests to a topic, to one server of it, and to all its servers."""
        topic = (target.exchange or self._default_exchange, target.topic)
        return LocalListener(self._broker, [(*topic, None), (*topic, target.server)], topic)

    def listen_for_notifications(
        self,
        targets_and_priorities: Sequence[tuple[oslo_messaging.Target, str]],
        pool: str | None,
        batch_size: int,
        batch_timeout: float | None,
    ) -> 'LocalListener':
        """Listen for notifications of some topics; the listeners of a pool share them.

        Notifications are delivered one at a time, whatever ``batch_size`` is.
        """
        topics = [
            (target.exchange or self._default_exchange, f'{target.topic}.{priority}')
            for target, priority in targets_and_priorities
        ]
        return LocalListener(self._broker, [(*topic, ('pool', pool)) for topic in topics])

    def cleanup(self) -> None:
        """Do nothing: the driver holds no resources, and listeners detach when stopped."""


class Broker:
    """The listeners of each address, and the messages that wait for a listener."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[Address, list[LocalListener]] = collections.defaultdict(list)
        self._turns: dict[Address, Iterator[int]] = collections.defaultdict(itertools.count)
        self._fanouts: dict[Topic, list[LocalListener]] = collections.defaultdict(list)
        self._backlog: dict[Address, collections.deque[Message]] = collections.defaultdict(
            lambda: collections.deque(maxlen=BACKLOG)
        )

    def attach(self, listener: 'LocalListener') -> None:
        """Add a listener and deliver the backlog of its addresses."""
        with self._lock:
            for address in listener.addresses:
                self._listeners[address].append(listener)
            if listener.fanout:
                self._fanouts[listener.fanout].append(listener)
            backlog = [
                (address, message)
                for address in listener.addresses
                for message in self._backlog.pop(address, ())
            ]
        for address, message in backlog:
            self.send(address, message)

    def detach(self, listener: 'LocalListener') -> None:
        """Remove a listener."""
        with self._lock:
            for address in listener.addresses:
                self._listeners[address].remove(listener)
                if not self._listeners[address]:
                    del self._listeners[address]
                    self._turns.pop(address, None)
            if listener.fanout:
                self._fanouts[listener.fanout].remove(listener)

    def send(self, address: Address, message: 'Message', keep: bool = True) -> bool:
        """Deliver a message to one listener, round robin; return whether one accepted it.

        If there is no listener, ``keep`` the message in the backlog.
        """
        if message.expired():
            return False
        message.origin = self, address
        while listener := self._next_listener(address, message if keep else None):
            if listener.deliver(message):
                return True
        return False

    def fanout(self, topic: Topic, message: 'Message') -> bool:
        """Deliver a message to all servers of a topic; return whether one accepted it."""
        with self._lock:
            listeners = list(self._fanouts.get(topic, ()))
        return any([listener.deliver(message.copy()) for listener in listeners])

    def publish(self, topic: Topic, message: 'Message') -> None:
        """Deliver a message to each pool; if there is none, keep it for the unnamed pool."""
        with self._lock:
            pools = [
                address
                for address in self._listeners
                if address[:2] == topic and isinstance(address[2], tuple)
            ]
        for address in pools or [(*topic, ('pool', None))]:
            self.send(address, message.copy())

    def _next_listener(self, address: Address, to_keep: 'Message | None') -> 'LocalListener | None':
        """Return the next listener of an address in turn; if there is none, keep the message.

        Both happen under one lock; otherwise a listener that attaches in between would miss it.
        """
        with self._lock:
            listeners = [
                listener for listener in self._listeners.get(address, ()) if not listener.stopped
            ]
            if listeners:
                return listeners[next(self._turns[address]) % len(listeners)]
            if to_keep is not None:
                self._backlog[address].append(to_keep)
            return None


class LocalListener(base.Listener):
    """The listener of a server: it passes messages to the server in the thread of the sender."""

    def __init__(
        self, broker: Broker, addresses: Sequence[Address], fanout: Topic | None = None
    ) -> None:
        super().__init__(batch_size=1, batch_timeout=None)
        self.addresses = addresses
        self.fanout = fanout
        self.stopped = True
        self._broker = broker
        self._lock = threading.Lock()

    def start(self, on_incoming_callback: Callable[[list['Message']], object]) -> None:
        """Start to accept messages."""
        super().start(on_incoming_callback)
        self.stopped = False
        self._broker.attach(self)

    def deliver(self, message: 'Message') -> bool:
        """Pass a message to the server; return False once stopped.

        The lock keeps ``stop`` from returning meanwhile: the executor is shut down after it.
        """
        with self._lock:
            if not self.stopped:
                self.on_incoming_callback([message])
            return not self.stopped

    def stop(self) -> None:
        """Stop to accept messages."""
        with self._lock:
            if self.stopped:
                return
            self.stopped = True
        self._broker.detach(self)
        super().stop()

    def cleanup(self) -> None:
        """Do nothing: ``stop`` has detached the listener."""


class Message(base.RpcIncomingMessage):
    """A request or notification in delivery, with the means to reply."""

    def __init__(
        self,
        ctxt: Values,
        message: Values,
        pending: 'PendingReply | None' = None,
        deadline: float | None = None,
        client_timeout: float | None = None,
    ) -> None:
        super().__init__(ctxt, message, msg_id=id(self))
        self.pending = pending
        self.deadline = deadline
        self.client_timeout = client_timeout
        #: the address to which ``requeue`` sends it
        self.origin: tuple[Broker, Address] | None = None

    def copy(self) -> 'Message':
        """Return a one-way copy for another listener."""
        return Message(_copy(self.ctxt), _copy(self.message), deadline=self.deadline)

    def expired(self) -> bool:
        """Return whether the caller has timed out; its request is dropped then."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def reply(self, reply: Value = None, failure: ExcInfo | None = None) -> None:
        """Send the result or the failure to the caller, if it waits for a reply."""
        if self.pending:
            failure = common.serialize_remote_exception(failure) if failure else None
            result = None if failure else _copy(reply)
            self.pending.replies.put(('end', result, failure))

    def heartbeat(self) -> None:
        """Inform the caller that the request is still in progress."""
        if self.pending:
            self.pending.replies.put(('alive', None, None))

    def requeue(self) -> None:
        """Return a notification to its topic."""
        if self.origin is not None:
            broker, address = self.origin
            broker.send(address, self)


class PendingReply:
    """The caller's side of a call in progress."""

    def __init__(self) -> None:
        self.replies: queue.SimpleQueue[tuple[str, Value, str | None]] = queue.SimpleQueue()

    def wait(
        self, timeout: float | None, heartbeat_timeout: float | None, known_modules: Sequence[str]
    ) -> Value:
        """Return the reply, or raise the failure.

        ``timeout`` and ``heartbeat_timeout`` are the seconds to wait in all, and since the last
        heartbeat. Raises MessagingTimeout after either.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        kind, reply, failure = None, None, None
        while kind != 'end':
            left = None if deadline is None else deadline - time.monotonic()
            kind, reply, failure = self._next(
                left if not heartbeat_timeout else min(heartbeat_timeout, left or heartbeat_timeout)
            )
        if failure:
            raise common.deserialize_remote_exception(failure, known_modules)
        return reply

    def _next(self, seconds: float | None) -> tuple[str, Value, str | None]:
        try:
            return self.replies.get(timeout=None if seconds is None else max(seconds, 0))
        except queue.Empty:
            raise oslo_messaging.MessagingTimeout('No reply came in time.') from None


_brokers: dict[str, Broker] = {}
_brokers_lock = threading.Lock()


def broker(name: str) -> Broker:
    """Return the broker of a name, one for each name in the process."""
    with _brokers_lock:
        return _brokers.setdefault(name, Broker())


def _copy(value: Value) -> Value:
    # Without the check for circular references, which takes as long as the rest of the
    # serialization; a circular reference raises RecursionError.
    return json.loads(jsonutils.dumps(value, check_circular=False))
