"""Filter of the port for containers: it passes signals with a signed URL, and nothing else."""

import re
from collections.abc import Iterable

import webob.exc

from heat_lite.api import wsgi
from heat_lite.common import signal_signature

SIGNAL = re.compile(r'/v1/[^/]+/stacks/[^/]+/[^/]+/resources/[^/]+/signal')
METHODS = ('POST', 'PUT')
#: what a container may not say about itself
IDENTITY = 'HTTP_X_'


class ContainerSignalFilter:
    """Filter that raises HTTPForbidden for each request but a signed signal.

    The signature is over the path, so a URL is good for one resource of one stack.
    """

    def __init__(self, application: wsgi.WsgiApp, secret: bytes) -> None:
        self._application, self._secret = application, secret

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        path = wsgi_path(environ)
        is_signal = environ['REQUEST_METHOD'] in METHODS and SIGNAL.fullmatch(path)
        query = environ.get('QUERY_STRING', '')
        if not is_signal or not signal_signature.is_signed(path, query, self._secret):
            raise webob.exc.HTTPForbidden('This port takes signals with a signed URL only.')
        kept = {key: each for key, each in environ.items() if not key.startswith(IDENTITY)}
        # Containers send with curl or wget, which name the type of a form.
        kept.update(REQUEST_METHOD='POST', QUERY_STRING='', CONTENT_TYPE='application/json')
        return self._application(kept, start_response)


def wsgi_path(environ: wsgi.Environ) -> str:
    """Return the decoded path of a request."""
    path = environ.get('SCRIPT_NAME', '') + environ.get('PATH_INFO', '')
    return path.encode('latin-1').decode('utf-8', 'replace')
