"""Positions in the stream of all events: which events a reader has seen.

Ids of events are given in ascending order, but transactions commit in any order. So a reader that
has seen event 7 may see event 5 later. A cursor is the greatest id that was read, and the holes
below it: ranges of ids that no event had at that time.
"""

import bisect
import re
import typing
from collections.abc import Iterable, Iterator

#: holes of a cursor; beyond them a reader waits until some are filled or settled
MAX_HOLES = 200
#: ids of most databases are of 32 or 64 bits
MAX_ID = 2**63 - 1
_TEXT = re.compile(r'[0-9]{1,19}(~[0-9]{1,19}(-[0-9]{1,19})?(,[0-9]{1,19}(-[0-9]{1,19})?)*)?', re.A)

Hole = tuple[int, int]


class EventCursor(typing.NamedTuple):
    """All events up to ``top`` except those in ``holes``, ascending pairs of first and last id."""

    top: int
    holes: tuple[Hole, ...] = ()

    def covers(self, number: int) -> bool:
        """Return whether the event of an id was read."""
        return number <= self.top and not self.has_hole_at(number)

    def has_hole_at(self, number: int) -> bool:
        place = bisect.bisect_right(self.holes, (number, MAX_ID))
        return place > 0 and self.holes[place - 1][1] >= number

    def advanced(self, found: Iterable[int]) -> 'EventCursor':
        """Return the cursor after all events of ``found``, ascending ids.

        ``found`` has all ids in the holes and, up to its greatest, all above ``top`` that the
        database had at one moment. With more than MAX_HOLES the cursor ends before the last ones.
        """
        numbers = list(found)
        holes = list(self._filled([each for each in numbers if each <= self.top]))
        top = self.top
        for number in numbers:
            if number <= top:
                continue
            if number > top + 1:
                if len(holes) >= MAX_HOLES:
                    break
                holes.append((top + 1, number - 1))
            top = number
        return EventCursor(top, tuple(holes))

    def settled(self, top: int) -> 'EventCursor':
        """Return the cursor without the holes up to ``top``, in which no event will appear."""
        return EventCursor(self.top, tuple(hole for hole in self.holes if hole[1] > top))

    def merged(self, other: 'EventCursor') -> 'EventCursor':
        """Return the cursor of what one of two readers has seen.

        With more than MAX_HOLES it ends before the last ones.
        """
        if other.top < (self.holes[0][0] if self.holes else self.top + 1):
            return self
        sides = [[*each.holes, (each.top + 1, MAX_ID)] for each in (self, other)]
        unseen = []
        while all(sides):
            sides.sort(key=lambda side: side[0][1])
            (first, last), (begin, _) = sides[0].pop(0), sides[1][0]
            if max(first, begin) <= last:
                unseen.append((max(first, begin), last))
        *holes, end = unseen[: MAX_HOLES + 1]
        return EventCursor(end[0] - 1, tuple(holes))

    def through(self, found: list[int], after: 'EventCursor') -> Iterator['EventCursor']:
        """Yield the cursor after each id of ``found``, on the way to the cursor ``after``.

        ``found`` is ascending.
        """
        cursor = self
        for number in found:
            if number <= self.top:
                cursor = EventCursor(self.top, tuple(cursor._filled([number])))
            else:
                place = bisect.bisect_left(after.holes, (number, 0))
                cursor = EventCursor(number, after.holes[:place])
            yield cursor

    def _filled(self, numbers: list[int]) -> Iterator[Hole]:
        """Yield the holes without the ids that have an event now."""
        place = 0
        for first, last in self.holes:
            while place < len(numbers) and numbers[place] <= last:
                number = numbers[place]
                place += 1
                if number < first:
                    continue
                if number > first:
                    yield first, number - 1
                first = number + 1
            if first <= last:
                yield first, last

    def __str__(self) -> str:
        holes = ','.join(
            str(first) if first == last else f'{first}-{last}' for first, last in self.holes
        )
        return f'{self.top}~{holes}' if holes else str(self.top)


def parse(text: str) -> EventCursor:
    """Return the cursor of a text. Raises ValueError if it is the text of none."""
    if not _TEXT.fullmatch(text):
        raise ValueError('it is not the id of a message of this stream')
    top, _, rest = text.partition('~')
    holes = []
    for part in rest.split(',') if rest else ():
        first, _, last = part.partition('-')
        holes.append((int(first), int(last or first)))
    cursor = EventCursor(int(top), tuple(holes))
    edges = [each for hole in cursor.holes for each in (hole[0] - 1, hole[1])]
    if edges != sorted(edges) or (edges and (edges[-1] >= cursor.top or edges[0] < 0)):
        raise ValueError('its ranges are not in order')
    if len(holes) > MAX_HOLES or cursor.top > MAX_ID:
        raise ValueError('it is too long')
    return cursor


def from_wire(value: list) -> EventCursor:
    """Return the cursor of its form in RPC, [top, [[first, last], ...]]."""
    return EventCursor(value[0], tuple((first, last) for first, last in value[1]))


def to_wire(cursor: EventCursor) -> list:
    return [cursor.top, [list(hole) for hole in cursor.holes]]
