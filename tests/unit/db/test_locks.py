import ast
import pathlib
import threading
import uuid

import pytest
from sqlalchemy import select

from heat_lite import db
from heat_lite.common import exception
from heat_lite.db import journal, locks, models, session, stacks
from tests import databases, row_locks

_L = models.stack_lock
#: functions that write the rows that they lock, or write nothing
WRITING = {
    'acquire_signals',
    'override',
    'record_engine_end',
    'replace_for_stack',
    'set_quarantine',
    'take',
    'take_rows',
    'update_deployment',
    '_move_resources',
}


def test_lock_is_acquired_once_and_released(database, context, make_stack):
    stack_id, bystander = make_stack('one'), make_stack('two')
    assert locks.holder(stack_id) is None
    assert locks.acquire(stack_id, 'e1') is None
    assert locks.acquire(stack_id, 'e2') == 'e1'
    assert locks.acquire(stack_id, 'e1') == 'e1'
    assert locks.acquire(bystander, 'e2') is None
    assert locks.holder(stack_id) == 'e1' and locks.stack_ids_of('e1') == [stack_id]
    locks.release(stack_id, 'e2')
    assert locks.holder(stack_id) == 'e1'
    locks.release(stack_id, 'e1')
    assert locks.holder(stack_id) is None and locks.holder(bystander) == 'e2'
    assert locks.acquire(stack_id, 'e2') is None


def test_steal_transfers_the_lock_of_the_old_engine_only(database, context, make_stack):
    stack_id = make_stack()
    locks.acquire(stack_id, 'dead')
    assert locks.steal(stack_id, 'dead', 'e1') is None
    assert locks.steal(stack_id, 'dead', 'e2') == 'e1'
    locks.release(stack_id, 'e1')
    assert locks.steal(stack_id, 'dead', 'e2') is None
    assert locks.holder(stack_id) == 'e2'


def test_acquire_of_unknown_stack_raises(database, context):
    with pytest.raises(exception.EntityNotFound):
        locks.acquire('no such', 'e1')


def test_lock_of_deleted_stack_stays(database, context, make_stack):
    """The engine that deletes the stack holds the lock until the end."""
    stack_id = make_stack()
    locks.acquire(stack_id, 'e1')
    stacks.delete(stack_id)
    assert locks.holder(stack_id) == 'e1'


@pytest.mark.parametrize('stored', [True, False])
@pytest.mark.parametrize('holder', [None, 'dead'])
def test_lock_is_taken_once_whatever_the_lost_commit_has_done(
    database, context, make_stack, stored, holder
):
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    stack_id = make_stack()
    if holder:
        locks.acquire(stack_id, holder)
    with databases.lose_first_commit(database, stored) as lost:
        if holder:
            assert locks.steal(stack_id, holder, 'e1') is None
        else:
            assert locks.acquire(stack_id, 'e1') is None
    assert lost and locks.holder(stack_id) == 'e1'
    with databases.lose_first_commit(database, stored) as lost:
        assert locks.acquire(stack_id, 'e1') == locks.steal(stack_id, 'dead', 'e1') == 'e1'
        locks.release(stack_id, 'e1')
    assert lost and locks.holder(stack_id) is None


@pytest.mark.parametrize('dead', [None, 'dead'])
def test_one_of_many_engines_acquires_the_lock(database, context, make_stack, dead):
    stack_id = make_stack()
    if dead:
        locks.acquire(stack_id, dead)
    start, results = threading.Barrier(8, timeout=20), {}

    def take(name):
        start.wait()
        results[name] = locks.steal(stack_id, dead, name) if dead else locks.acquire(stack_id, name)

    threads = [threading.Thread(target=take, args=(f'e{number}',)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    (winner,) = [name for name, holder in results.items() if holder is None]
    assert len(results) == 8 and {holder for name, holder in results.items() if name != winner} == {
        winner
    }
    assert locks.holder(stack_id) == winner


def test_stack_ids_by_engine_returns_all_locks(database, context, make_stack):
    first, second = make_stack(name='a'), make_stack(name='b')
    assert locks.stack_ids_by_engine() == {}
    locks.acquire(first, 'e1')
    locks.acquire(second, 'e2')
    assert locks.stack_ids_by_engine() == {'e1': [first], 'e2': [second]}


def test_unlocked_in_progress_returns_stacks_without_lock(database, context, make_stack):
    state = {'action': 'CREATE', 'status': 'IN_PROGRESS'}
    unlocked, locked = make_stack('unlocked', **state), make_stack('locked', **state)
    make_stack('done', action='CREATE', status='COMPLETE')
    gone = make_stack('gone', **state)
    locks.acquire(locked, 'e1')
    stacks.delete(gone)
    assert locks.unlocked_in_progress() == [unlocked]


def test_quarantine_belongs_to_the_lock_and_survives_a_steal(database, context, make_stack):
    stack_id, value = make_stack(), {'called': 'a', 'deaths': {'b': 1}}
    assert locks.quarantine(stack_id) is None
    assert not locks.set_quarantine(stack_id, 'e1', value)
    locks.acquire(stack_id, 'e1')
    assert locks.quarantine(stack_id) is None
    assert not locks.set_quarantine(stack_id, 'e2', value)
    assert locks.set_quarantine(stack_id, 'e1', value)
    locks.steal(stack_id, 'e1', 'e2')
    assert locks.quarantine(stack_id) == value
    assert locks.set_quarantine(stack_id, 'e2', value)  # of equal content
    locks.release(stack_id, 'e2')
    locks.acquire(stack_id, 'e3')
    assert locks.quarantine(stack_id) is None


@pytest.fixture
def row_id(database, context, make_stack):
    added = [{'uuid': str(uuid.uuid4()), 'name': 'r'}]
    return journal.save(journal.ChangeSet(make_stack(), rows_added=added))[0]


def test_one_engine_at_a_time_handles_signals(context, row_id):
    assert locks.acquire_signals(row_id, 'a') is None
    assert locks.acquire_signals(row_id, 'b') == 'a'
    assert locks.acquire_signals(row_id, 'a') is None
    locks.release_signals(row_id, 'b')
    assert locks.acquire_signals(row_id, 'b') == 'a'
    locks.release_signals(row_id, 'a')
    assert locks.acquire_signals(row_id, 'b') is None


def test_signals_of_a_dead_engine_are_taken_over_once(context, row_id):
    locks.acquire_signals(row_id, 'dead')
    assert locks.acquire_signals(row_id, 'a', gone='dead') is None
    assert locks.acquire_signals(row_id, 'b', gone='dead') == 'a'


def test_signals_to_a_row_that_does_not_exist_are_not_locked(context, row_id):
    assert locks.acquire_signals(row_id + 1, 'a') is None
    assert locks.acquire_signals(row_id + 1, 'b') is None


def test_one_of_concurrent_engines_handles_signals(context, row_id):
    found = []
    threads = [
        threading.Thread(target=lambda name=name: found.append(locks.acquire_signals(row_id, name)))
        for name in 'abcdef'
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert found.count(None) == 1 and len(found) == 6
    assert {each for each in found if each} <= {*'abcdef'} and len({*found}) == 2


def test_end_of_an_engine_is_noted_where_it_is_named(database, context, make_stack):
    named, other = make_stack('named'), make_stack('other')
    value = {'action': 'CREATE 1', 'called': 'a', 'engine': 'dead-engine', 'deaths': {}}
    for stack_id, stored in ((named, value), (other, {**value, 'engine': 'e2'})):
        assert locks.acquire(stack_id, 'e1') is None
        assert locks.set_quarantine(stack_id, 'e1', stored)
    locks.record_engine_end('dead-engine', True)
    locks.record_engine_end('unknown', True)
    assert locks.quarantine(named) == {**value, 'ended': {'dead-engine': True}}
    assert locks.quarantine(other) == {**value, 'engine': 'e2'}
    # an engine that stores what it read before does not forget it
    changed = {**value, 'called': None, 'dead': {'a': ['dead-engine', 'e9']}}
    assert locks.set_quarantine(named, 'e1', changed)
    locks.record_engine_end('e9', False)
    ended = {'dead-engine': True, 'e9': False}
    assert locks.quarantine(named) == {**changed, 'ended': ended}
    assert locks.set_quarantine(named, 'e1', None)
    assert locks.quarantine(named) is None


def test_lock_that_decides_is_written(database, context, make_stack):
    """Nodes of a Galera cluster compare what transactions have written, not what they lock."""
    one, two = make_stack('one'), make_stack('two')
    locks.acquire(one, 'e1')
    locks.acquire(two, 'e2')
    hold = session.writer(locks.hold)
    assert hold({one: 'e1', two: 'e2'}) == []
    assert hold({one: 'e1', two: 'e1', 'gone': 'e1'}) == [two, 'gone']
    uses = session.reader(lambda: dict(session.execute(select(_L.c.stack_id, _L.c.uses)).all()))
    assert uses() == {one: 2, two: 1}


def test_row_that_is_locked_and_not_written_is_found(database, context, make_stack):
    if database != 'postgresql':
        pytest.skip('row_locks asks PostgreSQL')
    one, two = make_stack('one'), make_stack('two')
    table = models.stack

    @session.writer
    def decide(locked, written):
        session.rows(select(table.c.id).where(table.c.id.in_(locked)).with_for_update())
        for each in written:
            stacks.update(each, {'status_reason': 'new'})

    with row_locks.unwritten(session.engine()) as found:
        decide([one, two], [one, two])
        decide([one], [])
        locks.acquire(one, 'e1')
        assert not found
        decide([one, two], [two])
    assert len(found) == 1


def test_each_function_that_locks_rows_is_known():
    """Such a function writes the rows that decide; ``row_locks`` watches it at work."""
    found = set()
    for path in pathlib.Path(db.__file__).parent.rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and 'with_for_update()' in ast.unparse(node):
                found.add(node.name)
    assert found == {*row_locks.ALLOWED, *WRITING}
