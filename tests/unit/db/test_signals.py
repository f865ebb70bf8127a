"""The rows of signals that are not handled yet."""

import pytest
from sqlalchemy import delete

from heat_lite.common import exception
from heat_lite.db import journal, locks, models, resources, session, signals


@pytest.fixture
def row(context, make_stack):
    """Return the id of a resource."""
    added = [{'uuid': 'r', 'name': 'r', 'nova_instance': 'physical', 'replaces': None}]
    return journal.save(journal.ChangeSet(make_stack(), rows_added=added))[0]


def waiting(context, row, engine='one'):
    return [signal.details for signal in signals.waiting(row, engine)]


def event(name):
    return {'uuid': name, 'resource_name': name}


def test_signals_wait_in_the_order_of_their_arrival(database, context, row):
    ids = [signals.add(row, 'one', {'n': number}) for number in range(3)]
    signals.add(row, 'other', None, token='t')
    assert ids == sorted(ids) and waiting(context, row) == [{'n': 0}, {'n': 1}, {'n': 2}]
    (first,) = signals.waiting(row, 'one', limit=1)
    assert (first.id, first.token, first.quarantine) == (ids[0], None, None)
    (other,) = signals.waiting(row, 'other')
    assert (other.details, other.token) == (None, 't')
    assert waiting(context, row + 1) == []


def test_signal_to_a_resource_that_is_gone_is_refused(database, context, row):
    with pytest.raises(exception.EntityNotFound):
        signals.add(row + 1, 'one', None)


def test_target_is_found_by_name_and_physical_id(database, context, row):
    stack_id = resources.get(row).stack_id
    signals.add(row, 'one', None)
    (named,) = signals.targets(stack_id, 'r')
    assert (named.listed.id, named.waiting) == (row, 1)
    assert signals.targets(stack_id, 'physical') == [named]
    assert signals.targets(stack_id, 'x') == []
    metadata, key = resources.metadata(row)
    resources.set_metadata(row, {'a': 1}, expect=key)
    assert signals.targets(stack_id, 'r')[0].version[0] == named.version[0] + 1


def test_signals_are_used_once_and_with_what_they_change(database, context, row):
    stack_id = resources.get(row).stack_id
    ids = [signals.add(row, 'one', number) for number in range(3)]

    def changes(name, key, used, engine='one'):
        owned = dict.fromkeys(used, engine)
        metadata = [(row, {'by': name}, key)]
        return journal.ChangeSet(stack_id, metadata=metadata, signals=owned, events=[event(name)])

    journal.save(changes('first', None, ids[:2]))
    assert waiting(context, row) == [2] and resources.metadata(row) == ({'by': 'first'}, 1)
    for late, error in (
        (changes('used', 1, ids[1:]), signals.SignalsTaken),
        (changes('of another', 1, ids[2:], 'other'), signals.SignalsTaken),
        (changes('outdated', None, ids[2:]), journal.MetadataChanged),
    ):
        with pytest.raises(error):
            journal.save(late)
    assert waiting(context, row) == [2] and resources.metadata(row) == ({'by': 'first'}, 1)
    signals.use({ids[2]: 'one'})
    with pytest.raises(signals.SignalsTaken):
        signals.use({ids[2]: 'one'})
    assert signals.by_engine() == {}


def test_signals_of_a_dead_engine_go_to_another_and_are_guarded(database, context, row):
    stack_id = resources.get(row).stack_id
    signal_id = signals.add(row, 'dead', 'x')
    assert signals.by_engine() == {'dead': {row: stack_id}}
    signals.claim(row, 'dead', 'one')
    assert waiting(context, row, 'dead') == [] and waiting(context, row) == ['x']
    assert not signals.is_waiting(signal_id, 'dead')
    assert signals.is_waiting(signal_id, 'one')
    assert locks.quarantine(signal_id) == {}
    assert locks.set_quarantine(signal_id, 'one', {'engine': 'one'})
    assert not locks.set_quarantine(signal_id, 'dead', None)
    locks.record_engine_end('one', True)
    assert locks.quarantine(signal_id) == {'engine': 'one', locks.ENDED: {'one': True}}
    signals.claim(row, 'one', 'two')
    assert locks.quarantine(signal_id)['engine'] == 'one'


def test_signals_are_deleted_with_their_resource(database, context, row):
    signals.add(row, 'one', None)

    @session.writer
    def remove():
        session.execute(delete(models.resource).where(models.resource.c.id == row))

    remove()
    assert waiting(context, row) == []


def test_id_of_a_handled_signal_is_not_used_again(database, context, row):
    first = signals.add(row, 'one', None)
    signals.use({first: 'one'})
    assert signals.add(row, 'one', None) > first
