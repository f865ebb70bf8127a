"""The shorter way must lead where the library's would."""

import contextlib
import os

import amqp
import oslo_messaging
import pytest
from oslo_messaging._drivers import common

from heat_lite.rpc import rabbit


class Library:
    """A connection as the library's: ``ensure`` tries twice, and after a failure it is on a new channel."""

    heartbeat_timeout_threshold = 60

    def __init__(self):
        self.channel = object()
        self._initial_pid = os.getpid()
        self.failures = []
        self.asked = []

    def ensure(self, method, retry=None):
        self.asked.append(retry)
        try:
            return method()
        except ConnectionError as error:
            self.failures.append(error)
            self.channel = object()
            return method()

    def consume(self, timeout=None):
        self.asked.append(timeout)

    def _heartbeat_supported_and_enabled(self):
        return True

    @contextlib.contextmanager
    def _transport_socket_timeout(self, timeout):
        self.asked.append(timeout)
        yield


class Connection(rabbit.Connection, Library):
    """What ``quicken`` makes."""


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


def test_the_library_is_not_troubled_with_what_succeeds():
    work = Work()
    assert work.connection.ensure(work) == 'done'
    assert not work.connection.asked


def test_what_fails_is_its_first_attempt():
    lost = ConnectionResetError()
    work = Work(lost)
    assert work.connection.ensure(work, retry=3) == 'done'
    assert (work.connection.asked, work.connection.failures) == ([3], [lost])
    assert len(work.channels) == 2 and work.channels[0] is not work.channels[1]


@pytest.mark.parametrize('error', [oslo_messaging.MessageUndeliverable(None, 'x', 'y', {}), common.Timeout(), amqp.NotFound()])
def test_what_is_not_to_be_tried_again_is_not(error):
    work = Work(error)
    with pytest.raises(type(error)) as caught:
        work.connection.ensure(work)
    assert caught.value is error
    assert len(work.channels) == 1


@pytest.mark.parametrize('unsound', [{'channel': None}, {'_initial_pid': 0}])
def test_a_connection_that_is_not_sound_goes_the_long_way(unsound):
    work = Work()
    vars(work.connection).update(unsound)
    assert work.connection.ensure(work) == 'done'
    assert work.connection.asked


@pytest.mark.parametrize(('asked', 'waited'), [(0.001, rabbit.PATIENCE), (5, 5), (None, None)])
def test_nobody_looks_up_a_thousand_times_a_second(asked, waited):
    connection = Connection()
    connection.consume(asked)
    assert connection.asked == [waited]


@pytest.mark.parametrize(('timeout', 'told'), [(None, []), (60, []), (300, []), (5, [5]), (0, [0])])
def test_a_socket_is_told_of_a_shorter_time_only(timeout, told):
    connection = Connection()
    with connection._transport_socket_timeout(timeout):
        assert connection.asked == told


def test_the_envelope_is_the_librarys():
    message = {'method': 'm', 'args': {'text': 'ü"\\', 'many': [1, None, {'a': (1, 2)}], 'set': {1}}}
    there = common.deserialize_msg(rabbit.serialize(message))
    assert there == {'method': 'm', 'args': {'text': 'ü"\\', 'many': [1, None, {'a': [1, 2]}], 'set': [1]}}


def test_a_circle_cannot_be_sent():
    circle = []
    circle.append(circle)
    with pytest.raises(RecursionError):
        rabbit.serialize({'result': circle})


def test_a_driver_without_a_broker_stays_as_it_is(local):
    rabbit.quicken(local._driver)
    assert not hasattr(local._driver, '_connection_pool')


def test_that_of_rabbitmq_does_not(conf):
    transport = oslo_messaging.get_rpc_transport(conf, 'rabbit://nobody@127.0.0.1:1/none')
    library = transport._driver._connection_pool.connection_cls
    rabbit.quicken(transport._driver)
    made = transport._driver._connection_pool.connection_cls
    assert issubclass(made, rabbit.Connection) and issubclass(made, library)
