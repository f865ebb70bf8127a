"""Random sequences of requests: no object is lost or duplicated, and a delete removes all."""

import time
import uuid

import pytest
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from heat_lite.common import exception
from heat_lite.db import models, session
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import boolean, number, string
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

NAMES = 'abcd'
#: the accepted errors of requests that the state of the stack does not allow
REFUSALS = (
    exception.NotSupported,
    exception.ActionInProgress,
    exception.EntityNotFound,
    exception.ResourceNotFound,
)


class Thing(Resource):
    """A resource whose objects are recorded in an external world."""

    resource_type = 'Test::Thing'
    properties_schema = {
        'value': string('Can change.', update_allowed=True),
        'kind': string('Can not.', default='x'),
        'fail': boolean(
            'Whether creating and changing it fails.', default=False, update_allowed=True
        ),
        'seconds': number('How long that takes.', default=0, update_allowed=True),
    }
    world, faults = {}, []

    def handle_create(self):
        wanted = self.properties
        if self.resource_id is not None:
            self.faults.append(f'{self.name} is made twice')
        self.resource_id_set(uuid.uuid4().hex)
        self.world[self.resource_id] = None
        yield wanted['seconds']
        if wanted['fail']:
            raise ValueError('told to fail')
        self.world[self.resource_id] = (wanted['value'], wanted['kind'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        wanted = self.properties
        yield wanted['seconds']
        if wanted['fail']:
            raise ValueError('told to fail')
        self.world[self.resource_id] = (wanted['value'], wanted['kind'])

    def handle_check(self):
        # None: its creation has failed
        if self.world.get(self.resource_id) is None:
            raise ValueError('not there')

    def handle_delete(self):
        if self.resource_id is None:
            return
        yield 0.01
        if self.resource_id not in self.world:
            self.faults.append(f'{self.name} is deleted twice')
        self.world.pop(self.resource_id, None)
        self.resource_id_set(None)


@st.composite
def templates(draw):
    """Draw a template: some of the names, each requiring some of the earlier ones."""
    resources = {}
    for name in draw(st.sets(st.sampled_from(NAMES), min_size=1).map(sorted)):
        properties = {
            'value': draw(st.sampled_from('12')),
            'kind': draw(st.sampled_from('xxy')),
            'fail': draw(st.sampled_from([False, False, False, True])),
            'seconds': draw(st.sampled_from([0, 0.02, 0.2])),
        }
        first = draw(st.sets(st.sampled_from(sorted(resources)))) if resources else ()
        resources[name] = {
            'type': 'Test::Thing',
            'depends_on': sorted(first),
            'properties': properties,
        }
    return {'heat_template_version': '2021-04-16', 'resources': resources}


class StackLifecycle(RuleBasedStateMachine):
    driver = None
    gone = False

    def ask(self, method, **arguments):
        try:
            getattr(self.driver.client, method)(
                self.driver.context, stack_identity=self.identity, **arguments
            )
        except REFUSALS:
            return False
        return True

    @initialize(template=templates(), rollback=st.booleans(), wait=st.booleans())
    def create(self, template, rollback, wait):
        Thing.world.clear()
        self.identity = self.driver.create(
            template, name=f's{uuid.uuid4().hex}', wait=False, disable_rollback=not rollback
        )
        if wait:
            self.settle()

    @rule(template=templates(), rollback=st.booleans(), wait=st.booleans(), converge=st.booleans())
    def update(self, template, rollback, wait, converge):
        args = {'disable_rollback': not rollback, 'converge': converge}
        self.ask('update_stack', template=template, params={}, files={}, args=args)
        if wait:
            self.settle()

    @rule(with_rollback=st.booleans())
    def cancel(self, with_rollback):
        self.ask('stack_cancel_update', cancel_with_rollback=with_rollback)

    @rule(
        verb=st.sampled_from(['stack_suspend', 'stack_resume', 'stack_check']), wait=st.booleans()
    )
    def act(self, verb, wait):
        self.ask(verb)
        if wait:
            self.settle()

    @rule(name=st.sampled_from(NAMES))
    def mark_unhealthy(self, name):
        self.ask('resource_mark_unhealthy', resource_name=name, mark_unhealthy=True)

    @rule(seconds=st.sampled_from([0.005, 0.05]))
    def pass_time(self, seconds):
        time.sleep(seconds)

    @precondition(lambda self: not self.gone)
    @rule()
    def settle(self):
        """Wait until nothing is in progress; then the rows must match the objects."""
        self.driver.wait(self.identity)
        self.rest()
        assert not Thing.faults
        ids = [row.nova_instance for row in self.rows() if row.nova_instance is not None]
        assert sorted(ids) == sorted(Thing.world), self.driver.events(self.identity)
        if self.driver.state(self.identity) in (
            'CREATE_COMPLETE',
            'UPDATE_COMPLETE',
            'ROLLBACK_COMPLETE',
        ):
            self.compare()

    def compare(self):
        wanted = self.driver.client.get_template(self.driver.context, stack_identity=self.identity)[
            'resources'
        ]
        there = {row.name: Thing.world.get(row.nova_instance) for row in self.rows()}
        # a rolled-back create leaves nothing, whatever its template contains
        if there or self.driver.state(self.identity) != 'ROLLBACK_COMPLETE':
            expected = {
                name: (each['properties']['value'], each['properties']['kind'])
                for name, each in wanted.items()
            }
            assert there == expected, self.driver.events(self.identity)

    def rest(self):
        until = time.monotonic() + WAIT_SECONDS
        while self.driver.service.runtime.task_manager.stack_ids():
            assert time.monotonic() < until, f'still at work: {self.driver.events(self.identity)}'
            time.sleep(0.005)

    def rows(self):
        table = models.resource
        with session.engine().connect() as connection:
            return connection.execute(
                select(table).where(table.c.stack_id == self.identity['stack_id'])
            ).all()

    def teardown(self):
        self.driver.delete(self.identity)
        self.rest()
        assert self.driver.state(self.identity) == 'DELETE_COMPLETE', self.driver.stack(
            self.identity
        )['stack_status_reason']
        assert not Thing.world and not Thing.faults and not self.rows()


@pytest.fixture(scope='module')
def driver(tmp_path_factory):
    with databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Thing]) as running:
            yield running


def test_random_requests_keep_rows_and_objects_consistent(driver):
    StackLifecycle.driver = driver
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        StackLifecycle,
        settings=settings(
            max_examples=25,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=checks,
            database=None,
            phases=[Phase.generate],
        ),
    )
