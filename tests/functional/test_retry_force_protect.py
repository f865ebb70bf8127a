"""What helps when things go wrong: failures that are remembered, deletes that end, retries, protection."""

import threading
import time

import pytest

from heat_lite.common import exception
from heat_lite.db import session
from heat_lite.engine import failures, patience
from heat_lite.engine.resource import Resource
from heat_lite.template.schema import number, string
from tests import databases, engines
from tests.waiting import PATIENCE

TEST = 'OS::Heat::TestResource'


class Conflict(Exception):
    """As the libraries of the services raise it."""

    http_status = 409


class Held(Resource):
    """Something outside that is in use for a while, and can be told to fail."""

    resource_type = 'Test::Held'
    properties_schema = {
        'after': string('Anything, for dependencies.', update_allowed=True),
        'size': number('Can change.', default=1, update_allowed=True),
    }
    #: name -> what each further try of an action raises; the last one for ever
    trouble, calls, guard = {}, [], threading.Lock()

    def handle_create(self):
        self._act('create')
        self.resource_id_set(f'id-{self.record.uuid[:8]}')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self._act('update')

    def handle_delete(self):
        self._act('delete')

    def _act(self, verb):
        with self.guard:
            self.calls.append((verb, self.name))
            waiting = self.trouble.get((verb, self.name), [None])
            error = waiting[0] if len(waiting) == 1 else waiting.pop(0)
        if error is not None:
            raise error

    def needs_replace_failed(self):
        return self.resource_id is None


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Held]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(engine, monkeypatch):
    Held.trouble, Held.calls = {}, []
    monkeypatch.setattr(patience, 'FIRST_PAUSE', 0.01)
    monkeypatch.setattr(patience, 'FORCED_WAIT', 0.05)
    engine.context.project_id = f'p{time.monotonic_ns()}'


def chain(*names, **properties):
    """Each resource uses the one before."""
    made = {}
    for place, name in enumerate(names):
        made[name] = {'type': 'Test::Held', 'properties': dict(properties)}
        if place:
            made[name]['properties']['after'] = {'get_resource': names[place - 1]}
    return made


def told(engine, identity):
    """The failures in short: (resource, its action, the stack's action)."""
    return [(each['resource_name'], each['action'], each['stack_action']) for each in engine.stack(identity)['failures']]


def force(engine, identity, wait=True):
    engine.client.delete_stack(engine.context, stack_identity=identity, force=True)
    return engine.wait(identity) if wait else identity


# --------------------------------------------------------------- failures


def test_failures_outlive_a_rollback_and_a_delete(engine):
    Held.trouble = {('create', 'b'): [ValueError('no room')], ('delete', 'a'): [ValueError('stuck'), None]}
    identity = engine.create({'resources': chain('a', 'b')}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_FAILED'
    assert told(engine, identity) == [('b', 'CREATE', 'CREATE'), ('a', 'DELETE', 'ROLLBACK')]
    first = engine.stack(identity)['failures'][0]
    assert first['reason'] == 'ValueError: resources.b: no room' and first['resource_type'] == 'Test::Held' and first['times'] == 1
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert told(engine, identity)[0] == ('b', 'CREATE', 'CREATE')


def test_an_update_begins_a_new_list(engine):
    Held.trouble = {('create', 'a'): [ValueError('first'), None]}
    identity = engine.create({'resources': chain('a')})
    assert told(engine, identity) == [('a', 'CREATE', 'CREATE')]
    engine.update(identity, {'resources': chain('a')})
    assert engine.state(identity) == 'UPDATE_COMPLETE' and told(engine, identity) == []


def test_a_timeout_is_remembered(engine, monkeypatch):
    monkeypatch.setattr('heat_lite.engine.stack.Stack.timeout_seconds', lambda stack: 0.2)
    identity = engine.create(
        {'resources': {'slow': {'type': TEST, 'properties': {'wait_secs': 60, 'action_wait_secs': {'delete': 0}}}}}, timeout_mins=1
    )
    assert told(engine, identity) == [('slow', 'CREATE', 'CREATE'), (None, 'CREATE', 'CREATE')]
    assert engine.stack(identity)['failures'][1]['reason'] == 'Timed out'


def test_the_list_is_bounded_and_keeps_the_cause(engine):
    Held.trouble = {('create', f'r{number_}'): [ValueError('x' * 5000)] for number_ in range(40)}
    identity = engine.create({'resources': {f'r{number_}': {'type': 'Test::Held'} for number_ in range(40)}})
    found = engine.stack(identity)['failures']
    assert 1 <= len(found) <= failures.LIMIT
    assert all(len(each['reason']) <= failures.TEXT for each in found)
    cause = engine.stack(identity)['stack_status_reason'].partition('failed: ')[2][:30]
    assert any(each['reason'].startswith(cause) for each in found)


# --------------------------------------------------------------- deletes


def test_what_is_in_use_is_tried_again(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Held.trouble = {('delete', 'b'): [Conflict('used by a port')] * 3 + [None]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert Held.calls.count(('delete', 'b')) == 4
    assert engine.events(identity).count(('b', 'DELETE_IN_PROGRESS')) == 2
    assert told(engine, identity) == []


def test_a_delete_waits_openly(engine):
    identity = engine.create({'resources': chain('a')})
    Held.trouble = {('delete', 'a'): [Conflict('used by a port')]}
    engine.delete(identity, wait=False)
    until = time.monotonic() + PATIENCE
    while 'tried' not in engine.resource(identity, 'a')['resource_status_reason'] and time.monotonic() < until:
        time.sleep(0.01)
    assert engine.resource(identity, 'a')['resource_status_reason'].endswith(': used by a port')
    Held.trouble = {}
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_a_failed_delete_takes_all_that_it_can_and_names_what_blocks(engine):
    resources = {**chain('a', 'b', 'c'), 'free': {'type': 'Test::Held'}, 'also': {'type': TEST, 'properties': {'wait_secs': 0.1}}}
    identity = engine.create({'resources': resources})
    Held.trouble = {('delete', 'b'): [ValueError('no way')]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_FAILED'
    assert engine.stack(identity)['stack_status_reason'] == 'Resource DELETE failed: ValueError: resources.b: no way'
    assert engine.resources(identity) == {'a': 'CREATE_COMPLETE', 'b': 'DELETE_FAILED'}
    (failure,) = engine.stack(identity)['failures']
    assert failure['resource_name'] == 'b' and failure['holds'] == ['a'] and failure['physical_resource_id'].startswith('id-')
    Held.trouble, Held.calls = {}, []
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert Held.calls == [('delete', 'b'), ('delete', 'a')]


def test_force_forgets_what_cannot_be_deleted_and_lists_it(engine):
    identity = engine.create({'resources': chain('a', 'b', 'c')})
    left = engine.physical_id(identity, 'b')
    Held.trouble = {('delete', 'b'): [Conflict('for ever')]}
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert ('delete', 'a') in Held.calls and ('delete', 'c') in Held.calls
    assert engine.stack(identity)['stack_status_reason'] == f'Stack DELETE completed successfully. Left behind: b ({left})'
    (failure,) = engine.stack(identity)['failures']
    assert failure['forgotten'] is True and failure['physical_resource_id'] == left
    assert engine.resources(identity) == {}


def test_force_ends_even_what_hangs(engine, monkeypatch):
    identity = engine.create(
        {
            'resources': {
                'used': {'type': TEST},
                'slow': {'type': TEST, 'depends_on': 'used', 'properties': {'action_wait_secs': {'delete': 60}}},
            }
        }
    )
    monkeypatch.setattr('heat_lite.engine.stack.Stack.timeout_seconds', lambda stack: 0.3)
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert sorted(each['resource_name'] for each in engine.stack(identity)['failures'] if each.get('forgotten')) == ['slow', 'used']


INNER = """
heat_template_version: 2021-04-16
resources:
  held: {type: Test::Held}
  user: {type: Test::Held, properties: {after: {get_resource: held}}}
"""


def test_force_goes_down_into_stacks_inside(engine):
    identity = engine.create({'resources': {'n': {'type': 'inner.yaml'}, **chain('a')}}, files={'inner.yaml': INNER})
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)
    Held.trouble = {('delete', 'held'): [Conflict('for ever')]}
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    (left,) = [each for each in engine.stack(identity)['failures'] if each.get('forgotten')]
    assert left['resource_name'] == 'n/held' and left['physical_resource_id'].startswith('id-')
    assert 'Left behind: n/held (' in engine.stack(identity)['stack_status_reason']
    assert engine.client.list_stacks(engine.context, show_nested=True) == []


def test_force_buries_what_hangs_inside(engine, monkeypatch):
    slow = INNER.replace('user: {type: Test::Held, properties: {after', 'user: {type: OS::Heat::TestResource, properties: {value').replace(
        '{get_resource: held}', '{get_resource: held}, action_wait_secs: {delete: 60}'
    )
    identity = engine.create({'resources': {'n': {'type': 'inner.yaml'}}}, files={'inner.yaml': slow})
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)
    monkeypatch.setattr('heat_lite.engine.stack.Stack.timeout_seconds', lambda stack: 0.3 if stack.owner_id is None else 60)
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    left = [each['resource_name'] for each in engine.stack(identity)['failures'] if each.get('forgotten')]
    assert sorted(left) == ['n', 'n/held', 'n/user']
    assert engine.client.list_stacks(engine.context, show_nested=True) == []


def test_a_failed_delete_inside_goes_on_too(engine):
    identity = engine.create({'resources': {'n': {'type': 'inner.yaml'}}}, files={'inner.yaml': INNER})
    Held.trouble = {('delete', 'held'): [ValueError('no'), None]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_FAILED' and told(engine, identity) == [('n', 'DELETE', 'DELETE')]
    assert 'held' in engine.stack(identity)['failures'][0]['reason']
    Held.calls = []
    engine.client.stack_retry(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and Held.calls == [('delete', 'held')]


def test_force_takes_a_delete_over_that_is_under_way(engine):
    identity = engine.create({'resources': {'slow': {'type': TEST, 'properties': {'action_wait_secs': {'delete': 0.5}}}, **chain('a')}})
    Held.trouble = {('delete', 'a'): [Conflict('for ever')]}
    engine.delete(identity, wait=False)
    force(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_deleting_twice_is_one_delete(engine):
    identity = engine.create({'resources': {'slow': {'type': TEST, 'properties': {'action_wait_secs': {'delete': 0.3}}}}})
    engine.delete(identity, wait=False)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert engine.events(identity).count(('stack', 'DELETE_IN_PROGRESS')) == 1
    assert engine.events(identity).count(('slow', 'DELETE_IN_PROGRESS')) == 1


def test_many_deletes_at_once(engine):
    identity = engine.create(
        {'resources': {'slow': {'type': TEST, 'properties': {'wait_secs': 60, 'action_wait_secs': {'delete': 0.1}}}}}, wait=False
    )
    errors = []

    def delete():
        try:
            engine.client.delete_stack(engine.context, stack_identity=identity)
        except exception.EntityNotFound:
            pass  # the others were quick
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=delete) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.wait(identity)
    assert errors == [] and engine.state(identity) == 'DELETE_COMPLETE'


@pytest.mark.parametrize('verb', ['update', 'suspend', 'check'])
def test_a_delete_comes_before_whatever_else_goes_on(engine, verb):
    slow = {'type': TEST, 'properties': {'value': '1', 'action_wait_secs': {'update': 60}}}
    identity = engine.create({'resources': {'slow': slow, **chain('a')}})
    if verb == 'update':
        changed = {**slow, 'properties': {**slow['properties'], 'value': '2'}}
        engine.update(identity, {'resources': {'slow': changed, **chain('a')}}, wait=False)
        while engine.resources(identity)['slow'] != 'UPDATE_IN_PROGRESS':
            time.sleep(0.01)
    else:
        getattr(engine.client, f'stack_{verb}')(engine.context, stack_identity=identity)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


# --------------------------------------------------------------- retry


def retry(engine, identity):
    engine.client.stack_retry(engine.context, stack_identity=identity)
    return engine.wait(identity)


def test_a_failed_create_goes_on_where_it_stopped(engine):
    Held.trouble = {('create', 'b'): [ValueError('not now'), None]}
    identity = engine.create({'resources': chain('a', 'b', 'c')})
    assert engine.state(identity) == 'CREATE_FAILED'
    kept = engine.physical_id(identity, 'a')
    Held.calls = []
    retry(engine, identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert [name for verb, name in Held.calls if verb == 'create'] == ['b', 'c']
    assert engine.physical_id(identity, 'a') == kept
    assert engine.resources(identity) == dict.fromkeys('abc', 'CREATE_COMPLETE')
    assert told(engine, identity) == [('b', 'CREATE', 'CREATE')]


def test_a_failed_update_goes_on_where_it_stopped(engine):
    identity = engine.create({'resources': chain('a', 'b', 'c')})
    Held.trouble = {('update', 'b'): [ValueError('not now'), None]}
    Held.calls = []
    engine.update(identity, {'resources': chain('a', 'b', 'c', size=2)})
    assert engine.state(identity) == 'UPDATE_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert Held.calls == [('update', 'a'), ('update', 'b'), ('update', 'b'), ('update', 'c')]


def test_a_retry_that_fails_can_still_be_rolled_back(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Held.trouble = {('update', 'b'): [ValueError('one'), ValueError('two'), None]}
    engine.update(identity, {'resources': chain('a', 'b', size=2)})
    engine.client.stack_retry(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.state(identity) == 'UPDATE_FAILED'
    engine.update(identity, {'resources': chain('a', 'b')})
    assert engine.state(identity) == 'UPDATE_COMPLETE'


def test_a_failed_rollback_goes_on(engine):
    Held.trouble = {('create', 'b'): [ValueError('no')], ('delete', 'a'): [ValueError('stuck'), None]}
    identity = engine.create({'resources': chain('a', 'b')}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and engine.resources(identity) == {}


def test_a_failed_rollback_of_an_update_goes_on(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Held.trouble = {('update', 'b'): [ValueError('no'), None], ('update', 'a'): [None, ValueError('stuck'), None]}
    engine.update(identity, {'resources': chain('a', 'b', size=2)}, disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert set(engine.resources(identity)) == {'a', 'b'}


def test_a_failed_delete_goes_on_as_it_was_asked_for(engine):
    identity = engine.create({'resources': chain('a', 'b')})
    Held.trouble = {('delete', 'b'): [ValueError('no'), None]}
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_FAILED'
    retry(engine, identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_what_has_not_failed_is_not_retried(engine):
    identity = engine.create({'resources': chain('a')})
    with pytest.raises(exception.NothingToRetry, match='it is CREATE_COMPLETE. What can be continued is a failed create'):
        retry(engine, identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'


# --------------------------------------------------------------- protection


def protect(engine, identity, protected):
    engine.client.stack_protect(engine.context, stack_identity=identity, protected=protected)


def test_a_protected_stack_is_not_deleted(engine):
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


def test_protection_goes_and_comes_with_an_update(engine):
    identity = engine.create({'resources': chain('a')})
    engine.update(identity, {'resources': chain('a')}, protected=True)
    assert engine.stack(identity)['protected'] is True
    engine.update(identity, {'resources': chain('a')}, protected=False)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_protection_needs_no_rest(engine):
    identity = engine.create(
        {'resources': {'slow': {'type': TEST, 'properties': {'wait_secs': 60, 'action_wait_secs': {'delete': 0}}}}}, wait=False
    )
    protect(engine, identity, True)
    with pytest.raises(exception.StackProtected):
        engine.delete(identity)
    assert engine.state(identity) == 'CREATE_IN_PROGRESS'
    protect(engine, identity, False)
    engine.delete(identity)


def test_rows_of_an_old_database_are_not_protected(engine):
    identity = engine.create({'resources': {}})
    with session.engine().begin() as connection:
        connection.exec_driver_sql(f"UPDATE stack SET protected = NULL WHERE id = '{identity['stack_id']}'")
    assert engine.stack(identity)['protected'] is False
    engine.delete(identity)


def test_a_failed_create_inside_goes_on_where_it_stopped(engine):
    inner = INNER.replace('  user:', '  first: {type: Test::Held}\n  user:').replace(
        'held: {type: Test::Held}', 'held: {type: Test::Held, depends_on: first}'
    )
    Held.trouble = {('create', 'held'): [ValueError('not now'), None]}
    identity = engine.create({'resources': {'n': {'type': 'inner.yaml'}, **chain('a')}}, files={'inner.yaml': inner})
    assert engine.state(identity) == 'CREATE_FAILED'
    kept = engine.physical_id(identity, 'n')
    Held.calls = []
    retry(engine, identity)
    assert engine.state(identity) == 'CREATE_COMPLETE', engine.stack(identity)
    assert engine.physical_id(identity, 'n') == kept
    assert [name for verb, name in Held.calls if verb == 'create'] == ['held', 'user']
