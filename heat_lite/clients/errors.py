"""What a service of the cloud may answer instead of doing what it was asked, by HTTP status.

The text is the service's own, for it is what a user reads as the reason of a failure; behind it stands what was asked, and the request's
id, by which an operator finds it in the logs of the service.
"""

import functools
import html
import re

from heat_lite.common import exception

#: what may be asked twice, and the answers after which that may help
HARMLESS = ('GET', 'HEAD', 'DELETE')
PASSING = (500, 502, 503, 504)
#: under which keys the services put the text: {"NeutronError": {"message": ...}}, {"error": {"message": ...}}, {"faultstring": ...}
TEXT_KEYS = ('message', 'faultstring', 'detail', 'title', 'description')
LONGEST = 1000
_HEADINGS, _MARKS = re.compile(r'<(title|h1)>.*?</\1>', re.DOTALL | re.IGNORECASE), re.compile(r'<[^>]*>')


class ServiceError(exception.HeatException):
    """A request that a service refused, or could not answer: ``code`` is the HTTP status, ``retry_after`` how many seconds to wait,
    ``said`` what the service itself said of it. ``passing``: it may pass by itself, and asking again does no harm."""

    msg_fmt = '%(text)s'
    code = 502

    def __init__(self, text, code=None, retry_after=None):
        super().__init__(text=text)
        if code is not None:
            self.code = code
        self.retry_after = retry_after
        self.said = text
        self.passing = False


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
    """More than a quota allows (413), or too much at a time (429): then ``retry_after`` says when it may go on."""

    code = 413


class TooManyRequests(OverLimit):
    code = 429


class Unavailable(ServiceError):
    """The service is away, or does not answer."""

    code = 503


class NoCloud(exception.HeatException):
    """There is no service of that kind for whoever asks."""

    code = 400
    msg_fmt = '%(reason)s'


class NoSuchObject(exception.HeatException):
    """No object, or more than one, is what a name stands for."""

    code = 400
    msg_fmt = '%(reason)s'


_BY_STATUS = {
    kind.code: kind for kind in (BadRequest, Unauthorized, Forbidden, NotFound, Conflict, OverLimit, TooManyRequests, Unavailable)
}


#: what reasons call an error, as the libraries of the services do: that is what users know, and look for
_OTHERS = {500: 'InternalServerError', 501: 'NotImplemented', 502: 'BadGateway', 503: 'ServiceUnavailable', 504: 'GatewayTimeout'}
_NEUTRONS = frozenset(
    'NetworkNotFound PortNotFound StateInvalid NetworkInUse PortInUse IpAddressInUse IpAddressAlreadyAllocated InvalidIpForNetwork '
    'InvalidIpForSubnet OverQuota IpAddressGenerationFailure MacAddressInUse HostNotCompatibleWithFixedIps '
    'ExternalIpAddressExhausted'.split()
)


def of_answer(service, method, path, answer):
    """The error that an answer (of ``requests``) stands for."""
    kind = _BY_STATUS.get(answer.status_code, ServiceError)
    kind = _called(kind, _name(service, answer, _OTHERS.get(answer.status_code, kind.__name__)))
    request_id = answer.headers.get('x-openstack-request-id') or answer.headers.get('x-compute-request-id')
    asked = ', '.join(filter(None, (f'{service} {answer.status_code}', f'{method} {path}', request_id)))
    error = kind(f'{_text(answer)} ({asked})', answer.status_code, _seconds(answer.headers.get('Retry-After')))
    error.said = _text(answer)
    error.passing = answer.status_code in PASSING and (method in HARMLESS or answer.status_code == Unavailable.code)
    return error


def unavailable(service, method, path, error):
    """The error of a request that was never answered."""
    made = Unavailable(f'{service} cannot be reached: {error} ({method} {path})')
    made.passing = method in HARMLESS or _never_sent(error)
    return made


def _never_sent(error):
    """Whether there was no connection at all, so that nobody can have done what was asked."""
    words = getattr(error.__context__ or error.__cause__, 'args', None) or (None,)
    return type(getattr(words[0], 'reason', None)).__name__ == 'NewConnectionError'


@functools.cache
def _called(kind, name):
    """The class itself, or one of it that has another name."""
    return kind if kind.__name__ == name else type(name, (kind,), {'__module__': __name__})


def _name(service, answer, usual):
    if service == 'swift' or service in ('cinder', 'nova') and answer.status_code not in _BY_STATUS:
        return 'ClientException'
    if service == 'glance':
        return f'HTTP{usual}'
    if service == 'neutron':
        told = _json(answer).get('NeutronError')
        named = told.get('type') if isinstance(told, dict) else None
        return f'{named}Client' if named in _NEUTRONS else usual
    return usual


def _json(answer):
    """What it says, as a map; nothing where it is none."""
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(answer):
    try:
        found = _dig(answer.json())
    except ValueError:
        found = _plain(answer.text.strip())
    return (found or answer.reason or 'refused without a word')[:LONGEST]


def _plain(text):
    """The words of a page: without its marks, and without what only says the status again."""
    if not text.startswith('<'):
        return text
    words = _MARKS.sub(' ', _HEADINGS.sub(' ', text))
    return ' '.join(html.unescape(words).split())


def _dig(body):
    """The first text of an error in a body, however deep."""
    if isinstance(body, list):
        return next(filter(None, map(_dig, body)), None)
    if not isinstance(body, dict):
        return None
    if isinstance(body.get('error'), dict):
        return _dig(body['error'])
    for key in TEXT_KEYS:
        if isinstance(body.get(key), str) and body[key]:
            return body[key]
    return next(filter(None, map(_dig, body.values())), None)


def _seconds(text):
    """Seconds of a Retry-After; a date is not worth the trouble."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None
