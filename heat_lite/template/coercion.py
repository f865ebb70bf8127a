"""Coercion of property values by their schemas: types, defaults in maps and lists, constraints.

Errors are StackValidationFailed with the path below the property. Values that need no change are
not copied.
"""

import dataclasses
import functools
from collections.abc import Mapping

from heat_lite.common import exception, value_texts
from heat_lite.common.value_types import Value
from heat_lite.template import checks, versions
from heat_lite.template.checks import raise_first
from heat_lite.template.constraints import (
    ANY,
    BOOLEAN,
    INTEGER,
    LIST,
    MAP,
    NUMBER,
    STRING,
    Lookup,
    to_number,
)
from heat_lite.template.schema import PropertySchema
from heat_lite.template.unknown import Unknown


@dataclasses.dataclass(slots=True)
class CheckOptions:
    """Options of a conversion.

    ``strict`` also checks constraints and unknown keys. ``lookup(kind, value)`` checks cloud
    objects (see ``constraints``).
    """

    strict: bool = True
    lookup: Lookup | None = None


STRICT, LENIENT = CheckOptions(), CheckOptions(strict=False)


def convert(schema: PropertySchema, value: Value, options: CheckOptions = STRICT) -> Value:
    """Convert a value to the type of its schema.

    None becomes the default, or the empty value of the type if there is no default. Of what is not
    known yet, the known parts are converted.
    """
    if isinstance(value, Unknown):
        if schema.type == LIST and value.known:
            _list(schema, list(value.known), options)
        return value.of_type(schema.type)
    try:
        result = _CONVERTERS[schema.type](schema, value, options)
        if options.strict:
            for constraint in schema.constraints:
                constraint.check(result, options.lookup, functools.partial(_as_type, schema))
    except (ValueError, TypeError, OverflowError) as error:
        raise checks.property_error(
            exception.append_hint(str(error), versions.suggest_function(value))
        ) from error
    return result


def _as_type(schema: PropertySchema, value: Value) -> str:
    return _CONVERTERS[schema.type](schema, value, LENIENT)


def missing_value(name: str, schema: PropertySchema) -> Value:
    """Return the value of a property that is not given: its default, or None.

    Raises StackValidationFailed if the property is required.
    """
    if schema.has_default:
        converted = schema.type in (MAP, LIST, BOOLEAN)
        return convert(schema, None, LENIENT) if converted else schema.default
    if schema.required:
        raise checks.missing_property(name).error
    return None


def _string(schema: PropertySchema, value: Value, options: CheckOptions) -> Value:
    if isinstance(value, str):
        return value
    if value is None:
        return schema.default if schema.has_default else ''
    if isinstance(value, int):
        return str(value)
    raise ValueError(f'Value must be a string; got {value_texts.as_json(value)}')


def _integer(schema: PropertySchema, value: Value, options: CheckOptions) -> Value:
    if type(value) is int:
        return value
    if value is None:
        return schema.default if schema.has_default else 0
    try:
        return int(value)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"Value '{value_texts.bare(value)}' is not an integer") from None


def _number(schema: PropertySchema, value: Value, options: CheckOptions) -> Value:
    if value is None:
        return schema.default if schema.has_default else 0
    return to_number(value)


def _boolean(schema: PropertySchema, value: Value, options: CheckOptions) -> Value:
    if value is None:
        # some types declare the default as a text
        value = schema.default or False
    if isinstance(value, bool):
        return value
    text = value.lower() if isinstance(value, str) else None
    if text not in ('true', 'false'):
        raise ValueError(f'{value_texts.quoted(value)} is not a valid boolean')
    return text == 'true'


def _map(schema: PropertySchema, value: Value, options: CheckOptions) -> Value:
    if value is None:
        value = dict(schema.default or {})
    if not isinstance(value, Mapping):
        if schema.allow_conversion and isinstance(value, str | list):
            return value
        raise ValueError(f'{value_texts.quoted(value)} is not a map')
    return value if schema.schema is None else _children(schema.schema, value, options)


def _children(
    schemata: Mapping[str, Value], given: Mapping[str, Value], options: CheckOptions
) -> Value:
    if options.strict:
        raise_first(checks.property_names(schemata, given, nested=True))
    aliases = aliases_of(schemata)
    result = {}
    for name, schema in schemata.items():
        source = source_name(name, aliases, given)
        if source is None:
            result[name] = missing_value(name, schema)
            continue
        try:
            # as in Heat, an object that an older name names is looked up when it is needed
            looks_up = options if source == name else dataclasses.replace(options, lookup=None)
            result[name] = convert(schema, given[source], looks_up)
        except exception.StackValidationFailed as error:
            raise error.prefixed(source) from error.__cause__
        except AliasConflict as conflict:
            raise conflict.prefixed(source) from None
    return result


def aliases_of(schemata: Mapping) -> dict[str, str]:
    """Return ``{name: deprecated name}`` of the properties that have a deprecated alias."""
    return {schema.alias_of: name for name, schema in schemata.items() if schema.alias_of}


def required_names(schemata: Mapping) -> list[str]:
    """Return the names that must be given: those without default and without deprecated alias."""
    aliases = aliases_of(schemata)
    return [
        name
        for name, schema in schemata.items()
        if schema.required and not schema.has_default and name not in aliases
    ]


def source_name(name: str, aliases: Mapping[str, str], given: Mapping) -> str | None:
    """Return the key of ``given`` that holds the property ``name``, None if it is not given.

    The key is the name or its deprecated alias; the alias itself always has None, since its value
    belongs to the current name. Raises AliasConflict if both are given.
    """
    alias = aliases.get(name) if aliases else None
    if alias is not None and given.get(alias) is not None:
        if given.get(name) is not None:
            raise AliasConflict(name, alias)
        return alias
    if aliases and name in aliases.values():
        return None
    return name if name in given else None


class AliasConflict(Exception):
    """A property is given both by its name and by a deprecated alias; names are dotted paths."""

    def __init__(self, *names: Value) -> None:
        self.names = names
        super().__init__(*names)

    def prefixed(self, outer: str) -> 'AliasConflict':
        return AliasConflict(*(f'{outer}.{name}' for name in self.names))


def _list(schema: PropertySchema, value: Value, options: CheckOptions) -> Value:
    if value is None:
        value = list(schema.default or ())
    if isinstance(value, str) and schema.allow_conversion:
        value = value.split(',') if value else []
    if not isinstance(value, list | tuple):
        raise ValueError(f'{value_texts.quoted(value)} is not a list')
    return schema.map_nested(value, lambda nested, item: convert(nested, item, options))


def _any(schema: PropertySchema, value: Value, options: CheckOptions) -> Value:
    return schema.default if value is None else value


_CONVERTERS = {
    STRING: _string,
    INTEGER: _integer,
    NUMBER: _number,
    BOOLEAN: _boolean,
    MAP: _map,
    LIST: _list,
    ANY: _any,
}
