"""Requests, JSON responses, and the application that routes requests to controllers."""

import contextlib
import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from wsgiref import types

import webob
import webob.exc
from webob.multidict import MultiDict

from heat_lite.api.routing import Route, Router
from heat_lite.common import exception, log_context
from heat_lite.common.admission import RequestAdmission
from heat_lite.common.context import RequestContext
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_texts import read_json, to_json
from heat_lite.common.value_types import Value, Values
from heat_lite.policies.enforcer import Enforcer
from heat_lite.template import reader

Environ = types.WSGIEnvironment
StartResponse = types.StartResponse
WsgiApp = types.WSGIApplication
Write = Callable[[bytes], object]

CONTEXT = 'heat_lite.context'

#: key of the environ: whether the body was read, at least in part (see ``drain``)
BODY_READ = 'heat_lite.body_read'

#: Key of the environ. The value is a function of a server that has a place for a long response: it
#: takes the connection out of the limits for requests, and returns the client: an object with
#: ``is_there()``, the event ``news``, and ``run(call, *arguments)`` for calls that wait. The server
#: must not be made to wait otherwise. Raises ServiceUnavailable.
BEGIN_STREAM = 'heat_lite.begin_stream'

# an escape that is a surrogate, alone or in a pair
SURROGATE = re.compile(rb'\\u[dD][89a-fA-F]')
# limit of the nesting depth of maps and lists in a body
MAX_DEPTH = 150

# bytes of an unread body that are read before an error response
MAX_DRAIN = 16 * 1024 * 1024

NO_BODY = ('GET', 'HEAD', 'DELETE', 'OPTIONS')


class Responder:
    """An application that selects what answers a request: another application, or a response."""

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        return self.answer(environ)(environ, start_response)

    def answer(self, environ: Environ) -> WsgiApp:
        """Return what answers a request; errors are raised."""
        raise NotImplementedError


@dataclasses.dataclass
class Filter(Responder):
    """A responder in front of an application, which answers all other requests."""

    application: WsgiApp


class BadRequest(webob.exc.HTTPBadRequest):
    """A 400 with a given ``error.type`` and the position of the error in a text of the request."""

    def __init__(
        self, detail: str, kind: str = 'HTTPBadRequest', position: Values | None = None
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.position = position


class Request(webob.BaseRequest):
    """A request; its properties raise BadRequest for invalid UTF-8, and for a NUL in the query."""

    #: the beginning of the ETag of the response: of what an update with If-Match must find
    version = ''

    @property
    def context(self) -> RequestContext:
        return self.environ[CONTEXT]

    @property
    def path_text(self) -> str:
        return _text(lambda: self.path_info, 'path')

    @property
    def query(self) -> MultiDict:
        """The query parameters, a MultiDict."""
        query = _text(lambda: self.GET, 'query string')
        if any('\0' in part for item in query.items() for part in item):
            raise BadRequest('The query string contains a NUL character.')
        return query

    def url_of(self, identity: HeatIdentifier) -> str:
        return f'{self.base}/{identity.url_path()}'

    @property
    def base(self) -> str:
        """The URL of the API version, below which the projects are."""
        base = self.environ.get('heat_lite.base')
        if base is None:
            base = self.environ['heat_lite.base'] = self.application_url
        return base


def json_object(body: bytes) -> Values | None:
    """Return the JSON object in a body; None for an empty one. Raises BadRequest."""
    try:
        value = parse_json(body)
    except ValueError as error:
        raise BadRequest(str(error)) from None
    if value is not None and not isinstance(value, dict):
        raise BadRequest('The body is not a JSON object.')
    return value


def signal_details(body: bytes) -> Value:
    """Return the JSON value in a body, else its text, which few types of resources understand."""
    try:
        return parse_json(body)
    except ValueError:
        return body.decode(errors='replace')


def parse_json(body: bytes) -> Value:
    """Return the JSON value in a body; None for an empty one.

    Raises ValueError if it is no JSON, and BadRequest if no engine or database can take the value.
    """
    try:
        value = read_json(body.decode())
    except RecursionError:
        raise _too_deep() from None
    if body.count(b'{') + body.count(b'[') > MAX_DEPTH and reader.is_deeper(value, MAX_DEPTH - 1):
        raise _too_deep()  # it can be parsed, but not serialized for RPC
    if SURROGATE.search(body):
        _check_unicode(value)
    return value


def read_body(environ: Environ, limit: int) -> bytes:
    """Return the body of a request, at most ``limit`` bytes.

    A longer one is refused by its Content-Length, or as soon as so much of its chunks is read.
    Raises RequestLimitExceeded, BadRequest for malformed chunks, and HTTPRequestTimeout.
    """
    length = _length(environ)
    if length is not None and length > limit:
        raise _too_large(f'{length} bytes', limit)
    environ[BODY_READ] = True
    try:
        if length is None:
            return _read_chunked(environ, limit)
        return environ['wsgi.input'].read(length) if length else b''
    except TimeoutError:
        raise webob.exc.HTTPRequestTimeout('The body was not sent in time.') from None
    except (OSError, ValueError) as error:
        raise BadRequest(f'The chunked body is malformed or incomplete: {error}.') from None


def _read_chunked(environ: Environ, limit: int) -> bytes:
    # Only the server knows the end of a chunked body, so it must be one that marks the end.
    if 'HTTP_TRANSFER_ENCODING' not in environ and not environ.get('wsgi.input_terminated'):
        return b''
    parts, size = [], 0
    while chunk := environ['wsgi.input'].read(min(65536, limit + 1 - size)):
        parts.append(chunk)
        size += len(chunk)
        if size > limit:
            raise _too_large('chunked', limit)
    return b''.join(parts)


def _text(read: Callable[[], Value], what: str) -> Value:
    try:
        return read()
    except UnicodeDecodeError:
        raise BadRequest(f'The {what} is not valid UTF-8.') from None


def drain(environ: Environ) -> None:
    """Read the rest of an unread body: a client that still sends would not read the response."""
    try:
        length = 0 if environ.get(BODY_READ) else _length(environ) or 0
    except BadRequest:
        return
    if length > MAX_DRAIN:
        return
    with contextlib.suppress(OSError):
        while length > 0 and (chunk := environ['wsgi.input'].read(min(65536, length))):
            length -= len(chunk)


def _length(environ: Environ) -> int | None:
    text = environ.get('CONTENT_LENGTH') or None
    if text is not None and not (text.isascii() and text.isdigit()):
        raise BadRequest('Content-Length is not a number.')
    return None if text is None else int(text)


def _check_unicode(value: Value) -> None:
    """Raise BadRequest for lone surrogates: no database can store them."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = 'The body contains a lone surrogate (\\ud800 to \\udfff): it is no character.'
        raise BadRequest(text) from None


def _too_deep() -> BadRequest:
    return BadRequest('The body is nested too deeply.')


def _too_large(size: str, limit: int) -> exception.RequestLimitExceeded:
    return exception.RequestLimitExceeded(
        message=f'JSON body size ({size}) exceeds maximum allowed size ({limit} bytes).'
    )


class JsonText(str):
    """The result of an action that is JSON already."""


def json_response(value: Value, status: int = 200) -> webob.Response:
    """Return ``value`` as a JSON response."""
    text = value if isinstance(value, JsonText) else to_json(value)
    body = text.encode()
    return webob.Response(body=body, status=status, content_type='application/json', charset=None)


def _response(result: Value, request: Request) -> webob.Response:
    """Return the response of an action; that of a GET has an ETag, for If-None-Match."""
    if isinstance(result, webob.Response):
        return result
    response = json_response(result)
    if request.method != 'GET':
        return response
    tag = request.version + hashlib.sha256(response.body).hexdigest()[:32]
    if 'HTTP_IF_NONE_MATCH' in request.environ and tag in request.if_none_match:
        response = webob.Response(status=304)
        del response.content_type
    response.etag = tag
    return response


def no_content(headers: dict[str, str] | None = None) -> webob.Response:
    """Return a 204 without a body and its headers."""
    response = webob.Response(status=204)
    del response.content_type
    response.headers.update(headers or {})
    return response


#: key of the environ with what is known of the request, for metrics; copies of filters share it
FACTS = 'heat_lite.facts'


@dataclasses.dataclass
class Application(Responder):
    """Application that routes requests for /{tenant_id}/... to actions.

    Project and policy are checked before the action. An action gets the request, the gaps of its
    path, and ``body`` if the method has one. The gaps that name a stack are its ``identity``, in
    the form of the RPC contract. It returns a response, or the value of a JSON one.
    """

    router: Router
    enforcer: Enforcer
    max_body: int
    admission: RequestAdmission

    def answer(self, environ: Environ) -> webob.Response:
        request = Request(environ)
        route, gaps = self._find(request)
        if route is None:
            return no_content(gaps)
        context = request.context
        facts = {'action': route.name, 'request_id': log_context.id_of(context)}
        environ.get(FACTS, {}).update(facts)
        context.is_admin = self.enforcer.is_admin(context)
        if not context.is_admin and context.project_id != gaps['tenant_id']:
            raise webob.exc.HTTPForbidden()
        if route.rule is not None:
            self.enforcer.enforce(context, route.rule)
        if 'stack_id' in gaps:
            names = gaps.pop('tenant_id'), gaps.pop('stack_name'), gaps.pop('stack_id')
            gaps['identity'] = HeatIdentifier(*names).as_dict()
        has_body = request.method not in NO_BODY
        body = read_body(environ, self.max_body) if has_body else b''
        with self.admission.permit(context, environ):
            if has_body:
                gaps['body'] = (signal_details if route.takes_any else json_object)(body)
            return _response(route.action(request, **gaps), request)

    def _find(self, request: Request) -> tuple[Route | None, Values]:
        path = request.path_text.lstrip('/')
        if '\0' in path:
            # No stored name contains one, and PostgreSQL refuses to search for it.
            raise webob.exc.HTTPNotFound('The path contains a NUL character, and no name does.')
        try:
            return self.router.find(request.method, path)
        except webob.exc.HTTPMethodNotAllowed as refusal:
            if request.method == 'OPTIONS':
                return None, {'Allow': refusal.headers['Allow']}
            raise
