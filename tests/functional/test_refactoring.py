"""Moves of resources to other names and stacks, in which no handler of a resource is called."""

import uuid

import pytest

from heat_lite.common import exception
from heat_lite.db import events as db_events, locks, resources as db_resources, stacks as db_stacks
from heat_lite.db.heat_database import give_back
from heat_lite.engine.execution.preview import LISTS
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import attributes, number, string
from tests import databases, engines


class Server(Resource):
    """A resource type that records each call of a handler, and each read of its object."""

    resource_type = 'Test::Server'
    properties_schema = {
        'size': number('The size.', default=1, update_allowed=True),
        'network': string('The network.'),
    }
    attributes_schema = attributes({'address': 'The address.'})
    calls = []

    def handle_create(self):
        self.calls.append(('create', self.name))
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self.calls.append(('update', self.name, prop_diff))

    def handle_delete(self):
        self.calls.append(('delete', self.resource_id))

    def handle_signal(self, details=None):
        self.calls.append(('signal', self.name, details))

    def resolve_attribute(self, name):
        self.calls.append(('read', self.name))
        return f'address of {self.resource_id}'


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, [Server]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def new_project(engine):
    engine.context.project_id = uuid.uuid4().hex
    Server.calls = []


def server(**properties):
    return {'type': 'Test::Server', 'properties': properties}


APP = {
    'parameters': {'size': {'type': 'number', 'default': 1}},
    'resources': {
        'net': server(),
        'web': server(network={'get_resource': 'net'}, size={'get_param': 'size'}),
        'db': server(size=3),
    },
    'outputs': {'web': {'value': {'get_attr': ['web', 'address']}}},
}


def move(engine, *moves, stacks=None, **options):
    pairs = [dict(zip(('from', 'to'), each, strict=True)) for each in moves]
    return engine.client.refactor_stacks(
        engine.context, stacks=stacks or {}, moves=pairs, **options
    )['templates']


def update_with_own_template(engine, name):
    """Update a stack to the template that it has; return the calls of handlers."""
    identity = engine.client.identify_stack(engine.context, stack_name=name)
    engine.client.update_stack(
        engine.context,
        stack_identity=identity,
        template=None,
        params={},
        files={},
        args={'existing': True, 'converge': True},
    )
    engine.wait(identity)
    assert engine.state(identity) == 'UPDATE_COMPLETE'
    return [each for each in Server.calls if each[0] != 'read']


def test_resource_gets_another_name_in_its_stack(engine):
    identity = engine.create(APP, 'app', params={'parameters': {'size': 2}})
    before = {row.name: row for row in db_resources.list_by_stack(identity['stack_id'])}
    Server.calls.clear()
    templates = move(engine, ('app/net', 'app/network'), ('app/web', 'app/frontend'))
    after = {row.name: row for row in db_resources.list_by_stack(identity['stack_id'])}
    assert Server.calls == []
    assert after.keys() == {'network', 'frontend', 'db'}
    assert after['network'].uuid == before['net'].uuid
    assert after['frontend'].requires == [after['network'].id]
    assert templates['app']['resources']['frontend']['properties']['network'] == {
        'get_resource': 'network'
    }
    shown = engine.stack(identity)
    assert shown['outputs'][0]['output_value'] == f'address of {before["web"].nova_instance}'
    assert (shown['stack_action'], shown['stack_status']) == ('UPDATE', 'COMPLETE')
    assert locks.holder(identity['stack_id']) is None
    assert update_with_own_template(engine, 'app') == []
    engine.delete(identity)
    assert {each[1] for each in Server.calls if each[0] == 'delete'} == {
        row.nova_instance for row in before.values()
    }


def test_resource_moves_to_another_stack_with_its_parameter(engine):
    app = engine.create(APP, 'app', params={'parameters': {'size': 2}})
    other = engine.create({'resources': {'mine': server()}}, 'other')
    Server.calls.clear()
    moves = ('app/net', 'other/net'), ('app/web', 'other/frontend')
    with pytest.raises(exception.RefactoringRefused, match='output app/web refers to web'):
        move(engine, *moves)
    template = {**APP, 'resources': {'db': APP['resources']['db']}, 'outputs': {}}
    stacks = {'app': {'template': {'heat_template_version': '2021-04-16', **template}}}
    move(engine, *moves, stacks=stacks)
    told = {row.id for row, reason in give_back.losses() if reason == give_back.UNREACHED}
    assert app['stack_id'] in told and other['stack_id'] not in told
    assert Server.calls == []
    rows = {row.name: row for row in db_resources.list_by_stack(other['stack_id'])}
    assert rows.keys() == {'mine', 'net', 'frontend'}
    assert rows['frontend'].requires == [rows['net'].id]
    assert rows['net'].root_stack_id == other['stack_id']
    found = db_events.list_rows(other['stack_id'])
    moved = {each.resource_name for each in found if 'Moved from' in each.resource_status_reason}
    assert moved == {'net', 'frontend'}
    for name in 'app', 'other':
        assert update_with_own_template(engine, name) == []
    engine.delete(app)
    assert [each[0] for each in Server.calls if each[0] == 'delete'] == ['delete']


def test_signals_to_the_former_place_arrive(engine):
    app = engine.create({'resources': {'web': server(), 'db': server()}}, 'app')
    move(engine, ('app/db', 'data/storage'), stacks={'data': {}, 'app': {'name': 'shop'}})
    for is_deleted in (False, True):
        if is_deleted:  # it still knows where the resource has gone
            engine.delete(app)
        Server.calls.clear()
        engine.client.resource_signal(
            engine.context, stack_identity=app, resource_name='db', details={'n': 1}, sync_call=True
        )
        assert Server.calls == [('signal', 'storage', {'n': 1})]
        found = engine.client.describe_stack_resource(
            engine.context, stack_identity=app, resource_name='db'
        )
        assert found['resource_name'] == 'storage'
    with pytest.raises(exception.EntityNotFound):
        engine.client.describe_stack_resource(
            engine.context, stack_identity=app, resource_name='web'
        )


def test_stack_is_split_into_new_stacks(engine):
    app = engine.create(APP, 'app')
    Server.calls.clear()
    move(engine, ('app/db', 'data/db'), stacks={'data': {}}, dry_run=True)
    assert db_stacks.get_by_name(engine.context, 'data') is None
    move(engine, ('app/db', 'data/db'), stacks={'data': {}})
    assert Server.calls == []
    data = engine.client.identify_stack(engine.context, stack_name='data')
    assert engine.state(data) == 'CREATE_COMPLETE'
    for identity, numbers in ((app, [2, 1]), (data, [1])):
        rows = engine.client.list_revisions(engine.context, stack_identity=identity)
        assert [row['number'] for row in rows] == numbers
        assert {row['status'] for row in rows} == {'COMPLETE'}
    assert update_with_own_template(engine, 'data') == []
    engine.delete(app)
    assert engine.state(data) == 'UPDATE_COMPLETE'
    Server.calls.clear()
    engine.delete(data)
    assert [each[0] for each in Server.calls] == ['delete']


@pytest.mark.parametrize(
    'moves, stacks',
    [
        ([], {}),
        ([1], {}),
        ([{'from': 'app/db'}], {}),
        ([{'from': 'app/db', 'to': 'app'}], {}),
        ([{'from': 'app/db', 'to': 'app/x\0'}], {}),
        ([{'from': 'app/db', 'to': 'app/x/y'}], {}),
        ([{'from': 'app/db', 'to': 'app/x', 'too': 'app/y'}], {}),
        ([{'from': 'app/db', 'to': 'app/' + 'x' * 300}], {}),
        ([{'from': 'a\0/db', 'to': 'app/x'}], {}),
        ([{'from': 'app/db', 'to': 'app/x'}] * 2, {}),
        ([{'from': 'app/db', 'to': 'none/x'}], {}),
        ([], {'app': {'name': '\0'}}),
        ([], {'new': {}}),
        ([{'from': 'app/db', 'to': 'new/db'}], {'new': {'template': {'x': 1}}}),
    ],
)
def test_wrong_request_is_refused(engine, moves, stacks):
    app = engine.create(APP, 'app')
    before = db_stacks.get_row(app['stack_id'])
    with pytest.raises(exception.HeatException) as raised:
        engine.client.refactor_stacks(engine.context, stacks=stacks, moves=moves)
    assert 400 <= raised.value.code < 500
    assert db_stacks.get_row(app['stack_id']) == before


@pytest.mark.parametrize(
    'moves, stacks, problem',
    [
        ([('app/net', 'other/net')], {}, 'app/web refers to net, whose place is other/net'),
        ([('app/web', 'other/web')], {}, 'other/web refers to net, whose place is app/net'),
        ([('app/none', 'other/none')], {}, 'there is no resource app/none'),
        ([('app/db', 'other/mine')], {}, 'other/mine exists already'),
        (
            [('app/db', 'other/db')],
            {'other': {'resources': {'mine': server(), 'db': server(size=4)}}},
            'other/db would be updated: size',
        ),
        (
            [('app/db', 'other/db')],
            {'other': {'resources': {'db': server(size=3)}}},
            'other/mine is not in the template',
        ),
        (
            [('app/db', 'other/db')],
            {'other': {'resources': {'mine': server(), 'db': server(size=3), 'new': server()}}},
            'other/new would be created',
        ),
    ],
)
def test_what_would_touch_an_object_is_refused(engine, moves, stacks, problem):
    identities = [
        engine.create(APP, 'app'),
        engine.create({'resources': {'mine': server()}}, 'other'),
    ]
    before = [db_stacks.get_row(each['stack_id']) for each in identities]
    given = {
        name: {'template': {'heat_template_version': '2021-04-16', **template}}
        for name, template in stacks.items()
    }
    with pytest.raises(exception.RefactoringRefused, match=problem):
        move(engine, *moves, stacks=given)
    assert [db_stacks.get_row(each['stack_id']) for each in identities] == before
    assert all(locks.holder(each['stack_id']) is None for each in identities)


MEMBER = 'heat_template_version: 2021-04-16\nresources: {inner: {type: Test::Server}}'
NESTED = {
    'resources': {
        'own': {'type': 'member.yaml'},
        'group': {
            'type': 'OS::Heat::ResourceGroup',
            'properties': {'count': 2, 'resource_def': {'type': 'member.yaml'}},
        },
        'rest': server(),
    },
}


def test_resources_with_nested_stacks_move(engine):
    files = {'member.yaml': MEMBER}
    app = engine.create(NESTED, 'app', files=files)
    assert engine.state(app) == 'CREATE_COMPLETE'
    tree = db_stacks.tree_ids(app['stack_id'])
    Server.calls.clear()
    moves = ('app/own', 'other/mine'), ('app/group', 'other/members')
    move(engine, *moves, stacks={'other': {}})
    assert Server.calls == []
    other = engine.client.identify_stack(engine.context, stack_name='other')
    assert db_stacks.tree_ids(app['stack_id']) == [app['stack_id']]
    assert set(db_stacks.tree_ids(other['stack_id'])) == {other['stack_id'], *tree[1:]}
    assert db_stacks.count_tree_resources(other['stack_id']) == 7
    listed = engine.client.list_stack_resources(
        engine.context, stack_identity=other, nested_depth=3
    )
    assert [each['resource_name'] for each in listed].count('inner') == 3
    for name in 'app', 'other':
        assert update_with_own_template(engine, name) == []
    engine.delete(app)
    Server.calls.clear()
    engine.delete(other)
    assert [each[0] for each in Server.calls] == ['delete'] * 3
    assert all(db_stacks.get_row(each).deleted_at for each in tree)


def test_stack_gets_another_name(engine):
    files = {'member.yaml': MEMBER}
    app = engine.create(NESTED, 'app', files=files)
    Server.calls.clear()
    move(engine, stacks={'app': {'name': 'shop'}})
    with pytest.raises(exception.EntityNotFound):
        engine.client.identify_stack(engine.context, stack_name='app')
    shop = engine.client.identify_stack(engine.context, stack_name='shop')
    assert shop['stack_id'] == app['stack_id']
    # who knows the former name and the id still reaches it
    assert engine.stack(app)['stack_name'] == 'shop'
    names = [db_stacks.get_row(each).name for each in db_stacks.tree_ids(shop['stack_id'])]
    assert len(names) == 5 and all(each.startswith('shop') for each in names)
    assert update_with_own_template(engine, 'shop') == []
    engine.create({'resources': {}}, 'app')
    with pytest.raises(exception.StackExists):
        move(engine, stacks={'app': {'name': 'shop'}})
    engine.delete(shop)
    assert len(Server.calls) == 4


def test_condition_that_means_something_else_is_refused(engine):
    large = {'if': ['large', 2, 1]}
    app = {
        'conditions': {'large': {'equals': ['a', 'a']}},
        'resources': {'web': server(size=large), 'db': server()},
    }
    other = {'conditions': {'large': {'equals': ['a', 'b']}}, 'resources': {'mine': server()}}
    engine.create(app, 'app')
    engine.create(other, 'other')
    with pytest.raises(exception.RefactoringRefused, match='other/web would be updated: size'):
        move(engine, ('app/web', 'other/web'))


def test_stack_whose_resources_read_its_name_keeps_it(engine):
    engine.create({'resources': {'net': server(network={'get_param': 'OS::stack_name'})}}, 'app')
    with pytest.raises(exception.RefactoringRefused, match='app/net would be replaced: network'):
        move(engine, stacks={'app': {'name': 'shop'}})


def test_large_stack_is_split_in_three_at_once(engine):
    names = [f's{number}' for number in range(500)]
    app = engine.create({'resources': {name: server() for name in names}}, 'app')
    Server.calls.clear()
    moves = [(f'app/{name}', f'part{index % 3}/{name}') for index, name in enumerate(names)]
    kept = [pair for pair in moves if not pair[1].startswith('part0')]
    move(engine, *kept, stacks={'part1': {}, 'part2': {}})
    assert Server.calls == []
    parts = [app] + [
        engine.client.identify_stack(engine.context, stack_name=name) for name in ('part1', 'part2')
    ]
    rows = [db_resources.list_by_stack(each['stack_id']) for each in parts]
    assert sorted(map(len, rows)) == [166, 167, 167]


MOVED = {
    'heat_template_version': 'heat_lite_2026-12-01',
    'moved': [{'from': 'net', 'to': 'network'}, {'from': 'gone', 'to': 'net'}],
    'resources': {
        'network': server(),
        'web': server(network={'get_resource': 'network'}, size=4),
        'db': server(size=3),
    },
}


def test_template_moves_what_it_names(engine):
    """The move comes before the update, whose preview knows it; a second one has none."""
    identity = engine.create(APP, 'app')
    [before] = (
        row for row in db_resources.list_by_stack(identity['stack_id']) if row.name == 'net'
    )
    Server.calls.clear()
    preview = engine.preview(identity, MOVED)
    changes = {kind: [each['resource_name'] for each in preview[kind]] for kind in LISTS.values()}
    assert preview['moved'] == [{'from': 'net', 'to': 'network'}]
    assert changes == {
        'updated': ['web'],
        'unchanged': ['network', 'db'],
        'added': [],
        'replaced': [],
        'deleted': [],
    }
    for _ in range(2):
        engine.update(identity, MOVED)
        assert engine.state(identity) == 'UPDATE_COMPLETE'
    rows = {row.name: row for row in db_resources.list_by_stack(identity['stack_id'])}
    assert rows.keys() == {'network', 'web', 'db'}
    assert rows['network'].uuid == before.uuid
    states = [state for name, state in engine.events(identity) if name == 'app']
    begun = ['UPDATE_IN_PROGRESS'] * 2  # of the moves, and of the update
    assert states[2:] == [*begun, 'UPDATE_COMPLETE', *begun[1:], 'UPDATE_COMPLETE']
    assert [each for each in Server.calls if each[0] != 'read'] == [('update', 'web', {'size': 4})]
    assert 'moved' not in engine.preview(identity, MOVED)


@pytest.mark.parametrize('target', ['app/net', 'app/lan', 'other/net'])
def test_move_of_what_the_template_has_moved_leaves_a_valid_template(engine, target):
    identity = engine.create(APP, 'app')
    engine.create({'resources': {'mine': server()}}, 'other')
    alone = {**MOVED['resources'], 'web': server(size=4)}
    engine.update(identity, {**MOVED, 'moved': MOVED['moved'][:1], 'resources': alone})
    Server.calls.clear()
    templates = move(engine, ('app/network', target))
    assert templates['app']['moved'] == []
    assert update_with_own_template(engine, 'app') == []


def test_update_that_is_refused_moves_nothing(engine):
    identity = engine.create(APP, 'app')
    wrong = {**MOVED, 'resources': {**MOVED['resources'], 'db': {'type': 'Test::Other'}}}
    with pytest.raises(exception.HeatException, match='Test::Other'):
        engine.update(identity, wrong)
    names = {row.name for row in db_resources.list_by_stack(identity['stack_id'])}
    assert names == {'net', 'web', 'db'}


INNER = """
heat_template_version: 2021-04-16
parameters: {size: {type: number}}
resources:
  net: {type: Test::Server}
  db: {type: Test::Server, properties: {size: {get_param: size}, network: {get_resource: net}}}
"""
OWN = {'heat_template_version': 'heat_lite_2026-12-01'}


def group(count, **more):
    properties = {'count': count, 'resource_def': server(size=5), **more}
    return {'type': 'OS::Heat::ResourceGroup', 'properties': properties}


def rows_of(stack_id):
    return {row.name: row for row in db_resources.list_by_stack(stack_id)}


@pytest.mark.parametrize('name', ['0', '2'])
def test_template_moves_a_member_out_of_its_group(engine, name):
    identity = engine.create({**OWN, 'resources': {'group': group(3)}}, 'app')
    inner = engine.physical_id(identity, 'group')
    before = rows_of(inner)
    moved = {
        **OWN,
        'moved': [{'from': f'group/{name}', 'to': 'web'}],
        'resources': {'group': group(2), 'web': server(size=5)},
        'outputs': {'web': {'value': {'get_attr': ['web', 'address']}}},
    }
    preview = engine.preview(identity, moved)
    assert preview['moved'] == [{'from': f'group/{name}', 'to': 'web'}]
    assert not preview['added'] and not preview['deleted'] and not preview['replaced']
    [changed] = preview['updated']
    nested = {kind for kind in LISTS.values() if changed['nested'][kind]}
    assert nested == {'unchanged'} and [each['resource_name'] for each in preview['unchanged']] == [
        'web'
    ]
    Server.calls.clear()
    for _ in range(2):
        engine.update(identity, moved)
        assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)[
            'stack_status_reason'
        ]
    assert [each for each in Server.calls if each[0] != 'read'] == []
    row = rows_of(identity['stack_id'])['web']
    assert (row.uuid, row.nova_instance) == (before[name].uuid, before[name].nova_instance)
    assert row.root_stack_id == identity['stack_id']
    assert rows_of(inner).keys() == before.keys() - {name}
    assert not engine.preview(identity, moved)['has_changes']
    engine.delete(identity)
    assert sorted(call[1] for call in Server.calls if call[0] == 'delete') == sorted(
        each.nova_instance for each in before.values()
    )


def test_template_takes_the_resources_of_a_nested_stack(engine):
    """The stack inlines its nested stack, which is then deleted."""
    inner = {'type': 'inner.yaml', 'properties': {'size': 3}}
    identity = engine.create(
        {**OWN, 'resources': {'inner': inner}}, 'app', files={'inner.yaml': INNER}
    )
    before = rows_of(engine.physical_id(identity, 'inner'))
    moves = [{'from': f'inner/{name}', 'to': name} for name in ('net', 'db')]
    resources = {'net': server(), 'db': server(size=3, network={'get_resource': 'net'})}
    moved = {**OWN, 'moved': moves, 'resources': resources}
    preview = engine.preview(identity, moved)
    [gone] = preview['deleted']
    assert gone['resource_name'] == 'inner' and not gone.get('nested', {}).get('deleted')
    Server.calls.clear()
    engine.update(identity, moved)
    assert engine.state(identity) == 'UPDATE_COMPLETE', engine.stack(identity)[
        'stack_status_reason'
    ]
    assert [each for each in Server.calls if each[0] != 'read'] == []
    after = rows_of(identity['stack_id'])
    assert {name: row.uuid for name, row in after.items()} == {
        name: row.uuid for name, row in before.items()
    }


def test_move_that_leaves_a_reference_in_the_nested_stack_is_refused(engine):
    inner = {'type': 'inner.yaml', 'properties': {'size': 3}}
    identity = engine.create(
        {**OWN, 'resources': {'inner': inner}}, 'app', files={'inner.yaml': INNER}
    )
    moved = {
        **OWN,
        'moved': [{'from': 'inner/net', 'to': 'net'}],
        'resources': {'inner': inner, 'net': server()},
    }
    for ask in (engine.preview, engine.update):
        with pytest.raises(exception.RefactoringRefused, match='db refers to net'):
            ask(identity, moved, files={'inner.yaml': INNER}) if ask == engine.update else ask(
                identity, moved, existing=True
            )
    engine.delete(identity)


PROTECTED = {'lifecycle': {'prevent_destroy': True}, 'restricted_actions': 'replace'}
OTHER = {'restricted_actions': 'update'}


def environment_of(**resources):
    return {'resource_registry': {'resources': resources}}


def entries(engine, name):
    identity = engine.client.identify_stack(engine.context, stack_name=name)
    found = engine.client.get_environment(engine.context, stack_identity=identity)
    return found['resource_registry']['resources']


def test_entries_of_the_environment_follow_their_resources(engine):
    app = engine.create(APP, 'app', params=environment_of(db=PROTECTED, web=PROTECTED, net=OTHER))
    engine.create({'resources': {'mine': server()}}, 'other')
    move(engine, ('app/db', 'other/data'), ('app/web', 'app/frontend'))
    assert entries(engine, 'app') == {'net': OTHER, 'frontend': PROTECTED}
    assert entries(engine, 'other') == {'data': PROTECTED}
    with pytest.raises(exception.DestroyPrevented, match='frontend'):
        engine.delete(app)


def test_entries_of_the_environment_follow_moves_in_a_template(engine):
    app = engine.create(APP, 'app', params=environment_of(net=PROTECTED))
    engine.update(app, MOVED, existing=True)
    assert entries(engine, 'app') == {'network': PROTECTED}
    with pytest.raises(exception.DestroyPrevented, match='network'):
        engine.delete(app)


def test_resource_that_would_lose_what_a_pattern_gives_it_is_refused(engine):
    engine.create(APP, 'app', params=environment_of(**{'d*': PROTECTED}))
    with pytest.raises(exception.RefactoringRefused, match='do not match app/store'):
        move(engine, ('app/db', 'app/store'))
    move(engine, ('app/db', 'app/data'))


@pytest.mark.parametrize('of_resource', [{'condition': 'large'}, {}])
def test_condition_that_the_target_lacks_is_named(engine, of_resource):
    web = {**server(size={'if': ['large', 2, 1]}), **of_resource}
    conditions = {'large': {'equals': ['a', 'a']}}
    engine.create({'conditions': conditions, 'resources': {'web': web, 'db': server()}}, 'app')
    engine.create({'resources': {'mine': server()}}, 'other')
    with pytest.raises(exception.RefactoringRefused, match='other has no condition large'):
        move(engine, ('app/web', 'other/web'))


def test_restore_gives_the_former_names_back(engine):
    app = engine.create(APP, 'app')
    ids = objects(engine, app)
    snapshot = engine.client.stack_snapshot(engine.context, stack_identity=app, name='before')
    engine.wait(app)
    assert engine.state(app) == 'SNAPSHOT_COMPLETE'
    move(engine, ('app/db', 'app/data'))
    engine.client.stack_restore(engine.context, stack_identity=app, snapshot_id=snapshot['id'])
    engine.wait(app)
    assert engine.state(app) == 'RESTORE_COMPLETE' and objects(engine, app) == ids
    move(engine, ('app/db', 'app/data'))


@pytest.mark.parametrize('state', ['UPDATE_FAILED', 'SUSPEND_COMPLETE'])
def test_restore_of_a_stack_that_is_not_whole_tells_how_to_begin(engine, state):
    app = engine.create(APP, 'app')
    ids = objects(engine, app)
    taken = engine.client.stack_snapshot(engine.context, stack_identity=app, name='before')
    engine.wait(app)
    move(engine, ('app/db', 'app/data'))

    def restore():
        engine.client.stack_restore(engine.context, stack_identity=app, snapshot_id=taken['id'])
        engine.wait(app)

    if state == 'UPDATE_FAILED':
        failing = {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}}
        present = {name: each for name, each in APP['resources'].items() if name != 'db'}
        more = {'data': APP['resources']['db'], 'failing': failing}
        engine.update(app, {**APP, 'resources': {**present, **more}})
    else:
        engine.client.stack_suspend(engine.context, stack_identity=app)
        engine.wait(app)
    assert engine.state(app) == state
    with pytest.raises(
        exception.NotSupported, match=f'{state}, is .* begins with moves: data to db'
    ):
        restore()
    if state == 'UPDATE_FAILED':
        start_way_back(engine, app, 2)  # of the move
    else:
        engine.client.stack_resume(engine.context, stack_identity=app)
    engine.wait(app)
    restore()
    assert engine.state(app) == 'RESTORE_COMPLETE' and objects(engine, app) == ids


def start_way_back(engine, identity, revision):
    """Begin an update to a former definition."""
    engine.client.update_stack(
        engine.context,
        stack_identity=identity,
        template=None,
        params=None,
        files=None,
        args={},
        revision=revision,
    )


def objects(engine, identity):
    return {name: engine.physical_id(identity, name) for name in APP['resources']}


def test_template_from_before_moves_gives_the_former_names_back(engine):
    app = engine.create(APP, 'app')
    ids = objects(engine, app)
    move(engine, ('app/db', 'app/data'), ('app/net', 'app/lan'))
    move(engine, ('app/data', 'app/base'))
    Server.calls = []
    answer = engine.preview(app, APP)
    assert answer['moved'] == [{'from': 'lan', 'to': 'net'}, {'from': 'base', 'to': 'db'}]
    assert not answer['deleted'] and not answer['added']
    engine.update(app, APP)
    assert engine.state(app) == 'UPDATE_COMPLETE' and objects(engine, app) == ids
    move(engine, ('app/db', 'app/data'))
    start_way_back(engine, app, 1)
    engine.wait(app)
    assert engine.state(app) == 'UPDATE_COMPLETE' and objects(engine, app) == ids
    assert not [each for each in Server.calls if each[0] != 'read']


def test_resource_of_another_type_gets_no_former_name(engine):
    app = engine.create(APP, 'app')
    move(engine, ('app/db', 'app/data'))
    other = {**APP['resources'], 'db': {'type': 'OS::Heat::None'}}
    answer = engine.preview(app, {**APP, 'resources': other})
    assert 'moved' not in answer
    assert [each['resource_name'] for each in answer['deleted']] == ['data']


def test_moves_that_lead_to_one_resource_are_refused(engine):
    app = engine.create({'resources': {'a': server(), 'b': server()}}, 'app')
    moved = [{'from': 'a', 'to': 'b'}, {'from': 'b', 'to': 'c'}]
    wanted = {**MOVED, 'moved': moved, 'resources': {'c': server()}}
    for ask in (engine.preview, engine.update):
        with pytest.raises(
            exception.RefactoringRefused, match='several resources would become app/c'
        ):
            ask(app, wanted)


@pytest.mark.parametrize('moved', [{'from': 'net', 'to': 'network'}, 0, ''])
def test_moves_of_a_template_that_are_no_list_are_refused(engine, moved):
    app = engine.create(APP, 'app')
    with pytest.raises(exception.StackValidationFailed, match='moved must be a list'):
        engine.preview(app, {**MOVED, 'moved': moved})


@pytest.mark.parametrize(
    ('sources', 'text'),
    [
        (['db'], 'the name of a resource now'),
        (['old', 'old'], 'moves twice'),
        ([''], 'no name of a resource'),
        (['group//0'], 'no path'),
        (['/old'], 'no path'),
        (['old/'], 'no path'),
    ],
)
def test_move_from_where_no_resource_can_be_is_refused(engine, sources, text):
    moved = [{'from': each, 'to': 'db'} for each in sources]
    with pytest.raises(exception.StackValidationFailed, match=text):
        engine.create({**MOVED, 'moved': moved, 'resources': {'db': server()}}, 'app')


def test_resource_moves_to_no_version_that_lacks_its_words(engine):
    moved = {**server(), 'lifecycle': {'prevent_destroy': True}}
    engine.create({**OWN, 'resources': {'db': moved}}, 'app')
    data = engine.create({'resources': {'x': server()}}, 'data')
    with pytest.raises(exception.RefactoringRefused, match='another version of the language'):
        move(engine, ('app/db', 'data/db'))
    engine.update(data, {**OWN, 'resources': {'x': server()}})
    move(engine, ('app/db', 'data/db'))
    assert engine.resources(data).keys() == {'x', 'db'}


def test_stack_that_does_not_exist_cannot_be_renamed(engine):
    with pytest.raises(exception.EntityNotFound, match='none'):
        move(engine, stacks={'none': {'name': 'other'}})
