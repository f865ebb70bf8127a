"""Errors in the form of AWS: XML or JSON with AWS error codes, and the texts of Heat's API."""

import dataclasses
import logging
from collections.abc import Iterable

import webob
import webob.exc

from heat_lite.api import paste_config, wsgi
from heat_lite.api.aws import responses
from heat_lite.api.middleware import version
from heat_lite.common import exception

LOG = logging.getLogger(__name__)

#: AWS error code -> HTTP status and the first part of the message
CODES = {
    'APINotImplemented': (500, 'The requested action is not yet implemented'),
    'AccessDenied': (403, 'User is not authorized to perform action'),
    'AlreadyExists': (400, 'Resource with the name requested already exists'),
    'IncompleteSignature': (400, 'The request signature does not conform to AWS standards'),
    'InternalFailure': (500, 'The request processing has failed due to an internal error'),
    'InvalidAction': (400, 'The action or operation requested is invalid'),
    'InvalidClientTokenId': (403, 'The certificate or AWS Key ID provided does not exist'),
    'InvalidParameterCombination': (400, 'Incompatible parameters were used together'),
    'InvalidParameterValue': (400, 'A bad or out-of-range value was supplied'),
    'InvalidQueryParameter': (400, 'AWS query string is malformed, does not adhere to AWS spec'),
    'MalformedQueryString': (404, 'The query string is malformed'),
    'MissingAction': (400, 'The request is missing an action or operation parameter'),
    'MissingAuthenticationToken': (403, 'Does not contain a valid AWS Access Key or certificate'),
    'MissingParameter': (400, 'A mandatory input parameter is missing'),
    'OptInRequired': (403, 'The AWS Access Key ID needs a subscription for the service'),
    'RequestExpired': (400, 'Request expired or more than 15mins in the future'),
    'RequestLimitExceeded': (400, 'Payload size exceeds maximum allowed size'),
    'ServiceUnavailable': (503, 'Service temporarily unavailable'),
    'SignatureDoesNotMatch': (
        403,
        'The request signature we calculated does not match the signature you provided',
    ),
    'Throttling': (400, 'Request was denied due to request throttling'),
}
#: HTTP status of an error of the engine -> AWS error code; other statuses below 500 are
#: InvalidParameterValue
CODE_OF_STATUS = {
    403: 'AccessDenied',
    429: 'Throttling',
    503: 'ServiceUnavailable',
    504: 'ServiceUnavailable',
}
#: errors of the engine whose code does not follow from their status
CODE_OF_ERROR: dict[type[Exception], str] = {
    exception.ActionInProgress: 'InvalidAction',
    exception.InvalidTenant: 'InvalidParameterValue',
    exception.RequestLimitExceeded: 'RequestLimitExceeded',
    exception.StackExists: 'AlreadyExists',
}


class Fault(Exception):
    """An error; ``status``: HTTP status, ``code``: AWS error code, ``allow``: header of a 405."""

    def __init__(self, status: int, code: str, message: str, allow: str = '') -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.allow = allow


def fault(code: str, detail: str = '') -> Fault:
    """Return the error of a code of CODES. ``detail`` follows the text of the code."""
    status, text = CODES[code]
    return Fault(status, code, f'{text}:{detail}' if detail else text)


def denied() -> Fault:
    return fault('AccessDenied')


def from_exception(error: Exception) -> Fault:
    """Return any exception as a Fault."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, webob.exc.HTTPClientError):
        return _from_http_error(error)
    if isinstance(error, webob.exc.HTTPServiceUnavailable):
        return fault('ServiceUnavailable', error.detail or '')
    if type(error) is ValueError:  # of the engine, as by the other API
        return fault('InvalidParameterValue', str(error))
    if not isinstance(error, exception.HeatException):
        return _internal(error)
    code = next((code for kind, code in CODE_OF_ERROR.items() if isinstance(error, kind)), None)
    if code is None and error.code < 500:
        code = CODE_OF_STATUS.get(error.code, 'InvalidParameterValue')
    elif code is None:
        code = CODE_OF_STATUS.get(error.code)
        if code is None or error.__cause__ is not None:
            return _internal(error)
        LOG.warning('Request refused: %s', error)
    # a user learns no more than Heat tells
    return denied() if code == 'AccessDenied' else fault(code, str(error))


def _from_http_error(error: webob.exc.HTTPClientError) -> Fault:
    if error.code in (401, 403):
        return denied()
    found = fault('InvalidParameterValue', error.detail or error.explanation)
    found.status = error.code
    return found


def _internal(error: Exception) -> Fault:
    LOG.exception('Request failed', exc_info=error)
    return fault('InternalFailure')


@dataclasses.dataclass
class FaultFilter:
    """Outermost filter, which turns errors into responses."""

    application: wsgi.WsgiApp

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        try:
            return self.application(environ, start_response)
        except Exception as error:
            found = from_exception(error)
            protocol = responses.protocol_of(environ)
            if protocol is not None:
                response = responses.rpc_error(found.code, str(found), found.status, protocol)
            else:
                response = error_response(found, responses.wants_json(environ))
        wsgi.drain(environ)
        return response(environ, start_response)


def error_response(found: Fault, as_json: bool = False) -> webob.Response:
    error = {
        'Type': responses.sender_of(found.status),
        'Code': found.code,
        'Message': str(found),
    }
    if as_json:
        response = wsgi.json_response({'Error': error}, found.status)
    else:
        response = responses.xml_response({'ErrorResponse': {'Error': error}}, found.status)
    if found.allow:
        response.headers['Allow'] = found.allow
    return response


def filter_factory(global_conf: paste_config.GlobalConf, **local_conf: str) -> paste_config.Filter:
    return FaultFilter


def version_factory(global_conf: paste_config.GlobalConf, **local_conf: str) -> paste_config.Filter:
    """Turn errors into responses, and select the version of the API by the path."""
    return lambda application: FaultFilter(version.VersionFilter(application))
