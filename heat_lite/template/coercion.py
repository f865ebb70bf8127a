"""What becomes of a property's value by its schema: the right type, defaults inside maps and lists, constraints.

Failures are StackValidationFailed with the words of the API and the path below the property. Values that need no change are not copied.
"""

import functools
from collections.abc import Mapping

from heat_lite.common import exception
from heat_lite.template import versions
from heat_lite.template.constraints import ANY, BOOLEAN, INTEGER, LIST, MAP, NUMBER, STRING, to_number
from heat_lite.template.suggest import say

ERROR = 'Property error'


class Checks:
    """How a value is checked: ``strict`` or only converted, and who is asked about cloud objects."""

    __slots__ = ('lookup', 'strict')

    def __init__(self, strict=True, lookup=None):
        self.strict = strict
        self.lookup = lookup


STRICT, LENIENT = Checks(), Checks(strict=False)


def refuse(message, path=()):
    return exception.StackValidationFailed(message, error=ERROR, path=path)


def convert(schema, value, checks=STRICT):
    """The value as its schema wants it. None means the default, or the empty value of the type."""
    try:
        result = _CONVERTERS[schema.type](schema, value, checks)
        if checks.strict:
            for constraint in schema.constraints:
                constraint.check(result, checks.lookup, functools.partial(_as_type, schema))
    except (ValueError, TypeError, OverflowError) as error:
        raise refuse(exception.hinted(str(error), versions.meant_function(value))) from error
    return result


def _as_type(schema, value):
    return _CONVERTERS[schema.type](schema, value, LENIENT)


def shown(schemata):
    """The names that a user should know: older names are not among them."""
    return [name for name, schema in schemata.items() if not schema.hidden]


def absent(name, schema, checks=STRICT):
    """The value of a property that is not given."""
    if schema.has_default:
        return convert(schema, None, LENIENT) if schema.type in (MAP, LIST) else schema.default
    if schema.required:
        raise refuse(f'Property {name} not assigned')
    return None


def _string(schema, value, checks):
    if isinstance(value, str):
        return value
    if value is None:
        return schema.default if schema.has_default else ''
    if isinstance(value, int):
        return str(value)
    raise ValueError(f'Value must be a string; got {value!r}')


def _integer(schema, value, checks):
    if type(value) is int:
        return value
    if value is None:
        return schema.default if schema.has_default else 0
    try:
        return int(value)
    except (ValueError, OverflowError):
        raise ValueError(f"Value '{value}' is not an integer") from None


def _number(schema, value, checks):
    if value is None:
        return schema.default if schema.has_default else 0
    return to_number(value)


def _boolean(schema, value, checks):
    if isinstance(value, bool):
        return value
    if value is None:
        return bool(schema.default)
    text = value.lower() if isinstance(value, str) else None
    if text not in ('true', 'false'):
        raise ValueError(f'"{value}" is not a valid boolean')
    return text == 'true'


def _map(schema, value, checks):
    if value is None:
        value = dict(schema.default or {})
    if not isinstance(value, Mapping):
        if schema.allow_conversion and isinstance(value, str | list):
            return value
        raise ValueError(f'"{value}" is not a map')
    return value if schema.schema is None else _children(schema.schema, value, checks)


def _children(schemata, given, checks):
    if checks.strict:
        for key in given:
            if key not in schemata:
                raise refuse(say(f'Unknown Property {key}', key, shown(schemata)))
    aliases = aliases_of(schemata)
    result = {}
    for name, schema in schemata.items():
        source = pick(name, aliases, given)
        if source is None:
            result[name] = absent(name, schema, checks)
            continue
        try:
            result[name] = convert(schema, given[source], checks)
        except exception.StackValidationFailed as error:
            raise error.prefixed(source) from error.__cause__
        except Conflict as conflict:
            raise conflict.within(source) from None
    return result


def aliases_of(schemata):
    """``{name: its hidden older name}`` of those that have one."""
    return {schema.alias_of: name for name, schema in schemata.items() if schema.alias_of}


def pick(name, aliases, given):
    """Under which key the value of ``name`` was given: its own, or an older name's. None when it was not.

    What was given under an older name no longer appears there.
    """
    older = aliases.get(name) if aliases else None
    if older is not None and given.get(older) is not None:
        if given.get(name) is not None:
            raise Conflict(name, older)
        return older
    if aliases and name in aliases.values():
        return None
    return name if name in given else None


class Conflict(Exception):
    """A property was given both under its name and under an older one; the names are dotted paths."""

    def __init__(self, *names):
        self.names = names
        super().__init__(*names)

    def within(self, outer):
        return Conflict(*(f'{outer}.{name}' for name in self.names))


def _list(schema, value, checks):
    if value is None:
        value = list(schema.default or ())
    if isinstance(value, str) and schema.allow_conversion:
        value = value.split(',') if value else []
    if not isinstance(value, list | tuple):
        raise ValueError(f'"{value!r}" is not a list')
    return value if schema.schema is None else _items(schema.schema, value, checks)


def _items(schema, values, checks):
    result = []
    try:
        for value in values:
            result.append(convert(schema, value, checks))
    except exception.StackValidationFailed as error:
        raise error.prefixed(len(result)) from error.__cause__
    return result


def _any(schema, value, checks):
    return schema.default if value is None else value


_CONVERTERS = {STRING: _string, INTEGER: _integer, NUMBER: _number, BOOLEAN: _boolean, MAP: _map, LIST: _list, ANY: _any}
