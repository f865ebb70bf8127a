"""The generated template of a resource type: one parameter a property, one output an attribute.

In HOT a property that is neither required nor has a default is left out while its parameter is
empty. CFN can leave no property out, so there its parameter has to be given.
"""

from collections.abc import Callable, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template.constraints import (
    ANY,
    BOOLEAN,
    INTEGER,
    LIST,
    MAP,
    NUMBER,
    STRING,
    AllowedValues,
    CustomConstraint,
)
from heat_lite.template.parameters.parameter_schema import describe_constraints
from heat_lite.template.parameters.parameter_types import WIRE_NAMES
from heat_lite.template.schema import PropertySchema, visible

#: {type of property: HOT type of its parameter}
_TYPES = {
    INTEGER: 'number',
    STRING: 'string',
    NUMBER: 'number',
    BOOLEAN: 'boolean',
    MAP: 'json',
    LIST: 'comma_delimited_list',
    ANY: 'string',
}
#: {HOT type of a parameter: the value that means "not given"}; numbers and booleans have none
_EMPTY: dict[str, Value] = {'string': '', 'comma_delimited_list': [], 'json': {}}
_BOOLEANS = ('True', 'true', 'False', 'false')
REFERENCE_OUTPUT = 'OS::stack_id'


def template_for(
    resource_type: str,
    properties_schema: Mapping,
    attributes_schema: Mapping,
    template_type: str = 'cfn',
    name: str | None = None,
) -> dict:
    """Return the template as data, without hidden properties and attributes, and without
    properties that are not implemented.

    ``name`` is the name of the resource in the template.
    """
    name = name or resource_type.split('::')[-1]
    build = _hot if template_type == 'hot' else _cfn
    return build(resource_type, name, visible(properties_schema), visible(attributes_schema))


def _hot(
    resource_type: str, name: str, properties: Mapping[str, Value], attributes: Mapping[str, Value]
) -> dict[str, Value]:
    outputs = {
        key: {'value': {'get_attr': [name, key]}, 'description': schema.description}
        for key, schema in attributes.items()
    }
    outputs[REFERENCE_OUTPUT] = {'value': {'get_resource': name}}
    given: dict[str, Value] = {key: {'get_param': key} for key in properties}
    conditions = {}
    for key, schema in properties.items():
        if _is_optional(schema):
            conditions[key] = {'not': {'equals': [given[key], _EMPTY[_optional_kind(schema)]]}}
            given[key] = {'if': [key, given[key]]}
    return {
        'heat_template_version': '2021-04-16',  # the first one whose "if" leaves a property out
        'description': f'Initial template of {name}',
        'parameters': {key: _hot_parameter(schema) for key, schema in properties.items()},
        **({'conditions': conditions} if conditions else {}),
        'outputs': outputs,
        'resources': {name: {'type': resource_type, 'properties': given}},
    }


def _hot_parameter(schema: PropertySchema) -> dict[str, Value]:
    constraints = schema.constraints
    if _is_optional(schema):
        kind = _optional_kind(schema)
        parameter = {**_parameter(schema, kind, str), 'default': _EMPTY[kind]}
        constraints = _optional_constraints(schema)
    else:
        parameter = _parameter(schema, _kind(schema), str)
    if constraints:
        parameter['constraints'] = [constraint.to_wire() for constraint in constraints]
    return parameter


def _is_optional(schema: PropertySchema) -> bool:
    return not schema.required and schema.default is None


def _optional_kind(schema: PropertySchema) -> str:
    kind = _kind(schema)
    return kind if kind in _EMPTY else 'string'


def _optional_constraints(schema: PropertySchema) -> list[AllowedValues]:
    """Return the constraints of a parameter that may be empty; the property has them all."""
    if schema.type == BOOLEAN:
        return [AllowedValues(['', *_BOOLEANS])]
    listed = [each for each in schema.constraints if isinstance(each, AllowedValues)]
    if schema.type == LIST:
        return listed
    return [AllowedValues(['', *map(str, each.allowed)], each.description) for each in listed]


def _kind(schema: PropertySchema) -> str:
    """Return the HOT type of the parameter; a list of texts alone can be given between commas."""
    is_nested = schema.type == LIST and schema.schema and schema.schema.type in (MAP, LIST, ANY)
    return _TYPES[MAP if is_nested else schema.type]


def _parameter(schema: PropertySchema, kind: str, spell: Callable[[str], str]) -> dict[str, Value]:
    default = schema.default
    if schema.type == LIST and default is not None:
        default = [*default]  # that of a type of Heat is a map
    given = {'type': kind, 'description': schema.description, 'default': default}
    return {spell(key): value for key, value in given.items() if value is not None}


def _cfn(
    resource_type: str, name: str, properties: Mapping[str, Value], attributes: Mapping[str, Value]
) -> dict[str, Value]:
    outputs = {
        key: {'Value': {'Fn::GetAtt': [name, key]}, 'Description': schema.description}
        for key, schema in attributes.items()
    }
    outputs[REFERENCE_OUTPUT] = {'Value': {'Ref': name}}
    return {
        'HeatTemplateFormatVersion': '2012-12-12',
        'Description': f'Initial template of {name}',
        'Parameters': {key: _cfn_parameter(schema) for key, schema in properties.items()},
        'Resources': {
            name: {
                'Type': resource_type,
                'Properties': {key: {'Ref': key} for key in properties},
            }
        },
        'Outputs': outputs,
    }


def _cfn_parameter(schema: PropertySchema) -> dict[str, Value]:
    parameter = _parameter(schema, WIRE_NAMES[_kind(schema)], str.capitalize)
    # CFN has no custom constraints
    parameter.update(
        describe_constraints(
            [item for item in schema.constraints if not isinstance(item, CustomConstraint)]
        )
    )
    if schema.type == BOOLEAN:
        parameter['AllowedValues'] = [*_BOOLEANS]
    return parameter
