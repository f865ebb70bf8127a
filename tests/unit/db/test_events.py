import datetime
import uuid

import pytest
from sqlalchemy import select

from heat_lite.db import events, journal, models, resources, session
from tests import databases

START = datetime.datetime(2024, 1, 1)


def tell(context, stack_id, *names, **values):
    listed = [
        {
            'uuid': str(uuid.uuid4()),
            'resource_name': name,
            'created_at': START + datetime.timedelta(seconds=number // 2),
            **values,
        }
        for number, name in enumerate(names)
    ]
    journal.save(journal.ChangeSet(stack_id, events=listed))
    return [event['uuid'] for event in listed]


def names(rows):
    return ''.join(row.resource_name for row in rows)


def test_list_is_in_the_order_of_insertion(database, context, make_stack):
    one, two = make_stack('one'), make_stack('two')
    tell(context, one, *'cab')
    tell(context, two, 'x')
    tell(context, one, 'd')
    assert names(events.list_rows(one)) == 'cabd'
    assert names(events.list_rows(one, sort_dir='desc')) == 'dbac'
    assert names(events.list_rows([two, one])) == 'cabxd'
    assert events.list_rows([]) == []


@pytest.mark.parametrize(
    ('arguments', 'wanted'),
    [
        ({'sort_keys': ['resource_name']}, 'aabcd'),
        ({'sort_keys': ['resource_name'], 'sort_dir': 'desc'}, 'dcbaa'),
        ({'sort_keys': ['event_time']}, 'dacba'),
        ({'sort_keys': ['bogus']}, 'dacba'),
        ({'filters': {'resource_name': 'a'}}, 'aa'),
        ({'filters': {'resource_name': ['a', 'c']}}, 'aca'),
        ({'filters': {'resource_name': 'a', 'resource_status': 'FAILED'}}, ''),
        ({'filters': {'resource_action': 'CREATE'}}, 'dacba'),
        ({'filters': {'bogus': 'x'}}, 'dacba'),
        ({'limit': 2}, 'da'),
        ({'limit': 0}, ''),
        ({'marker': 'no such', 'limit': 1}, 'd'),
    ],
    ids=str,
)
def test_list_filters_sorts_and_pages(database, context, make_stack, arguments, wanted):
    stack_id = make_stack()
    tell(context, stack_id, *'dacba', resource_action='CREATE', resource_status='COMPLETE')
    assert names(events.list_rows(stack_id, **arguments)) == wanted


@pytest.mark.parametrize('direction', ['asc', 'desc'])
@pytest.mark.parametrize(
    'keys', [None, ['event_time'], ['resource_name'], ['resource_type']], ids=str
)
def test_all_pages_equal_the_whole_list(database, context, make_stack, keys, direction):
    stack_id = make_stack()
    tell(context, stack_id, *'dacbaefgh')
    whole = events.list_rows(stack_id, sort_keys=keys, sort_dir=direction)
    pages, marker = [], None
    while page := events.list_rows(
        stack_id, limit=2, marker=marker, sort_keys=keys, sort_dir=direction
    ):
        pages += page
        marker = page[-1].uuid
    assert pages == whole and len(whole) == 9


def test_list_with_unknown_direction_raises(database, context):
    with pytest.raises(ValueError, match='sort direction'):
        events.list_rows('any', sort_dir='up')


def test_get_returns_event_with_properties(database, context, make_stack):
    (first,) = tell(
        context, make_stack(), 'a', physical_resource_id='p', resource_status_reason='r' * 300
    )
    event = events.get(first)
    assert (
        event.resource_name,
        event.physical_resource_id,
        event.created_at,
        event.properties,
    ) == ('a', 'p', START, None)
    assert len(event.resource_status_reason) == 255
    assert events.get('no such') is None


def test_trim_deletes_the_oldest_events_and_unused_properties(database, context, make_stack):
    stack_id, other_stack = make_stack('one'), make_stack('two')
    rows = [{'uuid': f'r{number}', 'name': f'r{number}'} for number in range(3)]
    journal.save(
        journal.ChangeSet(
            stack_id,
            rows_added=rows,
            properties=[(row['uuid'], row) for row in rows],
            events=[{'row': row['uuid'], 'resource_name': row['name']} for row in rows],
        ),
    )
    assert events.get(events.list_rows(stack_id)[0].uuid).properties == rows[0]
    journal.save(
        journal.ChangeSet(
            stack_id, rows_deleted=[row.id for row in rows_of(context, stack_id)[:1]]
        ),
    )
    tell(context, other_stack, *'abcdefg')
    tell(context, stack_id, *'abcdefg')
    assert events.trim(stack_id, keep=10, batch_size=4) == 0
    assert events.trim(stack_id, keep=9, batch_size=1) == 2
    assert events.trim(stack_id, keep=9, batch_size=1) == 0
    assert [row.resource_name for row in events.list_rows(stack_id)] == ['r2', *'abcdefg']
    assert events.trim(stack_id, keep=3, batch_size=200) == 8
    assert len(events.list_rows(other_stack)) == 7
    # The properties of the deleted row are deleted with its last event; the others are in use.
    assert [row.properties for row in rows_of(context, stack_id)] == rows[1:]
    assert property_ids() == {row.rsrc_prop_data_id for row in rows_of(context, stack_id)}


def rows_of(context, stack_id):
    return resources.list_by_stack(stack_id)


@session.reader
def property_ids():
    return set(session.execute(select(models.resource_properties_data.c.id)).scalars())


def test_trim_below_the_limit_is_one_statement(database, context, make_stack):
    stack_id = make_stack()
    tell(context, stack_id, *'abc')
    with databases.statements() as sent:
        events.trim(stack_id, keep=1000, batch_size=200)
    assert len([statement for statement in sent if not statement.startswith('BEGIN')]) == 1
