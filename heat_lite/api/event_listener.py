"""One listener of events: what it wants, and the messages that it has not taken yet."""

import collections
import threading
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from heat_lite.api.v1 import views
from heat_lite.common import status
from heat_lite.common.event_cursor import EventCursor
from heat_lite.common.value_texts import to_json
from heat_lite.common.value_types import Value, Values

#: messages that wait for one listener; beyond them it is too slow
MAX_WAITING = 6000
STACK_TYPE = 'OS::Heat::Stack'
TOO_SLOW = 'The events come faster than they are read. Continue with the header Last-Event-ID.'


class Scope(NamedTuple):
    """The events that a listener wants.

    ``stack_id``: None for all stacks of the project. ``depth``: levels of nested stacks below.
    ``filters``: the wanted values by the key of an event. ``tags``: all those that the top-level
    stack must have. ``until_complete``: whether the stream ends with the action of the stack.
    """

    project: str
    stack_id: str | None
    depth: int
    filters: Mapping[str, Collection[str]]
    tags: frozenset[str]
    until_complete: bool

    def includes(self, row: Values) -> bool:
        """Return whether an event is wanted."""
        lineage = row['lineage']
        if self.stack_id is None:
            if row['stack_identity']['tenant'] != self.project or len(lineage) - 1 > self.depth:
                return False
        elif self.stack_id not in lineage or lineage.index(self.stack_id) > self.depth:
            return False
        if not self.tags <= set(row['tags']):
            return False
        return all(row[key] in wanted for key, wanted in self.filters.items())

    def is_end(self, row: Values) -> bool:
        """Return whether an event is the end of the stack itself."""
        return (
            self.stack_id is not None
            and row['lineage'][0] == row['physical_resource_id'] == self.stack_id
            and row['resource_type'] == STACK_TYPE
            and (row['resource_action'], row['resource_status']) == (status.DELETE, status.COMPLETE)
        )


class FeedEvent:
    """A new event, whose message is made once for all listeners that use one URL."""

    def __init__(self, row: Values, cursor: EventCursor) -> None:
        self.row = row
        self.cursor = cursor
        self._messages: dict[str, bytes] = {}

    def message(self, base: str, cursor: EventCursor) -> bytes:
        """Return the message for a client; its links begin with ``base``."""
        if cursor != self.cursor:
            return message('event', event_data(base, self.row), cursor)
        found = self._messages.get(base)
        if found is None:
            found = message('event', event_data(base, self.row), self.cursor)
            self._messages[base] = found
        return found


class News(Protocol):
    """An event of ``threading``, or of the server."""

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self, timeout: float | None = None) -> bool: ...


class EventListener:
    """The messages for one client. Other threads add to it; the thread of the client takes."""

    def __init__(self, scope: Scope, base: str) -> None:
        self.scope = scope
        #: the URL of the request, which itself ends with its connection, before the feed knows it
        self.base = base
        #: the position of the client: a process that is behind must not repeat events
        self.after: EventCursor | None = None
        #: the events that the feed has read before; None until the feed knows the listener
        self.joined: EventCursor | None = None
        #: all events up to it are among the messages; None while the feed adds some
        self.position: EventCursor | None = None
        #: set when the feed knows the listener, or the stream has ended before
        self.has_joined = threading.Event()
        #: whether the feed has looked at the state of the stack since the listener joined
        self.checked = False
        self.ended = False
        self._waiting: collections.deque[bytes] = collections.deque()
        self._added: News = threading.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def seen(self, cursor: EventCursor) -> EventCursor:
        """Return the cursor of what the client has seen of this process and of others."""
        return cursor if self.after is None else cursor.merged(self.after)

    def offer(self, events: Iterable[FeedEvent]) -> None:
        """Add the messages of those events that are wanted."""
        for event in events:
            if self.ended:
                return
            if self.after is not None and self.after.covers(event.row['number']):
                continue
            if self.scope.includes(event.row):
                self._waiting.append(event.message(self.base, self.seen(event.cursor)))
                self._added.set()
            if self.scope.is_end(event.row):
                self.end(complete(event.row))
        if len(self._waiting) > MAX_WAITING:
            self.cut_off()

    def cut_off(self, reason: str = TOO_SLOW) -> None:
        """Drop what waits and end the stream: the client continues where it has stopped."""
        # a new queue: the thread of the client may take from the former one now
        self._waiting = collections.deque([error(503, reason)])
        self._set_ended()

    def end(self, last: bytes) -> None:
        """End the stream with a message."""
        if not self.ended:
            self._waiting.append(last)
            self._set_ended()

    def _set_ended(self) -> None:
        """Note the end, after its message: a stream that has ended and has none is closed."""
        self.ended = True
        self._added.set()
        self.has_joined.set()

    def attach(self, news: News) -> None:
        """Have ``news``, an event, set for each message from now on."""
        self._added = news
        if self._waiting:  # those that were added before
            news.set()

    def take(self, seconds: float) -> bytes:
        """Return the messages that wait, together; nothing after ``seconds`` without one."""
        self._added.wait(seconds)
        self._added.clear()
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return b''.join(taken)


def event_data(base: str, row: Values) -> Values:
    """Return the data of a message: the event as a list shows it, its type and its stack."""
    lineage = row['lineage']
    return {
        **views.event(base, row),
        'resource_type': row['resource_type'],
        'stack_name': row['stack_name'],
        'stack_id': lineage[0],
        'parent_stack_id': lineage[1] if len(lineage) > 1 else None,
        'root_stack_id': lineage[-1],
        'depth': len(lineage) - 1,
    }


def message(kind: str, data: Value, cursor: EventCursor | None = None) -> bytes:
    """Return a message of Server-Sent Events."""
    number = '' if cursor is None else f'id: {cursor}\n'
    return f'{number}event: {kind}\ndata: {to_json(data)}\n\n'.encode()


def error(code: int, text: str) -> bytes:
    """Return the last message of a stream that ends before its time."""
    return message('error', {'code': code, 'message': text})


def complete(row: Values) -> bytes:
    """Return the last message of the stream of a stack, from its last event."""
    return message(
        'complete',
        {
            'stack_id': row['stack_identity']['stack_id'],
            'stack_status': views.status(row, 'resource'),
            'stack_status_reason': row['resource_status_reason'],
        },
    )


def complete_state(state: list[Value]) -> bytes:
    """Return the last message from the state of a stack: id, action, status, reason, engine."""
    stack_id, action, state_, reason, _ = state
    return message(
        'complete',
        {
            'stack_id': stack_id,
            'stack_status': f'{action}_{state_}',
            'stack_status_reason': reason,
        },
    )
