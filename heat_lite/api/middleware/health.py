"""/healthcheck: 200 when an engine answers that its database answers, or 503 that says what failed."""

import logging

import webob

from heat_lite.common import context, exception
from heat_lite.rpc.client import EngineClient

LOG = logging.getLogger(__name__)

PATH = '/healthcheck'
TIMEOUT = 5


class HealthFilter:
    """Answers its one path without asking who asks, passes on all others."""

    def __init__(self, application, client):
        self.application = application
        self.client = client

    def __call__(self, environ, start_response):
        if environ.get('PATH_INFO') != PATH:
            return self.application(environ, start_response)
        return self._answer()(environ, start_response)

    def _answer(self):
        failure = self._failure()
        response = webob.Response(status=503 if failure else 200, content_type='text/plain', charset='UTF-8')
        response.text = f'{failure}\n' if failure else ''
        return response

    def _failure(self):
        """What keeps the service from working, in words; the list of engines is read because it is in the database."""
        try:
            self.client.list_services(context.admin_context())
        except exception.HeatException as error:
            return str(error)
        except Exception as error:
            LOG.exception('Health check failed')
            return f'The engine or its database fails: {type(error).__name__}'
        return None


def filter_factory(global_conf, timeout=TIMEOUT, **local_conf):
    """``timeout``: seconds that an engine has for its answer."""
    return lambda application: HealthFilter(application, EngineClient(timeout=float(timeout)))
