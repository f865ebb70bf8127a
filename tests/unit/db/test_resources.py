import concurrent.futures
import threading

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import journal, models, resources, session
from tests import databases


def add(context, stack_id, *names, **values):
    rows = [{'uuid': f'{stack_id[:18]}{name}', 'name': name, **values} for name in names]
    return journal.save(journal.ChangeSet(stack_id, rows_added=rows))


def test_list_by_stack_returns_rows_with_properties_and_data(database, context, make_stack):
    one, two = make_stack('one'), make_stack('two')
    ids = add(
        context,
        one,
        'b',
        'a',
        action='CREATE',
        status='COMPLETE',
        requires=[1],
        needed_by=['x'],
        rsrc_metadata={'k': '😀'},
    )
    add(context, two, 'c')
    rows = resources.list_by_stack(one)
    assert [(row.id, row.name) for row in rows] == list(zip(ids, 'ba', strict=True))
    row = rows[0]
    assert (row.action, row.status, row.requires, row.needed_by, row.rsrc_metadata) == (
        'CREATE',
        'COMPLETE',
        [1],
        ['x'],
        {'k': '😀'},
    )
    assert (row.properties, row.data, row.nova_instance) == (None, {}, None)
    columns = {*models.resource.c.keys()} - {'signal_engine'}
    assert columns | {'properties', 'data'} == set(row._fields)


def test_list_by_stacks_returns_rows_of_each_stack(database, context, make_stack):
    one, two, three = make_stack('one'), make_stack('two'), make_stack('three')
    first, second, _ = add(context, one, 'a'), add(context, two, 'b'), add(context, three, 'c')
    databases.set_data(context, resources.get(second[0]), 'key', 'value')
    assert [(row.id, row.data) for row in resources.list_by_stacks([two, one])] == [
        (first[0], {}),
        (second[0], {'key': 'value'}),
    ]
    assert resources.list_by_stacks([]) == []


@pytest.mark.parametrize('table', ['resource', 'resource_data'])
def test_rows_with_old_data_are_never_those_of_an_ended_update(
    database, context, make_stack, table
):
    stack_id = make_stack()
    (row_id,) = add(context, stack_id, 'a', action='UPDATE', status='IN_PROGRESS')
    databases.set_data(context, resources.get(row_id), 'key', 'old')

    def update():
        changes = journal.ChangeSet(
            stack_id,
            rows_changed=[{'id': row_id, 'status': 'COMPLETE'}],
            data=[(row_id, 'key', 'new', False)],
        )
        writer = threading.Thread(target=journal.save, args=(changes,))
        writer.start()
        writer.join()

    with (
        concurrent.futures.ThreadPoolExecutor(1) as pool,
        databases.before_first(f'SELECT {table}.', update),
    ):
        (row,) = pool.submit(resources.list_by_stack, stack_id).result()
    assert (row.status, row.data) in [
        ('COMPLETE', {'key': 'new'}),
        ('IN_PROGRESS', {'key': 'new'}),
    ]


def test_list_brief_reads_small_columns_only(database, context, make_stack):
    one, two = make_stack('one'), make_stack('two')
    ids = add(
        context,
        one,
        'b',
        'a',
        action='CREATE',
        status='COMPLETE',
        status_reason='made',
        nova_instance='x',
    )
    with databases.statements() as sent:
        found = resources.list_brief([one, two])
    assert len(sent) == 1 and list(found) == [one]
    assert [(row.id, row.name) for row in found[one]] == list(zip(ids, 'ba', strict=True))
    row = found[one][0]
    assert (row.stack_id, row.action, row.status, row.status_reason, row.nova_instance) == (
        one,
        'CREATE',
        'COMPLETE',
        'made',
        'x',
    )
    assert resources.list_brief([]) == {}


@pytest.mark.parametrize('count', [1, 200])
def test_list_by_stack_takes_two_statements(database, context, make_stack, count):
    stack_id = make_stack()
    add(context, stack_id, *(f'r{number}' for number in range(count)))
    with databases.statements() as sent:
        assert len(resources.list_by_stack(stack_id)) == count
    assert len(sent) == 2


def test_get_by_name_returns_the_newest_row(database, context, make_stack):
    stack_id = make_stack()
    add(context, stack_id, 'a')
    (second,) = journal.save(
        journal.ChangeSet(stack_id, rows_added=[{'uuid': 'another', 'name': 'a'}])
    )
    assert resources.list_by_name(stack_id, 'a')[-1].id == second
    assert resources.list_by_name(stack_id, 'A') == []
    assert resources.get(second).uuid == 'another'
    assert resources.get(second + 1) is None


def test_get_by_physical_id_is_limited_to_the_project(database, context, other, make_stack):
    stack_id = make_stack(stack_user_project_id='its users')
    (row_id,) = add(context, stack_id, 'a', nova_instance='the object')
    assert resources.get_by_physical_id(context, 'the object').id == row_id
    assert (
        resources.get_by_physical_id(
            RequestContext(project_id='its users', overwrite=False), 'the object'
        ).id
        == row_id
    )
    assert resources.get_by_physical_id(other, 'the object') is None
    assert resources.get_by_physical_id(context, 'another') is None


def test_metadata_is_stored_and_read(database, context, make_stack):
    (row_id,) = add(context, make_stack(), 'a', atomic_key=3)
    assert resources.set_metadata(row_id, {'a': 1})
    assert resources.set_metadata(row_id, {'a': 2}, expect=3)
    assert not resources.set_metadata(row_id, {'a': 3}, expect=3)
    row = resources.get(row_id)
    assert (row.rsrc_metadata, row.atomic_key) == ({'a': 2}, 4)
    assert resources.metadata(row_id) == ({'a': 2}, 4)
    assert resources.metadata(row_id + 1) is None


def test_set_metadata_without_atomic_key_stores_it(database, context, make_stack):
    (row_id,) = add(context, make_stack(), 'a')
    assert resources.metadata(row_id) == (None, None)
    assert resources.set_metadata(row_id, {'a': 1}, expect=None)
    assert not resources.set_metadata(row_id, {'a': 2}, expect=None), 'another writer was first'
    assert resources.metadata(row_id) == ({'a': 1}, 1)


def test_data_is_stored_by_key(database, context, make_stack):
    (row_id,) = add(context, make_stack(), 'a')
    row = resources.get(row_id)
    databases.set_data(context, row, 'key', 'one')
    databases.set_data(context, row, 'key', 'two')
    databases.set_data(context, row, 'other', 'x' * 10_000, redact=True)
    assert resources.get(row_id).data == {'key': 'two', 'other': 'x' * 10_000}
    assert resources.data(row_id) == [('key', 'two', False), ('other', 'x' * 10_000, True)]
    journal.save(journal.ChangeSet(row.stack_id, data_deleted=[(row_id, 'key')]))
    assert list(resources.get(row_id).data) == ['other']


def test_redacted_data_is_encrypted(backend_url, context):
    _, url = backend_url

    @session.reader
    def stored():
        return (
            session.connection().exec_driver_sql('SELECT value FROM resource_data').scalars().all()
        )

    with databases.configured(url, key='a key of some length'):
        databases.delete_all_rows()
        stack_id = databases.make_stack(context)
        (row_id,) = add(context, stack_id, 'a')
        row = resources.get(row_id)
        databases.set_data(context, row, 'one', 'a secret', redact=True)
        journal.save(journal.ChangeSet(stack_id, data=[(row_id, 'two', 'a secret', True)]))
        assert resources.get(row_id).data == {'one': 'a secret', 'two': 'a secret'}
        assert len(stored()) == 2 and not any('a secret' in value for value in stored())
    with (
        databases.configured(url, key='another key'),
        pytest.raises(exception.InvalidEncryptionKey),
    ):
        resources.get(row_id)
