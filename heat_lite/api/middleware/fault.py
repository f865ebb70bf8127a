"""Makes every error a JSON answer: the outermost thing around the API."""

import logging
import traceback

import webob.exc

from heat_lite.api import configuration, wsgi
from heat_lite.common import exception

LOG = logging.getLogger(__name__)

# errors of Python that tell of bad data: Heat's map from names to statuses has no others
STATUS = {ValueError: 400, AttributeError: 400}


# what may be gone when it is tried again, and when that is worth while
PASSES = (429, 503)
RETRY_SECONDS = 5


class FaultFilter:
    """Catches what the application raises. The traceback is shown only where ``debug`` is on."""

    def __init__(self, application, debug=False):
        self.application = application
        self.debug = debug

    def __call__(self, environ, start_response):
        try:
            return self.application(environ, start_response)
        except webob.exc.HTTPError as error:
            response = _plain(error) or self._answer(error)
        except Exception as error:
            response = self._answer(error)
        wsgi.drain(environ)
        return response(environ, start_response)

    def _answer(self, error):
        status = status_of(error)
        if status >= 500 or isinstance(error, AttributeError):
            LOG.exception('Request failed', exc_info=error)
        title, explanation = _words(status)
        body = {'code': status, 'title': title, 'explanation': explanation, 'error': self._describe(error)}
        response = wsgi.json_response(body, status)
        if status in PASSES:
            response.headers['Retry-After'] = str(RETRY_SECONDS)
        if 'Allow' in getattr(error, 'headers', ()):
            response.headers['Allow'] = error.headers['Allow']
        return response

    def _describe(self, error):
        kind = getattr(error, 'kind', None) or type(error).__name__.removesuffix('_Remote')
        trace = ''.join(traceback.format_exception(error)) if self.debug else None
        described = {'type': kind, 'traceback': trace}
        message = message_of(error)
        if message is not None:
            described['message'] = message
        # beside the message, which stays as clients and their tests know it
        if getattr(error, 'position', None):
            described['position'] = error.position
        return described


def status_of(error):
    """The HTTP status of any exception."""
    if isinstance(error, exception.HeatException | webob.exc.HTTPError):
        return error.code
    if isinstance(error, AttributeError) and error.name is not None:
        return 500  # raised by Python itself, over an attribute that an object has not: a mistake of ours, whatever the data
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def message_of(error):
    """The text that a user may see. What Python says about its own types is not meant for users."""
    if isinstance(error, webob.exc.HTTPError):
        return error.detail or error.explanation
    if isinstance(error, exception.StackValidationFailed):
        return error.answer()
    if isinstance(error, exception.HeatException):
        return str(error)
    return str(error) if type(error) is ValueError and str(error) else None


def _words(status):
    known = webob.exc.status_map.get(status, webob.exc.HTTPInternalServerError)
    return known.title, known.explanation


def _plain(error):
    """Paths that nobody serves get the plain 404 of WebOb, in HTML or JSON as the client likes."""
    return error if type(error) is webob.exc.HTTPNotFound and not error.detail else None


def filter_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    return lambda application: FaultFilter(application, debug=bool(conf.debug))
