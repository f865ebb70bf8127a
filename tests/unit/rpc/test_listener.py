"""The client of the listener of one engine, running or not."""

import threading

import pytest

from heat_lite.common import exception
from heat_lite.rpc import api, listener, worker
from tests.timeouts import NEVER_SECONDS, WAIT_SECONDS, wait_until


class Engine:
    def __init__(self):
        self.got = []

    def listening(self, ctxt):
        return True

    def send(self, ctxt, stack_identity, message):
        self.got.append(('send', stack_identity, message))

    def stop_stack(self, ctxt, stack_identity):
        self.got.append(('stop', stack_identity))
        return 'stopped'

    def cancel_check_resource(self, ctxt, stack_id):
        self.got.append(('cancel', stack_id))


def test_is_alive_for_running_engine_is_true(transport, start, ctx):
    start(api.LISTENER_TOPIC, [Engine()], 'engine-1')
    assert listener.is_alive(ctx, 'engine-1') is True


def test_is_alive_for_unknown_engine_is_false_at_once(conf, transport, ctx):
    conf.set_override('engine_life_check_timeout', NEVER_SECONDS)
    assert listener.is_alive(ctx, 'engine-2') is False


def test_is_alive_for_silent_engine_is_false_after_the_option(conf, transport, ctx):
    conf.set_override('engine_life_check_timeout', 1)

    released = threading.Event()

    class SlowEngine(Engine):
        def listening(self, ctxt):
            released.wait(WAIT_SECONDS)

    server = listener.messaging.serve(api.LISTENER_TOPIC, 'engine-3', [SlowEngine()])
    server.start()
    assert listener.is_alive(ctx, 'engine-3') is False
    released.set()
    server.stop()
    server.wait()


def test_messages_reach_the_named_engine_only(transport, start, ctx):
    engines = {name: Engine() for name in ('engine-4', 'engine-5')}
    for name, engine in engines.items():
        start(api.LISTENER_TOPIC, [engine], name)
    listener.send(ctx, 'engine-5', {'stack_id': 's'}, api.CANCEL)
    assert listener.stop_stack(ctx, 'engine-5', {'stack_id': 's'}) == 'stopped'
    assert engines['engine-5'].got == [
        ('send', {'stack_id': 's'}, 'cancel'),
        ('stop', {'stack_id': 's'}),
    ]
    assert engines['engine-4'].got == []


@pytest.mark.parametrize(
    'send',
    [
        lambda c: listener.send(c, 'gone', {}, api.CANCEL),
        lambda c: listener.stop_stack(c, 'gone', {}),
    ],
)
def test_message_to_unknown_engine_raises_engine_timeout(transport, ctx, send):
    with pytest.raises(exception.EngineTimeout, match='gone'):
        send(ctx)


def test_cancel_check_resource_reaches_the_named_engine(transport, start, ctx):
    engine = Engine()
    start(api.WORKER_TOPIC, [engine], 'engine-6')
    worker.WorkerClient('engine-6').cancel_check_resource(ctx, stack_id='the-stack')
    wait_until(lambda: engine.got)
    assert engine.got == [('cancel', 'the-stack')]


def test_cancel_check_resource_for_unknown_engine_returns_at_once(conf, transport, ctx):
    conf.set_override('rpc_response_timeout', NEVER_SECONDS)
    worker.WorkerClient('never-was').cancel_check_resource(ctx, stack_id='the-stack')
