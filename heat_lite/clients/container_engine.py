"""The client of the Docker Engine API, which Docker and Podman speak.

This module imports the library docker, so it is imported when a client is first needed.
"""

import contextlib
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import docker
import requests
from docker import constants, errors as docker_errors, tls

from heat_lite.clients import errors, ssh_transport
from heat_lite.common.value_types import Value, Values

SERVICE = 'docker'
PODMAN = 'Podman Engine'
#: connections that are kept open for further requests
CONNECTIONS = 64
#: the longest chain of errors that is followed from each to its cause
MAX_CAUSES = 10
#: the URL of the base class where another transport is used
UNUSED_SOCKET = 'unix:///unused'
#: errors that Podman answers with status 500 although the request can be fulfilled later
_CONFLICT = re.compile(
    r'already in use|already exists|already used|is being used|name .* is in use', re.IGNORECASE
)
_NOT_FOUND = re.compile(
    r'no such (container|network|volume|image)|not known|network not found', re.IGNORECASE
)
#: what Podman says while another image is made or removed: its answers are true a moment later
_CHANGING = re.compile(r'(reading|locating|retrieving) .*image')
CHANGING_ATTEMPTS, CHANGING_PAUSE = 5, 0.3


class _Client(docker.APIClient):
    """A client without the settings of the environment: requests prefers the authority of
    REQUESTS_CA_BUNDLE to the given one, and would send to proxies.
    """

    def __init__(self, url: str, options: Values) -> None:
        super().__init__(**connection_options(url, options))
        if url.startswith('ssh://'):
            self._custom_adapter = ssh_transport.SshAdapter(url, options['timeout'])
            self.mount('http+docker://', self._custom_adapter)
            self._version = self._retrieve_server_version()

    @property
    def trust_env(self) -> bool:
        return False

    @trust_env.setter
    def trust_env(self, value: bool) -> None:
        """Keep the value: the base class sets another one while it connects."""


class ContainerEngine:
    """One container engine: the methods of docker.APIClient with the errors of cloud services."""

    def __init__(self, url: str, options: Values) -> None:
        self.url = url
        self._options = options
        self._api: docker.APIClient | None = None
        self._lock = threading.Lock()

    def call(self, method: str, *args: Any, **options: Any) -> Value:
        """Return the result of a method of docker.APIClient. Raises errors.ServiceError.

        Each request may be repeated: objects have names of their own, so none is made twice.
        """
        for _ in range(CHANGING_ATTEMPTS - 1):
            try:
                return self._call_once(method, args, options)
            except errors.ServiceError as error:
                if not _CHANGING.search(error.service_message):
                    raise
            time.sleep(CHANGING_PAUSE)
        return self._call_once(method, args, options)

    def _call_once(self, method: str, args: tuple, options: Values) -> Value:
        with self._service_errors(method):
            return getattr(self._connected(), method)(*args, **options)

    def stream(self, method: str, *args: Any, **options: Any) -> Iterator[Any]:
        """Yield the items of the answer of a method. Raises errors.ServiceError."""
        with self._service_errors(method):
            yield from self.call(method, *args, **options)

    @contextlib.contextmanager
    def _service_errors(self, method: str) -> Iterator[None]:
        """Raise errors of the engine in the block as errors.ServiceError."""
        try:
            yield
        except docker_errors.APIError as error:
            raise _service_error(method, error) from error
        except (requests.RequestException, docker_errors.DockerException, OSError) as error:
            raise self._unavailable(method, error) from error

    def pages(self, path: str, key: str | None, **query: Any) -> Iterator[list[Values]]:
        """Yield one list of containers, for shared polls: those with the given ids, or all."""
        listed = self.call('containers', all=True, filters={'id': query.get('id') or []})
        yield [{**each, 'id': each['Id']} for each in listed]

    def changes_limits(self) -> bool:
        """Return whether limits of a running container can be changed: Podman before 5 cannot."""
        components = self.call('version').get('Components') or ()
        versions = {each['Name']: each['Version'] for each in components}
        return int(versions.get(PODMAN, '5').partition('.')[0]) >= 5

    def _connected(self) -> docker.APIClient:
        """Return the connected client; its first request agrees on the version of the API."""
        with self._lock:
            if self._api is None:
                self._api = _Client(self.url, self._options)
            return self._api

    def _unavailable(self, method: str, error: Exception) -> errors.ServiceError:
        result = errors.Unavailable(
            f'the container engine at {self.url} cannot be reached: {error} ({method})'
        )
        result.transient = not _is_refusal(error)
        return result


def _is_refusal(error: BaseException | None) -> bool:
    """Return whether one side has refused a certificate: a repeated request fails as well."""
    seen = 0
    while error is not None and seen < MAX_CAUSES:
        if isinstance(error, requests.exceptions.SSLError):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def connection_options(url: str, options: Values) -> Values:
    """Return the arguments of docker.APIClient."""
    given: Values = {
        'base_url': url,
        'version': 'auto',
        'timeout': options['timeout'],
        'max_pool_size': CONNECTIONS,
    }
    if url.startswith('ssh://'):  # the client gets another transport before its first request
        given.update(base_url=UNUSED_SOCKET, version=constants.MINIMUM_DOCKER_API_VERSION)
    pair = (options['cert_file'], options['key_file'])
    if url.startswith(('tcp://', 'https://')) and (all(pair) or options['ca_file']):
        given['tls'] = tls.TLSConfig(
            client_cert=pair if all(pair) else None,
            ca_cert=options['ca_file'],
            verify=False if options['insecure'] else options['ca_file'] or True,
        )
    return given


def _service_error(method: str, error: docker_errors.APIError) -> errors.ServiceError:
    if error.response is None:
        return errors.ServiceError(f'{error.explanation or error} ({SERVICE}, {method})')
    request = error.response.request
    result = errors.from_response(SERVICE, request.method, request.path_url, error.response)
    text = result.service_message
    if result.code == 500 and _CONFLICT.search(text):
        return _as(errors.Conflict, result)
    if result.code == 500 and _NOT_FOUND.search(text):
        return _as(errors.NotFound, result)
    return result


def _as(kind: type[errors.ServiceError], error: errors.ServiceError) -> errors.ServiceError:
    """Return the error as one of another class, with the same texts."""
    result = kind(str(error), kind.code)
    result.service_message = error.service_message
    return result
