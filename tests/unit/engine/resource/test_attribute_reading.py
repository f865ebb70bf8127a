"""Reads of slow attributes: at once, each once, and within the time limit."""

import threading

import pytest

from heat_lite.common import exception
from heat_lite.engine.resource import attribute_reading
from tests.timeouts import WAIT_SECONDS


def test_reads_run_at_the_same_time():
    together = threading.Barrier(3)
    names = ['x', 'y', 'z']
    with attribute_reading.begun(seconds=WAIT_SECONDS) as reading:

        def read(name):
            reading.value((name, 'a'), lambda: (together.wait(WAIT_SECONDS), name)[1])

        reading.start([([(name, 'a')], lambda name=name: read(name)) for name in names])
        assert [reading.value((name, 'a'), pytest.fail) for name in names] == names


def test_a_value_is_read_once():
    calls = []
    with attribute_reading.begun():
        values = [
            attribute_reading.read_once(('id', 'a'), lambda: calls.append('read') or len(calls))
            for _ in range(3)
        ]
    assert values == [1, 1, 1] and calls == ['read']


def test_without_a_reading_each_call_reads():
    calls = []
    for _ in range(2):
        attribute_reading.read_once(('id', 'a'), lambda: calls.append('read'))
    assert len(calls) == 2


def test_an_error_belongs_to_each_that_needs_the_value():
    def fail():
        raise ValueError('no such object')

    with attribute_reading.begun() as reading:
        for _ in range(2):
            with pytest.raises(ValueError, match='no such object'):
                reading.value(('id', 'a'), fail)


def test_a_slow_read_does_not_keep_the_others():
    release = threading.Event()
    with attribute_reading.begun(seconds=0.5) as reading:
        slow = [('slow', 'slow.a')], lambda: reading.value(('slow', 'slow.a'), wait)
        fast = [('fast', 'fast.a')], lambda: reading.value(('fast', 'fast.a'), lambda: 7)

        def wait():
            return release.wait()

        reading.start([slow, fast])
        with pytest.raises(exception.AttributeNotKnown, match='"slow.a" is not known yet'):
            reading.value(('slow', 'slow.a'), pytest.fail)
        assert reading.value(('fast', 'fast.a'), pytest.fail) == 7
    release.set()


def test_without_a_free_thread_the_read_is_refused(monkeypatch):
    monkeypatch.setattr(attribute_reading, '_slots', threading.BoundedSemaphore(1))
    assert attribute_reading._slots.acquire(blocking=False)
    with attribute_reading.begun(seconds=WAIT_SECONDS) as reading:
        reading.start([([('id', 'r.a')], pytest.fail)])
        with pytest.raises(exception.TooManyAttributeReads):
            reading.value(('id', 'r.a'), pytest.fail)


def test_without_a_free_thread_and_a_limit_the_caller_reads(monkeypatch):
    monkeypatch.setattr(attribute_reading, '_slots', threading.BoundedSemaphore(1))
    assert attribute_reading._slots.acquire(blocking=False)
    with attribute_reading.begun() as reading:
        reading.start([([(name, 'a')], pytest.fail) for name in 'xy'])
        assert reading.value(('x', 'a'), lambda: 5) == 5
