"""The permits of long computations."""

import threading

import pytest

from heat_lite.common import long_work
from heat_lite.common.admission import Admission
from tests.timeouts import WAIT_SECONDS


@pytest.fixture(autouse=True)
def permits(monkeypatch):
    """One permit, and one more for a party without another."""
    monkeypatch.setattr(long_work, '_permits', Admission(1, 1))


def test_third_computation_waits_for_one_of_two(permits):
    begun, go_on = threading.Event(), threading.Event()

    def compute():
        with long_work.permit('third'):
            begun.set()

    with long_work.permit('first'):
        thread = threading.Thread(target=lambda: hold(go_on))
        thread.start()
        waiting = threading.Thread(target=compute)
        waiting.start()
        assert not begun.wait(0.1)
        go_on.set()
        assert begun.wait(WAIT_SECONDS)
    thread.join()
    waiting.join()


def hold(go_on):
    with long_work.permit('second'):
        go_on.wait(WAIT_SECONDS)


def test_thread_that_waits_for_another_lends_its_permit():
    def compute():
        with long_work.permit('first'):
            return

    with long_work.permit('first'), long_work.waiting():
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join(WAIT_SECONDS)
        assert not thread.is_alive()


def test_thread_that_waits_for_a_lock_lends_its_permit():
    lock, is_there = threading.Lock(), threading.Event()

    def wait_for_lock():
        with long_work.permit('first'):
            is_there.set()
            with long_work.locked(lock):
                return

    with lock:
        thread = threading.Thread(target=wait_for_lock)
        thread.start()
        assert is_there.wait(WAIT_SECONDS)
        with long_work.permit('first'):
            assert thread.is_alive()
    thread.join(WAIT_SECONDS)
    assert not thread.is_alive() and not lock.locked()


def test_thread_without_a_permit_waits_as_it_is():
    with long_work.waiting():
        assert getattr(long_work._current, 'held', None) is None


@pytest.fixture
def one_step():
    long_work.limit_steps(True)
    yield
    long_work.limit_steps(False)


def test_step_that_waits_lets_another_one_compute(one_step, monkeypatch):
    monkeypatch.setattr(long_work, 'STEP_SECONDS', WAIT_SECONDS)
    begun, ended = threading.Event(), threading.Event()

    def compute():
        with long_work.step():
            begun.set()
        ended.set()

    with long_work.step():
        threading.Thread(target=compute).start()
        assert not begun.wait(0.1)
        with long_work.waiting():
            assert ended.wait(WAIT_SECONDS)


def test_step_begins_beside_one_that_does_not_end(one_step):
    with long_work.step():
        thread = threading.Thread(target=lambda: long_work.step().__enter__())
        thread.start()
        thread.join(WAIT_SECONDS)
        assert not thread.is_alive()
