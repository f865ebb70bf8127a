"""The graph of a traversal, its sync points, and the rows that engines hold."""

import uuid

import pytest
from sqlalchemy import select

from heat_lite.db import (
    journal,
    locks,
    models,
    resources,
    session,
    stacks,
    sync_points,
    traversals,
)
from tests import databases


@pytest.fixture
def stack_id(database, context, make_stack):
    stack_id = make_stack()
    locks.acquire(stack_id, 'home')
    return stack_id


def rows(context, stack_id, engines):
    """Store rows of resources that these engines hold; return their ids."""
    added = [
        {'uuid': str(uuid.uuid4()), 'name': f'r{number}', 'engine_id': engine_id}
        for number, engine_id in enumerate(engines)
    ]
    return journal.save(journal.ChangeSet(stack_id, rows_added=added))


def point(stack_id, key, extra=None, traversal='t1', **values):
    entity, is_update = key
    return {
        'entity_id': str(entity),
        'is_update': is_update,
        'traversal_id': traversal,
        'stack_id': stack_id,
        'atomic_key': 0,
        'input_data': {},
        'extra_data': extra,
        **values,
    }


def put(context, stack_id, *points, clears=False):
    """Store sync points with a turn."""
    changes = sync_points.PointChanges(clears)
    for each in points:
        changes.put(each)
    journal.save(journal.ChangeSet(stack_id, holder='home', points=changes))


def begin(context, stack_id, *points, traversal='t1'):
    journal.save(journal.ChangeSet(stack_id, stack={'current_traversal': traversal}, holder='home'))
    own = point(stack_id, (stack_id, True), {'deleting': False}, traversal)
    put(context, stack_id, own, *points, clears=True)


@session.reader
def stored(context):
    return {
        (row.entity_id, row.is_update): row for row in session.execute(select(models.sync_point))
    }


def engines(context, stack_id):
    return {row.id: row.engine_id for row in resources.list_by_stack(stack_id)}


def change(context, stack_id, changed, held=(), engine_id='other', **more):
    rows_changed = [{'id': row, 'engine_id': None} for row in changed]
    lease = journal.Lease(engine_id, frozenset(held))
    changes = journal.ChangeSet(stack_id, rows_changed=rows_changed, lease=lease, **more)
    journal.save(changes)


def test_graph_is_stored_as_pairs():
    before = {(1, True): set(), (2, True): {(1, True)}, (3, False): set()}
    assert traversals.deps_column(before) == {'edges': [[[2, True], [1, True]], [[3, False], None]]}


def test_turn_replaces_the_sync_points_that_it_changes(context, stack_id):
    begin(context, stack_id, point(stack_id, (1, True)), point(stack_id, (1, False)))
    put(context, stack_id, point(stack_id, (1, True), atomic_key=1, input_data={'[2, True]': {}}))
    found = stored(context)
    assert set(found) == {(stack_id, True), ('1', True), ('1', False)}
    assert (found['1', True].atomic_key, found['1', False].atomic_key) == (1, 0)
    assert found['1', True].input_data == {'[2, True]': {}}


def test_traversal_replaces_the_sync_points_of_the_one_before(context, stack_id):
    begin(context, stack_id, point(stack_id, (1, True)))
    begin(context, stack_id, point(stack_id, (2, True), traversal='t2'), traversal='t2')
    assert set(stored(context)) == {(stack_id, True), ('2', True)}
    put(context, stack_id, clears=True)
    assert not stored(context)


def test_sync_points_are_written_by_the_holder_of_the_stack_lock_only(context, stack_id):
    begin(context, stack_id, point(stack_id, (1, True)))
    locks.steal(stack_id, 'home', 'next')
    with pytest.raises(journal.LockLost):
        put(context, stack_id, clears=True)
    assert stored(context)


def test_engine_sees_the_rows_that_it_holds_and_the_nodes_that_it_was_given(context, stack_id):
    a, b, c, d = rows(context, stack_id, ['other', 'other', 'home', None])
    mark = {traversals.ENGINE: 'other'}
    points = [point(stack_id, (row, True), row in (a, c) and mark or None) for row in (a, b, c, d)]
    begin(context, stack_id, *points, point(stack_id, (a, False)))
    view = traversals.look(stack_id, 'other')
    assert (view.traversal_id, view.home, view.state) == ('t1', 'home', {'deleting': False})
    assert view.rows == {a, b} and view.given == {(a, True)}
    put(context, stack_id, point(stack_id, (a, False), mark))
    assert traversals.look(stack_id, 'other').given == {(a, False)}
    assert traversals.rows_elsewhere(stack_id, 'home') == {a: 'other', b: 'other'}
    assert set(traversals.engines_of(stack_id)) == {'home', 'other'}
    assert traversals.engine_of(stack_id, 'r2') == 'home'
    assert traversals.engine_of(stack_id, 'r3') is None
    assert traversals.stacks_held('other', [stack_id]) == []  # a stack without convergence
    journal.save(journal.ChangeSet(stack_id, stack={'convergence': True}, holder='home'))
    assert traversals.stacks_held('other', [stack_id, 'x']) == [stack_id]
    assert traversals.stacks_held('third', [stack_id]) == []


def test_nodes_of_an_old_traversal_are_not_given(context, stack_id):
    (a,) = rows(context, stack_id, ['other'])
    begin(context, stack_id, point(stack_id, (a, True), {traversals.ENGINE: 'other'}))
    begin(context, stack_id, point(stack_id, (a, False), traversal='t2'), traversal='t2')
    view = traversals.look(stack_id, 'other')
    assert view.rows == {a} and not view.given
    put(context, stack_id, clears=True)
    assert traversals.look(stack_id, 'other').state is None


def test_row_of_another_engine_is_not_changed(context, stack_id):
    a, b = rows(context, stack_id, ['other', 'third'])
    with pytest.raises(journal.LeaseLost):
        change(context, stack_id, [a, b], [a])
    assert engines(context, stack_id) == {a: 'other', b: 'third'}
    change(context, stack_id, [a], [a])
    assert engines(context, stack_id) == {a: None, b: 'third'}


def test_row_that_was_taken_away_is_not_changed(context, stack_id):
    a, b = rows(context, stack_id, [None, None])
    with pytest.raises(journal.LeaseLost):
        change(context, stack_id, [a], [a])
    change(context, stack_id, [b], [a])


def test_row_that_is_gone_is_not_changed(context, stack_id):
    (a,) = rows(context, stack_id, ['other'])
    journal.save(journal.ChangeSet(stack_id, rows_deleted=[a]))
    with pytest.raises(journal.LeaseLost):
        change(context, stack_id, [a], [a])


def test_end_of_a_replaced_row_is_noted_in_the_row_of_another_engine(context, stack_id):
    old, new = rows(context, stack_id, ['other', 'third'])
    journal.save(journal.ChangeSet(stack_id, rows_changed=[{'id': new, 'replaces': old}]))
    lease = journal.Lease('other', frozenset([old]))
    changes = {'rows_changed': [{'id': new, 'replaces': None}], 'rows_deleted': [old]}
    journal.save(journal.ChangeSet(stack_id, lease=lease, **changes))
    (row,) = resources.list_by_stack(stack_id)
    assert (row.id, row.replaces, row.engine_id) == (new, None, 'third')


def test_rows_of_dead_engines_are_taken(context, stack_id):
    a, b, c = rows(context, stack_id, ['dead', 'other', None])
    assert traversals.take_rows(stack_id, ['dead'], 'stranger') == set()
    assert traversals.take_rows(stack_id, ['dead'], 'home') == {a}
    assert engines(context, stack_id) == {a: 'home', b: 'other', c: None}
    with pytest.raises(journal.LeaseLost):
        change(context, stack_id, [a], [a], 'dead')
    traversals.release(stack_id, 'home')
    assert engines(context, stack_id) == {a: None, b: 'other', c: None}


@pytest.mark.parametrize('stored', [True, False])
def test_rows_are_taken_whatever_the_lost_commit_has_done(context, database, stack_id, stored):
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    a, b = rows(context, stack_id, ['dead', 'other'])
    with databases.lose_first_commit(database, stored) as lost:
        assert traversals.take_rows(stack_id, ['dead'], 'home') == {a}
    assert lost and engines(context, stack_id) == {a: 'home', b: 'other'}


def test_first_project_of_users_stays(context, stack_id):
    assert stacks.store_user_project(stack_id, 'first') == 'first'
    assert stacks.store_user_project(stack_id, 'second') == 'first'
    assert stacks.store_user_project(str(uuid.uuid4()), 'third') is None
