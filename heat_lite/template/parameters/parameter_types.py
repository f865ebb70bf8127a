"""The five parameter types: parsing and rendering of values."""

import json

from heat_lite.common.value_texts import bare, from_json, kind_of
from heat_lite.common.value_types import Value
from heat_lite.template import constraints, reader
from heat_lite.template.unknown import Unknown, is_known, merge

STRING, NUMBER, LIST, JSON, BOOLEAN = 'string', 'number', 'comma_delimited_list', 'json', 'boolean'
WIRE_NAMES = {
    STRING: 'String',
    NUMBER: 'Number',
    LIST: 'CommaDelimitedList',
    JSON: 'Json',
    BOOLEAN: 'Boolean',
}

#: the types of properties that take their values
PROPERTY_TYPES = {
    STRING: constraints.STRING,
    NUMBER: constraints.NUMBER,
    LIST: constraints.LIST,
    JSON: constraints.MAP,
    BOOLEAN: constraints.BOOLEAN,
}

#: levels of a JSON value; what writes it for RPC recurses three times a level, to at most 1000
_MAX_DEPTH = 250
_TRUE = ('1', 't', 'true', 'on', 'y', 'yes')
_FALSE = ('0', 'f', 'false', 'off', 'n', 'no')


def parse(kind: str, value: Value) -> Value:
    """Return the value as functions see it. Raises ValueError or TypeError with the reason."""
    return _PARSERS[kind](value)


def render(kind: str, parsed: Value) -> str:
    """Return a parsed value as the string that the API shows."""
    if kind == LIST:
        return ','.join(item or '' for item in parsed)
    return json.dumps(parsed) if kind == JSON else str(parsed)


def item_text(item: Value) -> str:
    """Return an item of a list in a comma-separated text."""
    return json.dumps(item) if isinstance(item, dict | list) else str(item)


def constraint_value(kind: str, given: Value, parsed: Value) -> Value:
    """Return the value that constraints check.

    Lists and maps are checked as parsed. Other types are checked as given, so that error messages
    contain the given value.
    """
    if kind in (LIST, JSON):
        return parsed
    return parsed if kind == STRING and not isinstance(given, list | dict) else given


def compare_as(kind: str, value: Value) -> Value:
    """Return a value converted for comparison with the allowed values of a parameter."""
    if kind == STRING:
        return str(value)
    return parse(kind, value) if kind in (NUMBER, BOOLEAN) else value


def _string(value: Value) -> Value:
    # the text of a list or a map has those of all of its parts
    return str(value) if is_known(value) else merge(constraints.STRING, value)


def _list(value: Value) -> list[Value]:
    if isinstance(value, list | tuple):
        return [item if isinstance(item, Unknown) else str(item) for item in value]
    try:
        return value.split(',') if value != '' else []
    except AttributeError as error:
        text = f'Value must be a comma-delimited list string, not {kind_of(value)}'
        raise ValueError(text) from error


def _json(value: Value) -> Value:
    if not isinstance(value, str) or value == '':
        return value
    try:
        parsed = from_json(value)
        if isinstance(parsed, dict | list) and reader.is_deeper(parsed, _MAX_DEPTH):
            raise RecursionError('maximum recursion depth exceeded')
        return parsed
    except (ValueError, RecursionError) as error:
        raise ValueError(f'Value must be valid JSON: {error}') from error


def _boolean(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    acceptable = ', '.join(repr(word) for word in sorted(_TRUE + _FALSE))
    raise ValueError(f"Unrecognized value '{bare(value)}', acceptable values are: {acceptable}")


_PARSERS: dict[str, constraints.Convert] = {
    STRING: _string,
    NUMBER: constraints.to_number,
    LIST: _list,
    JSON: _json,
    BOOLEAN: _boolean,
}
