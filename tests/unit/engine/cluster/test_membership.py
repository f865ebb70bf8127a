import datetime

import pytest

from heat_lite.db.column_types import utcnow
from heat_lite.engine.cluster import membership


class Listener:
    """Answers for the engines ``living``."""

    def __init__(self, *living):
        self.alive_ids = living

    def is_alive(self, context, engine_id):
        return engine_id in self.alive_ids


@pytest.mark.parametrize(
    ('heartbeats', 'gone'),
    [({}, True), ({'e': None}, True), ({'answers': None}, False), ({'e': utcnow()}, False)],
    ids=['signed off', 'silent', 'late', 'well'],
)
def test_engine_is_gone_by_heartbeat_and_answer(heartbeats, gone):
    known = membership.EngineMembership(Listener('answers'), timeout=10)
    assert known.is_gone(next(iter(heartbeats), 'e'), heartbeats) is gone


def test_heartbeat_from_the_future_expires_like_others():
    now = 1000
    known = membership.EngineMembership(Listener(), timeout=10, clock=lambda: now)
    heartbeats = {'e': utcnow() + datetime.timedelta(hours=1)}
    assert not known.is_gone('e', heartbeats)
    now += 15
    assert not known.is_gone('e', {'e': heartbeats['e'] + datetime.timedelta(seconds=1)})
    now += 15
    assert known.is_gone('e', {'e': heartbeats['e'] + datetime.timedelta(seconds=1)})


def test_engine_that_could_not_report_itself_waits_for_the_others():
    now, in_touch = 1000, 0
    known = membership.EngineMembership(Listener(), False, 10, lambda: now, lambda: in_touch)
    heartbeats = {'e': utcnow()}
    assert not known.is_gone('e', heartbeats)
    now += 60  # the database was away for both
    for seconds, gone in ((0, False), (9, False), (10, True)):
        in_touch = seconds
        assert known.is_gone('e', heartbeats) is gone
        assert known.is_gone('e', {'e': None}) is gone
