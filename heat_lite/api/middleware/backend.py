"""Lets in whom the engine's own backend lets in: for clouds that are not Keystone's."""

import webob.exc

from heat_lite.api import wsgi
from heat_lite.rpc.client import EngineClient


class BackendFilter:
    """Asks ``authenticated_to_backend`` for each request."""

    def __init__(self, application, client):
        self.application = application
        self.client = client

    def __call__(self, environ, start_response):
        if self.client.authenticated_to_backend(environ[wsgi.CONTEXT]):
            return self.application(environ, start_response)
        return webob.exc.HTTPUnauthorized()(environ, start_response)


def filter_factory(global_conf, **local_conf):
    return lambda application: BackendFilter(application, EngineClient())
