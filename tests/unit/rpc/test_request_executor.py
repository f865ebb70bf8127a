"""The threads of an RPC server: projects with long requests leave threads to the others."""

import threading

import pytest

from heat_lite.rpc import request_executor
from tests.timeouts import WAIT_SECONDS


class Message:
    def __init__(self, project):
        self.ctxt = {'project_id': project}
        self.begun = threading.Event()


class Requests:
    """Requests to an executor of two threads, which run until ``go_on`` is set."""

    def __init__(self):
        self.refused = []
        self.order = []
        self.go_on = threading.Event()
        self.answers = True
        self.executor = request_executor.RequestExecutor(2, self._refuse)

    def _refuse(self, incoming):
        if self.answers:
            self.refused.append(incoming)
        return self.answers

    def send(self, *projects):
        sent = [Message(project) for project in projects]
        for message in sent:
            self.executor.submit(self._run, [message])
        return sent

    def _run(self, incoming):
        self.order.append(incoming[0].ctxt['project_id'])
        incoming[0].begun.set()
        assert self.go_on.wait(WAIT_SECONDS)


@pytest.fixture
def requests():
    made = Requests()
    yield made
    made.go_on.set()
    made.executor.shutdown()


def test_request_of_another_project_runs_beside_long_ones(requests):
    # one permit more for each project without a request
    long = requests.send('a', 'b', 'a', 'b')
    for message in long[:2]:
        assert message.begun.wait(WAIT_SECONDS)
    (honest,) = requests.send('honest')
    assert honest.begun.wait(WAIT_SECONDS)
    assert not any(message.begun.is_set() for message in long[2:])
    requests.go_on.set()
    for message in long:
        assert message.begun.wait(WAIT_SECONDS)


def test_project_with_one_request_does_not_wait_for_all_of_another(requests):
    sent = requests.send(*['busy'] * 12, 'honest')
    requests.go_on.set()
    for message in sent:
        assert message.begun.wait(WAIT_SECONDS)
    assert requests.order.index('honest') < 11


def test_requests_that_wait_are_refused_at_the_end(requests):
    sent = requests.send(*['a'] * 5)
    for message in sent[:2]:
        assert message.begun.wait(WAIT_SECONDS)
    requests.go_on.set()
    requests.executor.shutdown()
    ended = {each[0] for each in requests.refused} | {each for each in sent if each.begun.is_set()}
    assert ended == set(sent)


def test_messages_without_answer_are_processed_at_the_end(requests):
    requests.answers = False
    sent = requests.send(*['a'] * 5)
    requests.go_on.set()
    requests.executor.shutdown()
    assert all(message.begun.is_set() for message in sent) and len(requests.order) == 5


@pytest.mark.parametrize('context', [None, 'text', {}, {'project_id': ['a']}])
def test_message_without_a_project_belongs_to_none(context):
    message = Message('a')
    message.ctxt = context
    assert request_executor.project_of([message]) == ''


def test_idle_threads_end_and_a_running_call_goes_on(requests):
    (long,) = requests.send('a')
    assert long.begun.wait(WAIT_SECONDS)
    threads = set(threading.enumerate())
    requests.executor.end_idle_threads()
    (later,) = requests.send('b')
    assert later.begun.wait(WAIT_SECONDS)
    assert set(threading.enumerate()) - threads
    stopping = threading.Thread(target=requests.executor.shutdown)
    stopping.start()
    stopping.join(0.1)
    assert stopping.is_alive()  # it waits for the calls of both pools
    requests.go_on.set()
    stopping.join(WAIT_SECONDS)
    assert not stopping.is_alive()


def test_threads_that_wait_for_calls_end(requests):
    requests.go_on.set()
    sent = requests.send('a', 'b')
    assert all(message.begun.wait(WAIT_SECONDS) for message in sent)
    idle = set(requests.executor._pool._threads)
    request_executor.end_idle_threads()
    for thread in idle:
        thread.join(WAIT_SECONDS)
    assert idle and not any(thread.is_alive() for thread in idle)


def test_message_after_the_end_is_refused_and_not_awaited(requests):
    requests.executor.shutdown()
    with pytest.raises(RuntimeError):
        requests.send('late')
    waiting = threading.Thread(target=requests.executor.shutdown, daemon=True)
    waiting.start()
    waiting.join(WAIT_SECONDS)
    assert not waiting.is_alive()
