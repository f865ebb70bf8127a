"""What users do to a stack that is at work: hooks, cancelling, another action, signals, marks. Texts and order as recorded from Heat."""

import time

import pytest

from heat_lite.common import exception
from heat_lite.db import resources as db_resources
from heat_lite.engine import hooks as hooks_module
from heat_lite.engine.resource import Resource
from heat_lite.engine.service import EngineService
from heat_lite.rpc.client import EngineClient
from heat_lite.template.schema import string
from tests import databases, engines
from tests.waiting import PATIENCE

TEST = 'OS::Heat::TestResource'


class Drifting(Resource):
    """Something outside that others may change, or take away."""

    resource_type = 'Test::Drifting'
    properties_schema = {'value': string('Can change.', update_allowed=True)}
    outside = {}

    def handle_create(self):
        self.resource_id_set(f'{self.name}-{len(self.outside)}')
        self.outside[self.resource_id] = self.properties['value']

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self.outside[self.resource_id] = prop_diff['value']

    def handle_delete(self):
        self.outside.pop(self.resource_id, None)

    def get_live_state(self, resource_properties):
        if self.resource_id not in self.outside:
            raise exception.NotFound(self.resource_id)
        return {'value': self.outside[self.resource_id]}


class Listening(Resource):
    """Takes signals."""

    resource_type = 'Test::Listening'

    def handle_signal(self, details=None):
        if details == 'fail':
            raise ValueError('no')
        yield 0
        return f'got {details}'


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Drifting, Listening]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def test(depends_on=(), **properties):
    return {'type': TEST, 'depends_on': list(depends_on), 'properties': properties}


test.__test__ = False


def slow(value, seconds=0.5):
    return test(value=value, action_wait_secs={'update': seconds})


def hooks(name, *given):
    return {'resource_registry': {'resources': {name: {'hooks': list(given)}}}}


def restricted(name, *given):
    return {'resource_registry': {'resources': {name: {'restricted_actions': list(given)}}}}


def reasons(engine, identity):
    listed = engine.client.list_events(engine.context, stack_identity=identity, sort_dir='asc')
    return [
        (each['resource_name'], f'{each["resource_action"]}_{each["resource_status"]}', each['resource_status_reason']) for each in listed
    ]


def until(engine, identity, *event):
    """Wait for an event (name, state, reason) that begins like that."""
    end = time.monotonic() + PATIENCE
    while not any(each[: len(event)] == event for each in reasons(engine, identity)):
        assert time.monotonic() < end, reasons(engine, identity)
        time.sleep(0.01)


def unset(engine, identity, name, hook):
    engine.client.resource_signal(engine.context, stack_identity=identity, resource_name=name, details={'unset_hook': hook})


def rest(engine):
    while engine.service.runtime.running.stack_ids():
        time.sleep(0.01)


# --------------------------------------------------------------- hooks


def test_hooks_before_and_after_a_create(engine):
    template = {'resources': {'a': test(), 'b': test(['a'])}}
    identity = engine.create(template, wait=False, params=hooks('a', 'pre-create', 'post-create'))
    until(engine, identity, 'a', 'INIT_COMPLETE', 'CREATE paused until Hook pre-create is cleared')
    with pytest.raises(exception.InvalidBreakPointHook, match='The "pre-update" hook is not defined on TestResource "a" Stack "stack"'):
        unset(engine, identity, 'a', 'pre-update')
    with pytest.raises(exception.InvalidBreakPointHook, match='Invalid hook type "soon" for TestResource "b"'):
        unset(engine, identity, 'b', 'soon')
    unset(engine, identity, 'a', 'pre-create')
    until(engine, identity, 'a', 'CREATE_COMPLETE', 'CREATE paused until Hook post-create is cleared')
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'b': 'INIT_COMPLETE'}
    unset(engine, identity, 'a', 'post-create')
    engine.wait(identity)
    assert [each[1:] for each in reasons(engine, identity) if each[0] == 'a'] == [
        ('INIT_COMPLETE', 'CREATE paused until Hook pre-create is cleared'),
        ('INIT_COMPLETE', 'Hook pre-create is cleared'),
        ('CREATE_IN_PROGRESS', 'state changed'),
        ('CREATE_COMPLETE', 'state changed'),
        ('CREATE_COMPLETE', 'CREATE paused until Hook post-create is cleared'),
        ('CREATE_COMPLETE', 'Hook post-create is cleared'),
    ]
    with pytest.raises(exception.InvalidBreakPointHook):
        unset(engine, identity, 'a', 'pre-create')


def test_hooks_of_an_update_and_a_delete(engine):
    before, after = {'resources': {'a': test(value='1')}}, {'resources': {'a': test(value='2')}}
    environment = hooks('*', 'pre-update', 'post-update', 'pre-delete', 'post-delete')
    identity = engine.create(before, params=environment)
    engine.update(identity, after, wait=False, params=environment)
    until(engine, identity, 'a', 'CREATE_COMPLETE', 'UPDATE paused until Hook pre-update is cleared')
    unset(engine, identity, 'a', 'pre-update')
    until(engine, identity, 'a', 'UPDATE_COMPLETE', 'UPDATE paused until Hook post-update is cleared')
    unset(engine, identity, 'a', 'post-update')
    engine.wait(identity)
    assert engine.state(identity) == 'UPDATE_COMPLETE'

    engine.update(identity, after, wait=False, params=environment)
    until(engine, identity, 'a', 'UPDATE_COMPLETE', 'UPDATE paused until Hook pre-update is cleared')
    unset(engine, identity, 'a', 'pre-update')
    engine.wait(identity)  # nothing has changed, so there is nothing after which to wait

    engine.delete(identity, wait=False)
    until(engine, identity, 'a', 'UPDATE_COMPLETE', 'DELETE paused until Hook pre-delete is cleared')
    unset(engine, identity, 'a', 'pre-delete')
    until(engine, identity, 'a', 'DELETE_COMPLETE', 'DELETE paused until Hook post-delete is cleared')
    unset(engine, identity, 'a', 'post-delete')
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_a_delete_does_not_wait_for_a_hook_of_a_create(engine):
    identity = engine.create({'resources': {'a': test()}}, wait=False, params=hooks('a', 'pre-create'))
    until(engine, identity, 'a')
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert ('a', 'CREATE_IN_PROGRESS') not in engine.events(identity)


def test_a_hook_is_forgotten_when_its_action_is_given_up(engine):
    before, after = {'resources': {'a': test(value='1')}}, {'resources': {'a': test(value='2')}}
    identity = engine.create(before)
    engine.update(identity, after, wait=False, params=hooks('a', 'pre-update'))
    until(engine, identity, 'a', 'CREATE_COMPLETE', 'UPDATE paused until Hook pre-update is cleared')
    engine.client.stack_cancel_update(engine.context, stack_identity=identity, cancel_with_rollback=False)
    rest(engine)
    with pytest.raises(exception.InvalidBreakPointHook):
        unset(engine, identity, 'a', 'pre-update')
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE'} and engine.state(identity) == 'UPDATE_FAILED'


def test_a_hook_that_was_cleared_in_the_row_alone_is_noticed(engine, monkeypatch):
    """As by an engine that could not reach this one."""
    monkeypatch.setattr(hooks_module, 'PATIENCE', 0.05)
    identity = engine.create({'resources': {'a': test()}}, wait=False, params=hooks('a', 'pre-create'))
    until(engine, identity, 'a')
    row = db_resources.get_by_name(engine.context, identity['stack_id'], 'a')
    assert db_resources.delete_data(engine.context, row.id, 'pre-create')
    engine.wait(identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'


def test_the_time_of_a_hook_is_the_time_of_the_stack(engine, monkeypatch):
    monkeypatch.setattr('heat_lite.engine.stack.Stack.timeout_seconds', lambda stack: 0.3)
    identity = engine.create({'resources': {'a': test()}}, params=hooks('a', 'pre-create'))
    assert engine.stack(identity)['stack_status_reason'] == 'Timed out'
    assert ('a', 'INIT_COMPLETE', 'Failure occurred while waiting.') in reasons(engine, identity)
    assert engine.resources(identity) == {'a': 'INIT_COMPLETE'}


# --------------------------------------------------------------- restricted actions, marks


def test_restricted_actions_fail_and_leave_the_resource_as_it_is(engine):
    identity = engine.create({'resources': {'a': test(value='1')}})
    engine.update(identity, {'resources': {'a': test(value='2')}}, params=restricted('a', 'update'))
    reason = 'Resource UPDATE failed: ResourceActionRestricted: resources.a: update is restricted for resource.'
    assert engine.stack(identity)['stack_status_reason'] == reason
    assert reasons(engine, identity)[-2] == ('a', 'UPDATE_FAILED', 'update is restricted for resource.')
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE'}

    other = {'resources': {'a': {'type': 'OS::Heat::RandomString'}}}
    engine.update(identity, other, params=restricted('*', 'replace'))
    assert reasons(engine, identity)[-2] == ('a', 'UPDATE_FAILED', 'replace is restricted for resource.')
    old = engine.physical_id(identity, 'a')
    engine.update(identity, other, params=restricted('*', 'update'))
    assert engine.state(identity) == 'UPDATE_COMPLETE' and engine.physical_id(identity, 'a') != old


def test_what_is_marked_unhealthy_is_replaced(engine):
    template = {'resources': {'a': test(), 'b': test(['a'])}}
    identity = engine.create(template)
    before = {name: engine.physical_id(identity, name) for name in 'ab'}

    def mark(unhealthy, reason=None, name='a'):
        engine.client.resource_mark_unhealthy(
            engine.context, stack_identity=identity, resource_name=name, mark_unhealthy=unhealthy, resource_status_reason=reason
        )

    mark(True, 'sick')
    assert reasons(engine, identity)[-1] == ('a', 'CHECK_FAILED', 'sick')
    mark(False)
    assert reasons(engine, identity)[-1] == ('a', 'CHECK_COMPLETE', 'state changed by resource_mark_unhealthy api')
    mark(True, name=before['a'])
    with pytest.raises(exception.ResourceNotFound):
        mark(True, name='nobody')
    engine.update(identity, template)
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'b': 'CREATE_COMPLETE'}
    assert engine.physical_id(identity, 'a') != before['a'] and engine.physical_id(identity, 'b') == before['b']


def test_marks_reach_a_stack_at_work(engine):
    identity = engine.create({'resources': {'a': test(), 'b': test(wait_secs=0.5)}}, wait=False)
    until(engine, identity, 'a', 'CREATE_COMPLETE')
    engine.client.resource_mark_unhealthy(engine.context, stack_identity=identity, resource_name='a', mark_unhealthy=True)
    with pytest.raises(exception.ActionInProgress):
        engine.client.resource_mark_unhealthy(engine.context, stack_identity=identity, resource_name='b', mark_unhealthy=True)
    engine.wait(identity)
    assert engine.resources(identity) == {'a': 'CHECK_FAILED', 'b': 'CREATE_COMPLETE'}


# --------------------------------------------------------------- cancelling, taking over


def test_a_cancelled_update_goes_back(engine):
    before = {'resources': {'a': test(value='1'), 'b': test(['a'], value='1')}}
    identity = engine.create(before)
    engine.update(identity, {'resources': {'a': slow('2'), 'b': test(['a'], value='2')}}, wait=False)
    until(engine, identity, 'a', 'UPDATE_IN_PROGRESS')
    engine.client.stack_cancel_update(engine.context, stack_identity=identity)
    engine.wait(identity)
    told = engine.events(identity)
    assert told[told.index(('stack', 'UPDATE_IN_PROGRESS')) :] == [
        ('stack', 'UPDATE_IN_PROGRESS'),
        ('a', 'UPDATE_IN_PROGRESS'),
        ('stack', 'ROLLBACK_IN_PROGRESS'),
        ('a', 'UPDATE_COMPLETE'),
        ('a', 'UPDATE_IN_PROGRESS'),
        ('a', 'UPDATE_COMPLETE'),
        ('stack', 'ROLLBACK_COMPLETE'),
    ]
    assert engine.resource(identity, 'a')['attributes']['output'] == '1'


def test_a_cancelled_update_stays_where_it_is(engine):
    identity = engine.create({'resources': {'a': test(value='1'), 'b': test(['a'], value='1')}})
    after = {'resources': {'a': slow('2'), 'b': test(['a'], value='2')}}
    engine.update(identity, after, wait=False)
    until(engine, identity, 'a', 'UPDATE_IN_PROGRESS')
    engine.client.stack_cancel_update(engine.context, stack_identity=identity, cancel_with_rollback=False)
    assert engine.stack(identity)['stack_status_reason'] == 'Stack UPDATE cancelled'
    assert engine.state(identity) == 'UPDATE_FAILED'
    with pytest.raises(exception.NotSupported, match='Cancelling update when stack is UPDATE_FAILED is not supported'):
        engine.client.stack_cancel_update(engine.context, stack_identity=identity, cancel_with_rollback=False)
    rest(engine)
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE', 'b': 'CREATE_COMPLETE'}
    engine.update(identity, after)
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE', 'b': 'UPDATE_COMPLETE'}


def test_a_create_has_nothing_to_go_back_to(engine):
    identity = engine.create({'resources': {'a': test(wait_secs=0.3)}}, wait=False)
    with pytest.raises(exception.NotSupported, match='Cancelling update when stack is CREATE_IN_PROGRESS'):
        engine.client.stack_cancel_update(engine.context, stack_identity=identity)
    engine.client.stack_cancel_update(engine.context, stack_identity=identity, cancel_with_rollback=False)
    assert engine.state(identity) == 'CREATE_FAILED'


def test_an_update_takes_over_a_create(engine):
    identity = engine.create({'resources': {'a': test(wait_secs=0.5), 'b': test(['a'])}}, wait=False)
    until(engine, identity, 'a', 'CREATE_IN_PROGRESS')
    engine.update(identity, {'resources': {'a': test(wait_secs=0.5), 'b': test(['a'], value='2'), 'c': test()}})
    assert engine.events(identity) == [
        ('stack', 'CREATE_IN_PROGRESS'),
        ('a', 'CREATE_IN_PROGRESS'),
        ('stack', 'UPDATE_IN_PROGRESS'),
        ('c', 'CREATE_IN_PROGRESS'),
        ('c', 'CREATE_COMPLETE'),
        ('a', 'CREATE_COMPLETE'),
        ('b', 'CREATE_IN_PROGRESS'),
        ('b', 'CREATE_COMPLETE'),
        ('stack', 'UPDATE_COMPLETE'),
    ]


def test_an_update_takes_over_an_update(engine):
    parameters = {'p': {'type': 'string', 'default': '2'}}
    identity = engine.create({'resources': {'a': test(value='1'), 'b': test()}})
    engine.update(identity, {'parameters': parameters, 'resources': {'a': slow({'get_param': 'p'}), 'b': test()}}, wait=False)
    until(engine, identity, 'a', 'UPDATE_IN_PROGRESS')
    engine.update(identity, {'resources': {'a': test(value='3'), 'c': test()}})  # without the parameter that the first is made of
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE', 'c': 'CREATE_COMPLETE'}
    assert engine.resource(identity, 'a')['attributes']['output'] == '3'
    assert engine.events(identity).count(('a', 'UPDATE_COMPLETE')) == 2


def test_a_check_takes_over_and_a_delete_is_left_alone(engine):
    identity = engine.create({'resources': {'a': test(wait_secs=0.3, action_wait_secs={'delete': 0.5})}}, wait=False)
    until(engine, identity, 'a', 'CREATE_IN_PROGRESS')
    engine.client.stack_check(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.state(identity) == 'CHECK_COMPLETE'
    engine.delete(identity, wait=False)
    with pytest.raises(exception.ActionInProgress):
        engine.client.stack_check(engine.context, stack_identity=identity)
    with pytest.raises(exception.NotSupported, match='Updating a stack when it is deleting'):
        engine.update(identity, {'resources': {}})
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_requests_find_the_engine_that_is_at_work(engine, monkeypatch):
    """The second engine hands over what is asked of a stack that the first one works on."""
    second = EngineService(engine.service._conf, engine.service.runtime.registry)
    second.start()
    try:
        first_client, second_client = EngineClient(engine.service.engine_id), EngineClient(second.engine_id)
        monkeypatch.setattr(engine, 'client', first_client)
        identity = engine.create({'resources': {'a': test(wait_secs=1), 'b': test(['a'])}}, wait=False)
        until(engine, identity, 'a', 'CREATE_IN_PROGRESS')
        monkeypatch.setattr(engine, 'client', second_client)
        engine.update(identity, {'resources': {'a': test(wait_secs=1)}}, wait=False, params=hooks('a', 'pre-update'))
        until(engine, identity, 'a', 'CREATE_COMPLETE', 'UPDATE paused until Hook pre-update is cleared')
        assert identity['stack_id'] in engine.service.runtime.running.stack_ids()
        assert not second.runtime.running.stack_ids()
        unset(engine, identity, 'a', 'pre-update')
        engine.wait(identity)
        assert engine.state(identity) == 'UPDATE_COMPLETE' and engine.resources(identity) == {'a': 'CREATE_COMPLETE'}
    finally:
        second.stop(5)


# --------------------------------------------------------------- updates that ask for nothing, or for what is really there


def test_an_update_that_asks_for_nothing_new_visits_nothing(engine, caplog):
    template = {'parameters': {'p': {'type': 'string', 'default': 'x'}}, 'resources': {'a': test(value={'get_param': 'p'})}}
    identity = engine.create(template, tags=['old'])
    caplog.set_level('INFO')
    engine.update(identity, template, tags=['new'], timeout_mins=7)
    assert 'asks for nothing new, so no resource is visited' in caplog.text
    stack = engine.stack(identity)
    assert (stack['tags'], stack['timeout_mins'], stack['stack_status_reason']) == (['new'], 7, 'Stack UPDATE completed successfully')
    caplog.clear()
    engine.update(identity, template, params={'parameters': {'p': 'y'}})
    assert 'asks for nothing new' not in caplog.text
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE'}


def test_converge_mends_what_others_have_changed(engine):
    template = {'resources': {name: {'type': 'Test::Drifting', 'properties': {'value': 'ours'}} for name in ('changed', 'gone', 'same')}}
    identity = engine.create(template)
    ids = {name: engine.physical_id(identity, name) for name in ('changed', 'gone', 'same')}
    Drifting.outside[ids['changed']] = 'theirs'
    del Drifting.outside[ids['gone']]
    engine.update(identity, template)
    assert Drifting.outside[ids['changed']] == 'theirs'
    engine.update(identity, template, converge=True)
    assert engine.resources(identity) == {'changed': 'UPDATE_COMPLETE', 'gone': 'CREATE_COMPLETE', 'same': 'CREATE_COMPLETE'}
    assert Drifting.outside[ids['changed']] == 'ours'
    assert engine.physical_id(identity, 'gone') != ids['gone'] and engine.physical_id(identity, 'same') == ids['same']


def test_another_dependency_is_an_update(engine):
    identity = engine.create({'resources': {'a': test(), 'b': test()}})
    engine.update(identity, {'resources': {'a': test(), 'b': test(['a'])}})
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'b': 'UPDATE_COMPLETE'}
    assert engine.resource(identity, 'a')['required_by'] == ['b']


def test_an_external_id_is_kept(engine):
    identity = engine.create({'resources': {'c': {'type': TEST, 'external_id': 'ext'}}})
    before = reasons(engine, identity)
    engine.update(identity, {'resources': {'c': {'type': TEST, 'external_id': 'ext', 'properties': {'value': 'other'}}}})
    assert engine.resources(identity) == {'c': 'CHECK_COMPLETE'}
    for definition in ({'type': TEST, 'external_id': 'other'}, {'type': TEST}):
        engine.update(identity, {'resources': {'c': definition}})
        reason = 'NotSupported: resources.c: Update to property external_id of c (OS::Heat::TestResource) is not supported.'
        assert engine.stack(identity)['stack_status_reason'] == f'Resource UPDATE failed: {reason}'
        assert engine.resources(identity) == {'c': 'CHECK_COMPLETE'}
    assert [each for each in reasons(engine, identity) if each[0] == 'c'] == before[1:-1]


def test_what_was_never_made_is_made_after_a_suspend(engine):
    identity = engine.create({'resources': {'a': test(wait_secs=0.3), 'b': test(['a'])}}, wait=False)
    until(engine, identity, 'a', 'CREATE_IN_PROGRESS')
    for verb in (engine.client.stack_suspend, engine.client.stack_resume):
        verb(engine.context, stack_identity=identity)
        engine.wait(identity)
    assert engine.resources(identity) == {'a': 'RESUME_COMPLETE', 'b': 'INIT_COMPLETE'}
    engine.update(identity, {'resources': {'a': test(wait_secs=0.3), 'b': test(['a'])}})
    assert engine.resources(identity) == {'a': 'RESUME_COMPLETE', 'b': 'CREATE_COMPLETE'}


# --------------------------------------------------------------- signals


def test_signals(engine):
    identity = engine.create({'resources': {'l': {'type': 'Test::Listening'}, 'a': test()}})

    def signal(name, details, **args):
        engine.client.resource_signal(engine.context, stack_identity=identity, resource_name=name, details=details, **args)

    signal('l', 'news')
    until(engine, identity, 'l', 'SIGNAL_COMPLETE', 'Signal: got news')
    with pytest.raises(ValueError, match='no'):
        signal('l', 'fail', sync_call=True)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    with pytest.raises(exception.ResourceActionNotSupported, match='signal is not supported for resource'):
        signal('a', None)
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    with pytest.raises(exception.NotSupported, match='Signal resource during SUSPEND'):
        signal('l', 'news')
    assert reasons(engine, identity)[-1] == ('l', 'SUSPEND_COMPLETE', 'Cannot signal resource during SUSPEND')
