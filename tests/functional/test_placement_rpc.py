"""Stacks inside resources that another engine works on: given away by RPC, waited for without polling, and stopped with what is around."""

import time
import uuid

import pytest

from heat_lite.common import exception
from heat_lite.db import locks
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import children
from heat_lite.rpc import api
from tests import databases, engines
from tests.functional.test_nested import FILES, TEST, inside, living, one
from tests.waiting import PATIENCE

COUNT = 6


@pytest.fixture(scope='module', params=databases.BACKENDS)
def pair(request, tmp_path_factory):
    """Two engines that give all stacks inside resources away, to each other and to themselves."""
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        settings = {'nested_stacks_at_work': 0}
        with engines.running(url, ours=settings, enable_stack_abandon=True) as driver, engines.another(driver) as second:
            yield driver, second


@pytest.fixture
def engine(pair, monkeypatch):
    """Nobody looks for what should be told."""
    monkeypatch.setattr(children, 'PATIENCE', 1000.0)
    monkeypatch.setattr(children, 'SHORT_PATIENCE', 1000.0)
    driver, _ = pair
    driver.context.project_id = f'p{time.monotonic_ns()}'
    return driver


def many(count=COUNT, **properties):
    return {'resources': {f'web{number}': {'type': 'middle.yaml', 'properties': properties} for number in range(count)}}


def slow(seconds):
    """Files by which a create or an update takes so long, but not a delete."""
    waits = f'action_wait_secs: {{create: {seconds}, update: {seconds}}}'
    return {**FILES, 'inner.yaml': FILES['inner.yaml'].replace('wait_secs: {get_param: secs}', waits)}


def holders(engine, rows=None):
    """Which engines work on stacks of the project, now."""
    rows = db_stacks.list(engine.context, show_nested=True) if rows is None else rows
    return {holder for row in rows if (holder := locks.holder(engine.context, row.id)) is not None}


def at_work(engine):
    """How many stacks of the project are."""
    return sum(row.status == 'IN_PROGRESS' for row in db_stacks.list(engine.context, show_nested=True))


def wait_for(condition, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


def test_several_engines_work_on_a_tree(engine, pair):
    ids = {pair[0].service.engine_id, pair[1].engine_id}
    identity = engine.create(many(word='x'), files=slow(0.5), wait=False)
    wait_for(lambda: holders(engine) == ids)
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    states = engine.tree(identity)
    assert set(states.values()) == {'CREATE_COMPLETE'}
    assert db_stacks.count_tree_resources(engine.context, identity['stack_id']) == COUNT * 4
    assert len(living(engine)) == 1 + 2 * COUNT
    assert [row.nested_depth for row in db_stacks.list(engine.context, show_nested=True)].count(2) == COUNT

    engine.update(identity, many(word='y'), files=FILES)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    for verb, state in (('suspend', 'SUSPEND_COMPLETE'), ('resume', 'RESUME_COMPLETE'), ('check', 'CHECK_COMPLETE')):
        getattr(engine.client, f'stack_{verb}')(engine.context, stack_identity=identity)
        assert engine.state(engine.wait(identity)) == state
        assert set(engine.tree(identity).values()) == {state}
    engine.delete(identity)
    assert living(engine) == [] and not holders(engine)


def test_a_failure_elsewhere_tells_its_path(engine):
    files = {**FILES, 'middle.yaml': FILES['middle.yaml'].replace('{word: {get_param: word}}', '{word: {get_param: word}, fail: true}')}
    stack = engine.stack(engine.create(many(1, word='x'), files=files))
    reason = 'Resource CREATE failed: ValueError: resources.web0.resources.deep.resources.first: Test Resource failed first'
    assert stack['stack_status_reason'] == reason


def test_what_is_wrong_with_values_is_told_by_whoever_finds_it(engine):
    files = {'inner.yaml': 'heat_template_version: 2021-04-16\nparameters: {n: {type: number}}'}
    value = {'get_attr': ['text', 'value']}
    template = one({'n': value})
    template['resources']['text'] = {
        'type': 'OS::Heat::RandomString',
        'properties': {'length': 4, 'character_classes': [{'class': 'lowercase'}]},
    }
    stack = engine.stack(engine.create(template, files=files))
    assert stack['stack_status'] == 'FAILED' and 'resources.web' in stack['stack_status_reason'], stack['stack_status_reason']
    assert living(engine) == ['stack']


@pytest.mark.parametrize('with_rollback', [False, True])
def test_a_cancel_reaches_what_is_at_work_elsewhere(engine, with_rollback):
    identity = engine.create(many(2, word='x'), files=FILES)
    engine.update(identity, many(2, word='y'), files=slow(60), wait=False)
    wait_for(lambda: at_work(engine) == 5)
    engine.client.stack_cancel_update(engine.context, stack_identity=identity, cancel_with_rollback=with_rollback)
    engine.wait(identity)
    wait_for(lambda: not holders(engine))
    assert engine.state(identity) == ('ROLLBACK_COMPLETE' if with_rollback else 'UPDATE_FAILED')
    states = {row.status for row in db_stacks.list(engine.context, show_nested=True)}
    assert states == ({'COMPLETE'} if with_rollback else {'FAILED'})


def test_a_delete_stops_what_is_at_work_elsewhere(engine):
    identity = engine.create(many(2, word='x'), files=slow(60), wait=False)
    wait_for(lambda: at_work(engine) == 5)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and living(engine) == []


def test_time_that_is_up_is_up_elsewhere_too(engine):
    """Sixty seconds are the least that a user can ask for; what is inside is told what is left of them."""
    identity = engine.create(one({}, 'inner.yaml'), files=FILES, timeout_mins=3)
    assert engine.stack(inside(engine, identity))['timeout_mins'] == 3


def test_abandoning_goes_down(engine):
    identity = engine.create(many(2, word='x'), files=FILES)
    document = engine.client.abandon_stack(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert living(engine) == [] and document['resources']['web0']['resources']['deep']['resources']['first']['type'] == TEST


# --------------------------------------------------------------- as other engines ask


def ask(engine, owner, **more):
    template = {'heat_template_version': '2021-04-16', 'resources': {'a': {'type': TEST}}}
    arguments = {'stack_name': 'inside', 'template': template, 'params': {}, 'files': {}, 'args': {}}
    arguments.update(owner_id=owner['stack_id'], nested_depth=1, parent_resource_name='web')
    return engine.client.create_stack(engine.context, **{**arguments, **more})


def test_a_stack_is_made_inside_of_one_that_is_named(engine):
    owner = engine.create({'resources': {'web': {'type': TEST}}})
    made = engine.wait(ask(engine, owner, user_creds_id=None, stack_user_project_id='users'))
    stack = engine.stack(made)
    assert (stack['parent'], stack['stack_user_project_id']) == (owner['stack_id'], 'users') and engine.state(made) == 'CREATE_COMPLETE'
    listed = engine.client.list_stack_resources(engine.context, stack_identity=made)
    assert [each['parent_resource'] for each in listed] == ['web']
    assert db_stacks.count_tree_resources(engine.context, owner['stack_id']) == 2

    with pytest.raises(exception.RequestLimitExceeded, match='Recursion depth exceeds'):
        ask(engine, owner, nested_depth=99)
    with pytest.raises(exception.EntityNotFound):
        ask(engine, {'stack_id': str(uuid.uuid4())})


def test_who_has_lost_the_stack_around_makes_nothing_inside_of_it(engine, pair):
    owner = engine.create({'resources': {'web': {'type': TEST, 'properties': {'wait_secs': 5}}}}, wait=False)
    holder = wait_for(lambda: locks.holder(engine.context, owner['stack_id']))
    args = {api.ON_BEHALF_OF: holder}
    # asked twice, because the first answer was lost, it is made once
    first, second = ask(engine, owner, args=args), ask(engine, owner, args=args)
    assert first == second and engine.state(engine.wait(first)) == 'CREATE_COMPLETE'
    with pytest.raises(exception.ActionInProgress):
        ask(engine, owner, args={api.ON_BEHALF_OF: 'another'}, stack_name='late')
    assert 'late' not in living(engine)
    engine.delete(owner)
