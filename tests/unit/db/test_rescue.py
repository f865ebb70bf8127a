import pytest
from sqlalchemy import select

from heat_lite.common import exception
from heat_lite.db import journal, locks, models, rescue, resources, session, stacks


@session.reader
def states(context):
    return {row.name: (row.status, row.status_reason) for row in session.execute(select(models.stack)).all()}


def test_a_tree_is_reset(database, context, make_stack):
    top = make_stack('top', action='CREATE', status='IN_PROGRESS')
    inside = make_stack('inside', owner_id=top, action='CREATE', status='IN_PROGRESS')
    done = make_stack('done', owner_id=top, action='CREATE', status='COMPLETE', status_reason='fine')
    other = make_stack('other', action='CREATE', status='IN_PROGRESS')
    for number, stack_id in enumerate((top, inside, done, other)):
        locks.acquire(context, stack_id, 'engine')
        rows = [
            {'uuid': f'{number}a', 'name': 'a', 'action': 'CREATE', 'status': 'IN_PROGRESS', 'engine_id': 'engine'},
            {'uuid': f'{number}b', 'name': 'b', 'action': 'CREATE', 'status': 'COMPLETE', 'status_reason': 'made'},
        ]
        journal.save(context, journal.Turn(stack_id, rows_added=rows))
    assert rescue.reset(context, top) == 3
    assert states(context) == {
        'top': ('FAILED', rescue.REASON),
        'inside': ('FAILED', rescue.REASON),
        'done': ('COMPLETE', 'fine'),
        'other': ('IN_PROGRESS', states(context)['other'][1]),
    }
    assert [locks.holder(context, each) for each in (top, inside, done, other)] == [None, None, None, 'engine']
    found = [(row.name, row.status, row.status_reason, row.engine_id) for row in resources.for_stack(context, inside)]
    assert found == [('a', 'FAILED', rescue.REASON, None), ('b', 'COMPLETE', 'made', None)]
    assert resources.for_stack(context, other)[0].status == 'IN_PROGRESS'


def test_there_is_no_such_stack(database, context, make_stack):
    gone = make_stack('gone')
    stacks.delete(context, gone)
    for stack_id in (gone, 'nothing'):
        with pytest.raises(exception.EntityNotFound):
            rescue.reset(context, stack_id)
