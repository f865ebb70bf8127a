"""Filter of the port for containers: it passes requests with a signed URL, and nothing else."""

import re
from collections.abc import Iterable

import webob.exc

from heat_lite.api import wsgi
from heat_lite.common import signal_signature

SIGNAL = re.compile(r'/v1/[^/]+/stacks/[^/]+/[^/]+/resources/[^/]+/signal')
METHODS = ('POST', 'PUT')
#: what the agent in a container reads: the deployments of the container
DEPLOYMENTS = re.compile(r'/v1/[^/]+/software_deployments/metadata/[^/]+')
#: what a container may not say about itself
IDENTITY = 'HTTP_X_'


class ContainerSignalFilter:
    """Filter that raises HTTPForbidden for each request but a signed signal, and the read of the
    deployments of a container by a signed URL.

    The signature is over the path, so a URL is good for one resource of one stack.
    """

    def __init__(self, application: wsgi.WsgiApp, secret: bytes) -> None:
        self._application, self._secret = application, secret

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        path, method = wsgi_path(environ), _served_as(environ)
        query = environ.get('QUERY_STRING', '')
        if method is None or not signal_signature.is_signed(path, query, self._secret):
            raise webob.exc.HTTPForbidden('This port takes requests with a signed URL only.')
        kept = {key: each for key, each in environ.items() if not key.startswith(IDENTITY)}
        # Containers send with curl or wget, which name the type of a form.
        kept.update(REQUEST_METHOD=method, QUERY_STRING='', CONTENT_TYPE='application/json')
        return self._application(kept, start_response)


def _served_as(environ: wsgi.Environ) -> str | None:
    """Return the method by which a request is served; None if the port does not serve it."""
    path, method = wsgi_path(environ), environ['REQUEST_METHOD']
    if method in METHODS and SIGNAL.fullmatch(path):
        return 'POST'
    return method if method == 'GET' and DEPLOYMENTS.fullmatch(path) else None


def wsgi_path(environ: wsgi.Environ) -> str:
    """Return the decoded path of a request."""
    path = environ.get('SCRIPT_NAME', '') + environ.get('PATH_INFO', '')
    return path.encode('latin-1').decode('utf-8', 'replace')
