"""Streams of events: Server-Sent Events of a stack, or of all stacks of a project."""

import dataclasses
import datetime
import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

import webob
from oslo_config import cfg
from webob import exc
from webob.multidict import MultiDict

from heat_lite.api import event_listener, wsgi
from heat_lite.api.event_feed import EventFeed, StreamLimits
from heat_lite.api.event_listener import EventListener, FeedEvent, News, Scope
from heat_lite.api.middleware import auth_headers
from heat_lite.api.v1 import params
from heat_lite.common import event_cursor, exception
from heat_lite.common.event_cursor import EventCursor
from heat_lite.common.value_types import Values
from heat_lite.operations import resources
from heat_lite.rpc.client import EngineClient

LOG = logging.getLogger(__name__)

MEDIA_TYPE = 'text/event-stream'
COMPLETE, START = 'complete', 'start'
HEADERS = {'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no'}
#: milliseconds after which a client reconnects
RETRY = b'retry: 2000\n\n'
MAX_DEPTH = 100
GAP = 'Events may be missing here: they were deleted before this stream could continue.'
UNREAD = 'The past events cannot be read now. Continue with the header Last-Event-ID.'
REVOKED = 'Keystone does not accept the token any more.'
EXPIRED = 'The token has expired. Continue with a new one and the header Last-Event-ID.'
Result = TypeVar('Result')
#: query parameters with another name than the key of an event
ALIASES = {'status': 'resource_status'}


def is_wanted(request: wsgi.Request) -> bool:
    """Return whether a request asks for a stream."""
    return MEDIA_TYPE in request.environ.get('HTTP_ACCEPT', '')


@dataclasses.dataclass
class EventStreams:
    """Opens streams. ``heartbeat``: seconds between two messages without an event.

    ``token_check``: seconds between two validations of the token of a stream.
    """

    client: EngineClient
    feed: EventFeed
    heartbeat: float
    token_check: float

    @classmethod
    def from_options(cls, client: EngineClient, conf: cfg.ConfigOpts) -> 'EventStreams':
        """Return the streams of a process with the limits that the options set."""
        ours = conf.heat_lite
        limits = StreamLimits(
            ours.max_event_streams,
            ours.max_event_streams_per_tenant,
            ours.max_event_streams_in_threads,
        )
        feed = EventFeed(client, limits)
        return cls(client, feed, ours.event_heartbeat_interval, ours.event_token_check_interval)

    def open(
        self, request: wsgi.Request, tenant_id: str, identity: Values | None
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
        listener = EventListener(scope, request.base)
        listener.after = after
        self.feed.open(listener, has_thread=begin is None)
        history = _History(self.client, request, identity, listener, after)
        try:
            history.read()
            client = _ThreadClient() if begin is None else begin()
        except BaseException:
            self.feed.close(listener)
            raise
        listener.attach(client.news)
        token = _Token(request.environ, self.token_check)
        body = _Body(self.feed, listener, history, client, self.heartbeat, token)
        response = webob.Response(app_iter=body, content_type=MEDIA_TYPE, charset='utf-8')
        response.headers.update(HEADERS)
        return response


class Client(Protocol):
    """The client of a stream; ``run`` calls a function that waits."""

    news: News

    def is_there(self) -> bool: ...

    def run(self, call: Callable[..., Result], *arguments: object) -> Result: ...


class _ThreadClient:
    """The client of a server whose threads the streams occupy: they may wait."""

    def __init__(self) -> None:
        self.news: News = threading.Event()

    def is_there(self) -> bool:
        return True  # the server finds out when it writes

    def run(self, call: Callable[..., Result], *arguments: object) -> Result:
        return call(*arguments)


def _scope(query: MultiDict, tenant_id: str, identity: Values | None) -> Scope:
    until = query.get('until')
    if until not in (None, COMPLETE) or (until and identity is None):
        raise exc.HTTPBadRequest(
            f'Unrecognized value "{until}" for "until": the stream of a stack accepts "complete".'
        )
    if query.get('from') not in (None, START):
        raise exc.HTTPBadRequest(
            f'Unrecognized value "{query["from"]}" for "from", acceptable value is: start.'
        )
    given = params.read(resources.EVENT_STREAM, query)
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
        identity: Values | None,
        listener: EventListener,
        after: EventCursor | None,
    ) -> None:
        self._client = client
        self._context = request.context
        self._identity = identity
        self._listener = listener
        self._after = self._until if after is None else after
        self._page: Values = {}

    @property
    def _until(self) -> EventCursor:
        return self._listener.seen(self._listener.joined or EventCursor(0))

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

    def pages(self) -> Iterator[bytes]:
        """Yield the messages of each page."""
        if self._page['gap']:
            yield event_listener.message('gap', {'message': GAP})
        while True:
            rows = self._page['events']
            numbers = [row['number'] for row in rows]
            cursors = self._after.through(numbers, self._until)
            scope, base = self._listener.scope, self._listener.base
            messages = []
            for row, cursor in zip(rows, cursors, strict=True):
                self._after = cursor
                if scope.includes(row):
                    messages.append(FeedEvent(row, cursor).message(base, cursor))
            yield b''.join(messages)
            if not self._page['more']:
                return
            self.read()


@dataclasses.dataclass
class _Body:
    """The body of the response: it ends with the listener, the token or the connection."""

    feed: EventFeed
    listener: EventListener
    history: _History | None
    client: Client
    heartbeat: float
    token: '_Token'

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield RETRY
            yield from self._past()
            # At once, because a client without a position could not continue after a break.
            yield self._heartbeat_message(self.listener.joined)
            while self.client.is_there():
                position = self.listener.position  # before the look at what waits
                taken = self.listener.take(self._seconds())
                if taken:
                    yield taken
                if self.listener.ended and not len(self.listener):
                    return
                if refusal := self.token.refusal(self.client.run):
                    self.listener.end(event_listener.error(401, refusal))
                elif not taken:
                    yield self._heartbeat_message(position)
        finally:
            self.close()

    def close(self) -> None:
        """Remove the listener; called by the server at the end of the connection too."""
        self.feed.close(self.listener)

    def _past(self) -> Iterator[bytes]:
        pages, self.history = self.history.pages() if self.history else iter(()), None
        try:
            while (page := self.client.run(next, pages, None)) is not None:
                yield page
        except exception.HeatException as failure:
            LOG.warning('The past events of a stream could not be read: %s', failure)
            self.listener.cut_off(UNREAD)

    def _heartbeat_message(self, position: EventCursor | None) -> bytes:
        """Return a heartbeat, with the position of the client."""
        seen = position and self.listener.seen(position)
        return event_listener.message('heartbeat', {}, seen)

    def _seconds(self) -> float:
        return min(self.heartbeat, self.token.seconds_left())


class _Token:
    """The token of a stream: its end, and the intervals at which Keystone is asked again."""

    def __init__(self, environ: wsgi.Environ, interval: float) -> None:
        info = environ.get('keystone.token_info')
        text = ((info or {}).get('token') or {}).get('expires_at')
        self._expires = datetime.datetime.fromisoformat(text).timestamp() if text else None
        self._environ = environ
        self._is_valid = environ.get(auth_headers.TOKEN_CHECK)
        self._interval = interval
        self._plan()

    def _plan(self) -> None:
        """Spread the checks of streams that were opened together."""
        self._next_check = time.monotonic() + self._interval * random.uniform(0.5, 1)

    def refusal(self, run: Callable[..., bool]) -> str | None:
        """Return why the token does not count any more; None if it does.

        ``run`` calls a function that waits for Keystone.
        """
        if self._expires is not None and time.time() >= self._expires:
            return EXPIRED
        if self._is_valid is None or time.monotonic() < self._next_check:
            return None
        self._plan()
        return None if run(self._is_valid, self._environ) else REVOKED

    def seconds_left(self) -> float:
        """Return the seconds until the token has to be looked at; infinite without a token."""
        left = math.inf if self._expires is None else self._expires - time.time()
        if self._is_valid is not None:
            left = min(left, self._next_check - time.monotonic())
        return max(left, 0.01)
