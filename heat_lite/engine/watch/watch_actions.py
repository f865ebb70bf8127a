"""The actions of watch rules: the resources that a rule names, and the signals that are sent to
them.

An action is the name or the reference of a resource of the stack or of one that contains it, or the
URL for signals to a resource of the same project. No request is sent to a URL: the engine signals
the resource itself.
"""

import collections
import logging
import re
import threading
import time
import urllib.parse
from typing import Any, NamedTuple

from heat_lite.common import context as request_context
from heat_lite.common import exception, identifier
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.resource import resource as engine_resource
from heat_lite.engine.signals import signals

LOG = logging.getLogger(__name__)
#: threads that send signals; a signal waits for another engine if that one works on the stack
THREADS = 4
#: signals of a project that wait to be sent; further ones are sent at the next evaluation
MAX_PENDING = 1000
RESOURCES = '/resources/'
_REST = re.compile(r'/stacks/([^/]+)/([^/]+)/resources/([^/]+)/signal')
_SIGNED = re.compile(r'/(?:signal|waitcondition)/(arn:.+)')


class Signal(NamedTuple):
    """A signal that a rule sends: the stack and the name of the resource, and its details."""

    rule_id: int
    stack_id: str
    name: str
    details: dict[str, Any]


# --------------------------------------------------------------- what an action names


def target_of(stack, text):
    """Return [stack id, resource name] of an action of an alarm in a stack. Raises Error."""
    found = _by_url(stack, text) or _by_reference(stack, text)
    if found is None:
        shown = str(text).partition('?')[0]  # the query has the signature
        raise exception.Error(
            f'The action "{shown:.200}" is neither a resource of the stack that takes signals, '
            'nor the URL for signals to a resource of the same project'
        )
    return found


def _by_url(stack, text):
    identity = _identity_in(text)
    if identity is None:
        return None
    row = db_stacks.get(request_context.admin_context(), identity.stack_id)
    if row is None or row.tenant != stack.tenant or row.name != identity.stack_name:
        return None
    name = identity.path.removeprefix(RESOURCES)
    if row.id != stack.id:
        stack = type(stack).from_row(stack.runtime, stack.context, row)
    try:
        item = signals.find(stack, name)
    except exception.ResourceNotFound:
        return None
    return [row.id, item.name] if _takes_signals(item) else None


def _identity_in(text):
    """Return the identity of the resource that a URL is for, or None."""
    path = urllib.parse.unquote(urllib.parse.urlsplit(text).path) if '://' in text else ''
    if found := _SIGNED.search(path):
        try:
            return identifier.HeatIdentifier.from_arn(found[1])
        except ValueError:
            return None
    # the parts are quoted one by one, so that a name may have slashes
    found = _REST.search(urllib.parse.urlsplit(text).path) if path else None
    if found is None:
        return None
    name, stack_id, resource = map(urllib.parse.unquote, found.groups())
    return identifier.HeatIdentifier('', name, stack_id, f'{RESOURCES}{resource}')


def _by_reference(stack, text):
    while stack is not None:
        for item in stack.current_resources():
            if _takes_signals(item) and text in (item.name, item.reference_id()):
                return [stack.id, item.name]
        stack = stack.tree.parent
    return None


def _takes_signals(item):
    return type(item).handle_signal is not engine_resource.Resource.handle_signal


# --------------------------------------------------------------- sending


class ActionQueue:
    """Signals that wait to be sent. Projects take turns; a rule sends one signal at a time.

    ``send(tenant, signal)`` sends one; its errors are logged.
    """

    def __init__(self, send, threads=THREADS):
        self._send = send
        self._lock = threading.Condition()
        self._waiting: dict[str, collections.deque[Signal]] = {}
        self._pending: set[tuple[int, str, str]] = set()
        self._is_stopped = False
        self._threads = [
            threading.Thread(target=self._run, name=f'alarms-{number}', daemon=True)
            for number in range(threads)
        ]

    def start(self):
        for thread in self._threads:
            thread.start()

    def stop(self, seconds=None):
        """Send no further signals, and wait at most ``seconds`` for the end of those that are sent.

        What waits is sent by the next evaluation of its rule.
        """
        end = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            self._is_stopped = True
            self._lock.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(None if end is None else max(end - time.monotonic(), 0))

    def add(self, tenant, signal):
        """Queue a signal; return False if the same is queued already, or too many are."""
        with self._lock:
            waiting = self._waiting.setdefault(tenant, collections.deque())
            if _key(signal) in self._pending or len(waiting) >= MAX_PENDING:
                return False
            self._pending.add(_key(signal))
            waiting.append(signal)
            self._lock.notify()
        return True

    def _next(self):
        """Wait for a signal; return it with its project, or None at the end."""
        with self._lock:
            while not self._is_stopped:
                for tenant, waiting in self._waiting.items():
                    del self._waiting[tenant]
                    if waiting:
                        # the other projects are next
                        self._waiting[tenant] = waiting
                        return tenant, waiting.popleft()
                    break
                else:
                    self._lock.wait()
        return None

    def _run(self):
        while (found := self._next()) is not None:
            tenant, signal = found
            try:
                self._send(tenant, signal)
            except Exception as error:
                known = isinstance(error, exception.HeatException)
                LOG.warning(
                    'The signal of watch rule %s to resource %s of stack %s failed, the next '
                    'evaluation repeats it: %s',
                    signal.rule_id,
                    signal.name,
                    signal.stack_id,
                    error,
                    exc_info=None if known else error,
                )
            finally:
                with self._lock:
                    self._pending.discard(_key(signal))


def _key(signal):
    return signal.rule_id, signal.stack_id, signal.name
