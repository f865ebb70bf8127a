import pytest
from sqlalchemy import select

from heat_lite.common import exception
from heat_lite.common.context import RequestContext, admin_context
from heat_lite.db import (
    journal,
    locks,
    models,
    resources,
    session,
    stack_creation,
    stacks,
    sync_points,
    traversals,
)
from heat_lite.db.column_types import utcnow
from tests import databases


def test_created_stack_is_read_with_tags(database, context, template_id):
    stack_id = stack_creation.create(
        {
            'name': 'web',
            'tenant': 'tenant',
            'raw_template_id': template_id,
            'plan': {'n': ['😀']},
            'timeout': 60,
        },
        ['z', 'a', 'ü'],
    )
    row = stacks.get(context, stack_id)
    assert (row.id, row.name, row.plan, row.timeout, row.tags) == (
        stack_id,
        'web',
        {'n': ['😀']},
        60,
        ['z', 'a', 'ü'],
    )
    assert (row.owner_id, row.backup, row.convergence, row.nested_depth, row.disable_rollback) == (
        None,
        False,
        False,
        0,
        True,
    )
    assert row.created_at <= utcnow() and row.updated_at is row.deleted_at is None


def test_get_is_limited_to_the_project(database, context, other, make_stack):
    stack_id = make_stack(stack_user_project_id='its users')
    assert stacks.get(other, stack_id) is None
    assert stacks.get(admin_context('other'), stack_id).id == stack_id
    assert stacks.get(other, stack_id, tenant_safe=False).id == stack_id
    assert (
        stacks.get(RequestContext(project_id='its users', overwrite=False), stack_id).id == stack_id
    )
    assert stacks.get(context, 'no such') is None


def test_get_by_name_returns_the_living_stack(database, context, other, make_stack):
    stack_id = make_stack('web')
    assert stacks.get_by_name(context, 'web').id == stack_id
    assert stacks.get_by_name(other, 'web') is None
    assert stacks.get_by_name(admin_context('other'), 'web') is None
    for name in ('Web', 'we', 'wéb', ''):
        assert stacks.get_by_name(context, name) is None


def test_get_by_name_prefers_the_top_level_stack(database, context, make_stack):
    top = make_stack('web')
    nested = make_stack('web', owner_id=top, created_at=utcnow())
    assert stacks.get_by_name(context, 'web').id == top
    stacks.delete(top)
    assert stacks.get_by_name(context, 'web').id == nested


# --------------------------------------------------------------- update and deletion


def test_update(database, context, make_stack):
    stack_id, bystander = (
        make_stack('one', current_traversal='t1'),
        make_stack('two', current_traversal='t1'),
    )
    assert stacks.update(stack_id, {'status': 'COMPLETE', 'outputs': []})
    assert stacks.update(stack_id, {'digest': 'd'}, traversal='t1')
    assert not stacks.update(stack_id, {'digest': 'e'}, traversal='t2')
    row = stacks.get(context, stack_id)
    assert (row.status, row.outputs, row.digest) == ('COMPLETE', [], 'd')
    assert stacks.get(context, bystander).status is None
    assert not stacks.update('no such', {'status': 'COMPLETE'})


def test_update_with_same_values_returns_true(database, context, make_stack):
    stack_id = make_stack(status='COMPLETE')
    assert stacks.update(stack_id, {'status': 'COMPLETE'})


def test_delete_removes_resources_and_keeps_tags(database, context, make_stack):
    stack_id, bystander = make_stack('one', ['tag']), make_stack('two')
    for each in (stack_id, bystander):
        (row,) = journal.save(
            journal.ChangeSet(each, rows_added=[{'uuid': f'in {each}'[:36], 'name': 'r'}])
        )
        journal.save(journal.ChangeSet(each, data=[(row, 'k', 'v', False)]))
    points, key = sync_points.PointChanges(), {'entity_id': stack_id, 'is_update': True}
    points.put({**key, 'traversal_id': 't', 'stack_id': stack_id, 'atomic_key': 0})
    begun = {'current_traversal': 't'}
    journal.save(journal.ChangeSet(stack_id, stack=begun, points=points))
    assert traversals.look(stack_id, 'e').state == {}
    assert stacks.delete(stack_id, {'status': 'COMPLETE'})
    assert stacks.get(context, stack_id) is None
    row = stacks.get(context, stack_id, show_deleted=True)
    assert row.deleted_at <= utcnow() and (row.status, row.tags) == ('COMPLETE', ['tag'])
    assert resources.list_by_stack(stack_id) == [] and len(resources.list_by_stack(bystander)) == 1
    assert traversals.look(stack_id, 'e').state is None
    assert not stacks.delete('no such')


# --------------------------------------------------------------- tags and trees


def test_tags_of_a_change_set_replace_those_of_the_stack(database, context, make_stack):
    one, two, none = make_stack('one', ['b', 'a']), make_stack('two', ['c']), make_stack('none')
    assert stacks.tags([one, two, none]) == {one: ['b', 'a'], two: ['c']}
    journal.save(journal.ChangeSet(one, stack={'tags': ['😀', 'b'], 'timeout': 7}))
    journal.save(journal.ChangeSet(two, stack={'tags': [], 'timeout': 7}))
    journal.save(journal.ChangeSet(none, stack={'timeout': 7}))
    assert stacks.tags([one, two, none]) == {one: ['😀', 'b']}
    assert [stacks.get_row(each).tags for each in (one, two)] == [['😀', 'b'], []]
    assert stacks.tags([]) == {}


def test_tree_functions_follow_owner_ids(database, context, make_stack):
    root = make_stack('root')
    child, twin = make_stack('child', owner_id=root), make_stack('twin', owner_id=root)
    grandchild, gone = make_stack('grandchild', owner_id=child), make_stack('gone', owner_id=root)
    stacks.delete(gone)
    assert {row.name for row in stacks.children([root])} == {'child', 'twin'}
    assert {row.id for row in stacks.children([root], show_deleted=True)} == {
        child,
        twin,
        gone,
    }
    assert [row.id for row in stacks.children([child, twin])] == [grandchild]
    assert stacks.children([]) == []
    assert {stacks.root_id(each) for each in (root, child, twin, grandchild)} == {root}
    assert stacks.root_id('no such') is None


def test_root_id_of_an_orphan_is_its_own_id(database, context, make_stack):
    orphan = make_stack('orphan', owner_id='purged long ago')
    assert stacks.root_id(make_stack('below', owner_id=orphan)) == orphan


def test_count_tree_resources_includes_nested_stacks(database, context, make_stack):
    root, stranger = make_stack('root'), make_stack('stranger')
    child = make_stack('child', owner_id=root)
    for stack_id, root_id, count in ((root, root, 2), (child, root, 3), (stranger, stranger, 4)):
        rows = [
            {'uuid': f'{stack_id[:30]}{number}', 'name': f'r{number}', 'root_stack_id': root_id}
            for number in range(count)
        ]
        journal.save(journal.ChangeSet(stack_id, rows_added=rows))
    assert stacks.count_tree_resources(root) == 5


def test_tenants_among_are_those_with_stacks_that_are_not_deleted(database, context, make_stack):
    stacks.delete(make_stack('former'))
    assert stacks.tenants_among([context.project_id, 'other']) == set()
    make_stack('present')
    assert stacks.tenants_among([context.project_id, 'other']) == {context.project_id}
    assert stacks.tenants_among([]) == set()


# --------------------------------------------------------------- costs of reads


@pytest.mark.parametrize(
    ('read', 'limit'), [('get', 1), ('get_by_name', 2), ('list_rows', 2), ('count', 1)]
)
def test_get_takes_one_statement(database, context, make_stack, read, limit):
    ids = [make_stack(f's{number}', ['a', 'b'], outputs=['large']) for number in range(20)]
    arguments = {'get': (ids[0],), 'get_by_name': ('s3',)}.get(read, ())
    with databases.statements() as sent:
        getattr(stacks, read)(context, *arguments)
    assert len(sent) == limit
    assert not any('template.template' in statement for statement in sent)


def test_list_does_not_read_large_columns(database, context, make_stack):
    make_stack(outputs=['large'], plan={'very': 'large'})
    with databases.statements() as sent:
        (row,) = stacks.list_rows(context)
    assert not stacks.LARGE_COLUMNS & set(row._fields)
    assert not any(name in statement for name in stacks.LARGE_COLUMNS for statement in sent)


# --------------------------------------------------------------- reset


@session.reader
def states(context):
    return {
        row.name: (row.status, row.status_reason)
        for row in session.execute(select(models.stack)).all()
    }


def test_reset_status_fails_the_tree_and_removes_locks(database, context, make_stack):
    top = make_stack('top', action='CREATE', status='IN_PROGRESS')
    inside = make_stack('inside', owner_id=top, action='CREATE', status='IN_PROGRESS')
    done = make_stack(
        'done', owner_id=top, action='CREATE', status='COMPLETE', status_reason='fine'
    )
    other = make_stack('other', action='CREATE', status='IN_PROGRESS')
    for number, stack_id in enumerate((top, inside, done, other)):
        locks.acquire(stack_id, 'engine')
        rows = [
            {
                'uuid': f'{number}a',
                'name': 'a',
                'action': 'CREATE',
                'status': 'IN_PROGRESS',
                'engine_id': 'engine',
            },
            {
                'uuid': f'{number}b',
                'name': 'b',
                'action': 'CREATE',
                'status': 'COMPLETE',
                'status_reason': 'made',
            },
        ]
        journal.save(journal.ChangeSet(stack_id, rows_added=rows))
    assert stacks.reset_status(top) == 3
    assert states(context) == {
        'top': ('FAILED', stacks.RESET_REASON),
        'inside': ('FAILED', stacks.RESET_REASON),
        'done': ('COMPLETE', 'fine'),
        'other': ('IN_PROGRESS', states(context)['other'][1]),
    }
    assert [locks.holder(each) for each in (top, inside, done, other)] == [
        None,
        None,
        None,
        'engine',
    ]
    found = [
        (row.name, row.status, row.status_reason, row.engine_id)
        for row in resources.list_by_stack(inside)
    ]
    assert found == [('a', 'FAILED', stacks.RESET_REASON, None), ('b', 'COMPLETE', 'made', None)]
    assert resources.list_by_stack(other)[0].status == 'IN_PROGRESS'


def test_reset_status_of_unknown_stack_raises(database, context, make_stack):
    gone = make_stack('gone')
    stacks.delete(gone)
    for stack_id in (gone, 'nothing'):
        with pytest.raises(exception.EntityNotFound):
            stacks.reset_status(stack_id)
