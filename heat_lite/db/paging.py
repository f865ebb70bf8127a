"""Pages of a sorted list that start after a given row."""

from sqlalchemy import and_, case, or_, select

from heat_lite.db import session

DIRECTIONS = ('asc', 'desc')


def direction(given, default):
    """'asc' or 'desc'; ValueError for anything else."""
    if given and given not in DIRECTIONS:
        raise ValueError(f'Unknown sort direction "{given}", must be one of: {", ".join(DIRECTIONS)}')
    return given or default


def page(query, table, columns, direction, limit, marker, marker_column):
    """The query with its order, its limit and, where the marker is a known row, its start.

    The primary key decides among equals. NULL comes first going upwards, on each database.
    """
    keys = [key for column in columns for key in _with_null_first(column)]
    keys.append(table.c.id)
    if marker is not None:
        after = session.execute(select(*keys).where(marker_column == marker)).first()
        if after is not None:
            query = query.where(_beyond(keys, after, direction))
    query = query.order_by(*(getattr(key, direction)() for key in keys))
    return query if limit is None else query.limit(limit)


def _with_null_first(column):
    # created_at is never null in truth, and an index sorts by it alone
    if not column.nullable or column.name == 'created_at':
        return [column]
    return [case((column.is_(None), 0), else_=1), column]


def _beyond(keys, after, direction):
    """a > A or (a = A and b > B) or ...: what comes after a row in this order."""
    options, equal = [], []
    for key, value in zip(keys, after, strict=True):
        if value is not None:
            options.append(and_(*equal, key > value if direction == 'asc' else key < value))
        equal.append(key.is_(None) if value is None else key == value)
    return or_(*options)
