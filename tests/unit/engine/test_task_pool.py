"""The task pool, on real threads."""

import gc
import threading
import weakref

import pytest

from heat_lite.common import log_context
from heat_lite.common.context import RequestContext
from heat_lite.engine import scheduler, task_pool
from tests.timeouts import WAIT_SECONDS, wait_until


@pytest.fixture
def pool():
    pool = task_pool.TaskPool(8, 'test')
    yield pool
    for job in list(pool.jobs):
        job.throw(GeneratorExit())


def spawn(pool, task, **options):
    ended = []
    job = pool.spawn(
        scheduler.TaskRunner(task),
        on_end=lambda result, error: ended.append((result, error)),
        **options,
    )
    return job, ended


def test_job_runs_to_its_end(pool):
    def task():
        yield
        yield 0.01
        return 7

    job, ended = spawn(pool, task())
    assert job.ended.wait(60) and ended == [(7, None)]


def test_job_error_is_passed_to_on_end(pool):
    def task():
        yield
        raise ValueError('no')

    job, ended = spawn(pool, task())
    assert job.ended.wait(60)
    assert str(ended[0][1]) == 'no'


def test_pool_keeps_no_ended_job(pool):
    """Neither its idle threads do, nor a pause of the job that was to end in an hour."""

    def task():
        yield 3600

    def waiting():
        yield task_pool.UNTIL_WOKEN

    job, _ = spawn(pool, task())
    other, _ = spawn(pool, waiting())  # while it waits, the thread stays
    wait_until(lambda job=job: job.state == 'sleeping')
    job.wake()
    assert job.ended.wait(WAIT_SECONDS)
    ended = weakref.ref(job)
    del job
    # the job and its bound methods refer to each other
    wait_until(lambda: gc.collect() >= 0 and ended() is None)
    assert not other.ended.is_set()


def test_sleeping_job_is_woken(pool):
    def task():
        yield task_pool.UNTIL_WOKEN
        return 'awake'

    job, ended = spawn(pool, task())
    wait_until(lambda: job.state == 'sleeping')
    assert not ended
    job.wake()
    assert job.ended.wait(60) and ended == [('awake', None)]


def test_wake_during_step_is_not_lost(pool):
    inside, go_on = threading.Event(), threading.Event()

    def task():
        inside.set()
        go_on.wait(60)
        yield task_pool.UNTIL_WOKEN
        return 'awake'

    job, ended = spawn(pool, task())
    inside.wait(60)
    job.wake()
    go_on.set()
    assert job.ended.wait(60)


def test_exception_is_thrown_into_sleeping_job(pool):
    begun = threading.Event()

    def task():
        begun.set()
        try:
            yield 1000
        except scheduler.Cancelled as error:
            return str(error)

    job, ended = spawn(pool, task())
    assert begun.wait(WAIT_SECONDS)
    job.throw(scheduler.Cancelled('enough'))
    assert job.ended.wait(60) and ended == [('enough', None)]


def test_concurrency_limit_bounds_running_jobs(pool):
    limit_group, lock = task_pool.ConcurrencyLimit(2), threading.Lock()
    running, most = 0, 0

    def task():
        nonlocal running, most
        for _ in range(3):
            with lock:
                running += 1
                most = max(most, running)
            threading.Event().wait(0.01)
            with lock:
                running -= 1
            yield 0.001

    jobs = [spawn(pool, task(), limit_group=limit_group)[0] for _ in range(10)]
    assert all(job.ended.wait(60) for job in jobs)
    assert most == 2


def test_sleeping_jobs_hold_no_thread(pool):
    """Far more jobs than threads: all sleep at the same time."""

    def task():
        yield 3600

    jobs = [spawn(pool, task())[0] for _ in range(500)]
    wait_until(lambda: all(job.state == 'sleeping' for job in jobs))
    for job in jobs:
        job.wake()
    assert all(job.ended.wait(60) for job in jobs)


def test_frozen_pool_ends_running_steps_only():
    pool = task_pool.TaskPool(4)
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
    assert pool.freeze(60)
    assert not job.ended.wait(0.05)
    assert steps == [1] and not job.ended.is_set()
    with pytest.raises(task_pool.PoolClosed):
        spawn(pool, task)


def test_waiting_tasks_of_a_frozen_pool_are_closed_where_they_are_told():
    pool = task_pool.TaskPool(2)
    closed_in = []

    def task(error=None):
        try:
            yield 3600
        finally:
            closed_in.append(threading.current_thread())
            if error:
                raise error

    jobs = [spawn(pool, task(error))[0] for error in (None, ValueError(), None)]
    wait_until(lambda: all(job.state == 'sleeping' for job in jobs))
    pool.freeze(60)
    pool.close_waiting()
    assert closed_in == [threading.current_thread()] * 3


def test_pool_steps_nothing_while_may_step_is_false():
    pool = task_pool.TaskPool(2)
    allowed, steps = [False], []
    pool.may_step = lambda: allowed[0]
    job = pool.spawn(scheduler.TaskRunner(lambda: steps.append(1)))
    assert not job.ended.wait(0.3) and not steps
    allowed[0] = True
    assert job.ended.wait(60) and steps == [1]


def test_low_priority_jobs_run_after_others(pool):
    queue = task_pool.Queue(8)
    jobs = [
        task_pool.Job(pool, None, low_priority=low)
        for low in (True, True, True, False, False, False, False, False)
    ]
    for job in jobs:
        queue.append(job)
    order = [jobs.index(queue.pop()) for _ in jobs]
    assert order == [3, 4, 5, 0, 6, 7, 1, 2] and not queue


def job_of(pool, project, limit_group=None):
    subject = log_context.Subject(RequestContext(project_id=project), 'stack')
    return task_pool.Job(pool, None, limit_group, subject=subject)


def test_projects_take_turns_in_the_queue(pool):
    queue = task_pool.Queue(8)
    for project in 'aaaabbc':
        queue.append(job_of(pool, project))
    assert ''.join(queue.pop().project for _ in range(7)) == 'abcabaa'


def test_project_has_at_most_its_share_of_steps(pool):
    queue = task_pool.Queue(2)
    for project in 'aaaab':
        queue.append(job_of(pool, project))
    begun = [queue.pop() for _ in range(4)]
    assert [each and each.project for each in begun] == ['a', 'b', 'a', None]
    queue.done(begun[0])
    assert queue.pop().project == 'a' and queue.pop() is None and queue


def test_runnable_count_excludes_jobs_beyond_the_share(pool):
    queue = task_pool.Queue(4)
    limit = task_pool.ConcurrencyLimit(2)
    for project in 'aaaaaab':
        queue.append(job_of(pool, project))
    assert queue.runnable_count() == 4 + 1
    limited = job_of(pool, 'c', limit)
    for job in (limited, *(job_of(pool, 'c') for _ in range(4))):
        queue.append(job)
    assert queue.runnable_count() == 4 + 1 + 4
    begun = [queue.pop() for _ in range(3)]
    assert begun[-1] is limited and queue.runnable_count() == 4 + 1 + 3
    for job in begun:
        queue.done(job)
    assert queue.runnable_count() == 4 + 0 + 4


def test_long_steps_of_one_project_leave_threads_to_others():
    pool, go = task_pool.TaskPool(4), threading.Event()

    def task(wait):
        go.wait(wait)
        return
        yield

    def start(project, wait):
        subject = log_context.Subject(RequestContext(project_id=project), 'stack')
        return pool.spawn(scheduler.TaskRunner(task(wait)), subject=subject)

    many = [start('hostile', WAIT_SECONDS) for _ in range(20)]
    assert start('other', 0).ended.wait(WAIT_SECONDS)
    assert not any(job.ended.is_set() for job in many)
    go.set()
    assert all(job.ended.wait(WAIT_SECONDS) for job in many)


def test_runnable_count_excludes_limited_jobs(pool):
    seen, go = [], threading.Event()

    def task():
        seen.append(pool.runnable_count())
        go.wait(60)
        return
        yield

    jobs = [
        spawn(pool, task())[0],
        spawn(pool, task(), limit_group=task_pool.ConcurrencyLimit(2))[0],
    ]
    wait_until(lambda: len(seen) == 2)
    assert pool.runnable_count() == 1
    go.set()
    assert all(job.ended.wait(60) for job in jobs)
    wait_until(lambda: pool.runnable_count() == 0)
