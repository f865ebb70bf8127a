"""Tasks, timeouts, cancellation and groups of tasks that depend on each other."""

import math

import pytest

from heat_lite.engine import scheduler


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def test_task_runner_plain_function_is_done_at_once():
    runner = scheduler.TaskRunner(lambda a, b: a + b, 1, b=2)
    assert runner.step() and runner.result == 3


def test_task_runner_pauses_grow_unless_a_number_is_yielded():
    def task():
        yield
        yield
        yield 10
        return 'end'

    runner, seen = scheduler.TaskRunner(task), []
    while not runner.step():
        seen.append(runner.pause)
    assert seen == [scheduler.FIRST_PAUSE, scheduler.FIRST_PAUSE * scheduler.PAUSE_GROWTH, 10]
    assert runner.result == 'end'


def test_pauses_never_exceed_limit():
    pauses = scheduler.pauses()
    assert max(next(pauses) for _ in range(100)) == scheduler.LONGEST_PAUSE


def test_task_runner_timeout_is_raised_in_task():
    clock, caught = Clock(), []

    def task():
        try:
            while True:
                yield 1
        except scheduler.Timeout as error:
            caught.append(error.seconds)
            raise

    runner = scheduler.TaskRunner(task, timeout=5, clock=clock)
    with pytest.raises(scheduler.Timeout):
        runner.run_to_completion(clock.sleep)
    assert caught == [5] and clock.now == 5 and runner.done


def test_task_runner_after_timeout_allows_cleanup():
    clock = Clock()

    def task():
        try:
            while True:
                yield 1
        except scheduler.Timeout:
            yield 1
            return 'cleaned'

    assert (
        scheduler.TaskRunner(task, timeout=2, clock=clock).run_to_completion(clock.sleep)
        == 'cleaned'
    )


def test_task_runner_cancelled_before_start_never_runs():
    ran = []
    runner = scheduler.TaskRunner(lambda: ran.append(1))
    runner.cancel()
    assert runner.step() and ran == []


def test_task_runner_cancel_closes_and_with_grace_times_out():
    closed, clock = [], Clock()

    def task():
        try:
            while True:
                yield 1
        except GeneratorExit:
            closed.append('closed')
            raise

    at_once = scheduler.TaskRunner(task)
    at_once.step()
    at_once.cancel()
    assert at_once.done and closed == ['closed']
    later = scheduler.TaskRunner(task, clock=clock)
    later.step()
    later.cancel(grace=3)
    with pytest.raises(scheduler.Timeout):
        later.run_to_completion(clock.sleep)
    assert clock.now == 3


def test_wrappertask_passes_results_and_errors_of_inner_tasks():
    def inner(value):
        yield
        if value < 0:
            raise ValueError(value)
        return value * 2

    @scheduler.wrappertask
    def outer():
        first = yield inner(4)
        try:
            yield inner(-1)
        except ValueError:
            second = yield inner(first)
        return second

    assert scheduler.TaskRunner(outer).run_to_completion(lambda _: None) == 16


DIAMOND = {'d': {'b', 'c'}, 'b': {'a'}, 'c': {'a'}, 'a': set()}


def start_all(group):
    nodes = group.ready()
    for node in nodes:
        group.start(node)
    return nodes


def test_task_group_follows_dependencies():
    group = scheduler.DependencyTaskGroup(DIAMOND)
    assert start_all(group) == ['a'] and start_all(group) == []
    group.finish('a')
    assert sorted(start_all(group)) == ['b', 'c']
    group.finish('b')
    assert start_all(group) == []
    group.finish('c')
    assert start_all(group) == ['d'] and not group.done
    group.finish('d')
    assert group.done


@pytest.mark.parametrize(('aggregates', 'ready'), [(False, []), (True, ['after good'])])
def test_task_group_after_failure_starts_what_aggregation_allows(aggregates, ready):
    graph = {'bad': set(), 'good': set(), 'after good': {'good'}, 'after bad': {'bad'}}
    group = scheduler.DependencyTaskGroup(graph, aggregate_exceptions=aggregates)
    start_all(group)
    group.finish('bad', ValueError('bad'))
    group.finish('good')
    assert group.ready() == ready
    assert [str(error) for error in group.errors] == ['bad']


def test_task_group_gives_running_nodes_the_error_wait_time():
    clock = Clock()
    group = scheduler.DependencyTaskGroup(
        {'bad': set(), 'slow': set()}, error_wait_time=10, clock=clock
    )
    start_all(group)
    assert group.grace_left() == math.inf
    group.finish('bad', ValueError('bad'))
    clock.sleep(4)
    assert group.grace_left() == 6 and not group.done
    clock.sleep(7)
    assert group.grace_left() == 0


def test_task_group_adds_required_nodes():
    group = scheduler.DependencyTaskGroup({'b': {'a'}})
    assert group.ready() == ['a']
    group.start('a')
    group.finish('a')
    assert group.ready() == ['b']


def test_continued_task_gets_what_is_thrown_into_its_last_wait():
    def task():
        try:
            yield 1
        except ValueError:
            yield 2
        return 3

    begun = task()
    continued = scheduler.continue_task(begun, next(begun))
    assert next(continued) == 1
    assert continued.throw(ValueError()) == 2
    with pytest.raises(StopIteration) as ended:
        next(continued)
    assert ended.value.value == 3


def test_continued_task_is_closed_with_its_frame():
    closed = []

    def task():
        try:
            yield 1
        finally:
            closed.append(True)

    begun = task()
    continued = scheduler.continue_task(begun, next(begun))
    next(continued)
    continued.close()
    assert closed == [True]
