"""The queue of signals that watch rules send."""

import threading

import pytest

from heat_lite.common import exception
from heat_lite.engine.watch import watch_actions
from heat_lite.engine.watch.watch_actions import ActionQueue, Signal


def signal(rule_id, name='policy'):
    return Signal(rule_id, 'stack', name, {})


@pytest.fixture
def started():
    """Return a function that starts a queue; all are stopped at the end."""
    queues = []

    def start(send, threads=1):
        queue = ActionQueue(send, threads)
        queue.start()
        queues.append(queue)
        return queue

    yield start
    for queue in queues:
        queue.stop()


def test_projects_take_turns(started):
    sent, gate, done = [], threading.Event(), threading.Event()

    def send(tenant, each):
        gate.wait(10)
        sent.append((tenant, each.rule_id))
        if len(sent) == 5:
            done.set()

    queue = started(send)
    for rule_id in range(4):
        queue.add('many', signal(rule_id))
    queue.add('few', signal(9))
    gate.set()
    assert done.wait(10)
    assert ('few', 9) in sent[:3]
    assert [rule_id for tenant, rule_id in sent if tenant == 'many'] == [0, 1, 2, 3]


def test_signal_that_waits_is_not_queued_again(started):
    gate, began = threading.Event(), threading.Event()

    def send(tenant, each):
        began.set()
        gate.wait(10)

    queue = started(send)
    assert queue.add('p', signal(1))
    assert began.wait(10)
    assert not queue.add('p', signal(1))
    assert queue.add('p', signal(1, 'other'))
    gate.set()


def test_number_of_waiting_signals_of_a_project_is_limited(monkeypatch):
    monkeypatch.setattr(watch_actions, 'MAX_PENDING', 2)
    queue = ActionQueue(lambda tenant, each: None)
    assert [queue.add('p', signal(number)) for number in range(3)] == [True, True, False]
    assert queue.add('q', signal(9))


def test_failed_signal_is_logged_and_may_be_sent_again(started, caplog):
    tried, second = [], threading.Event()

    def send(tenant, each):
        tried.append(each)
        if len(tried) == 2:
            second.set()
            return
        raise exception.EntityNotFound(entity='Stack', name='stack')

    queue = started(send)
    queue.add('p', signal(7))
    while not queue.add('p', signal(7)):
        assert not second.wait(0.01)
    assert second.wait(10)
    assert 'The signal of watch rule 7 to resource policy of stack stack failed' in caplog.text


def test_stop_ends_the_threads(started):
    queue = started(lambda tenant, each: None, threads=3)
    queue.stop()
    assert not any(thread.is_alive() for thread in queue._threads)
