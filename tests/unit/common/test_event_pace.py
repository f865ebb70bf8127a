"""Pauses between two looks at new events."""

import pytest

from heat_lite.common import event_pace


class Clock:
    """A clock that moves only when told."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_pauses_grow_while_events_keep_coming(clock):
    pace = event_pace.EventPace(clock)
    pauses = []
    for _ in range(4):
        pauses.append(pace.next_pause())
        clock.now += pauses[-1] + 0.01
    assert pauses == [0.05, 0.1, 0.15, 0.15]


def test_pauses_are_short_again_after_a_rest(clock):
    pace = event_pace.EventPace(clock)
    for _ in range(4):
        clock.now += pace.next_pause()
    clock.now += event_pace.REST + 0.01
    assert pace.next_pause() == event_pace.SHORTEST
