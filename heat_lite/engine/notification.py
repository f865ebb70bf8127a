"""Notifications on the message bus, and the event sinks of environments.

Both are an Outbox, whose items a background thread sends, after the transaction that they report
has been committed.
"""

import dataclasses
import logging
import queue
import threading
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING

from heat_lite.clients import client_plugin
from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.engine.stack import format

if TYPE_CHECKING:
    from heat_lite.engine.resource.record import Journal
    from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
PUBLISHER = 'orchestration'
PHASES = {status.IN_PROGRESS: 'start', status.COMPLETE: 'end', status.FAILED: 'error'}
#: format version and type of the events that sinks receive, as in Heat
VERSION, EVENT = '0.1', 'os.heat.event'
#: length of an outbox; items beyond it are dropped
MOST_WAITING = 10000


class Outbox:
    """A queue whose items a background thread delivers one after the other.

    ``items`` and ``receiver`` name, for the log, what is queued and where it goes.
    """

    items: str
    receiver: str

    def __init__(self) -> None:
        self._waiting: queue.Queue = queue.Queue(MOST_WAITING)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, item: Value, name: str) -> None:
        """Queue ``item``. A full queue drops it; ``name`` is its name in the log."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._deliver_all, name=self.items, daemon=True
                )
                self._thread.start()
        try:
            self._waiting.put_nowait(item)
        except queue.Full:
            LOG.warning(
                '%s is dropped: %d %s wait for %s', name, MOST_WAITING, self.items, self.receiver
            )

    def stop(self, seconds: float) -> None:
        """Wait up to ``seconds`` for the queued items to be delivered."""
        if self._thread is None:
            return
        try:
            self._waiting.put(None, timeout=seconds)
            self._thread.join(seconds)
        except queue.Full:
            LOG.warning(
                '%d %s still wait for %s: they are dropped', MOST_WAITING, self.items, self.receiver
            )

    def _deliver_all(self) -> None:
        while (item := self._waiting.get()) is not None:
            self.deliver(item)

    def deliver(self, item: Value) -> None:
        """Deliver an item, and handle the errors of that."""
        raise NotImplementedError


# --------------- notifications on the message bus


class Notifications(Outbox):
    """Sends notifications through ``notifier``, oslo.messaging's.

    ``level`` is the priority of notifications except those of failures, which are errors.
    """

    items, receiver = 'notifications', 'the broker'

    def __init__(self, notifier: Value, level: str = 'INFO') -> None:
        super().__init__()
        self._notifier = notifier
        self._level = level.lower()

    def send(
        self, context: RequestContext, event_type: str, payload: Values, failed: bool = False
    ) -> None:
        """Queue a notification."""
        self.put((context, 'error' if failed else self._level, event_type, payload), event_type)

    def deliver(self, item: Value) -> None:
        context, level, event_type, payload = item
        try:
            getattr(self._notifier, level)(context, event_type, payload)
        except Exception:
            LOG.exception('The notification %s could not be sent: it is dropped', event_type)


def send_state(stack: 'Stack', journal: 'Journal') -> None:
    """Send the present state of the stack once the journal has committed it."""
    notifier = stack.runtime.notifier
    if notifier is None:
        return
    event_type = f'{PUBLISHER}.stack.{stack.action.lower()}.{PHASES[stack.status]}'
    payload = _payload(stack)
    failed = stack.status == status.FAILED
    journal.on_commit(lambda: notifier.send(stack.context, event_type, payload, failed))


def send_scaling(stack: 'Stack', phase: str, **details: Value) -> None:
    """Send the start, end or error (``phase``) of a change of a group's size.

    ``details`` are added to the payload of the stack: adjustment, adjustment_type, capacity,
    groupname, message.
    """
    notifier = stack.runtime.notifier
    if notifier is not None:
        message = stack.redact(details.pop('message', ''))
        notifier.send(
            stack.context,
            f'{PUBLISHER}.autoscaling.{phase}',
            {**_payload(stack), **details, 'message': message},
            failed=phase == PHASES[status.FAILED],
        )


def _payload(stack: 'Stack') -> Values:
    context = stack.context
    return {
        'tenant_id': stack.tenant,
        'user_id': context.username,
        'user_identity': context.user_id,
        'username': stack.username,
        'stack_identity': stack.id,
        'stack_name': stack.name,
        'state': f'{stack.action}_{stack.status}',
        'state_reason': stack.status_reason,
        'create_at': format.time(stack.created_at),
        'updated_at': format.time(stack.updated_at),
        'tags': list(stack.tags),
        'description': stack.template.description or 'No description',
    }


# --------------- event sinks


@dataclasses.dataclass
class ZaqarQueue:
    """Delivers events to a queue of the messaging service, which keeps them for ``ttl`` seconds."""

    target: str
    ttl: int = 3600

    def consume(self, context: 'client_plugin.RequestingContext', event: Values) -> None:
        context.clients.client('zaqar').post_message(self.target, event, self.ttl)


SINK_TYPES = {'zaqar-queue': ZaqarQueue}


class Sinks(Outbox):
    """The event sinks that an environment may name.

    ``types`` are those of plug-ins: ``{type: class}``, whose objects have ``consume(context,
    event)``.
    """

    items, receiver = 'events', 'their sinks'

    def __init__(self, types: Mapping[str, type] | None = None) -> None:
        super().__init__()
        self._types = {**SINK_TYPES, **(types or {})}

    def send(self, stack: 'Stack', journal: 'Journal', **payload: Value) -> None:
        """Queue an event for the sinks of the stack's environment, once it is committed."""
        wanted = stack.template.environment.event_sinks
        event = {
            'timestamp': stack.utcnow().isoformat(),
            'version': VERSION,
            'type': EVENT,
            'id': str(uuid.uuid4()),
            'payload': {'stack_id': stack.id, 'version': VERSION, **payload},
        }
        item = stack.context, stack.clients(), wanted, event
        journal.on_commit(lambda: self.put(item, 'An event'))

    def deliver(self, item: Value) -> None:
        context, clients, wanted, event = item
        for sink in wanted:
            self._consume(dict(sink), client_plugin.RequestingContext(context, clients), event)

    def _consume(
        self, options: Values, context: 'client_plugin.RequestingContext', event: Values
    ) -> None:
        type_name = options.pop('type')
        try:
            self._types[type_name](**options).consume(context, event)
        except Exception as error:
            # A user names the sink, so its refusal is no fault of the service.
            refused = isinstance(error, exception.HeatException | TypeError | ValueError)
            LOG.log(
                logging.WARNING if refused else logging.ERROR,
                'An event of stack %s could not be delivered to its sink %s: it is dropped there'
                ' (%s)',
                event['payload']['stack_id'],
                type_name,
                error,
                exc_info=not refused,
            )
