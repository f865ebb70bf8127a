"""Talking to one certain engine, there or not."""

import time

import pytest

from heat_lite.common import exception
from heat_lite.rpc import api, listener, worker
from tests.waiting import PATIENCE


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


def test_an_engine_that_lives(transport, start, ctx):
    start(api.LISTENER_TOPIC, [Engine()], 'engine-1')
    assert listener.alive(ctx, 'engine-1') is True


def test_an_engine_that_never_was_is_known_dead_at_once(conf, transport, ctx):
    conf.set_override('engine_life_check_timeout', 100)
    began = time.monotonic()
    assert listener.alive(ctx, 'engine-2') is False
    assert time.monotonic() - began < 100


def test_an_engine_that_died_is_given_the_time_of_the_option(conf, transport, ctx):
    conf.set_override('engine_life_check_timeout', 1)

    class Deaf(Engine):
        def listening(self, ctxt):
            time.sleep(1.5)

    server = listener.messaging.serve(api.LISTENER_TOPIC, 'engine-3', [Deaf()])
    server.start()
    assert listener.alive(ctx, 'engine-3') is False
    server.stop()
    server.wait()


def test_messages_reach_the_engine_that_is_meant(transport, start, ctx):
    engines = {name: Engine() for name in ('engine-4', 'engine-5')}
    for name, engine in engines.items():
        start(api.LISTENER_TOPIC, [engine], name)
    listener.send(ctx, 'engine-5', {'stack_id': 's'}, api.CANCEL)
    assert listener.stop_stack(ctx, 'engine-5', {'stack_id': 's'}) == 'stopped'
    assert engines['engine-5'].got == [('send', {'stack_id': 's'}, 'cancel'), ('stop', {'stack_id': 's'})]
    assert engines['engine-4'].got == []


@pytest.mark.parametrize('ask', [lambda c: listener.send(c, 'gone', {}, api.CANCEL), lambda c: listener.stop_stack(c, 'gone', {})])
def test_messages_to_an_engine_that_never_was(transport, ctx, ask):
    with pytest.raises(exception.EngineTimeout, match='gone'):
        ask(ctx)


def test_work_is_cancelled_where_it_is_done(transport, start, ctx):
    engine = Engine()
    start(api.WORKER_TOPIC, [engine], 'engine-6')
    worker.cancel_check_resource(ctx, 'engine-6', 'the-stack')
    end = time.monotonic() + PATIENCE
    while not engine.got and time.monotonic() < end:
        time.sleep(0.01)
    assert engine.got == [('cancel', 'the-stack')]


def test_work_of_an_engine_that_is_gone_needs_no_cancelling(transport, ctx):
    began = time.monotonic()
    worker.cancel_check_resource(ctx, 'never-was', 'the-stack')
    assert time.monotonic() - began < 30  # an answer would be waited for twice as long
