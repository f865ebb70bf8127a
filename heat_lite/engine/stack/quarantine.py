"""The quarantine of resources whose engine died: it finds the one that ends its engine each time.

After a take-over the first call of each interrupted resource is made alone: one at a time per
engine, and announced in the row of the stack lock for as long as it takes. Where engines die during
an announced call, ``engine_death_limit`` times in a row, and their watchdogs tell that no other
process has killed them, this call has ended them: the resource fails, the others go on (decision
12).

Tests: tests/chaos/test_crash_loops.py, tests/unit/engine/stack/test_quarantine.py.
"""

import contextlib
import dataclasses
import functools
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator

from heat_lite.common import exception, status
from heat_lite.common.value_types import Value, Values, Work
from heat_lite.db import locks
from heat_lite.engine import scheduler
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack.stack import Stack

LOG = logging.getLogger(__name__)
#: seconds after which a call counts as slow: the process lives, so the call has not ended it
SLOW_SECONDS = 4
#: seconds between two attempts to be the one that makes its call
POLL_SECONDS = 0.05
#: so many deaths count as one if it is not known that the engine has ended itself
UNKNOWN_DEATHS = 3
#: seconds for which the watchdogs of dead engines may yet tell how these have ended
REPORT_SECONDS = 30.0
#: seconds between two looks at what they have told
REPORT_POLL_SECONDS = 0.5
# keys of the column ``stack_lock.quarantine``: the action, the resource whose call is announced,
# the id of the engine that makes it, and the number of deaths and the ids of the dead engines by
# the name of the resource. ``locks.ENDED`` is added by the engines that replace dead ones.
ACTION, CALLED, ENGINE, DEATHS, DEAD = 'action', 'called', 'engine', 'deaths', 'dead'


@dataclasses.dataclass
class Quarantine:
    """The interrupted resources of one resumed action, and the engines that each has seen die.

    ``names``: the resources that were in progress. ``dead``: the ids of the engines that died in a
    row in the call of a resource, by its name. ``store(value)`` writes the column, ``load()`` reads
    it.
    """

    action: str
    names: set[str]
    dead: dict[str, list[str]]
    store: Callable[[Values | None], bool]
    load: Callable[[], Values | None]
    slot: threading.Lock
    engine_id: str = ''

    def __post_init__(self) -> None:
        #: the word for the call in errors; None: the action of the resource
        self.call: str | None = None
        self._lock = threading.Lock()

    def guard(self, resource: Resource, work: Work) -> Work:
        """Run ``work``, a generator, with its first step in quarantine.

        Raises EnginesDied for a resource that has ended its engines.
        """
        name = resource.name
        if name not in self.names or resource.stack.action != self.action.partition(' ')[0]:
            return (yield from work)
        if (yield from self._has_ended_engines(name, resource.stack.limits.engine_death_limit)):
            died = len(self.dead[name])
            raise exception.EnginesDied(count=died, action=self.call or resource.action)
        while not self.slot.acquire(blocking=False):
            yield POLL_SECONDS
        with self._announced(name):
            ended, value = _first_step(work)
        return value if ended else (yield from scheduler.continue_task(work, value))

    def add(self, names: set[str]) -> None:
        """Guard further resources."""
        self.names |= names

    def _has_ended_engines(self, name: str, limit: int) -> Generator[Value, None, bool]:
        """Return whether the call of a resource, and nothing else, has ended ``limit`` engines.

        Waits for what is not known yet of these engines, if it decides.
        """
        dead = self.dead.get(name, [])
        until = time.monotonic() + REPORT_SECONDS
        while len(dead) >= limit:
            ended = (self.load() or {}).get(locks.ENDED, {})
            own = sum(ended.get(engine_id, False) for engine_id in dead)
            open_ids = [engine_id for engine_id in dead if engine_id and engine_id not in ended]
            if own + (len(dead) - own) // UNKNOWN_DEATHS >= limit:
                return True
            if own + len(open_ids) < limit or time.monotonic() > until:
                LOG.info('%s is called again: others have ended engines in its call', name)
                return False
            yield REPORT_POLL_SECONDS
        return False

    @contextlib.contextmanager
    def _announced(self, name: str) -> Iterator[None]:
        """Announce a call; withdraw it at its end, or when it is slow. Releases the slot."""
        withdrawn = threading.Event()

        def withdraw() -> None:
            with self._lock:
                if withdrawn.is_set():
                    return
                withdrawn.set()
            self.names.discard(name)
            self.dead.pop(name, None)
            try:
                self._write(None)
            except Exception:
                LOG.exception('The announced call of %s could not be withdrawn', name)
            finally:
                self.slot.release()

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
        value = _column(self.action, dict(self.dead))
        if called:
            value |= {CALLED: called, ENGINE: self.engine_id}
        return self.store(value if called or value[DEAD] else None)


def after_takeover(stack: Stack) -> Quarantine | None:
    """Return the quarantine of the stack's action; None where no resource was in progress."""
    names = {record.name for record in stack.records.all() if record.status == status.IN_PROGRESS}
    return _of(stack, names, stack.id)


def for_signal(stack: Stack, name: str, signal_id: int) -> Quarantine | None:
    """Return the quarantine of a signal to a resource that was taken over."""
    found = _of(stack, {name}, signal_id)
    if found is not None:
        found.call = 'SIGNAL'
    return found


def extend(stack: Stack, names: set[str]) -> None:
    """Guard further resources, in whose work another engine died (see ``shared_runner``)."""
    if stack.run.quarantine is None:
        stack.run.quarantine = _of(stack, names, stack.id)
    else:
        stack.run.quarantine.add(names)


def _of(stack: Stack, names: set[str], key: str | int) -> Quarantine | None:
    """Return a quarantine that is stored with the stack lock or the signal of this id."""
    if not names or not stack.limits.engine_death_limit:
        return None
    engine_id = stack.runtime.engine_id
    action = f'{stack.action} {stack.template_id}'
    stored = locks.quarantine(key)
    dead = dead_engines(stored, action)
    store = functools.partial(locks.set_quarantine, key, engine_id)
    load = functools.partial(locks.quarantine, key)
    if stored and stored.get(CALLED):
        LOG.warning('%s: its engine died in the first call of a resource: %s', stack, dead)
        store(_column(action, dead))
    slot = stack.runtime.quarantine_slot
    return Quarantine(action, names, dead, store, load, slot, engine_id)


def _column(action: str, dead: dict[str, list[str]]) -> Values:
    """Return the value of the column without an announced call."""
    deaths = {name: len(engines) for name, engines in dead.items()}
    return {ACTION: action, CALLED: None, DEATHS: deaths, DEAD: dead}


def dead_engines(stored: Values | None, action: str) -> dict[str, list[str]]:
    """Return the dead engines by resource that the column of a dead engine's lock shows.

    They are those of ``action`` only, the action and the id of its template. The id of an engine is
    empty where one of an earlier version has counted its death.
    """
    if not stored or stored[ACTION] != action:
        return {}
    known = stored.get(DEAD, {})
    dead = {
        name: [*known.get(name, ()), *[''] * (deaths - len(known.get(name, ())))]
        for name, deaths in stored[DEATHS].items()
    }
    called = stored[CALLED]
    if called is not None:
        dead.setdefault(called, []).append(stored.get(ENGINE, ''))
    return dead


def _first_step(work: Work) -> tuple[bool, Value]:
    """Run a generator to its first wait. Return whether it has ended, and its value."""
    try:
        return False, next(work)
    except StopIteration as end:
        return True, end.value
