"""The stream of events of a service that has one; a stock Heat has none."""

import collections
import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from heat_lite.cli import api_client
from heat_lite.cli.display import resource_tree
from heat_lite.common.value_types import Value

MEDIA_TYPE = 'text/event-stream'
#: seconds without a heartbeat after which the connection counts as broken
SILENT_SECONDS = 60
MAX_LINE = 2**20
#: seconds until a broken stream is continued, and until a refused one is requested again
RETRY_SECONDS, REFUSED_SECONDS = 1.0, 10.0


def messages(
    api: api_client.ApiClient, path: str, position: str | None, **query: Value
) -> Iterator[tuple[str | None, str, dict]]:
    """Yield (position, kind, data) of the messages of a stack, until the connection ends.

    Continue a broken stream after the last position. Raises RequestFailed; with the status 406 if
    the service has no streams.
    """
    headers = {'Accept': MEDIA_TYPE}
    if position:
        headers['Last-Event-ID'] = position
    url = api.url_of(f'{path}/events', query)
    with (
        api_client.translated_errors(url),
        api.open(url, headers, SILENT_SECONDS) as response,
    ):
        if not response.headers.get('Content-Type', '').startswith(MEDIA_TYPE):
            raise api_client.RequestFailed(406, f'{url} is no stream of events')
        yield from _parsed(response)


def _parsed(response: http.client.HTTPResponse) -> Iterator[tuple[str | None, str, dict]]:
    fields: dict[str, str] = {}
    while line := response.readline(MAX_LINE):
        name, _, value = line.decode('utf-8').rstrip('\n').partition(': ')
        if name:
            fields[name] = value
        elif 'data' in fields:
            yield fields.get('id'), fields.get('event', 'message'), json.loads(fields['data'])
            fields = {}
        else:
            fields = {}


class EventWatch:
    """A wake-up for each new event of a stack and of its nested stacks.

    A thread reads the stream, and continues one that has broken after its last event. Without
    streams ``is_live`` stays false.
    """

    def __init__(
        self,
        api: api_client.ApiClient,
        path: str,
        query: Mapping[str, Value] = MappingProxyType({}),
    ) -> None:
        self._api = api
        self._query = query
        self._path = path
        self._position: str | None = None
        self._closed = threading.Event()
        #: whether each new event sets ``news``
        self.is_live = False
        #: set by a new event, and by the begin and the end of the stream
        self.news = threading.Event()
        #: the events that have come, and are not taken yet
        self.received: collections.deque[dict] = collections.deque()
        #: set when the action has ended
        self.ended = threading.Event()
        threading.Thread(target=self._run, name='event-watch', daemon=True).start()

    def close(self) -> None:
        """Let the thread end with its next message."""
        self._closed.set()

    def take(self) -> list[dict]:
        """Return the events that have come since the last call."""
        return [self.received.popleft() for _ in range(len(self.received))]

    def forget(self) -> None:
        """Clear the wake-ups, before the state is read that they tell of."""
        self.news.clear()
        self.ended.clear()

    def _run(self) -> None:
        pause = 0.0
        while not self._closed.wait(pause):
            pause = RETRY_SECONDS
            try:
                self._listen()
            except api_client.RequestFailed as error:
                # The request for the state renews a token that has expired.
                if not error.is_temporary and error.status != 401:
                    return
                if error.status:
                    pause = REFUSED_SECONDS
            finally:
                self.is_live = False
                self.news.set()

    def _listen(self) -> None:
        depth = resource_tree.NESTED_DEPTH
        query = {'until': 'complete', 'nested_depth': depth, **self._query}
        for position, kind, data in messages(self._api, self._path, self._position, **query):
            if self._closed.is_set():
                return
            self._position = position or self._position
            if kind == 'event':
                self.received.append(data)
            if kind == 'complete':
                self.ended.set()
            if kind != 'heartbeat' or not self.is_live:
                self.is_live = True
                self.news.set()
