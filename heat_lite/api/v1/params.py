"""Query parameters: tables of {name: reader}, and the readers, which raise HTTPBadRequest."""

from typing import Any

from webob import exc

TAG_LENGTH = 80
# upper limit of integer columns of databases
MAX_NUMBER = 2**31 - 1


def flag(name: str, value: Any) -> bool:
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


def integer(name: str, value: Any) -> int | None:
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


def _is_number(value: Any) -> bool:
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


def text(name: str, value: str) -> str:
    """Read any text."""
    return value


def one_or_list(name: str, values: list[str]) -> str | list[str]:
    """Read one value as text, and several as a list."""
    return values if len(values) > 1 else values[0]


def text_list(name: str, values: list[str]) -> list[str]:
    """Read any number of values as a list."""
    return values


# readers of repeatable parameters get all values, other readers get the last value
REPEATABLE = (one_or_list, text_list)

FILTERS = dict.fromkeys(('id', 'status', 'name', 'action'), one_or_list)

STACK_FILTERS = {
    **FILTERS,
    **dict.fromkeys(
        (
            'tenant',
            'username',
            'owner_id',
            'stack_name',
            'stack_action',
            'stack_status',
            'stack_status_reason',
            'disable_rollback',
            'timeout_mins',
            'stack_owner',
            'parent',
            'stack_user_project_id',
        ),
        one_or_list,
    ),
}
STACK_PAGE = {'limit': optional_integer, 'marker': text, 'sort_keys': text_list, 'sort_dir': text}
STACK_TAGS = dict.fromkeys(('tags', 'tags_any', 'not_tags', 'not_tags_any'), tag_list)
STACK_SCOPE = dict.fromkeys(('show_deleted', 'show_nested', 'show_hidden'), optional_flag)

RESOURCE_FILTERS = {**FILTERS, 'type': one_or_list, 'physical_resource_id': one_or_list}
RESOURCES = {'nested_depth': integer, 'with_detail': flag}

EVENT_FILTERS = dict.fromkeys(
    ('resource_status', 'resource_action', 'resource_name', 'resource_type'), one_or_list
)
TIMELINE = {'action': text, 'number': optional_integer}
EVENT_STREAM = dict.fromkeys((*EVENT_FILTERS, 'status'), text_list)
EVENTS = {**STACK_PAGE, 'nested_depth': optional_integer}

CONFIGS = {'limit': optional_integer, 'marker': text}

RESOURCE_TYPES = {
    'support_status': text,
    'name': text,
    'version': text,
    'with_description': flag,
    'with_unavailable': flag,
}


def read(table: dict[str, Any], query: Any) -> dict[str, Any]:
    """Return the values of those parameters of ``table`` that the query has."""
    return {name: _value(name, reader, query) for name, reader in table.items() if name in query}


def _value(name: str, reader: Any, query: Any) -> Any:
    return reader(name, query.getall(name) if reader in REPEATABLE else query[name])


def read_flag(query: Any, name: str, default: bool = False) -> bool:
    """Return one flag of the query."""
    return flag(name, query[name]) if name in query else default


def identity_of(tenant_id: str, stack_name: str, stack_id: str) -> dict[str, str]:
    """Return the identity of a stack in the form of the RPC contract."""
    return {'tenant': tenant_id, 'stack_name': stack_name, 'stack_id': stack_id, 'path': ''}
