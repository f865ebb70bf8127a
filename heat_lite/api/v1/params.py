"""What may stand in a query string, as tables {name: reader}, and the readers of single values. Each refusal is a 400 that says why."""

from webob import exc

TAG_LENGTH = 80
# what databases take for an integer
MAX_NUMBER = 2**31 - 1


def flag(name, value):
    """true or false, in any case; JSON's own booleans too."""
    text = str(value).lower()
    if text not in ('true', 'false'):
        raise exc.HTTPBadRequest(f'Unrecognized value "{value}" for "{name}", acceptable values are: true, false.')
    return text == 'true'


def flag_if_any(name, text):
    """The same for a query, where nothing at all may follow the equals sign."""
    return flag(name, text or 'false')


def whole(name, value):
    """A whole number that is not negative; None where there is nothing."""
    if value is None:
        return None
    if isinstance(value, bool | float) or not _is_number(value):
        raise exc.HTTPBadRequest(f"Only integer is acceptable by '{name}'.")
    if int(value) < 0:
        raise exc.HTTPBadRequest(f"Value '{value}' is invalid for '{name}' which only accepts non-negative integer.")
    if int(value) > MAX_NUMBER:
        raise exc.HTTPBadRequest(f"Value '{value}' is invalid for '{name}': it is greater than {MAX_NUMBER}.")
    return int(value)


def whole_if_any(name, text):
    """The same for a query, where nothing at all may follow the equals sign."""
    return whole(name, text or None)


def _is_number(value):
    try:
        int(value)
    except (TypeError, ValueError):
        return False
    return True


def tag_list(name, text):
    """Tags between commas, as they stand: no space is removed and an empty one counts."""
    tags = text.split(',')
    for tag in tags:
        if len(tag) > TAG_LENGTH:
            raise exc.HTTPBadRequest(f'Invalid tag, "{tag}" is longer than {TAG_LENGTH} characters')
    return tags


def text(name, value):
    """Any text."""
    return value


def many(name, values):
    """One value stands for itself, more of them make a list."""
    return values if len(values) > 1 else values[0]


def listed(name, values):
    """A list, of however many values."""
    return values


# readers of parameters that may come several times: they get all values, the others the last one
REPEATABLE = (many, listed)

FILTERS = dict.fromkeys(('id', 'status', 'name', 'action'), many)

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
        many,
    ),
}
STACK_PAGE = {'limit': whole_if_any, 'marker': text, 'sort_keys': listed, 'sort_dir': text}
STACK_TAGS = dict.fromkeys(('tags', 'tags_any', 'not_tags', 'not_tags_any'), tag_list)
STACK_SCOPE = dict.fromkeys(('show_deleted', 'show_nested', 'show_hidden'), flag_if_any)

RESOURCE_FILTERS = {**FILTERS, 'type': many, 'physical_resource_id': many}
RESOURCES = {'nested_depth': whole, 'with_detail': flag}

EVENT_FILTERS = dict.fromkeys(('resource_status', 'resource_action', 'resource_name', 'resource_type'), many)
EVENTS = {**STACK_PAGE, 'nested_depth': whole_if_any}

CONFIGS = {'limit': whole_if_any, 'marker': text}

RESOURCE_TYPES = {'support_status': text, 'name': text, 'version': text, 'with_description': flag}


def read(table, query):
    """The values of the parameters in ``table`` that are in the query."""
    return {name: _value(name, reader, query) for name, reader in table.items() if name in query}


def _value(name, reader, query):
    return reader(name, query.getall(name) if reader in REPEATABLE else query[name])


def read_flag(query, name, default=False):
    """One flag of the query."""
    return flag(name, query[name]) if name in query else default


def identity_of(tenant_id, stack_name, stack_id):
    """The identity of a stack, as engines take it."""
    return {'tenant': tenant_id, 'stack_name': stack_name, 'stack_id': stack_id, 'path': ''}
