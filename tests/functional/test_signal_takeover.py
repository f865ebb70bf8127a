"""Signals whose engine is gone, is taken for dead, or died in their handler."""

import json
import threading
import time

import pytest
from sqlalchemy import update

from heat_lite.common import exception
from heat_lite.db import locks, models, resources, session, signals, stacks
from heat_lite.engine.cluster import takeover
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.signals import signal_tasks
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS


class Listener(Resource):
    """A resource type that notes its signals, and waits in the handler where told to."""

    resource_type = 'Test::Listener'
    local = True
    handled = []
    released = threading.Event()

    def handle_signal(self, details=None):
        while details == 'wait' and not self.released.is_set():
            yield 0.05
        self.handled.append(details)


class ParallelListener(Listener):
    resource_type = 'Test::ParallelListener'
    signals_in_parallel = True


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with (
        databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url,
        engines.running(
            url, [Listener, ParallelListener], ours={'take_over_interval': 3600}
        ) as driver,
    ):
        yield driver


@pytest.fixture(params=[Listener, ParallelListener])
def target(engine, request):
    """Return the identity of a stack, and the id of its resource."""
    Listener.handled.clear()
    Listener.released.clear()
    engine.context.project_id = f'p{time.monotonic_ns()}'
    identity = engine.create({'resources': {'r': {'type': request.param.resource_type}}})
    return identity, resources.list_by_stack(identity['stack_id'])[0].id


def take_over(engine):
    """Take over what is left by engines that are gone, and wait until no signal waits."""
    takeover.TakeoverTask(engine.service.runtime, engine.service._membership).run_once()
    until = time.monotonic() + WAIT_SECONDS
    while signals.by_engine():
        assert time.monotonic() < until
        time.sleep(0.02)


@session.writer
def store(values):
    session.execute(update(models.resource_signal).values(values))


def test_signals_of_a_gone_engine_are_handled_once(engine, target):
    identity, row = target
    for number in range(3):
        signals.add(row, 'gone', number)
    take_over(engine)
    take_over(engine)
    assert sorted(Listener.handled) == [0, 1, 2]
    assert engine.events(identity).count(('r', 'SIGNAL_COMPLETE')) == 3


def test_caller_whose_signal_is_taken_over_learns_that_its_end_is_unknown(
    engine, target, monkeypatch
):
    """The engine was taken for dead, so that another one handles the signal."""
    monkeypatch.setattr(signal_tasks, 'CHECK_SECONDS', 0.1)
    identity, _ = target
    failures = []

    def send():
        try:
            engine.client.resource_signal(
                engine.context,
                stack_identity=identity,
                resource_name='r',
                details='wait',
                sync_call=True,
            )
        except exception.Error as error:
            failures.append(str(error))

    caller = threading.Thread(target=send)
    caller.start()
    until = time.monotonic() + WAIT_SECONDS
    while not signals.by_engine():
        assert time.monotonic() < until
        time.sleep(0.02)
    store({'engine_id': 'another'})
    caller.join(WAIT_SECONDS)
    assert len(failures) == 1 and 'another engine handles it' in failures[0]
    Listener.released.set()
    while not Listener.handled:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert signals.by_engine().keys() == {'another'}
    assert ('r', 'SIGNAL_COMPLETE') not in engine.events(identity)
    take_over(engine)
    assert engine.events(identity).count(('r', 'SIGNAL_COMPLETE')) == 1


@pytest.mark.parametrize('deaths', [1, 2])
def test_signal_whose_handler_has_ended_its_engines_fails(engine, target, deaths):
    identity, row = target
    template_id = stacks.get(engine.context, identity['stack_id']).raw_template_id
    signals.add(row, 'dead', 'x')
    others = ['before'] * (deaths - 1)
    column = {
        'action': f'CREATE {template_id}',
        'called': 'r',
        'engine': 'dead',
        'deaths': {'r': len(others)},
        'dead': {'r': others},
        locks.ENDED: {'dead': True, 'before': True},
    }
    store({'quarantine': json.dumps(column)})
    take_over(engine)
    assert Listener.handled == (['x'] if deaths == 1 else [])
