"""Handlers of the service as pairs: begun, polled, run inside each other, begun again."""

import pytest

from heat_lite.common import exception
from heat_lite.engine import scheduler
from heat_lite.engine.resource import handlers
from heat_lite.plugin.heat import handler_pairs
from heat_lite.plugin.heat.task_runner import TaskRunner


class Base:
    resource_id = None

    def __init__(self):
        self.calls = []

    def handle_create(self):
        if self.resource_id is None:
            self.calls.append('made')
            yield 0
            self.resource_id = 'seven'
        self.calls.append('waiting')
        yield 0
        self.calls.append('ready')

    def handle_delete(self):
        self.calls.append('deleting')
        yield 0
        self.calls.append('deleted')

    def handle_update(self, definition):
        yield from self.handle_delete()
        yield from self.handle_create()

    def handle_snapshot_delete(self, state):
        self.calls.append('saved')
        yield from self.handle_delete()

    def handle_check(self):
        return 'checked'


members = {
    name: method
    for action in ('create', 'delete', 'update', 'check')
    for name, method in handler_pairs.pair(action, Base).items()
}
members['handle_snapshot_delete'] = handler_pairs.beginning('delete', Base.handle_snapshot_delete)
Pair = type('Pair', (handler_pairs.HandlerPairs, Base), members)


def test_create_runs_until_the_id_is_known():
    item = Pair()
    token = item.handle_create()
    assert token == 'seven' and item.calls == ['made', 'waiting']
    assert item.check_create_complete(token) and item.calls[-1] == 'ready'
    assert item.check_create_complete(token)


def test_create_of_another_engine_is_begun_again():
    item = Pair()
    item.resource_id = 'seven'
    assert item.check_create_complete('seven') and item.calls == ['waiting', 'ready']


def test_check_of_an_action_that_never_began_is_complete():
    assert Pair().check_delete_complete(None) and Pair().check_create_complete(None)


def test_handlers_of_the_service_run_pairs_to_their_end():
    item = Pair()
    item.resource_id = 'seven'
    list(handlers.run(item, item.handle_update, 'update', None))
    assert item.calls == ['deleting', 'deleted', 'waiting', 'ready']


def test_delete_with_a_snapshot_ends_as_a_delete():
    item = Pair()
    list(handlers.run(item, item.handle_snapshot_delete, 'delete', ('CREATE', 'COMPLETE')))
    assert item.calls == ['saved', 'deleting', 'deleted']


def test_handler_without_waits_returns_its_result():
    item = Pair()
    assert item.handle_check() == 'checked' and item.check_check_complete('checked')


def test_cancelled_handler_is_closed():
    item = Pair()
    token = item.handle_create()
    item.handle_create_cancel(token)
    assert not item.has_begun('create')


def test_wakeup_ends_the_wait_early():
    wakeup = scheduler.Wakeup(timeout=3600)

    def wait():
        yield wakeup

    work = handler_pairs.HandlerRun(wait())
    assert not work.step() and not work.step()
    wakeup.notify()
    assert work.step()


def test_poll_delay_sets_the_time_of_the_next_poll():
    answers = iter([exception.PollDelay(7), False, True])

    def complete(token):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert list(handlers.poll(complete, None)) == [7, None]


def test_task_runner_has_the_calls_of_heat():
    def task():
        steps.append(1)
        yield
        steps.append(2)

    steps = []
    runner = TaskRunner(task)
    assert not runner.started() and bool(runner)
    runner.start()
    assert runner.started() and not runner.done()
    runner(wait_time=0)
    assert runner.done() and steps == [1, 2] and not runner
    with pytest.raises(ValueError, match='broken'):
        TaskRunner(_broken).run_to_completion(0)


def _broken():
    raise ValueError('broken')
