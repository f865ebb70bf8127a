"""A paused server takes no requests and gives back those that have done nothing."""

import concurrent.futures
import threading

import pytest

from heat_lite.common import attempt, exception
from heat_lite.operations.remote_method import call, cast
from heat_lite.rpc.contract import RpcClient
from tests.timeouts import WAIT_SECONDS, wait_until


class Client(RpcClient):
    retry_undeliverable = True
    wait_and_begin = call('wait_and_begin')
    begin_and_wait = call('begin_and_wait')
    note = cast('wait_and_begin')

    def __init__(self, topic, server=None, timeout=WAIT_SECONDS):
        super().__init__(server, timeout)
        self.topic = topic


class Endpoint:
    """Methods whose first transaction ends after they have waited for ``go_on``, or before."""

    def __init__(self, name, waits):
        self.name = name
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.ends = []
        if not waits:
            self.go_on.set()

    def _wait(self):
        self.asked.set()
        assert self.go_on.wait(WAIT_SECONDS)

    def wait_and_begin(self, ctxt):
        self._wait()
        try:
            attempt.begin()
        except exception.RequestGivenBack:
            self.ends.append('given back')
            raise
        self.ends.append('done')
        return self.name

    def begin_and_wait(self, ctxt):
        attempt.begin()
        self._wait()
        return self.name


class Engines:
    """Two servers, of which the first is paused while a request to it waits."""

    def __init__(self, topic, start, ctx):
        self.topic, self.start, self.ctx = topic, start, ctx
        self.first, self.second = Endpoint('first', waits=True), Endpoint('second', waits=False)
        self.server = start(topic, [self.first], 'first')
        self.pool = concurrent.futures.ThreadPoolExecutor(1)

    def pause_within(self, method, server=None):
        """Return the future of the request."""
        sent = self.pool.submit(getattr(Client(self.topic, server), method), self.ctx)
        assert self.first.asked.wait(WAIT_SECONDS)
        self.server.pause()
        return sent


@pytest.fixture
def servers(transport, topic, start, ctx):
    found = Engines(topic, start, ctx)
    yield found
    found.first.go_on.set()
    found.pool.shutdown()


def test_request_in_its_first_transaction_goes_to_another_server(servers):
    sent = servers.pause_within('wait_and_begin')
    servers.start(servers.topic, [servers.second], 'second')
    assert sent.result(WAIT_SECONDS) == 'second'
    servers.first.go_on.set()
    wait_until(lambda: servers.first.ends == ['given back'])


def test_request_after_its_first_transaction_ends_where_it_began(servers):
    sent = servers.pause_within('begin_and_wait')
    servers.start(servers.topic, [servers.second], 'second')
    servers.first.go_on.set()
    assert sent.result(WAIT_SECONDS) == 'first'


def test_request_without_answer_ends_where_it_began(servers):
    servers.pause_within('note')
    servers.first.go_on.set()
    wait_until(lambda: servers.first.ends == ['done'])


def test_request_to_a_named_server_is_not_repeated(servers):
    with pytest.raises(exception.RequestGivenBack):
        servers.pause_within('wait_and_begin', 'first').result(WAIT_SECONDS)


def test_request_waits_for_the_next_start(servers):
    servers.server.pause()
    servers.first.go_on.set()
    sent = servers.pool.submit(Client(servers.topic).wait_and_begin, servers.ctx)
    servers.server.start()
    assert sent.result(WAIT_SECONDS) == 'first'
    assert servers.first.ends == ['done']


def test_stopped_server_does_not_start_again(servers, ctx):
    servers.server.stop()
    servers.server.start()
    with pytest.raises(exception.EngineTimeout):
        Client(servers.topic, timeout=1).wait_and_begin(ctx)
