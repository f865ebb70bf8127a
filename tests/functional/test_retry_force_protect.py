"""Recovery from failures: recorded failures, retried and forced deletes, retry, protection."""

import threading
import time

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import session
from heat_lite.engine.resource import failures
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.stack import conflict_retry
from heat_lite.template.schema import number, string
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'


class Conflict(Exception):
    """A conflict as client libraries raise it: an exception with ``http_status``."""

    http_status = 409


class Failing(Resource):
    """A resource type whose handlers raise the errors that ``errors`` lists."""

    resource_type = 'Test::Failing'
    properties_schema = {
        'after': string('A value that makes a dependency.', update_allowed=True),
        'size': number('The size.', default=1, update_allowed=True),
    }
    #: (action, resource name) -> the error of each attempt; the last one repeats, None is success
    errors, calls, lock = {}, [], threading.Lock()

    def handle_create(self):
        self._call('create')
        self.resource_id_set(f'id-{self.record.uuid[:8]}')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self._call('update')

    def handle_delete(self):
        self._call('delete')

    def _call(self, action):
        with self.lock:
            self.calls.append((action, self.name))
            errors = self.errors.get((action, self.name), [None])
            error = errors[0] if len(errors) == 1 else errors.pop(0)
        if error is not None:
            raise error

    def needs_replace_failed(self):
        return self.resource_id is None


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Failing]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def new_project(engine, monkeypatch):
    Failing.errors, Failing.calls = {}, []
    monkeypatch.setattr(conflict_retry, 'FIRST_CONFLICT_PAUSE', 0.01)
    monkeypatch.setattr(conflict_retry, 'FORCED_CONFLICT_WAIT', 0.05)
    engine.context.project_id = f'p{time.monotonic_ns()}'


def chain(*names, **properties):
    """A mapping of resources; each depends on the resource before it."""
    resources = {}
    for index, name in enumerate(names):
        resources[name] = {'type': 'Test::Failing', 'properties': dict(properties)}
        if index:
            resources[name]['properties']['after'] = {'get_resource': names[index - 1]}
    return resources


def failure_keys(engine, identity):
    """The recorded failures as (resource name, action of the resource, action of the stack)."""
    return [
        (each['resource_name'], each['action'], each['stack_action'])
        for each in engine.stack(identity)['failures']
    ]


def force(engine, identity, wait=True):
    engine.client.delete_stack(engine.context, stack_identity=identity, force=True)
    return engine.wait(identity) if wait else identity


# --------------------------------------------------------------- failures


def test_failures_are_kept_after_rollback_and_delete(engine):
    Failing.errors = {
        ('create', 'b'): [ValueError('no room')],
        ('delete', 'a'): [ValueError('stuck'), None],
    }
    identity = engine.create({'resources': chain('a', 'b')}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_FAILED'
    assert failure_keys(engine, identity) == [
        ('b', 'CREATE', 'CREATE'),
        ('a', 'DELETE', 'ROLLBACK'),
    ]
    first = engine.stack(identity)['failures'][0]
    assert (
        first['reason'] == 'ValueError: resources.b: no room'
        and first['resource_type'] == 'Test::Failing'
        and first['times'] == 1
    )
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert failure_keys(engine, identity)[0] == ('b', 'CREATE', 'CREATE')


def test_failures_are_cleared_by_next_update(engine):
    Failing.errors = {('create', 'a'): [ValueError('first'), None]}
    identity = engine.create({'resources': chain('a')})
    assert failure_keys(engine, identity) == [('a', 'CREATE', 'CREATE')]
    engine.update(identity, {'resources': chain('a')})
    assert engine.state(identity) == 'UPDATE_COMPLETE' and failure_keys(engine, identity) == []


def test_failures_include_timeout_of_stack(engine):
    identity = engine.create(
        {
            'resources': {
                'slow': {
                    'type': TEST,
                    'properties': {'wait_secs': 60, 'action_wait_secs': {'delete': 0}},
                }
            }
        },
        wait=False,
        timeout_mins=1,
    )
    engine.wait_for_resource(identity, 'slow', 'CREATE_IN_PROGRESS')
    engine.expire(identity)
    assert failure_keys(engine, identity) == [
        ('slow', 'CREATE', 'CREATE'),
        (None, 'CREATE', 'CREATE'),
    ]
    assert engine.stack(identity)['failures'][1]['reason'] == 'Timed out'


def test_failures_above_limit_are_truncated_and_keep_cause(engine):
    Failing.errors = {('create', f'r{number_}'): [ValueError('x' * 5000)] for number_ in range(40)}
    identity = engine.create(
        {'resources': {f'r{number_}': {'type': 'Test::Failing'} for number_ in range(40)}}
    )
    recorded = engine.stack(identity)['failures']
    assert 1 <= len(recorded) <= failures.LIMIT
    assert all(len(each['reason']) <= failures.TEXT for each in recorded)
    cause = engine.stack(identity)['stack_status_reason'].partition('failed: ')[2][:30]
    assert any(each['reason'].startswith(cause) for each in recorded)


# --------------------------------------------------------------- deletes


def test_delete_after_conflict_is_retried(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Failing.errors = {('delete', 'b'): [Conflict('used by a port')] * 3 + [None]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert Failing.calls.count(('delete', 'b')) == 4
    assert engine.events(identity).count(('b', 'DELETE_IN_PROGRESS')) == 2
    assert failure_keys(engine, identity) == []


def test_delete_waiting_after_conflict_shows_reason(engine):
    identity = engine.create({'resources': chain('a')})
    Failing.errors = {('delete', 'a'): [Conflict('used by a port')]}
    engine.delete(identity, wait=False)
    deadline = time.monotonic() + WAIT_SECONDS
    while (
        'tried' not in engine.resource(identity, 'a')['resource_status_reason']
        and time.monotonic() < deadline
    ):
        time.sleep(0.01)
    assert engine.resource(identity, 'a')['resource_status_reason'].endswith(': used by a port')
    Failing.errors = {}
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_failed_delete_removes_other_resources_and_names_blocker(engine):
    resources = {
        **chain('a', 'b', 'c'),
        'free': {'type': 'Test::Failing'},
        'also': {'type': TEST, 'properties': {'wait_secs': 0.1}},
    }
    identity = engine.create({'resources': resources})
    Failing.errors = {('delete', 'b'): [ValueError('no way')]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_FAILED'
    assert (
        engine.stack(identity)['stack_status_reason']
        == 'Resource DELETE failed: ValueError: resources.b: no way'
    )
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'b': 'DELETE_FAILED'}
    (failure,) = engine.stack(identity)['failures']
    assert (
        failure['resource_name'] == 'b'
        and failure['holds'] == ['a']
        and failure['physical_resource_id'].startswith('id-')
    )
    Failing.errors, Failing.calls = {}, []
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert Failing.calls == [('delete', 'b'), ('delete', 'a')]


def test_force_delete_forgets_resource_and_lists_it(engine):
    identity = engine.create({'resources': chain('a', 'b', 'c')})
    left = engine.physical_id(identity, 'b')
    Failing.errors = {('delete', 'b'): [Conflict('for ever')]}
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert ('delete', 'a') in Failing.calls and ('delete', 'c') in Failing.calls
    assert (
        engine.stack(identity)['stack_status_reason']
        == f'Stack DELETE completed successfully. Left behind: b ({left})'
    )
    (failure,) = engine.stack(identity)['failures']
    assert failure['forgotten'] is True and failure['physical_resource_id'] == left
    assert engine.resources(identity) == {}


def test_force_delete_after_timeout_forgets_hanging_resources(engine):
    identity = engine.create(
        {
            'resources': {
                'used': {'type': TEST},
                'slow': {
                    'type': TEST,
                    'depends_on': 'used',
                    'properties': {'action_wait_secs': {'delete': 60}},
                },
            }
        }
    )
    force(engine, identity, wait=False)
    engine.wait_for_resource(identity, 'slow', 'DELETE_IN_PROGRESS')
    engine.expire(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert sorted(
        each['resource_name']
        for each in engine.stack(identity)['failures']
        if each.get('forgotten')
    ) == ['slow', 'used']


INNER = """
heat_template_version: 2021-04-16
resources:
  held: {type: Test::Failing}
  user: {type: Test::Failing, properties: {after: {get_resource: held}}}
"""


def test_force_delete_applies_to_nested_stacks(engine):
    identity = engine.create(
        {'resources': {'n': {'type': 'inner.yaml'}, **chain('a')}}, files={'inner.yaml': INNER}
    )
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)
    Failing.errors = {('delete', 'held'): [Conflict('for ever')]}
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    (left,) = [each for each in engine.stack(identity)['failures'] if each.get('forgotten')]
    assert left['resource_name'] == 'n/held' and left['physical_resource_id'].startswith('id-')
    assert 'Left behind: n/held (' in engine.stack(identity)['stack_status_reason']
    assert engine.client.list_stacks(engine.context, show_nested=True) == []


def test_force_delete_after_timeout_forgets_hanging_nested_stack(engine):
    slow = INNER.replace(
        'user: {type: Test::Failing, properties: {after',
        'user: {type: OS::Heat::TestResource, properties: {value',
    ).replace('{get_resource: held}', '{get_resource: held}, action_wait_secs: {delete: 60}')
    identity = engine.create(
        {'resources': {'n': {'type': 'inner.yaml'}}}, files={'inner.yaml': slow}
    )
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)
    force(engine, identity, wait=False)
    nested = engine.resource(identity, 'n')['nested_stack_id']
    engine.wait_for_resource(nested, 'user', 'DELETE_IN_PROGRESS')
    engine.expire(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    left = [
        each['resource_name']
        for each in engine.stack(identity)['failures']
        if each.get('forgotten')
    ]
    assert sorted(left) == ['n', 'n/held', 'n/user']
    assert engine.client.list_stacks(engine.context, show_nested=True) == []


def test_retry_of_failed_delete_continues_in_nested_stack(engine):
    identity = engine.create(
        {'resources': {'n': {'type': 'inner.yaml'}}}, files={'inner.yaml': INNER}
    )
    Failing.errors = {('delete', 'held'): [ValueError('no'), None]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_FAILED' and failure_keys(engine, identity) == [
        ('n', 'DELETE', 'DELETE')
    ]
    assert 'held' in engine.stack(identity)['failures'][0]['reason']
    Failing.calls = []
    engine.client.stack_retry(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and Failing.calls == [('delete', 'held')]


def test_force_delete_preempts_delete_in_progress(engine):
    identity = engine.create(
        {
            'resources': {
                'slow': {'type': TEST, 'properties': {'action_wait_secs': {'delete': 2}}},
                **chain('a'),
            }
        }
    )
    Failing.errors = {('delete', 'a'): [Conflict('for ever')]}
    engine.delete(identity, wait=False)
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_second_delete_joins_delete_in_progress(engine):
    identity = engine.create(
        {'resources': {'slow': {'type': TEST, 'properties': {'action_wait_secs': {'delete': 2}}}}}
    )
    engine.delete(identity, wait=False)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert engine.events(identity).count(('stack', 'DELETE_IN_PROGRESS')) == 1
    assert engine.events(identity).count(('slow', 'DELETE_IN_PROGRESS')) == 1


def test_concurrent_deletes_end_in_one_deleted_stack(engine):
    identity = engine.create(
        {
            'resources': {
                'slow': {
                    'type': TEST,
                    'properties': {'wait_secs': 60, 'action_wait_secs': {'delete': 0.1}},
                }
            }
        },
        wait=False,
    )
    errors = []

    def delete():
        try:
            engine.client.delete_stack(engine.context, stack_identity=identity)
        except exception.EntityNotFound:
            pass  # another thread has deleted the stack
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=delete) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.wait(identity)
    assert errors == [] and engine.state(identity) == 'DELETE_COMPLETE'


@pytest.mark.parametrize('action', ['update', 'suspend', 'check'])
def test_delete_preempts_action_in_progress(engine, action):
    slow = {'type': TEST, 'properties': {'value': '1', 'action_wait_secs': {'update': 60}}}
    identity = engine.create({'resources': {'slow': slow, **chain('a')}})
    if action == 'update':
        changed = {**slow, 'properties': {**slow['properties'], 'value': '2'}}
        engine.update(identity, {'resources': {'slow': changed, **chain('a')}}, wait=False)
        while engine.resources(identity)['slow'] != 'UPDATE_IN_PROGRESS':
            time.sleep(0.01)
    else:
        getattr(engine.client, f'stack_{action}')(engine.context, stack_identity=identity)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


# --------------------------------------------------------------- retry


def retry(engine, identity):
    engine.client.stack_retry(engine.context, stack_identity=identity)
    return engine.wait(identity)


def test_retry_of_failed_create_continues_with_failed_resource(engine):
    Failing.errors = {('create', 'b'): [ValueError('not now'), None]}
    identity = engine.create({'resources': chain('a', 'b', 'c')})
    assert engine.state(identity) == 'CREATE_FAILED'
    kept = engine.physical_id(identity, 'a')
    Failing.calls = []
    retry(engine, identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert [name for action, name in Failing.calls if action == 'create'] == ['b', 'c']
    assert engine.physical_id(identity, 'a') == kept
    assert engine.resources(identity) == dict.fromkeys('abc', 'CREATE_COMPLETE')
    assert failure_keys(engine, identity) == [('b', 'CREATE', 'CREATE')]


def test_retry_of_failed_update_continues_with_failed_resource(engine):
    identity = engine.create({'resources': chain('a', 'b', 'c')})
    Failing.errors = {('update', 'b'): [ValueError('not now'), None]}
    Failing.calls = []
    engine.update(identity, {'resources': chain('a', 'b', 'c', size=2)})
    assert engine.state(identity) == 'UPDATE_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert Failing.calls == [('update', 'a'), ('update', 'b'), ('update', 'b'), ('update', 'c')]


def test_update_after_failed_retry_restores_template(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Failing.errors = {('update', 'b'): [ValueError('one'), ValueError('two'), None]}
    engine.update(identity, {'resources': chain('a', 'b', size=2)})
    engine.client.stack_retry(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.state(identity) == 'UPDATE_FAILED'
    engine.update(identity, {'resources': chain('a', 'b')})
    assert engine.state(identity) == 'UPDATE_COMPLETE'


def test_retry_of_failed_create_rollback_completes(engine):
    Failing.errors = {
        ('create', 'b'): [ValueError('no')],
        ('delete', 'a'): [ValueError('stuck'), None],
    }
    identity = engine.create({'resources': chain('a', 'b')}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and engine.resources(identity) == {}


def test_retry_of_failed_update_rollback_completes(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Failing.errors = {
        ('update', 'b'): [ValueError('no'), None],
        ('update', 'a'): [None, ValueError('stuck'), None],
    }
    engine.update(identity, {'resources': chain('a', 'b', size=2)}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert set(engine.resources(identity)) == {'a', 'b'}


def test_retry_of_failed_delete_completes(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Failing.errors = {('delete', 'b'): [ValueError('no'), None]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_retry_of_complete_stack_is_refused(engine):
    identity = engine.create({'resources': chain('a')})
    with pytest.raises(
        exception.NothingToRetry,
        match='it is CREATE_COMPLETE. What can be continued is a failed create',
    ):
        retry(engine, identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'


# --------------------------------------------------------------- protection


def protect(engine, identity, protected):
    engine.client.stack_protect(engine.context, stack_identity=identity, protected=protected)


def test_delete_of_protected_stack_is_refused(engine):
    identity = engine.create({'resources': chain('a')}, protected=True)
    assert engine.stack(identity)['protected'] is True
    for delete in (engine.delete, lambda identity: force(engine, identity)):
        with pytest.raises(exception.StackProtected):
            delete(identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    engine.update(identity, {'resources': chain('a', 'b')})
    assert engine.stack(identity)['protected'] is True
    protect(engine, identity, False)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_update_sets_and_clears_protection(engine):
    identity = engine.create({'resources': chain('a')})
    engine.update(identity, {'resources': chain('a')}, protected=True)
    assert engine.stack(identity)['protected'] is True
    engine.update(identity, {'resources': chain('a')}, protected=False)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_protect_during_action_takes_effect(engine):
    identity = engine.create(
        {
            'resources': {
                'slow': {
                    'type': TEST,
                    'properties': {'wait_secs': 60, 'action_wait_secs': {'delete': 0}},
                }
            }
        },
        wait=False,
    )
    protect(engine, identity, True)
    with pytest.raises(exception.StackProtected):
        engine.delete(identity)
    assert engine.state(identity) == 'CREATE_IN_PROGRESS'
    protect(engine, identity, False)
    engine.delete(identity)


def test_stack_row_without_protected_value_is_not_protected(engine):
    identity = engine.create({'resources': {}})
    with session.engine().begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE stack SET protected = NULL WHERE id = '{identity['stack_id']}'"
        )
    assert engine.stack(identity)['protected'] is False
    engine.delete(identity)


def test_retry_of_failed_create_continues_in_nested_stack(engine):
    inner = INNER.replace('  user:', '  first: {type: Test::Failing}\n  user:').replace(
        'held: {type: Test::Failing}', 'held: {type: Test::Failing, depends_on: first}'
    )
    Failing.errors = {('create', 'held'): [ValueError('not now'), None]}
    identity = engine.create(
        {'resources': {'n': {'type': 'inner.yaml'}, **chain('a')}}, files={'inner.yaml': inner}
    )
    assert engine.state(identity) == 'CREATE_FAILED'
    kept = engine.physical_id(identity, 'n')
    Failing.calls = []
    retry(engine, identity)
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)
    assert engine.physical_id(identity, 'n') == kept
    assert [name for action, name in Failing.calls if action == 'create'] == ['held', 'user']


def test_delete_that_is_delivered_again_is_no_error(engine):
    identity = engine.delete(engine.create({'resources': {'a': {'type': TEST}}}))
    engine.client.delete_stack(engine.context, stack_identity=identity)
    another = RequestContext.from_dict({**engine.context.to_dict(), 'request_id': 'req-another'})
    with pytest.raises(exception.EntityNotFound):
        engine.client.delete_stack(another, stack_identity=identity)
