import threading
import time

import pytest

from heat_lite.common import cooperation


@pytest.fixture
def pauses(monkeypatch):
    """The pauses of a process with green threads in seconds, as a list that grows."""
    made = []
    monkeypatch.setattr(time, 'sleep', made.append)
    monkeypatch.setattr(cooperation._state, 'green', True)
    monkeypatch.setattr(cooperation._state, 'due', 0.0)
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


@pytest.mark.parametrize('green', [True, False])
def test_long_works_take_turns(pauses, monkeypatch, green):
    monkeypatch.setattr(cooperation._state, 'green', green)
    one, other = cooperation.Work(), cooperation.Work()
    one.begin(), other.begin()
    one.pause()
    other.pause()
    one.pause()
    assert len(cooperation.long_works) == 2
    one.end(), other.end()
    one.pause()
    assert not cooperation.long_works
    alone, *together, after = pauses
    assert (alone, after) == (0, 0)
    assert len(together) == 2 and min(together) >= 2 * cooperation.MIN_TURN_SECONDS


def test_long_work_makes_up_for_its_turn_up_to_a_limit(pauses):
    one, other = cooperation.Work(), cooperation.Work()
    one.begin(), other.begin()
    other.pause()
    one.pause()
    compute(2 * cooperation.MIN_TURN_SECONDS)
    one.pause()
    one._turn_begun -= 60  # as if it had computed for a minute
    one.pause()
    one.end(), other.end()
    assert pauses[2] >= 4 * cooperation.MIN_TURN_SECONDS
    assert pauses[3] == 2 * cooperation.MAX_TURN_SECONDS


def test_pause_of_a_work_begins_a_slice_of_loops(pauses, monkeypatch):
    monkeypatch.setattr(cooperation, 'SLICE_SECONDS', 600.0)
    cooperation.Work().pause()
    assert list(cooperation.each('ab')) == ['a', 'b'] and pauses == [0]


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
