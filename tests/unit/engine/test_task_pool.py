"""The task pool, on real threads."""

import threading
import time

import pytest

from heat_lite.engine import scheduler, threads
from tests.waiting import PATIENCE


@pytest.fixture
def pool():
    pool = threads.TaskPool(8, 'test')
    yield pool
    for job in pool.close():
        job.throw(GeneratorExit())


def spawn(pool, task, **options):
    ended = []
    job = pool.spawn(scheduler.TaskRunner(task), on_end=lambda result, error: ended.append((result, error)), **options)
    return job, ended


def test_a_job_runs_to_its_end(pool):
    def task():
        yield
        yield 0.01
        return 7

    job, ended = spawn(pool, task())
    assert job.ended.wait(60) and ended == [(7, None)]


def test_an_error_is_told(pool):
    def task():
        yield
        raise ValueError('no')

    job, ended = spawn(pool, task())
    assert job.ended.wait(60)
    assert str(ended[0][1]) == 'no'


def test_a_sleeping_job_is_woken(pool):
    def task():
        yield threads.UNTIL_WOKEN
        return 'awake'

    job, ended = spawn(pool, task())
    time.sleep(0.05)
    assert not ended
    job.wake()
    assert job.ended.wait(60) and ended == [('awake', None)]


def test_a_wake_during_a_step_is_not_lost(pool):
    inside, go_on = threading.Event(), threading.Event()

    def task():
        inside.set()
        go_on.wait(60)
        yield threads.UNTIL_WOKEN
        return 'awake'

    job, ended = spawn(pool, task())
    inside.wait(60)
    job.wake()
    go_on.set()
    assert job.ended.wait(60)


def test_an_exception_can_be_thrown_into_a_sleeping_job(pool):
    def task():
        try:
            yield 1000
        except scheduler.Cancelled as error:
            return str(error)

    job, ended = spawn(pool, task())
    time.sleep(0.02)
    job.throw(scheduler.Cancelled('enough'))
    assert job.ended.wait(60) and ended == [('enough', None)]


def test_a_lane_bounds_what_runs_side_by_side_and_all_of_it_ends(pool):
    lane, guard = threads.Lane(2), threading.Lock()
    running, most = 0, 0

    def task():
        nonlocal running, most
        for _ in range(3):
            with guard:
                running += 1
                most = max(most, running)
            time.sleep(0.01)
            with guard:
                running -= 1
            yield 0.001

    jobs = [spawn(pool, task(), lane=lane)[0] for _ in range(10)]
    assert all(job.ended.wait(60) for job in jobs)
    assert most == 2


def test_sleeping_jobs_hold_no_thread(pool):
    """Far more jobs than threads: all sleep at the same time."""

    def task():
        yield 0.5

    began = time.monotonic()
    jobs = [spawn(pool, task())[0] for _ in range(500)]
    assert all(job.ended.wait(60) for job in jobs)
    assert time.monotonic() - began < 20  # one after the other on each thread it would be half a minute


def test_a_closed_pool_takes_nothing_and_names_what_is_left():
    pool = threads.TaskPool(2, 'closed')

    def forever():
        while True:
            yield 1000

    job, _ = spawn(pool, forever())
    assert pool.close(0.05) == [job]
    with pytest.raises(RuntimeError):
        spawn(pool, forever())
    job.throw(scheduler.Cancelled())
    assert job.ended.wait(60)


def test_a_frozen_pool_ends_the_steps_under_way_and_begins_none():
    pool = threads.TaskPool(4)
    begun, go_on, steps = threading.Event(), threading.Event(), []

    def task():
        begun.set()
        go_on.wait(60)
        steps.append(1)
        yield 0
        steps.append(2)

    job = pool.spawn(scheduler.TaskRunner(task))
    assert begun.wait(60)
    assert not pool.freeze(0.05)
    go_on.set()
    assert pool.freeze(5)
    time.sleep(0.05)
    assert steps == [1] and not job.ended.is_set()


def test_nothing_is_stepped_while_it_may_not():
    pool = threads.TaskPool(2)
    allowed, steps = [False], []
    pool.may_step = lambda: allowed[0]
    job = pool.spawn(scheduler.TaskRunner(lambda: steps.append(1)))
    assert not job.ended.wait(0.3) and not steps
    allowed[0] = True
    assert job.ended.wait(60) and steps == [1]


def test_late_jobs_let_others_go_first_but_are_not_forgotten(pool):
    queue = threads.Queue()
    jobs = [threads.Job(pool, None, late=late) for late in (True, True, True, False, False, False, False, False)]
    for job in jobs:
        queue.append(job)
    order = [jobs.index(queue.pop()) for _ in jobs]
    assert order == [3, 4, 5, 0, 6, 7, 1, 2] and not queue


def test_the_crowd_is_those_that_call_nobody(pool):
    seen, go = [], threading.Event()

    def task():
        seen.append(pool.crowd())
        go.wait(60)
        return
        yield

    jobs = [spawn(pool, task())[0], spawn(pool, task(), lane=threads.Lane(2))[0]]
    until = time.monotonic() + PATIENCE
    while len(seen) < 2 and time.monotonic() < until:
        time.sleep(0.005)
    assert pool.crowd() == 1
    go.set()
    assert all(job.ended.wait(60) for job in jobs)
    until = time.monotonic() + PATIENCE
    while pool.crowd() and time.monotonic() < until:
        time.sleep(0.005)
    assert pool.crowd() == 0
