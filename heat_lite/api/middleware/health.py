"""Filter for /healthcheck: 200 if an engine reaches its database, else 503 with the reason."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

import webob

from heat_lite.api import wsgi
from heat_lite.common import context, exception
from heat_lite.rpc.client import EngineClient

LOG = logging.getLogger(__name__)

PATH = '/healthcheck'
TIMEOUT = 5


class HealthFilter:
    """Filter that responds to its path without authentication, and passes all others on."""

    def __init__(self, application: wsgi.WsgiApp, client: EngineClient) -> None:
        self.application = application
        self.client = client

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        if environ.get('PATH_INFO') != PATH:
            return self.application(environ, start_response)
        return self._response()(environ, start_response)

    def _response(self) -> webob.Response:
        failure = self._failure()
        response = webob.Response(
            status=503 if failure else 200, content_type='text/plain', charset='UTF-8'
        )
        response.text = f'{failure}\n' if failure else ''
        return response

    def _failure(self) -> str | None:
        """Return the failure, or None. The list of engines is read from the database."""
        try:
            self.client.list_services(context.admin_context())
        except exception.HeatException as error:
            return str(error)
        except Exception as error:
            LOG.exception('Health check failed')
            return f'The engine or its database fails: {type(error).__name__}'
        return None


def filter_factory(
    global_conf: dict[str, Any], timeout: float = TIMEOUT, **local_conf: Any
) -> Callable[..., Any]:
    """``timeout``: seconds to wait for the engine."""
    return lambda application: HealthFilter(application, EngineClient(timeout=float(timeout)))
