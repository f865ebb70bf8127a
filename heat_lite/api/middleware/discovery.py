"""Filter that answers version discovery below /v1, for clients without a service catalog.

Clients with a catalog know the version of an endpoint. openstacksdk with ``auth_type: none`` asks
the endpoint itself, e.g. ``/v1/default``, for a document of the form of Keystone's discovery.
"""

import webob

from heat_lite.api import paste_config, wsgi

METHODS = ('GET', 'HEAD')


class DiscoveryFilter(wsgi.Filter):
    """Filter that returns the version document for /v1 and /v1/{project}."""

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        project = environ.get('PATH_INFO', '').strip('/')
        if environ['REQUEST_METHOD'] not in METHODS or '/' in project:
            return self.application
        return version(environ)


def version(environ: wsgi.Environ) -> webob.Response:
    """Return the document of the version, whose link is the URL of the request."""
    href = wsgi.Request(environ).path_url.rstrip('/') + '/'
    links = [{'rel': 'self', 'href': href}]
    return wsgi.json_response({'version': {'id': 'v1.0', 'status': 'CURRENT', 'links': links}})


def filter_factory(global_conf: paste_config.GlobalConf, **local_conf: str) -> paste_config.Filter:
    return DiscoveryFilter
