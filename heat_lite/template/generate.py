"""The generated template of a resource type: one parameter a property, one output an attribute."""

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
    return {
        'heat_template_version': '2016-10-14',
        'description': f'Initial template of {name}',
        'parameters': {key: _hot_parameter(schema) for key, schema in properties.items()},
        'outputs': outputs,
        'resources': {
            name: {
                'type': resource_type,
                'properties': {key: {'get_param': key} for key in properties},
            }
        },
    }


def _hot_parameter(schema: PropertySchema) -> dict[str, Value]:
    parameter = _parameter(schema, _kind(schema), str)
    if schema.constraints:
        parameter['constraints'] = [constraint.to_wire() for constraint in schema.constraints]
    return parameter


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
        parameter['AllowedValues'] = ['True', 'true', 'False', 'false']
    return parameter
