"""Filter for clouds without Keystone: the engine's ``cloud_backend`` authenticates each request.

The backend gets the credentials of the request and returns the identity. Identity headers of the
client are never used.
"""

import dataclasses

import webob.exc
from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import auth_headers
from heat_lite.common import exception
from heat_lite.common.admission import LoginAdmission
from heat_lite.common.context import RequestContext
from heat_lite.conf import service
from heat_lite.rpc.client import EngineClient

NO_BACKEND = (
    'flavor = custombackend in [paste_deploy] requires cloud_backend in [DEFAULT]: the class that '
    'authenticates requests, e.g. heat_lite_plugins.directory.DirectoryBackend (docs/plugins.md). '
    'Set it for the API and for all engines.'
)
REFUSAL = 'The credentials of the request were not accepted.'


@dataclasses.dataclass
class CustomBackendFilter(wsgi.Filter):
    """Filter that calls ``authenticated_to_backend`` of the engine for each request."""

    client: EngineClient
    logins: LoginAdmission

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        # an engine of an older release returns True, which names no user
        with self.logins.permit(environ):
            identity = self.client.authenticated_to_backend(_credentials(environ))
        if not isinstance(identity, dict):
            return webob.exc.HTTPUnauthorized(REFUSAL)
        auth_headers.set_identity(environ, **identity)
        # for a pipeline of Heat's order, in which the filter "context" is before this one
        environ[wsgi.CONTEXT] = RequestContext.from_environ(environ)
        return self.application


def _credentials(environ: wsgi.Environ) -> RequestContext:
    """Return what the request proves its identity with, and the project that its URL names."""
    return RequestContext(
        auth_token=environ.get('HTTP_X_AUTH_TOKEN'),
        username=environ.get('HTTP_X_AUTH_USER'),
        password=environ.get('HTTP_X_AUTH_KEY'),
        project_id=auth_headers.project_of_path(environ),
        overwrite=False,
    )


@paste_config.make_factory
def filter_factory(conf: cfg.ConfigOpts) -> paste_config.Filter:
    """Raise ConfigurationError without a ``cloud_backend``."""
    if conf.cloud_backend in (None, '', service.HEAT_CLOUD_BACKEND):
        raise exception.ConfigurationError(NO_BACKEND)
    logins = LoginAdmission(conf)
    return lambda application: CustomBackendFilter(application, EngineClient(), logins)
