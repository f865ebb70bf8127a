"""Readers of query parameters by their kinds; they raise HTTPBadRequest."""

from collections.abc import Mapping

from webob import exc
from webob.multidict import MultiDict

from heat_lite.common.value_types import Value, Values
from heat_lite.operations import operation

TAG_LENGTH = 80
# upper limit of integer columns of databases
MAX_NUMBER = 2**31 - 1


def flag(name: str, value: Value) -> bool:
    """Read ``true`` or ``false`` in any case, or a JSON boolean."""
    text = str(value).lower()
    if text not in ('true', 'false'):
        raise exc.HTTPBadRequest(
            f'Unrecognized value "{value}" for "{name}", acceptable values are: true, false.'
        )
    return text == 'true'


def optional_flag(name: str, text: str | None) -> bool:
    """Read a flag; an empty value is false."""
    return flag(name, text or 'false')


def integer(name: str, value: Value) -> int | None:
    """Read an integer that is not negative; None stays None."""
    if value is None:
        return None
    if isinstance(value, bool | float) or not _is_number(value):
        raise exc.HTTPBadRequest(f"Only integer is acceptable by '{name}'.")
    if int(value) < 0:
        raise exc.HTTPBadRequest(
            f"Value '{value}' is invalid for '{name}' which only accepts non-negative integer."
        )
    if int(value) > MAX_NUMBER:
        raise exc.HTTPBadRequest(
            f"Value '{value}' is invalid for '{name}': it is greater than {MAX_NUMBER}."
        )
    return int(value)


def optional_integer(name: str, text: str | None) -> int | None:
    """Read an integer; an empty value is None."""
    return integer(name, text or None)


def _is_number(value: Value) -> bool:
    try:
        int(value)
    except (TypeError, ValueError):
        return False
    return True


def tag_list(name: str, text: str) -> list[str]:
    """Read tags separated by commas; spaces are kept, and a tag may be empty."""
    tags = text.split(',')
    for tag in tags:
        if len(tag) > TAG_LENGTH:
            raise exc.HTTPBadRequest(f'Invalid tag, "{tag}" is longer than {TAG_LENGTH} characters')
    return tags


READERS: Values = {
    operation.FLAG: flag,
    operation.OPTIONAL_FLAG: optional_flag,
    operation.INTEGER: integer,
    operation.OPTIONAL_INTEGER: optional_integer,
    operation.TEXT: lambda name, value: value,
    operation.TEXTS: lambda name, values: values,
    operation.ONE_OR_LIST: lambda name, values: values if len(values) > 1 else values[0],
    operation.TAGS: tag_list,
}
# kinds of repeatable parameters: their readers get all values, others the last one
REPEATABLE = (operation.ONE_OR_LIST, operation.TEXTS)


def read(table: Mapping[str, str], query: MultiDict) -> Values:
    """Return the values of those parameters of ``table``, {name: kind}, that the query has."""
    return {
        name: READERS[kind](name, query.getall(name) if kind in REPEATABLE else query[name])
        for name, kind in table.items()
        if name in query
    }


def read_flag(query: MultiDict, name: str, default: bool = False) -> bool:
    """Return one flag of the query."""
    return flag(name, query[name]) if name in query else default
