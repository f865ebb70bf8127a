"""Responses of the query protocol: XML, or JSON where the request has ``ContentType=JSON``."""

import re
import urllib.parse
from xml.etree import ElementTree

import webob

from heat_lite.api import wsgi
from heat_lite.common.value_texts import to_json
from heat_lite.common.value_types import Value, Values

#: the protocol of RPC with CBOR, and the key of the environ with its name
SMITHY, RPC = 'HTTP_SMITHY_PROTOCOL', 'rpc-v2-cbor'
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


def action_response(action: str, result: Values, as_json: bool) -> webob.Response:
    """Return the result of an action: ``<XResponse><XResult>...``."""
    body = {f'{action}Response': {f'{action}Result': result}}
    return wsgi.json_response(body) if as_json else xml_response(body)


def xml_response(value: Values, status: int = 200) -> webob.Response:
    """Return a map with one key, the root, as XML: see ``_fill``."""
    ((name, content),) = value.items()
    root = ElementTree.Element(name)
    _fill(root, content)
    return webob.Response(
        body=ElementTree.tostring(root), status=status, content_type=XML, charset='UTF-8'
    )


def is_cbor(environ: wsgi.Environ) -> bool:
    """Return whether a client reads errors in CBOR only: those of the protocol of RPC."""
    return environ.get(SMITHY) == RPC


def cbor_error(code: str, message: str, status: int) -> webob.Response:
    """Return an error in CBOR (RFC 8949): a map of two texts."""
    texts = ('__type', code, 'message', message)
    return webob.Response(
        body=b'\xa2' + b''.join(_cbor_text(each) for each in texts),
        status=status,
        content_type='application/cbor',
        headers={'smithy-protocol': RPC, 'x-amzn-query-error': f'{code};Sender'},
    )


def _cbor_text(text: str) -> bytes:
    encoded = text.encode()[:0xFFFF]
    return b'\x79' + len(encoded).to_bytes(2, 'big') + encoded


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
