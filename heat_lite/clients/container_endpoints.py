"""The endpoints of container engines: how the local one is found, and which ones are allowed."""

import dataclasses
import fnmatch
import os
import socket
import stat
import urllib.parse
from collections.abc import Iterator, Mapping

from heat_lite.clients import errors

#: seconds to wait for the answer of a local engine
PING_SECONDS = 2.0
SCHEMES = ('unix', 'tcp', 'http', 'https', 'ssh', 'npipe')


@dataclasses.dataclass(frozen=True)
class LocalEngine:
    """A container engine of this machine or of DOCKER_HOST.

    ``source`` is the variable or the file that names it; ``answers`` whether it responded.
    """

    url: str
    source: str
    answers: bool
    #: the folder with ca.pem, cert.pem and key.pem of a TLS endpoint, or None
    certificates: str | None = None


def find_local(environ: Mapping[str, str] | None = None) -> LocalEngine | None:
    """Return the container engine that the command docker would use; None if there is none.

    DOCKER_HOST wins, even if its engine does not answer. The usual sockets count only if they do.
    """
    environ = os.environ if environ is None else environ
    if environ.get('DOCKER_HOST'):
        url = environ['DOCKER_HOST']
        verifies = environ.get('DOCKER_TLS_VERIFY') or environ.get('DOCKER_TLS')
        folder = environ.get('DOCKER_CERT_PATH') or (
            os.path.join(environ.get('HOME', ''), '.docker') if verifies else None
        )
        return LocalEngine(url, 'DOCKER_HOST', _answers(url), folder if verifies else None)
    for path in usual_sockets(environ):
        if _is_socket(path) and _answers(f'unix://{path}'):
            return LocalEngine(f'unix://{path}', path, True)
    return None


def usual_sockets(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the sockets at which Docker and Podman listen, those of the user first."""
    runtime, home = environ.get('XDG_RUNTIME_DIR'), environ.get('HOME')
    if runtime:
        yield f'{runtime}/docker.sock'
        yield f'{runtime}/podman/podman.sock'
    if home:
        yield f'{home}/.docker/run/docker.sock'
        yield f'{home}/.docker/desktop/docker.sock'
    yield '/var/run/docker.sock'
    yield '/run/podman/podman.sock'


def require_allowed(endpoint: str, default: str | None, patterns: list[str]) -> str:
    """Return the endpoint. Raises Forbidden unless it is the default one or matches a pattern."""
    scheme = urllib.parse.urlsplit(endpoint).scheme
    if scheme not in SCHEMES:
        raise errors.BadRequest(
            f'the docker_endpoint "{endpoint}" is not a URL like unix:///run/docker.sock, '
            'tcp://HOST:2376 or ssh://USER@HOST'
        )
    if endpoint != default and not any(fnmatch.fnmatchcase(endpoint, each) for each in patterns):
        raise errors.Forbidden(
            f'the docker_endpoint "{endpoint}" is not allowed; the operator allows it by '
            '[clients_docker] endpoints'
        )
    return endpoint


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _answers(url: str) -> bool:
    """Return whether an engine accepts connections; a unix socket must answer a ping."""
    parts = urllib.parse.urlsplit(url)
    try:
        if parts.scheme == 'unix':
            return _ping(parts.path)
        if parts.hostname and parts.scheme in ('tcp', 'http', 'https'):
            address = (parts.hostname, parts.port or 2375)
            with socket.create_connection(address, PING_SECONDS):
                return True
    except (OSError, ValueError):
        return False
    return parts.scheme == 'ssh'


def _ping(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PING_SECONDS)
        connection.connect(path)
        connection.sendall(b'GET /_ping HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n')
        return b' 200 ' in connection.recv(64)
