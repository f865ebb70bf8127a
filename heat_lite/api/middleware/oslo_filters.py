"""Filters of oslo.middleware with the configuration of the application.

The library's filters create request and response objects, which takes longer than their work. The
subclasses here call the same methods on the WSGI environment and the headers.
"""

import types
from collections.abc import Iterable

from oslo_config import cfg
from oslo_context import context
from oslo_middleware import cors, http_proxy_to_wsgi, request_id

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import auth_headers
from heat_lite.common.value_types import Value

# headers and methods that dashboards use
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
    'expose_headers': [
        'X-Auth-Token',
        'X-Subject-Token',
        'X-Service-Token',
        'X-OpenStack-Request-ID',
    ],
    'allow_methods': ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
}
INBOUND = auth_headers.environ_key(request_id.INBOUND_HEADER)


def set_defaults() -> None:
    """Set the defaults of options that the library defines."""
    cors.set_defaults(**CORS)


class CorsFilter(cors.CORS):
    """CORS filter; it skips requests that do not come from a page in a browser."""

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        if environ['REQUEST_METHOD'] != 'OPTIONS' and 'HTTP_ORIGIN' not in environ:
            return self.application(environ, start_response)  # type: ignore[misc]
        return super().__call__(environ, start_response)


class ProxyFilter(http_proxy_to_wsgi.HTTPProxyToWSGI):
    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        self.process_request(types.SimpleNamespace(environ=environ))
        return self.application(environ, start_response)  # type: ignore[misc]


class RequestIdFilter(request_id.RequestId):
    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        headers = {request_id.INBOUND_HEADER: environ.get(INBOUND, '')}
        self.set_global_req_id(types.SimpleNamespace(environ=environ, headers=headers))
        request_id_value = environ[request_id.ENV_REQUEST_ID] = context.generate_request_id()
        # for the log lines until the identity of the request is known
        context.RequestContext(request_id=request_id_value)

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Value) -> wsgi.Write:
            if all(name.lower() != request_id.HTTP_RESP_HEADER_REQUEST_ID for name, _ in headers):
                headers = [*headers, (request_id.HTTP_RESP_HEADER_REQUEST_ID, request_id_value)]
            return start_response(status, headers, *exc_info)

        return self.application(environ, start)  # type: ignore[misc]


@paste_config.make_factory
def cors_factory(conf: cfg.ConfigOpts) -> paste_config.Filter:
    """Permit pages of [cors] allowed_origin; respond to OPTIONS, which has no token."""
    set_defaults()
    return lambda application: CorsFilter(application, conf)


def request_id_factory(
    global_conf: paste_config.GlobalConf, **local_conf: str
) -> paste_config.Filter:
    """Set the request id of the response header x-openstack-request-id and of the log."""
    return RequestIdFilter


@paste_config.make_factory
def proxy_factory(conf: cfg.ConfigOpts) -> paste_config.Filter:
    """Use the URL of the proxy, if [oslo_middleware] enables the parsing of its headers."""
    return lambda application: ProxyFilter(application, conf)
