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


def move_with_templates(engine, identity, template, files):
    """Make the moves of a template by the command, which gets the template without them."""
    moves = [(f'app/{each["from"]}', f'app/{each["to"]}') for each in template['moved']]
    given = {key: value for key, value in template.items() if key != 'moved'}
    Server.calls.clear()
    refactor(engine, moves, stacks={'app': {'template': given, 'files': files}})
    assert not preview(engine, identity, given, files)['has_changes']
    return [each for each in Server.calls if each[0] != 'read']


@pytest.mark.parametrize('make', [move, move_with_templates])
@pytest.mark.parametrize('case', MOVES)
def test_resources_move_between_nested_stacks(engine, case, make):
    resources, files, template, new_files, ends = MOVES[case]
    app = engine.create({**OWN, 'resources': resources}, 'app', files=files)
    before = places(engine, app)
    assert before.keys() == ends.keys()
    wait_for_locks(engine, app)
    assert make(engine, app, template, new_files) == []
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
    'the nested stack gets another type': (
        moved(('x', 'b/x'), y=ONE, b=ONE),
        {'b.yaml': inner('z')},
        'app/b has no nested stack: Test::Server makes none',
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


def test_moves_into_a_nested_stack_come_before_other_changes(engine):
    parameters = {'size': {'type': 'number', 'default': 5}}
    resources = {
        'x': server(size=SIZE),
        'w': server(network={'get_resource': 'x'}),
        'y': ONE,
        'a': A,
    }
    app = engine.create(
        {**OWN, 'parameters': parameters, 'resources': resources},
        'app',
        files={'a.yaml': inner('k', 'gone')},
    )
    before = objects(engine, 'app', app)
    resources = {'y': server(size=6), 'z': ONE, 'a': A_SIZED}
    wanted = {**moved(('x', 'a/x'), ('w', 'a/v'), **resources), 'parameters': parameters}
    file = """
heat_template_version: 2021-04-16
parameters: {size: {type: number}}
resources:
  x: {type: Test::Server, properties: {size: {get_param: size}}}
  v: {type: Test::Server, properties: {size: 7, network: {get_resource: x}}}
  k: {type: Test::Server, properties: {size: 5}}
"""
    answer = preview(engine, app, wanted, {'a.yaml': file})
    assert answer['moved'] == wanted['moved']
    [nested] = filter(None, (each.get('nested') for each in answer['updated']))
    changes = {
        each['resource_name']: each['action']
        for found in (answer, nested)
        for kind in LISTS.values()
        for each in found[kind]
    }
    kept = dict.fromkeys('xk', 'none')
    assert changes == {
        **kept,
        'a': 'update',
        'y': 'update',
        'z': 'create',
        'v': 'update',
        'gone': 'delete',
    }
    Server.calls.clear()
    engine.update(app, wanted, files={'a.yaml': file})
    assert engine.state(app) == 'UPDATE_COMPLETE'
    calls = sorted(each for each in Server.calls if each[0] != 'read')
    assert calls == [
        ('create', 'z'),
        ('delete', before['app/a/gone']),
        ('update', 'v', {'size': 7}),
        ('update', 'y', {'size': 6}),
    ]
    after = objects(engine, 'app', app)
    assert after.pop('app/z')
    ends = {'app/x': 'app/a/x', 'app/w': 'app/a/v', 'app/y': 'app/y', 'app/a/k': 'app/a/k'}
    assert after == {to: before[source] for source, to in ends.items()}
    assert not preview(engine, app, wanted, {'a.yaml': file})['has_changes']


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


SIZED = """
heat_template_version: 2021-04-16
parameters: {size: {type: number}, network: {type: string, default: lan}}
resources:
  x: {type: Test::Server, properties: {size: {get_param: size}, network: {get_param: network}}}
  y: {type: Test::Server, properties: {size: 5}}
  z: {type: Test::Server, properties: {size: 5, network: {get_resource: y}}}
"""
ONLY_SIZE = """
heat_template_version: 2021-04-16
parameters: {size: {type: number}}
resources:
  x: {type: Test::Server, properties: {size: {get_param: size}}}"""
SIZE = {'get_param': 'size'}
A_SIZED = {'type': 'a.yaml', 'properties': {'size': SIZE}}
OUTER = 'heat_template_version: 2021-04-16\nresources: {b: {type: a.yaml}}\n'
INDEXED = server(size=SIZE, network='n%index%')
#: by what moves: the resources of ``app`` and its file a.yaml, the moves, and what becomes of them
COMMANDS = {
    'out of a nested stack': (
        {'a': A_SIZED},
        SIZED,
        [('app/a/x', 'app/web')],
        {'a': A_SIZED, 'web': server(size=SIZE, network='lan')},
    ),
    'one property of the parent out of a nested stack': (
        {'a': A_SIZED},
        f'{ONLY_SIZE}\n  y: {{type: Test::Server}}\n',
        [('app/a/x', 'app/x')],
        {'a': A_SIZED, 'x': server(size=SIZE)},
    ),
    'out of a nested stack with the reference of its parent': (
        {
            'net': server(),
            'a': {
                'type': 'a.yaml',
                'properties': {'size': SIZE, 'network': {'get_resource': 'net'}},
            },
        },
        SIZED,
        [('app/a/x', 'app/x'), ('app/net', 'app/lan')],
        {
            'lan': server(),
            'a': {
                'type': 'a.yaml',
                'properties': {'size': SIZE, 'network': {'get_resource': 'lan'}},
            },
            'x': server(size=SIZE, network={'get_resource': 'lan'}),
        },
    ),
    'into a nested stack': (
        {'a': A, 'x': server(size=SIZE), 'w': server(network={'get_resource': 'x'})},
        inner('y'),
        [('app/x', 'app/a/x'), ('app/w', 'app/a/w')],
        {'a': A_SIZED},
    ),
    'within a nested stack': (
        {'a': A_SIZED},
        SIZED,
        [('app/a/y', 'app/a/n')],
        {'a': A_SIZED},
    ),
    'two levels down': (
        {'a': {'type': 'outer.yaml'}, 'x': server(size=SIZE)},
        inner('y'),
        [('app/x', 'app/a/b/x')],
        {'a': {'type': 'outer.yaml', 'properties': {'size': SIZE}}},
    ),
    'two levels up': (
        {'a': {'type': 'outer.yaml'}, 'x': server(size=SIZE)},
        inner('y', 'w'),
        [('app/a/b/w', 'app/w'), ('app/a/b/y', 'app/a/y')],
        {'a': {'type': 'outer.yaml'}, 'x': server(size=SIZE), 'w': ONE},
    ),
    'out of a group and into it': (
        {'g': group(3, resource_def=INDEXED), 'x': server(size=SIZE, network='n3'), 'y': ONE},
        '',
        [('app/g/1', 'app/y1'), ('app/x', 'app/g/3'), ('app/g/0', 'app/y0')],
        {
            'g': group(2, resource_def=INDEXED),
            'y': ONE,
            'y1': server(size=SIZE, network='n1'),
            'y0': server(size=SIZE, network='n0'),
        },
    ),
    'out of the only member of a group': (
        {'g': group(1, resource_def=A_SIZED)},
        SIZED,
        [('app/g/0/x', 'app/x')],
        {'g': group(1, resource_def=A_SIZED), 'x': server(size=SIZE, network='lan')},
    ),
    'to a nested stack of another stack': (
        {'x': server(size=SIZE), 'w': server(network={'get_resource': 'x'}), 'y': ONE},
        '',
        [('app/x', 'other/a/x'), ('app/w', 'other/a/w')],
        {'y': ONE},
    ),
    'from a nested stack to another stack': (
        {'a': A_SIZED},
        SIZED,
        [('app/a/x', 'other/web'), ('app/a/z', 'other/z'), ('app/a/y', 'other/y')],
        {'a': A_SIZED},
    ),
}


def refactor(engine, moves, **options):
    pairs = [dict(zip(('from', 'to'), each, strict=True)) for each in moves]
    return engine.client.refactor_stacks(engine.context, moves=pairs, **{'stacks': {}, **options})[
        'templates'
    ]


def preview_own(engine, identity):
    """Preview the update of a stack to the template that it has."""
    return engine.client.preview_update_stack(
        engine.context,
        stack_identity=identity,
        template=None,
        params={},
        files={},
        args={'existing': True},
    )


@pytest.mark.parametrize('case', COMMANDS)
def test_command_moves_by_path_and_changes_the_templates(engine, case):
    resources, file, moves, wanted = COMMANDS[case]
    parameters = {'parameters': {'size': {'type': 'number', 'default': 7}}}
    files = {'a.yaml': file, 'outer.yaml': OUTER} if file else {}
    params = {'parameters': {'size': 4}}
    app = engine.create(
        {**OWN, **parameters, 'resources': resources}, 'app', params=params, files=files
    )
    kept = {'resources': {'mine': server(), 'a': A}}
    other = engine.create({**OWN, **kept}, 'other', files={'a.yaml': inner('k')})
    before = {**objects(engine, 'app', app), **objects(engine, 'other', other)}
    wait_for_locks(engine, app)
    wait_for_locks(engine, other)
    assert refactor(engine, moves, dry_run=True).keys() >= {'app'}
    Server.calls.clear()
    templates = refactor(engine, moves)
    assert [each for each in Server.calls if each[0] != 'read'] == []
    assert templates['app']['resources'] == wanted
    ends = dict(moves)
    after = {**objects(engine, 'app', app), **objects(engine, 'other', other)}
    assert after == {ends.get(place, place): each for place, each in before.items()}
    for identity in (app, other):
        wait_for_locks(engine, identity)
        answer = preview_own(engine, identity)
        assert not answer['has_changes'], answer
        Server.calls.clear()
        engine.delete(identity)
        assert engine.state(identity) == 'DELETE_COMPLETE'
        name = 'app' if identity is app else 'other'
        gone = {each[1] for each in Server.calls if each[0] == 'delete'}
        assert gone == {each for place, each in after.items() if place.startswith(f'{name}/')}


def objects(engine, name, identity):
    """Return ``{place of a server: its object}`` of a stack and what is nested in it."""
    keys = {identity['stack_id']: name}
    found = {}
    for stack_id in db_stacks.tree_ids(identity['stack_id']):
        row = db_stacks.get_row(stack_id)
        if row.owner_id:
            keys[stack_id] = f'{keys[row.owner_id]}/{row.parent_resource_name}'
        for each in rows_of(stack_id).values():
            if not db_stacks.get_row(each.nova_instance):
                found[f'{keys[stack_id]}/{each.name}'] = each.nova_instance
    return found


COMMANDS_REFUSED = {
    'a sibling refers to it': ([('app/a/y', 'app/y')], 'app/a/z refers to y, whose place is app/y'),
    'it refers to a sibling': ([('app/a/z', 'app/z')], 'app/z refers to y, whose place is app/a/y'),
    'it would refer out of the nested stack': (
        [('app/w', 'app/a/w')],
        'app/a/w refers to n, whose place is app/n',
    ),
    'the other stack has the same file': ([('app/c/z', 'app/z2')], 'app/d would be updated'),
    'a number that is no literal': ([('app/g/0', 'app/m')], 'the count of app/g is no number'),
    'another name than the group gives': (
        [('app/o', 'app/h/7')],
        'app/h/1 would be created; app/h/7 is not in the template',
    ),
    'another definition than that of the group': (
        [('app/v', 'app/h/1')],
        'app/h/1 would be updated: size',
    ),
    'a type that makes its members': (
        [('app/s/0', 'app/m')],
        'app/s has no template that could change: OS::Heat::ResourceChain makes it',
    ),
    'no nested stack': ([('app/o', 'app/n/o')], 'app/n has no nested stack'),
    'nothing there': ([('app/a/none', 'app/o2')], 'there is no resource app/a/none'),
    'something there': ([('app/o', 'app/a/x')], 'app/a/x exists already'),
    'the nested stack moves, too': (
        [('app/a', 'app/b'), ('app/a/x', 'app/x')],
        'app/a has a nested stack into or out of which something moves',
    ),
}


@pytest.mark.parametrize('case', COMMANDS_REFUSED)
def test_command_that_would_break_something_is_refused(engine, case):
    moves, problem = COMMANDS_REFUSED[case]
    chain = {'resources': ['Test::Server'], 'resource_properties': {'size': 5}}
    resources = {
        'a': A_SIZED,
        'n': server(size=1),
        'w': server(network={'get_resource': 'n'}),
        'o': ONE,
        'v': server(size=2),
        'c': B,
        'd': B,
        'g': group(SIZE),
        'h': group(1),
        's': {'type': 'OS::Heat::ResourceChain', 'properties': chain},
    }
    parameters = {'size': {'type': 'number', 'default': 1}}
    app = engine.create(
        {**OWN, 'parameters': parameters, 'resources': resources},
        'app',
        files={'a.yaml': SIZED, 'b.yaml': inner('z')},
    )
    wait_for_locks(engine, app)
    ids = db_stacks.tree_ids(app['stack_id'])
    before = [(db_stacks.get_row(each), rows_of(each)) for each in ids]
    Server.calls.clear()
    with pytest.raises(exception.RefactoringRefused, match=problem):
        refactor(engine, moves)
    assert [(db_stacks.get_row(each), rows_of(each)) for each in ids] == before
    assert Server.calls == [] and all(locks.holder(each) is None for each in ids)


def test_command_takes_the_entries_of_the_environment_along(engine):
    protected = {'lifecycle': {'prevent_destroy': True}}
    entries = {'x': protected, 'a': {'lifecycle': protected['lifecycle'], 'y': protected}}
    app = engine.create(
        {**OWN, 'resources': {'x': ONE, 'a': A}},
        'app',
        params=environment_of(**entries),
        files={'a.yaml': inner('y')},
    )
    wait_for_locks(engine, app)
    refactor(engine, [('app/x', 'app/a/x')])
    refactor(engine, [('app/a/y', 'other/y')], stacks={'other': {}})
    other = engine.client.identify_stack(engine.context, stack_name='other')
    for identity, resources in (
        (app, {'a': {'lifecycle': protected['lifecycle'], 'x': protected}}),
        (other, {'y': protected}),
    ):
        found = engine.client.get_environment(engine.context, stack_identity=identity)
        assert found['resource_registry']['resources'] == resources
        with pytest.raises(exception.DestroyPrevented):
            engine.delete(identity)


def test_command_moves_and_renames_at_once(engine):
    app = engine.create(
        {**OWN, 'resources': {'x': ONE, 'a': A}}, 'app', files={'a.yaml': inner('y')}
    )
    before = objects(engine, 'shop', app)
    wait_for_locks(engine, app)
    Server.calls.clear()
    refactor(engine, [('app/x', 'app/a/x')], stacks={'app': {'name': 'shop'}})
    assert Server.calls == []
    x = before.pop('shop/x')
    assert objects(engine, 'shop', app) == {**before, 'shop/a/x': x}
    names = [db_stacks.get_row(each).name for each in db_stacks.tree_ids(app['stack_id'])]
    assert names[0] == 'shop' and names[1].startswith('shop-a-')
    shop = engine.client.identify_stack(engine.context, stack_name='shop')
    assert not preview_own(engine, shop)['has_changes']


def test_command_keeps_hidden_values_in_parameters(engine):
    parameters = {'secret': {'type': 'string', 'hidden': True}}
    nested = SIZED.replace('default: lan', 'hidden: true')
    given = {'type': 'a.yaml', 'properties': {'size': 3, 'network': {'get_param': 'secret'}}}
    members = group(2, resource_def=server(network={'get_param': 'secret'}))
    app = engine.create(
        {**OWN, 'parameters': parameters, 'resources': {'a': given, 'g': members}},
        'app',
        params={'parameters': {'secret': 'swordfish'}},
        files={'a.yaml': nested},
    )
    wait_for_locks(engine, app)
    moves = [('app/a/x', 'other/x'), ('app/g/0', 'other/z')]
    answer = refactor(engine, moves, stacks={'other': {}})
    assert 'swordfish' not in str(answer)
    assert answer['other']['parameters'] == parameters
    moved = answer['other']['resources'].values()
    networks = [each['properties']['network'] for each in moved]
    assert networks == [{'get_param': 'secret'}] * 2


@pytest.mark.parametrize('depth', [5, 6, 200_000])
def test_path_beyond_the_limit_of_depth_is_refused(engine, depth):
    identity = engine.create({**OWN, 'resources': {'x': ONE}}, 'app')
    wait_for_locks(engine, identity)
    path, wrong = f'{"a/" * depth}x', exception.RequestLimitExceeded
    with pytest.raises(wrong if depth > 5 else exception.RefactoringRefused):
        refactor(engine, [('app/x', f'app/{path}')])
    with pytest.raises(wrong if depth > 5 else exception.HeatException):
        engine.update(identity, moved(('x', path), a=A), files={'a.yaml': inner('y')})
