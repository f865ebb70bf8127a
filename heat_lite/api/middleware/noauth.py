"""Filter without authentication, for a service on one machine. The project is that of the URL."""

import json

from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import auth_headers
from heat_lite.common.value_types import Values

USER_ID = 'noauth00000000000000000000000001'
USER_NAME = 'noauth'
DOMAIN = 'default'
ROLES = 'member,heat_stack_owner,reader'


class NoAuthFilter(wsgi.Filter):
    """Filter; ``token``, in the form of Keystone's token validation, sets the identity of all.

    A filter before the pipeline may set the identity of a request (``auth_headers.IDENTITY``).
    """

    def __init__(self, application: wsgi.WsgiApp, token: Values | None = None) -> None:
        super().__init__(application)
        fixed = auth_headers.identity_of_token(token or {})
        self.fixed = {name: value for name, value in fixed.items() if value}

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        project = auth_headers.project_of_path(environ)
        identity = {'auth_token': environ.get('HTTP_X_AUTH_TOKEN'), **identity_of(project)}
        found = environ.get(auth_headers.IDENTITY, lambda project: {})
        auth_headers.set_identity(environ, **{**identity, **self.fixed, **found(project)})
        return self.application


def identity_of(project: str | None) -> dict[str, str | None]:
    """Return the identity of the user of this machine in a project."""
    return {
        'user_id': USER_ID,
        'user_name': USER_NAME,
        'user_domain_id': DOMAIN,
        'project_id': project,
        'project_name': project,
        'project_domain_id': DOMAIN,
        'roles': ROLES,
    }


@paste_config.make_factory
def filter_factory(conf: cfg.ConfigOpts) -> paste_config.Filter:
    """[noauth] token_response is the body of a token validation response of Keystone, or empty."""
    text = conf.noauth.token_response
    token = json.loads(text).get('token') if text else None
    return lambda application: NoAuthFilter(application, token)
