import json
import threading
import uuid

import pytest
from oslo_db import exception as db_exception
from sqlalchemy import func, select

from heat_lite.db import batch, events, journal, locks, models, resources, session, stacks
from heat_lite.db.column_types import utcnow
from tests import databases
from tests.effort import count_calls


def new_rows(count):
    return [
        {'uuid': str(uuid.uuid4()), 'name': f'r{number}', 'status': 'IN_PROGRESS', 'requires': []}
        for number in range(count)
    ]


def events_of(names, **values):
    return [
        {'row': name, 'resource_name': f'of {name}', 'uuid': str(uuid.uuid4()), **values}
        for name in names
    ]


def creation(stack_id, count):
    """Return a change set with new rows, each with properties and an event."""
    rows = new_rows(count)
    uuids = [row['uuid'] for row in rows]
    return journal.ChangeSet(
        stack_id,
        rows_added=rows,
        properties=[(name, {'name': name}) for name in uuids],
        events=events_of(uuids, resource_action='CREATE'),
    )


def test_save_inserts_rows_with_properties_and_events(database, context, make_stack):
    turn = creation(make_stack(), 5)
    ids = journal.save(turn)
    rows = resources.list_by_stack(turn.stack_id)
    assert [row.id for row in rows] == ids
    assert [row.uuid for row in rows] == [row['uuid'] for row in turn.rows_added]
    assert [row.properties for row in rows] == [{'name': row.uuid} for row in rows]
    assert turn.property_ids == {row.uuid: row.rsrc_prop_data_id for row in rows}
    for event in events.list_rows(turn.stack_id):
        assert event.resource_name == f'of {events.get(event.uuid).properties["name"]}'


def test_save_notes_the_replacement_with_the_replaced_row(database, context, make_stack):
    stack_id = make_stack()
    (old,) = journal.save(journal.ChangeSet(stack_id, rows_added=new_rows(1)))
    added = [{**row, 'replaces': old} for row in new_rows(1)]
    (new,) = journal.save(journal.ChangeSet(stack_id, rows_added=added))
    found = {row.id: row for row in resources.list_by_stack(stack_id)}
    assert (found[old].replaced_by, found[new].replaces) == (new, old)


def test_save_returns_ids_in_the_order_of_rows(database, context, make_stack):
    turn = creation(make_stack(), 400)
    ids = journal.save(turn)
    found = {row.id: row for row in resources.list_by_stack(turn.stack_id)}
    assert [found[row_id].name for row_id in ids] == [row['name'] for row in turn.rows_added]
    assert all(row.properties == {'name': row.uuid} for row in found.values())


@pytest.mark.parametrize('count', [1, 10, 128, 129, 300])
def test_changed_rows_with_different_values_are_updated(database, context, make_stack, count):
    stack_id = make_stack()
    ids = journal.save(creation(stack_id, count))
    bystander = journal.save(creation(stack_id, 1))
    moment = utcnow()
    changed = [
        {
            'id': row_id,
            'nova_instance': f'id of {row_id}',
            'rsrc_metadata': {'n': row_id},
            'status': 'COMPLETE',
            'updated_at': moment,
        }
        for row_id in reversed(ids)
    ]
    journal.save(journal.ChangeSet(stack_id, rows_changed=changed))
    rows = resources.list_by_stack(stack_id)
    assert [row.id for row in rows] == ids + bystander
    assert all(
        (row.nova_instance, row.rsrc_metadata) == (f'id of {row.id}', {'n': row.id})
        for row in rows[:-1]
    )
    assert {(row.status, row.updated_at) for row in rows[:-1]} == {('COMPLETE', moment)}
    assert (rows[-1].nova_instance, rows[-1].status, rows[-1].updated_at) == (
        None,
        'IN_PROGRESS',
        None,
    )


def test_changed_rows_with_different_columns_are_updated(database, context, make_stack):
    stack_id = make_stack()
    one, two, three = journal.save(creation(stack_id, 3))
    odd = {'name': 'it\'s "%s" %(odd)s ? :a \\ 😀'}
    changes = [
        {'id': one, 'status': 'FAILED'},
        {'id': two, 'replaces': one, 'requires': None},
        {'id': three, 'rsrc_metadata': odd},
    ]
    journal.save(journal.ChangeSet(stack_id, rows_changed=changes))
    first, second, third = resources.list_by_stack(stack_id)
    assert (first.status, second.status) == ('FAILED', 'IN_PROGRESS')
    assert (second.replaces, second.requires, third.requires) == (one, None, [])
    assert third.rsrc_metadata == odd


def test_uuids_of_required_rows_are_stored_as_ids(database, context, make_stack):
    stack_id = make_stack()
    (stored,) = journal.save(creation(stack_id, 1))
    first, second = new_rows(2)
    second['requires'] = [stored, first['uuid']]
    unknown = str(uuid.uuid4())
    changed = [{'id': stored, 'requires': [second['uuid'], unknown]}]
    added = journal.ChangeSet(stack_id, rows_added=[second, first], rows_changed=changed)
    second_id, first_id = journal.save(added)
    found = {row.id: row.requires for row in resources.list_by_stack(stack_id)}
    assert found == {stored: [second_id], second_id: [stored, first_id], first_id: []}
    earlier = [{'id': first_id, 'requires': [second['uuid']]}]
    journal.save(journal.ChangeSet(stack_id, rows_changed=earlier))
    assert resources.get(first_id).requires == [second_id]


def test_null_among_values_is_stored(database, context, make_stack):
    stack_id = make_stack()
    ids = journal.save(creation(stack_id, 3))
    values = [None, 7, None]
    moments = [utcnow(), None, None]
    changes = [
        {
            'id': row_id,
            'replaced_by': value,
            'engine_id': value and 'e',
            'updated_at': moment,
            'properties_data_encrypted': bool(value),
        }
        for row_id, value, moment in zip(ids, values, moments, strict=True)
    ]
    journal.save(journal.ChangeSet(stack_id, rows_changed=changes))
    rows = resources.list_by_stack(stack_id)
    assert [(row.replaced_by, row.engine_id, row.updated_at) for row in rows] == list(
        zip(values, [None, 'e', None], moments, strict=True)
    )
    assert [row.properties_data_encrypted for row in rows] == [False, True, False]


def test_new_properties_of_existing_rows_are_stored(database, context, make_stack):
    stack_id = make_stack()
    one, two = journal.save(creation(stack_id, 2))
    turn = journal.ChangeSet(
        stack_id,
        rows_changed=[{'id': one, 'status': 'COMPLETE'}],
        properties=[(one, {'a': 1}), (two, {'b': 2})],
        events=events_of([two, one]) + [{'resource_name': 'web', 'rsrc_prop_data_id': None}],
    )
    journal.save(turn)
    rows = resources.list_by_stack(stack_id)
    assert [(row.status, row.properties) for row in rows] == [
        ('COMPLETE', {'a': 1}),
        ('IN_PROGRESS', {'b': 2}),
    ]
    shown = [events.get(event.uuid) for event in events.list_rows(stack_id)][2:]
    assert [(event.resource_name, event.properties) for event in shown] == [
        (f'of {two}', {'b': 2}),
        (f'of {one}', {'a': 1}),
        ('web', None),
    ]


def test_event_with_older_properties_refers_to_them(database, context, make_stack):
    turn = creation(make_stack(), 1)
    (row_id,) = journal.save(turn)
    (properties_id,) = turn.property_ids.values()
    late = journal.ChangeSet(
        turn.stack_id, events=events_of([row_id], rsrc_prop_data_id=properties_id)
    )
    journal.save(late)
    assert events.get(late.events[0]['uuid']).properties == {'name': turn.rows_added[0]['uuid']}


def test_deleted_rows_are_removed(database, context, make_stack):
    turn = creation(make_stack(), 3)
    ids = journal.save(turn)
    journal.save(journal.ChangeSet(turn.stack_id, data=[(ids[0], 'key', 'value', False)]))
    journal.save(journal.ChangeSet(turn.stack_id, rows_deleted=ids[:2]))
    assert [row.id for row in resources.list_by_stack(turn.stack_id)] == ids[2:]
    assert len(events.list_rows(turn.stack_id)) == 3
    assert events.get(turn.events[0]['uuid']).properties == {'name': turn.rows_added[0]['uuid']}


def test_data_is_replaced_by_key(database, context, make_stack):
    turn = creation(make_stack(), 2)
    first, second = (row['uuid'] for row in turn.rows_added)
    turn.data = [(first, 'a', '1', False), (first, 'b', 'secret', True), (second, 'a', '2', False)]
    one, two = journal.save(turn)
    journal.save(
        journal.ChangeSet(
            turn.stack_id,
            data=[(one, 'a', '3', False), (two, 'c', '4', False)],
            data_deleted=[(one, 'b'), (two, 'x')],
        ),
    )
    assert [row.data for row in resources.list_by_stack(turn.stack_id)] == [
        {'a': '3'},
        {'a': '2', 'c': '4'},
    ]


def test_stack_is_updated_with_its_rows(database, context, make_stack):
    stack_id = make_stack(current_traversal='t1')
    turn = journal.ChangeSet(
        stack_id,
        stack={'status': 'COMPLETE', 'outputs': [{'output_value': '😀'}]},
    )
    journal.save(turn)
    row = stacks.get(context, stack_id)
    assert (row.status, row.outputs) == ('COMPLETE', [{'output_value': '😀'}])


def test_deleted_stack_releases_its_name(database, context, make_stack):
    journal.save(
        journal.ChangeSet(make_stack('web'), stack={'deleted_at': utcnow(), 'action': 'DELETE'}),
    )
    make_stack('web')


def test_empty_change_set_sends_no_statement(database, context, make_stack):
    stack_id = make_stack()
    with databases.statements() as sent:
        assert journal.save(journal.ChangeSet(stack_id)) == []
    assert sent == []


def test_texts_of_any_length_and_characters_are_stored(database, context, make_stack):
    turn = creation(make_stack(), 2)
    long = '😀\0' * 50_000
    for row in turn.rows_added:
        row['status_reason'] = long
    for event in turn.events:
        event.update(resource_status_reason=long, physical_resource_id=long, resource_type=long)
    ids = journal.save(turn)
    journal.save(
        journal.ChangeSet(
            turn.stack_id,
            {'status_reason': long},
            rows_changed=[{'id': ids[0], 'status_reason': long + 'x'}],
        ),
    )
    assert all(
        row.status_reason.startswith('😀\ufffd😀') for row in resources.list_by_stack(turn.stack_id)
    )
    assert all(
        len(event.resource_status_reason) == 255 for event in events.list_rows(turn.stack_id)
    )


def test_change_set_saved_twice_is_stored_once(database, context, make_stack):
    """A caller repeats the call if it does not know the outcome."""
    turn = creation(make_stack(), 3)
    turn.data = [(turn.rows_added[0]['uuid'], 'a', '1', False)]
    ids = journal.save(turn)
    first = turn.property_ids
    assert journal.save(turn) == ids
    assert turn.property_ids == first
    assert (
        len(resources.list_by_stack(turn.stack_id)) == 3
        and len(events.list_rows(turn.stack_id)) == 3
    )


@pytest.mark.parametrize('stored', [True, False])
def test_change_set_with_lost_commit_is_stored_once(database, context, make_stack, stored):
    """The connection is lost at the commit, before or after the server has committed."""
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    turn = creation(make_stack(), 2)
    with databases.lose_first_commit(database, stored) as lost:
        ids = journal.save(turn)
    assert [row.id for row in resources.list_by_stack(turn.stack_id)] == ids
    assert len(ids) == 2 and len(events.list_rows(turn.stack_id)) == 2 and lost


def test_existing_uuid_of_another_row_raises(database, context, make_stack):
    turn = creation(make_stack(), 1)
    journal.save(turn)
    clash = journal.ChangeSet(turn.stack_id, rows_added=[*new_rows(1), dict(turn.rows_added[0])])
    with pytest.raises(db_exception.DBDuplicateEntry):
        journal.save(clash)


# --------------------------------------------------------------- costs


def full_turn(context, stack_id, count):
    """Return a change set that changes each row, with new properties, two events and data."""
    ids = journal.save(creation(stack_id, count))
    return journal.ChangeSet(
        stack_id,
        stack={'status': 'COMPLETE'},
        rows_added=new_rows(10),
        rows_changed=[
            {
                'id': i,
                'nova_instance': f'id of {i}',
                'rsrc_metadata': {'n': i},
                'status': 'COMPLETE',
            }
            for i in ids
        ],
        properties=[(i, {'n': i}) for i in ids],
        events=events_of(ids) + events_of(ids),
        data=[(i, 'key', str(i), False) for i in ids],
    )


def test_change_set_takes_few_statements(database, context, make_stack):
    turn = full_turn(context, make_stack(current_traversal='t1'), 100)
    with databases.statements() as sent:
        journal.save(turn)
    verbs = [
        ' '.join(statement.split()[:3]) for statement in sent if not statement.startswith('BEGIN')
    ]
    assert verbs == [
        'UPDATE stack SET',
        'INSERT INTO resource_properties_data',
        'INSERT INTO resource',
        'UPDATE resource SET',
        'DELETE FROM resource_data',
        'INSERT INTO resource_data',
        'INSERT INTO event',
    ]


def test_number_of_statements_is_independent_of_rows(database, context, make_stack):
    counts = {}
    for count in (1, batch.CHUNK, 3 * batch.CHUNK):
        turn = full_turn(context, make_stack(f'of {count}', current_traversal='t1'), count)
        with databases.statements() as sent:
            journal.save(turn)
        counts[count] = len(sent)
    assert counts[1] == counts[batch.CHUNK] == counts[3 * batch.CHUNK] - 2


def test_change_set_work_is_bounded(database, context, make_stack):
    turns = [
        full_turn(context, make_stack(f'number {n}', current_traversal='t1'), 100) for n in range(3)
    ]
    counts = [count_calls(lambda turn=turn: journal.save(turn)) for turn in turns]
    assert min(counts) < 60_000, counts


def test_concurrent_change_sets_of_many_stacks_do_not_deadlock(database, context, make_stack):
    """Concurrent change sets neither deadlock nor mix up their rows."""
    stack_ids = [make_stack(f's{number}', current_traversal='t1') for number in range(6)]
    failures = []

    def work(stack_id):
        try:
            for _ in range(3):
                journal.save(full_turn(context, stack_id, 20))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(stack_id,)) for stack_id in stack_ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures
    assert {len(resources.list_by_stack(stack_id)) for stack_id in stack_ids} == {90}


def test_properties_are_stored_as_json(database, context, make_stack):
    journal.save(creation(make_stack(), 1))

    @session.reader
    def stored():
        return (
            session.connection()
            .exec_driver_sql('SELECT data FROM resource_properties_data')
            .scalar()
        )

    assert isinstance(json.loads(stored()), dict)


def test_no_properties_have_no_row(database, context, make_stack):
    stack_id = make_stack()
    (row,) = journal.save(creation(stack_id, 1))
    assert resources.get(row).rsrc_prop_data_id is not None
    turn = journal.ChangeSet(
        stack_id, properties=[(row, {})], events=[{'row': row, 'uuid': 'without-properties'}]
    )
    journal.save(turn)
    found = resources.get(row)
    assert (found.rsrc_prop_data_id, found.properties, turn.property_ids) == (
        None,
        None,
        {row: None},
    )
    assert events.get('without-properties').properties is None


def test_unchanged_properties_are_not_stored_again(database, context, make_stack):
    journal.save(full_turn(context, make_stack(current_traversal='t1'), 7))

    @session.reader
    def count():
        return session.execute(
            select(func.count()).select_from(models.resource_properties_data)
        ).scalar()

    assert count() == 14


def test_save_without_the_stack_lock_raises_lock_lost(database, context, make_stack):
    stack_id, other_id = make_stack(), make_stack(name='other')
    locks.acquire(stack_id, 'one')
    turn = creation(stack_id, 1)
    turn.holder = 'one'
    journal.save(turn)
    locks.steal(stack_id, 'one', 'two')
    late = creation(stack_id, 1)
    late.holder = 'one'
    with pytest.raises(journal.LockLost):
        journal.save(late)
    unlocked = creation(other_id, 1)
    unlocked.holder = 'one'
    with pytest.raises(journal.LockLost):
        journal.save(unlocked)
    assert len(resources.list_by_stack(stack_id)) == 1 and not resources.list_by_stack(other_id)
