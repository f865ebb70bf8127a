import concurrent.futures
import threading
import time

import pytest

from heat_lite.common import cooperation, long_turns


@pytest.fixture
def pauses(monkeypatch):
    """The pauses of a process with green threads in seconds, as a list that grows."""
    made = []
    monkeypatch.setattr(time, 'sleep', made.append)
    monkeypatch.setattr(cooperation._state, 'green', True)
    monkeypatch.setattr(cooperation._state, 'due', 0.0)
    monkeypatch.setattr(cooperation._state, 'begun', 0.0)
    return made


def compute(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_long_loop_pauses_after_each_slice(pauses):
    for _ in cooperation.each(range(10)):
        compute(cooperation.SLICE_SECONDS)
    assert pauses == [0] * 10


def test_short_loop_pauses_once(pauses, monkeypatch):
    monkeypatch.setattr(cooperation, 'SLICE_SECONDS', 600.0)
    assert list(cooperation.each(range(1000))) == list(range(1000))
    assert pauses == [0]


def test_loop_with_native_threads_does_not_pause(pauses, monkeypatch):
    monkeypatch.setattr(cooperation._state, 'green', False)
    cooperation.cooperate()
    assert list(cooperation.each('ab')) == ['a', 'b'] and pauses == []


def test_long_works_compute_one_at_a_time(monkeypatch):
    monkeypatch.setattr(long_turns, 'LEASE_SECONDS', 60.0)  # the machine may be busy
    active, most = [], []

    def run(number):
        with cooperation.work(f'p{number}'):
            compute_processor_time(2 * cooperation.LONG_SECONDS)
            for _ in cooperation.each(range(5)):
                active.append(number)
                most.append(len(active))
                compute_processor_time(cooperation.SLICE_SECONDS)
                active.remove(number)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))
    assert len(most) == 20 and set(most) == {1}


def test_short_work_does_not_wait_for_a_long_one():
    with cooperation.work('long'):
        compute_processor_time(2 * cooperation.LONG_SECONDS)
        cooperation.cooperate()
        thread = threading.Thread(target=loop_shortly, daemon=True)
        thread.start()
        thread.join(long_turns.LEASE_SECONDS / 2)
        assert not thread.is_alive()


def test_work_that_waits_for_others_has_no_turn_and_needs_none():
    turns = cooperation._turns
    with cooperation.work('one'):
        compute_processor_time(2 * cooperation.LONG_SECONDS)
        cooperation.cooperate()
        assert turns._holder is not None
        with cooperation.away():
            assert turns._holder is None
            time.sleep(2 * cooperation.SLICE_SECONDS)
            cooperation.cooperate()
            assert turns._holder is None
        time.sleep(2 * cooperation.SLICE_SECONDS)
        cooperation.cooperate()
        assert turns._holder is not None
    assert turns._holder is None


def compute_processor_time(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def loop_shortly():
    with cooperation.work('short'):
        list(cooperation.each(range(10)))


class Stack:
    def __init__(self, wait=None):
        self.wait = wait
        self.computed = 0

    @cooperation.cached_property
    def definition(self):
        self.computed += 1
        if self.wait is not None:
            assert self.wait.wait(60)
        return object()


def test_cached_property_is_computed_once():
    stack = Stack()
    assert stack.definition is stack.definition
    assert stack.computed == 1


def test_cached_property_of_one_object_does_not_block_that_of_another():
    done = threading.Event()
    slow = Stack(done)
    thread = threading.Thread(target=lambda: slow.definition)
    thread.start()
    try:
        reader = threading.Thread(target=lambda: Stack().definition, daemon=True)
        reader.start()
        reader.join(30)
        assert not reader.is_alive()
    finally:
        done.set()
        thread.join()
