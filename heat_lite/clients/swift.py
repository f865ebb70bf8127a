"""Client of Swift: objects for signals and deployments, with URLs that need no token (TempURL)."""

import hashlib
import hmac
import secrets
import time
import urllib.parse

import requests

from heat_lite.clients import errors, rest

#: latest expiry time that all releases of Swift accept (seconds since 1970)
MAX_EXPIRES = 2147483647
TEMP_URL_KEY = 'X-Account-Meta-Temp-Url-Key'
VERSIONS_LOCATION = 'X-Versions-Location'
#: the content of the object before the first signal, as Heat writes it; '' for a deployment
UNSIGNALLED = 'in progress'


class Swift(rest.Api):
    """Containers and objects of a project, by their unquoted names."""

    def create_container(self, container: str, **headers: str) -> None:
        self.request('PUT', _path(container), headers=headers)

    def put_object(
        self, container: str, name: str, text: str = '', timeout: float | None = None
    ) -> None:
        """Store an object; ``timeout`` of the request in seconds, by default that of all."""
        self.request('PUT', _path(container, name), text=text, timeout=timeout)

    def get_object(self, container: str, name: str) -> tuple[str, str | None]:
        """Return the text of an object and its Last-Modified header. Raises NotFound."""
        response = self.request('GET', _path(container, name))
        return _text(response), response.headers.get('Last-Modified')

    def get_bytes(self, container: str, name: str) -> bytes:
        """Return the content of an object. Raises NotFound."""
        return self.request('GET', _path(container, name)).content

    def delete_object(self, container: str, name: str) -> None:
        """Delete an object with all its versions: a DELETE restores the previous version."""
        try:
            while True:
                self.delete(_path(container, name))
        except errors.NotFound:
            return

    def delete_container(self, container: str) -> None:
        """Delete a container unless it holds objects, which are then not of this service."""
        try:
            self.delete(_path(container))
        except (errors.NotFound, errors.Conflict):
            return

    def describe_container(self, container: str) -> tuple[int, list[str]]:
        """Return the size of all objects in bytes, and their names: at most as many as Swift puts
        into one list. Raises NotFound.
        """
        response = self.request('GET', _path(container), params={'format': 'json'})
        size = int(response.headers.get('X-Container-Bytes-Used') or 0)
        return size, [each['name'] for each in response.json()]

    def list_objects(self, container: str, prefix: str = '') -> list[str]:
        """Return the names of the objects with a prefix."""
        return [
            each['name']
            for each in self.request_json(
                'GET', _path(container), params={'format': 'json', 'prefix': prefix}
            )
            or ()
        ]

    def temp_url(
        self,
        container: str,
        name: str,
        method: str = 'PUT',
        seconds: int | None = None,
        digest: str = 'sha256',
    ) -> str:
        """Return a URL that permits ``method`` without a token, for some seconds or for ever.

        Swift signs the path without quoting.
        """
        parts = urllib.parse.urlsplit(self.url.rstrip('/'))
        path = parts.path + _path(container, name)
        expires = int(time.time()) + int(seconds) if seconds else MAX_EXPIRES
        signed = f'{method}\n{expires}\n{urllib.parse.unquote(path)}'
        signature = hmac.new(self._account_key().encode(), signed.encode(), digest).hexdigest()
        query = urllib.parse.urlencode({'temp_url_sig': signature, 'temp_url_expires': expires})
        return f'{parts.scheme}://{parts.netloc}{path}?{query}'

    def signal_url(self, container: str, name: str, text: str | None = None) -> str:
        """Return a temporary URL for signals; ``text`` is the first content, else UNSIGNALLED.

        Each PUT creates a version of the object in the same container, so no signal is lost.
        """
        self.create_container(container, **{VERSIONS_LOCATION: container})
        self.put_object(container, name, UNSIGNALLED if text is None else text)
        return self.temp_url(container, name)

    def read_signals(self, container: str, name: str, after: str = '') -> dict[str, str]:
        """Return ``{time: text}`` of the signals after a time, the oldest first.

        Raises NotFound without the object. The first version is left out if it is what
        ``signal_url`` has written: a signal in a container of Heat without versions overwrites
        that. A signal that arrives during the call is left for the next call: the name of an older
        version has the time of its content, and a version that is not older than the one read
        first is a copy of that or of a later signal.
        """
        newest = self.request('GET', _path(container, name))
        prefix, last = f'{len(name):03x}{name}/', newest.headers['X-Timestamp']
        stamps = sorted(each[len(prefix) :] for each in self.list_objects(container, prefix))
        times = [*(each for each in stamps if each < last), last]
        found = {
            each: _text(newest) if each == last else self.get_object(container, prefix + each)[0]
            for each in times
            if each > after
        }
        if found.get(times[0]) in ('', UNSIGNALLED):
            del found[times[0]]
        return found

    def _account_key(self) -> str:
        """Return the key that signs temporary URLs of the account; create it if there is none.

        An existing key is never replaced, because that would invalidate URLs that are in use.
        """
        key = self.request('HEAD', '').headers.get(TEMP_URL_KEY)
        if not key:
            key = hashlib.sha256(secrets.token_bytes(64)).hexdigest()
            self.request('POST', '', headers={TEMP_URL_KEY: key})
        return key


def _text(response: requests.Response) -> str:
    return response.content.decode('utf-8', 'replace')


def _path(*names: str) -> str:
    return ''.join(f'/{urllib.parse.quote(each)}' for each in names)
