"""Errors of cloud services, one class for each HTTP status.

The text of an error is the service's own message, because users read it as the reason of a failure.
The request and its id follow in parentheses, so that an operator finds it in the service's logs.
"""

import functools
import html
import re

import requests
from keystoneauth1 import exceptions

from heat_lite.common import exception
from heat_lite.common.exception import NoCloud
from heat_lite.common.value_types import Value, Values

#: methods that may be repeated without effect, and statuses after which a repetition may succeed
IDEMPOTENT_METHODS = ('GET', 'HEAD', 'DELETE')
TRANSIENT_STATUSES = (500, 502, 503, 504)
#: the service has waited in vain for the rest of a request
REQUEST_TIMEOUT = 408
#: keys under which services return the message: {"NeutronError": {"message": ...}},
#: {"error": {"message": ...}}, {"faultstring": ...}
MESSAGE_KEYS = ('message', 'faultstring', 'detail', 'title', 'description')
MAX_MESSAGE_LENGTH = 1000
_HEADINGS, _TAGS = (
    re.compile(r'<(title|h1)>.*?</\1>', re.DOTALL | re.IGNORECASE),
    re.compile(r'<[^>]*>'),
)


class ServiceError(exception.HeatException):
    """A request that a service refused or failed to answer.

    ``code``: the HTTP status. ``retry_after``: seconds to wait before a retry, or None.
    ``service_message``: the message without the description of the request. ``transient``: a retry
    is harmless and may succeed. ``made_nothing``: the refused request was the one that makes the
    object of a resource.
    """

    msg_fmt = '%(text)s'
    code = 502

    def __init__(
        self, text: str, code: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(text=text)
        if code is not None:
            self.code = code
        self.retry_after = retry_after
        self.service_message = text
        self.transient = False
        self.made_nothing = False

    @property
    def is_refusal(self) -> bool:
        """Whether the service has certainly not executed the request."""
        return 400 <= self.code < 500 and self.code != REQUEST_TIMEOUT


class BadRequest(ServiceError):
    code = 400


class Unauthorized(ServiceError):
    code = 401


class Forbidden(ServiceError):
    code = 403


class NotFound(ServiceError, exception.NotFound):
    code = 404


class Conflict(ServiceError):
    code = 409


class OverLimit(ServiceError):
    """A quota is exceeded (413), or the rate limit (429, then with ``retry_after``)."""

    code = 413


class TooManyRequests(OverLimit):
    code = 429


class Unavailable(ServiceError):
    """The service cannot be reached, or does not respond."""

    code = 503


class NoSuchObject(exception.HeatException):
    """A name matches no object, or more than one."""

    code = 400
    msg_fmt = '%(reason)s'


#: raised by the delete of an object that does not exist any more, nor perhaps its service or user
LOST = (NotFound, NoCloud, exceptions.NotFound, exceptions.Unauthorized)

_BY_STATUS = {
    kind.code: kind
    for kind in (
        BadRequest,
        Unauthorized,
        Forbidden,
        NotFound,
        Conflict,
        OverLimit,
        TooManyRequests,
        Unavailable,
    )
}


#: class names that reasons of failures show. They are those of the services' client libraries,
#: because users know them and search for them.
_LIBRARY_NAMES = {
    500: 'InternalServerError',
    501: 'NotImplemented',
    502: 'BadGateway',
    503: 'ServiceUnavailable',
    504: 'GatewayTimeout',
}
_NEUTRON_NAMES = frozenset(
    (
        'NetworkNotFound',
        'PortNotFound',
        'StateInvalid',
        'NetworkInUse',
        'PortInUse',
        'IpAddressInUse',
        'IpAddressAlreadyAllocated',
        'InvalidIpForNetwork',
        'InvalidIpForSubnet',
        'OverQuota',
        'IpAddressGenerationFailure',
        'MacAddressInUse',
        'HostNotCompatibleWithFixedIps',
        'ExternalIpAddressExhausted',
    )
)


def from_response(
    service: str, method: str, path: str, response: requests.Response
) -> ServiceError:
    """Return the error that a response with status 400 or higher stands for."""
    status = response.status_code
    base = _BY_STATUS.get(status, ServiceError)
    name = _class_name(service, response, _LIBRARY_NAMES.get(status, base.__name__))
    request_id = response.headers.get('x-openstack-request-id') or response.headers.get(
        'x-compute-request-id'
    )
    request = ', '.join(filter(None, (f'{service} {status}', f'{method} {path}', request_id)))
    message = _message(response)
    error = _named(base, name)(
        f'{message} ({request})', status, _seconds(response.headers.get('Retry-After'))
    )
    error.service_message = message
    error.transient = status in TRANSIENT_STATUSES and (
        method in IDEMPOTENT_METHODS or status == Unavailable.code
    )
    return error


def unavailable(service: str, method: str, path: str, error: Exception) -> Unavailable:
    """Return the error of a request that got no response."""
    result = Unavailable(f'{service} cannot be reached: {error} ({method} {path})')
    result.transient = method in IDEMPOTENT_METHODS or _is_connection_refused(error)
    return result


def _is_connection_refused(error: Exception) -> bool:
    """Return whether no connection was made, so that the service cannot have run the request."""
    args = getattr(error.__context__ or error.__cause__, 'args', None) or (None,)
    return type(getattr(args[0], 'reason', None)).__name__ == 'NewConnectionError'


@functools.cache
def _named(kind: type[ServiceError], name: str) -> type[ServiceError]:
    """Return the class, or a subclass if its name differs."""
    return kind if kind.__name__ == name else type(name, (kind,), {'__module__': __name__})


def _class_name(service: str, response: requests.Response, default: str) -> str:
    unknown = response.status_code not in _BY_STATUS
    if service == 'swift' or service in ('cinder', 'nova') and unknown:
        return 'ClientException'
    if service == 'glance':
        return f'HTTP{default}'
    if service == 'neutron':
        details = _json(response).get('NeutronError')
        name = details.get('type') if isinstance(details, dict) else None
        return f'{name}Client' if name in _NEUTRON_NAMES else default
    return default


def _json(response: requests.Response) -> Values:
    """Return the body as a dict; an empty one if it is not a JSON object."""
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _message(response: requests.Response) -> str:
    try:
        found = _find_message(response.json())
    except ValueError:
        found = _text_of_page(response.text.strip())
    text = ' '.join((found or '').split())
    return (text or response.reason or 'refused without a message')[:MAX_MESSAGE_LENGTH]


def _text_of_page(text: str) -> str:
    """Return the text of an HTML page without tags and headings: these repeat the status only."""
    if not text.startswith('<'):
        return text
    return html.unescape(_TAGS.sub(' ', _HEADINGS.sub(' ', text)))


def _find_message(body: Value) -> str | None:
    """Return the first message in a body, at any depth."""
    if isinstance(body, list):
        return next(filter(None, map(_find_message, body)), None)
    if not isinstance(body, dict):
        return None
    if isinstance(body.get('error'), dict):
        return _find_message(body['error'])
    for key in MESSAGE_KEYS:
        if isinstance(body.get(key), str) and body[key]:
            return body[key]
    return next(filter(None, map(_find_message, body.values())), None)


def _seconds(text: str | None) -> float | None:
    """Return the seconds of a Retry-After header; None for a date."""
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
