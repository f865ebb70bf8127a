"""Filter that logs in to Keystone with the name and password of a request without a token."""

import dataclasses
from collections.abc import Callable, Sequence

import webob.exc
from keystoneauth1 import access as ks_access, exceptions, session
from keystoneauth1.identity import v3
from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import auth_headers
from heat_lite.api.middleware.context import auth_url_of
from heat_lite.common import exception
from heat_lite.common.admission import LoginAdmission
from heat_lite.common.value_types import Value, Values
from heat_lite.conf import identity

TIMEOUT = 30
NO_KEYSTONE = (
    'The pipeline of [paste_deploy] flavor logs in to Keystone with names and passwords, and there '
    'is no URL of Keystone: set auth_uri in [clients_keystone], or www_authenticate_uri in '
    '[keystone_authtoken], or multi_cloud and allowed_auth_uris in [auth_password].'
)


@dataclasses.dataclass
class PasswordFilter(wsgi.Filter):
    """Filter that reads X-Auth-User and X-Auth-Key and requests a token for the URL's project.

    With ``multi_cloud``, X-Auth-Url selects one of the ``allowed`` Keystones.
    """

    logins: LoginAdmission
    auth_url: str
    multi_cloud: bool = False
    allowed: Sequence[str] = ()
    verify: bool | str = True
    cert: str | tuple[str, str] | None = None

    def __post_init__(self) -> None:
        self.session = session.Session(verify=self.verify, cert=self.cert, timeout=TIMEOUT)

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        try:
            self.authenticate(environ)
        except webob.exc.HTTPError as refusal:
            return refusal
        return self.application

    def authenticate(self, environ: wsgi.Environ) -> None:
        """Set the identity of the requester. Raises HTTPError for a refused login."""
        auth_url = self._auth_url(environ)
        with self.logins.permit(environ):
            access = self._log_in(environ, auth_url)
        auth_headers.set_identity(environ, **_identity(access))
        environ[auth_headers.AUTH_URL] = auth_url

    def _auth_url(self, environ: wsgi.Environ) -> str:
        if not self.multi_cloud:
            return self.auth_url
        url = environ.get('HTTP_X_AUTH_URL')
        if not url:
            raise webob.exc.HTTPBadRequest('X-Auth-Url header not provided.')
        if url not in self.allowed:
            raise webob.exc.HTTPUnauthorized('The Keystone of X-Auth-Url is not allowed here.')
        return url

    @staticmethod
    def _project(environ: wsgi.Environ) -> str | None:
        """Return the project in the path, or in X-Project-Id of APIs whose paths have none.

        Without both, Keystone selects the default project of the user.
        """
        return auth_headers.project_of_path(environ) or environ.get('HTTP_X_PROJECT_ID')

    def _log_in(self, environ: wsgi.Environ, auth_url: str) -> ks_access.AccessInfo:
        name, key = environ.get('HTTP_X_AUTH_USER'), environ.get('HTTP_X_AUTH_KEY')
        if not name or not key:
            raise webob.exc.HTTPUnauthorized('X-Auth-User and X-Auth-Key are needed.')
        auth = v3.Password(
            auth_url=identity.versioned(auth_url),
            username=name,
            password=key,
            user_domain_id=environ.get('HTTP_X_USER_DOMAIN_ID', 'default'),
            project_id=self._project(environ),
        )
        try:
            return auth.get_access(self.session)
        except (
            exceptions.Unauthorized,
            exceptions.Forbidden,
            exceptions.NotFound,
            exceptions.AuthorizationFailure,
            exceptions.BadRequest,
        ):
            raise webob.exc.HTTPUnauthorized() from None
        except exceptions.ClientException as error:
            raise webob.exc.HTTPServiceUnavailable(
                f'Keystone cannot be reached: {type(error).__name__}'
            ) from error


def _identity(access: ks_access.AccessInfo) -> dict[str, str | None]:
    return {
        'auth_token': access.auth_token,
        'user_id': access.user_id,
        'user_name': access.username,
        'user_domain_id': access.user_domain_id,
        'user_domain_name': access.user_domain_name,
        'project_id': access.project_id,
        'project_name': access.project_name,
        'project_domain_id': access.project_domain_id,
        'project_domain_name': access.project_domain_name,
        'roles': ','.join(access.role_names or ()),
        'is_admin_project': str(access.is_admin_project),
    }


def has_keystone(conf: cfg.ConfigOpts) -> bool:
    """Return whether there is a Keystone to log in to."""
    options = conf.auth_password
    return bool(options.allowed_auth_uris if options.multi_cloud else auth_url_of(conf))


def make_filter(conf: cfg.ConfigOpts) -> Callable[[wsgi.WsgiApp], PasswordFilter]:
    """Raise ConfigurationError without a Keystone to log in to."""
    options, auth_url = conf.auth_password, auth_url_of(conf) or ''
    if not has_keystone(conf):
        raise exception.ConfigurationError(NO_KEYSTONE)
    certificates, logins = _certificates(conf), LoginAdmission(conf)
    return lambda application: PasswordFilter(
        application,
        logins,
        auth_url,
        options.multi_cloud,
        options.allowed_auth_uris,
        **certificates,
    )


filter_factory = paste_config.make_factory(make_filter)


def _certificates(conf: cfg.ConfigOpts) -> Values:
    """Return ``verify`` and ``cert`` of [clients_keystone], or else of [clients]."""

    def option(name: str) -> Value:
        value = conf.clients_keystone[name]
        return conf.clients[name] if value is None else value

    cert, key = option('cert_file'), option('key_file')
    return {
        'verify': not option('insecure') and (option('ca_file') or True),
        'cert': (cert, key) if cert and key else cert,
    }
