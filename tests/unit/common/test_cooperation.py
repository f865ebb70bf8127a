import threading
import time

import pytest

from heat_lite.common import cooperation


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that a thread makes, as a list that grows."""
    made = []
    monkeypatch.setattr(cooperation._state, 'pause', lambda: made.append(time.monotonic()))
    monkeypatch.setattr(cooperation._state, 'due', 0.0)
    return made


def compute(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_long_loop_pauses_after_each_slice(pauses):
    for _ in cooperation.each(range(10)):
        compute(cooperation.SLICE_SECONDS)
    assert len(pauses) == 10


def test_short_loop_pauses_once(pauses, monkeypatch):
    monkeypatch.setattr(cooperation, 'SLICE_SECONDS', 600.0)
    assert list(cooperation.each(range(1000))) == list(range(1000))
    assert len(pauses) == 1


def test_process_with_native_threads_does_not_pause(monkeypatch):
    monkeypatch.setattr(cooperation._state, 'pause', None)
    cooperation.cooperate()
    assert list(cooperation.each('ab')) == ['a', 'b']


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
