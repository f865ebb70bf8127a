"""The move of properties from the columns of old versions of Heat."""

import datetime
import pickle

import sqlalchemy
from sqlalchemy import insert, select

from heat_lite.db import former_properties, models, resources, session

PLAIN, STAMP = {'flavor': 'm1'}, datetime.datetime(2020, 1, 2)


@session.writer
def old_rows(stack_id, pickled):
    """Insert a resource and an event as an old version of Heat has written them."""
    row = {'stack_id': stack_id, 'name': 'server', 'properties_data': PLAIN, 'updated_at': STAMP}
    session.execute(insert(models.resource), [row])
    event = {'stack_id': stack_id, 'resource_name': 'server', 'resource_properties': pickled}
    session.execute(insert(models.event), [event])


@session.reader
def properties_of(table):
    data = models.resource_properties_data
    query = select(data.c.data).join(table, table.c.rsrc_prop_data_id == data.c.id)
    return session.execute(query).scalars().all()


@session.reader
def resource_row():
    return session.execute(select(models.resource)).one()


def test_former_properties_of_resources_and_events_are_moved_once(context, make_stack):
    old_rows(make_stack(), pickle.dumps({'size': 3}))
    moved = former_properties.move()
    assert (moved.resources, moved.events, moved.unreadable) == (1, 1, [])
    assert properties_of(models.resource) == [PLAIN]
    assert properties_of(models.event) == [{'size': 3}]
    assert resource_row().properties_data is None
    assert resource_row().updated_at.replace(tzinfo=None) == STAMP
    assert resources.get(resource_row().id).properties == PLAIN
    assert former_properties.move() == former_properties.Moved(0, 0, [])


class Hostile:
    def __reduce__(self):
        return sqlalchemy.create_engine, ('sqlite://',)


def test_pickled_object_of_a_class_is_reported_and_stays(context, make_stack):
    old_rows(make_stack(), pickle.dumps({'a': Hostile()}))
    moved = former_properties.move()
    assert (moved.resources, moved.events) == (1, 0)
    assert [reason for _, reason in moved.unreadable] == [
        'it contains an object of sqlalchemy.engine.create.create_engine'
    ]
    assert properties_of(models.event) == []


def test_damaged_pickles_do_not_stop_the_others(context, make_stack):
    stack_id = make_stack()
    old_rows(stack_id, b'\x80nonsense')
    old_rows(stack_id, pickle.dumps({'size': 4}))
    moved = former_properties.move()
    assert (moved.events, len(moved.unreadable)) == (1, 1)
    assert properties_of(models.event) == [{'size': 4}]
