import threading

import pytest
from oslo_db import exception as db_exception

from heat_lite.common import exception
from heat_lite.db import locks, stack_creation, stacks
from heat_lite.db.queries import StackFilter
from tests import databases


def test_create_with_existing_name_raises(database, context, make_stack):
    first = make_stack('web')
    with pytest.raises(exception.StackExists, match=r'The Stack \(web\) already exists'):
        make_stack('web')
    make_stack('WEB')
    make_stack('web', tenant='other')
    make_stack('web', owner_id=first)
    make_stack('web', owner_id=first)
    make_stack('web', backup=True)


def test_create_after_deletion_reuses_the_name(database, context, make_stack):
    for _ in range(3):
        assert stacks.delete(make_stack('web'))
    make_stack('web')
    with pytest.raises(exception.StackExists):
        make_stack('web')


def test_create_with_existing_id_raises_duplicate_entry(database, make_stack):
    make_stack('one', id='the id')
    with pytest.raises(db_exception.DBDuplicateEntry):
        make_stack('two', id='the id')


def test_one_of_many_concurrent_creates_succeeds(database, context, make_stack):
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
    assert len(results) == 8 and [row.id for row in stacks.list_rows(context)] == [winner]


@pytest.mark.parametrize('stored', [True, False])
@pytest.mark.parametrize('owner', [True, False])
def test_store_with_lost_commit_creates_one_stack(database, context, make_stack, stored, owner):
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    values = {
        'name': 'inside',
        'tenant': context.tenant_id,
        'owner_id': make_stack('outside') if owner else None,
    }
    with databases.lose_first_commit(database, stored) as lost:
        stack_id, template_id = stack_creation.store(
            ({'heat_template_version': '2018-08-31'},), values, (), 'engine'
        )
    assert lost and [
        row.id
        for row in stacks.list_rows(
            context, StackFilter(show_nested=True, filters={'name': 'inside'})
        )
    ] == [stack_id]
    assert (
        stacks.get(context, stack_id).raw_template_id == template_id
        and locks.holder(stack_id) == 'engine'
    )
