"""Errors of channels and lost connections, many of them: each request still gets its reply.

``HEAT_LITE_CHANNEL_ERRORS`` (default 100) is the number of errors of channels.
"""

import concurrent.futures
import logging
import os
import threading

import kombu
import pytest

from heat_lite.common import exception
from heat_lite.operations.remote_method import call
from heat_lite.rpc import messaging
from heat_lite.rpc.contract import RpcClient
from tests import brokers
from tests.timeouts import WAIT_SECONDS

ERRORS = int(os.environ.get('HEAT_LITE_CHANNEL_ERRORS', '100'))


class Probe(RpcClient):
    echo = call('echo', '1.0', 'value')

    def __init__(self, topic):
        super().__init__(timeout=WAIT_SECONDS)
        self.topic = topic


class Endpoint:
    def echo(self, ctxt, value):
        return value


@pytest.fixture
def exclusive_queue(rabbit):
    """The name of a queue that no other connection may delete: the broker closes the channel."""
    with kombu.Connection(rabbit.replace('rabbit://', 'amqp://')) as connection:
        channel = connection.channel()
        channel.queue_declare(queue='exclusive', exclusive=True)
        yield 'exclusive'


class Callers:
    """Threads that send requests until the end of the block; ``results`` are their counts."""

    def __init__(self, topic, ctx, count=3):
        self._probe, self._ctx, self._count = Probe(topic), ctx, count
        self._stopped = threading.Event()

    def __enter__(self):
        self._pool = concurrent.futures.ThreadPoolExecutor(self._count)
        self._futures = [self._pool.submit(self._send, each) for each in range(self._count)]
        return self

    def __exit__(self, *failure):
        self._stopped.set()
        self._pool.shutdown()
        self.results = [future.result() for future in self._futures]

    def _send(self, number):
        turn = 0
        while not self._stopped.is_set() or turn == 0:
            assert self._probe.echo(self._ctx, value=[number, turn]) == [number, turn]
            turn += 1
        return turn


def test_delete_queue_on_new_connections_returns(conf, rabbit):
    """The heartbeat thread of a new connection reads from it at the same time."""

    def delete_queues():
        for number in range(ERRORS):
            messaging.setup(conf, rabbit)
            messaging.delete_queue(f'absent{number}')
            messaging.cleanup()

    thread = threading.Thread(target=delete_queues, daemon=True)
    thread.start()
    thread.join(WAIT_SECONDS + ERRORS / 10)
    assert not thread.is_alive(), 'two threads have read from one connection'


def test_errors_of_channels_do_not_disturb_requests(
    conf, rabbit, topic, start, ctx, exclusive_queue, caplog
):
    messaging.setup(conf, rabbit)
    start(topic, [Endpoint()])
    with caplog.at_level(logging.INFO, 'heat_lite.rpc.messaging'), Callers(topic, ctx) as callers:
        for _ in range(ERRORS):
            messaging.delete_queue(exclusive_queue)
    assert all(callers.results)
    errors = [each for each in caplog.messages if 'RESOURCE_LOCKED' in each]
    assert len(errors) == ERRORS
    messaging.cleanup()


def test_connections_closed_by_the_broker_lose_no_request(conf, rabbit, topic, start, ctx):
    messaging.setup(conf, rabbit)
    start(topic, [Endpoint()])
    with Callers(topic, ctx) as callers:
        for _ in range(2):
            brokers.close_connections(rabbit)
    assert all(callers.results)
    assert Probe(topic).echo(ctx, value='after') == 'after'
    messaging.cleanup()


def test_request_of_a_process_that_has_closed_its_transport_is_refused(transport, ctx):
    messaging.cleanup()
    with pytest.raises(exception.ServiceUnavailable, match='this process stops'):
        Probe('closed').echo(ctx, value=1)
