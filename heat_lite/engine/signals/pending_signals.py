"""The signals of an engine that are accepted and not handled yet, and what accepts them."""

import dataclasses
import itertools
import threading
import typing

from heat_lite.common import exception, lru_cache
from heat_lite.db import resources as db_resources

#: locks of all gates: those of two resources rarely share one
LOCKS = 64
MAX_NAMES = 1024


class SignalOutcome:
    """The end of a signal, for a caller that waits for it."""

    def __init__(self):
        self.ended = threading.Event()
        self.error = None

    def end(self, error=None):
        self.error = error
        self.ended.set()


class PendingSignals:
    """The signals that are accepted and not handled yet, by the id of their resource's row.

    One task of the engine handles those of a row that may be handled together: the one whose
    ``begin`` was True, until ``take`` returns none.
    """

    def __init__(self):
        self._by_row = {}
        self._handled = set()
        self._tickets = itertools.count(1)
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)

    def of(self, row_id):
        """Return the details of the pending signals of a row, oldest first."""
        with self._lock:
            return [details for details, _ in self._by_row.get(row_id, {}).values()]

    def add(self, row_id, details, outcome=None):
        """Return a ticket to remove the signal; the details of several may be one object."""
        with self._lock:
            ticket = next(self._tickets)
            self._by_row.setdefault(row_id, {})[ticket] = details, outcome
            return ticket

    def join(self, row_id, details, outcome):
        """Add the signal if a task handles those of the row now, and return whether one does."""
        with self._lock:
            if row_id not in self._handled:
                return False
            self._by_row.setdefault(row_id, {})[next(self._tickets)] = details, outcome
            return True

    def remove(self, row_id, ticket):
        with self._lock:
            del self._by_row[row_id][ticket]
            if not self._by_row[row_id]:
                del self._by_row[row_id]
                self._changed.notify_all()

    def wait(self, seconds):
        """Wait until all signals are handled, at most ``seconds``. Return how many are not."""
        with self._changed:
            self._changed.wait_for(lambda: not self._by_row, seconds)
            return sum(map(len, self._by_row.values()))

    def begin(self, row_id):
        """Return whether no task handles the signals of the row: the caller has to, from now on."""
        with self._lock:
            if row_id in self._handled:
                return False
            self._handled.add(row_id)
            return True

    def take(self, row_id, count):
        """Return the oldest signals of a row: (ticket, details, outcome). None: the task ends."""
        with self._lock:
            signals = itertools.islice(self._by_row.get(row_id, {}).items(), count)
            found = [(ticket, *signal) for ticket, signal in signals]
            if not found:
                self._handled.discard(row_id)
            return found


@dataclasses.dataclass
class _Entry:
    """The gate of a resource, and the versions of the rows that it counts.

    ``batches``: the task handles any number of signals at once, so none has to wait for room.
    ``is_storing``: the task stores signals that are counted, which makes the next version.
    """

    versions: tuple
    gate: typing.Any
    batches: bool
    is_storing: bool = False


class SignalGates:
    """What resources accept and refuse signals by, so that only the task that stores signals reads
    those that a resource has stored.

    A gate is that of a resource of a stack with its template. It counts the signals that are stored
    and those that are pending, while the rows of the resource are those that it was made of.
    """

    def __init__(self, pending, max_entries=64, max_weight=64 * 1024):
        self._pending = pending
        self._cache = lru_cache.LruCache(max_entries, max_weight, lambda entry: entry.gate.weight)
        #: stack, template, and the name or physical id of a resource -> the key of its gate
        self._keys = lru_cache.LruCache(MAX_NAMES, MAX_NAMES, lambda key: 1)
        self._locks = [threading.Lock() for _ in range(LOCKS)]

    def enter(self, context, stack_row, name, details, limits, wait=False):
        """Accept a signal if the gate is known, a task handles those of the resource now, and the
        caller does not wait. Return whether it was accepted.

        Raises RequestLimitExceeded for a full resource.
        """
        key = self._keys.get((stack_row.id, stack_row.raw_template_id, name))
        if key is None:
            return False
        with self._lock(key):
            entry = self._current(context, key)
            if entry is None:
                return False
            count = entry.gate.check(details, limits)
            if wait or not entry.batches:
                return False
            if not self._pending.join(key.row_id, details, SignalOutcome()):
                return False
            self._count(key, entry, count)
            return True

    def add(self, stack, name, item, details, outcome):
        """Accept a signal and return its ticket. Raises RequestLimitExceeded for a full resource.

        ``name``: the name or physical id by which the resource was found
        """
        key = _key(stack, item)
        with self._lock(key):
            entry = self._current(stack.context, key) or self._make(stack, key, item)
            if entry is not None:
                self._keys.put((stack.id, stack.template_id, name), key)
                self._count(key, entry, entry.gate.check(details, stack.limits))
            return self._pending.add(key.row_id, details, outcome)

    def _count(self, key, entry, count):
        count()
        self._cache.put(key, entry)  # it weighs more now

    def _current(self, context, key):
        """Return the entry, or None if it is unknown or the rows of the resource have changed."""
        entry = self._cache.get(key)
        if entry is None:
            return None
        now = _versions(context, key)
        if now == entry.versions or (entry.is_storing and _follows(entry.versions, now, key)):
            return entry
        return None

    def _make(self, stack, key, item):
        # the signals after the versions: later ones are of another version
        versions = _versions(stack.context, key)
        gate = item.signal_gate(self._pending.of(key.row_id))
        if gate is None:
            return None
        return self._cache.put(key, _Entry(versions, gate, item.batches_signals))

    def store(self, stack, item, several):
        """Let the resource store pending signals. Return its results, and whether the gate, which
        counts them already, is that of the changed row.
        """
        key = _key(stack, item)
        with self._lock(key):
            entry = self._cache.get(key)
            if entry is not None:
                entry.is_storing = True
        results = item.handle_signals(several)
        if entry is None:
            return results, False
        with self._lock(key):
            entry.is_storing = False
            now = _versions(stack.context, key)
            if now != entry.versions and not _follows(entry.versions, now, key):
                return results, False
            entry.versions = now
        is_refused = any(isinstance(each, exception.RequestLimitExceeded) for each in results)
        return results, self._cache.get(key) is entry and not is_refused

    def drop(self, stack, item):
        """Forget the gate of a resource, as it counts signals that are not stored."""
        key = _key(stack, item)
        with self._lock(key):
            self._cache.pop(key)

    def _lock(self, key):
        return self._locks[hash(key) % LOCKS]


class _Key(typing.NamedTuple):
    stack_id: str
    template_id: int
    name: str
    row_id: int


def _key(stack, item):
    return _Key(stack.id, stack.template_id, item.name, item.record.id)


def _versions(context, key):
    return db_resources.signal_versions(context, key.stack_id, key.name)


def _follows(before, now, key):
    """Return whether one change of the metadata of the row lies between two versions.

    The last value of a row is the length of its metadata, the second its atomic key.
    """
    changed = {key.row_id: 1}
    return [
        (row_id, (atomic or 0) + changed.get(row_id, 0), *rest[: len(rest) - (row_id in changed)])
        for row_id, atomic, *rest in before
    ] == [
        (row_id, atomic or 0, *rest[: len(rest) - (row_id in changed)])
        for row_id, atomic, *rest in now
    ]
