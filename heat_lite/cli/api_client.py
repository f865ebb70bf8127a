"""A client of the Orchestration API that uses the standard library only, for a fast start."""

import contextlib
import http.client
import json
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import IO, Any

from heat_lite.common.value_types import Value, Values

LOOPBACK = ('127.0.0.1', 'localhost', '::1')
#: HTTP statuses of a proxy whose service does not answer
UNAVAILABLE = (502, 503, 504)
NO_SERVICE_BEHIND = ' answered in place of the service, which may be starting; try again later'
TOKEN_HEADER = 'X-Auth-Token'
NO_TOKEN = (
    '. Another token is given by --token or OS_TOKEN; --os-cloud logs in, and renews tokens that '
    'have expired'
)
NOT_JSON = ' answered a web page instead of JSON: is this the URL of an orchestration service?'
NO_ROUTE = ' (nothing is at {}; an endpoint has the form http://HOST:PORT/v1/PROJECT)'
TAG = re.compile(r'</?[a-z]+ ?/?>', re.IGNORECASE)
#: an empty part of a message: ``A: : B``
EMPTY_PART = re.compile(r':\s+(?=:\s)')


class RequestFailed(Exception):
    """A failed request to the service or to Keystone.

    ``status``: the HTTP status; 0 without a response
    ``kind``: the class of the error in the service, e.g. ``EntityNotFound``
    ``position``: the place in the request that the error is about, ``{file, line, column}``
    """

    exit_status = 1

    def __init__(
        self, status: int, text: str, kind: str = '', position: dict | None = None
    ) -> None:
        super().__init__(EMPTY_PART.sub('', text))
        self.status = status
        self.kind = kind
        self.position = position

    def __str__(self) -> str:
        place = ' (file {file}, line {line}, column {column})'
        return self.text + (place.format(**self.position) if self.position else '')

    @property
    def text(self) -> str:
        """The message without its position."""
        return super().__str__()

    @property
    def is_temporary(self) -> bool:
        """Whether the service may answer later: it restarts, or its proxy cannot reach it."""
        return self.status == 0 or self.status in UNAVAILABLE


class InvalidEndpoint(RequestFailed):
    """No request can be sent to this endpoint: it was written wrongly."""

    exit_status = 2

    def __init__(self, text: str) -> None:
        super().__init__(0, text)


class ServiceUnreachable(RequestFailed):
    """No connection, or no usable response."""

    def __init__(self, text: str) -> None:
        super().__init__(0, text)


class RedirectHandler(urllib.request.HTTPRedirectHandler):
    """Follows redirects. The token is sent to its own server only, maybe by TLS instead."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None and not _may_have_token(req.full_url, request.full_url):
            request.remove_header(TOKEN_HEADER.capitalize())
        return request


def _may_have_token(before: str, after: str) -> bool:
    """Return whether the server of a redirect may have the token, by the rule of requests.

    A proxy with TLS may listen on another port.
    """
    old, new = urllib.parse.urlsplit(before), urllib.parse.urlsplit(after)
    if old.hostname != new.hostname:
        return False
    if (old.scheme, new.scheme) == ('http', 'https'):
        return True
    return old.scheme == new.scheme and _port_of(old) == _port_of(new)


def _port_of(parts: urllib.parse.SplitResult) -> int:
    return parts.port or (443 if parts.scheme == 'https' else 80)


def build_opener(url: str, tls: ssl.SSLContext | None = None) -> urllib.request.OpenerDirector:
    """Return an opener with the user's proxies, but without proxies for a loopback address."""
    handlers: list[urllib.request.BaseHandler] = [RedirectHandler()]
    if urllib.parse.urlsplit(url).hostname in LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    if tls is not None:
        handlers.append(urllib.request.HTTPSHandler(context=tls))
    return urllib.request.build_opener(*handlers)


def failure(url: str, error: urllib.error.HTTPError) -> RequestFailed:
    """Return the message of an error response, and the position in the template if it has one.

    The service and Keystone answer {"error": {"message": ...}}; middleware of OpenStack answers
    {"explanation": ...} or plain text. A web page comes from another server.
    """
    text = error.read().decode('utf-8', 'replace').strip()
    summary = f'{error.code} {error.reason}'
    if error.code == 300:  # the list of versions
        return RequestFailed(300, summary + NO_ROUTE.format(url.partition('?')[0]))
    try:
        answer = json.loads(text)
        details = answer.get('error', answer) if isinstance(answer, dict) else {}
        if isinstance(details, str):
            return RequestFailed(error.code, details)
        found = details.get('message') or details.get('explanation') or summary
        if details is answer:
            return RequestFailed(error.code, without_markup(str(found), error))
        kind = str(details.get('type') or '')
        return RequestFailed(error.code, str(found), kind, _position(details.get('position')))
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    if text.startswith('<') and error.code in UNAVAILABLE:
        return RequestFailed(error.code, f'{summary}: {server_of(url)}{NO_SERVICE_BEHIND}')
    if text.startswith('<'):
        return RequestFailed(error.code, f'{summary}: {server_of(url)}{NOT_JSON}')
    return RequestFailed(error.code, ' '.join(TAG.sub(' ', text).split()) or summary)


def without_markup(text: str, error: urllib.error.HTTPError) -> str:
    """Return the text of a web framework, which answers instead of the service.

    An unknown path is explained.
    """
    hint = NO_ROUTE.format((error.url or '').partition('?')[0]) if error.code == 404 else ''
    return ' '.join(TAG.sub(' ', text).split()) + hint


def server_of(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    return f'{parts.scheme}://{parts.netloc}'


def _position(found: Value) -> dict | None:
    """Return the position in an error response, None if it has another form."""
    is_one = isinstance(found, dict) and {'file', 'line', 'column'} <= found.keys()
    return found if is_one else None


@contextlib.contextmanager
def translated_errors(url: str) -> Iterator[None]:
    """Raise RequestFailed for the errors of a request and of the read of its response."""
    try:
        yield
    except urllib.error.HTTPError as error:
        raise failure(url, error) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise ServiceUnreachable(unreachable_text(url, error)) from error


def send(
    method: str,
    url: str,
    body: Value = None,
    headers: dict[str, str] | None = None,
    timeout: float = 60,
    tls: ssl.SSLContext | None = None,
) -> Value:
    """Send a request. Return the decoded body. Raises RequestFailed."""
    data = None if body is None else json.dumps(body).encode()
    sent = {'Accept': 'application/json', 'Content-Type': 'application/json', **(headers or {})}
    with translated_errors(url):
        request = urllib.request.Request(url, data=data, headers=sent, method=method)
        with build_opener(url, tls).open(request, timeout=timeout) as response:
            return decode(url, response.read())


def decode(url: str, content: bytes) -> Value:
    """Return the decoded body of a response; None for an empty one."""
    if not content.strip():
        return None
    try:
        return json.loads(content, parse_constant=str)  # Heat may send NaN
    except ValueError:
        raise RequestFailed(200, f'{server_of(url)}{NOT_JSON}') from None


def unreachable_text(url: str, error: Exception) -> str:
    """Return why there is no response from a URL, and what to do."""
    reason = getattr(error, 'reason', error)
    text = f'no usable response from {url}: {reason}'
    if isinstance(reason, ConnectionRefusedError):
        is_local = urllib.parse.urlsplit(url).hostname in LOOPBACK
        hint = 'is `heat-lite up` running?' if is_local else 'is the service running there?'
        return f'no service listens at {server_of(url)}; {hint}'
    if getattr(reason, 'reason', None) == 'WRONG_VERSION_NUMBER':
        return f'the service at {server_of(url)} does not use TLS; is its URL http://...?'
    return text


class ApiClient:
    """A client of the API for one project.

    ``endpoint`` ends with the project id. ``renew`` returns a new token when one has expired.
    """

    def __init__(
        self,
        endpoint: str,
        token: str | None = None,
        renew: Callable[[], str] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.endpoint = endpoint.rstrip('/')
        self.headers = {TOKEN_HEADER: token} if token else {}
        #: the configuration of the cloud of a login (openstacksdk), None for an endpoint
        self.cloud: Any = None
        self._renew = renew
        self._tls = tls
        self._last = ''  # the last request, for people

    def call(
        self, method: str, path: str, body: Value = None, if_match: str = '', **query: Value
    ) -> Value:
        """Send a request below the endpoint. Return the decoded body. Raises RequestFailed."""
        url = self.url_of(path, query)
        self._last = f'{method} {self.endpoint}{path}'
        try:
            return self._send(method, url, body, if_match)
        except RequestFailed as error:
            if error.status != 401:
                raise
            if self._renew is None:
                text = f'{error.text.rstrip(".")} ({self.endpoint}){NO_TOKEN}'
                raise RequestFailed(401, text) from error
        self.headers = {TOKEN_HEADER: self._renew()}
        return self._send(method, url, body, if_match)

    def get(self, path: str, **query: Value) -> Value:
        return self.call('GET', path, **query)

    def url_of(self, path: str, query: Values) -> str:
        query_string = '?' + urllib.parse.urlencode(query, doseq=True) if query else ''
        return f'{self.endpoint}{path}{query_string}'

    def open(self, url: str, headers: dict[str, str], timeout: float) -> http.client.HTTPResponse:
        """Return the open response of a GET, a context manager. Raises OSError."""
        request = urllib.request.Request(url, headers={**self.headers, **headers})
        return build_opener(url, self._tls).open(request, timeout=timeout)

    def _send(self, method: str, url: str, body: Value, if_match: str) -> Value:
        condition = {'If-Match': f'"{if_match}"'} if if_match else {}
        return send(method, url, body, {**self.headers, **condition}, tls=self._tls)

    def unexpected_text(self, error: Exception) -> str:
        """Return what a command has missed in the last response."""
        missed = f'lacks {error}' if isinstance(error, KeyError) else f'has another form ({error})'
        return (
            f'the response to {self._last or self.endpoint} {missed}: '
            'is this the URL of an orchestration service?'
        )

    def find(self, name_or_id: str) -> str:
        """Return the path /stacks/NAME/ID of a stack. The service redirects from name or id."""
        return stack_path(self.stack(name_or_id))

    def stack(self, name_or_id: str) -> dict:
        """Return a stack by name or id, without its outputs."""
        return self.stack_at(f'/stacks/{quote(name_or_id)}')

    def find_stack(self, name: str) -> dict | None:
        """Return a stack by name or id; None if there is none."""
        try:
            return self.stack(name)
        except RequestFailed as error:
            if error.status != 404:
                raise
            return None

    def resources(self, path: str, nested_depth: int = 0) -> list[dict]:
        """Return the resources of the stack of a path, down to a depth of nested stacks."""
        query = {'nested_depth': nested_depth} if nested_depth else {}
        return self.get(f'{path}/resources', **query)['resources']

    def items(self, path: str, key: str, page_size: int, **query: Value) -> Iterator[dict]:
        """Yield the items of all pages of a list."""
        while True:
            page = self.get(path, **query, limit=page_size)[key]
            yield from page
            if len(page) < page_size:
                return
            query['marker'] = page[-1]['id']

    def stack_at(self, path: str) -> dict:
        """Return the stack of a path, without its outputs."""
        return self.get(path, resolve_outputs='false')['stack']

    def create_stack(self, name: str, body: dict) -> str:
        """Request a new stack, whose name a plan has already. Return its path."""
        given = body if 'plan' in body else {**body, 'stack_name': name}
        created = self.call('POST', '/stacks', given)['stack']
        return stack_path({'stack_name': name, 'id': created['id']})


def quote(text: str) -> str:
    return urllib.parse.quote(text, safe='')


def stack_path(stack: dict) -> str:
    return f'/stacks/{quote(stack["stack_name"])}/{stack["id"]}'
