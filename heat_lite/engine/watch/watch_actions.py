"""The actions of watch rules: the resources that a rule names, and the signals that are sent to
them.

An action is the name or the reference of a resource of the stack or of one that contains it, or the
URL for signals to a resource of the same project. No request is sent to a URL: the engine signals
the resource itself.
"""

import contextlib
import dataclasses
import functools
import logging
import re
import threading
import urllib.parse
import weakref
from collections.abc import Callable

from heat_lite.common import context as request_context, exception, identifier
from heat_lite.common.value_types import Values
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.resource import resource as engine_resource
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.scheduler import TaskRunner
from heat_lite.engine.signals import signals
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.task_pool import ConcurrencyLimit, PoolClosed, TaskPool

LOG = logging.getLogger(__name__)
#: signals of a project that are sent at the same time
SENT_AT_ONCE = 4
#: signals of a project that wait to be sent; further ones are sent at the next evaluation
MAX_PENDING = 1000
RESOURCES = '/resources/'
_REST = re.compile(r'/stacks/([^/]+)/([^/]+)/resources/([^/]+)/signal')
_SIGNED = re.compile(r'/(?:signal|waitcondition)/(arn:.+)')


@dataclasses.dataclass(frozen=True)
class Signal:
    """A signal that a rule sends: the stack and the name of the resource, and its details.

    Signals of a rule to a resource are equal, whatever their details.
    """

    rule_id: int
    stack_id: str
    name: str
    details: Values = dataclasses.field(compare=False)


# --------------------------------------------------------------- what an action names


def target_of(stack: Stack, text: str) -> list[str]:
    """Return [stack id, resource name] of an action of an alarm in a stack. Raises Error."""
    found = _by_url(stack, text) or _by_reference(stack, text)
    if found is None:
        shown = str(text).partition('?')[0]  # the query has the signature
        raise exception.Error(
            f'The action "{shown:.200}" is neither a resource of the stack that takes signals, '
            'nor the URL for signals to a resource of the same project'
        )
    return found


def _by_url(stack: Stack, text: str) -> list[str] | None:
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


def _identity_in(text: str) -> identifier.HeatIdentifier | None:
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


def _by_reference(stack: Stack, text: str) -> list[str] | None:
    for each in stack.tree.lineage():
        for item in each.current_resources():
            if _takes_signals(item) and text in (item.name, item.reference_id()):
                return [each.id, item.name]
    return None


def _takes_signals(item: Resource) -> bool:
    return type(item).handle_signal is not engine_resource.Resource.handle_signal


# --------------------------------------------------------------- sending


class ActionQueue:
    """Signals that wait to be sent in the task pool. A rule sends one signal at a time.

    ``send(tenant, signal)`` sends one; its errors are logged. When the pool is closed, what waits
    is sent by the next evaluation of its rule.
    """

    def __init__(self, pool: TaskPool, send: Callable[[str, Signal], None]) -> None:
        self._pool = pool
        self._send = send
        self._lock = threading.Lock()
        self._pending: set[Signal] = set()
        #: by project, so that none delays another, and as long as it has signals
        self._limits: weakref.WeakValueDictionary[str, ConcurrencyLimit] = (
            weakref.WeakValueDictionary()
        )

    def add(self, tenant: str, signal: Signal) -> bool:
        """Queue a signal; return False if the same is queued already, or too many are."""
        with self._lock:
            limit = self._limits.setdefault(tenant, ConcurrencyLimit(SENT_AT_ONCE))
            if signal in self._pending or len(limit.queue) >= MAX_PENDING:
                return False
            self._pending.add(signal)
        task = TaskRunner(self._send, tenant, signal, name=f'signal of {signal.rule_id}')
        with contextlib.suppress(PoolClosed):
            self._pool.spawn(task, limit, on_end=functools.partial(self._on_end, signal))
        return True

    def _on_end(self, signal: Signal, _result: None, error: BaseException | None) -> None:
        with self._lock:
            self._pending.discard(signal)
        if error is not None:
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
