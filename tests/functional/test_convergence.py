"""Stacks that all engines walk together, in one engine: the rows, every action, and migration."""

import time

import pytest
import sqlalchemy

from heat_lite.common import exception
from heat_lite.db import models, session, stacks as db_stacks
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

TEST = 'OS::Heat::TestResource'
CHAIN = {
    'resources': {
        'a': {'type': TEST, 'properties': {'value': 'x'}},
        'b': {'type': TEST, 'properties': {'value': {'get_attr': ['a', 'output']}}},
        'free': {'type': TEST, 'properties': {'value': 'y'}},
    },
    'outputs': {'b': {'value': {'get_attr': ['b', 'output']}}},
}


@pytest.fixture(params=databases.BACKENDS)
def engine(request, tmp_path):
    with databases.migrated(request.param, tmp_path) as url:
        with engines.running(url, convergence_engine=True) as driver:
            yield driver


@pytest.fixture
def lock_engine(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url, convergence_engine=False) as driver:
            yield driver


def rows(table):
    with session.engine().connect() as connection:
        return connection.execute(sqlalchemy.select(table)).all()


def row_of(identity):
    return next(row for row in rows(models.stack) if row.id == identity['stack_id'])


def changed(value='z', **resources):
    """CHAIN with another value of ``a``, and further or other resources; None takes one away."""
    given = {
        **CHAIN['resources'],
        'a': {'type': TEST, 'properties': {'value': value}},
        **resources,
    }
    kept = {name: resource for name, resource in given.items() if resource is not None}
    return {**CHAIN, 'resources': kept}


def test_traversal_is_stored_as_heat_stores_it(engine):
    slow = {'type': TEST, 'properties': {'value': 'y', 'action_wait_secs': {'create': 600}}}
    identity = engine.create(changed(free=slow), wait=False)
    engine.wait_for_resource(identity, 'b', 'CREATE_COMPLETE')
    stack, ids = row_of(identity), {row.name: row.id for row in rows(models.resource)}
    # as Heat: a node without others before and after it has a pair with None
    edges = [[[ids['b'], True], [ids['a'], True]], [[ids['free'], True], None]]
    assert sorted(stack.current_deps['edges'], key=str) == sorted(edges, key=str)
    points = {(row.entity_id, row.is_update): row for row in rows(models.sync_point)}
    assert set(points) == {
        *((str(row_id), True) for row_id in ids.values()),
        (stack.id, True),
    }
    assert {row.traversal_id for row in points.values()} == {stack.current_traversal}
    held = {row.name: row.engine_id for row in rows(models.resource)}
    assert held == {'a': None, 'b': None, 'free': engine.service.engine_id}
    engine.delete(identity)
    assert not rows(models.sync_point) and not rows(models.resource)


def test_stack_lives_through_all_actions(engine):
    identity = engine.create(CHAIN)
    assert engine.state(identity) == 'CREATE_COMPLETE' and engine.outputs(identity) == {'b': 'x'}
    new = {'type': TEST, 'properties': {'value': 'n'}}
    engine.update(identity, changed(new=new, free=None))
    assert engine.outputs(identity) == {'b': 'z'}
    assert set(engine.resources(identity)) == {'a', 'b', 'new'}
    for action in ('suspend', 'resume', 'check'):
        engine.client.invoke(
            getattr(type(engine.client), f'stack_{action}'), engine.context, stack_identity=identity
        )
        engine.wait(identity)
        assert engine.state(identity) == f'{action.upper()}_COMPLETE'
    replaced = {'type': TEST, 'properties': {'value': 'm', 'update_replace': True}}
    before = {row.name: row.id for row in rows(models.resource)}
    engine.update(identity, changed(new=replaced))
    after = {row.name: row.id for row in rows(models.resource)}
    assert after['new'] != before['new'] and after['a'] == before['a']
    assert all(row.engine_id is None for row in rows(models.resource))
    assert not rows(models.sync_point)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and not rows(models.resource)


def test_replaced_resources_require_the_rows_that_replace_others(engine):
    def words(length):
        kind = 'OS::Heat::RandomString'
        chain = {'a': {'length': length}, 'b': {'length': 9, 'salt': {'get_resource': 'a'}}}
        return {'resources': {name: {'type': kind, 'properties': p} for name, p in chain.items()}}

    identity = engine.create(words(8))
    engine.update(identity, words(10))
    found = {row.name: row for row in rows(models.resource)}
    assert found['b'].requires == [found['a'].id] and found['a'].requires == []


def test_replacement_is_stored_as_heat_stores_it(engine):
    def replaced(**properties):
        return changed(free={'type': TEST, 'properties': {'update_replace': True, **properties}})

    identity = engine.create(replaced(value='1'))
    (old,) = [row for row in rows(models.resource) if row.name == 'free']
    engine.update(identity, replaced(value='2', action_wait_secs={'create': 5}), wait=False)
    until = time.monotonic() + WAIT_SECONDS
    while len(found := [row for row in rows(models.resource) if row.name == 'free']) < 2:
        assert time.monotonic() < until, engine.events(identity)
    before, new = sorted(found, key=lambda row: row.id)
    assert (before.id, before.replaced_by, new.replaces) == (old.id, new.id, old.id)
    assert row_of(identity).prev_raw_template_id == old.current_template_id
    engine.wait(identity)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    (last,) = [row for row in rows(models.resource) if row.name == 'free']
    assert (last.replaces, last.replaced_by) == (None, None)
    assert row_of(identity).prev_raw_template_id is None


def test_update_ends_though_a_row_at_work_was_deleted_elsewhere(engine):
    slow = {'type': TEST, 'properties': {'wait_secs': 3}}
    identity = engine.create(changed(slow=slow), wait=False)
    engine.wait_for_resource(identity, 'slow', 'CREATE_IN_PROGRESS')
    # as an engine does that took this one for dead
    with session.engine().begin() as connection:
        table = models.resource
        connection.execute(sqlalchemy.delete(table).where(table.c.name == 'slow'))
    engine.update(identity, changed('2'))
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    assert set(engine.resources(identity)) == {'a', 'b', 'free'}
    engine.delete(identity)


def test_update_that_takes_several_turns_ends(engine):
    def many(value):
        resource = {'type': TEST, 'properties': {'value': value}}
        return {'resources': {f'r{number}': resource for number in range(800)}}

    identity = engine.create(many('1'))
    engine.update(identity, many('2'))
    assert set(engine.resources(identity).values()) == {'UPDATE_COMPLETE'}
    assert not rows(models.sync_point)


def test_each_action_is_a_traversal_of_its_own(engine):
    identity = engine.create(CHAIN)
    seen = [row_of(identity).current_traversal]
    for action in ('suspend', 'resume', 'check'):
        method = getattr(type(engine.client), f'stack_{action}')
        engine.client.invoke(method, engine.context, stack_identity=identity)
        engine.wait(identity)
        seen.append(row_of(identity).current_traversal)
    engine.client.stack_snapshot(engine.context, stack_identity=identity, name='s')
    engine.wait(identity)
    assert engine.state(identity) == 'SNAPSHOT_COMPLETE'
    assert len({*seen, row_of(identity).current_traversal}) == 5
    assert not rows(models.sync_point)


def test_failed_stack_has_no_traversal_until_the_next_action(engine):
    identity = engine.create(changed(new={'type': TEST, 'properties': {'fail': True}}))
    assert engine.state(identity) == 'CREATE_FAILED'
    assert row_of(identity).current_traversal == ''
    engine.update(identity, CHAIN)
    assert engine.state(identity) == 'UPDATE_COMPLETE' and row_of(identity).current_traversal


def test_check_of_a_resource_without_a_row_passes_it_over(lock_engine):
    engine = lock_engine
    identity = engine.create(CHAIN)
    broken = {'type': TEST, 'properties': {'fail': True}}
    later = {'type': TEST, 'depends_on': ['new']}
    engine.update(identity, changed(new=broken, later=later))
    assert engine.state(identity) == 'UPDATE_FAILED' and 'later' not in engine.resources(identity)
    states = []
    for _ in range(2):
        engine.client.stack_check(engine.context, stack_identity=identity)
        engine.wait(identity)
        states.append((engine.state(identity), engine.resources(identity)))
        engine.client.migrate_convergence_1(engine.context, stack_id=identity['stack_id'])
    assert row_of(identity).convergence and states[0] == states[1]


def test_failed_update_rolls_back(engine):
    identity = engine.create(CHAIN)
    failing = {'type': TEST, 'properties': {'fail': True}}
    engine.update(identity, changed(new=failing), disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE'
    assert engine.outputs(identity) == {'b': 'x'}
    assert set(engine.resources(identity)) == {'a', 'b', 'free'}
    assert not rows(models.sync_point)


def test_update_takes_over_an_update_at_work(engine):
    identity = engine.create(CHAIN)
    slow = {'type': TEST, 'properties': {'wait_secs': 2}}
    engine.update(identity, changed('1', new=slow), wait=False)
    engine.wait_for_resource(identity, 'new', 'CREATE_IN_PROGRESS')
    first = row_of(identity).current_traversal
    engine.update(identity, changed('2'), wait=False)
    until = time.monotonic() + WAIT_SECONDS
    while (
        engine.resources(identity).get('b') != 'UPDATE_COMPLETE'
        or row_of(identity).current_traversal == first
    ):
        assert time.monotonic() < until, engine.events(identity)
        time.sleep(0.01)
    engine.delete(identity)
    assert not rows(models.resource) and not rows(models.sync_point)


def test_stack_keeps_its_kind_until_it_is_migrated(lock_engine):
    engine = lock_engine
    identity = engine.create(CHAIN)
    assert not row_of(identity).convergence and row_of(identity).current_deps is None
    engine.client.migrate_convergence_1(engine.context, stack_id=identity['stack_id'])
    assert row_of(identity).convergence
    engine.update(identity, changed())
    assert engine.outputs(identity) == {'b': 'z'} and row_of(identity).current_deps['edges']


def test_stack_at_work_is_not_migrated(lock_engine):
    engine = lock_engine
    slow = {'type': TEST, 'properties': {'wait_secs': 2}}
    identity = engine.create({'resources': {'slow': slow}}, wait=False)
    with pytest.raises(exception.ActionInProgress):
        engine.client.migrate_convergence_1(engine.context, stack_id=identity['stack_id'])
    with pytest.raises(exception.EntityNotFound):
        engine.client.migrate_convergence_1(engine.context, stack_id='unknown')
    assert not db_stacks.get_row(identity['stack_id']).convergence
    engine.delete(identity)
