"""The stream of events of a service that has one; a stock Heat has none."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from heat_lite.cmd.cli import api_client

MEDIA_TYPE = 'text/event-stream'
#: seconds without a heartbeat after which the connection counts as broken
SILENT_SECONDS = 60
MAX_LINE = 2**20


def messages(
    api: api_client.ApiClient, path: str, position: str | None, **query: Any
) -> Iterator[tuple[str | None, str, dict]]:
    """Yield (position, kind, data) of the messages of a stack, until the connection ends.

    Continue a broken stream after the last position. Raises RequestFailed; with the status 406 if
    the service has no streams.
    """
    headers = {'Accept': MEDIA_TYPE}
    if position:
        headers['Last-Event-ID'] = position
    url = api.url_of(f'{path}/events', query)
    try:
        with api.open(url, headers, SILENT_SECONDS) as response:
            if not response.headers.get('Content-Type', '').startswith(MEDIA_TYPE):
                raise api_client.RequestFailed(406, f'{url} is no stream of events')
            yield from _parsed(response)
    except urllib.error.HTTPError as error:
        raise api_client.failure(url, error) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        text = api_client.unreachable_text(url, error)
        raise api_client.ServiceUnreachable(text) from error


def _parsed(response: Any) -> Iterator[tuple[str | None, str, dict]]:
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
