"""The thread that announces new events to the APIs."""

import threading

from heat_lite.engine.event_announcer import EventAnnouncer
from tests.timeouts import WAIT_SECONDS


def test_events_after_an_error_are_announced():
    """With the thread all further announcements of the engine would end."""
    announced, failed = threading.Event(), threading.Event()

    def announce(projects):
        if not failed.is_set():
            failed.set()
            raise RuntimeError('no transport')
        announced.set()

    announcer = EventAnnouncer(announce)
    announcer.lease(WAIT_SECONDS)
    announcer.note('a')
    assert failed.wait(WAIT_SECONDS)
    announcer.note('b')
    assert announced.wait(WAIT_SECONDS)
