"""The turns of connections, with green threads that compute."""

import time

import eventlet
import pytest

from heat_lite.server import peer_turns
from tests.timeouts import WAIT_SECONDS


@pytest.fixture
def turns(monkeypatch):
    """Turns that are over after one thread, so that their order shows."""
    monkeypatch.setattr(peer_turns, 'TURNS_SECONDS', 0)
    return peer_turns.PeerTurns()


def take(turns, name, done, count=1, key=None):
    for _ in range(count):
        if not turns.is_free():
            turns.request(key or (name, False)).wait()
        done.append(name)


def run(*threads):
    with eventlet.Timeout(WAIT_SECONDS):
        for each in threads:
            each.wait()


def test_peer_with_one_connection_waits_for_one_turn_of_a_peer_with_many(turns):
    done = []
    many = [eventlet.spawn(take, turns, 'many', done, 3) for _ in range(50)]
    eventlet.sleep(0)
    other = eventlet.spawn(take, turns, 'other', done, 3)
    run(*many, other)
    places = [place for place, name in enumerate(done) if name == 'other']
    assert places[-1] - places[0] <= 2 * 3
    assert len(done) == 153 and turns.is_free()


def test_connections_that_send_ahead_wait_apart_from_the_others_of_their_peer(turns):
    done = []
    ahead = [eventlet.spawn(take, turns, 'ahead', done, 3, ('peer', True)) for _ in range(50)]
    eventlet.sleep(0)
    run(*ahead, eventlet.spawn(take, turns, 'peer', done))
    assert done.index('peer') < 50 + 3


@pytest.mark.parametrize('connections, ahead', [(1, True), (9, False)])
def test_crowds_make_no_step_of_another_peer_wait_for_all_of_them(turns, connections, ahead):
    """A hundred addresses that send ahead, or each on many connections, do not end either."""
    done = []
    crowd = [
        eventlet.spawn(take, turns, 'crowd', done, 20, (f'crowd-{number}', ahead))
        for number in range(100)
        for _ in range(connections)
    ]
    eventlet.sleep(0)
    honest = [eventlet.spawn(take, turns, each, done, 50) for each in ('one', 'two')]
    run(*honest)
    at_first = (1 + peer_turns.MAX_WAITS) * 100
    steps = 2 * 50
    assert 0 < done.count('crowd') <= at_first + steps / (peer_turns.PERIOD - 1)
    run(*crowd)
    assert len(done) == steps + len(crowd) * 20


def test_other_threads_run_between_the_turns(turns):
    done, ran = [], []

    def other():
        while len(done) < 20:
            ran.append(len(done))
            eventlet.sleep(0)

    run(eventlet.spawn(other), *[eventlet.spawn(take, turns, 'x', done) for _ in range(20)])
    assert len(set(ran)) > 10


def test_turns_follow_each_other_until_their_time_is_over(monkeypatch):
    monkeypatch.setattr(peer_turns, 'TURNS_SECONDS', 600.0)
    turns, done = peer_turns.PeerTurns(), []
    begun = time.monotonic()
    take(turns, 'x', done, 100)
    assert len(done) == 100 and not turns._waits
    assert time.monotonic() - begun < 600


def test_turn_that_is_cancelled_ends_its_wait_and_is_not_given(turns):
    assert turns.is_free()
    done, requested = [], []

    def wait(name):
        requested.append(turns.request((name, False)))
        requested[-1].wait()
        done.append(name)

    threads = [eventlet.spawn(wait, name) for name in 'abc']
    while len(requested) < 3:
        eventlet.sleep(0)
    requested[2].cancel()
    requested[2].cancel()
    run(*threads)
    requested[0].cancel()  # over
    assert sorted(done) == ['a', 'b', 'c'] and not turns._waits


def test_turn_of_a_thread_whose_time_is_over_goes_to_the_next(turns):
    assert turns.is_free()
    done = []

    def impatient():
        turn = turns.request(('a', False))
        with pytest.raises(ZeroDivisionError):
            turn.wait()
        eventlet.sleep(0.01)  # a turn given now would end this wait
        done.append('ended')

    thread = eventlet.spawn(impatient)
    other = eventlet.spawn(take, turns, 'b', done)
    eventlet.hubs.get_hub().schedule_call_global(0, thread.throw, ZeroDivisionError)
    run(thread, other)
    assert sorted(done) == ['b', 'ended'] and not turns._waits


def test_failure_in_a_turn_does_not_stop_the_others(turns):
    done = []

    def fail():
        turns.request(('a', False)).wait()
        raise ZeroDivisionError

    assert turns.is_free()
    threads = [eventlet.spawn(fail), eventlet.spawn(take, turns, 'b', done, 3)]
    with pytest.raises(ZeroDivisionError):
        run(*threads)
    run(threads[1])
    assert done == ['b'] * 3


def test_failure_of_a_cancelled_turn_does_not_keep_the_others_waiting(turns):
    requested, done = [], []

    def wait(name):
        requested.append(turns.request((name, False)))
        requested[-1].wait()
        done.append(name)
        if name == 'a':
            raise ZeroDivisionError

    def cancel():
        for turn in requested:
            turn.cancel()

    threads = [*(eventlet.spawn(wait, name) for name in 'abc'), eventlet.spawn(cancel)]
    run(*threads[1:])
    assert done == ['a', 'b', 'c'] and not turns._waits


def test_cancelled_turn_of_a_thread_whose_time_is_over_is_not_given(turns):
    def wait():
        turn = turns.request(('a', False))
        turn.cancel()
        with pytest.raises(ZeroDivisionError):
            turn.wait()
        begun = time.monotonic()
        eventlet.sleep(0.1)  # a turn given now would end this wait
        return time.monotonic() - begun

    thread = eventlet.spawn(wait)
    # before the turns: they are due when the thread has requested one
    eventlet.hubs.get_hub().schedule_call_global(0, thread.throw, ZeroDivisionError)
    with eventlet.Timeout(WAIT_SECONDS):
        assert thread.wait() > 0.09
