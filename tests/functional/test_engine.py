"""The life of stacks in a whole engine, without the API: what is stored, told and undone, and in which order."""

import dataclasses
import functools
import threading
import time

import pytest
from sqlalchemy import event, select

from heat_lite.common import exception
from heat_lite.db import models, session
from heat_lite.engine.resource import Resource
from heat_lite.template.schema import any_attribute, number, string
from tests import databases, engines
from tests.waiting import PATIENCE

TEST = 'OS::Heat::TestResource'


class Cloud(Resource):
    """Pretends to call something outside: it blocks its thread, and looks at what is stored meanwhile."""

    resource_type = 'Test::Cloud'
    properties_schema = {
        'seconds': number('How long the call takes.', default=0),
        'after': string('Anything, for dependencies.'),
        'size': number('Can change.', default=1, update_allowed=True),
    }
    attributes_schema = {'seen': any_attribute('What the database told during the call.')}
    calls, guard, running, most = [], threading.Lock(), 0, 0

    def handle_create(self):
        kind = type(self)
        with kind.guard:
            kind.running += 1
            kind.most = max(kind.most, kind.running)
        with session.engine().connect() as connection:
            rows = connection.execute(
                select(models.resource.c.action, models.resource.c.status).where(models.resource.c.uuid == self.record.uuid)
            )
            kind.calls.append((self.name, [tuple(row) for row in rows]))
        time.sleep(self.properties['seconds'])
        with kind.guard:
            kind.running -= 1
        self.resource_id_set(f'cloud-{self.name}')
        return 2

    def check_create_complete(self, token):
        self.polls = getattr(self, 'polls', 0) + 1
        return self.polls >= token

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'size' in prop_diff:
            self.data_set('size', str(prop_diff['size']))


class Blinker(Cloud):
    """Goes into error at its first two creations."""

    resource_type = 'Test::Blinker'
    tries = 0

    def handle_create(self):
        type(self).tries += 1
        self.resource_id_set(f'try-{self.tries}')
        if self.tries < 3:
            raise exception.ResourceInError(resource_status='ERROR', status_reason='bad luck')
        return 0

    def handle_delete(self):
        self.calls.append(('delete', self.resource_id))


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Cloud, Blinker]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    Cloud.calls, Cloud.most, Cloud.running = [], 0, 0
    engine.context.project_id = f'p{time.monotonic_ns()}'


def test_a_type_that_only_the_former_environment_knew(engine):
    before = {'a': {'type': TEST}, 'mine': {'type': 'My::Type'}, 'user': {'type': TEST, 'depends_on': 'mine'}}
    identity = engine.create({'resources': before}, params={'resource_registry': {'My::Type': TEST}})
    after = {'a': {'type': TEST, 'properties': {'fail': True}}, 'user': {'type': TEST, 'depends_on': 'a'}}
    engine.update(identity, {'resources': after})
    assert engine.state(identity) == 'UPDATE_FAILED'
    assert engine.resources(identity) == {'a': 'UPDATE_FAILED', 'mine': 'CREATE_COMPLETE', 'user': 'CREATE_COMPLETE'}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_create_with_dependencies_and_outputs(engine):
    identity = engine.create(
        {
            'parameters': {'size': {'type': 'number', 'default': 12}},
            'resources': {
                'last': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_attr': ['middle', 'output']}}},
                'middle': {'type': TEST, 'properties': {'value': {'get_attr': ['first', 'value']}}},
                'first': {'type': 'OS::Heat::RandomString', 'properties': {'length': {'get_param': 'size'}}},
            },
            'outputs': {'out': {'value': {'get_attr': ['last', 'value']}}, 'ref': {'value': {'get_resource': 'middle'}}},
        }
    )
    assert engine.state(identity) == 'CREATE_COMPLETE'
    outputs = engine.outputs(identity)
    assert len(outputs['out']) == 12 and outputs['ref'] == engine.physical_id(identity, 'middle')
    assert engine.events(identity) == [
        ('stack', 'CREATE_IN_PROGRESS'),
        *((name, f'CREATE_{state}') for name in ('first', 'middle', 'last') for state in ('IN_PROGRESS', 'COMPLETE')),
        ('stack', 'CREATE_COMPLETE'),
    ]
    assert engine.resource(identity, 'first')['required_by'] == ['middle']


def test_nothing_is_called_that_is_not_stored_as_begun(engine):
    identity = engine.create({'resources': {name: {'type': 'Test::Cloud'} for name in 'abc'}})
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert sorted(Cloud.calls) == [(name, [('CREATE', 'IN_PROGRESS')]) for name in 'abc']


def test_calls_of_independent_resources_overlap_within_the_limit(engine):
    resources = {f'r{number}': {'type': 'Test::Cloud', 'properties': {'seconds': 0.3}} for number in range(20)}
    began = time.monotonic()
    identity = engine.create({'resources': resources})
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert 1 < Cloud.most <= engine.service.runtime.limits.max_parallel_handlers
    assert time.monotonic() - began < 20 * 0.3


def test_a_chain_of_local_resources_takes_few_statements(engine):
    resources = {'r0': {'type': TEST}}
    for number_ in range(1, 100):
        resources[f'r{number_}'] = {'type': TEST, 'properties': {'value': {'get_attr': [f'r{number_ - 1}', 'output']}}}
    statements = []
    event.listen(session.engine(), 'before_cursor_execute', lambda *arguments: statements.append(arguments[2]))
    identity = engine.create({'resources': resources}, wait=False)
    while engine.service.runtime.running.stack_ids():
        time.sleep(0.01)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert len(statements) < 60, statements


def test_the_first_failure_stops_what_has_not_begun(engine):
    identity = engine.create(
        {
            'resources': {
                'bad': {'type': TEST, 'properties': {'fail': True}},
                'after': {'type': TEST, 'depends_on': 'bad'},
                'good': {'type': TEST, 'properties': {'wait_secs': 0.1}},
            }
        }
    )
    assert engine.stack(identity)['stack_status_reason'] == 'Resource CREATE failed: ValueError: resources.bad: Test Resource failed bad'
    assert engine.resources(identity) == {'bad': 'CREATE_FAILED', 'after': 'INIT_COMPLETE', 'good': 'CREATE_COMPLETE'}
    assert engine.resource(identity, 'bad')['resource_status_reason'] == 'ValueError: resources.bad: Test Resource failed bad'


def test_a_failed_create_is_rolled_back_when_wanted(engine):
    resources = {
        'bad': {'type': TEST, 'depends_on': 'good', 'properties': {'fail': True}},
        'good': {'type': TEST},
        'later': {'type': TEST, 'depends_on': 'bad'},
    }
    identity = engine.create({'resources': resources}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert engine.resources(identity) == {}
    assert engine.events(identity)[-7:] == [
        ('stack', 'CREATE_FAILED'),
        ('stack', 'ROLLBACK_IN_PROGRESS'),
        ('bad', 'DELETE_IN_PROGRESS'),
        ('bad', 'DELETE_COMPLETE'),
        ('good', 'DELETE_IN_PROGRESS'),
        ('good', 'DELETE_COMPLETE'),
        ('stack', 'ROLLBACK_COMPLETE'),
    ]


def test_what_goes_into_error_is_taken_away_and_tried_again(engine):
    Blinker.tries = 0
    identity = engine.create({'resources': {'b': {'type': 'Test::Blinker'}}})
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert engine.physical_id(identity, 'b') == 'try-3'
    assert ('delete', 'try-1') in Blinker.calls and ('delete', 'try-2') in Blinker.calls


@pytest.mark.parametrize('names', [('user', 'used'), ('used', 'user')])
def test_delete_takes_users_first_and_leaves_nothing(engine, names):
    resources = {'user': {'type': TEST, 'depends_on': 'used'}, 'used': {'type': TEST}}
    identity = engine.create({'resources': {name: resources[name] for name in names}})
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    told = [name for name, state in engine.events(identity) if state == 'DELETE_COMPLETE']
    assert told == ['user', 'used', 'stack']
    with session.engine().connect() as connection:
        assert not connection.execute(select(models.resource).where(models.resource.c.stack_id == identity['stack_id'])).all()
        assert not connection.execute(select(models.stack_lock)).all()
    with pytest.raises(exception.EntityNotFound):
        engine.delete(identity)


def test_what_an_update_adds_goes_before_what_it_uses(engine):
    identity = engine.create({'resources': {'a': {'type': TEST, 'properties': {'update_replace_value': '1'}}}})
    changed = {
        'a': {'type': TEST, 'properties': {'update_replace_value': '2'}},
        'b': {'type': TEST, 'properties': {'value': {'get_resource': 'a'}}},
        'c': {'type': TEST, 'depends_on': 'b'},
    }
    engine.update(identity, {'resources': changed})
    engine.delete(identity)
    told = [name for name, state in engine.events(identity) if state == 'DELETE_COMPLETE']
    assert told == ['a', 'c', 'b', 'a', 'stack']


def test_delete_interrupts_a_create(engine):
    identity = engine.create({'resources': {'slow': {'type': TEST, 'properties': {'action_wait_secs': {'create': 60}}}}}, wait=False)
    while engine.resources(identity) != {'slow': 'CREATE_IN_PROGRESS'}:
        time.sleep(0.01)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert ('slow', 'CREATE_FAILED') in engine.events(identity) and ('stack', 'CREATE_FAILED') in engine.events(identity)


def test_the_timeout_of_a_stack(engine, monkeypatch):
    from_minutes = 'heat_lite.engine.stack.Stack.timeout_seconds'
    monkeypatch.setattr(from_minutes, lambda stack: 0.3)
    identity = engine.create({'resources': {'slow': {'type': TEST, 'properties': {'action_wait_secs': {'create': 60}}}}}, timeout_mins=1)
    assert engine.stack(identity)['stack_status_reason'] == 'Timed out'
    slow = engine.resource(identity, 'slow')
    task = f'TestResource "slow" [{slow["physical_resource_id"]}] Stack "stack" [{identity["stack_id"]}]'
    assert slow['resource_status_reason'] == f'CREATE aborted (Task create from {task} Timed out)'


def test_updates_in_place_by_replacement_added_and_removed(engine):
    identity = engine.create(
        {
            'resources': {
                'same': {'type': TEST},
                'changed': {'type': TEST, 'properties': {'value': '1'}},
                'replaced': {'type': TEST, 'properties': {'update_replace_value': '1'}},
                'user': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_resource': 'replaced'}}},
                'removed': {'type': TEST},
            }
        }
    )
    before = {name: engine.physical_id(identity, name) for name in engine.resources(identity)}
    engine.update(
        identity,
        {
            'resources': {
                'same': {'type': TEST},
                'changed': {'type': TEST, 'properties': {'value': '2'}},
                'replaced': {'type': TEST, 'properties': {'update_replace_value': '2'}},
                'user': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_resource': 'replaced'}}},
                'added': {'type': TEST},
            },
            'outputs': {'user': {'value': {'get_attr': ['user', 'value']}}, 'changed': {'value': {'get_attr': ['changed', 'output']}}},
        },
    )
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert engine.resources(identity) == {
        'same': 'CREATE_COMPLETE',
        'changed': 'UPDATE_COMPLETE',
        'replaced': 'CREATE_COMPLETE',
        'user': 'UPDATE_COMPLETE',
        'added': 'CREATE_COMPLETE',
    }
    after = {name: engine.physical_id(identity, name) for name in engine.resources(identity)}
    assert {name for name in before if after.get(name) == before[name]} == {'same', 'changed', 'user'}
    assert engine.outputs(identity) == {'user': after['replaced'], 'changed': '2'}


def test_a_failed_update_is_rolled_back_when_wanted(engine):
    identity = engine.create({'resources': {'a': {'type': TEST, 'properties': {'value': '1'}}, 'b': {'type': TEST, 'depends_on': 'a'}}})
    changed = {
        'a': {'type': TEST, 'properties': {'value': '2'}},
        'b': {'type': TEST, 'depends_on': 'a', 'properties': {'value': 'x', 'fail': True}},
        'new': {'type': TEST},
    }
    engine.update(identity, {'resources': changed}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert set(engine.resources(identity)) == {'a', 'b'}
    assert engine.resource(identity, 'a')['attributes']['output'] == '1'


def test_external_ids_are_adopted_and_left_alone(engine):
    identity = engine.create({'resources': {'mine': {'type': 'Test::Cloud', 'external_id': 'somebodys'}}})
    assert engine.resources(identity) == {'mine': 'CHECK_COMPLETE'} and engine.physical_id(identity, 'mine') == 'somebodys'
    assert Cloud.calls == []
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_a_name_is_taken_once(engine):
    engine.create({'resources': {}}, name='twice')
    with pytest.raises(exception.StackExists):
        engine.create({'resources': {}}, name='twice')


def test_a_refused_template_leaves_nothing_behind(engine):
    with pytest.raises(exception.StackValidationFailed):
        engine.create({'resources': {'a': {'type': TEST, 'properties': {'nonsense': 1}}}})
    with pytest.raises(exception.EntityNotFound):
        engine.client.identify_stack(engine.context, stack_name='stack')
    assert engine.client.list_stacks(engine.context) == []


def test_a_stack_keeps_its_newest_events(engine):
    limits = engine.service.runtime.limits
    engine.service.runtime.limits = dataclasses.replace(limits, max_events_per_stack=6, event_purge_batch_size=4)
    try:
        identity = engine.create({'resources': {name: {'type': TEST} for name in 'abcdef'}})
        events_of = functools.partial(engine.events, identity)
        until = time.monotonic() + PATIENCE
        while len(events_of()) > 6:
            assert time.monotonic() < until, events_of()
            time.sleep(0.01)
        assert events_of()[-1] == ('stack', 'CREATE_COMPLETE') and len(events_of()) == 2
    finally:
        engine.service.runtime.limits = limits


def test_types_are_kept_from_who_may_not_use_them(engine):
    rules = engine.service.runtime.allows_type
    engine.service.runtime.allows_type = lambda context, name: name != TEST or 'admin' in context.roles
    template = {'resources': {'a': {'type': TEST}}}
    try:
        with pytest.raises(exception.Forbidden, match=TEST):
            engine.create(template)
        assert TEST not in engine.client.list_resource_types(engine.context)
        engine.context.roles = ['admin']
        assert TEST in engine.client.list_resource_types(engine.context)
        assert engine.state(engine.create(template)) == 'CREATE_COMPLETE'
    finally:
        engine.service.runtime.allows_type, engine.context.roles = rules, ['member']
