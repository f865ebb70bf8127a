"""Keystoneauth sessions and auth plug-ins: how to reach Keystone, and with which credentials."""

import contextlib
import datetime
import functools
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

import requests
from keystoneauth1 import access, exceptions, plugin, session as ks_session
from keystoneauth1.identity import base, v3
from oslo_config import cfg

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.conf import identity
from heat_lite.conf.clients import TIMEOUT

USER_AGENT = 'heat-lite'
#: seconds after a re-authentication in which no other is made
REAUTHENTICATION_INTERVAL = 5
#: seconds before its expiry from which a token is not used for a new request; at most half of the
#: token's lifetime
EXPIRY_MARGIN = 120
#: errors by which Keystone rejects credentials: 401 if a trust does not exist, 403 if the trustor
#: has lost a role
REJECTIONS = (
    exceptions.BadRequest,
    exceptions.Unauthorized,
    exceptions.Forbidden,
    exceptions.NotFound,
)


def auth_url(conf: cfg.ConfigOpts) -> Any:
    """Return the URL of Keystone with its version; None if there is no Keystone."""
    url = (
        conf.clients_keystone.auth_uri
        or _authtoken_group(conf).www_authenticate_uri
        or getattr(_trustee_group(conf), 'auth_url', None)
    )
    return url and identity.versioned(url)


def domain_admin(conf: cfg.ConfigOpts) -> ks_session.Session | None:
    """Return the session of the administrator of stack users; None if no domain is configured."""
    domain = conf.stack_user_domain_id or conf.stack_user_domain_name
    if not domain or not conf.stack_domain_admin:
        return None
    by_id = {'user_domain_id': conf.stack_user_domain_id, 'domain_id': conf.stack_user_domain_id}
    by_name = {
        'user_domain_name': conf.stack_user_domain_name,
        'domain_name': conf.stack_user_domain_name,
    }
    auth = v3.Password(
        auth_url(conf),
        username=conf.stack_domain_admin,
        password=conf.stack_domain_admin_password,
        **(by_id if conf.stack_user_domain_id else by_name),
    )
    return create_session(conf, auth)


def options(conf: cfg.ConfigOpts, service: str) -> Callable[..., Any]:
    """Return ``option(name, default=None)``, which reads [clients_SERVICE] and then [clients]."""
    groups = [getattr(conf, name) for name in (f'clients_{service}', 'clients') if name in conf]

    def option(name: str, default: Value = None) -> Value:
        values = (getattr(group, name) for group in groups if name in group)
        return next((value for value in values if value is not None), default)

    return option


def create_session(
    conf: cfg.ConfigOpts,
    auth: base.BaseIdentityPlugin | None = None,
    service: str = 'keystone',
    connections: requests.Session | None = None,
) -> ks_session.Session:
    """Create a session with the certificates for a service.

    ``connections``: a session of requests, which several sessions may share.
    """
    option = options(conf, service)
    verify = not option('insecure') and (option('ca_file') or True)
    cert = (
        (option('cert_file'), option('key_file'))
        if option('cert_file') and option('key_file')
        else option('cert_file')
    )
    return ks_session.Session(
        auth=auth,
        verify=verify,
        cert=cert,
        timeout=option('timeout', TIMEOUT),
        session=connections,
        user_agent=USER_AGENT,
    )


def context_auth(
    conf: cfg.ConfigOpts, context: RequestContext, connections: requests.Session | None = None
) -> base.BaseIdentityPlugin | None:
    """Return the auth plug-in of a request: by trust, token or password. None without any."""
    keystone = create_session(conf, connections=connections)
    if context.trust_id:
        return trust_auth(conf, context.trust_id)
    if context.auth_token:
        return TokenAuth(keystone, auth_url(conf), context.auth_token, context.auth_token_info)
    if context.username and context.password:
        return v3.Password(
            auth_url(conf),
            username=context.username,
            password=context.password,
            project_id=context.project_id,
            user_domain_id=context.user_domain_id or 'default',
        )
    return None


class TokenAuth(base.BaseIdentityPlugin):
    """Auth plug-in that uses the token of a request as it is, and fetches its catalog once.

    keystoneauth's Token plug-in would exchange it for another, which Keystone refuses for a token
    of a trust.
    """

    def __init__(
        self,
        keystone: ks_session.Session,
        url: str | None,
        token: str,
        info: Values | None = None,
    ) -> None:
        """``info`` is the body of Keystone's response about the token, if it is known."""
        super().__init__(url)
        self._keystone = keystone
        self._token = token
        self._info = info
        self._lock = threading.Lock()

    def get_auth_ref(self, session: ks_session.Session) -> access.AccessInfo:
        """Fetch the catalog, unless it is known; ``session`` is not used, as its certificates are
        for a service.
        """
        if self._info is not None:
            return access.create(body=self._info, auth_token=self._token)
        headers = {'X-Auth-Token': self._token, 'X-Subject-Token': self._token}
        response = self._keystone.get(
            f'{self.auth_url}/auth/tokens', headers=headers, authenticated=False, log=False
        )
        return access.create(resp=response, auth_token=self._token)

    def get_access(self, session: ks_session.Session, **kwargs: Any) -> access.AccessInfo:
        with self._lock:
            if self.auth_ref is None:
                self.auth_ref = self.get_auth_ref(session)
                catalog: Any = self.auth_ref.service_catalog
                # the library would copy all of the catalog for each endpoint that is looked up
                catalog.normalize_catalog = functools.cache(catalog.normalize_catalog)
            return self.auth_ref

    def get_headers(self, session: ks_session.Session) -> dict[str, str] | None:
        """Return the header of the token, without a request to Keystone."""
        return {plugin.IDENTITY_AUTH_HEADER_NAME: self._token}

    def invalidate(self) -> bool:
        """Return False: no other token can be requested."""
        return False

    def expires_soon(self) -> bool:
        """Return whether the token is about to expire; False while its catalog is not fetched."""
        known = self.auth_ref
        if known is None or known.expires is None:
            return False
        lifetime = (known.expires - known.issued) if known.issued else datetime.timedelta(0)
        return known.will_expire_soon(int(min(EXPIRY_MARGIN, lifetime.total_seconds() / 2)))


class Fallback(Protocol):
    """Source of auth plug-ins for the time after a token has expired."""

    def login(self) -> base.BaseIdentityPlugin:
        """Return an auth plug-in, the same one until there is a better one.

        Raises a HeatException that explains why there is none.
        """

    def refused(self, error: Exception) -> Exception:
        """Return the error to raise when Keystone rejects the last auth plug-in."""


class FallbackAuth(base.BaseIdentityPlugin):
    """Auth plug-in that uses that of a request, and those of a ``fallback`` once it expires.

    ``first``, the auth plug-in of the request, may be None.
    """

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        first: base.BaseIdentityPlugin | None,
        fallback: Fallback,
        connections: requests.Session | None = None,
    ) -> None:
        super().__init__(auth_url(conf))
        self._keystone = create_session(conf, connections=connections)
        self._first = self._current = first
        self._fallback = fallback
        self._reauthenticated_at = float('-inf')
        self._lock = threading.Lock()

    def get_auth_ref(self, session: ks_session.Session) -> access.AccessInfo:
        return self.get_access(session)

    def get_access(self, session: ks_session.Session, **kwargs: Any) -> access.AccessInfo:
        """Return the token; ``session`` is not used, as its certificates are for a service."""
        current = self._select()
        try:
            return current.get_access(self._keystone)
        except REJECTIONS as error:
            self._replace(current, error)
        return self.get_access(session)

    def _replace(self, rejected: base.BaseIdentityPlugin, error: Exception) -> None:
        """Replace an auth plug-in that Keystone rejects. Raises if there is no other."""
        refusal = None if rejected is self._first else self._fallback.refused(error)
        with self._lock:
            self._current = self._fallback.login()
            if self._current is rejected:
                raise refusal or error from error

    def get_headers(self, session: ks_session.Session) -> dict[str, str] | None:
        current = self._select()
        if current is self._first:
            return current.get_headers(self._keystone)
        token = self.get_access(session).auth_token
        return None if token is None else {plugin.IDENTITY_AUTH_HEADER_NAME: token}

    def invalidate(self) -> bool:
        """Discard a token that a service rejected. Raises if there is no other.

        Concurrent requests with an expired token are rejected together, and one re-authentication
        serves them all.
        """
        with self._lock:
            now = time.monotonic()
            if now - self._reauthenticated_at > REAUTHENTICATION_INTERVAL:
                if (
                    self._current is not None
                    and not self._current.invalidate()
                    and self._current is self._first
                ):
                    self._current = self._fallback.login()
                self._reauthenticated_at = now
            return True

    def _select(self) -> base.BaseIdentityPlugin:
        with self._lock:
            if self._current is None:
                self._current = self._fallback.login()
            elif isinstance(self._current, TokenAuth) and self._current.expires_soon():
                # without a fallback the token is used until it expires
                with contextlib.suppress(exception.HeatException):
                    self._current = self._fallback.login()
            return self._current


def trust_auth(conf: cfg.ConfigOpts, trust_id: str) -> Any:
    """Return the auth plug-in for a trust; None if [trustee] is not configured.

    Keystone refuses a trust together with a project or domain, so those of [trustee] are cleared.
    """
    scope = dict.fromkeys(
        (
            'project_id',
            'project_name',
            'project_domain_id',
            'project_domain_name',
            'domain_id',
            'domain_name',
        )
    )
    return trustee_auth(conf, trust_id=trust_id, **scope)


def trustee_auth(conf: cfg.ConfigOpts, **overrides: Any) -> base.BaseIdentityPlugin | None:
    """Return the auth plug-in of the trustee; None if [trustee] is not configured."""
    configured, loading = _trustee_group(conf), identity.register_auth(conf, 'trustee')
    if not configured.auth_type:
        return None
    return loading.load_auth_from_conf_options(conf, 'trustee', **overrides)


def _authtoken_group(conf: cfg.ConfigOpts) -> Any:
    """Return [keystone_authtoken], which names Keystone for the API's token validation."""
    with contextlib.suppress(cfg.DuplicateOptError):
        conf.register_opt(cfg.StrOpt('www_authenticate_uri'), group='keystone_authtoken')
    return conf.keystone_authtoken


def _trustee_group(conf: cfg.ConfigOpts) -> Any:
    loading = identity.register_auth(conf, 'trustee')
    # Without an auth_type no option of the group is required, and a reload of the configuration
    # must not fail for a missing one.
    if conf.trustee.auth_type:
        plugin_options = loading.get_auth_plugin_conf_options(conf.trustee.auth_type)
        conf.register_opts(plugin_options, group='trustee')
    return conf.trustee
