"""Moves into nested stacks and groups, and between them, in which no handler is called."""

import uuid

import pytest

from heat_lite.common import exception
from heat_lite.db import events as db_events, locks, stacks as db_stacks
from heat_lite.db.heat_database import give_back
from heat_lite.engine.execution.preview import LISTS
from tests import databases, engines
from tests.functional.test_refactoring import Server, group, rows_of, server


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Server]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def new_project(engine):
    engine.context.project_id = uuid.uuid4().hex
    Server.calls = []


OWN = {'heat_template_version': 'heat_lite_2026-12-01'}
#: the module reads an address from outside, and what is outside reads one of the module
WHOLE = {
    **OWN,
    'parameters': {'size': {'type': 'number', 'default': 3}},
    'resources': {
        'net': server(),
        'db': server(size={'get_param': 'size'}, network={'get_resource': 'net'}),
        'cache': {**server(network={'get_attr': ['db', 'address']}), 'depends_on': 'db'},
        'web': {
            **server(network={'get_attr': ['cache', 'address']}),
            'metadata': {'cache': {'get_resource': 'cache'}},
        },
    },
    'outputs': {'cache': {'value': {'get_attr': ['cache', 'address']}}},
}
MODULE = """
heat_template_version: 2021-04-16
parameters: {size: {type: number}, network: {type: string}}
resources:
  db: {type: Test::Server, properties: {size: {get_param: size}, network: {get_param: network}}}
  cache:
    type: Test::Server
    depends_on: db
    properties: {network: {get_attr: [db, address]}}
outputs:
  cache: {value: {get_resource: cache}}
  address: {value: {get_attr: [cache, address]}}
"""
STORES = {
    'type': 'stores.yaml',
    'properties': {'size': {'get_param': 'size'}, 'network': {'get_resource': 'net'}},
}
PARTED = {
    **WHOLE,
    'moved': [{'from': name, 'to': f'stores/{name}'} for name in ('db', 'cache')],
    'resources': {
        'net': server(),
        'stores': STORES,
        'web': {
            **server(network={'get_attr': ['stores', 'address']}),
            'metadata': {'cache': {'get_attr': ['stores', 'cache']}},
        },
    },
    'outputs': {'cache': {'value': {'get_attr': ['stores', 'address']}}},
}
FILES = {'stores.yaml': MODULE}


def preview(engine, identity, template, files=None):
    return engine.client.preview_update_stack(
        engine.context,
        stack_identity=identity,
        template=template,
        params={},
        files=files or {},
        args={},
    )


def move(engine, identity, template, files=None):
    """Preview and make moves that change nothing else; return the calls of handlers."""
    answer = preview(engine, identity, template, files)
    assert answer['moved'] == template['moved'] and answer['refused'] is None
    assert not answer['deleted']
    assert {each['action'] for kind in LISTS.values() for each in answer[kind]} <= {'none'}
    assert not answer['output_changes']
    Server.calls.clear()
    engine.update(identity, template, files=files)
    assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)[
        'stack_status_reason'
    ]
    again = preview(engine, identity, template, files)
    assert not again['has_changes'] and 'moved' not in again
    return [each for each in Server.calls if each[0] != 'read']


def test_resources_become_a_new_nested_stack(engine):
    app = engine.create(WHOLE, 'app')
    before, outputs = rows_of(app['stack_id']), engine.outputs(app)
    assert move(engine, app, PARTED, FILES) == []
    inner = engine.physical_id(app, 'stores')
    outside, inside = rows_of(app['stack_id']), rows_of(inner)
    assert outside.keys() == {'net', 'stores', 'web'} and inside.keys() == {'db', 'cache'}
    for name, row in before.items():
        now = {**outside, **inside}[name]
        assert (now.uuid, now.nova_instance) == (row.uuid, row.nova_instance)
        assert now.root_stack_id == app['stack_id']
    assert inside['cache'].requires == [inside['db'].id]
    assert outside['web'].requires == [outside['stores'].id]
    assert engine.outputs(app) == outputs
    row = db_stacks.get_row(inner)
    assert (row.owner_id, row.parent_resource_name) == (app['stack_id'], 'stores')
    assert row.name == f'app-stores-{row.name[-12:]}' and row.nested_depth == 1
    told = {each.resource_name: each for each in db_events.list_rows(inner)}
    assert told['db'].resource_status_reason == 'Moved from app/db'
    assert engine.tree(app)['stores', 'db'] == 'CREATE_COMPLETE'
    unreached = {row.id for row, reason in give_back.losses() if reason == give_back.UNREACHED}
    assert app['stack_id'] in unreached
    wait_for_locks(engine, app)
    Server.calls.clear()
    engine.client.resource_signal(
        engine.context, stack_identity=app, resource_name='db', details={'n': 1}, sync_call=True
    )
    assert Server.calls == [('signal', 'db', {'n': 1})]
    Server.calls.clear()
    engine.delete(app)
    assert engine.state(app) == 'DELETE_COMPLETE'
    gone = [each[1] for each in Server.calls if each[0] == 'delete']
    assert gone == [before[name].nova_instance for name in ('web', 'cache', 'db', 'net')]


def wait_for_locks(engine, identity):
    for stack_id in db_stacks.tree_ids(identity['stack_id']):
        engine.wait_for_free_lock({'stack_id': stack_id})


def places(engine, identity):
    """Return ``{path of a server: its object}``; a path begins with the resource around it."""
    listed = engine.client.list_stack_resources(
        engine.context, stack_identity=identity, nested_depth=9
    )
    return {
        '/'.join(filter(None, (each.get('parent_resource'), each['resource_name']))): each[
            'physical_resource_id'
        ]
        for each in listed
        if each['resource_type'] == Server.resource_type
    }


def inner(*names, size=5):
    lines = [f'  {name}: {{type: Test::Server, properties: {{size: {size}}}}}' for name in names]
    return '\n'.join(['heat_template_version: 2021-04-16', 'resources:', *lines, ''])


def moved(*pairs, **resources):
    moves = [dict(zip(('from', 'to'), pair, strict=True)) for pair in pairs]
    return {**OWN, 'moved': moves, 'resources': resources}


A, B, ONE = {'type': 'a.yaml'}, {'type': 'b.yaml'}, server(size=5)
MOVES = {
    'into an existing nested stack': (
        {'a': A, 'x': ONE},
        {'a.yaml': inner('y')},
        moved(('x', 'a/x'), a=A),
        {'a.yaml': inner('y', 'x')},
        {'x': 'a/x', 'a/y': 'a/y'},
    ),
    'into a new group': (
        {'x': ONE, 'y': ONE, 'z': ONE},
        {},
        moved(('x', 'g/0'), ('y', 'g/1'), g=group(2), z=ONE),
        {},
        {'x': 'g/0', 'y': 'g/1', 'z': 'z'},
    ),
    'into an existing group': (
        {'g': group(1), 'x': ONE},
        {},
        moved(('x', 'g/1'), g=group(2)),
        {},
        {'x': 'g/1', 'g/0': 'g/0'},
    ),
    'between nested stacks': (
        {'a': A, 'b': B},
        {'a.yaml': inner('x', 'y'), 'b.yaml': inner('z')},
        moved(('a/x', 'b/w'), a=A, b=B),
        {'a.yaml': inner('y'), 'b.yaml': inner('z', 'w')},
        {'a/x': 'b/w', 'a/y': 'a/y', 'b/z': 'b/z'},
    ),
    'from a group into a new nested stack': (
        {'g': group(3)},
        {},
        moved(('g/1', 'a/x'), g=group(2), a=A),
        {'a.yaml': inner('x')},
        {'g/0': 'g/0', 'g/1': 'a/x', 'g/2': 'g/2'},
    ),
    'in and out and to another name': (
        {'a': A, 'x': ONE, 'n': ONE},
        {'a.yaml': inner('y', 'z')},
        moved(('x', 'a/x'), ('a/y', 'y'), ('n', 'm'), a=A, y=ONE, m=ONE),
        {'a.yaml': inner('z', 'x')},
        {'x': 'a/x', 'a/y': 'y', 'n': 'm', 'a/z': 'a/z'},
    ),
    'within a nested stack': (
        {'a': A},
        {'a.yaml': inner('y')},
        moved(('a/y', 'a/x'), a=A),
        {'a.yaml': inner('x')},
        {'a/y': 'a/x'},
    ),
    'two levels down': (
        {'x': ONE, 'y': ONE},
        {},
        moved(('x', 'a/b/x'), ('y', 'a/y'), a=A),
        {'a.yaml': inner('y') + '  b: {type: b.yaml}\n', 'b.yaml': inner('x')},
        {'x': 'b/x', 'y': 'a/y'},
    ),
    'a group into a new nested stack': (
        {'g': group(2), 'x': ONE},
        {},
        moved(('g', 'a/g'), x=ONE, a=A),
        {
            'a.yaml': 'heat_template_version: 2021-04-16\nresources: {g: {type: OS::Heat::'
            'ResourceGroup, properties: {count: 2, resource_def: {type: Test::Server, '
            'properties: {size: 5}}}}}'
        },
        {'g/0': 'g/0', 'g/1': 'g/1', 'x': 'x'},
    ),
}


@pytest.mark.parametrize('old', [A, group(2)])
def test_nested_stack_that_is_left_empty_goes_with_the_update(engine, old):
    resources, files = {'old': old, 'b': B}, {'a.yaml': inner('0', '1'), 'b.yaml': inner('z')}
    app = engine.create({**OWN, 'resources': resources}, 'app', files=files)
    before = places(engine, app)
    joined = moved(('old/0', 'b/x'), ('old/1', 'b/y'), b=B)
    new_files = {'b.yaml': inner('z', 'x', 'y')}
    answer = preview(engine, app, joined, new_files)
    assert [each['resource_name'] for each in answer['deleted']] == ['old']
    assert not answer['deleted'][0]['nested']['deleted']
    Server.calls.clear()
    engine.update(app, joined, files=new_files)
    assert engine.state(app) == 'UPDATE_COMPLETE'
    assert not [each for each in Server.calls if each[0] != 'read']
    ends = {'b/z': 'b/z', 'old/0': 'b/x', 'old/1': 'b/y'}
    assert places(engine, app) == {to: before[name] for name, to in ends.items()}
    assert not preview(engine, app, joined, new_files)['has_changes']
    left = moved(('b/x', 'a/x'), a=A)
    with pytest.raises(exception.RefactoringRefused, match='app/b is not in the template'):
        preview(engine, app, left, {'a.yaml': inner('x')})


def test_former_template_takes_resources_out_of_the_nested_stack(engine):
    app = engine.create(WHOLE, 'app')
    before = places(engine, app)
    engine.client.stack_snapshot(engine.context, stack_identity=app, name='s')
    engine.wait(app)
    [snapshot] = engine.client.stack_list_snapshots(engine.context, stack_identity=app)
    for number in range(2):
        assert move(engine, app, PARTED, FILES) == []
        Server.calls.clear()
        if number:
            engine.client.stack_restore(
                engine.context, stack_identity=app, snapshot_id=snapshot['id']
            )
            engine.wait(app)
        else:
            answer = preview(engine, app, WHOLE)
            assert answer['moved'] == [
                {'from': f'stores/{name}', 'to': name} for name in ('cache', 'db')
            ]
            assert [each['resource_name'] for each in answer['deleted']] == ['stores']
            engine.update(app, WHOLE)
        assert engine.state(app) == ('RESTORE_COMPLETE' if number else 'UPDATE_COMPLETE')
        # its metadata are written in another way
        assert [each for each in Server.calls if each[0] != 'read'] == [('update', 'web', {})]
        assert places(engine, app) == before


@pytest.mark.parametrize('case', MOVES)
def test_resources_move_between_nested_stacks(engine, case):
    resources, files, template, new_files, ends = MOVES[case]
    app = engine.create({**OWN, 'resources': resources}, 'app', files=files)
    before = places(engine, app)
    assert before.keys() == ends.keys()
    assert move(engine, app, template, new_files) == []
    assert places(engine, app) == {to: before[name] for name, to in ends.items()}
    for stack_id in db_stacks.tree_ids(app['stack_id']):
        row = db_stacks.get_row(stack_id)
        outer = db_stacks.get_row(row.owner_id) if row.owner_id else None
        assert row.nested_depth == (outer.nested_depth + 1 if outer else 0)
        assert {each.root_stack_id for each in rows_of(stack_id).values()} <= {app['stack_id']}
        assert row.status == 'COMPLETE'
    wait_for_locks(engine, app)
    engine.delete(app)
    gone = sorted(each[1] for each in Server.calls if each[0] == 'delete')
    assert engine.state(app) == 'DELETE_COMPLETE' and gone == sorted(before.values())


REMOTE = {'type': 'OS::Heat::Stack', 'properties': {'template': inner('x')}}
REFUSED = {
    'the new nested stack has more': (
        moved(('x', 'a/x'), a=A, y=ONE, b=B),
        {'a.yaml': inner('x', 'more'), 'b.yaml': inner('z')},
        'app/a/more would be created',
    ),
    'another value': (
        moved(('x', 'a/x'), a=A, y=ONE, b=B),
        {'a.yaml': inner('x', size=6), 'b.yaml': inner('z')},
        'app/a/x would be updated: size',
    ),
    'another resource changes': (
        moved(('x', 'a/x'), a=A, y=server(size=6), b=B),
        {'a.yaml': inner('x'), 'b.yaml': inner('z')},
        'app/y would be updated: size',
    ),
    'another resource is new': (
        moved(('x', 'a/x'), a=A, y=ONE, z=ONE, b=B),
        {'a.yaml': inner('x'), 'b.yaml': inner('z')},
        'app/z would be created',
    ),
    'a resource goes': (
        moved(('x', 'a/x'), a=A, b=B),
        {'a.yaml': inner('x'), 'b.yaml': inner('z')},
        'app/y is not in the template',
    ),
    'the nested stack does not have it': (
        moved(('x', 'b/x'), y=ONE, b=B),
        {'b.yaml': inner('z')},
        'app/b/x is not in the template',
    ),
    'a stack of its own': (
        moved(('x', 'a/x'), a=REMOTE, y=ONE, b=B),
        {'b.yaml': inner('z')},
        'app/a has no nested stack: OS::Heat::Stack makes none',
    ),
    'no stack at all': (
        moved(('x', 'y/x'), y=ONE, b=B),
        {'b.yaml': inner('z')},
        'app/y has no nested stack',
    ),
    'the nested stack moves, too': (
        moved(('x', 'c/x'), ('b', 'c'), y=ONE, c=B),
        {'b.yaml': inner('z', 'x')},
        'c has a nested stack into or out of which something moves: it cannot move, too',
    ),
    'another type': (
        moved(('x', 'a/x'), a=A, y=ONE, b=B),
        {
            'a.yaml': 'heat_template_version: 2021-04-16\nresources: {x: {type: OS::Heat::None}}',
            'b.yaml': inner('z'),
        },
        'app/a/x would get another type',
    ),
}


@pytest.mark.parametrize('case', REFUSED)
def test_what_does_more_than_move_into_a_nested_stack_is_refused(engine, case):
    template, files, problem = REFUSED[case]
    app = engine.create(
        {**OWN, 'resources': {'x': ONE, 'y': ONE, 'b': B}}, 'app', files={'b.yaml': inner('z')}
    )
    wait_for_locks(engine, app)
    ids = db_stacks.tree_ids(app['stack_id'])
    before = [(db_stacks.get_row(each), rows_of(each)) for each in ids]
    Server.calls.clear()
    for ask in (preview, lambda *args: engine.update(*args[1:3], files=args[3])):
        with pytest.raises(exception.RefactoringRefused, match=problem):
            ask(engine, app, template, files)
    assert [(db_stacks.get_row(each), rows_of(each)) for each in ids] == before
    assert db_stacks.tree_ids(app['stack_id']) == ids and Server.calls == []
    assert all(locks.holder(each) is None for each in ids)


def environment_of(**resources):
    return {'resource_registry': {'resources': resources}}


def test_entries_of_the_environment_follow_into_the_nested_stack(engine):
    protected = {'lifecycle': {'prevent_destroy': True}}
    app = engine.create(
        {**OWN, 'resources': {'x': ONE, 'y': ONE}}, 'app', params=environment_of(x=protected)
    )
    into, files = moved(('x', 'a/x'), y=ONE, a=A), {'a.yaml': inner('x')}
    with pytest.raises(exception.RefactoringRefused, match='entries for app/x that do not match'):
        engine.update(app, into, files=files)
    engine.update(app, into, files=files, existing=True)
    assert engine.state(app) == 'UPDATE_COMPLETE'
    found = engine.client.get_environment(engine.context, stack_identity=app)
    assert found['resource_registry']['resources'] == {'a': {'x': protected}}
    with pytest.raises(exception.DestroyPrevented, match='a/x'):
        engine.delete(app)
    engine.update(app, moved(('a/x', 'x'), y=ONE, x=ONE), existing=True)
    found = engine.client.get_environment(engine.context, stack_identity=app)
    assert found['resource_registry']['resources'] == {'x': protected}


def test_plan_of_moves_is_made_as_shown(engine):
    app = engine.create({**OWN, 'resources': {'x': ONE, 'y': ONE}}, 'app')
    before = places(engine, app)
    made = engine.client.preview_update_stack(
        engine.context,
        stack_identity=app,
        template=moved(('x', 'a/x'), y=ONE, a=A),
        params={},
        files={'a.yaml': inner('x')},
        args={},
        store=True,
    )
    assert made['moved'] == [{'from': 'x', 'to': 'a/x'}]
    for is_made in (False, True):
        ask = dict(template=None, params=None, files=None, args={}, plan=made['plan']['id'])
        if is_made:
            with pytest.raises(exception.PlanOutdated):
                engine.client.update_stack(engine.context, stack_identity=app, **ask)
        else:
            engine.client.update_stack(engine.context, stack_identity=app, **ask)
            engine.wait(app)
        assert engine.state(app) == 'UPDATE_COMPLETE'
        assert places(engine, app) == {'a/x': before['x'], 'y': before['y']}


def test_resource_without_its_nested_stack_gets_nothing(engine):
    app = engine.create(
        {**OWN, 'resources': {'x': ONE, 'a': A}}, 'app', files={'a.yaml': inner('z')}
    )
    gone = engine.client.describe_stack_resource(
        engine.context, stack_identity=app, resource_name='a'
    )['nested_stack_id']
    engine.wait_for_free_lock(gone)
    engine.delete(gone)
    into = moved(('x', 'a/x'), a=A)
    with pytest.raises(exception.RefactoringRefused, match='app/a has no nested stack'):
        engine.update(app, into, files={'a.yaml': inner('x')})
