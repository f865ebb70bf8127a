"""Reads of the stream of all events. Tests of what they return: tests/unit/common, functional."""

import uuid

from heat_lite.common.event_cursor import EventCursor
from heat_lite.db import event_stream, journal
from tests import databases

TOP = 500


def store_events(stack_id, count):
    events = [{'uuid': str(uuid.uuid4()), 'resource_name': 'r'} for _ in range(count)]
    journal.save(journal.ChangeSet(stack_id, events=events))
    return [number for number, _ in event_stream.scan(EventCursor(0), 10 * count)[0]]


def cursor_with_holes(count):
    return EventCursor(TOP, tuple((2 * number, 2 * number) for number in range(1, count + 1)))


def test_statements_are_the_same_for_any_number_of_holes(database, context, make_stack):
    """Each other text would be compiled and kept."""
    stack_id = make_stack()
    store_events(stack_id, 50)
    with databases.statements() as seen:
        for count in range(1, 60):
            cursor = cursor_with_holes(count)
            event_stream.scan(cursor, 5)
            event_stream.past([stack_id], cursor, EventCursor(1), 5)
            event_stream.past([stack_id], EventCursor(TOP), cursor, 5)
    assert len(set(seen)) == 4


def test_scan_finds_the_events_in_all_holes(database, context, make_stack):
    numbers = store_events(make_stack(), 100)
    holes = tuple((number, number) for number in numbers[::2])
    found, newest = event_stream.scan(EventCursor(numbers[-1], holes), 1000)
    assert [number for number, _ in found] == numbers[::2] and newest == numbers[-1]


def test_past_pages_by_what_is_unread(database, context, make_stack):
    stack_id = make_stack()
    numbers = store_events(stack_id, 30)
    holes = tuple((number, number) for number in numbers[4::5])
    after, until = EventCursor(numbers[-1], holes), EventCursor(numbers[-1])
    rows = event_stream.past([stack_id], after, until, 2)
    assert [row.id for row in rows] == numbers[4:10:5]
    rows = event_stream.past([stack_id], EventCursor(numbers[8]), after, 3)
    assert [row.id for row in rows] == [numbers[at] for at in (10, 11, 12)]
