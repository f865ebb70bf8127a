"""Exceptions across RPC: what is raised in an engine is raised again, class and text alike, in the process that called.

oslo.messaging would call the constructor again, with what it finds in ``args``, and add the traceback to the text. Ours have constructors
of all kinds, so they are packed into one ``Carrier`` and rebuilt without a constructor.
"""

import builtins
import json

import oslo_messaging
from oslo_db import exception as db_exception

from heat_lite.common import exception

# what oslo.messaging says of methods, and of versions of them, that the other side has not
UNKNOWN = ('NoSuchMethod', 'UnsupportedVersion')


class Carrier(Exception):
    """Holds another exception, as JSON in its text."""

    def __init__(self, error):
        super().__init__()
        self.text = json.dumps(pack(error), default=str)

    def __str__(self):
        return self.text


def pack(error):
    """All that is needed to raise ``error`` elsewhere, as plain data. A database that is away is nothing that a caller can mend."""
    if isinstance(error, (db_exception.DBConnectionError, db_exception.DBDeadlock)):
        error = exception.ServiceUnavailable(reason=f'the database does not answer ({type(error).__name__})')
    known = None if isinstance(error, oslo_messaging.MessagingException) else next(filter(_home, type(error).__mro__), None)
    facts = {'class': type(error).__name__, 'text': str(error)}
    if known is None:
        return facts
    facts.update({'class': known.__name__, 'home': _home(known)})
    if facts['home'] == 'builtins':
        facts['args'] = list(error.args)
        if isinstance(error, AttributeError):
            facts['name'] = error.name  # Python's own have one: they are mistakes of ours, where those that we raise tell of bad data
    else:
        facts['state'] = vars(error)
    return facts


def unpack(remote, method=None):
    """The exception that a RemoteError of oslo.messaging stands for; itself where it is of a class that is not ours.

    ``method`` is what was called.
    """
    facts = _facts(remote)
    if facts.get('class') in UNKNOWN:
        return exception.EngineTooOld(method=method, reason=facts['text'])
    rebuild = {'common': _rebuild_ours, 'builtins': _rebuild_builtin}.get(facts.get('home'))
    if rebuild is None:
        return type(remote)(facts.get('class', remote.exc_type), facts.get('text', remote.value), remote.traceback)
    return rebuild(facts)


def _facts(remote):
    if remote.exc_type != Carrier.__name__:
        return {}
    return json.loads(remote.value)


def _home(kind):
    """Where both sides find a class; None for classes that only the engine knows, and for those that say nothing."""
    if kind in (Exception, BaseException, object):
        return None
    if getattr(exception, kind.__name__, None) is kind:
        return 'common'
    return 'builtins' if getattr(builtins, kind.__name__, None) is kind else None


def _rebuild_ours(facts):
    kind = getattr(exception, facts['class'])
    error = kind.__new__(kind)
    error.args = (facts['text'],)
    vars(error).update(facts['state'])
    return error


def _rebuild_builtin(facts):
    kind = getattr(builtins, facts['class'])
    try:
        error = kind(*facts['args'])
    except TypeError:
        return kind.__base__(facts['text'])
    if str(error) != facts['text']:
        error = kind(facts['text'])
    if 'name' in facts:
        error.name = facts['name']
    return error
