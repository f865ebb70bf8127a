"""Filters of oslo.middleware, made with the configuration of the application that is being loaded."""

from oslo_middleware.http_proxy_to_wsgi import HTTPProxyToWSGI
from oslo_middleware.request_id import RequestId

from heat_lite.api import configuration


def request_id_factory(global_conf, **local_conf):
    """Numbers the request; the number is in the answer's x-openstack-request-id and in the log."""
    return RequestId


def proxy_factory(global_conf, **local_conf):
    """Makes URLs those of the proxy in front, where [oslo_middleware] says to believe its headers."""
    conf = configuration.find(global_conf)
    return lambda application: HTTPProxyToWSGI(application, conf)
