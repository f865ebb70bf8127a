"""Watching many objects of one kind: where several are waited for, one list tells of them all."""

import threading
import time

#: so many must be waited for
FEW = 3
#: seconds for which a list tells how things are, and after which nobody is taken to be waiting who has not asked again
FRESH, FORGET = 0.5, 15.0
#: how many pages of a list are read at most: who is not found there is asked for alone
MOST_PAGES = 3
LEAST_PAGE = 50


class Joined:
    """The objects of one collection that are waited for by those who act as one user. Whoever waits comes again and again."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._guard = threading.Lock()
        self._waiting = {}
        self._asking = False
        #: when the last list was asked for, until when it tells, and what
        self._taken = self._until = float('-inf')
        self._found = {}

    def look(self, api, path, key, one, since, by=None):
        """``(True, object)``: it was so after ``since``. ``(True, None)``: nothing is known, ask for it alone. ``(False, None)``: come
        again in a moment. ``path`` and ``key`` are those of the list; ``by`` is the query by which it can be told which objects to list."""
        with self._guard:
            now = self._clock()
            self._waiting = {each: until for each, until in self._waiting.items() if until > now}
            self._waiting[one] = now + FORGET
            if len(self._waiting) < FEW:
                return True, None
            if now < self._until:
                return self._taken >= since, self._found.get(one) if self._taken >= since else None
            if self._asking:
                return False, None
            self._asking, wanted = True, set(self._waiting)
        try:
            found = _list(api, path, key, wanted, by)
        finally:
            with self._guard:
                self._asking = False
        with self._guard:
            # a service that takes long for a list is asked less often
            end = self._clock()
            self._taken, self._until, self._found = now, end + max(FRESH, end - now), found
        return True, found.get(one)


def _list(api, path, key, wanted, by):
    """Of the objects that are wanted those that the first pages of the list tell of: services put the newest first."""
    query = {by: sorted(wanted)} if by else {'limit': max(LEAST_PAGE, 2 * len(wanted))}
    found = {}
    for number, page in enumerate(api.pages(path, key, **query), 1):
        found.update((each['id'], each) for each in page if each['id'] in wanted)
        if number == MOST_PAGES or len(found) == len(wanted):
            break
    return found
