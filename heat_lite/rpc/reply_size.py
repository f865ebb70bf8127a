"""The limit of the size of a reply: broker, API and engine hold it in memory."""

from typing import Any

from heat_lite.common import exception

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


def check(method: str, reply: Any, limit: int) -> None:
    """Raise RequestLimitExceeded for a reply of more than about ``limit`` characters."""
    if method.startswith(READS) and exceeds(reply, limit):
        raise exception.RequestLimitExceeded(
            f'The reply of {method} has more than {limit} characters. Ask for less: a page (limit '
            'and marker), fewer levels (nested_depth), no outputs (resolve_outputs=false) or '
            'single entries.'
        )


def exceeds(data: Any, limit: int) -> bool:
    """Return whether data of JSON has more than ``limit`` characters; stop counting there."""
    size, pending = 0, [data]
    while pending:
        value = pending.pop()
        size += OVERHEAD + (len(value) if isinstance(value, str) else 0)
        if size > limit:
            return True
        if isinstance(value, dict):
            pending += value.keys()
            pending += value.values()
        elif isinstance(value, list | tuple):
            pending += value
    return False
