"""Logs in to Keystone with the name and password that a request carries: for clients that have no tokens."""

import webob.exc
from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3

from heat_lite.api import configuration
from heat_lite.api.middleware import identity
from heat_lite.api.middleware.context import auth_url_of

TIMEOUT = 30


class PasswordFilter:
    """X-Auth-User and X-Auth-Key give a token for the project in the URL.

    With ``multi_cloud`` X-Auth-Url chooses among ``allowed`` Keystones.
    """

    def __init__(self, application, auth_url, multi_cloud=False, allowed=(), verify=True):
        self.application = application
        self.auth_url = auth_url
        self.multi_cloud = multi_cloud
        self.allowed = allowed
        self.session = session.Session(verify=verify, timeout=TIMEOUT)

    def __call__(self, environ, start_response):
        try:
            auth_url = self._auth_url(environ)
            access = self._log_in(environ, auth_url)
        except webob.exc.HTTPError as refusal:
            return refusal(environ, start_response)
        identity.write(environ, **_described(access))
        environ[identity.AUTH_URL] = auth_url
        return self.application(environ, start_response)

    def _auth_url(self, environ):
        if not self.multi_cloud:
            return self.auth_url
        url = environ.get('HTTP_X_AUTH_URL')
        if not url:
            raise webob.exc.HTTPBadRequest('X-Auth-Url header not provided.')
        if url not in self.allowed:
            raise webob.exc.HTTPUnauthorized('The Keystone of X-Auth-Url is not allowed here.')
        return url

    def _log_in(self, environ, auth_url):
        login = v3.Password(
            auth_url=auth_url,
            username=environ.get('HTTP_X_AUTH_USER'),
            password=environ.get('HTTP_X_AUTH_KEY'),
            user_domain_id=environ.get('HTTP_X_USER_DOMAIN_ID', 'default'),
            project_id=identity.tenant_of(environ),
        )
        if not login.auth_methods[0].username or not login.auth_methods[0].password:
            raise webob.exc.HTTPUnauthorized('X-Auth-User and X-Auth-Key are needed.')
        try:
            return login.get_access(self.session)
        except (exceptions.Unauthorized, exceptions.Forbidden, exceptions.NotFound, exceptions.AuthorizationFailure, exceptions.BadRequest):
            raise webob.exc.HTTPUnauthorized() from None
        except exceptions.ClientException as error:
            raise webob.exc.HTTPServiceUnavailable(f'Keystone cannot be asked: {type(error).__name__}') from error


def _described(access):
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
        'roles': ','.join(access.role_names),
        'is_admin_project': str(access.is_admin_project),
    }


def filter_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    options = conf.auth_password
    return lambda application: PasswordFilter(application, auth_url_of(conf), options.multi_cloud, options.allowed_auth_uris)
