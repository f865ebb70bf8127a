import threading

import pytest
from oslo_db import exception as db_exception

from heat_lite.common import exception
from heat_lite.common.context import RequestContext, admin_context
from heat_lite.db import journal, locks, resources, stacks, sync_points
from heat_lite.db.types import utcnow
from tests import databases


def test_create_and_get(database, context, template_id):
    stack_id = stacks.create(
        context, {'name': 'web', 'tenant': 'tenant', 'raw_template_id': template_id, 'plan': {'n': ['😀']}, 'timeout': 60}, ['z', 'a', 'ü']
    )
    row = stacks.get(context, stack_id)
    assert (row.id, row.name, row.plan, row.timeout, row.tags) == (stack_id, 'web', {'n': ['😀']}, 60, ['z', 'a', 'ü'])
    assert (row.owner_id, row.backup, row.convergence, row.nested_depth, row.disable_rollback) == (None, False, False, 0, True)
    assert row.created_at <= utcnow() and row.updated_at is row.deleted_at is None


def test_get_is_of_the_project(database, context, other, make_stack):
    stack_id = make_stack(stack_user_project_id='its users')
    assert stacks.get(other, stack_id) is None
    assert stacks.get(admin_context('other'), stack_id).id == stack_id
    assert stacks.get(other, stack_id, tenant_safe=False).id == stack_id
    assert stacks.get(RequestContext(project_id='its users', overwrite=False), stack_id).id == stack_id
    assert stacks.get(context, 'no such') is None


def test_get_by_name(database, context, other, make_stack):
    stack_id = make_stack('web')
    assert stacks.get_by_name(context, 'web').id == stack_id
    assert stacks.get_by_name(other, 'web') is None
    assert stacks.get_by_name(admin_context('other'), 'web') is None
    for name in ('Web', 'we', 'wéb', ''):
        assert stacks.get_by_name(context, name) is None


def test_get_by_name_prefers_the_top(database, context, make_stack):
    top = make_stack('web')
    nested = make_stack('web', owner_id=top, created_at=utcnow())
    assert stacks.get_by_name(context, 'web').id == top
    assert stacks.get_by_name(context, 'web', owner_id=top).id == nested
    assert stacks.get_by_name(context, 'web', owner_id='else') is None
    stacks.delete(context, top)
    assert stacks.get_by_name(context, 'web').id == nested


# --------------------------------------------------------------- one name, one stack


def test_a_name_is_taken(database, context, make_stack):
    first = make_stack('web')
    with pytest.raises(exception.StackExists, match=r'The Stack \(web\) already exists'):
        make_stack('web')
    make_stack('WEB')
    make_stack('web', tenant='other')
    make_stack('web', owner_id=first)
    make_stack('web', owner_id=first)
    make_stack('web', backup=True)


def test_a_name_is_free_again(database, context, make_stack):
    for _ in range(3):
        assert stacks.delete(context, make_stack('web'))
    make_stack('web')
    with pytest.raises(exception.StackExists):
        make_stack('web')


def test_the_same_id_twice_is_another_error(database, make_stack):
    make_stack('one', id='the id')
    with pytest.raises(db_exception.DBDuplicateEntry):
        make_stack('two', id='the id')


def test_of_many_who_create_one_name_one_wins(database, context, make_stack):
    start, results = threading.Barrier(8, timeout=20), []

    def create():
        start.wait()
        try:
            results.append(make_stack('web', tags=['a']))
        except exception.StackExists:
            results.append(None)

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    (winner,) = [stack_id for stack_id in results if stack_id]
    assert len(results) == 8 and [row.id for row in stacks.list(context)] == [winner]


# --------------------------------------------------------------- change and deletion


def test_update(database, context, make_stack):
    stack_id, bystander = make_stack('one', current_traversal='t1'), make_stack('two', current_traversal='t1')
    assert stacks.update(context, stack_id, {'status': 'COMPLETE', 'outputs': []})
    assert stacks.update(context, stack_id, {'digest': 'd'}, traversal='t1')
    assert not stacks.update(context, stack_id, {'digest': 'e'}, traversal='t2')
    row = stacks.get(context, stack_id)
    assert (row.status, row.outputs, row.digest) == ('COMPLETE', [], 'd')
    assert stacks.get(context, bystander).status is None
    assert not stacks.update(context, 'no such', {'status': 'COMPLETE'})


def test_an_update_with_the_same_values_is_one(database, context, make_stack):
    stack_id = make_stack(status='COMPLETE')
    assert stacks.update(context, stack_id, {'status': 'COMPLETE'})


def test_delete(database, context, make_stack):
    stack_id, bystander = make_stack('one', ['tag']), make_stack('two')
    for each in (stack_id, bystander):
        (row,) = journal.save(context, journal.Turn(each, rows_added=[{'uuid': f'in {each}'[:36], 'name': 'r'}]))
        journal.save(context, journal.Turn(each, data=[(row, 'k', 'v', False)]))
    sync_points.create(context, stack_id, 't', [{'entity_id': 'e', 'is_update': True}])
    assert stacks.delete(context, stack_id, {'status': 'COMPLETE'})
    assert stacks.get(context, stack_id) is None
    row = stacks.get(context, stack_id, show_deleted=True)
    assert row.deleted_at <= utcnow() and (row.status, row.tags) == ('COMPLETE', ['tag'])
    assert resources.for_stack(context, stack_id) == [] and len(resources.for_stack(context, bystander)) == 1
    assert sync_points.get(context, 'e', 't', True) is None
    assert not stacks.delete(context, 'no such')


# --------------------------------------------------------------- tags and trees


def test_set_tags(database, context, make_stack):
    one, two, none = make_stack('one', ['b', 'a']), make_stack('two', ['c']), make_stack('none')
    assert stacks.tags(context, [one, two, none]) == {one: ['b', 'a'], two: ['c']}
    stacks.set_tags(context, one, ['😀', 'b'])
    stacks.set_tags(context, two, [])
    assert stacks.tags(context, [one, two, none]) == {one: ['😀', 'b']}
    assert stacks.tags(context, []) == {}


def test_trees(database, context, make_stack):
    root = make_stack('root')
    child, twin = make_stack('child', owner_id=root), make_stack('twin', owner_id=root)
    grandchild, gone = make_stack('grandchild', owner_id=child), make_stack('gone', owner_id=root)
    stacks.delete(context, gone)
    assert {row.name for row in stacks.children(context, [root])} == {'child', 'twin'}
    assert {row.id for row in stacks.children(context, [root], show_deleted=True)} == {child, twin, gone}
    assert [row.id for row in stacks.children(context, [child, twin])] == [grandchild]
    assert stacks.children(context, []) == []
    assert {stacks.root_id(context, each) for each in (root, child, twin, grandchild)} == {root}
    assert stacks.root_id(context, 'no such') is None


def test_an_orphan_is_its_own_root(database, context, make_stack):
    orphan = make_stack('orphan', owner_id='purged long ago')
    assert stacks.root_id(context, make_stack('below', owner_id=orphan)) == orphan


def test_count_tree_resources(database, context, make_stack):
    root, stranger = make_stack('root'), make_stack('stranger')
    child = make_stack('child', owner_id=root)
    for stack_id, root_id, count in ((root, root, 2), (child, root, 3), (stranger, stranger, 4)):
        rows = [{'uuid': f'{stack_id[:30]}{number}', 'name': f'r{number}', 'root_stack_id': root_id} for number in range(count)]
        journal.save(context, journal.Turn(stack_id, rows_added=rows))
    assert stacks.count_tree_resources(context, root) == 5


# --------------------------------------------------------------- what reading costs


@pytest.mark.parametrize(('read', 'limit'), [('get', 1), ('get_by_name', 2), ('list', 2), ('count', 1)])
def test_statements_of_reading(database, context, make_stack, read, limit):
    ids = [make_stack(f's{number}', ['a', 'b'], outputs=['large']) for number in range(20)]
    arguments = {'get': (ids[0],), 'get_by_name': ('s3',)}.get(read, ())
    with databases.statements() as sent:
        getattr(stacks, read)(context, *arguments)
    assert len(sent) == limit
    assert not any('template.template' in statement for statement in sent)


def test_lists_do_not_read_what_grows(database, context, make_stack):
    make_stack(outputs=['large'], plan={'very': 'large'})
    with databases.statements() as sent:
        (row,) = stacks.list(context)
    assert not stacks.HEAVY & set(row._fields)
    assert not any(name in statement for name in stacks.HEAVY for statement in sent)


@pytest.mark.parametrize('stored', [True, False])
@pytest.mark.parametrize('owner', [True, False])
def test_a_stack_of_whose_commit_nobody_heard_is_there_once(database, context, make_stack, stored, owner):
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    values = {'name': 'inside', 'tenant': context.tenant_id, 'owner_id': make_stack('outside') if owner else None}
    with databases.first_commit_unheard(database, stored) as lost:
        stack_id, template_id = stacks.store(context, ({'heat_template_version': '2018-08-31'},), values, (), 'engine')
    assert lost and [row.id for row in stacks.list(context, show_nested=True, filters={'name': 'inside'})] == [stack_id]
    assert stacks.get(context, stack_id).raw_template_id == template_id and locks.holder(context, stack_id) == 'engine'
