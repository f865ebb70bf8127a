"""Shared polling: one list request shows the state of several objects that tasks wait for."""

import threading
import time
from collections.abc import Callable
from typing import Any

from heat_lite.clients import rest
from heat_lite.common.value_types import Values

#: least number of awaited objects for which a list is requested
MIN_WAITERS = 3
#: seconds for which a list is valid, and after which an object that was not fetched again is
#: no longer awaited
LIST_LIFETIME, WAITER_LIFETIME = 0.5, 15.0
#: limit of pages of a list; an object that is not on them is requested alone
MAX_PAGES = 3
MIN_PAGE_SIZE = 50


class SharedPoller:
    """The awaited objects of one collection, for all tasks that act as one user."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[str, float] = {}
        self._listing = False
        #: when the last list was requested, until when it is valid, and its objects by id
        self._requested_at = self._valid_until = float('-inf')
        self._objects: Values = {}

    def fetch(
        self,
        api: rest.Api,
        path: str,
        key: str,
        object_id: str,
        since: float,
        id_filter: str | None = None,
    ) -> tuple[bool, Any]:
        """Return the state of an object that is newer than the time ``since``.

        ``(True, object)``: the state. ``(True, None)``: unknown, so request the object alone.
        ``(False, None)``: retry soon. ``path`` and ``key`` are those of the list; ``id_filter`` is
        the query parameter by which the service lists given ids only, or None.
        """
        with self._lock:
            now = self._clock()
            self._waiting = {each: until for each, until in self._waiting.items() if until > now}
            self._waiting[object_id] = now + WAITER_LIFETIME
            if len(self._waiting) < MIN_WAITERS:
                return True, None
            if now < self._valid_until:
                fresh = self._requested_at >= since
                return fresh, self._objects.get(object_id) if fresh else None
            if self._listing:
                return False, None
            self._listing, wanted = True, set(self._waiting)
        try:
            found = _list(api, path, key, wanted, id_filter)
        finally:
            with self._lock:
                self._listing = False
        with self._lock:
            # A list is valid for as long as it took, so a slow service gets fewer requests.
            end = self._clock()
            self._requested_at, self._objects = now, found
            self._valid_until = end + max(LIST_LIFETIME, end - now)
        return True, found.get(object_id)


def _list(api: rest.Api, path: str, key: str, wanted: set[str], id_filter: str | None) -> Values:
    """Return the wanted objects on the first pages of a list: services list the newest first."""
    query: Values = {'limit': max(MIN_PAGE_SIZE, 2 * len(wanted))}
    if id_filter:
        query = {id_filter: sorted(wanted)}
    found: Values = {}
    for number, page in enumerate(api.pages(path, key, **query), 1):
        found.update((each['id'], each) for each in page if each['id'] in wanted)
        if number == MAX_PAGES or len(found) == len(wanted):
            break
    return found
