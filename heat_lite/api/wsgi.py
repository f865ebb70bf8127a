"""The ground under the controllers: requests, answers in JSON, and the application that brings both together."""

import json

import webob
import webob.exc

from heat_lite.api.routing import Route, Router
from heat_lite.common import exception

CONTEXT = 'heat_lite.context'

BODY_READ = 'heat_lite.body_read'

# Heat takes these for JSON; a body of any other kind is left alone
JSON_TYPES = ('application/json', 'JSON', '')

# how many maps and lists of a body may stand inside each other
MAX_DEPTH = 150

# bytes of a refused body that are read for politeness
MAX_DRAIN = 16 * 1024 * 1024

NO_BODY = ('GET', 'HEAD', 'DELETE', 'OPTIONS')


class BadRequest(webob.exc.HTTPBadRequest):
    """A 400 that shows the client another ``error.type`` than its own name, and where in a text of the request the fault is."""

    def __init__(self, detail, kind='HTTPBadRequest', position=None):
        super().__init__(detail)
        self.kind = kind
        self.position = position


class Request(webob.BaseRequest):
    """A request whose parts were found to be text: no broken encoding, no NUL."""

    @property
    def context(self):
        return self.environ[CONTEXT]

    @property
    def path_text(self):
        return _text(lambda: self.path_info, 'path')

    @property
    def query(self):
        """What follows the question mark, a MultiDict."""
        query = _text(lambda: self.GET, 'query string')
        if any('\0' in part for item in query.items() for part in item):
            raise BadRequest('The query string contains a NUL character.')
        return query

    def link(self, identity, rel):
        """A link to what a HeatIdentifier names."""
        return {'href': self.url_of(identity), 'rel': rel}

    def url_of(self, identity):
        return f'{self.base}/{identity.url_path()}'

    @property
    def base(self):
        """The URL below which the projects are."""
        base = self.environ.get('heat_lite.base')
        if base is None:
            base = self.environ['heat_lite.base'] = self.application_url
        return base

    def json_object(self, limit):
        """The object in the body; None where the body does not begin with a brace, as Heat has it."""
        if not self._is_json():
            return None
        body = self._read(limit)
        if not body.startswith(b'{'):
            return None
        try:
            value = json.loads(body.decode())
        except ValueError as error:
            raise BadRequest(str(error)) from None
        except RecursionError:
            raise _too_deep() from None
        if body.count(b'{') + body.count(b'[') > MAX_DEPTH:
            _check_depth(value)
        return value

    def _is_json(self):
        kind = self.environ.get('CONTENT_TYPE', '')
        return kind.partition(';')[0].strip() in JSON_TYPES or kind.startswith('text/plain')

    def _read(self, limit):
        length = _length(self.environ)
        if length is not None and length > limit:
            raise _too_large(f'{length} bytes', limit)
        self.environ[BODY_READ] = True
        if length is None:
            return self._read_unmeasured(limit)
        return self.environ['wsgi.input'].read(length) if length else b''

    def _read_unmeasured(self, limit):
        # chunked: only the server knows where it ends, so it must be one that marks the end
        if 'HTTP_TRANSFER_ENCODING' not in self.environ and not self.environ.get('wsgi.input_terminated'):
            return b''
        body = b''
        while chunk := self.environ['wsgi.input'].read(min(65536, limit + 1 - len(body))):
            body += chunk
            if len(body) > limit:
                raise _too_large('chunked', limit)
        return body


def _text(read, what):
    try:
        return read()
    except UnicodeDecodeError:
        raise BadRequest(f'The {what} is not valid UTF-8.') from None


def drain(environ):
    """Take what is left of a body that nobody wanted: a client that is still sending would not look at the answer."""
    try:
        length = 0 if environ.get(BODY_READ) else _length(environ) or 0
    except BadRequest:
        return
    if length > MAX_DRAIN:
        return
    while length > 0 and (chunk := environ['wsgi.input'].read(min(65536, length))):
        length -= len(chunk)


def _length(environ):
    text = environ.get('CONTENT_LENGTH') or None
    if text is not None and not (text.isascii() and text.isdigit()):
        raise BadRequest('Content-Length is not a number.')
    return None if text is None else int(text)


def _check_depth(value):
    """Level by level: what is nested deeply can be read, but not be written again for the engine."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for part in level for child in (part.values() if isinstance(part, dict) else part) if isinstance(child, dict | list)]
        if not level:
            return
    raise _too_deep()


def _too_deep():
    return BadRequest('The body is nested too deeply.')


def _too_large(size, limit):
    return exception.RequestLimitExceeded(message=f'JSON body size ({size}) exceeds maximum allowed size ({limit} bytes).')


def json_response(value, status=200):
    """``value`` as a response."""
    # what came as JSON has no circles, and looking for them would take as long as all the rest
    body = json.dumps(value, check_circular=False).encode()
    return webob.Response(body=body, status=status, content_type='application/json', charset=None)


def no_content(headers=()):
    """204, without a body or its headers."""
    response = webob.Response(status=204)
    del response.content_type
    response.headers.update(headers)
    return response


class Application:
    """Routes requests for /{tenant_id}/... to actions, after project and policy are checked.

    ``routes`` has rows (method, path, 'controller.action'), and a fourth column where the policy rule is not named as the action.
    ``controllers`` have names, and a ``scope``: what their rules begin with. An action gets the request, what stands in the gaps of its
    path, and ``body`` where the method has one. It gives a response, or what is to be one in JSON.
    """

    def __init__(self, routes, controllers, enforcer, max_body):
        self._enforcer = enforcer
        self._max_body = max_body
        self._router = Router()
        for method, path, target, *rule in routes:
            self._router.add(method, path, _route(controllers, target, *rule))

    def __call__(self, environ, start_response):
        return self.respond(Request(environ))(environ, start_response)

    def respond(self, request):
        """The response to a request; errors are raised."""
        route, gaps = self._find(request)
        if route is None:
            return no_content(gaps)
        context = request.context
        context.is_admin = self._enforcer.is_admin(context)
        if not context.is_admin and context.project_id != gaps['tenant_id']:
            raise webob.exc.HTTPForbidden()
        if route.rule is not None:
            self._enforcer.enforce(context, route.rule)
        if request.method not in NO_BODY:
            gaps['body'] = request.json_object(self._max_body)
        answer = route.action(request, **gaps)
        return answer if isinstance(answer, webob.Response) else json_response(answer)

    def _find(self, request):
        path = request.path_text.lstrip('/')
        if '\0' in path:
            raise BadRequest('The path contains a NUL character.')
        try:
            return self._router.find(request.method, path)
        except webob.exc.HTTPMethodNotAllowed as refusal:
            if request.method == 'OPTIONS':
                return None, {'Allow': refusal.headers['Allow']}
            raise


def _route(controllers, target, rule=True):
    """``rule``: True for the rule that is named as the action, or the name of another, or None."""
    scope, _, action = target.partition('.')
    controller = controllers[scope]
    return Route(getattr(controller, action), f'{controller.scope}:{action}' if rule is True else rule)
