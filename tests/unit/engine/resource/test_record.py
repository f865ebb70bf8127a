"""The rows of resources before they are written."""

import sys
import threading

import pytest

from heat_lite.engine.resource.record import Journal, PendingChanges, Record


@pytest.fixture
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_uuid_is_the_same_for_each_thread(frequent_switches):
    for _ in range(200):
        records = [Record(None, 'name', 'stack') for _ in range(50)]
        found, barrier = {}, threading.Barrier(2)

        def read(number, records=records, found=found, barrier=barrier):
            barrier.wait()
            found[number] = [record.uuid for record in records]

        threads = [threading.Thread(target=read, args=[number]) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found[0] == found[1]


def test_other_missing_value_is_an_attribute_error():
    with pytest.raises(AttributeError, match='anything'):
        Record(None, 'name', 'stack').anything  # noqa: B018


def pending(*records):
    changes = PendingChanges()
    for record in records:
        changes.changed[record] = {'status': 'COMPLETE'}
        changes.data[record, 'key'] = ('value', False)
        changes.events.append((record, {'resource_name': record.name}))
    return changes


def stored(name, row_id):
    record = Record(None, name, 'stack')
    record.id = row_id
    return record


def test_changes_of_several_rows_are_one_change_set():
    one, other, new = stored('one', 1), stored('other', 2), Record(None, 'new', 'stack')
    changes = pending(one, other)
    changes.stack['status'] = 'COMPLETE'
    changes.added.append(new)
    changes.properties[new] = {}
    changes.events.append((None, {'resource_name': 'the stack'}))
    found = changes.change_set('stack', 'engine', None)
    assert [row['name'] for row in found.rows_added] == ['new']
    assert found.rows_changed[-1] == {'id': 2, 'status': 'COMPLETE'}
    assert (2, 'key', 'value', False) in found.data
    assert [event['resource_name'] for event in found.events] == ['one', 'other', 'the stack']
    assert (found.stack, found.holder) == ({'status': 'COMPLETE'}, 'engine')
    assert changes.records() == {one, other, new}


def test_last_change_of_data_is_stored():
    record = stored('r', 1)
    journal = Journal(None, 'stack')
    record.journal = journal
    record.set_data('gone', '1')
    record.delete_data('gone')
    record.data['back'] = '1'
    record.delete_data('back')
    record.set_data('back', '2', redact=True)
    changes = journal._pending.change_set('stack', None, None)
    assert changes.data == [(1, 'back', '2', True)] and changes.data_deleted == [(1, 'gone')]
