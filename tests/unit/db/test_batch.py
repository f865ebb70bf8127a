"""Rows that are inserted with few statements."""

from sqlalchemy import insert, select

from heat_lite.db import batch, models, session
from heat_lite.db.column_types import utcnow

_R = models.resource


@session.writer
def insert_rows(context, rows):
    return batch.insert(insert(_R), rows, returning=_R.c.id)


@session.reader
def rows_of(context, stack_id):
    query = select(_R).where(_R.c.stack_id == stack_id)
    return {row.id: row for row in session.execute(query)}


def test_inserted_rows_have_ids_in_their_order_and_defaults(context, make_stack, monkeypatch):
    """Also beyond one statement, and for texts that are no SQL."""
    monkeypatch.setattr(batch, 'INSERTED_ROWS', 3)
    stack_id, now = make_stack('web'), utcnow()
    names = ["a'b", 'c%s', '%(id)s', 'd\\', 'é"`', 'last']
    rows = [
        {'name': name, 'stack_id': stack_id, 'created_at': now, 'requires': [number]}
        for number, name in enumerate(names)
    ]
    rows[1]['rsrc_metadata'] = {"k'": '%d'}
    ids = insert_rows(context, rows)
    found = rows_of(context, stack_id)
    assert [found[each].name for each in ids] == names
    assert ids == sorted(ids)
    assert [found[each].requires for each in ids] == [[number] for number in range(6)]
    assert [found[each].rsrc_metadata for each in ids] == [None, {"k'": '%d'}, *[None] * 4]
    assert len({row.uuid for row in found.values()}) == 6
    assert {row.properties_data_encrypted for row in found.values()} == {False}
    assert {row.created_at for row in found.values()} == {now}


def test_long_values_are_inserted_too(context, make_stack, monkeypatch):
    """Rows whose values are too long for one statement are divided by the driver."""
    monkeypatch.setattr(batch, 'INSERTED_CHARACTERS', 100)
    stack_id = make_stack('web')
    rows = [{'name': f'{number}' * 60, 'stack_id': stack_id} for number in range(3)]
    ids = insert_rows(context, rows)
    found = rows_of(context, stack_id)
    assert [found[each].name for each in ids] == [row['name'] for row in rows]


def test_equal_values_of_rows_are_stored_in_each(context, make_stack):
    stack_id = make_stack('web')
    rows = [
        {'name': 'same', 'stack_id': stack_id, 'action': action, 'rsrc_metadata': {'k': 1}}
        for action in ('CREATE', 'UPDATE', 'CREATE')
    ]
    ids = insert_rows(context, rows)
    found = rows_of(context, stack_id)
    assert [found[each].action for each in ids] == ['CREATE', 'UPDATE', 'CREATE']
    assert [found[each].rsrc_metadata for each in ids] == [{'k': 1}] * 3
    assert len({row.uuid for row in found.values()}) == 3
