"""The turns of works that compute for long: one of them computes at a time in a process.

All threads of a process share the interpreter. A short request that has waited for the database
waits again for each thread that computes, so a crowd of long requests delays it by their number.
Here all but one of the long works wait, in an order that is fair to their parties, e.g. projects.
"""

import bisect
import itertools
import threading
import time

#: processor time of a work, in seconds, at which its class rises; the lowest goes first
CLASSES = (0.03, 0.1, 0.3)
#: processor time of a party, in seconds, at which its short works go after those of others
SHARES = (0.1, 0.3, 1.0)
#: processor time of a party, in seconds, at which its level rises
LEVELS = (3.0, 30.0)
#: seconds after which half of what a party has used is forgotten
HALF_LIFE = 10.0
#: seconds without a sign of the holder after which its turn passes to another work: it waits for
#: something, e.g. for a lock that one of the waiting works has
LEASE_SECONDS = 0.2
#: parties whose use is known; those of the others count as new
MAX_PARTIES = 4096

_numbers = itertools.count()


class Work:
    """The work of one thread, e.g. a request; ``party``: whose work it is."""

    __slots__ = ('party', 'limit', 'number', 'spent', 'mark', 'due', 'away')

    def __init__(self, party: str, mark: float, limit: float = 0.0) -> None:
        self.party = party
        #: processor time in seconds after which it needs a turn
        self.limit = limit
        self.number = next(_numbers)
        #: processor time in seconds
        self.spent = 0.0
        #: the clock of the processor time when it was counted last
        self.mark = mark
        #: monotonic time of the next look at the clock
        self.due = 0.0
        #: how many blocks it is in that wait for others, or that others wait for
        self.away = 0


class _Wait:
    """A work that waits for its turn."""

    __slots__ = ('work', 'over')

    def __init__(self, work: Work) -> None:
        self.work = work
        self.over = threading.Event()


class LongTurns:
    """The turn to compute: of one work at a time.

    It passes on when its work ends or waits, and when a work waits that goes first. Short works go
    first: those of parties that have used less processor time; then those that have computed for
    less time, the newest before a crowd that has come at once. Long works follow, again those of
    parties that have used less first. Here use is compared by few levels, so works of parties with
    a similar use follow each other by their age: most then end soon, instead of all at the end.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: Work | None = None
        #: the monotonic time of the last sign of the holder
        self._seen = 0.0
        self._waits: list[_Wait] = []
        #: party -> (processor time, monotonic time of the last change)
        self._used: dict[str, tuple[float, float]] = {}

    def take(self, work: Work, spent: float) -> None:
        """Begin or go on with the turn of a work that has just spent processor time.

        Wait while it is the turn of another one.
        """
        now = time.monotonic()
        with self._lock:
            self._charge(work.party, spent, now)
            holds = self._holder is work
            if holds and not self._is_before(work, now):
                self._seen = now
                return
            wait = _Wait(work)
            self._waits.append(wait)
            if holds or self._holder is None:
                self._pass_on(now)
        self._wait(wait)

    def give(self, work: Work) -> None:
        """End the turn of a work, if it is its turn."""
        if self._holder is work:
            with self._lock:
                if self._holder is work:
                    self._pass_on(time.monotonic())

    def _wait(self, wait: _Wait) -> None:
        while not wait.over.wait(LEASE_SECONDS):
            now = time.monotonic()
            with self._lock:
                if now > self._seen + LEASE_SECONDS and not wait.over.is_set():
                    self._pass_on(now)

    def _pass_on(self, now: float) -> None:
        """Give the turn to the next work, if one waits."""
        self._holder, self._seen = None, now
        if self._waits:
            wait = min(self._waits, key=lambda each: self._rank(each.work, now))
            self._waits.remove(wait)
            self._holder = wait.work
            wait.over.set()

    def _is_before(self, work: Work, now: float) -> bool:
        """Return whether a work waits that goes before this one."""
        rank = self._rank(work, now)[:2]
        return any(self._rank(each.work, now)[:2] < rank for each in self._waits)

    def _rank(self, work: Work, now: float) -> tuple[int, int, int]:
        used = self._use(work.party, now)
        level = bisect.bisect(LEVELS, used)
        if level or work.spent >= CLASSES[-1]:
            return len(SHARES) + 1 + level, 0, work.number
        return bisect.bisect(SHARES, used), bisect.bisect(CLASSES, work.spent), -work.number

    def _use(self, party: str, now: float) -> float:
        used, at = self._used.get(party, (0.0, now))
        return used * 0.5 ** ((now - at) / HALF_LIFE)

    def _charge(self, party: str, seconds: float, now: float) -> None:
        used = self._use(party, now) + seconds
        self._used.pop(party, None)
        self._used[party] = used, now
        if len(self._used) > MAX_PARTIES:
            del self._used[next(iter(self._used))]
