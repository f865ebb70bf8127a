"""The class constants of Heat's resource types, made from the schemas of ours.

Heat names each property, attribute, key of a map and allowed value by a constant of the class:
``FLAVOR = 'flavor'``, ``NETWORK_UUID = 'uuid'``, ``PROPERTIES = ('name', ...)``. Plug-ins that
subclass a type refer to them.
"""

import itertools
import re
from collections.abc import Iterator, Mapping

from heat_lite.common.value_types import Value, Values
from heat_lite.engine.resource.resource_type import ResourceType
from heat_lite.template import constraints
from heat_lite.template.schema import PropertySchema

_WORD_END = re.compile(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])')
_SIMPLE_WORD_END = re.compile(r'(?<=[a-z0-9])(?=[A-Z])')
_NO_NAME = re.compile(r'\W+')
#: endings of the name of a property that the names of its keys do without
ENDINGS = ('S', 'ES', '_V2', '_POLICY', '_SCHEMA')


def constants(service_type: type[ResourceType]) -> Values:
    """Return the constants by their names. Where two have one name, the more specific wins."""
    found: Values = {}
    for name, value in itertools.chain(
        _tuples(service_type),
        _properties(service_type),
        _attributes(service_type),
        _keys(service_type, prefixed=True),
        _keys(service_type, prefixed=False),
        _values(service_type),
    ):
        if name.isidentifier():
            found.setdefault(name, value)
    return found


def spellings(name: str) -> list[str]:
    """Return names of a constant: ``KEY_NAME`` for key_name and KeyName, ``QOS`` for qos."""
    plain = name.replace('::', '_')
    found = [
        _NO_NAME.sub('_', end.sub('_', plain)).upper() for end in (_SIMPLE_WORD_END, _WORD_END)
    ]
    # of provider:network_type, network_type is a name, too
    found += [each for each in [_NO_NAME.sub('_', plain.rpartition(':')[2]).upper()] if ':' in name]
    return list(dict.fromkeys(found))


def _schemas(service_type: type[ResourceType]) -> dict[str, PropertySchema]:
    return {**service_type.properties_schema, **service_type.update_policy_schema}


def _tuples(service_type: type[ResourceType]) -> Iterator[tuple[str, Value]]:
    yield 'PROPERTIES', tuple(service_type.properties_schema)
    yield 'ATTRIBUTES', tuple(service_type.attributes_schema)
    if service_type.update_policy_schema:
        yield '_UPDATE_POLICY_SCHEMA_KEYS', tuple(service_type.update_policy_schema)


def _properties(service_type: type[ResourceType]) -> Iterator[tuple[str, str]]:
    for name in _schemas(service_type):
        for spelling in spellings(name):
            yield spelling, name


def _attributes(service_type: type[ResourceType]) -> Iterator[tuple[str, str]]:
    for name in service_type.attributes_schema:
        for spelling in spellings(name):
            yield spelling, name
            yield f'{spelling}_ATTR', name
            yield f'ATTR_{spelling}', name


def _keys(service_type: type[ResourceType], prefixed: bool) -> Iterator[tuple[str, Value]]:
    for name, schema in _schemas(service_type).items():
        yield from _keys_of(name, schema, prefixed)


def _keys_of(parent: str, schema: PropertySchema, prefixed: bool) -> Iterator[tuple[str, Value]]:
    """Yield the constants of the keys of a map: with the name of the map, or without it."""
    children: Mapping[str, PropertySchema] = schema.children() or {}
    starts = [start for spelling in spellings(parent) for start in _starts(spelling)]
    if children and prefixed:
        for start in starts:
            yield f'_{start}_KEYS', tuple(children)
            yield f'{start}_KEYS', tuple(children)
    for name, child in children.items():
        for spelling in spellings(name):
            if prefixed:
                for start in starts:
                    yield f'{start}_{spelling}', name
            else:
                yield spelling, name
        yield from _keys_of(name, child, prefixed)


def _starts(parent: str) -> list[str]:
    """Return the beginnings of the names of the keys: NETWORKS and NETWORK for ``networks``."""
    found = [parent, *(parent.removesuffix(ending) for ending in ENDINGS)]
    if parent.endswith('IES'):
        found.append(f'{parent.removesuffix("IES")}Y')
    return list(dict.fromkeys(found))


def _values(service_type: type[ResourceType]) -> Iterator[tuple[str, Value]]:
    """Yield the constants of allowed values: RAW, DHCPV6_STATELESS and TCP."""
    waiting = list(_schemas(service_type).items())
    while waiting:
        name, schema = waiting.pop(0)
        for constraint in schema.constraints:
            if isinstance(constraint, constraints.AllowedValues):
                yield from _values_of(name, constraint.allowed)
        waiting.extend((schema.children() or {}).items())
        if schema.type == constraints.LIST and schema.schema is not None:
            waiting.append((name, schema.schema))


def _values_of(name: str, allowed: tuple[Value, ...]) -> Iterator[tuple[str, Value]]:
    values = [value for value in allowed if isinstance(value, str) and value]
    for value in values:
        for spelling in spellings(value):
            yield spelling, value
            yield f'{spellings(name)[0]}_{spelling}', value
    for spelling in spellings(name):
        yield f'{spelling}S', tuple(allowed)
        yield f'_{spelling}S', tuple(allowed)
