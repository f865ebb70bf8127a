"""Requests of several threads are executed in groups, with a result or an error for each."""

import threading

import pytest

from heat_lite.db import group_commit, session
from tests.timeouts import NEVER_SECONDS, WAIT_SECONDS


class Work:
    """Doubles numbers and records the size of each group; 13 fails."""

    def __init__(self):
        self.batches = []

    def execute_many(self, requests):
        self.batches.append(len(requests))
        threading.Event().wait(0.1)
        if 13 in requests:
            raise ValueError('not with 13')
        return [2 * request for request in requests]

    def execute_one(self, request):
        self.batches.append(1)
        threading.Event().wait(0.1)
        if request == 13:
            raise LookupError(request)
        return 2 * request


def run(group, requests, before=lambda: None):
    """Submit each request in its own thread; return ``{request: result or error}``."""
    found, line = {}, threading.Barrier(len(requests))

    def ask(request):
        before()
        line.wait(WAIT_SECONDS)
        try:
            found[request] = group.submit(request)
        except LookupError as error:
            found[request] = error

    threads = [threading.Thread(target=ask, args=(request,)) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


@pytest.fixture(autouse=True)
def runnable_count(monkeypatch):
    # threads of a loaded machine start far apart
    monkeypatch.setattr(group_commit, 'MAX_WAIT_SECONDS', NEVER_SECONDS)
    yield
    group_commit.set_runnable_count(lambda: 0)


def test_requests_during_an_execution_share_the_next_one():
    work = Work()
    found = run(group_commit.GroupCommit(work.execute_many, work.execute_one), range(1, 13))
    assert found == {number: 2 * number for number in range(1, 13)}
    assert sum(work.batches) == 12 and len(work.batches) < 12 and group_commit._threads.waiting == 0


def test_only_the_faulty_request_of_a_group_fails():
    work = Work()
    found = run(group_commit.GroupCommit(work.execute_many, work.execute_one), range(10, 16))
    assert isinstance(found.pop(13), LookupError)
    assert (
        found == {number: 2 * number for number in (10, 11, 12, 14, 15)}
        and group_commit._threads.waiting == 0
    )


def test_leader_waits_for_runnable_threads_unless_a_request_is_urgent():
    group_commit.set_runnable_count(lambda: 5)
    work = Work()
    run(
        group_commit.GroupCommit(work.execute_many, work.execute_one),
        range(1, 6),
        session.retry_forever,
    )
    assert work.batches == [5]
    work = Work()
    # Four more threads are runnable, but this request is urgent.
    run(group_commit.GroupCommit(work.execute_many, work.execute_one), [1])
    assert work.batches == [1]


def test_group_read_returns_the_value_of_each_key():
    asked = []

    def read(keys):
        asked.append(sorted(keys))
        return {key: key.upper() for key in keys if key != 'b'}

    group_commit.set_runnable_count(lambda: 3)
    reading = group_commit.GroupRead(read)
    found = {}

    def ask(key):
        session.retry_forever()
        found[key] = reading.get(key)

    threads = [threading.Thread(target=ask, args=(key,)) for key in 'abc']
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == {'a': 'A', 'b': None, 'c': 'C'} and asked == [['a', 'b', 'c']]
    assert reading.get('d') == 'D' and asked[-1] == ['d']


@pytest.mark.parametrize('forever', [True, False])
@pytest.mark.parametrize('error', [session.DatabaseUnavailable, session.CommitOutcomeUnknown])
def test_lost_connection_ends_the_request_of_a_thread_with_limited_retries(forever, error):
    errors, found = [error()], []

    def execute_one(request):
        if errors:
            raise errors.pop()
        return 2 * request

    def ask():
        if forever:
            session.retry_forever()
        try:
            found.append(group_commit.GroupCommit(list, execute_one).submit(1))
        except session.LOST as lost:
            found.append(type(lost))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(WAIT_SECONDS)
    # a transaction whose outcome is unknown is looked for before it is repeated
    goes_on = forever and error is not session.CommitOutcomeUnknown
    assert found == [2 if goes_on else error]
