"""Errors in Amazon's words, as XML."""

import logging
from xml.etree import ElementTree

import webob

from heat_lite.api import wsgi
from heat_lite.common import exception

LOG = logging.getLogger(__name__)
XML = 'application/xml'


class Fault(Exception):
    """``code`` is Amazon's name of the error."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status = status
        self.code = code


def denied():
    return Fault(403, 'AccessDenied', 'User is not authorized to perform action')


def unsigned():
    return Fault(400, 'IncompleteSignature', 'The request signature does not conform to AWS standards')


def of(error):
    """Any exception as a Fault."""
    if isinstance(error, Fault):
        return error
    if not isinstance(error, exception.HeatException) or error.code >= 500:
        LOG.exception('Request failed', exc_info=error)
        return Fault(500, 'InternalFailure', 'The request processing has failed due to an internal error')
    if error.code == 403:
        return denied()
    return Fault(400, 'InvalidParameterValue', str(error))


class FaultFilter:
    """The outermost thing around the door."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        try:
            return self.application(environ, start_response)
        except Exception as error:
            response = answer(of(error))
        wsgi.drain(environ)
        return response(environ, start_response)


def answer(fault):
    root = ElementTree.Element('ErrorResponse')
    error = ElementTree.SubElement(root, 'Error')
    told = {'Type': 'Receiver' if fault.status >= 500 else 'Sender', 'Code': fault.code, 'Message': str(fault)}
    for name, text in told.items():
        ElementTree.SubElement(error, name).text = text
    return document(root, fault.status)


def document(root, status=200):
    return webob.Response(body=ElementTree.tostring(root), status=status, content_type=XML, charset='UTF-8')


def filter_factory(global_conf, **local_conf):
    return FaultFilter
