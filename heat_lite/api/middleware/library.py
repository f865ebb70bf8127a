"""Filters of oslo.middleware, made with the configuration of the application that is being loaded.

Each of them would take a request apart into an object and its answer again, which costs more than what it does. So here they do it to the
environment and the headers alone; what they do is theirs.
"""

import types

from oslo_context import context
from oslo_middleware import cors, http_proxy_to_wsgi, request_id

from heat_lite.api import configuration
from heat_lite.api.middleware import identity

# what pages of a dashboard send and want to see
CORS = {
    'allow_headers': [
        'X-Auth-Token',
        'X-Identity-Status',
        'X-Roles',
        'X-Service-Catalog',
        'X-User-Id',
        'X-Tenant-Id',
        'X-OpenStack-Request-ID',
    ],
    'expose_headers': ['X-Auth-Token', 'X-Subject-Token', 'X-Service-Token', 'X-OpenStack-Request-ID'],
    'allow_methods': ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
}
INBOUND = identity.key(request_id.INBOUND_HEADER)


def set_defaults():
    """Defaults of options that are the library's."""
    cors.set_defaults(**CORS)


class CorsFilter(cors.CORS):
    """Asked only where it would say something: to pages of browsers."""

    def __call__(self, environ, start_response):
        if environ['REQUEST_METHOD'] != 'OPTIONS' and 'HTTP_ORIGIN' not in environ:
            return self.application(environ, start_response)
        return super().__call__(environ, start_response)


class ProxyFilter(http_proxy_to_wsgi.HTTPProxyToWSGI):
    def __call__(self, environ, start_response):
        self.process_request(types.SimpleNamespace(environ=environ))
        return self.application(environ, start_response)


class RequestIdFilter(request_id.RequestId):
    def __call__(self, environ, start_response):
        headers = {request_id.INBOUND_HEADER: environ.get(INBOUND, '')}
        self.set_global_req_id(types.SimpleNamespace(environ=environ, headers=headers))
        number = environ[request_id.ENV_REQUEST_ID] = context.generate_request_id()

        def start(status, headers, exc_info=None):
            if all(name.lower() != request_id.HTTP_RESP_HEADER_REQUEST_ID for name, _ in headers):
                headers = [*headers, (request_id.HTTP_RESP_HEADER_REQUEST_ID, number)]
            return start_response(status, headers, exc_info)

        return self.application(environ, start)


def cors_factory(global_conf, **local_conf):
    """Lets the pages of the sites in [cors] allowed_origin use the API; answers OPTIONS, for which browsers send no token."""
    set_defaults()
    conf = configuration.find(global_conf)
    return lambda application: CorsFilter(application, conf)


def request_id_factory(global_conf, **local_conf):
    """Numbers the request; the number is in the answer's x-openstack-request-id and in the log."""
    return RequestIdFilter


def proxy_factory(global_conf, **local_conf):
    """Makes URLs those of the proxy in front, where [oslo_middleware] says to believe its headers."""
    conf = configuration.find(global_conf)
    return lambda application: ProxyFilter(application, conf)
