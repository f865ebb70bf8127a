"""Errors in the form of AWS: XML with AWS error codes."""

import logging
from collections.abc import Callable, Iterable
from typing import Any
from xml.etree import ElementTree

import webob
import webob.exc

from heat_lite.api import wsgi
from heat_lite.common import exception

LOG = logging.getLogger(__name__)
XML = 'application/xml'


class Fault(Exception):
    """An error; ``status``: HTTP status, ``code``: AWS error code."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def denied() -> Fault:
    return Fault(403, 'AccessDenied', 'User is not authorized to perform action')


def unsigned() -> Fault:
    return Fault(
        400, 'IncompleteSignature', 'The request signature does not conform to AWS standards'
    )


def from_exception(error: Exception) -> Fault:
    """Return any exception as a Fault."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, webob.exc.HTTPClientError):
        return Fault(error.code, 'InvalidParameterValue', error.detail or error.explanation)
    if isinstance(error, exception.ServiceUnavailable) and error.__cause__ is None:
        LOG.warning('Request refused: %s', error)
        return Fault(503, 'ServiceUnavailable', str(error))
    if not isinstance(error, exception.HeatException) or error.code >= 500:
        LOG.exception('Request failed', exc_info=error)
        return Fault(
            500, 'InternalFailure', 'The request processing has failed due to an internal error'
        )
    if error.code == 403:
        return denied()
    return Fault(400, 'InvalidParameterValue', str(error))


class FaultFilter:
    """Outermost filter, which turns errors into responses."""

    def __init__(self, application: wsgi.WsgiApp) -> None:
        self.application = application

    def __call__(
        self, environ: wsgi.Environ, start_response: wsgi.StartResponse
    ) -> Iterable[bytes]:
        try:
            return self.application(environ, start_response)
        except Exception as error:
            response = error_response(from_exception(error))
        wsgi.drain(environ)
        return response(environ, start_response)


def error_response(fault: Fault) -> webob.Response:
    root = ElementTree.Element('ErrorResponse')
    error = ElementTree.SubElement(root, 'Error')
    fields = {
        'Type': 'Receiver' if fault.status >= 500 else 'Sender',
        'Code': fault.code,
        'Message': str(fault),
    }
    for name, text in fields.items():
        ElementTree.SubElement(error, name).text = text
    return xml_response(root, fault.status)


def xml_response(root: ElementTree.Element, status: int = 200) -> webob.Response:
    return webob.Response(
        body=ElementTree.tostring(root), status=status, content_type=XML, charset='UTF-8'
    )


def filter_factory(global_conf: dict[str, Any], **local_conf: Any) -> Callable[..., Any]:
    return FaultFilter
