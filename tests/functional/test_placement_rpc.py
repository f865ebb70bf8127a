"""Nested stacks on another engine: delegated over RPC, awaited without polling, stopped."""

import time
import uuid

import pytest

from heat_lite.common import exception
from heat_lite.db import locks, stacks as db_stacks
from heat_lite.db.queries import StackFilter
from heat_lite.engine.execution import nested_stacks
from heat_lite.rpc import api
from tests import databases, engines
from tests.functional.test_nested_stacks import (
    FILES,
    TEST,
    live_stack_names,
    nested_identity,
    parent_template,
)
from tests.timeouts import WAIT_SECONDS

COUNT = 6


@pytest.fixture(scope='module', params=databases.BACKENDS)
def pair(request, tmp_path_factory):
    """Two engines that delegate every nested stack over RPC, to each other or to themselves."""
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        settings = {'nested_stacks_at_work': 0}
        with (
            engines.running(url, ours=settings, enable_stack_abandon=True) as driver,
            engines.another(driver) as second,
        ):
            yield driver, second


@pytest.fixture
def engine(pair, monkeypatch):
    """The first engine, in a new project and without fallback polls."""
    monkeypatch.setattr(nested_stacks, 'POLL_SECONDS', 1000.0)
    monkeypatch.setattr(nested_stacks, 'POLL_SECONDS_ELSEWHERE', 1000.0)
    driver, _ = pair
    driver.context.project_id = f'p{time.monotonic_ns()}'
    return driver


def many(count=COUNT, **properties):
    return {
        'resources': {
            f'web{number}': {'type': 'middle.yaml', 'properties': properties}
            for number in range(count)
        }
    }


def slow(seconds):
    """Files whose create and update take ``seconds``; a delete does not wait."""
    waits = f'action_wait_secs: {{create: {seconds}, update: {seconds}}}'
    return {
        **FILES,
        'inner.yaml': FILES['inner.yaml'].replace('wait_secs: {get_param: secs}', waits),
    }


def holders(engine, rows=None):
    """The ids of the engines that hold locks of stacks of the project."""
    rows = (
        db_stacks.list_rows(engine.context, StackFilter(show_nested=True)) if rows is None else rows
    )
    return {holder for row in rows if (holder := locks.holder(row.id)) is not None}


def count_in_progress(engine):
    """The number of stacks of the project that are in progress."""
    return sum(
        row.status == 'IN_PROGRESS'
        for row in db_stacks.list_rows(engine.context, StackFilter(show_nested=True))
    )


def wait_for(condition, seconds=WAIT_SECONDS):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def test_stack_tree_runs_on_several_engines(engine, pair):
    ids = {pair[0].service.engine_id, pair[1].engine_id}
    identity = engine.create(many(word='x'), files=slow(0.5), wait=False)
    wait_for(lambda: holders(engine) == ids)
    assert engine.state(engine.wait(identity)) == 'CREATE_COMPLETE'
    states = engine.tree(identity)
    assert set(states.values()) == {'CREATE_COMPLETE'}
    assert db_stacks.count_tree_resources(identity['stack_id']) == COUNT * 4
    assert len(live_stack_names(engine)) == 1 + 2 * COUNT
    assert [
        row.nested_depth
        for row in db_stacks.list_rows(engine.context, StackFilter(show_nested=True))
    ].count(2) == COUNT

    engine.update(identity, many(word='y'), files=FILES)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    for action, state in (
        ('suspend', 'SUSPEND_COMPLETE'),
        ('resume', 'RESUME_COMPLETE'),
        ('check', 'CHECK_COMPLETE'),
    ):
        getattr(engine.client, f'stack_{action}')(engine.context, stack_identity=identity)
        assert engine.state(engine.wait(identity)) == state
        assert set(engine.tree(identity).values()) == {state}
    engine.delete(identity)
    assert live_stack_names(engine) == [] and not holders(engine)


def test_failure_on_another_engine_names_resource_path(engine):
    files = {
        **FILES,
        'middle.yaml': FILES['middle.yaml'].replace(
            '{word: {get_param: word}}', '{word: {get_param: word}, fail: true}'
        ),
    }
    stack = engine.stack(engine.create(many(1, word='x'), files=files))
    reason = (
        'Resource CREATE failed: ValueError: '
        'resources.web0.resources.deep.resources.first: Test Resource failed first'
    )
    assert stack['stack_status_reason'] == reason


def test_invalid_parameter_of_nested_stack_fails_parent(engine):
    files = {'inner.yaml': 'heat_template_version: 2021-04-16\nparameters: {n: {type: number}}'}
    value = {'get_attr': ['text', 'value']}
    template = parent_template({'n': value})
    template['resources']['text'] = {
        'type': 'OS::Heat::RandomString',
        'properties': {'length': 4, 'character_classes': [{'class': 'lowercase'}]},
    }
    stack = engine.stack(engine.create(template, files=files))
    assert stack['stack_status'] == 'FAILED' and 'resources.web' in stack['stack_status_reason'], (
        stack['stack_status_reason']
    )
    assert live_stack_names(engine) == ['stack']


@pytest.mark.parametrize('with_rollback', [False, True])
def test_cancel_stops_nested_stacks_on_other_engines(engine, with_rollback):
    identity = engine.create(many(2, word='x'), files=FILES)
    engine.update(identity, many(2, word='y'), files=slow(60), wait=False)
    wait_for(lambda: count_in_progress(engine) == 5)
    engine.client.stack_cancel_update(
        engine.context, stack_identity=identity, cancel_with_rollback=with_rollback
    )
    engine.wait(identity)
    wait_for(lambda: not holders(engine))
    assert engine.state(identity) == ('ROLLBACK_COMPLETE' if with_rollback else 'UPDATE_FAILED')
    states = {
        row.status for row in db_stacks.list_rows(engine.context, StackFilter(show_nested=True))
    }
    assert states == ({'COMPLETE'} if with_rollback else {'FAILED'})


def test_delete_stops_nested_stacks_on_other_engines(engine):
    identity = engine.create(many(2, word='x'), files=slow(60), wait=False)
    wait_for(lambda: count_in_progress(engine) == 5)
    engine.delete(identity)
    assert engine.state(identity) == 'DELETE_COMPLETE' and live_stack_names(engine) == []


def test_nested_stack_gets_timeout_of_parent(engine):
    """The nested stack gets the remaining time of its parent, rounded up to minutes."""
    identity = engine.create(parent_template({}, 'inner.yaml'), files=FILES, timeout_mins=3)
    assert engine.stack(nested_identity(engine, identity))['timeout_mins'] == 3


def test_abandon_includes_nested_stacks_on_other_engines(engine):
    identity = engine.create(many(2, word='x'), files=FILES)
    document = engine.client.abandon_stack(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert (
        live_stack_names(engine) == []
        and document['resources']['web0']['resources']['deep']['resources']['first']['type'] == TEST
    )


# --------------------------------------------------------------- requests as engines send them


def request_create(engine, owner, **more):
    template = {'heat_template_version': '2021-04-16', 'resources': {'a': {'type': TEST}}}
    arguments = {
        'stack_name': 'nested',
        'template': template,
        'params': {},
        'files': {},
        'args': {},
    }
    arguments.update(owner_id=owner['stack_id'], nested_depth=1, parent_resource_name='web')
    return engine.client.create_stack(engine.context, **{**arguments, **more})


def test_create_request_with_owner_creates_nested_stack(engine):
    owner = engine.create({'resources': {'web': {'type': TEST}}})
    identity = engine.wait(
        request_create(engine, owner, user_creds_id=None, stack_user_project_id='users')
    )
    stack = engine.stack(identity)
    assert (stack['parent'], stack['stack_user_project_id']) == (
        owner['stack_id'],
        'users',
    ) and engine.state(identity) == 'CREATE_COMPLETE'
    listed = engine.client.list_stack_resources(engine.context, stack_identity=identity)
    assert [each['parent_resource'] for each in listed] == ['web']
    assert db_stacks.count_tree_resources(owner['stack_id']) == 2

    with pytest.raises(exception.RequestLimitExceeded, match='Recursion depth exceeds'):
        request_create(engine, owner, nested_depth=99)
    with pytest.raises(exception.EntityNotFound):
        request_create(engine, {'stack_id': str(uuid.uuid4())})


def test_create_request_of_engine_without_parent_lock_is_refused(engine, pair):
    waiting = {'type': TEST, 'properties': {'action_wait_secs': {'create': 60}}}
    owner = engine.create({'resources': {'web': waiting}}, wait=False)
    holder = wait_for(lambda: locks.holder(owner['stack_id']))
    args = {api.ON_BEHALF_OF: holder}
    # A repeated request, as after a lost response, creates one stack.
    first, second = (
        request_create(engine, owner, args=args),
        request_create(engine, owner, args=args),
    )
    assert first == second and engine.state(engine.wait(first)) == 'CREATE_COMPLETE'
    with pytest.raises(exception.ActionInProgress):
        request_create(engine, owner, args={api.ON_BEHALF_OF: 'another'}, stack_name='late')
    assert 'late' not in live_stack_names(engine)
    engine.delete(owner)
