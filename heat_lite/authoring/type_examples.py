"""An example template of a resource type: what the type requires, with sample values.

The file ``examples.yaml`` has the properties of types whose rules no schema expresses, or for which
an example of the required properties alone says little.
"""

import functools
import re
from collections.abc import Mapping

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
