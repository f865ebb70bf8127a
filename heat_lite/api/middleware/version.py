"""Filter that selects the API version by the first part of the path, or the Accept header."""

import re

import webob
import webob.exc

from heat_lite.api import paste_config, wsgi

VERSION = re.compile(r'v\d+(\.\d+)?$')
SUPPORTED = ('v1', 'v1.0')
ACCEPT = 'application/vnd.openstack.orchestration-'
LIST_PATHS = ('', 'versions')


class VersionFilter(wsgi.Filter):
    """Filter that removes the version from the path; / and other versions get the version list."""

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        path = environ.get('PATH_INFO', '').lstrip('/')
        first, slash, rest = path.partition('/')
        if first in SUPPORTED:
            environ['PATH_INFO'] = slash + rest
        elif first in LIST_PATHS or VERSION.match(first):
            return versions(environ)
        else:
            accepted = environ.get('HTTP_ACCEPT', '')
            if not accepted.startswith(ACCEPT):
                return webob.exc.HTTPNotFound()
            if accepted.removeprefix(ACCEPT) not in SUPPORTED:
                return versions(environ)
        environ['SCRIPT_NAME'] = f'{environ.get("SCRIPT_NAME", "")}/v1'
        return self.application


def versions(environ: wsgi.Environ) -> webob.Response:
    """Return the list of versions, with status 300 as in Heat."""
    href = wsgi.Request(environ).application_url.rstrip('/') + '/v1/'
    links = [{'rel': 'self', 'href': href}]
    body = {'versions': [{'id': 'v1.0', 'status': 'CURRENT', 'links': links}]}
    return wsgi.json_response(body, 300)


def filter_factory(global_conf: paste_config.GlobalConf, **local_conf: str) -> paste_config.Filter:
    return VersionFilter
