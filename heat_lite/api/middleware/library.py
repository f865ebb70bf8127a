"""Filters of oslo.middleware, made with the configuration of the application that is being loaded."""

from oslo_middleware import cors
from oslo_middleware.http_proxy_to_wsgi import HTTPProxyToWSGI
from oslo_middleware.request_id import RequestId

from heat_lite.api import configuration

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


def set_defaults():
    """Defaults of options that are the library's."""
    cors.set_defaults(**CORS)


def cors_factory(global_conf, **local_conf):
    """Lets the pages of the sites in [cors] allowed_origin use the API; answers OPTIONS, for which browsers send no token."""
    set_defaults()
    conf = configuration.find(global_conf)
    return lambda application: cors.CORS(application, conf)


def request_id_factory(global_conf, **local_conf):
    """Numbers the request; the number is in the answer's x-openstack-request-id and in the log."""
    return RequestId


def proxy_factory(global_conf, **local_conf):
    """Makes URLs those of the proxy in front, where [oslo_middleware] says to believe its headers."""
    conf = configuration.find(global_conf)
    return lambda application: HTTPProxyToWSGI(application, conf)
