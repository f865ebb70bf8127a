"""The quarantine of resources whose engine died: it finds the one that ends its engine each time.

After a take-over the first call of each interrupted resource is made alone: one at a time per
engine, and announced in the row of the stack lock for as long as it takes. An engine that dies
during an announced call, ``engine_death_limit`` times in a row, was ended by this call: the
resource fails, the others go on (decision 12).

Tests: tests/chaos/test_crash_loops.py, tests/unit/engine/execution/test_quarantine.py.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any

from heat_lite.common import exception, status
from heat_lite.db import locks
from heat_lite.engine import scheduler
from heat_lite.engine.resource import Resource
from heat_lite.engine.stack import Stack

LOG = logging.getLogger(__name__)
#: seconds after which a call counts as slow: the process lives, so the call has not ended it
SLOW_SECONDS = 4
#: seconds between two attempts to be the one that makes its call
POLL_SECONDS = 0.05
# keys of the column ``stack_lock.quarantine``: the action, the resource whose call is announced,
# and the deaths by the name of the resource
ACTION, CALLED, DEATHS = 'action', 'called', 'deaths'


#: a generator for the task pool
Work = Generator[Any, None, Any]


class Quarantine:
    """The interrupted resources of one resumed action, and the deaths that each has seen.

    ``names``: the resources that were in progress. ``store(value)`` writes the column.
    """

    def __init__(
        self,
        action: str,
        names: set[str],
        deaths: dict[str, int],
        store: Callable[[dict | None], bool],
        slot: threading.Lock,
    ) -> None:
        self._action = action
        self._names = names
        self._deaths = deaths
        self._store = store
        self._slot = slot
        self._lock = threading.Lock()

    def guard(self, resource: Resource, work: Work) -> Work:
        """Run ``work``, a generator, with its first step in quarantine.

        Raises EnginesDied for a resource that has ended its engines.
        """
        name = resource.name
        if name not in self._names or resource.stack.action != self._action.partition(' ')[0]:
            return (yield from work)
        deaths = self._deaths.get(name, 0)
        if deaths >= resource.stack.limits.engine_death_limit:
            raise exception.EnginesDied(count=deaths, action=resource.action)
        while not self._slot.acquire(blocking=False):
            yield POLL_SECONDS
        with self._announced(name):
            ended, value = _first_step(work)
        return value if ended else (yield from scheduler.continue_task(work, value))

    def add(self, names: set[str]) -> None:
        """Guard further resources."""
        self._names |= names

    @contextlib.contextmanager
    def _announced(self, name: str) -> Iterator[None]:
        """Announce a call; withdraw it at its end, or when it is slow. Releases the slot."""
        withdrawn = threading.Event()

        def withdraw() -> None:
            with self._lock:
                if withdrawn.is_set():
                    return
                withdrawn.set()
            self._names.discard(name)
            self._deaths.pop(name, None)
            try:
                self._write(None)
            except Exception:
                LOG.exception('The announced call of %s could not be withdrawn', name)
            finally:
                self._slot.release()

        timer = threading.Timer(SLOW_SECONDS, withdraw)
        timer.daemon = True
        try:
            if not self._write(name):
                raise scheduler.Abandoned
            timer.start()
            yield
        finally:
            timer.cancel()
            withdraw()

    def _write(self, called: str | None) -> bool:
        """Store the state. Return False where another engine has the stack lock."""
        deaths = dict(self._deaths)
        value = {ACTION: self._action, CALLED: called, DEATHS: deaths}
        return self._store(value if called or deaths else None)


def after_takeover(stack: Stack) -> Quarantine | None:
    """Return the quarantine of the stack's action; None where no resource was in progress."""
    names = {record.name for record in stack.rows() if record.status == status.IN_PROGRESS}
    return _of(stack, names)


def extend(stack: Stack, names: set[str]) -> None:
    """Guard further resources, in whose work another engine died (see ``home_traversal``)."""
    if stack.run.quarantine is None:
        stack.run.quarantine = _of(stack, names)
    else:
        stack.run.quarantine.add(names)


def _of(stack: Stack, names: set[str]) -> Quarantine | None:
    if not names or not stack.limits.engine_death_limit:
        return None
    context, engine_id = stack.context, stack.runtime.engine_id
    action = f'{stack.action} {stack.template_id}'
    stored = locks.quarantine(context, stack.id)
    deaths = count_deaths(stored, action)

    def store(value: dict | None) -> bool:
        return locks.set_quarantine(context, stack.id, engine_id, value)

    if stored and stored.get(CALLED):
        LOG.warning('%s: its engine died in the first call of a resource: %s', stack, deaths)
        store({ACTION: action, CALLED: None, DEATHS: deaths})
    return Quarantine(action, names, deaths, store, stack.runtime.quarantine_slot)


def count_deaths(stored: dict | None, action: str) -> dict[str, int]:
    """Return the deaths by resource that the column of a dead engine's lock shows.

    They are those of ``action`` only, the action and the id of its template.
    """
    if not stored or stored[ACTION] != action:
        return {}
    deaths = dict(stored[DEATHS])
    called = stored[CALLED]
    if called is not None:
        deaths[called] = deaths.get(called, 0) + 1
    return deaths


def _first_step(work: Work) -> tuple[bool, Any]:
    """Run a generator to its first wait. Return whether it has ended, and its value."""
    try:
        return False, next(work)
    except StopIteration as end:
        return True, end.value
