"""An engine that stops in the middle of an action, or with signals that it has accepted."""

import time

from heat_lite.db import locks, resources
from heat_lite.engine.resource.resource import Resource
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'


class StopsEngine(Resource):
    """A resource type during whose create the engine begins to stop."""

    resource_type = 'Test::StopsEngine'
    local = True

    def handle_create(self):
        self.stack.runtime.pool.freeze(0)
        self.resource_id_set('stopped')


def test_engine_that_stops_leaves_the_action_to_another_one(tmp_path):
    template = {
        'resources': {
            'first': {'type': 'Test::StopsEngine'},
            'second': {'type': TEST, 'depends_on': 'first', 'properties': {'wait_secs': 1}},
        }
    }
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url, [StopsEngine]) as stopping:
            context = stopping.context
            identity = stopping.create(template, wait=False)
        with engines.running(url, [StopsEngine]) as driver:
            driver.context = context
            driver.wait(identity)
            assert driver.state(identity) == 'CREATE_COMPLETE'


class TakesSignals(Resource):
    """A resource type that needs a moment for each signal."""

    resource_type = 'Test::TakesSignals'
    local = True
    handled = []

    def handle_signal(self, details=None):
        yield 0.5
        self.handled.append(details)


def test_signals_that_an_engine_has_accepted_are_handled_after_its_stop(tmp_path):
    template = {'resources': {'r': {'type': 'Test::TakesSignals'}}}
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url, [TakesSignals]) as stopping:
            identity = stopping.create(template)
            for number in range(3):
                stopping.client.resource_signal(
                    stopping.context, stack_identity=identity, resource_name='r', details=number
                )
            context = stopping.context
        assert len(TakesSignals.handled) < 3
        with databases.configured(url):
            (row,) = resources.list_by_name(identity['stack_id'], 'r')
            assert locks.acquire_signals(row.id, 'another') is None, 'its task was not closed'
            locks.release_signals(row.id, 'another')
        with engines.running(url, [TakesSignals]) as driver:
            driver.context = context
            until = time.monotonic() + WAIT_SECONDS
            while [name for name, _ in driver.events(identity)].count('r') < 5:
                assert time.monotonic() < until, TakesSignals.handled
                time.sleep(0.05)
    assert TakesSignals.handled == [0, 1, 2]


def test_request_that_begins_while_the_engine_stops_is_kept(tmp_path):
    template = {'resources': {'first': {'type': TEST}}}
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url) as stopping:
            stopping.service.runtime.pool.freeze(0)
            context, identity = stopping.context, stopping.create(template, wait=False)
            assert locks.holder(identity['stack_id']) is None
        with engines.running(url) as driver:
            driver.context = context
            driver.wait(identity)
            assert driver.state(identity) == 'CREATE_COMPLETE'
