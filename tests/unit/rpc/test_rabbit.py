"""The fast path behaves as the driver of oslo.messaging."""

import concurrent.futures
import contextlib
import os
import threading

import amqp
import oslo_messaging
import pytest
from oslo_messaging._drivers import common

from heat_lite.operations.remote_method import call
from heat_lite.rpc import messaging, rabbit
from heat_lite.rpc.contract import RpcClient


class Library:
    """A connection like the library's: ``ensure`` makes a second attempt on a new channel."""

    heartbeat_timeout_threshold = 60

    def __init__(self):
        self.channel = object()
        self._initial_pid = os.getpid()
        self.failures = []
        self.calls = []

    def ensure(self, method, retry=None):
        self.calls.append(retry)
        try:
            return method()
        except ConnectionError as error:
            self.failures.append(error)
            self.channel = object()
            return method()

    def consume(self, timeout=None):
        self.calls.append(timeout)

    def _heartbeat_supported_and_enabled(self):
        return True

    @contextlib.contextmanager
    def _transport_socket_timeout(self, timeout):
        self.calls.append(timeout)
        yield


class Connection(rabbit.Connection, Library):
    """The class that ``install_fast_path`` creates."""


class Work:
    def __init__(self, *failures):
        self.left = list(failures)
        self.channels = []
        self.connection = Connection()

    def __call__(self):
        self.channels.append(self.connection.channel)
        if self.left:
            raise self.left.pop(0)
        return 'done'


def test_ensure_on_success_does_not_call_the_library():
    work = Work()
    assert work.connection.ensure(work) == 'done'
    assert not work.connection.calls


def test_ensure_on_failure_counts_as_first_attempt_of_the_library():
    lost = ConnectionResetError()
    work = Work(lost)
    assert work.connection.ensure(work, retry=3) == 'done'
    assert (work.connection.calls, work.connection.failures) == ([3], [lost])
    assert len(work.channels) == 2 and work.channels[0] is not work.channels[1]


@pytest.mark.parametrize(
    'error',
    [oslo_messaging.MessageUndeliverable(None, 'x', 'y', {}), common.Timeout(), amqp.NotFound()],
)
def test_ensure_on_final_error_does_not_retry(error):
    work = Work(error)
    with pytest.raises(type(error)) as caught:
        work.connection.ensure(work)
    assert caught.value is error
    assert len(work.channels) == 1


@pytest.mark.parametrize('broken', [{'channel': None}, {'_initial_pid': 0}])
def test_ensure_on_unusable_connection_calls_the_library(broken):
    work = Work()
    vars(work.connection).update(broken)
    assert work.connection.ensure(work) == 'done'
    assert work.connection.calls


@pytest.mark.parametrize(
    ('timeout', 'waited'), [(0.001, rabbit.MIN_CONSUME_TIMEOUT), (5, 5), (None, None)]
)
def test_consume_with_short_timeout_waits_for_the_minimum(timeout, waited):
    connection = Connection()
    connection.consume(timeout)
    assert connection.calls == [waited]


@pytest.mark.parametrize(
    ('timeout', 'set_timeouts'), [(None, []), (60, []), (300, []), (5, [5]), (0, [0])]
)
def test_socket_timeout_is_set_only_below_the_heartbeat_threshold(timeout, set_timeouts):
    connection = Connection()
    with connection._transport_socket_timeout(timeout):
        assert connection.calls == set_timeouts


def test_serialize_returns_the_envelope_of_the_library():
    message = {
        'method': 'm',
        'args': {'text': 'ü"\\', 'many': [1, None, {'a': (1, 2)}], 'set': {1}},
    }
    there = common.deserialize_msg(rabbit.serialize(message))
    assert there == {
        'method': 'm',
        'args': {'text': 'ü"\\', 'many': [1, None, {'a': [1, 2]}], 'set': [1]},
    }


def test_serialize_of_circular_reference_raises_recursion_error():
    circular = []
    circular.append(circular)
    with pytest.raises(RecursionError):
        rabbit.serialize({'result': circular})


def test_install_fast_path_on_local_driver_changes_nothing(local):
    rabbit.install_fast_path(local._driver)
    assert not hasattr(local._driver, '_connection_pool')


def test_install_fast_path_on_rabbitmq_driver_replaces_its_connection(conf):
    transport = oslo_messaging.get_rpc_transport(conf, 'rabbit://nobody@127.0.0.1:1/none')
    library = transport._driver._connection_pool.connection_cls
    rabbit.install_fast_path(transport._driver)
    made = transport._driver._connection_pool.connection_cls
    assert issubclass(made, rabbit.Connection) and issubclass(made, library)


class Echo:
    def echo(self, ctxt, value):
        return value


class Client(RpcClient):
    echo = call('echo', '1.0', 'value')


def test_request_that_arrives_while_its_server_stops_is_answered_by_the_next(
    conf, rabbit, topic, ctx
):
    messaging.setup(conf, rabbit)
    client = Client(timeout=10)
    client.topic = topic
    try:
        stopping, following = (messaging.serve(topic, name, [Echo()]) for name in ('one', 'two'))
        stopping.start()
        assert client.echo(ctx, value=1) == 1
        stopping.stop()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answer = pool.submit(client.echo, ctx, value=2)
            threading.Event().wait(0.5)  # the broker still delivers to the server
            stopping.wait()
            following.start()
            assert answer.result() == 2
        following.stop()
        following.wait()
    finally:
        messaging.cleanup()
