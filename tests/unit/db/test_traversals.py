import collections
import threading
import uuid

import pytest
from sqlalchemy import delete, select

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
from tests.timeouts import WAIT_SECONDS


@pytest.fixture
def stack_id(database, context, make_stack):
    stack_id = make_stack()
    locks.acquire(context, stack_id, 'home')
    return stack_id


def rows(context, stack_id, count):
    """Store rows of resources; return their ids."""
    added = [{'uuid': str(uuid.uuid4()), 'name': f'r{number}'} for number in range(count)]
    return journal.save(context, journal.ChangeSet(stack_id, rows_added=added))


def begin(context, stack_id, before, **options):
    new = traversals.NewTraversal(
        options.pop('id', 't1'),
        stack_id,
        'home',
        before,
        options.pop('rows', {row for row, _ in before}),
        **options,
    )
    return traversals.begin(context, new)


def take_turn(context, stack_id, engine='home', changed=(), **turn):
    sync = sync_points.SyncTurn('t1', engine, **turn)
    rows_changed = [{'id': row, 'engine_id': None} for row in changed]
    journal.save(context, journal.ChangeSet(stack_id, rows_changed=rows_changed, sync=sync))
    return sync


def engines(context, stack_id):
    return {row.id: row.engine_id for row in resources.list_by_stack(context, stack_id)}


@session.reader
def traversals_with_points(context):
    return set(session.execute(select(models.sync_point.c.traversal_id)).scalars())


def test_first_nodes_are_given_to_the_engine_that_begins(context, stack_id):
    a, b = rows(context, stack_id, 2)
    before = {(a, True): set(), (b, True): {(a, True)}}
    assert begin(context, stack_id, before) == {a: 'home'}
    assert engines(context, stack_id) == {a: 'home', b: None}
    stack = stacks.get_row(context, stack_id)
    assert stack.current_traversal == 't1'
    assert traversals.deps_column(before) == {'edges': [[[b, True], [a, True]]]}
    assert traversals.graph(context, stack.id) == before


def test_many_first_nodes_are_shared(context, stack_id):
    ids = rows(context, stack_id, 100)
    held = begin(context, stack_id, {(row, True): set() for row in ids}, engines=['other'])
    assert sorted(held.values()).count('other') == 50 and set(held) == set(ids)


def test_nodes_that_one_engine_may_keep_stay_there(context, stack_id):
    ids = rows(context, stack_id, 100)
    before = {(row, True): set() for row in ids}
    held = begin(context, stack_id, before, engines=['other'], share_above=100)
    assert set(held.values()) == {'home'}


def test_other_rows_than_planned_are_noticed(context, stack_id):
    a, b = rows(context, stack_id, 2)
    with pytest.raises(traversals.PlanOutdated):
        begin(context, stack_id, {(a, True): set()})
    locks.release(context, stack_id, 'home')
    with pytest.raises(journal.LockLost):
        begin(context, stack_id, {(a, True): set(), (b, True): set()})
    assert stacks.get_row(context, stack_id).current_traversal is None


def test_completed_node_is_given_to_the_engine_that_completes_it(context, stack_id):
    a, b, c = rows(context, stack_id, 3)
    first = {(a, True): set(), (b, True): set()}
    begin(context, stack_id, {**first, (c, True): set(first)})
    target, needed = (c, True), {(c, True): 2}
    turn = take_turn(context, stack_id, changed=[a], inputs={target: {'a': {}}}, needed=needed)
    assert turn.ready == [] and engines(context, stack_id)[c] is None
    turn = take_turn(context, stack_id, changed=[b], inputs={target: {'b': {}}}, needed=needed)
    assert turn.ready == [sync_points.Ready(target, 'home', {'a': {}, 'b': {}})]
    assert engines(context, stack_id) == {a: None, b: None, c: 'home'}
    view = traversals.look(context, stack_id, 'home', needed)
    assert view.inputs == {target: {'a': {}, 'b': {}}} and view.held == {'home': 1}


def test_first_nodes_are_looked_up_without_their_sync_points(context, stack_id):
    a, b = rows(context, stack_id, 2)
    begin(context, stack_id, {(a, True): set(), (b, True): set()})
    point = models.sync_point.c.entity_id == str(a)
    with session.engine().begin() as connection:
        connection.execute(delete(models.sync_point).where(point))
    assert traversals.look(context, stack_id, 'home').inputs == {}
    view = traversals.look(context, stack_id, 'home', {(a, True): 0, (b, True): 0})
    assert view.inputs == {(a, True): {}, (b, True): {}}


@pytest.mark.parametrize(('lead', 'own'), [(0.0, 25), (0.25, 44), (1.0, 100)])
def test_engine_with_a_lead_keeps_more_rows(lead, own):
    share = sync_points.shares(list(range(100)), 'home', ['a', 'b', 'c'], 16, lead)
    counts = collections.Counter(share.values())
    assert counts['home'] == own and sum(counts.values()) == 100
    others = [counts[each] for each in 'abc']
    assert max(others) - min(others) <= 2


def test_repeated_data_completes_a_node_once(context, stack_id):
    a, b = rows(context, stack_id, 2)
    begin(context, stack_id, {(a, True): set(), (b, True): {(a, True)}})
    data = {'inputs': {(b, True): {'a': {}}}, 'needed': {(b, True): 1}}
    assert len(take_turn(context, stack_id, changed=[a], **data).ready) == 1
    assert take_turn(context, stack_id, **data).ready == []


def test_row_of_another_engine_is_not_changed(context, stack_id):
    (a,) = rows(context, stack_id, 1)
    begin(context, stack_id, {(a, True): set()})
    with pytest.raises(sync_points.RowsLost) as lost:
        take_turn(context, stack_id, engine='other', changed=[a])
    assert lost.value.rows == {a} and engines(context, stack_id) == {a: 'home'}


def test_end_of_a_replaced_row_is_noted_in_the_row_of_another_engine(context, stack_id):
    old, new = rows(context, stack_id, 2)
    note = {'id': new, 'replaces': old, 'engine_id': 'other'}
    journal.save(context, journal.ChangeSet(stack_id, rows_changed=[note]))
    begin(context, stack_id, {(old, False): set()}, rows=[old, new], engines=['other'])
    changes = {'rows_changed': [{'id': new, 'replaces': None}], 'rows_deleted': [old]}
    sync = sync_points.SyncTurn('t1', 'home', held=frozenset([old]))
    journal.save(context, journal.ChangeSet(stack_id, **changes, sync=sync))
    (row,) = resources.list_by_stack(context, stack_id)
    assert (row.id, row.replaces, row.engine_id) == (new, None, 'other')


def test_row_that_was_taken_away_is_not_changed(context, stack_id):
    (a,) = rows(context, stack_id, 1)
    with pytest.raises(sync_points.RowsLost):
        take_turn(context, stack_id, changed=[a], held=frozenset([a]))


def test_traversal_ends_when_no_engine_holds_a_row(context, stack_id):
    ids = rows(context, stack_id, 40)
    held = begin(context, stack_id, {(row, True): set() for row in ids}, engines=['other'])
    mine, theirs = ([row for row in ids if held[row] == each] for each in ('home', 'other'))
    turn = take_turn(context, stack_id, changed=mine, is_idle=True, is_home=True)
    assert not turn.ended
    turn = take_turn(context, stack_id, engine='other', changed=theirs, is_idle=True)
    assert turn.ended and traversals.look(context, stack_id, 'home').state == {}
    traversals.end(context, stack_id)
    assert traversals.look(context, stack_id, 'home').state is None


def test_failure_keeps_later_nodes_from_beginning(context, stack_id):
    a, b = rows(context, stack_id, 2)
    begin(context, stack_id, {(a, True): set(), (b, True): {(a, True)}})
    failure = {'key': [a, True], 'message': 'broken'}
    turn = take_turn(
        context,
        stack_id,
        changed=[a],
        failures=[failure],
        inputs={(b, True): {'a': {}}},
        needed={(b, True): 1},
    )
    assert turn.ready == [] and turn.state == {'failures': [failure]}


def test_row_of_an_earlier_traversal_waits_for_its_engine(context, stack_id):
    a, b = rows(context, stack_id, 2)
    before = {(a, True): set(), (b, True): {(a, True)}}
    begin(context, stack_id, before, id='t0')
    with session.engine().begin() as connection:
        connection.exec_driver_sql(f"UPDATE resource SET engine_id = 'other' WHERE id = {b}")
    assert begin(context, stack_id, before, engines=['other']) == {a: 'home', b: 'other'}
    data = {'inputs': {(b, True): {'a': {}}}, 'needed': {(b, True): 1}}
    (ready,) = take_turn(context, stack_id, changed=[a], **data).ready
    assert ready.engine_id == 'other'
    turn = take_turn(context, stack_id, engine='other', drained=[b], needed={(b, True): 1})
    assert [each.key for each in turn.ready] == [(b, True)]


def test_rows_of_dead_engines_are_taken(context, stack_id):
    ids = rows(context, stack_id, 40)
    begin(context, stack_id, {(row, True): set() for row in ids}, engines=['dead'])
    assert set(traversals.engines_of(context, stack_id)) == {'home', 'dead'}
    assert traversals.take_rows(context, stack_id, ['dead'], 'stranger') == []
    taken = traversals.take_rows(context, stack_id, ['dead'], 'home')
    assert sorted(taken) == sorted(ids)[20:]
    assert traversals.engines_of(context, stack_id) == ['home']
    traversals.release(context, stack_id, 'home')
    assert traversals.engine_of(context, stack_id, 'r0') is None


def test_turn_of_an_ended_traversal_only_lets_go(context, stack_id):
    (a,) = rows(context, stack_id, 1)
    begin(context, stack_id, {(a, True): set()})
    traversals.end(context, stack_id)
    turn = take_turn(context, stack_id, drained=[a], needed={(a, True): 0})
    assert turn.state is None and engines(context, stack_id) == {a: None}


@pytest.mark.parametrize('follow', ['end', 'begin'])
def test_sync_points_that_a_turn_writes_meanwhile_are_deleted(
    context, stack_id, follow, monkeypatch
):
    a, b = rows(context, stack_id, 2)
    before = {(a, True): set(), (b, True): {(a, True), (a, False)}, (a, False): {(a, True)}}
    begin(context, stack_id, before)
    written, go_on, store = threading.Event(), threading.Event(), sync_points._store_inputs

    def store_slowly(*args):
        found = store(*args)
        written.set()
        go_on.wait(WAIT_SECONDS)
        return found

    monkeypatch.setattr(sync_points, '_store_inputs', store_slowly)
    inputs = {'inputs': {(b, True): {'x': {}}}, 'needed': {(b, True): 2}}
    turn = threading.Thread(target=take_turn, args=(context, stack_id, 'other'), kwargs=inputs)
    turn.start()
    assert written.wait(WAIT_SECONDS)
    timer = threading.Timer(0.5, go_on.set)
    timer.start()
    if follow == 'end':
        traversals.end(context, stack_id)
    else:
        begin(context, stack_id, {(b, True): set()}, id='t2', rows={a, b})
    turn.join(WAIT_SECONDS)
    assert traversals_with_points(context) == ({'t2'} if follow == 'begin' else set())


def test_stop_is_told_to_every_engine(context, stack_id):
    (a,) = rows(context, stack_id, 1)
    begin(context, stack_id, {(a, True): set()}, options={'deleting': True})
    traversals.stop(context, stack_id, 't1', 'timeout')
    view = traversals.look(context, stack_id, 'other')
    assert view.state == {'deleting': True, 'stopped': 'timeout'}


def test_turn_of_an_old_traversal_changes_only_held_rows(context, stack_id):
    a, b = rows(context, stack_id, 2)
    before = {(a, True): set(), (b, True): {(a, True)}}
    begin(context, stack_id, before)
    begin(context, stack_id, before, id='t2', busy=[a])
    with pytest.raises(sync_points.RowsLost) as lost:
        take_turn(context, stack_id, changed=[a, b], held=frozenset([a]))
    assert lost.value.rows == {b}


def test_rows_begun_after_lost_work_are_not_changed(context, stack_id):
    a, b, c = rows(context, stack_id, 3)
    begin(context, stack_id, {(a, True): set(), (b, True): {(a, True)}, (c, True): set()})
    other = {'engine': 'other', 'held': frozenset([a])}
    with pytest.raises(sync_points.RowsLost) as lost:
        take_turn(context, stack_id, changed=[a, b], **other)
    assert lost.value.rows == {a, b}
    with pytest.raises(sync_points.RowsLost) as lost:
        take_turn(context, stack_id, changed=[b, c], is_outdated=True, held=frozenset([c]))
    assert lost.value.rows == {b}


def test_interrupted_rows_stay_with_the_engine_that_begins(context, stack_id):
    ids = rows(context, stack_id, 42)
    before = {(row, True): set() for row in ids[:40]}
    before.update({(row, True): {(ids[0], True)} for row in ids[40:]})
    kept = [*ids[38:]]
    held = begin(context, stack_id, before, kept=kept, engines=['other'])
    assert {held[row] for row in kept} == {'home'} and 'other' in held.values()
    assert traversals.rows_elsewhere(context, stack_id, 'home').isdisjoint(kept)
    held = begin(context, stack_id, before, kept=ids, engines=['other'])
    assert 'other' in held.values()  # a living engine goes on with what it holds


def test_first_project_of_users_stays(context, stack_id):
    assert stacks.store_user_project(context, stack_id, 'first') == 'first'
    assert stacks.store_user_project(context, stack_id, 'second') == 'first'
    assert stacks.store_user_project(context, str(uuid.uuid4()), 'third') is None


def test_work_that_ends_on_a_row_of_another_engine_does_not_let_go_of_it(context, stack_id):
    (a,) = rows(context, stack_id, 1)
    begin(context, stack_id, {(a, True): set()})
    turn = take_turn(context, stack_id, engine='other', drained=[a], needed={(a, True): 0})
    assert turn.ready == [] and engines(context, stack_id) == {a: 'home'}
    turn = take_turn(context, stack_id, drained=[a])
    assert engines(context, stack_id) == {a: None}
