"""Stacks that two engines of one process walk together: signals, messages, users, lost rows."""

import time
import types
import uuid

import pytest
import sqlalchemy

from heat_lite.common import exception
from heat_lite.db import journal, locks, models, session, stacks as db_stacks
from heat_lite.engine.endpoints import worker
from heat_lite.engine.execution import actions, mailbox, steps
from heat_lite.engine.stack import stack_users
from heat_lite.engine.stack.stack import Stack
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'
#: so many nodes are ready at once that both engines get some
WIDTH = 40
HANDLE = {'type': 'OS::Heat::WaitConditionHandle'}


@pytest.fixture(scope='module', params=['sqlite', 'mysql', 'postgresql'])
def engine(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp('db')
    configuration = folder / 'heat-lite.conf'
    configuration.write_text('[clients_heat]\nurl = http://here:8004/v1/%(tenant_id)s\n')
    with databases.migrated(request.param, folder) as url:
        with engines.running(url, files=[configuration], convergence_engine=True) as driver:
            yield driver


@pytest.fixture
def other(engine):
    """Another engine; both know that they are not alone."""
    engine.context.project_id = uuid.uuid4().hex
    with engines.another(engine) as service:
        for each in (engine.service, service):
            each._membership.alone = False
        yield service
        engine.service._membership.alone = True


def until(condition, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def rows(table, **columns):
    query = sqlalchemy.select(table)
    for name, value in columns.items():
        query = query.where(table.c[name] == value)
    with session.engine().connect() as connection:
        return connection.execute(query).all()


def waiting(count=WIDTH):
    condition = {
        'type': 'OS::Heat::WaitCondition',
        'properties': {'handle': {'get_resource': 'h'}, 'timeout': 300},
    }
    return {'resources': {'h': HANDLE, **{f'w{number}': condition for number in range(count)}}}


def loaded(service, driver, identity):
    row = db_stacks.get(driver.context, identity['stack_id'])
    return Stack.from_row(service.runtime, driver.context, row)


def test_signal_wakes_waits_in_all_engines_at_once(engine, other):
    identity = engine.create(waiting(), wait=False)

    def is_waiting():
        found = rows(models.resource, stack_id=identity['stack_id'], status='IN_PROGRESS')
        return len(found) == WIDTH and len({row.engine_id for row in found}) == 2

    until(is_waiting)
    began = time.monotonic()
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name='h', details={'status': 'SUCCESS'}
    )
    engine.wait(identity)
    # without the messages the waits would end by their polls, every 30 seconds
    assert time.monotonic() - began < 15
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert not rows(models.sync_point, stack_id=identity['stack_id'])


def test_given_nodes_and_data_of_ended_ones_are_in_the_sync_points(engine, other):
    identity = engine.create(waiting(), name='points', wait=False)
    stack_id = identity['stack_id']
    until(lambda: len(rows(models.resource, stack_id=stack_id, status='IN_PROGRESS')) == WIDTH)
    home = locks.holder(stack_id)
    points = {each.entity_id: each for each in rows(models.sync_point, stack_id=stack_id)}
    found = {each.name: each for each in rows(models.resource, stack_id=stack_id)}
    handle = found.pop('h')
    for row in found.values():
        mark = None if row.engine_id == home else {'engine_id': row.engine_id}
        assert points[str(row.id)].extra_data == mark
        (told,) = points[str(row.id)].input_data.items()
        assert told[0] == f'[{handle.id}, True]' and told[1]['name'] == 'h'
    assert len({row.engine_id for row in found.values()}) == 2
    engine.delete(identity)
    assert not rows(models.sync_point, stack_id=stack_id)


@pytest.mark.parametrize('data', [None, 'x', {}, {'stack_id': 7}, {'stack_id': 'no such stack'}])
@pytest.mark.parametrize('resource_id', [None, 'x', {}, [1], True, 10**8])
def test_nonsense_in_messages_has_no_effect(engine, caplog, data, resource_id):
    endpoint = worker.Worker(engine.service.runtime)
    endpoint.check_resource(engine.context, resource_id, 3, data, {}, 'x', node_type=[])
    endpoint.cancel_check_resource(engine.context, data)
    until(lambda: not engine.service.runtime.workers.has('no such stack'))
    assert not [each for each in caplog.records if each.levelname == 'ERROR']


def test_repeated_messages_of_old_traversals_have_no_effect(engine, other, caplog):
    resources = {f'r{n}': {'type': TEST, 'properties': {'value': 'x'}} for n in range(WIDTH)}
    identity = engine.create({'resources': resources})
    before = rows(models.resource, stack_id=identity['stack_id'])
    traversal = db_stacks.get_row(identity['stack_id']).current_traversal
    for service in (engine.service, other):
        endpoint = worker.Worker(service.runtime)
        for given in (traversal, str(uuid.uuid4())):
            data = {'stack_id': identity['stack_id']}
            endpoint.check_resource(engine.context, [before[0].id], given, data, [True], None)
            endpoint.check_resource(engine.context, before[0].id, given, None, True, None)
        until(lambda service=service: not service.runtime.workers.has(identity['stack_id']))
    assert rows(models.resource, stack_id=identity['stack_id']) == before
    assert not rows(models.sync_point, stack_id=identity['stack_id'])
    assert not [each for each in caplog.records if each.levelname == 'ERROR']


class Projects:
    """A domain of stack users: only its projects."""

    def __init__(self):
        self.ids = set()

    def create_project(self, name, description):
        self.ids.add(made := uuid.uuid4().hex)
        return made

    def delete_project(self, project_id):
        self.ids.remove(project_id)


def test_two_engines_make_one_project_of_users(engine):
    identity = engine.create({'resources': {'r': {'type': TEST}}}, name='users')
    copies = [loaded(engine.service, engine, identity) for _ in range(2)]
    domain = Projects()
    ids = [stack_users.StackUsers(domain, None, stack).project_id() for stack in copies]
    assert set(ids) == domain.ids and len(domain.ids) == 1


def test_engine_that_has_lost_a_row_stores_nothing(engine):
    identity = engine.create({'resources': {'r': {'type': TEST}}}, name='lost')
    stack = loaded(engine.service, engine, identity)
    old = stack.records.best('r')
    stack.journal.lease = journal.Lease('stranger', frozenset([old.id]))
    old.set(status_reason='changed')
    new = stack.records.new('r', replaces=old)
    new.set_data('key', 'value')
    stack.journal.event(new, resource_name='r')
    before = len(rows(models.event, stack_id=identity['stack_id']))
    with pytest.raises(journal.LeaseLost):
        stack.journal.flush()
    (row,) = rows(models.resource, stack_id=identity['stack_id'])
    assert row.id == old.id and row.status_reason != 'changed'
    assert len(rows(models.event, stack_id=identity['stack_id'])) == before


def test_reading_rows_again_keeps_what_is_not_written(engine):
    resources = {name: {'type': TEST} for name in ('r', 'gone', 'other')}
    identity = engine.create({'resources': resources}, name='unwritten')
    stack, writer = (loaded(engine.service, engine, identity) for _ in range(2))
    row, other_row = stack.records.best('r'), stack.records.best('other')
    writer.records.best('r').set(engine_id='former', status_reason='older')
    writer.records.best('other').set(status_reason='newer')
    writer.journal.flush()
    row.set(engine_id=None, nova_instance='object')
    stack.forget(stack.records.best('gone'))
    stack.refresh_rows()
    assert stack.records.best('r') is row and stack.records.best('gone') is None
    assert (row.engine_id, row.nova_instance) == (None, 'object')
    assert other_row.status_reason == 'newer'
    stack.journal.flush()
    stack.refresh_rows()
    assert (row.engine_id, row.nova_instance, row.status_reason) == (None, 'object', 'older')
    assert len(rows(models.resource, stack_id=identity['stack_id'])) == 2


def test_replacement_that_is_replaced_at_once_leaves_no_row(engine, other):
    def wide(value):
        resources = {'first': {'type': TEST, 'properties': {'value': value}}}
        properties = {'value': value, 'action_wait_secs': {'update': 0.3, 'create': 0.1}}
        for number in range(8):
            mine = {**properties, 'update_replace': number in (0, 7)}
            resources[f'r{number}'] = {'type': TEST, 'depends_on': 'first', 'properties': mine}
        last = {'type': TEST, 'depends_on': [*resources], 'properties': {'value': value}}
        outputs = {'last': {'value': {'get_attr': ['last', 'output']}}}
        return {'resources': {**resources, 'last': last}, 'outputs': outputs}

    identity = engine.create(wide('0'), name='replaced')
    engine.update(identity, wide('1'), wait=False)
    stack_id = identity['stack_id']
    # the last resource still requires the row that is replaced
    until(lambda: len(rows(models.resource, stack_id=stack_id, name='r7', action='CREATE')) == 1)
    until(lambda: rows(models.resource, stack_id=stack_id, name='r1', action='UPDATE'))
    engine.update(identity, wide('2'), wait=False)
    wanted = ('UPDATE_COMPLETE', {'last': '2'})
    until(lambda: (engine.state(identity), engine.outputs(identity)) == wanted)
    found = rows(models.resource, stack_id=stack_id)
    assert sorted(row.name for row in found) == sorted(wide('2')['resources'])
    assert not rows(models.sync_point, stack_id=stack_id)


def test_handler_whose_row_is_lost_begins_nothing(engine):
    identity = engine.create({'resources': {'r': {'type': TEST}}}, name='abandoned')
    stack = loaded(engine.service, engine, identity)
    resource, begun = stack.resource_of(stack.records.best('r')), []
    stack.journal.lease = journal.Lease('stranger', frozenset([resource.record.id]))

    def work():
        stack.records.new('r', replaces=resource.record)
        yield
        begun.append('an object without a row')

    with pytest.raises(journal.LeaseLost):
        list(steps.stored_first(resource, work()))
    assert not begun
    with session.engine().begin() as connection:
        query = sqlalchemy.update(models.resource)
        query = query.where(models.resource.c.id == resource.record.id)
        connection.execute(query.values(engine_id='stranger'))
    stack.journal.give_up()
    list(steps.stored_first(resource, work()))
    assert begun


def test_engine_that_gets_the_lock_ends_its_own_worker(engine, other):
    identity = engine.create(waiting(), name='own', wait=False)
    stack_id = identity['stack_id']
    runtimes = [engine.service.runtime, other.runtime]
    until(lambda: any(each.workers.stacks() for each in runtimes))
    helper, home = sorted(runtimes, key=lambda each: each.task_manager.has(stack_id))
    # as after a pause of home that was longer than the time of a take-over
    locks.steal(stack_id, home.engine_id, helper.engine_id)
    home.task_manager.drop_lost_locks(lambda: ())
    until(lambda: not home.task_manager.has(stack_id))
    stack = loaded(types.SimpleNamespace(runtime=helper), engine, identity)
    stack.stored_locked = True
    actions.continue_after_takeover(stack)
    until(lambda: not helper.workers.has(stack_id))
    engine.client.resource_signal(
        engine.context, stack_identity=identity, resource_name='h', details={'status': 'SUCCESS'}
    )
    engine.wait(identity)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    assert not rows(models.sync_point, stack_id=stack_id)
    assert {row.engine_id for row in rows(models.resource, stack_id=stack_id)} == {None}


def test_request_to_an_engine_that_has_lost_the_lock_is_refused_at_once(engine, other):
    identity = engine.create(waiting(1), name='lost', wait=False)
    stack_id, runtimes = identity['stack_id'], [engine.service.runtime, other.runtime]
    until(lambda: any(each.task_manager.has(stack_id) for each in runtimes))
    taker, loser = sorted(runtimes, key=lambda each: each.task_manager.has(stack_id))
    locks.steal(stack_id, loser.engine_id, taker.engine_id)
    began = time.monotonic()
    with pytest.raises(exception.ActionInProgress):
        actions.delete(loaded(types.SimpleNamespace(runtime=loser), engine, identity))
    assert time.monotonic() - began < mailbox.SECONDS / 2
    stack = loaded(types.SimpleNamespace(runtime=taker), engine, identity)
    stack.stored_locked = True
    actions.continue_after_takeover(stack)
    engine.delete(identity)
