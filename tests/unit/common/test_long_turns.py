import threading
import time

import pytest

from heat_lite.common import long_turns
from tests.timeouts import WAIT_SECONDS


class Crowd:
    """Works in threads of their own that take turns; ``order``: the names as their turns begin."""

    def __init__(self):
        self.turns = long_turns.LongTurns()
        self.order = []
        self._threads = []

    def take(self, name, work, spent=0.0):
        """Take a turn in a thread; wait until it has it or waits for it."""
        before = len(self.order), len(self.turns._waits)
        thread = threading.Thread(target=self._take, args=(name, work, spent), daemon=True)
        thread.start()
        self._threads.append(thread)
        self.until(lambda: (len(self.order), len(self.turns._waits)) != before)

    def _take(self, name, work, spent):
        self.turns.take(work, spent)
        self.order.append(name)

    def until(self, condition):
        end = time.monotonic() + WAIT_SECONDS
        while not condition():
            assert time.monotonic() < end
            time.sleep(0.001)


@pytest.fixture
def crowd(monkeypatch):
    monkeypatch.setattr(long_turns, 'LEASE_SECONDS', float(WAIT_SECONDS))
    return Crowd()


def long_work(party):
    work = long_turns.Work(party, 0.0)
    work.spent = 1.0
    return work


def test_turn_passes_to_the_oldest_work_of_the_party_that_used_least(crowd):
    first, *others = [long_work(party) for party in ('a', 'b', 'a', 'c', 'd')]
    crowd.take('a1', first, 5.0)
    for name, work, spent in zip(('b', 'a2', 'c', 'd'), others, (5.0, 0, 0.9, 0), strict=True):
        crowd.take(name, work, spent)
    assert crowd.order == ['a1']
    for number, work in enumerate((first, others[2], others[3], others[0]), 2):
        crowd.turns.give(work)
        crowd.until(lambda expected=number: len(crowd.order) == expected)
    assert crowd.order == ['a1', 'c', 'd', 'b', 'a2']


def test_newest_short_work_goes_before_a_crowd(crowd):
    holder = long_work('holder')
    crowd.take('holder', holder)
    crowd.take('long', long_work('long'))
    shorts = [long_turns.Work(f'p{number}', 0.0) for number in range(2)]
    for number, work in enumerate(shorts):
        crowd.take(f'short {number}', work)
    crowd.take('holder again', holder)
    crowd.turns.give(shorts[1])
    crowd.until(lambda: len(crowd.order) == 3)
    crowd.turns.give(shorts[0])
    crowd.until(lambda: len(crowd.order) == 4)
    assert crowd.order == ['holder', 'short 1', 'short 0', 'holder again']


def test_new_short_works_of_a_party_do_not_overtake_those_of_others(crowd):
    """A delete that computed for 0.15 s once waited for all short requests that came after it."""
    holder = long_turns.Work('hostile', 0.0)
    crowd.take('holder', holder, 0.5)
    other = long_turns.Work('other', 0.0)
    other.spent = 0.15
    crowd.take('other', other, 0.15)
    assert crowd.order == ['holder']
    for number in range(3):
        crowd.take(f'new {number}', long_turns.Work('hostile', 0.0))
    crowd.turns.give(holder)
    crowd.until(lambda: len(crowd.order) == 2)
    assert crowd.order == ['holder', 'other']


def test_turn_passes_at_once_to_a_party_that_has_used_less(crowd):
    known, new = long_work('known'), long_work('new')
    crowd.take('known', known, 0.5)
    crowd.take('new', new)
    crowd.turns.take(known, 0.01)  # both are on the first level: its turn goes on
    assert crowd.order == ['known']
    crowd.take('known again', known, 5.0)
    assert crowd.order == ['known', 'new']
    crowd.turns.give(new)
    crowd.until(lambda: crowd.order[2:] == ['known again'])


def test_turn_of_a_work_that_gives_no_sign_passes_on(crowd, monkeypatch):
    monkeypatch.setattr(long_turns, 'LEASE_SECONDS', 0.01)
    holder, other = long_turns.Work('a', 0.0), long_turns.Work('b', 0.0)
    crowd.take('holder', holder)
    crowd.take('other', other)
    crowd.until(lambda: crowd.order == ['holder', 'other'])
    assert crowd.turns._holder is other


def test_use_is_forgotten(crowd, monkeypatch):
    heavy = long_turns.Work('heavy', 0.0)
    crowd.take('heavy', heavy, 100.0)
    now = time.monotonic()
    assert crowd.turns._use('heavy', now) == pytest.approx(100.0, rel=0.1)
    assert crowd.turns._use('heavy', now + 12 * long_turns.HALF_LIFE) < long_turns.SHARES[0]


def test_parties_are_forgotten(crowd, monkeypatch):
    monkeypatch.setattr(long_turns, 'MAX_PARTIES', 2)
    for party in 'abc':
        work = long_turns.Work(party, 0.0)
        crowd.turns.take(work, 1.0)
        crowd.turns.give(work)
    assert list(crowd.turns._used) == ['b', 'c']
