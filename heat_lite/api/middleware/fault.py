"""Filter that turns every error into a JSON response."""

import dataclasses
import logging
import traceback
from collections.abc import Iterable

import webob
import webob.exc
from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.common import exception, metrics
from heat_lite.common.value_types import Values

LOG = logging.getLogger(__name__)

# builtin errors that mean invalid data; Heat's table of statuses has no others
STATUS = {ValueError: 400, AttributeError: 400}


# statuses after which a retry may succeed, and the seconds to wait before it
RETRIABLE = (429, 503)
RETRY_SECONDS = 5
#: statuses of requests that a limit refuses: too many, too large, too much at work
LIMITED = (413, 429, 503)


@dataclasses.dataclass
class FaultFilter:
    """Filter that catches errors. A response contains the traceback only with ``debug``."""

    application: wsgi.WsgiApp
    debug: bool = False

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        try:
            return self.application(environ, start_response)
        except webob.exc.HTTPError as error:
            response = _webob_response(error) or self._response(error)
        except Exception as error:
            response = self._response(error)
        wsgi.drain(environ)
        return response(environ, start_response)

    def _response(self, error: Exception) -> webob.Response:
        status = status_of(error)
        if status in LIMITED:
            metrics.LIMITS.add(getattr(error, 'kind', None) or type(error).__name__)
        if isinstance(error, exception.ServiceUnavailable) and error.__cause__ is None:
            LOG.warning('Request refused: %s', error)  # a traceback would show no more
        elif status >= 500:
            LOG.exception('Request failed', exc_info=error)
        elif isinstance(error, AttributeError):  # which may be a programming error all the same
            LOG.info('Request failed: %s', type(error).__name__)
        title, explanation = _texts(status)
        body = {
            'code': status,
            'title': title,
            'explanation': explanation,
            'error': self._describe(error),
        }
        response = wsgi.json_response(body, status)
        if status in RETRIABLE:
            response.headers['Retry-After'] = str(RETRY_SECONDS)
        headers = getattr(error, 'headers', {})
        if 'Allow' in headers:
            response.headers['Allow'] = headers['Allow']
        return response

    def _describe(self, error: Exception) -> Values:
        kind = getattr(error, 'kind', None) or type(error).__name__.removesuffix('_Remote')
        trace = ''.join(traceback.format_exception(error)) if self.debug else None
        described: Values = {'type': kind, 'traceback': trace}
        message = message_of(error)
        if message is not None:
            described['message'] = message
        # a key of its own, because clients compare the message with that of Heat
        position = getattr(error, 'position', None)
        if position:
            described['position'] = position
        return described


def status_of(error: Exception) -> int:
    """Return the HTTP status of an exception."""
    if isinstance(error, exception.HeatException | webob.exc.HTTPError):
        return error.code
    if isinstance(error, AttributeError) and error.name is not None:
        return 500  # raised by Python for a missing attribute: a programming error
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def message_of(error: Exception) -> str | None:
    """Return the text for the user; None for errors of Python, whose texts are internal."""
    if isinstance(error, webob.exc.HTTPError):
        return error.detail or error.explanation
    if isinstance(error, exception.StackValidationFailed):
        return error.api_message()
    if isinstance(error, exception.HeatException):
        return str(error)
    is_intended = type(error) in STATUS and status_of(error) == 400
    return str(error) or None if is_intended else None


def _texts(status: int) -> tuple[str, str]:
    known = webob.exc.status_map.get(status, webob.exc.HTTPInternalServerError)
    return known.title, known.explanation


def _webob_response(error: webob.exc.HTTPError) -> webob.Response | None:
    """Return WebOb's own 404, in HTML or JSON, for a path without a route, as in Heat."""
    return error if type(error) is webob.exc.HTTPNotFound and not error.detail else None


@paste_config.make_factory
def filter_factory(conf: cfg.ConfigOpts) -> paste_config.Filter:
    return lambda application: FaultFilter(application, debug=bool(conf.debug))
