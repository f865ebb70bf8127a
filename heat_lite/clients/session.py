"""Sessions of keystoneauth: how to reach Keystone, and as whom. Options are read here, once."""

import contextlib
import datetime
import threading
import time

from keystoneauth1 import access, exceptions, plugin
from keystoneauth1 import session as ks_session
from keystoneauth1.identity import base, v3
from oslo_config import cfg

from heat_lite.common import exception
from heat_lite.conf import identity

TIMEOUT = 60
USER_AGENT = 'heat-lite'
#: how long after a login anew no other is made, in seconds
RENEWED_SECONDS = 5
#: how long before its end a token is no longer trusted to reach the end of a request, in seconds; of short ones it is half their life
STALE_SECONDS = 120
#: what Keystone says to a login that is not, or no longer, good: a trust that is gone is a 401, one without its roles a 403
REFUSALS = (exceptions.BadRequest, exceptions.Unauthorized, exceptions.Forbidden, exceptions.NotFound)


def auth_url(conf):
    """The Keystone that users are told of, with its version; None where there is none: then nobody has to log in anywhere."""
    url = conf.clients_keystone.auth_uri or _authtoken(conf).www_authenticate_uri or getattr(_trustee(conf), 'auth_url', None)
    return url and f'{url.rstrip("/").removesuffix("/v3").removesuffix("/v2.0")}/v3'


def domain_admin(conf):
    """The session of the user that manages the users of stacks; None where no domain is configured."""
    domain = conf.stack_user_domain_id or conf.stack_user_domain_name
    if not domain or not conf.stack_domain_admin:
        return None
    by_id = {'user_domain_id': conf.stack_user_domain_id, 'domain_id': conf.stack_user_domain_id}
    by_name = {'user_domain_name': conf.stack_user_domain_name, 'domain_name': conf.stack_user_domain_name}
    named = by_id if conf.stack_user_domain_id else by_name
    login = v3.Password(auth_url(conf), username=conf.stack_domain_admin, password=conf.stack_domain_admin_password, **named)
    return plain(conf, login)


def options(conf, service):
    """``option(name)``: that of [clients_SERVICE], or of [clients] where that group is not there or says nothing."""
    groups = [getattr(conf, name) for name in (f'clients_{service}', 'clients') if name in conf]

    def option(name, default=None):
        said = (getattr(group, name) for group in groups if name in group)
        return next((value for value in said if value is not None), default)

    return option


def plain(conf, login=None, service='keystone', connections=None):
    """A session with the certificates that are configured for a service. ``connections``, a session of requests, may be shared."""
    option = options(conf, service)
    verify = not option('insecure') and (option('ca_file') or True)
    cert = (option('cert_file'), option('key_file')) if option('cert_file') and option('key_file') else option('cert_file')
    return ks_session.Session(auth=login, verify=verify, cert=cert, timeout=TIMEOUT, session=connections, user_agent=USER_AGENT)


def login(conf, context, connections=None):
    """How to act as the one who asks: by his trust, by his token, or by his password. None where nothing of that is known."""
    keystone = plain(conf, connections=connections)
    if context.trust_id:
        return by_trust(conf, context.trust_id)
    if context.auth_token:
        return GivenToken(keystone, auth_url(conf), context.auth_token)
    if context.username and context.password:
        domain = {'user_domain_id': context.user_domain_id or 'default'}
        return v3.Password(auth_url(conf), username=context.username, password=context.password, project_id=context.project_id, **domain)
    return None


class GivenToken(base.BaseIdentityPlugin):
    """The token that came with a request, as it is: a token of a trust cannot be exchanged for another. Its catalog is asked for once."""

    def __init__(self, keystone, url, token):
        super().__init__(url)
        self._keystone = keystone
        self._token = token
        self._guard = threading.Lock()

    def get_auth_ref(self, session):
        """``session`` is that of the service that is to be asked: its certificates are not those for Keystone."""
        headers = {'X-Auth-Token': self._token, 'X-Subject-Token': self._token}
        answer = self._keystone.get(f'{self.auth_url}/auth/tokens', headers=headers, authenticated=False, log=False)
        return access.create(resp=answer, auth_token=self._token)

    def get_access(self, session):
        with self._guard:
            if self.auth_ref is None:
                self.auth_ref = self.get_auth_ref(session)
            return self.auth_ref

    def get_headers(self, session):
        """Nothing has to be asked for that."""
        return {plugin.IDENTITY_AUTH_HEADER_NAME: self._token}

    def invalidate(self):
        """There is no other token to be had."""
        return False

    def is_about_to_end(self):
        """As far as is known: a token whose catalog nobody has asked for may be of any age."""
        known = self.auth_ref
        if known is None or known.expires is None:
            return False
        life = (known.expires - known.issued) if known.issued else datetime.timedelta(0)
        return known.will_expire_soon(int(min(STALE_SECONDS, life.total_seconds() / 2)))


class Relay(base.BaseIdentityPlugin):
    """Acts by the login of a request for as long as that lasts, and then by what ``later`` has.

    ``first`` may be None. ``later.login()`` gives another login, the same as long as it has no better one, or raises why there is none;
    ``later.refused(error)`` gives what to raise where Keystone takes that no longer.
    """

    def __init__(self, conf, first, later, connections=None):
        super().__init__(auth_url(conf))
        self._keystone = plain(conf, connections=connections)
        self._first = self._present = first
        self._later = later
        self._renewed = float('-inf')
        self._guard = threading.Lock()

    def get_auth_ref(self, session):
        return self.get_access(session)

    def get_access(self, session):
        """``session`` is that of the service that is to be asked: its certificates are not those for Keystone."""
        present = self._chosen()
        try:
            return present.get_access(self._keystone)
        except REFUSALS as error:
            self._go_over(present, error)
        return self.get_access(session)  # somebody has left another meanwhile

    def _go_over(self, present, error):
        """From a login that Keystone refuses to another. Raises why there is none."""
        refused = None if present is self._first else self._later.refused(error)
        with self._guard:
            self._present = self._later.login()
            if self._present is present:
                raise refused from error

    def get_headers(self, session):
        present = self._chosen()
        if present is self._first:
            return present.get_headers(self._keystone)
        return {plugin.IDENTITY_AUTH_HEADER_NAME: self.get_access(session).auth_token}

    def invalidate(self):
        """A service takes the token no longer. Raises why there is no other."""
        with self._guard:
            now = time.monotonic()
            # what was asked side by side with a token that has ended is refused together: one login anew is enough for all
            if now - self._renewed > RENEWED_SECONDS:
                if self._present is not None and not self._present.invalidate() and self._present is self._first:
                    self._present = self._later.login()
                self._renewed = now
            return True

    def _chosen(self):
        with self._guard:
            if self._present is None:
                self._present = self._later.login()
            elif isinstance(self._present, GivenToken) and self._present.is_about_to_end():
                with contextlib.suppress(exception.HeatException):  # it has not ended yet
                    self._present = self._later.login()
            return self._present


def by_trust(conf, trust_id):
    """The login of the service that acts for a user by a trust; None where [trustee] is not configured."""
    # who logs in by a trust cannot ask for a project or a domain besides
    nowhere = dict.fromkeys(('project_id', 'project_name', 'project_domain_id', 'project_domain_name', 'domain_id', 'domain_name'))
    return trustee(conf, trust_id=trust_id, **nowhere)


def trustee(conf, **others):
    """The login of the service itself, as the one that trusts are given to; None where [trustee] is not configured."""
    configured, loading = _trustee(conf), identity.register_auth(conf, 'trustee')
    if not configured.auth_type:
        return None
    return loading.load_auth_from_conf_options(conf, 'trustee', **others)


def _authtoken(conf):
    """What the API has to check tokens says where Keystone is, too."""
    with contextlib.suppress(cfg.DuplicateOptError):
        conf.register_opt(cfg.StrOpt('www_authenticate_uri'), group='keystone_authtoken')
    return conf.keystone_authtoken


def _trustee(conf):
    loading = identity.register_auth(conf, 'trustee')
    if conf.trustee.auth_type:  # else nothing of it is required, and reading the files again must not miss it
        conf.register_opts(loading.get_auth_plugin_conf_options('password'), group='trustee')
    return conf.trustee
