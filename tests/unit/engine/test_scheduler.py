"""Tasks, timeouts, cancellation and groups of tasks that depend on each other."""

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


def run(group):
    clock = Clock()
    return scheduler.TaskRunner(group, name='group').run_to_completion(clock.sleep)


DIAMOND = {'d': {'b', 'c'}, 'b': {'a'}, 'c': {'a'}, 'a': set()}


@pytest.mark.parametrize(('reverse', 'first', 'last'), [(False, 'a', 'd'), (True, 'd', 'a')])
def test_task_group_follows_dependencies(reverse, first, last):
    order = []

    def task(node):
        yield
        order.append(node)

    run(scheduler.DependencyTaskGroup(DIAMOND, task, reverse=reverse))
    assert order[0] == first and order[-1] == last and sorted(order) == ['a', 'b', 'c', 'd']


def test_task_group_independent_tasks_overlap():
    running, most = set(), []

    def task(node):
        running.add(node)
        yield
        most.append(len(running))
        running.discard(node)

    run(scheduler.DependencyTaskGroup({'a': set(), 'b': set(), 'c': set()}, task))
    assert max(most) == 3


def test_task_group_after_failure_starts_nothing_new():
    ended = []

    def task(node):
        if node == 'bad':
            raise ValueError('bad')
        yield
        ended.append(node)

    graph = {'bad': set(), 'good': set(), 'after good': {'good'}, 'after bad': {'bad'}}
    with pytest.raises(ValueError, match='bad'):
        run(scheduler.DependencyTaskGroup(graph, task))
    assert ended == ['good']


def test_task_group_error_wait_time_cancels_the_others():
    clock, ended = Clock(), []

    def task(node):
        if node == 'bad':
            raise ValueError('bad')
        yield 100
        ended.append(node)

    group = scheduler.DependencyTaskGroup(
        {'bad': set(), 'slow': set()}, task, error_wait_time=10, clock=clock
    )
    with pytest.raises(ValueError):
        scheduler.TaskRunner(group, clock=clock).run_to_completion(clock.sleep)
    assert ended == []


def test_task_group_aggregates_exceptions():
    def task(node):
        raise ValueError(node)

    with pytest.raises(scheduler.ExceptionGroup) as caught:
        run(
            scheduler.DependencyTaskGroup({'a': set(), 'b': set()}, task, aggregate_exceptions=True)
        )
    assert sorted(str(error) for error in caught.value.exceptions) == ['a', 'b']


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
