"""Streams of events: Server-Sent Events of a stack, or of all stacks of a project."""

import contextlib
import datetime
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import webob
from oslo_config import cfg
from webob import exc

from heat_lite.api import event_listener, wsgi
from heat_lite.api.event_feed import EventFeed, StreamLimits
from heat_lite.api.event_listener import EventListener, FeedEvent, Scope
from heat_lite.api.v1 import params
from heat_lite.common import event_cursor, exception
from heat_lite.common.event_cursor import EventCursor
from heat_lite.rpc.client import EngineClient

LOG = logging.getLogger(__name__)

MEDIA_TYPE = 'text/event-stream'
COMPLETE, START = 'complete', 'start'
HEADERS = {'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no'}
#: milliseconds after which a client reconnects
RETRY = b'retry: 2000\n\n'
MAX_DEPTH = 100
GAP = 'Events may be missing here: they were deleted before this stream could continue.'
EXPIRED = 'The token has expired. Continue with a new one and the header Last-Event-ID.'
#: query parameters with another name than the key of an event
ALIASES = {'status': 'resource_status'}


def is_wanted(request: wsgi.Request) -> bool:
    """Return whether a request asks for a stream."""
    return MEDIA_TYPE in request.environ.get('HTTP_ACCEPT', '')


class EventStreams:
    """Opens streams. ``heartbeat``: seconds between two messages without an event."""

    def __init__(self, client: EngineClient, feed: EventFeed, heartbeat: float) -> None:
        self.client = client
        self.feed = feed
        self.heartbeat = heartbeat

    @classmethod
    def of_options(cls, client: EngineClient, conf: cfg.ConfigOpts) -> 'EventStreams':
        """Return the streams of a process with the limits that the options set."""
        ours = conf.heat_lite
        limits = StreamLimits(
            ours.max_event_streams,
            ours.max_event_streams_per_tenant,
            ours.max_event_streams_in_threads,
        )
        return cls(client, EventFeed(client, limits), ours.event_heartbeat_interval)

    def open(
        self, request: wsgi.Request, tenant_id: str, identity: dict[str, Any] | None
    ) -> webob.Response:
        """Return the response whose body is the stream of a stack, or of a project."""
        scope = _scope(request.query, tenant_id, identity)
        after = _position(request)
        begin = request.environ.get(wsgi.BEGIN_STREAM)
        if begin is None and not request.environ.get('wsgi.multithread'):
            raise exception.ServiceUnavailable(
                reason='this process of the API serves one request at a time and has no streams; '
                'list the events instead'
            )
        listener = EventListener(scope, request)
        listener.after = after
        self.feed.open(listener, has_thread=begin is None)
        history = _History(self.client, request, identity, listener, after)
        try:
            history.read()
            is_open = _always if begin is None else begin()
        except BaseException:
            self.feed.close(listener)
            raise
        body = _Body(self.feed, listener, history, is_open, self.heartbeat)
        request.environ['eventlet.minimum_write_chunk_size'] = 0
        response = webob.Response(app_iter=body, content_type=MEDIA_TYPE, charset='utf-8')
        response.headers.update(HEADERS)
        return response


def _always() -> bool:
    return True


def _scope(query: Any, tenant_id: str, identity: dict[str, Any] | None) -> Scope:
    until = query.get('until')
    if until not in (None, COMPLETE) or (until and identity is None):
        raise exc.HTTPBadRequest(
            f'Unrecognized value "{until}" for "until": the stream of a stack accepts "complete".'
        )
    if query.get('from') not in (None, START):
        raise exc.HTTPBadRequest(
            f'Unrecognized value "{query["from"]}" for "from", acceptable value is: start.'
        )
    given = params.read(params.EVENT_STREAM, query)
    filters = {ALIASES.get(name, name): frozenset(value) for name, value in given.items() if value}
    tags = params.tag_list('tags', query['tags']) if query.get('tags') else ()
    depth = params.optional_integer('nested_depth', query.get('nested_depth')) or 0
    stack_id = None if identity is None else identity['stack_id']
    return Scope(
        tenant_id, stack_id, min(depth, MAX_DEPTH), filters, frozenset(tags), until is not None
    )


def _position(request: wsgi.Request) -> EventCursor | None:
    """Return the cursor after which the client wants events; None: from now on."""
    name = 'Last-Event-ID'
    text = request.headers.get(name) or request.query.get('last_event_id')
    if not text:
        return EventCursor(0) if request.query.get('from') == START else None
    try:
        return event_cursor.parse(text)
    except ValueError as error:
        raise exc.HTTPBadRequest(f'{name} "{text[:100]}" is not valid: {error}.') from None


class _History:
    """The events between the position of a client and the place where its listener has joined."""

    def __init__(
        self,
        client: EngineClient,
        request: wsgi.Request,
        identity: dict[str, Any] | None,
        listener: EventListener,
        after: EventCursor | None,
    ) -> None:
        self._client = client
        self._context = request.context
        self._identity = identity
        self._listener = listener
        self._until = listener.joined or EventCursor(0)
        self._after = self._until if after is None else after
        self._page: dict[str, Any] = {}

    def read(self) -> None:
        """Read a page. The first one also checks that the stack exists."""
        self._page = self._client.read_past_events(
            self._context,
            stack_identity=self._identity,
            nested_depth=self._listener.scope.depth,
            after=event_cursor.to_wire(self._after),
            until=event_cursor.to_wire(self._until),
            with_tags=bool(self._listener.scope.tags),
        )
        if self._page['other']:
            self._listener.after = None

    def messages(self) -> Iterator[bytes]:
        """Yield the messages, page by page."""
        if self._page['gap']:
            yield event_listener.message('gap', {'message': GAP})
        while True:
            rows = self._page['events']
            numbers = [row['number'] for row in rows]
            cursors = self._after.through(numbers, self._until)
            scope, request = self._listener.scope, self._listener.request
            for row, cursor in zip(rows, cursors, strict=True):
                self._after = cursor
                if scope.includes(row):
                    yield FeedEvent(row, cursor).message(request)
            if not self._page['more']:
                return
            self.read()


class _Body:
    """The body of the response: it ends with the listener, the token or the connection."""

    def __init__(
        self,
        feed: EventFeed,
        listener: EventListener,
        history: _History,
        is_open: Callable[[], bool],
        heartbeat: float,
    ) -> None:
        self._feed = feed
        self._listener = listener
        self._history: _History | None = history
        self._is_open = is_open
        self._heartbeat = heartbeat
        self._expires = _expiry(listener.request.environ)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield RETRY
            yield from self._past()
            # At once, because a client without a position could not continue after a break.
            yield self._heartbeat_message(self._listener.joined)
            while self._is_open():
                position = self._listener.position  # before the look at what waits
                taken = self._listener.take(self._seconds())
                if taken:
                    yield taken
                if self._listener.ended and not len(self._listener):
                    return
                if self._expires is not None and time.time() >= self._expires:
                    self._listener.end(event_listener.error(401, EXPIRED))
                elif not taken:
                    yield self._heartbeat_message(position)
        finally:
            self.close()

    def close(self) -> None:
        """Remove the listener; called by the server at the end of the connection too."""
        self._feed.close(self._listener)

    def _past(self) -> Iterable[bytes]:
        history, self._history = self._history, None
        with contextlib.suppress(StopIteration):
            try:
                yield from history.messages() if history else ()
            except exception.HeatException as failure:
                LOG.warning('The past events of a stream could not be read: %s', failure)
                self._listener.cut_off()

    def _heartbeat_message(self, position: EventCursor | None) -> bytes:
        """Return a heartbeat, with its position unless the client was further already."""
        after = self._listener.after
        is_behind = after is not None and position is not None and after.top > position.top
        return event_listener.message('heartbeat', {}, None if is_behind else position)

    def _seconds(self) -> float:
        if self._expires is None:
            return self._heartbeat
        return min(self._heartbeat, max(self._expires - time.time(), 0.01))


def _expiry(environ: dict[str, Any]) -> float | None:
    """Return the time at which the token of a request expires; None without a token."""
    info = environ.get('keystone.token_info')
    text = ((info or {}).get('token') or {}).get('expires_at')
    return datetime.datetime.fromisoformat(text).timestamp() if text else None
