"""Requests to the task of a stack: callbacks, actions, messages."""

import threading

import pytest

from heat_lite.common import exception
from heat_lite.engine.execution import mailbox as mailbox_module
from heat_lite.engine.execution.actions import Action
from heat_lite.engine.execution.mailbox import ActionRequest, Callback, Mailbox
from heat_lite.engine.stack.action_run import ActionRun


class LiveStack:
    """The little of a stack that a request needs."""

    name, action, updated_at = 'live', 'CREATE', None

    def require_existing(self):
        pass

    def __str__(self):
        return 'the stack'


class Task:
    """Serves the callbacks of a mailbox as the task of a stack does."""

    def __init__(self):
        self.mailbox = Mailbox()
        self.stack = LiveStack()

    def turn(self):
        for callback in self.mailbox.callbacks():
            callback.call(self.stack)
            callback.deliver()


def allow(stack, run):
    pass


def refuse(stack, run=None):
    raise ValueError(f'not {stack}')


def request(check=allow):
    return ActionRequest(None, ActionRun('UPDATE'), Action(work=None, check=check))


def test_callback_served_returns_the_result_or_raises_the_error():
    task = Task()
    good, bad = Callback(str), Callback(refuse)
    assert task.mailbox.put_callback(good) and task.mailbox.put_callback(bad)
    threading.Timer(0.01, task.turn).start()
    assert good.wait(60) and good.result == 'the stack'
    with pytest.raises(ValueError, match='not the stack'):
        bad.wait(60)


def test_callback_not_served_in_time_can_be_withdrawn_once():
    callback = Callback(str)
    task = Task()
    task.mailbox.put_callback(callback)
    assert not callback.wait(0.01)
    assert task.mailbox.withdraw(callback) and not task.mailbox.withdraw(callback)
    assert task.mailbox.callbacks() == []


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(mailbox_module, 'SECONDS', 0.01)


def test_request_that_the_task_does_not_take_is_withdrawn_and_refused(hasty):
    task, callback = Task(), Callback(str)
    task.mailbox.put_callback(callback)
    with pytest.raises(exception.ServiceUnavailable):
        task.mailbox.await_served(task.stack, callback, lambda: False)
    assert not task.mailbox.has_callbacks()


def test_request_that_the_task_has_taken_is_awaited_until_the_task_ends(hasty):
    task, served, lost = Task(), Callback(str), Callback(str)
    for callback in (served, lost):
        task.mailbox.put_callback(callback)
    taken = task.mailbox.callbacks()
    served.call(task.stack)
    threading.Timer(0.05, served.deliver).start()
    assert task.mailbox.await_served(task.stack, served, lambda: False)
    assert taken[1] is lost and not task.mailbox.await_served(task.stack, lost, lambda: True)


def test_action_refused_by_its_check_does_not_preempt():
    mailbox, live = Mailbox(), LiveStack()
    bad, good = request(refuse), request()
    mailbox.put_action(bad)
    assert not mailbox.should_preempt(live)
    with pytest.raises(ValueError):
        bad.wait(0)
    mailbox.put_action(request(refuse))
    mailbox.put_action(good)
    assert mailbox.should_preempt(live) and mailbox.next_action() is good
    assert mailbox.next_action() is None and not mailbox.should_preempt(live)


@pytest.mark.parametrize(
    'put',
    [
        lambda mailbox: mailbox.put_callback(Callback(str)),
        lambda mailbox: mailbox.put_action(request()),
    ],
)
def test_mailbox_with_a_waiting_request_does_not_close(put):
    mailbox = Mailbox()
    assert put(mailbox) and not mailbox.close()
    mailbox.callbacks(), mailbox.next_action()
    assert mailbox.close() and not put(mailbox)


def test_request_that_a_task_gives_back_can_be_sent_to_the_next_task():
    first, second, callback = Task(), Task(), Callback(str)
    first.mailbox.put_callback(callback)
    first.mailbox.shut()
    assert not first.mailbox.await_served(first.stack, callback, lambda: True)
    assert not first.mailbox.put_callback(callback) and second.mailbox.put_callback(callback)
    second.turn()
    assert second.mailbox.await_served(second.stack, callback, lambda: False)
    assert callback.result == 'the stack'


def test_each_message_wakes_the_job():
    class Job:
        woken = 0

        def wake(self):
            self.woken += 1

    mailbox, job = Mailbox(), Job()
    mailbox.attach(job)
    mailbox.send('stop')
    mailbox.put_callback(Callback(str))
    mailbox.put_action(request())
    assert job.woken == 4 and mailbox.receive(LiveStack()) == 'stop'


def test_cancel_of_a_former_action_is_dropped():
    mailbox, stack = Mailbox(), LiveStack()
    mailbox.send(mailbox_module.cancel_message(stack))
    stack.action = 'DELETE'
    assert mailbox.receive(stack) is None
    message = mailbox_module.cancel_message(stack)
    mailbox.send(message)
    assert mailbox.receive(stack) == message
