"""What many threads want of the database at the same time is done in one transaction: it is commits that cost, and round trips."""

import logging
import threading
import time

from heat_lite.db import session

LOG = logging.getLogger(__name__)
#: how many share a transaction at most
MOST = 64
#: where others are at work who may come, too, so long it is waited for them at most, in seconds
SLICE, LONGEST = 0.002, 0.1


class _Crowd:
    """How many threads are at work, and how many of them wait here."""

    def __init__(self):
        self.count = lambda: 0
        self.here = 0
        self._guard = threading.Lock()

    def change(self, number):
        with self._guard:
            self.here += number


_crowd = _Crowd()


def expect(count):
    """``count()`` tells how many threads are at work that may want something of the database, those included that do already."""
    _crowd.count = count


class Together:
    """One of the threads that come leads: it does what all want who wait, and then has another one lead.

    ``all_at_once(wishes)`` gives their results in the same order; where it fails, ``one(wish)`` shows whose fault that is.
    """

    def __init__(self, all_at_once, one):
        self._all_at_once = all_at_once
        self._one = one
        self._guard = threading.Lock()
        self._waiting = []
        self._is_led = self._in_haste = False

    def do(self, wish):
        """The result of one wish, or its error."""
        entry = _Entry(wish)
        _crowd.change(1)
        with self._guard:
            self._waiting.append(entry)
            # somebody waits for the answer of such a thread
            self._in_haste = self._in_haste or not session.is_patient()
            leads, self._is_led = not self._is_led, True
        if not leads:
            entry.called.wait()
        if not entry.done:
            self._lead()
        if entry.error is not None:
            raise entry.error
        return entry.result

    def _lead(self):
        self._linger()
        with self._guard:
            entries, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            self._in_haste = False
        try:
            # others wait behind it
            with session.impatient():
                self._do(entries)
        finally:
            # from now on these are at work again
            _crowd.change(-len(entries))
            with self._guard:
                following = self._waiting[:1]
                self._is_led = bool(following)
            for entry in (*entries, *following):
                entry.called.set()

    def _linger(self):
        """Let others come who are at work; a single one is not held up by that."""
        until = time.monotonic() + LONGEST
        while not self._in_haste and len(self._waiting) < MOST and _crowd.here < _crowd.count() and time.monotonic() < until:
            time.sleep(SLICE)

    def _do(self, entries):
        if len(entries) > 1:
            try:
                results = self._all_at_once([entry.wish for entry in entries])
                for entry, result in zip(entries, results, strict=True):
                    entry.finish(result)
                return
            except Exception as error:
                LOG.debug('%d together could not be stored: %s', len(entries), error)
        for entry in entries:
            try:
                entry.finish(self._one(entry.wish))
            except BaseException as error:
                entry.finish(error=error)


class Reading(Together):
    """The same for what is only read. ``read(context, keys)`` gives a mapping; what it lacks is None. Who is waited for reads alone."""

    def __init__(self, read):
        super().__init__(self._read_all, self._read_one)
        self._read = read

    def get(self, context, key):
        wish = context, key
        return self.do(wish) if session.is_patient() and not session.inside() else self._read_one(wish)

    def _read_all(self, wishes):
        found = self._read(wishes[0][0], [key for _, key in wishes])
        return [found.get(key) for _, key in wishes]

    def _read_one(self, wish):
        context, key = wish
        return self._read(context, [key]).get(key)


class _Entry:
    def __init__(self, wish):
        self.wish = wish
        #: it is done, or the one who waits for it is to lead
        self.called = threading.Event()
        self.done, self.result, self.error = False, None, None

    def finish(self, result=None, error=None):
        self.result, self.error, self.done = result, error, True
