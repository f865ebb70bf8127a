"""New events for all listeners of an API process, read once for all of them.

Engines tell the processes with listeners of new events. A lost message costs READ_SECONDS.
"""

import collections
import contextlib
import dataclasses
import logging
import threading
import time
import weakref
from collections.abc import Iterable

from heat_lite.api.event_listener import EventListener, FeedEvent, complete_state, error
from heat_lite.common import context as request_context, event_cursor, exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.event_cursor import EventCursor
from heat_lite.common.event_pace import EventPace
from heat_lite.common.value_types import Value, Values
from heat_lite.rpc import api, event_stream, messaging
from heat_lite.rpc.client import EngineClient

LOG = logging.getLogger(__name__)

#: seconds between two reads without news
READ_SECONDS = 3.0
#: seconds for which engines announce events, and after which the announcement is renewed
LEASE_SECONDS, RENEW_SECONDS = 30, 10
#: Seconds after which no transaction that has taken an id commits: the database ends one that is
#: idle for 10 seconds, or waits for a lock for 50.
SETTLE_SECONDS = 65
JOIN_SECONDS = 10
#: seconds without listeners after which the thread ends
IDLE_SECONDS = 30
#: messages that wait for all listeners of the process
MAX_WAITING = 500_000
#: why a stream ends, or is refused, and what its client has to do
STOPPING = 'This process of the API stops. Continue with the header Last-Event-ID.'
GIVEN_AWAY = 'The stream gives its place to another project. Reconnect later.'

_feeds: 'weakref.WeakSet[EventFeed]' = weakref.WeakSet()


def count() -> int:
    """Return the number of open streams of this process."""
    return sum(len(feed._open()) for feed in list(_feeds))


def stop_all(seconds: float) -> None:
    """End the streams of this process, and wait until their clients know it."""
    for feed in list(_feeds):
        feed.stop(seconds)


@dataclasses.dataclass
class StreamLimits:
    """The number of streams of a process, and of one project."""

    total: int
    of_project: int
    #: the total under a WSGI server whose threads the streams occupy
    of_other_servers: int


class EventFeed:
    """The listeners of this process and the cursor up to which they have all events.

    Listeners join between two reads, because a read is for those that are known at its begin.
    """

    def __init__(self, client: EngineClient, limits: StreamLimits) -> None:
        self._client = client
        self._limits = limits
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._server: messaging.Server | None = None
        self._news = threading.Event()
        self._cursor: EventCursor | None = None
        #: (time, greatest id at that time): holes below are settled after SETTLE_SECONDS
        self._seen: collections.deque[tuple[float, int]] = collections.deque()
        self._listeners: set[EventListener] = set()
        self._joining: set[EventListener] = set()
        #: those that gave their place up, and whose connections are still open
        self._leaving: set[EventListener] = set()
        self._renew_at = 0.0
        self._stopped = False
        _feeds.add(self)

    # ------------------------------------------------------------ listeners

    def open(self, listener: EventListener, has_thread: bool) -> None:
        """Add a listener; it gets all events after ``listener.joined``.

        ``has_thread``: whether it occupies a thread of the server. Raises ServiceUnavailable.
        """
        with self._guard:
            self._make_room(listener, has_thread)
            self._joining.add(listener)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name='events', daemon=True)
                self._thread.start()
        self._news.set()
        listener.has_joined.wait(JOIN_SECONDS)
        if listener.joined is None:
            self.close(listener)
            raise exception.ServiceUnavailable(reason=self._why_not_joined(listener))

    def _why_not_joined(self, listener: EventListener) -> str:
        if self._stopped:
            return STOPPING
        return GIVEN_AWAY if listener.ended else 'no engine has sent the newest events'

    def close(self, listener: EventListener) -> None:
        """Remove a listener; one that was removed before is ignored."""
        with self._guard:
            self._joining.discard(listener)
            self._listeners.discard(listener)
            self._leaving.discard(listener)

    def _make_room(self, listener: EventListener, has_thread: bool) -> None:
        """Raise ServiceUnavailable at the limits; a project with most streams gives one up."""
        if self._stopped:
            raise exception.ServiceUnavailable(reason=STOPPING)
        counts = collections.Counter(each.scope.project for each in self._open())
        mine = counts[listener.scope.project]
        if mine >= self._limits.of_project:
            raise exception.ServiceUnavailable(
                reason=f'the project has {mine} streams of events of this process; close one, or '
                'list the events instead'
            )
        total = self._limits.of_other_servers if has_thread else self._limits.total
        if counts.total() < total:
            return
        project, most = counts.most_common(1)[0] if counts else ('', 0)
        # A client that does not read keeps its thread.
        if most < mine + 2 or (has_thread and self._leaving):
            raise exception.ServiceUnavailable(
                reason=f'this process of the API has {counts.total()} streams of events; list the '
                'events instead, or try again later'
            )
        victim = next(each for each in self._open() if each.scope.project == project)
        victim.end(error(503, GIVEN_AWAY))
        self._joining.discard(victim)
        self._listeners.discard(victim)
        self._leaving.add(victim)

    def _open(self) -> list[EventListener]:
        return [*self._listeners, *self._joining]

    def stop(self, seconds: float) -> None:
        """End all streams, and wait until they have ended, at most ``seconds``."""
        with self._guard:
            self._stopped = True
            listeners = self._open()
        for listener in listeners:
            listener.end(error(503, STOPPING))
        self._news.set()
        end = time.monotonic() + seconds
        while self._open() and time.monotonic() < end:
            time.sleep(0.02)
        if self._server is not None:
            self._server.stop()

    # ------------------------------------------------------------ news of engines

    def events_written(self, context: RequestContext, projects: list[str]) -> None:
        """Read if there are listeners in one of these projects (called by RPC)."""
        if {each.scope.project for each in list(self._listeners)} & {*projects}:
            self._news.set()

    def _listen(self) -> None:
        """Have messages of engines call ``events_written``. Without them the feed only polls."""
        if self._server is None:
            name = f'api-{id(self):x}-{time.time_ns():x}'
            self._server = messaging.serve(api.EVENTS_TOPIC, name, [_Endpoint(self)], pool_size=1)
            self._server.start()

    def _renew_lease(self) -> None:
        now = time.monotonic()
        if now >= self._renew_at:
            self._renew_at = now + RENEW_SECONDS
            event_stream.lease(LEASE_SECONDS)

    # ------------------------------------------------------------ reads

    def _run(self) -> None:
        idle_since = time.monotonic()
        pace = EventPace()
        while not self._stopped:
            self._news.wait(READ_SECONDS)
            self._news.clear()
            try:
                self._listen()
                if self._open():
                    self._renew_lease()
                self._turn()
            except Exception as failure:  # nothing is lost: the cursor stays
                LOG.warning('New events cannot be read; the next attempt follows: %s', failure)
                time.sleep(1)
            with self._guard:
                if self._open():
                    idle_since = time.monotonic()
                elif time.monotonic() - idle_since > IDLE_SECONDS:
                    self._thread = None
                    self._cursor = None
                    return
            time.sleep(pace.next_pause())

    def _turn(self) -> None:
        """Read all new events for the listeners, then let new listeners join."""
        if self._cursor is None:
            reply = self._read(None, [])
            self._advance(event_cursor.from_wire(reply['cursor']))
            self._seen.clear()
        else:
            while self._read_page():
                pass
        self._join()

    def _read_page(self) -> bool:
        """Read one page of events and give it to the listeners; return whether there are more."""
        with self._guard:
            listeners = list(self._listeners)
        cursor = self._cursor
        if cursor is None:
            return False
        reply = self._read(cursor, listeners)
        following = event_cursor.from_wire(reply['cursor'])
        rows = reply['events']
        cursors = cursor.through([row['number'] for row in rows], following)
        events = [FeedEvent(row, each) for row, each in zip(rows, cursors, strict=True)]
        for listener in listeners:
            # A client that has taken the new events must not be told the former position.
            listener.position = None
            if events:
                listener.offer(events)
            listener.position = following
        if not reply['behind']:
            self._end_complete(listeners, reply['states'])
        self._advance(following)
        self._cut_fullest(listeners)
        return reply['more']

    def _read(self, cursor: EventCursor | None, listeners: list[EventListener]) -> Values:
        scopes = [each.scope for each in listeners]
        return self._client.read_new_events(
            request_context.admin_context(),
            after=None if cursor is None else event_cursor.to_wire(cursor),
            stack_ids=sorted({each.stack_id for each in scopes if each.stack_id}),
            projects=sorted({each.project for each in scopes if not each.stack_id}),
            watched=sorted(
                {
                    each.scope.stack_id
                    for each in listeners
                    if each.scope.stack_id and (each.scope.until_complete or not each.checked)
                }
            ),
            with_tags=any(each.tags for each in scopes),
        )

    def _advance(self, cursor: EventCursor) -> None:
        now = time.monotonic()
        if not self._seen or self._seen[-1][1] != cursor.top:
            self._seen.append((now, cursor.top))
        settled = 0
        while self._seen and self._seen[0][0] <= now - SETTLE_SECONDS:
            settled = self._seen.popleft()[1]
        if settled:
            self._seen.appendleft((now - SETTLE_SECONDS, settled))
        self._cursor = cursor.settled(settled)

    def _end_complete(
        self, listeners: Iterable[EventListener], states: dict[str, list[Value]]
    ) -> None:
        """End the streams of stacks that are deleted, or whose action has ended if asked for."""
        for listener in listeners:
            scope = listener.scope
            state = states.get(scope.stack_id or '')
            if state is None or listener.ended:
                continue
            listener.checked = True
            _, action, outcome, _, engine_id = state
            is_gone = (action, outcome) == (status.DELETE, status.COMPLETE)
            has_ended = outcome != status.IN_PROGRESS and engine_id is None
            if is_gone or (scope.until_complete and has_ended):
                listener.end(complete_state(state))

    def _join(self) -> None:
        with self._guard:
            joining, self._joining = self._joining, set()
            self._listeners |= joining
            for listener in joining:
                listener.joined = listener.position = self._cursor
                listener.has_joined.set()
        if any(each.scope.stack_id for each in joining):
            self._news.set()  # to look at the states of their stacks

    def _cut_fullest(self, listeners: list[EventListener]) -> None:
        while sum(map(len, listeners)) > MAX_WAITING:
            with contextlib.suppress(ValueError):
                max(listeners, key=len).cut_off()


class _Endpoint:
    """What engines may call."""

    def __init__(self, feed: EventFeed) -> None:
        self._feed = weakref.proxy(feed)

    def events_written(self, context: RequestContext, projects: list[str]) -> None:
        with contextlib.suppress(ReferenceError):
            self._feed.events_written(context, projects)
