import threading

import pytest

from heat_lite.common import exception
from heat_lite.db import locks, stacks


def test_acquire_and_release(database, context, make_stack):
    stack_id, bystander = make_stack('one'), make_stack('two')
    assert locks.holder(context, stack_id) is None
    assert locks.acquire(context, stack_id, 'e1') is None
    assert locks.acquire(context, stack_id, 'e2') == 'e1'
    assert locks.acquire(context, stack_id, 'e1') == 'e1'
    assert locks.acquire(context, bystander, 'e2') is None
    assert locks.holder(context, stack_id) == 'e1' and locks.held_by(context, 'e1') == [stack_id]
    assert not locks.release(context, stack_id, 'e2')
    assert locks.release(context, stack_id, 'e1') and not locks.release(context, stack_id, 'e1')
    assert locks.acquire(context, stack_id, 'e2') is None


def test_steal(database, context, make_stack):
    stack_id = make_stack()
    locks.acquire(context, stack_id, 'dead')
    assert locks.steal(context, stack_id, 'dead', 'e1') is None
    assert locks.steal(context, stack_id, 'dead', 'e2') == 'e1'
    locks.release(context, stack_id, 'e1')
    assert locks.steal(context, stack_id, 'dead', 'e2') is None
    assert locks.holder(context, stack_id) == 'e2'


def test_no_such_stack(database, context):
    with pytest.raises(exception.EntityNotFound):
        locks.acquire(context, 'no such', 'e1')


def test_a_lock_outlives_the_deletion_of_its_stack(database, context, make_stack):
    """The engine that deletes holds it until it is done."""
    stack_id = make_stack()
    locks.acquire(context, stack_id, 'e1')
    stacks.delete(context, stack_id)
    assert locks.release(context, stack_id, 'e1')


@pytest.mark.parametrize('dead', [None, 'dead'])
def test_one_of_many_gets_it(database, context, make_stack, dead):
    stack_id = make_stack()
    if dead:
        locks.acquire(context, stack_id, dead)
    start, results = threading.Barrier(8, timeout=20), {}

    def take(name):
        start.wait()
        results[name] = locks.steal(context, stack_id, dead, name) if dead else locks.acquire(context, stack_id, name)

    threads = [threading.Thread(target=take, args=(f'e{number}',)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    (winner,) = [name for name, holder in results.items() if holder is None]
    assert len(results) == 8 and {holder for name, holder in results.items() if name != winner} == {winner}
    assert locks.holder(context, stack_id) == winner


def test_all_locks_by_engine(database, context, make_stack):
    first, second = make_stack(name='a'), make_stack(name='b')
    assert locks.by_engine(context) == {}
    locks.acquire(context, first, 'e1')
    locks.acquire(context, second, 'e2')
    assert locks.by_engine(context) == {'e1': [first], 'e2': [second]}


def test_stacks_in_progress_without_a_lock_are_found(database, context, make_stack):
    state = {'action': 'CREATE', 'status': 'IN_PROGRESS'}
    forgotten, held = make_stack('forgotten', **state), make_stack('held', **state)
    make_stack('done', action='CREATE', status='COMPLETE')
    gone = make_stack('gone', **state)
    locks.acquire(context, held, 'e1')
    stacks.delete(context, gone)
    assert locks.missing(context) == [forgotten]
