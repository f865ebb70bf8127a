"""The thread of green threads, and what native threads have it do."""

import concurrent.futures
import threading

import eventlet
import pytest

from heat_lite.server import hub
from tests.timeouts import WAIT_SECONDS


@pytest.fixture
def loop():
    return hub.Hub()


def test_calls_of_many_threads_are_made_in_one_thread(loop):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: loop.run(threading.get_ident), range(200)))
    assert len(set(found)) == 1 and found[0] != threading.get_ident()


def test_error_of_a_call_is_raised(loop):
    with pytest.raises(ZeroDivisionError):
        loop.run(lambda: 1 / 0)


def test_green_threads_run_while_one_waits_for_a_native_thread(loop):
    go_on = threading.Event()
    with (
        concurrent.futures.ThreadPoolExecutor(1) as pool,
        concurrent.futures.ThreadPoolExecutor(1) as caller,
    ):
        waiting = caller.submit(loop.run, loop.run_in, pool, go_on.wait, WAIT_SECONDS)
        assert loop.run(eventlet.sleep, 0) is None and not waiting.done()
        go_on.set()
        assert waiting.result(WAIT_SECONDS) is True


@pytest.mark.parametrize('is_set_before', [True, False])
def test_event_wakes_the_green_thread_that_waits(loop, is_set_before):
    event = hub.Event(loop)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        if is_set_before:
            event.set()
        waiting = pool.submit(loop.run, event.wait, WAIT_SECONDS)
        event.set()
        assert waiting.result(WAIT_SECONDS) is True


def test_event_that_is_not_set_ends_the_wait_at_its_time(loop):
    event = hub.Event(loop)
    event.set()
    event.clear()
    assert loop.run(event.wait, 0.01) is False
