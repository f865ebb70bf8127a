"""The queue of signals that watch rules send."""

import threading

import pytest

from heat_lite.common import exception
from heat_lite.engine.task_pool import TaskPool
from heat_lite.engine.watch import watch_actions
from heat_lite.engine.watch.watch_actions import ActionQueue, Signal
from tests.timeouts import WAIT_SECONDS, wait_until


def signal(rule_id, name='policy'):
    return Signal(rule_id, 'stack', name, {})


@pytest.fixture
def pool():
    return TaskPool(8)


def test_signals_of_one_project_do_not_delay_those_of_another(pool):
    sent, gate, few = [], threading.Event(), threading.Event()

    def send(tenant, each):
        if tenant == 'few':
            few.set()
        else:
            gate.wait(WAIT_SECONDS)
            sent.append(each.rule_id)

    queue = ActionQueue(pool, send)
    for rule_id in range(20):
        queue.add('many', signal(rule_id))
    queue.add('few', signal(99))
    assert few.wait(WAIT_SECONDS) and not sent
    gate.set()
    wait_until(lambda: sorted(sent) == list(range(20)))


def test_signal_that_waits_is_not_queued_again(pool):
    gate, began = threading.Event(), threading.Event()

    def send(tenant, each):
        began.set()
        gate.wait(WAIT_SECONDS)

    queue = ActionQueue(pool, send)
    assert queue.add('p', signal(1))
    assert began.wait(WAIT_SECONDS)
    assert not queue.add('p', signal(1))
    assert queue.add('p', signal(1, 'other'))
    gate.set()


def test_number_of_waiting_signals_of_a_project_is_limited(monkeypatch, pool):
    monkeypatch.setattr(watch_actions, 'MAX_PENDING', 2)
    monkeypatch.setattr(watch_actions, 'SENT_AT_ONCE', 0)
    queue = ActionQueue(pool, lambda tenant, each: None)
    assert [queue.add('p', signal(number)) for number in range(3)] == [True, True, False]
    assert queue.add('q', signal(9))


def test_failed_signal_is_logged_and_may_be_sent_again(pool, caplog):
    tried, second = [], threading.Event()

    def send(tenant, each):
        tried.append(each)
        if len(tried) == 2:
            second.set()
            return
        raise exception.EntityNotFound(entity='Stack', name='stack')

    queue = ActionQueue(pool, send)
    queue.add('p', signal(7))
    while not queue.add('p', signal(7)):
        assert not second.wait(0.01)
    assert second.wait(WAIT_SECONDS)
    assert 'The signal of watch rule 7 to resource policy of stack stack failed' in caplog.text
