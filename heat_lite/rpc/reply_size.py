"""The limit of the size of a reply: broker, API and engine hold it in memory."""

from collections.abc import Iterator
from typing import Any

from heat_lite.common import cooperation, exception

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


def check(method: str, reply: Any, limit: int) -> None:
    """Raise RequestLimitExceeded for a reply of more than about ``limit`` characters."""
    exceeded = excess(reply, limit) if method.startswith(READS) else None
    if exceeded:
        raise exception.RequestLimitExceeded(
            f'The reply of {method} has more than {exceeded}. Ask for less: a page (limit '
            'and marker), fewer levels (nested_depth), no outputs (resolve_outputs=false) or '
            'single entries.'
        )


def excess(data: Any, limit: int) -> str | None:
    """Return what data of JSON has too much of, None without; stop counting there.

    These are more than ``limit`` characters, or MAX_VALUES values.
    """
    size = count = 0
    pending: list[Any] = [[data]]
    for values in cooperation.each(_taken(pending)):
        count += len(values)
        if count > MAX_VALUES:
            return f'{MAX_VALUES} values'
        size += OVERHEAD * len(values)
        if isinstance(values, dict):
            size += OVERHEAD * len(values) + _size_of_keys(values)
            values = values.values()
        # in one loop, and the exact types first, since most replies are lists of many small maps
        for each in values:
            kind = type(each)
            if kind is str:
                size += len(each)
            elif kind is dict or kind is list or isinstance(each, dict | list | tuple):
                pending.append(each)
            elif isinstance(each, str):
                size += len(each)
        if size > limit:
            return f'{limit} characters'
    return None


def _taken(pending: list[Any]) -> Iterator[Any]:
    """Take the last of a list, which may grow meanwhile, until there is none."""
    while pending:
        yield pending.pop()


def _size_of_keys(values: dict) -> int:
    try:
        return len(''.join(values))
    except TypeError:  # JSON turns other keys into texts
        return sum(len(each) for each in values if isinstance(each, str))
