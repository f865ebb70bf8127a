"""NextToken: the name of the last item of a page, and of the action that it belongs to."""

import base64
import binascii
from collections.abc import Callable, Sequence

from heat_lite.api.aws import faults, query
from heat_lite.common.value_types import Values

#: items of a page, as of AWS
PAGE = 100


def read(action: str, arguments: query.Arguments) -> str | None:
    """Return the last item of the page before; None for the first page."""
    token = arguments.get('NextToken')
    if not token:
        return None
    try:
        name, _, last = base64.urlsafe_b64decode(token.encode()).decode().partition(' ')
    except (ValueError, binascii.Error):
        raise expired() from None
    if name != action or not last or '\0' in last:
        raise expired()
    return last


def expired() -> faults.Fault:
    return faults.fault(
        'InvalidParameterValue',
        'NextToken is not one of this action, or its item is gone: begin with the first page',
    )


def cut(
    action: str, rows: Sequence[Values], last: Callable[[Values], str]
) -> tuple[Sequence[Values], dict[str, str]]:
    """Return the rows of the page, and NextToken if there are more of them.

    ``last(row)`` is the name of an item.
    """
    if len(rows) <= PAGE:
        return rows, {}
    page = rows[:PAGE]
    text = f'{action} {last(page[-1])}'
    return page, {'NextToken': base64.urlsafe_b64encode(text.encode()).decode()}
