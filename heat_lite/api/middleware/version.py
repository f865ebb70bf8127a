"""Chooses the version of the API by the first part of the path, or by the Accept header."""

import json
import re

import webob
import webob.exc

from heat_lite.api import wsgi

VERSION = re.compile(r'v\d+(\.\d+)?$')
OURS = ('v1', 'v1.0')
ACCEPT = 'application/vnd.openstack.orchestration-'
LIST = ('', 'versions')


class VersionFilter:
    """Takes the version off the path. Answers / and unknown versions with the list of versions."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        path = environ.get('PATH_INFO', '').lstrip('/')
        first, slash, rest = path.partition('/')
        if first in OURS:
            environ['SCRIPT_NAME'] = f'{environ.get("SCRIPT_NAME", "")}/v1'
            environ['PATH_INFO'] = slash + rest
            return self.application(environ, start_response)
        return self._without_version(first, environ)(environ, start_response)

    def _without_version(self, first, environ):
        if first in LIST or VERSION.match(first):
            return versions(environ)
        accepted = environ.get('HTTP_ACCEPT', '')
        if not accepted.startswith(ACCEPT):
            return webob.exc.HTTPNotFound()
        if accepted.removeprefix(ACCEPT) not in OURS:
            return versions(environ)
        environ['SCRIPT_NAME'] = f'{environ.get("SCRIPT_NAME", "")}/v1'
        return self.application


def versions(environ):
    """The versions that are there."""
    href = wsgi.Request(environ).application_url.rstrip('/') + '/v1/'
    body = {'versions': [{'id': 'v1.0', 'status': 'CURRENT', 'links': [{'rel': 'self', 'href': href}]}]}
    return webob.Response(body=json.dumps(body).encode(), status=300, content_type='application/json', charset=None)


def filter_factory(global_conf, **local_conf):
    return VersionFilter
