"""Cursors of the stream of events, with transactions that commit in any order."""

import pytest
from hypothesis import given, settings, strategies as st

from heat_lite.common import event_cursor
from heat_lite.common.event_cursor import EventCursor


class Table:
    """The event table: transactions take ranges of ids at once and commit them later, or never."""

    def __init__(self):
        self.next_id = 1
        self.stored = set()
        self.open = []

    def begin(self, size):
        self.open.append(range(self.next_id, self.next_id + size))
        self.next_id += size

    def end(self, number, commits):
        ids = self.open.pop(number % len(self.open))
        if commits:
            self.stored.update(ids)

    def scan(self, cursor, limit):
        """Return what ``db.event_stream.scan`` returns."""
        late = sorted(each for each in self.stored if cursor.has_hole_at(each))
        return late + sorted(each for each in self.stored if each > cursor.top)[:limit]


class Reader:
    """A reader as the feed of an API process: it keeps each event with the cursor after it."""

    def __init__(self, table):
        self.table, self.cursor, self.seen = table, EventCursor(0), []

    def read(self, limit):
        found = self.table.scan(self.cursor, limit)
        following = self.cursor.advanced(found)
        taken = [each for each in found if each <= following.top]
        self.seen += zip(taken, self.cursor.through(taken, following), strict=True)
        self.cursor = following

    def ids(self):
        return [number for number, _ in self.seen]


def past(table, after, until):
    """Return the ids of ``db.event_stream.past``."""
    return sorted(each for each in table.stored if until.covers(each) and not after.covers(each))


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just('begin'), st.integers(1, 4), st.none()),
        st.tuples(st.just('end'), st.integers(0, 20), st.booleans()),
        st.tuples(st.just('read'), st.integers(1, 8), st.none()),
    ),
    max_size=80,
)


def play(steps):
    """Return the table and its reader after the steps, when all transactions have ended."""
    table = Table()
    reader = Reader(table)
    for kind, number, flag in [*steps, *[('end', 0, True)] * 80, *[('read', 8, None)] * 50]:
        if kind == 'begin':
            table.begin(number)
        elif kind == 'end' and table.open:
            table.end(number, flag)
        elif kind == 'read':
            reader.read(number)
    return table, reader


@settings(deadline=None, max_examples=200)
@given(STEPS)
def test_reader_sees_each_event_once_in_any_order_of_commits(steps):
    table, reader = play(steps)
    assert sorted(reader.ids()) == sorted(table.stored)


@settings(deadline=None, max_examples=200)
@given(STEPS, st.integers(0, 200))
def test_reader_resumed_at_any_event_sees_the_rest_once(steps, place):
    table, reader = play(steps)
    if not reader.seen:
        return
    _, cursor = reader.seen[place % len(reader.seen)]
    cursor = event_cursor.parse(str(cursor))
    before = reader.ids()[: place % len(reader.seen) + 1]
    rest = past(table, cursor, reader.cursor)
    assert sorted(before + rest) == sorted(table.stored)
    cursors = list(cursor.through(rest, reader.cursor))
    for number, following in zip(rest, cursors, strict=True):
        left = past(table, following, reader.cursor)
        assert left == [each for each in rest if each > number]


@settings(deadline=None, max_examples=100)
@given(STEPS, st.integers(0, 60))
def test_listener_that_joins_gets_the_past_and_the_future_without_overlap(steps, place):
    """A second reader joins the first one in the middle, with the cursor of another process."""
    table = Table()
    first, other = Reader(table), Reader(table)
    joined = None
    for turn, (kind, number, flag) in enumerate(
        [*steps, *[('end', 0, True)] * 80, *[('read', 8, None)] * 50]
    ):
        if kind == 'begin':
            table.begin(number)
        elif kind == 'end' and table.open:
            table.end(number, flag)
        elif kind == 'read':
            first.read(number)
            if turn % 3 and joined is None:
                other.read(number)
        if turn >= place and joined is None:
            # both calls see the table at different moments
            joined, count = first.cursor, len(first.seen)
            caught_up = past(table, other.cursor, joined)
    if joined is not None:
        own = other.cursor
        live = [each for each in first.seen[count:] if not own.covers(each[0])]
        past_cursors = own.through(caught_up, joined.merged(own))
        told = [*zip(caught_up, past_cursors, strict=True)]
        told += [(number, cursor.merged(own)) for number, cursor in live]
        seen = other.ids()
        for number, cursor in told:
            seen.append(number)
            assert sorted(seen) == [each for each in sorted(table.stored) if cursor.covers(each)]
        assert sorted(seen) == sorted(table.stored)


def test_merged_cursor_with_too_many_holes_ends_before_the_last_ones(monkeypatch):
    monkeypatch.setattr(event_cursor, 'MAX_HOLES', 2)
    merged = EventCursor(9, ((1, 2), (5, 7))).merged(EventCursor(9, ((2, 2), (4, 5), (7, 8))))
    assert merged == EventCursor(6, ((2, 2), (5, 5)))


def test_cursor_with_too_many_holes_waits_until_they_are_settled(monkeypatch):
    monkeypatch.setattr(event_cursor, 'MAX_HOLES', 2)
    cursor = EventCursor(0).advanced([2, 4, 6, 8])
    assert cursor == EventCursor(4, ((1, 1), (3, 3)))
    assert cursor.settled(4).advanced([6, 8]) == EventCursor(8, ((5, 5), (7, 7)))


def test_settled_holes_are_forgotten():
    cursor = EventCursor(20, ((3, 4), (9, 9), (15, 18)))
    assert cursor.settled(9).holes == ((15, 18),)


@pytest.mark.parametrize(
    'text',
    ['', 'x', '5~', '5~6', '5~3-1', '5~3,2', '9~1-3,3', '-1', '5~0-0x', '9' * 20],
)
def test_text_of_no_cursor_is_refused(text):
    with pytest.raises(ValueError):
        event_cursor.parse(text)


@given(STEPS)
def test_cursor_survives_its_text_and_its_wire_form(steps):
    _, reader = play(steps)
    for _, cursor in reader.seen:
        assert event_cursor.parse(str(cursor)) == cursor
        assert event_cursor.from_wire(event_cursor.to_wire(cursor)) == cursor
