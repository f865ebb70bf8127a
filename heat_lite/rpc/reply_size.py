"""The limit of the size of a reply: broker, API and engine hold it in memory."""

import contextlib
from collections.abc import Collection, Iterable

from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values
from heat_lite.rpc import tables

#: beginnings of the names of methods that only read; the others have done their work when they
#: reply, e.g. abandon a stack, whose document must not be lost
READS = (
    'describe_',
    'export_',
    'get_',
    'list_',
    'metadata_',
    'preview_',
    'show_',
    'stack_list_',
)
#: characters that a value adds to its text: quotes, commas
OVERHEAD = 4
#: values of a reply, keys of maps not counted: no other thread runs while JSON is read or written
MAX_VALUES = 2_000_000
#: values that are likely to be of one kind, as those of a column are
LONG = 30


def check(method: str, reply: Value, limit: int, packed: Values | None = None) -> None:
    """Raise RequestLimitExceeded for a reply of more than about ``limit`` characters.

    ``packed`` is the reply as tables, if it is one (see ``tables.pack``).
    """
    if not method.startswith(READS):
        return
    exceeded = excess(reply, limit) if packed is None else excess_of_tables(packed, limit)
    if exceeded:
        raise exception.RequestLimitExceeded(
            f'The reply of {method} has more than {exceeded}. Ask for less: a page (limit '
            'and marker), fewer levels (nested_depth), no outputs (resolve_outputs=false) or '
            'single entries.'
        )


def excess(data: Value, limit: int) -> str | None:
    """Return what data of JSON has too much of, None without; stop counting there.

    These are more than ``limit`` characters, or MAX_VALUES values.
    """
    return _excess([[data]], limit, 0, 0)


def excess_of_tables(packed: Values, limit: int) -> str | None:
    """Return the same for the list that ``tables.pack`` has turned into tables."""
    size, count, pending = OVERHEAD, 1, []
    for table in packed['tables']:
        count += table[0]
        size += OVERHEAD * table[0]
        for number, keys, texts, lists in tables.parts(table):
            count += number * len(texts)
            size += number * OVERHEAD * (len(keys) + len(texts))
            size += number * (_size_of_keys(keys) + len(''.join(texts)))
            pending += lists
    # also counts what is left, perhaps nothing, so that both limits are compared at the end
    return _excess([*pending, []], limit, size, count)


def _excess(pending: list[Value], limit: int, size: int, count: int) -> str | None:
    while pending:
        values = pending.pop()
        count += len(values)
        if count > MAX_VALUES:
            return f'{MAX_VALUES} values'
        size += OVERHEAD * len(values)
        if isinstance(values, dict):
            size += OVERHEAD * len(values) + _size_of_keys(values)
            values = values.values()
        size += _size_of_values(values, pending)
        if size > limit:
            return f'{limit} characters'
    return None


def _size_of_values(values: Collection[Value], pending: list[Value]) -> int:
    """Return the characters of the texts among values; append maps and lists to ``pending``."""
    if len(values) > LONG:
        with contextlib.suppress(TypeError):
            return len(''.join(values))
    size = 0
    # in one loop, and the exact types first, since most replies are lists of many small maps
    for each in values:
        kind = type(each)
        if kind is str:
            size += len(each)
        elif kind is dict or kind is list or isinstance(each, dict | list | tuple):
            pending.append(each)
        elif isinstance(each, str):
            size += len(each)
    return size


def _size_of_keys(values: Iterable[Value]) -> int:
    try:
        return len(''.join(values))
    except TypeError:  # JSON turns other keys into texts
        return sum(len(each) for each in values if isinstance(each, str))
