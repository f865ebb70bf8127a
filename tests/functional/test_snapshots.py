"""Snapshots in an engine: their content, restore, and handlers of resource types."""

import json
import threading
import time

import pytest
from heatclient import client as heatclient, exc
from keystoneauth1 import session as keystone_session

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import number, string
from tests import databases, engines
from tests.functional import shapes, templates
from tests.functional.test_clients import ask, authentication, run, settled
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'


class Disk(Resource):
    """A resource with copies, like a volume; ``copies`` are those that exist."""

    resource_type = 'Test::Disk'
    properties_schema = {
        'size': number('Can change.', default=1, update_allowed=True),
        'copy_of': string('A copy to start from.', update_allowed=True),
        'broken': string('What shall fail.'),
    }
    copies, calls = {}, []

    def handle_create(self):
        self.resource_id_set(f'disk-{self.name}')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self.calls.append(('update', self.name, prop_diff))

    def handle_delete(self):
        self.calls.append(('delete', self.name))

    def handle_snapshot(self):
        if self.properties['broken'] == 'snapshot':
            raise exception.Error('no room for a copy')
        copy = f'copy-{len(self.copies)}'
        self.copies[copy] = self.properties['size']
        self.data_set('copy', copy)
        return copy

    def check_snapshot_complete(self, copy):
        self.polls = getattr(self, 'polls', 0) + 1
        return copy in self.copies and self.polls > 1

    def handle_delete_snapshot(self, data):
        self.calls.append(('delete copy', self.name))
        if self.properties['broken'] == 'delete_snapshot':
            raise exception.Error('the copy is in use')
        return data['resource_data']['copy']

    def check_delete_snapshot_complete(self, copy):
        return self.copies.pop(copy, None) is not None

    def handle_restore(self, definition, data):
        copy = data['resource_data']['copy']
        return definition.freeze(
            properties={**definition.properties, 'size': self.copies[copy], 'copy_of': copy}
        )

    def handle_snapshot_delete(self, state):
        self.calls.append(('snapshot delete', self.name, *state))


class Slow(Resource):
    """A resource whose snapshot takes until ``gate`` is set."""

    resource_type = 'Test::Slow'
    gate = threading.Event()

    def handle_create(self):
        self.resource_id_set('slow')

    def handle_snapshot(self):
        while not self.gate.is_set():
            yield 0.01


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Disk, Slow], max_snapshots_per_stack=3) as driver:
            yield driver


@pytest.fixture(autouse=True)
def fresh(request):
    Disk.copies, Disk.calls = {}, []
    Slow.gate.clear()
    if 'engine' in request.fixturenames:
        request.getfixturevalue('engine').context.project_id = f'p{time.monotonic_ns()}'


def take(engine, identity, name='snap', wait=True):
    """Return the id of a new snapshot."""
    taken = engine.client.stack_snapshot(engine.context, stack_identity=identity, name=name)
    if wait:
        engine.wait(identity)
    return taken['id']


def shown(engine, identity, snapshot_id):
    return engine.client.show_snapshot(
        engine.context, stack_identity=identity, snapshot_id=snapshot_id
    )


def listed(engine, identity):
    return engine.client.stack_list_snapshots(engine.context, stack_identity=identity)


def restore(engine, identity, snapshot_id):
    engine.client.stack_restore(engine.context, stack_identity=identity, snapshot_id=snapshot_id)
    return engine.wait(identity)


def drop(engine, identity, snapshot_id, seconds=WAIT_SECONDS):
    """Delete a snapshot; wait until it is deleted or has failed."""
    engine.client.delete_snapshot(engine.context, stack_identity=identity, snapshot_id=snapshot_id)
    until = time.monotonic() + seconds
    while any(
        row['id'] == snapshot_id and row['status'] == 'IN_PROGRESS'
        for row in listed(engine, identity)
    ):
        assert time.monotonic() < until
        time.sleep(0.01)


TEMPLATE = {
    'parameters': {'value': {'type': 'string', 'default': 'a'}},
    'resources': {
        'secret': {'type': 'OS::Heat::RandomString', 'metadata': {'a': 1}},
        'test': {
            'type': TEST,
            'properties': {'value': {'get_param': 'value'}},
            'depends_on': 'secret',
        },
    },
    'outputs': {
        'secret': {'value': {'get_attr': ['secret', 'value']}},
        'test': {'value': {'get_attr': ['test', 'output']}},
    },
}


def test_snapshot_contains_the_stack_and_its_resources(engine):
    identity = engine.create(TEMPLATE, tags=['x', 'y'], params={'parameters': {'value': 'b'}})
    begun = engine.client.stack_snapshot(engine.context, stack_identity=identity, name='first')
    assert list(begun) == [
        'id',
        'name',
        'action',
        'status',
        'status_reason',
        'data',
        'creation_time',
    ]
    assert (begun['name'], begun['action'], begun['status'], begun['status_reason']) == (
        'first',
        'CREATE',
        'IN_PROGRESS',
        None,
    )
    assert begun['data'] == {
        'name': 'stack',
        'id': identity['stack_id'],
        'action': 'CREATE',
        'environment': {
            'resource_registry': {'resources': {}},
            'parameters': {'value': 'b'},
            'parameter_defaults': {},
            'event_sinks': [],
        },
        'files': {},
        'status': 'COMPLETE',
        'template': {'heat_template_version': '2021-04-16', **TEMPLATE},
        'resources': {},
        'project_id': engine.context.project_id,
        'stack_user_project_id': None,
        'tags': ['x', 'y'],
    }
    engine.wait(identity)
    ended = shown(engine, identity, begun['id'])
    assert (ended['action'], ended['status'], ended['status_reason']) == (
        'CREATE',
        'COMPLETE',
        'Stack SNAPSHOT completed successfully',
    )
    assert (ended['data']['action'], ended['data']['status']) == ('SNAPSHOT', 'COMPLETE')
    assert ended['data']['resources']['secret'] == {
        'name': 'secret',
        'resource_id': engine.physical_id(identity, 'secret'),
        'type': 'OS::Heat::RandomString',
        'action': 'SNAPSHOT',
        'status': 'COMPLETE',
        'metadata': {'a': 1},
        'resource_data': {'value': engine.outputs(identity)['secret']},
    }
    assert listed(engine, identity) == [ended]
    assert engine.events(identity)[-6:] == [
        ('stack', 'SNAPSHOT_IN_PROGRESS'),
        *(
            (name, f'SNAPSHOT_{state}')
            for name in ('secret', 'test')
            for state in ('IN_PROGRESS', 'COMPLETE')
        ),
        ('stack', 'SNAPSHOT_COMPLETE'),
    ]


def test_restore_resets_template_parameters_and_tags(engine):
    identity = engine.create(TEMPLATE, tags=['x'], params={'parameters': {'value': 'b'}})
    snapshot_id = take(engine, identity)
    kept = engine.physical_id(identity, 'test')
    engine.update(
        identity,
        {
            'resources': {
                'test': {'type': TEST, 'properties': {'value': 'z'}},
                'new': {'type': TEST},
            }
        },
    )
    restore(engine, identity, snapshot_id)
    assert engine.stack(identity)['stack_status_reason'] == 'Stack RESTORE completed successfully'
    assert engine.resources(identity) == {'secret': 'CREATE_COMPLETE', 'test': 'UPDATE_COMPLETE'}
    assert engine.physical_id(identity, 'test') == kept
    assert engine.outputs(identity)['test'] == 'b' and engine.stack(identity)['tags'] == ['x']
    template = engine.client.get_template(engine.context, stack_identity=identity)
    assert template == {'heat_template_version': '2021-04-16', **TEMPLATE}
    told = engine.events(identity)[-8:]
    assert [event for event in told if event[0] != 'new'] == [
        ('stack', 'RESTORE_IN_PROGRESS'),
        *(('secret', f'CREATE_{state}') for state in ('IN_PROGRESS', 'COMPLETE')),
        *(('test', f'UPDATE_{state}') for state in ('IN_PROGRESS', 'COMPLETE')),
        ('stack', 'RESTORE_COMPLETE'),
    ]
    assert ('new', 'DELETE_COMPLETE') in told


def around(**properties):
    inner = {
        'heat_template_version': '2021-04-16',
        'resources': {'disk': {'type': 'Test::Disk', 'properties': properties}},
    }
    child = {'type': 'OS::Heat::Stack', 'properties': {'template': json.dumps(inner)}}
    return {'resources': {'child': child}}


def test_stack_in_a_stack_is_saved_restored_and_deleted_with_it(engine):
    identity = engine.create(around(size=1))
    child = engine.client.identify_stack(
        engine.context, stack_name=engine.physical_id(identity, 'child')
    )
    snapshot_id = take(engine, identity)
    assert engine.state(identity) == 'SNAPSHOT_COMPLETE', engine.stack(identity)[
        'stack_status_reason'
    ]
    (taken,) = listed(engine, child)
    assert (taken['status'], taken['data']['resources']['disk']['resource_data']) == (
        'COMPLETE',
        {'copy': 'copy-0'},
    )
    saved = shown(engine, identity, snapshot_id)['data']['resources']['child']
    assert saved['resource_data']['snapshot_id'] == taken['id']
    restore(engine, identity, snapshot_id)
    assert engine.state(identity) == engine.state(child) == 'RESTORE_COMPLETE'
    assert Disk.calls == [('update', 'disk', {'copy_of': 'copy-0'})]
    engine.update(identity, around(size=2))
    restore(engine, identity, snapshot_id)
    assert engine.state(identity) == engine.state(child) == 'RESTORE_COMPLETE'
    assert Disk.calls[-1] == ('update', 'disk', {'size': 1, 'copy_of': 'copy-0'})
    second = take(engine, identity, 'second')
    drop(engine, identity, snapshot_id)
    assert [each['id'] for each in listed(engine, identity)] == [second]
    assert [each['status'] for each in listed(engine, child)] == ['COMPLETE']
    assert list(Disk.copies) == ['copy-1']
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and Disk.copies == {}


def test_snapshot_of_a_stack_in_a_stack_may_be_gone_already(engine):
    identity = engine.create(around())
    child = engine.client.identify_stack(
        engine.context, stack_name=engine.physical_id(identity, 'child')
    )
    snapshot_id = take(engine, identity)
    drop(engine, child, listed(engine, child)[0]['id'])
    drop(engine, identity, snapshot_id)
    assert listed(engine, identity) == []
    engine.delete(identity)


def test_failed_snapshot_of_a_stack_in_a_stack_fails_that_of_its_parent(engine):
    identity = engine.create(around(broken='snapshot'))
    snapshot_id = take(engine, identity)
    assert shown(engine, identity, snapshot_id)['status'] == 'FAILED'
    assert 'no room for a copy' in engine.stack(identity)['stack_status_reason']
    engine.delete(identity)


def test_deployed_server_may_have_the_policy_snapshot(engine):
    """The server is outside of the stack, so there is nothing to save."""
    server = {'type': 'OS::Heat::DeployedServer', 'deletion_policy': 'Snapshot'}
    identity = engine.create({'resources': {'server': server}})
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_failed_restore_is_rolled_back(engine):
    def template(value, fail):
        return {'resources': {'t': {'type': TEST, 'properties': {'value': value, 'fail': fail}}}}

    identity = engine.create(template('a', False))
    engine.update(identity, template('a', True), disable_rollback=True)
    snapshot_id = take(engine, identity)
    engine.update(identity, template('b', False), disable_rollback=False)
    restore(engine, identity, snapshot_id)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert ('stack', 'RESTORE_FAILED') in engine.events(identity)
    assert engine.resource(identity, 't')['attributes']['output'] == 'b'


def test_restore_keeps_a_suspended_stack_suspended(engine):
    identity = engine.create(TEMPLATE)
    engine.client.stack_suspend(engine.context, stack_identity=engine.wait(identity))
    engine.wait(identity)
    snapshot_id = take(engine, identity)
    engine.client.stack_suspend(engine.context, stack_identity=identity)
    engine.wait(identity)
    restore(engine, identity, snapshot_id)
    assert engine.state(identity) == 'RESTORE_COMPLETE'
    assert engine.resources(identity) == {'secret': 'SUSPEND_COMPLETE', 'test': 'SUSPEND_COMPLETE'}


def test_resources_are_restored_from_their_copies(engine):
    identity = engine.create(
        {'resources': {'d': {'type': 'Test::Disk', 'properties': {'size': 7}}}}
    )
    snapshot_id = take(engine, identity)
    assert Disk.copies == {'copy-0': 7}
    engine.update(identity, {'resources': {'d': {'type': 'Test::Disk', 'properties': {'size': 9}}}})
    Disk.calls.clear()
    restore(engine, identity, snapshot_id)
    assert Disk.calls == [('update', 'd', {'size': 7, 'copy_of': 'copy-0'})]
    template = engine.client.get_template(engine.context, stack_identity=identity)
    assert template['resources']['d']['properties'] == {'size': 7, 'copy_of': 'copy-0'}
    restored = shown(engine, identity, snapshot_id)
    assert restored['data']['template']['resources']['d']['properties'] == {'size': 7}, (
        'the snapshot itself stays as it was'
    )
    drop(engine, identity, snapshot_id)
    assert Disk.copies == {} and listed(engine, identity) == []


def test_snapshot_delete_includes_copies_of_deleted_resources(engine):
    identity = engine.create({'resources': {'d': {'type': 'Test::Disk'}}})
    snapshot_id = take(engine, identity)
    engine.update(identity, {'resources': {}})
    assert Disk.copies
    drop(engine, identity, snapshot_id)
    assert Disk.copies == {}


def test_failed_snapshot_names_the_reason(engine):
    identity = engine.create(
        {'resources': {'d': {'type': 'Test::Disk', 'properties': {'broken': 'snapshot'}}}}
    )
    snapshot_id = take(engine, identity)
    reason = 'Resource SNAPSHOT failed: Error: resources.d: no room for a copy'
    assert (
        engine.state(identity) == 'SNAPSHOT_FAILED'
        and engine.stack(identity)['stack_status_reason'] == reason
    )
    row = shown(engine, identity, snapshot_id)
    assert (row['action'], row['status'], row['status_reason']) == ('CREATE', 'FAILED', reason)
    with pytest.raises(
        exception.NotSupported, match='Restoring incomplete snapshot is not supported'
    ):
        restore(engine, identity, snapshot_id)


def test_failed_snapshot_delete_blocks_the_delete_of_the_stack(engine):
    identity = engine.create(
        {'resources': {'d': {'type': 'Test::Disk', 'properties': {'broken': 'delete_snapshot'}}}}
    )
    snapshot_id = take(engine, identity)
    drop(engine, identity, snapshot_id)
    row = shown(engine, identity, snapshot_id)
    assert (row['action'], row['status'], row['status_reason']) == (
        'DELETE',
        'FAILED',
        'the copy is in use',
    )
    engine.delete(identity)
    assert (
        engine.stack(identity)['stack_status_reason'] == 'Stack DELETE failed: the copy is in use'
    )
    assert engine.physical_id(identity, 'd') == 'disk-d'
    engine.client.delete_stack(engine.context, stack_identity=identity, force=True)
    engine.wait(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and ('delete', 'd') in Disk.calls
    assert [each['reason'] for each in engine.stack(identity)['failures']] == ['the copy is in use']


def test_failed_restore_can_be_retried(engine):
    def template(value, fail):
        return {'resources': {'t': {'type': TEST, 'properties': {'value': value, 'fail': fail}}}}

    identity = engine.create(template('a', False))
    engine.update(identity, template('a', True))
    snapshot_id = take(engine, identity)
    engine.update(identity, template('b', False))
    restore(engine, identity, snapshot_id)
    assert engine.state(identity) == 'RESTORE_FAILED'
    engine.client.stack_retry(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.events(identity)[-1] == ('stack', 'RESTORE_FAILED'), (
        'it was tried, and fails again'
    )
    assert engine.events(identity).count(('stack', 'RESTORE_IN_PROGRESS')) == 2


def test_stack_delete_deletes_its_snapshots(engine):
    identity = engine.create({'resources': {'d': {'type': 'Test::Disk'}}})
    take(engine, identity, 'one')
    take(engine, identity, 'two')
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'
    assert Disk.calls[0] == ('delete copy', 'd') and Disk.calls[-1] == ('delete', 'd')
    with pytest.raises(exception.EntityNotFound):
        listed(engine, identity)


def test_invalid_snapshot_requests_are_refused(engine):
    identity = engine.create({'resources': {'s': {'type': 'Test::Slow'}}})
    other = engine.create({'resources': {}}, name='other')
    snapshot_id = take(engine, identity, wait=False)
    with pytest.raises(
        exception.NotSupported, match='Deleting in-progress snapshot is not supported'
    ):
        drop(engine, identity, snapshot_id)
    with pytest.raises(
        exception.NotSupported, match='Restoring incomplete snapshot is not supported'
    ):
        restore(engine, identity, snapshot_id)
    with pytest.raises(exception.ActionInProgress):
        take(engine, identity)
    assert len(listed(engine, identity)) == 1, 'a refused snapshot leaves nothing behind'
    for method in (shown, drop, restore):
        with pytest.raises(exception.NotFound, match='^Snapshot with id nope not found$'):
            method(engine, identity, 'nope')
        with pytest.raises(
            exception.SnapshotNotFound,
            match=rf'^The Snapshot \({snapshot_id}\) for Stack \(other\) could not be found\.$',
        ):
            method(engine, other, snapshot_id)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE'


def test_delete_interrupts_a_snapshot_and_deletes_its_copies(engine):
    resources = {'d': {'type': 'Test::Disk'}, 's': {'type': 'Test::Slow', 'depends_on': 'd'}}
    identity = engine.create({'resources': resources})
    take(engine, identity, wait=False)
    until = time.monotonic() + WAIT_SECONDS
    while engine.resources(identity)['d'] != 'SNAPSHOT_COMPLETE' and time.monotonic() < until:
        time.sleep(0.01)
    with pytest.raises(exception.ActionInProgress):
        engine.update(identity, {'resources': {'d': {'type': 'Test::Disk'}}})
    assert Disk.copies
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and Disk.copies == {}
    assert ('s', 'SNAPSHOT_FAILED') in engine.events(identity)


def test_snapshot_completes_with_its_slowest_resource(engine):
    identity = engine.create({'resources': {'s': {'type': 'Test::Slow'}}})
    snapshot_id = take(engine, identity, wait=False)
    assert shown(engine, identity, snapshot_id)['status'] == 'IN_PROGRESS'
    Slow.gate.set()
    engine.wait(identity)
    assert shown(engine, identity, snapshot_id)['status'] == 'COMPLETE'


def test_number_of_snapshots_is_limited(engine):
    identity = engine.create({'resources': {}})
    for number_ in range(3):
        take(engine, identity, f'n{number_}')
    with pytest.raises(
        exception.RequestLimitExceeded,
        match='You have reached the maximum snapshots per stack, 3. Please delete some',
    ):
        take(engine, identity)
    assert {row['name'] for row in listed(engine, identity)} == {'n0', 'n1', 'n2'}


def test_snapshot_of_a_failed_stack_has_no_id_of_a_missing_resource(engine):
    resources = {
        'bad': {'type': TEST, 'properties': {'fail': True}},
        'after': {'type': TEST, 'depends_on': 'bad'},
    }
    identity = engine.create({'resources': resources})
    snapshot_id = take(engine, identity)
    assert engine.state(identity) == 'SNAPSHOT_COMPLETE'
    assert engine.resources(identity) == {'bad': 'CREATE_FAILED', 'after': 'INIT_COMPLETE'}
    assert shown(engine, identity, snapshot_id)['data']['resources']['bad']['resource_id'] is None
    engine.update(
        identity,
        {'resources': {'bad': {'type': TEST}, 'after': {'type': TEST, 'depends_on': 'bad'}}},
    )
    assert engine.resources(identity) == {'bad': 'CREATE_COMPLETE', 'after': 'CREATE_COMPLETE'}


def test_deletion_policy_snapshot_keeps_a_copy(engine):
    resources = {
        'kept': {'type': 'Test::Disk', 'deletion_policy': 'Snapshot'},
        'plain': {'type': 'Test::Disk'},
        'placeholder': {'type': 'OS::Heat::None', 'deletion_policy': 'Snapshot'},
    }
    engine.delete(engine.create({'resources': resources}))
    assert sorted(Disk.calls) == [
        ('delete', 'plain'),
        ('snapshot delete', 'kept', 'CREATE', 'COMPLETE'),
    ]
    with pytest.raises(exception.StackValidationFailed) as refused:
        engine.create(
            {'resources': {'t': {'type': TEST, 'deletion_policy': 'Snapshot'}}}, name='refused'
        )
    assert (
        str(refused.value)
        == 'resources.t.deletion_policy: "Snapshot" deletion policy not supported'
    )


@shapes.of('embedded', 'keystone')
def test_openstack_clients_manage_snapshots(service):
    name = f'snap-{time.monotonic_ns()}'
    heat = heatclient.Client(
        '1', session=keystone_session.Session(authentication(service)), service_type='orchestration'
    )
    stack_id = heat.stacks.create(
        stack_name=name, template=templates.CHAIN, parameters={'word': 'three'}
    )['stack']['id']
    settled(lambda: heat.stacks.get(stack_id))
    taken = heat.stacks.snapshot(stack_id, name='before')
    assert settled(lambda: heat.stacks.get(stack_id)).stack_status == 'SNAPSHOT_COMPLETE'
    assert heat.stacks.snapshot_show(stack_id, taken['id'])['snapshot']['status'] == 'COMPLETE'
    heat.stacks.update(stack_id, existing=True, parameters={'word': 'four'})
    settled(lambda: heat.stacks.get(stack_id))
    run(service, 'openstack', 'stack', 'snapshot', 'restore', name, taken['id'])
    assert settled(lambda: heat.stacks.get(stack_id)).stack_status == 'RESTORE_COMPLETE'
    assert heat.stacks.output_show(stack_id, 'word')['output']['output_value'] == 'three'
    assert [row['name'] for row in ask(service, 'stack', 'snapshot', 'list', name)] == ['before']
    run(service, 'openstack', 'stack', 'snapshot', 'delete', '-y', name, taken['id'])
    until = time.monotonic() + WAIT_SECONDS
    while heat.stacks.snapshot_list(stack_id)['snapshots'] and time.monotonic() < until:
        time.sleep(0.05)
    with pytest.raises(exc.HTTPNotFound):
        heat.stacks.snapshot_show(stack_id, taken['id'])
    heat.stacks.delete(stack_id)
