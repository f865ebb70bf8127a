"""REST client of a service: create, show, update, delete and list objects.

Paths are relative to the versioned root of the API. Failures are raised as the classes of
``errors``.
"""

import builtins
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

import requests
from keystoneauth1 import exceptions

from heat_lite.clients import errors, microversions
from heat_lite.common import log_context, long_work, metrics, tracing
from heat_lite.common.value_texts import from_json
from heat_lite.common.value_types import Value, Values, without_none

NEXT_PAGE = 'next'
#: header with the id of the request, by which services write it into their logs
REQUEST_ID = 'X-OpenStack-Request-ID'


class Api:
    """Client of one service. ``adapter``: a keystoneauth adapter with endpoint and credentials."""

    def __init__(self, name: str, adapter: Any) -> None:
        self.name = name
        self._adapter = adapter

    @property
    def url(self) -> str:
        """The versioned root of the API."""
        return self._adapter.url

    def supports(self, microversion: str) -> bool:
        """Return whether requests have this microversion or a newer one."""
        return self._adapter.supports(microversion)

    def create(self, path: str, key: str | None, values: Value, method: str = 'POST') -> Value:
        """Create an object and return it. ``key`` is the key that wraps objects, or None."""
        return _unwrap(self.request_json(method, path, _wrap(key, values)), key)

    def show(self, path: str, key: str | None = None) -> Value:
        return _unwrap(self.request_json('GET', path), key)

    def update(self, path: str, key: str | None, values: Value, method: str = 'PUT') -> Value:
        return _unwrap(self.request_json(method, path, _wrap(key, values)), key)

    def delete(self, path: str) -> None:
        self.request_json('DELETE', path)

    def list(self, path: str, key: str, **query: Any) -> builtins.list[Any]:
        """Return all objects of a collection."""
        return [each for page in self.pages(path, key, **query) for each in page]

    def pages(self, path: str, key: str, **query: Any) -> Iterator[Any]:
        """Yield the pages of a collection; each is requested when it is needed."""
        body = self.request_json('GET', path, params=query)
        yield body if isinstance(body, builtins.list) else body[key]
        while isinstance(body, dict) and (following := _next_page(body, key)):
            body = self.request_json('GET', self._below(following))
            yield body[key]

    def _below(self, link: str) -> str:
        """Return a link without the version that Glance and Zaqar begin it with, as paths are."""
        root = urllib.parse.urlsplit(self.url).path.rstrip('/')
        start = root[root.rfind('/') :]
        return link.removeprefix(start) if start and link.startswith(f'{start}/') else link

    def request_json(self, method: str, path: str, body: Value = None, **options: Any) -> Value:
        """Send a request and return the JSON of its response; None if there is none."""
        response = self.request(method, path, body, **options)
        if not response.content:
            return None
        try:
            return from_json(response.content.decode())
        except ValueError:
            return None

    def request(
        self,
        method: str,
        path: str,
        body: Value = None,
        params: Any = None,
        headers: dict[str, str] | None = None,
        microversion: str | None = None,
        text: str | None = None,
        timeout: float | None = None,
    ) -> requests.Response:
        """Send a request and return the response.

        ``microversion`` overrides that of the adapter, ``timeout`` (seconds) that of the session.
        ``text`` is a body of plain text, instead of the JSON ``body``.
        """
        options = {
            'params': params,
            'json': body,
            'microversion': microversion,
            'data': None if text is None else text.encode(),
            'timeout': timeout,
        }
        given = without_none(options)
        # in UTF-8: requests sends each character as a byte
        encoded = {
            name: value.encode().decode('latin-1') for name, value in (headers or {}).items()
        }
        sent = {**({} if text is None else {'Content-Type': 'text/plain'}), **encoded}
        try:
            response = self._send(path, method, headers=sent, **given)
        except exceptions.EndpointNotFound as error:
            raise errors.NoCloud(reason=f'the catalog has no endpoint of {self.name}') from error
        except exceptions.ConnectionError as error:
            raise errors.unavailable(self.name, method, path, error) from error
        except exceptions.ClientException as error:
            raise errors.Unauthorized(
                'Keystone rejected the credentials of the request: '
                f'{error} ({self.name}, {method} {path})'
            ) from error
        if response.status_code >= 400:
            raise errors.from_response(self.name, method, path, response)
        return response

    def _send(self, path: str, method: str, **options: Any) -> requests.Response:
        began, code = time.monotonic(), 'none'
        try:
            with tracing.span(f'{self.name} {method}', tracing.CLIENT, {'url.path': path}) as span:
                response = self._adapter.request(path, method, raise_exc=False, **options)
                code = str(response.status_code)
                if span is not None:
                    span.set('http.response.status_code', response.status_code)
            return response
        finally:
            metrics.CLOUD.add(time.monotonic() - began, self.name, method, code)


class UnloggedAdapter:
    """An adapter that logs requests, which contain secrets, only on demand."""

    def __init__(self, inner: Any, log: bool = False) -> None:
        self._inner = inner
        self._log = log

    @property
    def url(self) -> str:
        return self._inner.endpoint_override or ''

    def supports(self, microversion: str) -> bool:
        return microversions.is_enough(self._inner.default_microversion, microversion)

    def request(self, path: str, method: str, **options: Any) -> requests.Response:
        request_id = log_context.request_id()
        if request_id is not None:
            options['headers'] = {REQUEST_ID: request_id, **(options.get('headers') or {})}
        if traced := tracing.headers():
            options['headers'] = {**(options.get('headers') or {}), **traced}
        with long_work.waiting():
            return self._inner.request(path, method, log=self._log, **options)


def _wrap(key: str | None, values: Value) -> Value:
    return values if key is None else {key: values}


def _unwrap(body: Value, key: str | None) -> Value:
    return body if key is None or body is None else body.get(key, body)


def _next_page(body: Values, key: str) -> str | None:
    """Return the URL of the next page; services return it in one of three forms."""
    links = body.get(f'{key}_links') or body.get('links')
    if isinstance(links, dict):
        return links.get(NEXT_PAGE)
    if isinstance(links, list):
        return next((link['href'] for link in links if link.get('rel') == NEXT_PAGE), None)
    following = body.get(NEXT_PAGE)
    return following if isinstance(following, str) else None
