import datetime
import time

import pytest

from heat_lite.db.types import utcnow
from heat_lite.engine import neighbours


class Listener:
    """Asks nobody; knows who would answer."""

    def __init__(self, *living):
        self.living = living

    def alive(self, context, engine_id):
        return engine_id in self.living


@pytest.mark.parametrize(
    ('signs', 'gone'),
    [({}, True), ({'e': None}, True), ({'answers': None}, False), ({'e': utcnow()}, False)],
    ids=['signed off', 'silent', 'late', 'well'],
)
def test_who_is_gone(signs, gone):
    known = neighbours.Neighbours(Listener('answers'), patience=10)
    assert known.is_gone(next(iter(signs), 'e'), signs) is gone


def test_a_beat_from_the_future_counts_no_longer_than_others():
    known = neighbours.Neighbours(Listener(), patience=0.1)
    signs = {'e': utcnow() + datetime.timedelta(hours=1)}
    assert not known.is_gone('e', signs)
    time.sleep(0.15)
    assert not known.is_gone('e', {'e': signs['e'] + datetime.timedelta(seconds=1)})
    time.sleep(0.15)
    assert known.is_gone('e', {'e': signs['e'] + datetime.timedelta(seconds=1)})
