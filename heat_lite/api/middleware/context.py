"""Puts the RequestContext on a request, made from the headers that authentication left there."""

from heat_lite.api import configuration, wsgi
from heat_lite.api.middleware import identity
from heat_lite.common.context import RequestContext


class ContextFilter:
    """``auth_url`` is where the user's token comes from, if the request does not name it."""

    def __init__(self, application, auth_url=None):
        self.application = application
        self.auth_url = auth_url

    def __call__(self, environ, start_response):
        environ[wsgi.CONTEXT] = self._context(environ)
        return self.application(environ, start_response)

    def _context(self, environ):
        # Who it is, the filters before us say. Where to log in for them must not be the client's to say: the service sends its own
        # password there. So no header is read for it, only what the password filter has checked.
        return RequestContext.from_environ(
            environ,
            password=environ.get('HTTP_X_AUTH_KEY'),
            auth_url=environ.get(identity.AUTH_URL) or self.auth_url,
            region_name=environ.get('HTTP_X_REGION_NAME'),
        )


def auth_url_of(conf):
    """The Keystone that users are told of; None where there is none."""
    for group, name in (('clients_keystone', 'auth_uri'), ('keystone_authtoken', 'www_authenticate_uri')):
        if group in conf and name in conf[group] and conf[group][name]:
            return conf[group][name]
    return None


def filter_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    return lambda application: ContextFilter(application, auth_url_of(conf))
