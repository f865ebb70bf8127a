"""Long lists of maps with the same keys, sent by columns.

A list of resources or events repeats its keys and the identity of its stack in each row, so that
JSON was half of what such a request costs. A client says in the context of its request that it
reads tables (``CONTEXT_KEY``); servers and clients of the release before send rows.
"""

import itertools
from collections.abc import Collection, Iterator

from heat_lite.common.value_types import Value, Values

#: methods whose reply is a list, or else tables
METHODS = ('list_events', 'list_stack_resources', 'list_stacks')
CONTEXT_KEY = 'reads_tables'
#: shorter lists are sent as they are
MIN_ROWS = 20
#: rows of a table: other threads may run between two tables
MAX_ROWS = 500

#: number of rows, and the columns by key
Table = tuple[int, dict[str, 'Column']]
#: {ALL: what all rows have}, {EACH: the value of each} or {ROWS: table}, the maps of the rows.
#: Rows can have a text, None, an empty list or a map of texts in common.
Column = Values
ALL, EACH, ROWS = 'all', 'each', 'rows'


def pack(reply: Value) -> dict[str, list[Table]] | None:
    """Return a list as tables; None for any other reply."""
    if type(reply) is not list or len(reply) < MIN_ROWS:
        return None
    tables = []
    for start in range(0, len(reply), MAX_ROWS):
        table = _table(reply[start : start + MAX_ROWS])
        if table is None:
            return None
        tables.append(table)
    return {'tables': tables}


def _table(rows: list[Value]) -> Table | None:
    """Return the table of rows; None unless all are maps of the same keys in the same order."""
    if {*map(type, rows)} != {dict}:
        return None
    keys = tuple(rows[0])
    if {*map(type, keys)} - {str} or {*map(tuple, rows)} != {keys}:
        return None
    return len(rows), {key: _column([row[key] for row in rows]) for key in keys}


def _column(values: list[Value]) -> Column:
    first = values[0]
    if _is_text(first) and values.count(first) == len(values):
        return {ALL: first}
    if type(first) is not dict:
        return {ALL: []} if values.count([]) == len(values) else {EACH: values}
    if len({*map(id, values)}) == 1 and all(map(_is_text, [*first, *first.values()])):
        return {ALL: first}
    table = _table(values)
    return {EACH: values} if table is None else {ROWS: table}


def _is_text(value: Value) -> bool:
    return value is None or type(value) is str


def is_packed(reply: Value) -> bool:
    """Return whether the reply of one of METHODS is tables."""
    return isinstance(reply, dict)


def unpack(method: str, reply: Value) -> Value:
    """Return the list that the tables of a reply stand for; any other reply as it is."""
    if method not in METHODS or not is_packed(reply):
        return reply
    return list(itertools.chain.from_iterable(map(rows, reply['tables'])))


def rows(table: Table) -> Collection[Values]:
    """Return the rows of a table. They share what all have in a column."""
    number, columns = table
    if not columns:
        return [{} for _ in range(number)]
    keys = tuple(columns)
    values = [_values(number, column) for column in columns.values()]
    return [dict(zip(keys, row, strict=True)) for row in zip(*values, strict=True)]


def _values(number: int, column: Column) -> Collection[Value]:
    if EACH in column:
        return column[EACH]
    return rows(column[ROWS]) if ROWS in column else [column[ALL]] * number


def parts(table: Table) -> Iterator[tuple[int, list[str], list[str], list[list[Value]]]]:
    """Yield for a table, and for those in its columns, what its size follows from.

    It is (number of rows, keys, a text for each column that all rows have in common, values of the
    other columns). The text for a column of maps is empty: they follow.
    """
    number, columns = table
    shared = [column.get(ALL) for column in columns.values() if EACH not in column]
    lists = [column[EACH] for column in columns.values() if EACH in column]
    texts = ['' if isinstance(each, dict) else each or '' for each in shared]
    yield number, list(columns), texts, lists
    for each in shared:
        if isinstance(each, dict):
            yield number, list(each), [value or '' for value in each.values()], []
    for column in columns.values():
        if ROWS in column:
            yield from parts(column[ROWS])
