"""Responses in XML, in JSON where the request has ``ContentType=JSON``, and those of RPC."""

import datetime
import re
import urllib.parse
from collections.abc import Callable
from xml.etree import ElementTree

import cbor2
import webob

from heat_lite.api import wsgi
from heat_lite.common.value_texts import to_json
from heat_lite.common.value_types import Value, Values, without_none

#: the protocol of RPC with CBOR, the key of the environ with its name, and that of RPC with JSON
SMITHY, RPC, TARGET = 'HTTP_SMITHY_PROTOCOL', 'rpc-v2-cbor', 'HTTP_X_AMZ_TARGET'
CBOR, AMZ_JSON = 'application/cbor', 'application/x-amz-json-1.0'
#: elements of results that are no texts, beside booleans and times
NUMBERS: dict[str, Callable[[Value], Value]] = {
    'EvaluationPeriods': int,
    'Period': int,
    'Threshold': float,
}
XML, JSON = 'application/xml', 'application/json'
#: the key of the environ: whether the parameters of the request ask for JSON
AS_JSON = 'heat_lite.aws.json'
#: elements whose maps and lists are a JSON text in XML
JSON_TEXTS = ('Metadata', 'OutputValue', 'TemplateBody')
#: the element of each item of a list
ITEM = 'member'
_NAME = re.compile('[A-Za-z_][A-Za-z0-9_.-]*', re.ASCII)
#: characters that XML 1.0 does not have, escaped or not
_INVALID = re.compile('[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]')


def wants_json(environ: wsgi.Environ) -> bool:
    """Return whether a request asks for JSON, also if its parameters could not be read."""
    if AS_JSON in environ:
        return bool(environ[AS_JSON])
    query = urllib.parse.parse_qs(environ.get('QUERY_STRING', '')[:8192], errors='replace')
    return query.get('ContentType') == ['JSON']


def action_response(action: str, result: Values, environ: wsgi.Environ) -> webob.Response:
    """Return the result of an action: ``<XResponse><XResult>...``, in RPC the result alone."""
    protocol = protocol_of(environ)
    if protocol is not None:
        return rpc_response(result, protocol)
    body = {f'{action}Response': {f'{action}Result': result}}
    return wsgi.json_response(body) if wants_json(environ) else xml_response(body)


def xml_response(value: Values, status: int = 200) -> webob.Response:
    """Return a map with one key, the root, as XML: see ``_fill``."""
    ((name, content),) = value.items()
    root = ElementTree.Element(name)
    _fill(root, content)
    return webob.Response(
        body=ElementTree.tostring(root), status=status, content_type=XML, charset='UTF-8'
    )


def protocol_of(environ: wsgi.Environ) -> str | None:
    """Return the type of the bodies of RPC, CBOR or AMZ_JSON; None for the query protocol."""
    if environ.get(SMITHY) == RPC:
        return CBOR
    return AMZ_JSON if TARGET in environ else None


def rpc_response(value: Values, protocol: str, status: int = 200) -> webob.Response:
    """Return a map as the body of RPC, its values with their types."""
    typed = _typed('', value, protocol)
    if protocol == CBOR:
        body = cbor2.dumps(typed, datetime_as_timestamp=True)
        headers = {'smithy-protocol': RPC}
        return webob.Response(body, status, content_type=CBOR, headers=headers)
    body = to_json(typed).encode()
    return webob.Response(body, status, content_type=AMZ_JSON, charset=None)


def rpc_error(code: str, message: str, status: int, protocol: str) -> webob.Response:
    """Return an error as clients of RPC read it; the header has the code of the query protocol."""
    response = rpc_response({'__type': code, 'message': message}, protocol, status)
    response.headers['x-amzn-query-error'] = f'{code};{sender_of(status)}'
    return response


def sender_of(status: int) -> str:
    """Return who has caused an error, in the words of AWS."""
    return 'Server' if status >= 500 else 'Sender'


def _typed(name: str, value: Value, protocol: str) -> Value:
    """Return a value with the type that AWS's model gives its name; times of JSON are numbers."""
    if isinstance(value, dict):
        known = without_none(value)
        return {key: _typed(key, child, protocol) for key, child in known.items()}
    if isinstance(value, list):
        return [_typed('', child, protocol) for child in value]
    if isinstance(value, bool):
        return value
    if name.endswith('Timestamp'):
        time = datetime.datetime.fromisoformat(value)
        return time if protocol == CBOR else time.timestamp()
    return NUMBERS.get(name, str)(value)


def _fill(element: ElementTree.Element, value: Value) -> None:
    """Set the content of an element.

    A map is an element for each key, without those that are None; a list an element ``member``
    for each item; a boolean ``true`` or ``false``.
    """
    if isinstance(value, dict) and not all(_NAME.fullmatch(name) for name in value):
        element.text = to_json(value)  # keys of users, which are no names of elements
    elif isinstance(value, dict):
        for name, child in value.items():
            if child is not None:
                below = ElementTree.SubElement(element, name)
                is_text = name in JSON_TEXTS and child and isinstance(child, dict | list)
                _fill(below, to_json(child) if is_text else child)
    elif isinstance(value, list | tuple):
        for item in value:
            _fill(ElementTree.SubElement(element, ITEM), item)
    elif isinstance(value, bool):
        element.text = 'true' if value else 'false'
    elif value is not None:
        element.text = _INVALID.sub('\ufffd', str(value))
