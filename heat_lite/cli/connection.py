"""The service that a command talks to: an endpoint, a cloud, or the service of this machine.

An option or variable that names a cloud never leads to the service of this machine.
"""

import fcntl
import os
import pkgutil
import re
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from heat_lite.cli import api_client
from heat_lite.common import installation

DEFAULT_ENDPOINT = 'http://127.0.0.1:8004/v1/default'
#: variables that are set for the use of a cloud
CLOUD_VARIABLES = ('OS_CLOUD', 'OS_AUTH_URL', 'OS_USERNAME', 'OS_APPLICATION_CREDENTIAL_ID')


#: what urllib sends in no request
NOT_IN_URL = re.compile(r'[^!-~]')


class Choice(NamedTuple):
    """The options of a command that choose a service; None for options that are not given."""

    endpoint: str | None = None
    token: str | None = None
    cloud: str | None = None
    region: str | None = None


def connect(choice: Choice, env: dict[str, str] | None = None) -> api_client.ApiClient:
    """Return a client: of the endpoint of an option, else of a cloud, else of a local service.

    ``HEAT_LITE_ENDPOINT`` wins over the variables of a cloud, which shells have for other clients.
    """
    env = dict(os.environ) if env is None else env
    token = choice.token or env.get('OS_TOKEN')
    if choice.endpoint is not None:
        return _direct(choice.endpoint, token)
    if choice.cloud or choice.region:
        return _cloud(choice, env)
    if env.get('HEAT_LITE_ENDPOINT'):
        return _direct(env['HEAT_LITE_ENDPOINT'], token)
    if env.get('OS_AUTH_TYPE') == 'none' and env.get('OS_ENDPOINT'):
        return _direct(env['OS_ENDPOINT'], choice.token)
    if any(env.get(name) for name in CLOUD_VARIABLES):
        return _cloud(choice, env)
    return _direct(announced_endpoint() or DEFAULT_ENDPOINT, token)


def _direct(endpoint: str, token: str | None) -> api_client.ApiClient:
    if re.fullmatch(r'/v1/?', _path(endpoint)):
        raise api_client.InvalidEndpoint(
            f'the endpoint {endpoint} lacks the project: write http://HOST:PORT/v1/PROJECT, '
            'with "default" for "heat-lite up", or the name of its cloud'
        )
    if not _is_url(endpoint):
        raise api_client.InvalidEndpoint(
            f'{endpoint!r} is no endpoint: write http://HOST:PORT/v1/PROJECT'
        )
    return api_client.ApiClient(endpoint, token or local_token(endpoint))


def _is_url(text: str) -> bool:
    if NOT_IN_URL.search(text):
        return False
    try:
        parts = urllib.parse.urlsplit(text)
        return parts.scheme in ('http', 'https') and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False  # a port or an address that cannot exist


def _path(text: str) -> str:
    try:
        return urllib.parse.urlsplit(text).path
    except ValueError:
        return ''


def _cloud(choice: Choice, env: Mapping[str, str]) -> api_client.ApiClient:
    # The libraries of OpenStack start slowly: only a cloud needs them.
    log_in = pkgutil.resolve_name('heat_lite.cli.cloud_login:log_in')
    return log_in(choice.cloud, choice.region, env)


def announced_endpoint() -> str | None:
    """Return the endpoint of the embedded service, None if there is none.

    Raises InvalidEndpoint if it runs with several clouds: none of them is the default.
    """
    folder = installation.data_folder()
    try:
        url = (folder / installation.URL_FILE).read_text()
        if urllib.parse.urlsplit(url).path:
            return url
        if not _is_locked(folder):
            return None
    except (OSError, ValueError):
        return None
    raise api_client.InvalidEndpoint(
        f'`heat-lite up` serves several clouds: choose one with --endpoint {url}/v1/CLOUD, or'
        ' HEAT_LITE_ENDPOINT'
    )


def local_token(endpoint: str) -> str | None:
    """Return the token of the embedded service, if it is that of an endpoint; else None.

    A token is sent to its own service only: another user may listen on another port, and after a
    crash of the service on its port.
    """
    folder = installation.data_folder()
    try:
        url = (folder / installation.URL_FILE).read_text()
        if _server_of(endpoint) == _server_of(url) and _is_locked(folder):
            return (folder / installation.TOKEN_FILE).read_text().strip()
    except (OSError, ValueError):
        return None
    return None


def is_local(endpoint: str) -> bool:
    """Whether an endpoint is that of the embedded service, or may be that of a next start."""
    try:
        url = (installation.data_folder() / installation.URL_FILE).read_text()
    except (OSError, ValueError):
        url = DEFAULT_ENDPOINT
    return _server_of(endpoint) in (_server_of(url), _server_of(DEFAULT_ENDPOINT))


def _is_locked(folder: Path) -> bool:
    """Whether a service runs with a data folder."""
    with open(folder / installation.LOCK_FILE) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _server_of(url: str) -> tuple[str, str | None, int | None]:
    parts = urllib.parse.urlsplit(url)
    host = parts.hostname or ''
    return parts.scheme, '127.0.0.1' if host == 'localhost' else host, parts.port
