"""Filter of a service without login: it refuses what a web page can make a browser send.

Any page can make a browser send forms and simple requests to a service on the user's machine, and
by a name that it lets point there (DNS rebinding) also read the responses.
"""

import dataclasses
import hmac
import ipaddress
import urllib.parse
from collections.abc import Collection

import webob.exc

from heat_lite.api import wsgi

LOCAL_HOSTS = ('localhost', '127.0.0.1', '::1')
WILDCARDS = ('0.0.0.0', '::')
JSON = 'application/json'
TOKEN_HEADER = 'HTTP_X_AUTH_TOKEN'


@dataclasses.dataclass
class LocalRequestFilter(wsgi.Filter):
    """Filter that raises HTTPClientError for a refused request.

    ``hosts``: names and addresses of the service. A service that is bound to all addresses accepts
    each address, but no name beyond ``hosts``. ``origins``: other origins whose pages are allowed.
    ``token``: the value that each request needs in X-Auth-Token, or None. ``signed``: whether each
    request has a signature, which no page can make, so that forms are no danger.
    """

    hosts: Collection[str]
    origins: Collection[str] = ()
    token: str | None = dataclasses.field(default=None, repr=False)
    signed: bool = False

    def __post_init__(self) -> None:
        self.hosts = {*LOCAL_HOSTS, *(host.lower() for host in self.hosts)}
        self.any_address = any(host in WILDCARDS for host in self.hosts)

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        self._check_host(environ)
        self._check_page(environ)
        if not self.signed:
            _check_body(environ)
        if self.token is not None:
            self._check_token(environ)
        return self.application

    def _check_host(self, environ: wsgi.Environ) -> None:
        host = environ.get('HTTP_HOST')
        if host is not None and not self._is_ours(f'//{host}'):
            raise webob.exc.HTTPForbidden(
                f'The Host "{host}" is not a name of this service. Use its address, or start it '
                'with --allow-host.'
            )

    def _check_page(self, environ: wsgi.Environ) -> None:
        origin = environ.get('HTTP_ORIGIN')
        if origin in self.origins:
            return
        if origin is not None and not self._is_own_origin(origin, environ.get('HTTP_HOST', '')):
            raise webob.exc.HTTPForbidden(
                f'Pages of the origin "{origin}" may not use this service. The option [cors] '
                'allowed_origin permits an origin.'
            )
        if environ.get('HTTP_SEC_FETCH_SITE', '').lower() == 'cross-site':
            raise webob.exc.HTTPForbidden(
                'Pages of other sites may not use this service (Sec-Fetch-Site: cross-site).'
            )

    def _is_own_origin(self, origin: str, host: str) -> bool:
        """Whether a page comes from this service: another port may be another user's service."""
        return self._is_ours(origin) and origin.partition('://')[2].lower() == host.lower()

    def _is_ours(self, url: str) -> bool:
        """Whether the host of a URL is one of this service; the port may be any."""
        try:
            parts = urllib.parse.urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if not host or '@' in parts.netloc or parts.path not in ('', '/'):
            return False
        return host in self.hosts or (self.any_address and _is_address(host))

    def _check_token(self, environ: wsgi.Environ) -> None:
        """Check the token and take it out: it is no credential of a cloud."""
        given = environ.pop(TOKEN_HEADER, '')
        if not hmac.compare_digest(given.encode(), (self.token or '').encode()):
            raise webob.exc.HTTPUnauthorized(
                'This service requires a token: send the content of the file "token" of its data '
                'folder as X-Auth-Token.'
            )


def _check_body(environ: wsgi.Environ) -> None:
    """Refuse a body that is not JSON: forms of pages have other types.

    A PUT without a type is accepted, because the curl commands of CloudFormation signals have
    none, and a page of another origin cannot send PUT without the permission of the service.
    """
    length = environ.get('CONTENT_LENGTH') or '0'
    if length == '0' and 'HTTP_TRANSFER_ENCODING' not in environ:
        return
    kind = environ.get('CONTENT_TYPE', '').partition(';')[0].strip().lower()
    if kind == '' and environ['REQUEST_METHOD'] == 'PUT':
        return
    if kind != JSON:
        raise webob.exc.HTTPUnsupportedMediaType(
            f'The body has the type "{kind}". Send it with Content-Type: {JSON}.'
        )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
