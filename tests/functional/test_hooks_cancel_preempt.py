"""Requests to a stack in progress: hooks, cancel, another action, signals, unhealthy marks.

Messages and the order of events are as recorded from Heat.
"""

import dataclasses
import itertools
import threading
import time

import pytest

from heat_lite.common import exception, status
from heat_lite.db import journal, locks, resources as db_resources, stacks as db_stacks
from heat_lite.engine.execution import actions
from heat_lite.engine.execution.mailbox import ActionRequest
from heat_lite.engine.execution.task_manager import ThreadGroupManager
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.service import EngineService
from heat_lite.engine.stack import hooks as hooks_module
from heat_lite.engine.stack.action_run import ActionRun
from heat_lite.engine.stack.stack import Stack
from heat_lite.rpc.client import EngineClient
from heat_lite.template.schema import string
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'


class Drifting(Resource):
    """A resource type whose objects tests change or delete in ``objects``."""

    resource_type = 'Test::Drifting'
    properties_schema = {'value': string('A value.', update_allowed=True)}
    objects = {}
    numbers = itertools.count()

    def handle_create(self):
        self.resource_id_set(f'{self.name}-{next(self.numbers)}')
        self.objects[self.resource_id] = self.properties['value']

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self.objects[self.resource_id] = prop_diff['value']

    def handle_delete(self):
        self.objects.pop(self.resource_id, None)

    def get_live_state(self, resource_properties):
        if self.resource_id not in self.objects:
            raise exception.NotFound(self.resource_id)
        return {'value': self.objects[self.resource_id]}


class SignalReceiver(Resource):
    """A resource type that handles signals."""

    resource_type = 'Test::SignalReceiver'

    def handle_signal(self, details=None):
        if details == 'fail':
            raise ValueError('no')
        yield 0
        return f'got {details}'


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Drifting, SignalReceiver]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def new_project(engine):
    engine.context.project_id = f'p{time.monotonic_ns()}'


def resource(depends_on=(), **properties):
    return {'type': TEST, 'depends_on': list(depends_on), 'properties': properties}


def slow(value, seconds=2):
    return resource(value=value, action_wait_secs={'update': seconds})


def hooks(name, *hook_names):
    return {'resource_registry': {'resources': {name: {'hooks': list(hook_names)}}}}


def restricted(name, *actions):
    return {'resource_registry': {'resources': {name: {'restricted_actions': list(actions)}}}}


def reasons(engine, identity):
    listed = engine.client.list_events(engine.context, stack_identity=identity, sort_dir='asc')
    return [
        (
            each['resource_name'],
            f'{each["resource_action"]}_{each["resource_status"]}',
            each['resource_status_reason'],
        )
        for each in listed
    ]


def wait_for_event(engine, identity, *event):
    """Wait until the stack has an event that starts with these of (name, state, reason)."""
    end = time.monotonic() + WAIT_SECONDS
    while not any(each[: len(event)] == event for each in reasons(engine, identity)):
        assert time.monotonic() < end, reasons(engine, identity)
        time.sleep(0.01)


def unset(engine, identity, name, hook):
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name=name, details={'unset_hook': hook}
    )


def wait_until_idle(engine):
    end = time.monotonic() + WAIT_SECONDS
    while engine.service.runtime.task_manager.stack_ids():
        assert time.monotonic() < end
        time.sleep(0.01)


# --------------------------------------------------------------- hooks


def test_create_hooks_pause_until_cleared(engine):
    template = {'resources': {'a': resource(), 'b': resource(['a'])}}
    identity = engine.create(template, wait=False, params=hooks('a', 'pre-create', 'post-create'))
    wait_for_event(
        engine, identity, 'a', 'INIT_COMPLETE', 'CREATE paused until Hook pre-create is cleared'
    )
    with pytest.raises(
        exception.InvalidBreakPointHook,
        match='The "pre-update" hook is not defined on TestResource "a" Stack "stack"',
    ):
        unset(engine, identity, 'a', 'pre-update')
    with pytest.raises(
        exception.InvalidBreakPointHook, match='Invalid hook type "soon" for TestResource "b"'
    ):
        unset(engine, identity, 'b', 'soon')
    unset(engine, identity, 'a', 'pre-create')
    wait_for_event(
        engine, identity, 'a', 'CREATE_COMPLETE', 'CREATE paused until Hook post-create is cleared'
    )
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


def test_update_and_delete_hooks_pause_until_cleared(engine):
    before, after = (
        {'resources': {'a': resource(value='1')}},
        {'resources': {'a': resource(value='2')}},
    )
    environment = hooks('*', 'pre-update', 'post-update', 'pre-delete', 'post-delete')
    identity = engine.create(before, params=environment)
    engine.update(identity, after, wait=False, params=environment)
    wait_for_event(
        engine, identity, 'a', 'CREATE_COMPLETE', 'UPDATE paused until Hook pre-update is cleared'
    )
    unset(engine, identity, 'a', 'pre-update')
    wait_for_event(
        engine, identity, 'a', 'UPDATE_COMPLETE', 'UPDATE paused until Hook post-update is cleared'
    )
    unset(engine, identity, 'a', 'post-update')
    engine.wait(identity)
    assert engine.state(identity) == 'UPDATE_COMPLETE'

    engine.update(identity, after, wait=False, params=environment)
    wait_for_event(
        engine, identity, 'a', 'UPDATE_COMPLETE', 'UPDATE paused until Hook pre-update is cleared'
    )
    unset(engine, identity, 'a', 'pre-update')
    engine.wait(identity)  # the resource is unchanged: post-update does not pause

    engine.delete(identity, wait=False)
    wait_for_event(
        engine, identity, 'a', 'UPDATE_COMPLETE', 'DELETE paused until Hook pre-delete is cleared'
    )
    unset(engine, identity, 'a', 'pre-delete')
    wait_for_event(
        engine, identity, 'a', 'DELETE_COMPLETE', 'DELETE paused until Hook post-delete is cleared'
    )
    unset(engine, identity, 'a', 'post-delete')
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_delete_during_create_hook_completes(engine):
    identity = engine.create(
        {'resources': {'a': resource()}}, wait=False, params=hooks('a', 'pre-create')
    )
    wait_for_event(engine, identity, 'a')
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert ('a', 'CREATE_IN_PROGRESS') not in engine.events(identity)


def test_hook_of_cancelled_update_is_cleared(engine):
    before, after = (
        {'resources': {'a': resource(value='1')}},
        {'resources': {'a': resource(value='2')}},
    )
    identity = engine.create(before)
    engine.update(identity, after, wait=False, params=hooks('a', 'pre-update'))
    wait_for_event(
        engine, identity, 'a', 'CREATE_COMPLETE', 'UPDATE paused until Hook pre-update is cleared'
    )
    engine.client.stack_cancel_update(
        engine.context, stack_identity=identity, cancel_with_rollback=False
    )
    wait_until_idle(engine)
    with pytest.raises(exception.InvalidBreakPointHook):
        unset(engine, identity, 'a', 'pre-update')
    assert (
        engine.resources(identity) == {'a': 'CREATE_COMPLETE'}
        and engine.state(identity) == 'UPDATE_FAILED'
    )


def test_hook_cleared_only_in_database_is_polled(engine, monkeypatch):
    """Another engine that cannot send a message to this one deletes only the row."""
    monkeypatch.setattr(hooks_module, 'POLL_SECONDS', 0.05)
    identity = engine.create(
        {'resources': {'a': resource()}}, wait=False, params=hooks('a', 'pre-create')
    )
    wait_for_event(engine, identity, 'a')
    (row,) = db_resources.list_by_name(identity['stack_id'], 'a')
    changes = journal.ChangeSet(row.stack_id, data_deleted=[(row.id, 'pre-create')])
    journal.save(changes)
    engine.wait(identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'


def test_hook_pause_ends_at_stack_timeout(engine):
    identity = engine.create(
        {'resources': {'a': resource()}}, wait=False, params=hooks('a', 'pre-create')
    )
    wait_for_event(engine, identity, 'a')
    engine.expire(identity)
    assert engine.stack(identity)['stack_status_reason'] == 'Timed out'
    assert ('a', 'INIT_COMPLETE', 'Failure occurred while waiting.') in reasons(engine, identity)
    assert engine.resources(identity) == {'a': 'INIT_COMPLETE'}


# --------------------------------------------------------------- restricted actions, marks


def test_restricted_action_fails_and_keeps_resource(engine):
    identity = engine.create({'resources': {'a': resource(value='1')}})
    engine.update(
        identity, {'resources': {'a': resource(value='2')}}, params=restricted('a', 'update')
    )
    reason = (
        'Resource UPDATE failed: ResourceActionRestricted: '
        'resources.a: update is restricted for resource.'
    )
    assert engine.stack(identity)['stack_status_reason'] == reason
    assert reasons(engine, identity)[-2] == (
        'a',
        'UPDATE_FAILED',
        'update is restricted for resource.',
    )
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE'}

    other = {'resources': {'a': {'type': 'OS::Heat::RandomString'}}}
    engine.update(identity, other, params=restricted('*', 'replace'))
    assert reasons(engine, identity)[-2] == (
        'a',
        'UPDATE_FAILED',
        'replace is restricted for resource.',
    )
    old = engine.physical_id(identity, 'a')
    engine.update(identity, other, params=restricted('*', 'update'))
    assert engine.state(identity) == 'UPDATE_COMPLETE' and engine.physical_id(identity, 'a') != old


def test_update_replaces_resource_marked_unhealthy(engine):
    template = {'resources': {'a': resource(), 'b': resource(['a'])}}
    identity = engine.create(template)
    before = {name: engine.physical_id(identity, name) for name in 'ab'}

    def mark(unhealthy, reason=None, name='a'):
        engine.client.resource_mark_unhealthy(
            engine.context,
            stack_identity=identity,
            resource_name=name,
            mark_unhealthy=unhealthy,
            resource_status_reason=reason,
        )

    mark(True, 'sick')
    assert reasons(engine, identity)[-1] == ('a', 'CHECK_FAILED', 'sick')
    mark(False)
    assert reasons(engine, identity)[-1] == (
        'a',
        'CHECK_COMPLETE',
        'state changed by resource_mark_unhealthy api',
    )
    mark(True, name=before['a'])
    with pytest.raises(exception.ResourceNotFound):
        mark(True, name='nobody')
    engine.update(identity, template)
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'b': 'CREATE_COMPLETE'}
    assert (
        engine.physical_id(identity, 'a') != before['a']
        and engine.physical_id(identity, 'b') == before['b']
    )


def test_mark_unhealthy_after_a_replacement_that_it_has_not_read(engine, monkeypatch):
    """Between the load of the resource and its mark an update has replaced it."""
    identity = engine.create({'resources': {'a': resource(value='1')}})
    before, call = engine.physical_id(identity, 'a'), ThreadGroupManager.call

    def call_after_an_update(manager, stack, function):
        monkeypatch.undo()
        assert stack.records.best('a').nova_instance == before
        changed = resource(value='2', update_replace=True)
        engine.update(identity, {'resources': {'a': changed}})
        return call(manager, stack, function)

    monkeypatch.setattr(ThreadGroupManager, 'call', call_after_an_update)
    engine.client.resource_mark_unhealthy(
        engine.context, stack_identity=identity, resource_name='a', mark_unhealthy=True
    )
    assert engine.physical_id(identity, 'a') != before
    assert engine.resources(identity) == {'a': 'CHECK_FAILED'}


def test_mark_unhealthy_is_refused_while_another_engine_has_the_lock(engine):
    identity = engine.create({'resources': {'a': resource()}})
    locks.acquire(identity['stack_id'], 'another')
    with pytest.raises(exception.ActionInProgress):
        engine.client.resource_mark_unhealthy(
            engine.context, stack_identity=identity, resource_name='a', mark_unhealthy=True
        )
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE'}
    locks.release(identity['stack_id'], 'another')


def test_mark_unhealthy_during_create_marks_only_idle_resource(engine):
    identity = engine.create(
        {'resources': {'a': resource(), 'b': resource(wait_secs=2)}}, wait=False
    )
    wait_for_event(engine, identity, 'a', 'CREATE_COMPLETE')
    engine.client.resource_mark_unhealthy(
        engine.context, stack_identity=identity, resource_name='a', mark_unhealthy=True
    )
    with pytest.raises(exception.ActionInProgress):
        engine.client.resource_mark_unhealthy(
            engine.context, stack_identity=identity, resource_name='b', mark_unhealthy=True
        )
    engine.wait(identity)
    assert engine.resources(identity) == {'a': 'CHECK_FAILED', 'b': 'CREATE_COMPLETE'}


# --------------------------------------------------------------- cancel, preemption


def test_cancel_update_with_rollback_restores_resources(engine):
    before = {'resources': {'a': resource(value='1'), 'b': resource(['a'], value='1')}}
    identity = engine.create(before, tags=['former'])
    changed = {'resources': {'a': slow('2'), 'b': resource(['a'], value='2')}}
    engine.update(identity, changed, wait=False, tags=['new'])
    wait_for_event(engine, identity, 'a', 'UPDATE_IN_PROGRESS')
    assert engine.stack(identity)['tags'] == ['new']
    engine.client.stack_cancel_update(engine.context, stack_identity=identity)
    engine.wait(identity)
    events = engine.events(identity)
    assert events[events.index(('stack', 'UPDATE_IN_PROGRESS')) :] == [
        ('stack', 'UPDATE_IN_PROGRESS'),
        ('a', 'UPDATE_IN_PROGRESS'),
        ('stack', 'ROLLBACK_IN_PROGRESS'),
        ('a', 'UPDATE_COMPLETE'),
        ('a', 'UPDATE_IN_PROGRESS'),
        ('a', 'UPDATE_COMPLETE'),
        ('stack', 'ROLLBACK_COMPLETE'),
    ]
    assert engine.resource(identity, 'a')['attributes']['output'] == '1'
    assert engine.stack(identity)['tags'] == ['former']


def test_cancel_update_without_rollback_fails_update(engine):
    identity = engine.create(
        {'resources': {'a': resource(value='1'), 'b': resource(['a'], value='1')}}
    )
    after = {'resources': {'a': slow('2'), 'b': resource(['a'], value='2')}}
    engine.update(identity, after, wait=False)
    wait_for_event(engine, identity, 'a', 'UPDATE_IN_PROGRESS')
    engine.client.stack_cancel_update(
        engine.context, stack_identity=identity, cancel_with_rollback=False
    )
    assert engine.stack(identity)['stack_status_reason'] == 'Stack UPDATE cancelled'
    assert engine.state(identity) == 'UPDATE_FAILED'
    with pytest.raises(
        exception.NotSupported,
        match='Cancelling update when stack is UPDATE_FAILED is not supported',
    ):
        engine.client.stack_cancel_update(
            engine.context, stack_identity=identity, cancel_with_rollback=False
        )
    wait_until_idle(engine)
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE', 'b': 'CREATE_COMPLETE'}
    engine.update(identity, after)
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE', 'b': 'UPDATE_COMPLETE'}


def test_cancel_create_with_rollback_is_refused(engine):
    identity = engine.create({'resources': {'a': resource(wait_secs=2)}}, wait=False)
    with pytest.raises(
        exception.NotSupported, match='Cancelling update when stack is CREATE_IN_PROGRESS'
    ):
        engine.client.stack_cancel_update(engine.context, stack_identity=identity)
    engine.client.stack_cancel_update(
        engine.context, stack_identity=identity, cancel_with_rollback=False
    )
    assert engine.state(identity) == 'CREATE_FAILED'


def test_update_preempts_create(engine):
    identity = engine.create(
        {'resources': {'a': resource(wait_secs=2), 'b': resource(['a'])}}, wait=False
    )
    wait_for_event(engine, identity, 'a', 'CREATE_IN_PROGRESS')
    engine.update(
        identity,
        {
            'resources': {
                'a': resource(wait_secs=2),
                'b': resource(['a'], value='2'),
                'c': resource(),
            }
        },
    )
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


def test_update_preempts_update(engine):
    parameters = {'p': {'type': 'string', 'default': '2'}}
    identity = engine.create({'resources': {'a': resource(value='1'), 'b': resource()}})
    engine.update(
        identity,
        {
            'parameters': parameters,
            'resources': {'a': slow({'get_param': 'p'}), 'b': resource()},
        },
        wait=False,
    )
    wait_for_event(engine, identity, 'a', 'UPDATE_IN_PROGRESS')
    engine.update(
        identity, {'resources': {'a': resource(value='3'), 'c': resource()}}
    )  # the template lacks the parameter that the first update uses
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE', 'c': 'CREATE_COMPLETE'}
    assert engine.resource(identity, 'a')['attributes']['output'] == '3'
    assert engine.events(identity).count(('a', 'UPDATE_COMPLETE')) == 2


def test_resource_whose_delete_is_preempted_is_deleted_once(engine):
    going = resource(action_wait_secs={'delete': 2})
    identity = engine.create({'resources': {'a': resource(), 'b': going}})
    engine.update(identity, {'resources': {'a': resource()}}, wait=False)
    wait_for_event(engine, identity, 'b', 'DELETE_IN_PROGRESS')
    engine.update(identity, {'resources': {'a': resource(value='2')}})
    assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)
    events = [each for each in engine.events(identity) if each[0] == 'b'][-2:]
    assert events == [('b', 'DELETE_IN_PROGRESS'), ('b', 'DELETE_COMPLETE')]
    assert set(engine.resources(identity)) == {'a'}


def refuse_all(engine, identity, action):
    """Assert that no action without a target of its own ends the running one."""
    client, arguments = engine.client, {'stack_identity': identity}
    for request in (
        lambda: client.stack_check(engine.context, **arguments),
        lambda: client.stack_suspend(engine.context, **arguments),
        lambda: client.stack_resume(engine.context, **arguments),
        lambda: client.stack_snapshot(engine.context, name='s', **arguments),
    ):
        with pytest.raises(exception.ActionInProgress, match=rf'has an action \({action}\)'):
            request()


def test_actions_without_target_are_refused_during_an_action(engine):
    rest = {'rest': resource(['a'])}
    template = {'resources': {'a': resource(wait_secs=2), **rest}}
    identity = engine.create(template, wait=False)
    wait_for_event(engine, identity, 'a', 'CREATE_IN_PROGRESS')
    refuse_all(engine, identity, 'CREATE')
    engine.wait(identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'rest': 'CREATE_COMPLETE'}
    changed = resource(value='2', action_wait_secs={'update': 2, 'delete': 2})
    engine.update(identity, {'resources': {'a': changed, **rest, 'b': resource(['a'])}}, wait=False)
    wait_for_event(engine, identity, 'a', 'UPDATE_IN_PROGRESS')
    refuse_all(engine, identity, 'UPDATE')
    engine.wait(identity)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert engine.resources(identity)['b'] == 'CREATE_COMPLETE'
    assert engine.client.stack_list_snapshots(engine.context, stack_identity=identity) == []
    engine.delete(identity, wait=False)
    refuse_all(engine, identity, 'DELETE')
    with pytest.raises(exception.NotSupported, match='Updating a stack when it is deleting'):
        engine.update(identity, {'resources': {}})
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_actions_without_target_wait_for_a_nested_stack_at_work(engine):
    """A check of the parent does not end an adjustment of its group."""
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 1, 'resource_def': {'type': TEST}},
    }
    identity = engine.create({'resources': {'group': group}})
    nested = engine.resource(identity, 'group')['nested_stack_id']
    members = {
        name: resource(first, wait_secs=2) for name, first in (('0', []), ('1', []), ('2', ['1']))
    }
    engine.update(nested, {'resources': members}, wait=False)
    wait_for_event(engine, nested, '1', 'CREATE_IN_PROGRESS')
    engine.client.stack_check(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.state(identity) == 'CHECK_COMPLETE'
    assert engine.resources(nested) == dict.fromkeys('012', 'CHECK_COMPLETE')


def test_request_is_forwarded_to_engine_that_holds_lock(engine, monkeypatch):
    """The second engine forwards requests to the first, which holds the lock of the stack."""
    second = EngineService(engine.service._conf, engine.service.runtime.registry)
    second.start()
    try:
        first_client, second_client = (
            EngineClient(engine.service.engine_id),
            EngineClient(second.engine_id),
        )
        monkeypatch.setattr(engine, 'client', first_client)
        identity = engine.create(
            {'resources': {'a': resource(wait_secs=1), 'b': resource(['a'])}}, wait=False
        )
        wait_for_event(engine, identity, 'a', 'CREATE_IN_PROGRESS')
        monkeypatch.setattr(engine, 'client', second_client)
        engine.update(
            identity,
            {'resources': {'a': resource(wait_secs=1)}},
            wait=False,
            params=hooks('a', 'pre-update'),
        )
        wait_for_event(
            engine,
            identity,
            'a',
            'CREATE_COMPLETE',
            'UPDATE paused until Hook pre-update is cleared',
        )
        assert identity['stack_id'] in engine.service.runtime.task_manager.stack_ids()
        assert not second.runtime.task_manager.stack_ids()
        unset(engine, identity, 'a', 'pre-update')
        engine.wait(identity)
        assert engine.state(identity) == 'UPDATE_COMPLETE' and engine.resources(identity) == {
            'a': 'CREATE_COMPLETE'
        }
    finally:
        second.stop(5)


def test_delete_is_begun_by_the_engine_that_holds_lock(engine, monkeypatch):
    with engines.another(engine) as second:
        monkeypatch.setattr(engine, 'client', EngineClient(engine.service.engine_id))
        identity = engine.create({'resources': {'a': resource(wait_secs=1)}}, wait=False)
        wait_for_event(engine, identity, 'a', 'CREATE_IN_PROGRESS')
        EngineClient(second.engine_id).delete_stack(engine.context, stack_identity=identity)
        assert identity['stack_id'] in engine.service.runtime.task_manager.stack_ids()
        assert not second.runtime.task_manager.stack_ids()
        engine.wait(identity)
        assert engine.state(identity) == 'DELETE_COMPLETE'


def test_stack_whose_action_begins_is_at_work(engine):
    """A lock without work is resumed, and the database may delay a beginning for long."""
    identity = engine.create({'resources': {'a': resource()}})
    manager = engine.service.runtime.task_manager
    row = db_stacks.get(engine.context, identity['stack_id'])
    stack = Stack.from_row(engine.service.runtime, engine.context, row)
    at_work = []
    check = actions.ACTIONS[status.CHECK]

    def begin(begun):
        at_work.extend(manager.stack_ids())
        check.begin(begun)

    request = ActionRequest(stack, ActionRun(status.CHECK), dataclasses.replace(check, begin=begin))
    manager.start_with_lock(request)
    engine.wait(identity)
    assert at_work == [stack.id] and engine.state(identity) == 'CHECK_COMPLETE'
    with pytest.raises(ZeroDivisionError):
        manager.start_with_lock(
            ActionRequest(
                stack, ActionRun(status.CHECK), dataclasses.replace(check, begin=lambda _: 1 / 0)
            )
        )
    assert stack.id not in manager.stack_ids()


def test_takeover_waits_for_a_beginning_that_fails(engine):
    identity = engine.create({'resources': {'a': resource()}})
    runtime = engine.service.runtime
    stack = Stack.from_row(
        runtime, engine.context, db_stacks.get(engine.context, identity['stack_id'])
    )
    assert locks.acquire(stack.id, runtime.engine_id) is None
    stack.stored_locked = True
    request = ActionRequest(stack, ActionRun(status.CHECK), actions.ACTIONS[status.CHECK])
    takeover = threading.Thread(target=runtime.task_manager.start_with_lock, args=[request])
    with runtime.task_manager._turn(stack.id):
        takeover.start()
        takeover.join(0.2)
        assert takeover.is_alive()
    takeover.join(WAIT_SECONDS)
    engine.wait(identity)
    assert engine.state(identity) == 'CHECK_COMPLETE'


# --------------------------------------------------------------- updates without changes, converge


def test_update_without_changes_visits_no_resource(engine, caplog):
    template = {
        'parameters': {'p': {'type': 'string', 'default': 'x'}},
        'resources': {'a': resource(value={'get_param': 'p'})},
    }
    identity = engine.create(template, tags=['old'])
    caplog.set_level('INFO')
    engine.update(identity, template, tags=['new'], timeout_mins=7)
    assert 'nothing changed' in caplog.text
    stack = engine.stack(identity)
    assert (stack['tags'], stack['timeout_mins'], stack['stack_status_reason']) == (
        ['new'],
        7,
        'Stack UPDATE completed successfully',
    )
    caplog.clear()
    engine.update(identity, template, params={'parameters': {'p': 'y'}})
    assert 'nothing changed' not in caplog.text
    assert engine.resources(identity) == {'a': 'UPDATE_COMPLETE'}


def test_converge_update_restores_changed_and_deleted_objects(engine):
    template = {
        'resources': {
            name: {'type': 'Test::Drifting', 'properties': {'value': 'ours'}}
            for name in ('changed', 'gone', 'same')
        }
    }
    identity = engine.create(template)
    ids = {name: engine.physical_id(identity, name) for name in ('changed', 'gone', 'same')}
    Drifting.objects[ids['changed']] = 'theirs'
    del Drifting.objects[ids['gone']]
    engine.update(identity, template)
    assert Drifting.objects[ids['changed']] == 'theirs'
    engine.update(identity, template, converge=True)
    assert engine.resources(identity) == {
        'changed': 'UPDATE_COMPLETE',
        'gone': 'CREATE_COMPLETE',
        'same': 'CREATE_COMPLETE',
    }
    assert Drifting.objects[ids['changed']] == 'ours'
    assert (
        engine.physical_id(identity, 'gone') != ids['gone']
        and engine.physical_id(identity, 'same') == ids['same']
    )


def test_update_with_new_dependency_updates_resource(engine):
    identity = engine.create({'resources': {'a': resource(), 'b': resource()}})
    engine.update(identity, {'resources': {'a': resource(), 'b': resource(['a'])}})
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'b': 'UPDATE_COMPLETE'}
    assert engine.resource(identity, 'a')['required_by'] == ['b']


def test_update_of_external_id_is_refused(engine):
    identity = engine.create({'resources': {'c': {'type': TEST, 'external_id': 'ext'}}})
    before = reasons(engine, identity)
    engine.update(
        identity,
        {
            'resources': {
                'c': {'type': TEST, 'external_id': 'ext', 'properties': {'value': 'other'}}
            }
        },
    )
    assert engine.resources(identity) == {'c': 'CHECK_COMPLETE'}
    for definition in ({'type': TEST, 'external_id': 'other'}, {'type': TEST}):
        engine.update(identity, {'resources': {'c': definition}})
        reason = (
            'NotSupported: resources.c: Update to property external_id of c '
            '(OS::Heat::TestResource) is not supported.'
        )
        assert engine.stack(identity)['stack_status_reason'] == f'Resource UPDATE failed: {reason}'
        assert engine.resources(identity) == {'c': 'CHECK_COMPLETE'}
    assert [each for each in reasons(engine, identity) if each[0] == 'c'] == before[1:-1]


def test_update_after_suspend_and_resume_creates_missing_resource(engine):
    identity = engine.create(
        {'resources': {'a': resource(wait_secs=2), 'b': resource(['a'])}}, wait=False
    )
    wait_for_event(engine, identity, 'a', 'CREATE_IN_PROGRESS')
    engine.client.stack_cancel_update(
        engine.context, stack_identity=identity, cancel_with_rollback=False
    )
    engine.wait_for_resource(identity, 'a', 'CREATE_COMPLETE')
    for request in (engine.client.stack_suspend, engine.client.stack_resume):
        request(engine.context, stack_identity=identity)
        engine.wait(identity)
    assert engine.resources(identity) == {'a': 'RESUME_COMPLETE', 'b': 'INIT_COMPLETE'}
    engine.update(identity, {'resources': {'a': resource(wait_secs=2), 'b': resource(['a'])}})
    assert engine.resources(identity) == {'a': 'RESUME_COMPLETE', 'b': 'CREATE_COMPLETE'}


# --------------------------------------------------------------- signals


def test_signal_is_handled_recorded_and_refused_while_suspended(engine):
    identity = engine.create(
        {'resources': {'l': {'type': 'Test::SignalReceiver'}, 'a': resource()}}
    )

    def signal(name, details, **args):
        engine.client.resource_signal(
            engine.context, stack_identity=identity, resource_name=name, details=details, **args
        )

    signal('l', 'news')
    wait_for_event(engine, identity, 'l', 'SIGNAL_COMPLETE', 'Signal: got news')
    with pytest.raises(ValueError, match='no'):
        signal('l', 'fail', sync_call=True)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    with pytest.raises(
        exception.ResourceActionNotSupported, match='signal is not supported for resource'
    ):
        signal('a', None)
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    with pytest.raises(exception.NotSupported, match='Signal resource during SUSPEND'):
        signal('l', 'news')
    assert reasons(engine, identity)[-1] == (
        'l',
        'SUSPEND_COMPLETE',
        'Cannot signal resource during SUSPEND',
    )
