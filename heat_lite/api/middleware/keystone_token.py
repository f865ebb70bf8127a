"""Filter that validates tokens: keystonemiddleware with the configuration of the application."""

import logging
import threading
from collections.abc import Iterable
from time import monotonic

import webob.exc
from keystoneauth1.exceptions import ConnectTimeout
from keystonemiddleware import auth_token, opts
from keystonemiddleware.auth_token import _exceptions as exceptions, _request
from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import auth_headers
from heat_lite.common import exception
from heat_lite.common.admission import LoginAdmission
from heat_lite.common.lru_cache import LruCache
from heat_lite.common.value_types import Value, Values

LOG = logging.getLogger(__name__)

# The API does not use the catalog; the engine fetches it when it needs one.
OPTIONS = ('memcached_servers', 'memcache_security_strategy', 'http_connect_timeout')
#: Seconds for each of the four attempts to ask Keystone. The library waits without an end, so a
#: Keystone that falls silent would hold requests and their threads.
TIMEOUT = 7
#: key of the environment by which the library finds the cache of this process
CACHE_KEY = 'heat_lite.token_cache'
OWN_CACHE = {'include_service_catalog': False, 'cache': CACHE_KEY}
#: tokens in the cache of a process, and their bytes
MAX_TOKENS, MAX_TOKEN_BYTES = 10_000, 16 * 2**20
#: errors of a wait for the permit to ask Keystone
UNCHECKED = (exception.ServiceUnavailable, exception.RequestAbandoned)


class Request(_request._AuthTokenRequest):
    """The request of keystonemiddleware without the catalog, which takes a quarter of its time."""

    def set_service_catalog_headers(self, auth_ref: object) -> None:
        """Omit the catalog."""

    def remove_auth_headers(self) -> None:
        """Remove the identity headers of the client."""
        for key in IDENTITY_KEYS:
            self.environ.pop(key, None)


IDENTITY_KEYS = tuple(
    auth_headers.environ_key(header) for header in Request({})._all_auth_headers()
)


class TokenCache:
    """What Keystone said of valid tokens, by their hash, as the library's client of memcached.

    The library's own cache in a process has no bound, reads through all tokens at each request, and
    is another one for each of the requests that look at the same time.
    """

    def __init__(self) -> None:
        self._entries = LruCache(MAX_TOKENS, MAX_TOKEN_BYTES, lambda entry: len(entry[1]))

    def get(self, key: str) -> bytes | None:
        until, data = self._entries.get(key) or (0.0, None)
        return data if monotonic() < until else None

    def set(self, key: str, value: bytes, time: int) -> None:
        """Keep the value for ``time`` seconds, ``token_cache_time``; -1: not at all."""
        self._entries.put(key, (monotonic() + time, value))


class KeystoneTokenFilter(auth_token.AuthProtocol):
    """The library's filter on the WSGI environment, without request and response objects.

    ``logins``: the permits of requests whose token Keystone has to check.
    """

    def __init__(self, app: wsgi.WsgiApp, options: Values, logins: LoginAdmission) -> None:
        super().__init__(app, options)
        self._requester, self._tokens = threading.local(), TokenCache()
        verify = self._identity_server.verify_token

        def verify_with_permit(token: str, **given: object) -> Value:
            with logins.permit(self._requester.environ):
                try:
                    return verify(token, **given)
                except ConnectTimeout as error:  # the library responds to other errors only
                    raise exceptions.ServiceError(str(error)) from None

        self._identity_server.verify_token = verify_with_permit

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        self._requester.environ = environ
        environ[CACHE_KEY] = self._tokens
        try:
            refusal = self.process_request(Request(environ))
        except webob.exc.HTTPException as error:
            refusal = error
        if refusal is not None:
            return refusal(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Value) -> wsgi.Write:
            if status.startswith('401'):
                headers = [*headers, *self._reject_auth_headers]
            return start_response(status, headers, *exc_info)

        environ[auth_headers.TOKEN_CHECK] = self.is_valid
        return self._app(environ, start)

    def is_valid(self, environ: wsgi.Environ) -> bool:
        """Return whether the token of an earlier request is still valid; True if unknown."""
        self._requester.environ = environ
        try:
            self.fetch_token(environ[auth_headers.environ_key('X-Auth-Token')])
        except exceptions.InvalidToken:
            return False
        except (webob.exc.HTTPException, *UNCHECKED) as error:
            LOG.warning('A token of a stream could not be checked, the stream stays: %s', error)
        return True


def filter_factory(global_conf: paste_config.GlobalConf, **local_conf: str) -> paste_config.Filter:
    conf = paste_config.from_global_conf(global_conf)
    for group, options in opts.list_auth_token_opts():
        conf.register_opts([each for each in options if each.name in OPTIONS], group=group)
    conf.set_default('http_connect_timeout', TIMEOUT, group='keystone_authtoken')
    given = {
        **({} if shares_cache(conf) else OWN_CACHE),
        **local_conf,
        'oslo_config_config': conf,
    }
    if shares_cache(conf) and conf.keystone_authtoken.memcache_security_strategy in (None, 'None'):
        LOG.warning(
            '[keystone_authtoken] caches tokens in memcached without memcache_security_strategy: '
            'each process that reaches memcached can read tokens and replace what they permit. '
            'Set memcache_security_strategy = ENCRYPT and memcache_secret_key.'
        )
    logins = LoginAdmission(conf)
    return lambda application: KeystoneTokenFilter(application, given, logins)


def shares_cache(conf: cfg.ConfigOpts) -> bool:
    """Return whether validated tokens are cached in a memcached that other services may share.

    Those services need the catalog of a cached token, so it must not be omitted then.
    """
    return bool(conf.keystone_authtoken.memcached_servers)
