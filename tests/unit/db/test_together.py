"""What several threads want at the same time is done at once, each gets its own result, and one that fails harms no other."""

import threading
import time

import pytest

from heat_lite.db import session, together


class Work:
    """Doubles numbers, and says which it got together; 13 is too much for it."""

    def __init__(self):
        self.batches = []

    def all_at_once(self, wishes):
        self.batches.append(len(wishes))
        time.sleep(0.02)
        if 13 in wishes:
            raise ValueError('not with 13')
        return [2 * wish for wish in wishes]

    def one(self, wish):
        self.batches.append(1)
        time.sleep(0.02)
        if wish == 13:
            raise LookupError(wish)
        return 2 * wish


def run(gathered, wishes, before=lambda: None):
    """``{wish: its result or its error}``, each in a thread of its own."""
    found = {}

    def ask(wish):
        before()
        try:
            found[wish] = gathered.do(wish)
        except LookupError as error:
            found[wish] = error

    threads = [threading.Thread(target=ask, args=(wish,)) for wish in wishes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found


@pytest.fixture(autouse=True)
def crowd():
    yield
    together.expect(lambda: 0)


def test_those_that_come_while_others_are_served_go_together():
    work = Work()
    found = run(together.Together(work.all_at_once, work.one), range(1, 13))
    assert found == {number: 2 * number for number in range(1, 13)}
    assert sum(work.batches) == 12 and len(work.batches) < 12 and together._crowd.here == 0


def test_whose_fault_it_is_shows_when_they_go_one_by_one():
    work = Work()
    found = run(together.Together(work.all_at_once, work.one), range(10, 16))
    assert isinstance(found.pop(13), LookupError)
    assert found == {number: 2 * number for number in (10, 11, 12, 14, 15)} and together._crowd.here == 0


def test_others_who_are_at_work_are_waited_for_unless_somebody_waits():
    together.expect(lambda: 5)
    work = Work()
    run(together.Together(work.all_at_once, work.one), range(1, 6), session.be_patient)
    assert work.batches == [5]
    begun = time.monotonic()
    work = Work()
    run(together.Together(work.all_at_once, work.one), [1])  # four more might come, but this one is in haste
    assert work.batches == [1] and time.monotonic() - begun < together.LONGEST


def test_reading_gives_to_each_what_it_asked_for():
    asked = []

    def read(_context, keys):
        asked.append(sorted(keys))
        return {key: key.upper() for key in keys if key != 'b'}

    together.expect(lambda: 3)
    reading = together.Reading(read)
    found = {}

    def ask(key):
        session.be_patient()
        found[key] = reading.get(None, key)

    threads = [threading.Thread(target=ask, args=(key,)) for key in 'abc']
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == {'a': 'A', 'b': None, 'c': 'C'} and asked == [['a', 'b', 'c']]
    assert reading.get(None, 'd') == 'D' and asked[-1] == ['d']
