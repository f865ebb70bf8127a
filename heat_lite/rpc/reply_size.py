"""The limit of the size of a reply: broker, API and engine hold it in memory."""

from collections.abc import Collection
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
    while pending:
        cooperation.cooperate()
        values = pending.pop()
        if isinstance(values, dict):
            size += _size(values)
            values = values.values()
        count += len(values)
        if count > MAX_VALUES:
            return f'{MAX_VALUES} values'
        size += _size(values)
        if size > limit:
            return f'{limit} characters'
        pending += [each for each in values if isinstance(each, dict | list | tuple)]
    return None


def _size(values: Collection) -> int:
    return OVERHEAD * len(values) + sum(len(each) for each in values if isinstance(each, str))
