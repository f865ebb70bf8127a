"""Example templates of a resource type: what the type requires, with sample values.

The file ``examples.yaml`` has the properties of types whose rules no schema expresses, or for which
an example of the required properties alone says little.

In a template to start from, a sample value ``my-network``, which stands for an object that exists
already, is a parameter without a default: a create with the sample itself would fail.
"""

import copy
import functools
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from heat_lite.common import installation
from heat_lite.common.value_types import Value, Values
from heat_lite.template import coercion, constraints, reader
from heat_lite.template.lint.rules.practices import is_secret
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.schema import PropertySchema

VERSION = '2021-04-16'
#: the begin of a sample value that stands for the name or id of an object
SAMPLE_PREFIX = 'my-'
#: {format: a value of this format}
_FORMATS = {
    'cron_expression': '0 3 * * *',
    'dns_domain': 'example.org.',
    'dns_name': 'host.example.org.',
    'expiration': '2999-12-31T00:00:00',
    'ip_addr': '192.0.2.10',
    'ip_or_cidr': '192.0.2.0/24',
    'json_string': '{}',
    'mac_addr': 'fa:16:3e:00:00:01',
    'net_cidr': '192.0.2.0/24',
    'rel_dns_name': 'host',
    'timezone': 'UTC',
}
_LITERALS = {
    constraints.INTEGER: 1,
    constraints.NUMBER: 1,
    constraints.BOOLEAN: True,
    constraints.ANY: 'text',
}
#: {name of a resource beside that of the type: its type}
_OTHERS = {'launch_configuration': 'AWS::AutoScaling::LaunchConfiguration'}
#: attributes that users ask for, the most wanted first
_TELLING = (
    'addresses',
    'vip_address',
    'fixed_ips',
    'floating_ip_address',
    'api_address',
    'PublicIp',
    'ip',
    'hostname',
    'cidr',
    'subnets',
    'external_gateway_info',
    'attachments_list',
    'export_locations',
    'RootURL',
    'order_ref',
    'container_ref',
    'current_size',
    'UserName',
    'stack_name',
    'status',
    'name',
)
#: an attribute of all types, which says nothing about one
_COMMON_ATTRIBUTE = 'show'


def template_of(info: TypeInfo) -> dict:
    """Return an example as data: a resource of the type, and an output with an attribute.

    The resource of the type is the first.
    """
    name = _resource_name(info.name)
    secrets: dict[str, dict] = {}
    curated = _curated().get(info.name)
    properties = _required(info.properties or {}) if curated is None else curated
    properties = {key: _without_secret(key, value, secrets) for key, value in properties.items()}
    resource: Values = {'type': info.name}
    if properties:
        resource['properties'] = properties
    template: Values = {'heat_template_version': VERSION}
    if secrets:
        template['parameters'] = secrets
    template['resources'] = {name: resource, **_others(properties)}
    template['outputs'] = {'result': {'value': _result(name, info)}}
    return template


def _others(properties: Values) -> Values:
    """Return the resources that an example refers to: those that have to be in the same stack."""
    values = [value for value in properties.values() if isinstance(value, dict)]
    names = [value['get_resource'] for value in values if 'get_resource' in value]
    return {
        name: {'type': _OTHERS[name], 'properties': dict(_curated()[_OTHERS[name]])}
        for name in names
    }


@functools.cache
def _curated() -> dict[str, dict]:
    path = installation.data_path('etc', 'examples.yaml')
    return reader.parse(path.read_text(encoding='utf-8'), name=path.name)


def _resource_name(type_name: str) -> str:
    name = type_name.rpartition('::')[2].replace('QoS', 'Qos')
    words = re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z])', '_', name)
    return words.lower()


def _without_secret(name: str, value: Value, secrets: dict[str, Values]) -> Value:
    """Return the value; of a secret a reference to a hidden parameter."""
    if not is_secret(name) or not isinstance(value, str):
        return value
    secrets[name] = {'type': 'string', 'hidden': True}
    return {'get_param': name}


def _result(name: str, info: TypeInfo) -> Values:
    shown = [
        key
        for key, schema in (info.attributes or {}).items()
        if key != _COMMON_ATTRIBUTE and not schema.hidden and not is_secret(key)
    ]
    if not shown:
        return {'get_resource': name}
    telling = next((key for key in _TELLING if key in shown), shown[0])
    return {'get_attr': [name, telling]}


def _required(schemata: Mapping[str, PropertySchema]) -> Values:
    return {name: _sample(name, schemata[name]) for name in coercion.required_names(schemata)}


def _sample(name: str, schema: PropertySchema) -> Value:
    """Return a value for a property."""
    if schema.type == constraints.MAP:
        return _required(schema.schema) if schema.schema else {'key': 'value'}
    if schema.type == constraints.LIST:
        item = schema.schema
        return [f'{SAMPLE_PREFIX}{_kind(name)}' if item is None else _sample(name, item)]
    for constraint in schema.constraints:
        if isinstance(constraint, constraints.AllowedValues):
            return constraint.allowed[0]
        if isinstance(constraint, constraints.Range) and constraint.min is not None:
            return max(constraint.min, 1)
        if isinstance(constraint, constraints.CustomConstraint):
            kind = constraint.name.rpartition('.')[2]
            return _FORMATS.get(constraint.name, f'{SAMPLE_PREFIX}{_kind(kind)}')
    return _LITERALS.get(schema.type, f'{SAMPLE_PREFIX}{_kind(name)}')


def _kind(name: str) -> str:
    return re.sub(r'_(id|name)$', '', re.sub(r'(?<=[a-z])(?=[A-Z])', '_', name).lower()).replace(
        '_', '-'
    )


#: the property with the name that the new object gets: its sample value is as good as another
OWN_NAME = 'name'
#: a sample that stands for something that exists: an object, a file on a web server, an address
_SAMPLE = re.compile(rf'{SAMPLE_PREFIX}|https://example\.org/.|192\.0\.2\.10$')
#: the map or list that holds a sample value, its key, and its schema if known
Sample: TypeAlias = tuple[Value, str | int, PropertySchema | None]
_PARAMETER_TYPES = (constraints.INTEGER, constraints.NUMBER, constraints.BOOLEAN)


def starter_of(info: TypeInfo) -> dict:
    """Return a template as data: the example of a type that reads other objects by parameters."""
    template = copy.deepcopy(template_of(info))
    parameters: dict[str, dict] = template.pop('parameters', {})
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
    name = sample.removeprefix(SAMPLE_PREFIX).replace('-', '_')
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
