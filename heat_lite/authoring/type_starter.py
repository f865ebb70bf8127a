"""A template to start from for a resource type: its example, with parameters for other objects.

A sample value ``my-network`` stands for an object that exists already, so each one becomes a
parameter without a default: a create with the sample itself would fail.
"""

import copy
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from heat_lite.authoring import type_examples
from heat_lite.common.value_types import Value, Values
from heat_lite.template import constraints
from heat_lite.template.lint.rules.practices import is_secret
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.schema import PropertySchema

#: the property with the name that the new object gets: its sample value is as good as another
OWN_NAME = 'name'
#: a sample that stands for something that exists: an object, a file on a web server, an address
_SAMPLE = re.compile(rf'{type_examples.SAMPLE_PREFIX}|https://example\.org/.|192\.0\.2\.10$')
#: the map or list that holds a sample value, its key, and its schema if known
Sample: TypeAlias = tuple[Value, str | int, PropertySchema | None]
_PARAMETER_TYPES = (constraints.INTEGER, constraints.NUMBER, constraints.BOOLEAN)


def template_of(info: TypeInfo) -> dict:
    """Return a template as data: the example of a type that reads other objects by parameters."""
    template = copy.deepcopy(type_examples.template_of(info))
    parameters: dict[str, dict] = dict(template.get('parameters', {}))
    for resource_name, resource in template['resources'].items():
        schemata = info.properties if resource['type'] == info.name else None
        for holder, key, schema in _samples(resource.get('properties', {}), schemata or {}):
            name = _parameter_name(holder[key], key, resource_name)
            parameters.setdefault(name, _parameter(schema))
            holder[key] = {'get_param': name}
    if not parameters:
        return template
    version, *others = template.items()
    return dict([version, ('parameters', parameters), *others])


def _samples(properties: dict, schemata: Mapping) -> Iterator[Sample]:
    """Yield each sample value: the map or list that holds it, its key, and its schema if known."""
    for name, value in properties.items():
        if name != OWN_NAME or not isinstance(value, str):
            yield from _samples_in(properties, name, schemata.get(name))


def _samples_in(holder: Value, key: Value, schema: Value) -> Iterator[Sample]:
    value = holder[key]
    below = getattr(schema, 'schema', None)
    if isinstance(value, dict):
        for name in value:
            known = below.get(name) if isinstance(below, dict) else None
            yield from _samples_in(value, name, known)
    elif isinstance(value, list):
        for number in range(len(value)):
            known = below if isinstance(below, PropertySchema) else None
            yield from _samples_in(value, number, known)
    elif isinstance(value, str) and _SAMPLE.match(value):
        yield holder, key, schema


def _parameter_name(sample: str, key: Value, resource_name: str) -> str:
    """Return a name: that of the sample, or of the property whose sample is a URL."""
    name = sample.removeprefix(type_examples.SAMPLE_PREFIX).replace('-', '_')
    if name == sample:
        name = re.sub('(?<=[a-z])(?=[A-Z])', '_', str(key)).lower()
    if is_secret(name):
        return f'{name}_ref'  # it names a secret, and is none
    return f'{name}_id' if name == resource_name else name


def _parameter(schema: PropertySchema | None) -> Values:
    """Return a parameter for a value of a property."""
    found: Values = {'type': 'string'}
    if schema is None:
        return found
    if schema.type in _PARAMETER_TYPES:
        found['type'] = schema.type.lower()
    if schema.description:
        found['description'] = schema.description
    custom = [
        {'custom_constraint': each.name}
        for each in schema.constraints
        if isinstance(each, constraints.CustomConstraint)
    ]
    if custom:
        found['constraints'] = custom
    return found
