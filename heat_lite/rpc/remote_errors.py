"""Exceptions across RPC: the client raises an error of the server with the same class and text.

oslo.messaging would rebuild an exception by its constructor with ``args``, and append the traceback
to the text. The exceptions of ``heat_lite.common`` have constructors of many signatures, so each is
serialized into one ``Carrier`` and rebuilt without its constructor.
"""

import builtins
import json
from collections.abc import Callable

import oslo_messaging
from oslo_db import exception as db_exception

from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values

#: errors of a database that does not answer, or has too much to do
UNAVAILABLE = (db_exception.DBConnectionError, db_exception.DBDeadlock)
# errors of oslo.messaging when the server lacks the method or its version
UNKNOWN_METHOD = ('NoSuchMethod', 'UnsupportedVersion')

#: The only classes that a message can name. A name outside of this table is never looked up.
CLASSES: dict[str, dict[str, type[Exception]]] = {
    'common': {
        name: kind
        for name, kind in vars(exception).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    },
    'builtins': {
        name: kind
        for name, kind in vars(builtins).items()
        if isinstance(kind, type)
        and issubclass(kind, Exception)
        # these have a meaning for the interpreter, or hold other exceptions
        and not issubclass(kind, (StopIteration, StopAsyncIteration, ExceptionGroup))
        and kind is not Exception
    },
}


class Carrier(Exception):
    """Exception whose text is another exception, serialized as JSON.

    ``redact`` returns data of JSON without secrets.
    """

    def __init__(
        self, error: BaseException, redact: Callable[[Value], Value] = lambda data: data
    ) -> None:
        super().__init__()
        self.text = json.dumps(_redacted(pack(error), redact), default=str)

    def __str__(self) -> str:
        return self.text


def _redacted(facts: Values, redact: Callable[[Value], Value]) -> Values:
    """Return the data of an error with its texts redacted, not the names of its class."""
    names = {'class', 'home'}
    return {key: value if key in names else redact(value) for key, value in facts.items()}


def pack(error: BaseException) -> Values:
    """Return the data from which ``unpack`` rebuilds ``error``.

    A lost database connection becomes ServiceUnavailable, because the client cannot correct it.
    """
    if isinstance(error, UNAVAILABLE):
        error = exception.ServiceUnavailable(
            reason=f'the database does not answer ({type(error).__name__})'
        )
    known = (
        None
        if isinstance(error, oslo_messaging.MessagingException)
        else next(filter(_module_of, type(error).__mro__), None)
    )
    facts: Values = {'class': type(error).__name__, 'text': str(error)}
    if known is None:
        return facts
    facts.update({'class': known.__name__, 'home': _module_of(known)})
    if facts['home'] == 'builtins':
        facts['args'] = list(error.args)
        if isinstance(error, AttributeError):
            # set by Python on its own errors (a programming error, status 500), and None on an
            # AttributeError that is raised for invalid data (status 400)
            facts['name'] = error.name
    else:
        facts['state'] = vars(error)
        if isinstance(error, exception.HeatException):
            # a class that only the server knows has a status of its own
            facts['state'] = {'code': error.code, **vars(error)}
    return facts


def unpack(remote: oslo_messaging.RemoteError, method: str | None = None) -> Exception:
    """Return the exception that a RemoteError of oslo.messaging carries.

    An error of a class that is not in ``CLASSES``, or whose data has another form than ``pack``
    gives it, is returned as a RemoteError. ``method`` is the called method.
    """
    facts = _facts(remote)
    if facts.get('class') in UNKNOWN_METHOD:
        return exception.EngineTooOld(method=method, reason=facts.get('text'))
    home, name, text = (facts.get(key) for key in ('home', 'class', 'text'))
    kind = CLASSES.get(str(home), {}).get(str(name))
    rebuilt = _REBUILD[str(home)](kind, facts) if kind and isinstance(text, str) else None
    return rebuilt or type(remote)(
        name or remote.exc_type, remote.value if text is None else text, remote.traceback
    )


def _facts(remote: oslo_messaging.RemoteError) -> Values:
    """Return the data of a Carrier; nothing if the text is not that of a Carrier."""
    if remote.exc_type != Carrier.__name__:
        return {}
    try:
        facts = json.loads(remote.value)
    except (TypeError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _module_of(kind: type) -> str | None:
    """Return where client and server both find a class: 'common' or 'builtins'.

    None for a class that only the server knows, and for the bases that carry no meaning.
    """
    if kind in (Exception, BaseException, object):
        return None
    return next((home for home, known in CLASSES.items() if known.get(kind.__name__) is kind), None)


def _rebuild_common(kind: type[Exception], facts: Values) -> Exception | None:
    """Return the exception without a call of its constructor; None for invalid data."""
    state = facts.get('state')
    if not isinstance(state, dict) or not isinstance(state.get('message', facts['text']), str):
        return None
    error = kind.__new__(kind)
    error.args = (facts['text'],)
    if issubclass(kind, exception.HeatException):
        vars(error)['message'] = facts['text']
    # the methods are those of the class, and so is the status unless it is one of an error
    vars(error).update(
        (name, value)
        for name, value in state.items()
        if not callable(getattr(kind, name, None)) and (name != 'code' or value in range(400, 600))
    )
    return error


def _rebuild_builtin(kind: type[Exception], facts: Values) -> Exception | None:
    """Return the exception, or one of its base class if JSON cannot carry its ``args``.

    Return None for invalid data.
    """
    args, text = facts.get('args'), facts['text']
    if not isinstance(args, list):
        return None
    try:
        error = kind(*args)
        error = error if str(error) == text else kind(text)
    except (TypeError, ValueError):
        error = kind.__base__(text)  # type: ignore[misc]
    if isinstance(error, AttributeError) and 'name' in facts:
        error.name = facts['name']
    return error


_REBUILD: dict[str, Callable[[type[Exception], Values], Exception | None]] = {
    'common': _rebuild_common,
    'builtins': _rebuild_builtin,
}
