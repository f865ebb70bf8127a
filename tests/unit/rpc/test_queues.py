"""What a server declares at RabbitMQ, and what it leaves to a server of Heat."""

import re
import uuid
from pathlib import Path

import amqp
import kombu
import oslo_messaging
import pytest

from heat_lite.operations.remote_method import call
from heat_lite.rpc import api, messaging
from heat_lite.rpc.contract import RpcClient
from tests import brokers

CLASSIC, QUORUM = ({'x-queue-type': kind} for kind in ('classic', 'quorum'))
EXPIRES = {'x-expires': 1800_000}
#: are they durable: the queues of a server, those for replies and messages to all, the exchange
DEFAULT, NAMED, NONE, ALL = (True, True, False), (True, False, False), 3 * (False,), 3 * (True,)


class Echo:
    def echo(self, ctxt, value):
        return value


class Client(RpcClient):
    topic = api.ENGINE_TOPIC
    echo = call('echo', '1.0', 'value')

    def __init__(self):
        super().__init__(timeout=60)


@pytest.fixture
def vhost():
    with brokers.virtual_host_or_skip() as url:
        yield url


@pytest.fixture
def engine(conf, vhost, start, ctx, lock_options):
    """A function that starts a server and has it answer a request."""
    messaging.setup(conf, vhost)
    host = uuid.uuid4().hex

    def start_engine(**options):
        conf.set_override('hostname', host, group='oslo_messaging_rabbit')
        for name, value in options.items():
            conf.set_override(name, value, group='oslo_messaging_rabbit')
        messaging.setup(conf, vhost)
        server = start(api.ENGINE_TOPIC, [Echo()])
        assert Client().echo(ctx, value=1) == 1
        return server

    yield start_engine
    messaging.cleanup()
    for counted in Path('/dev/shm').glob(f'{host}*'):
        counted.unlink()


@pytest.fixture
def heat(conf, vhost):
    """A server with the library's own declarations, which Heat has."""
    transport = oslo_messaging.get_rpc_transport(conf, vhost)
    target = oslo_messaging.Target(topic=api.ENGINE_TOPIC, server='controller')
    server = oslo_messaging.get_rpc_server(transport, target, [Echo()], executor='threading')
    yield server
    server.stop()
    server.wait()
    transport.cleanup()


def declared(vhost):
    """Return {name of a queue without its random end: (is it durable, its arguments)}."""
    return {
        re.sub('_[0-9a-f]{32}(:.*)?$', '', name): (durable, arguments)
        for name, (durable, _, arguments) in brokers.queue_kinds(vhost).items()
    }


def is_durable(vhost, exchange):
    """Return whether an exchange is durable; RabbitMQ refuses to declare it as another kind."""
    with kombu.Connection(vhost.replace('rabbit://', 'amqp://')) as connection:
        channel = connection.channel()
        try:
            channel.exchange_declare(exchange, 'topic', durable=True, auto_delete=False)
        except amqp.PreconditionFailed:
            return False
    return True


@pytest.mark.parametrize(
    ('options', 'durable', 'kind', 'expires'),
    [
        ({}, DEFAULT, CLASSIC, EXPIRES),
        ({'rabbit_transient_queues_ttl': 0}, DEFAULT, CLASSIC, {}),
        ({'amqp_durable_queues': False}, NONE, CLASSIC, EXPIRES),
        ({'amqp_durable_queues': True}, ALL, CLASSIC, EXPIRES),
        ({'use_queue_manager': True}, NAMED, CLASSIC, EXPIRES),
        (
            {'rabbit_quorum_queue': True, 'rabbit_transient_quorum_queue': True},
            ALL,
            QUORUM,
            EXPIRES,
        ),
    ],
    ids=['default', 'without expiry', 'transient', 'durable', 'queue manager', 'quorum'],
)
def test_queues_are_durable_unless_an_option_is_set(engine, vhost, options, durable, kind, expires):
    engine(**options)
    of_server, of_process, of_exchange = durable
    assert declared(vhost) == {
        'engine': (of_server, kind),
        'engine.one': (of_server, kind | expires),
        'engine_fanout': (of_process, kind | expires),
        'reply': (of_process, kind | expires),
    }
    assert is_durable(vhost, messaging.EXCHANGE) is of_exchange


def test_engine_of_heat_starts_after_ours_has_stopped(engine, vhost, heat):
    server = engine()
    server.stop()
    server.wait()
    assert 'engine' not in declared(vhost)
    heat.start()
    assert declared(vhost)['engine'] == (False, CLASSIC)


def test_engine_starts_with_a_queue_of_heat(engine, vhost, heat):
    heat.start()
    heat.stop()
    heat.wait()
    assert declared(vhost)['engine'] == (False, CLASSIC)
    engine()


def test_shared_queue_stays_as_long_as_another_server_or_a_message_needs_it(
    engine, start, vhost, ctx
):
    one = engine()
    two = start(api.ENGINE_TOPIC, [Echo()], server='two')
    one.stop()
    one.wait()
    assert Client().echo(ctx, value=2) == 2
    two.stop()
    with kombu.Connection(vhost.replace('rabbit://', 'amqp://')) as connection:
        connection.Producer().publish({}, routing_key='engine')
        two.wait()
    assert declared(vhost)['engine'] == (True, CLASSIC)
