"""Messages to the APIs that new events were stored, while some API has listeners.

Tests: tests/functional/test_event_stream.py.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection

from heat_lite.common.event_pace import EventPace

LOG = logging.getLogger(__name__)


class EventAnnouncer:
    """The projects with events that the APIs do not know of yet.

    Without a lease of an API, ``note`` does nothing. With one, a thread sends the messages: no
    stack waits for the broker. ``announce`` sends the names of projects to the APIs.
    """

    def __init__(self, announce: Callable[[Collection[str]], None]) -> None:
        self._announce = announce
        self._until = 0.0
        self._projects: set[str] = set()
        self._guard = threading.Lock()
        self._noted = threading.Event()
        self._thread: threading.Thread | None = None

    def lease(self, seconds: float) -> None:
        """Announce events for some seconds."""
        with self._guard:
            self._until = max(self._until, time.monotonic() + seconds)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name='events', daemon=True)
                self._thread.start()

    def note(self, project: str) -> None:
        """Announce that events of a stack of a project were committed."""
        if self._thread is not None:
            with self._guard:
                self._projects.add(project)
            self._noted.set()

    def _run(self) -> None:
        pace = EventPace()
        while self._is_leased():
            if not self._noted.wait(max(self._until - time.monotonic(), 0)):
                continue
            self._noted.clear()
            with self._guard:
                projects, self._projects = self._projects, set()
            self._send(projects)
            time.sleep(pace.next_pause())

    def _is_leased(self) -> bool:
        with self._guard:
            if time.monotonic() < self._until:
                return True
            self._thread = None
            self._projects.clear()
            return False

    def _send(self, projects: Collection[str]) -> None:
        try:
            self._announce(projects)
        except Exception as error:  # the thread is the only one, and events will follow
            LOG.warning(
                'New events were not announced; the APIs find them a few seconds later: %s', error
            )
