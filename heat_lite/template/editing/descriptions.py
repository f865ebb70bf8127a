"""Descriptions of types, properties, attributes, parameters and functions, as Markdown."""

import inspect
import json

from heat_lite.common.value_types import Value
from heat_lite.template import support
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.parameters.parameter_schema import ParameterSchema
from heat_lite.template.schema import AttributeSchema, PropertySchema, visible
from heat_lite.template.support import SupportStatus


def describe_type(info: TypeInfo) -> str:
    """Describe a resource type: its properties and attributes, the required ones first."""
    parts = [f'**{info.name}**', *_support(info.support)]
    if info.description:
        parts.append(info.description)
    properties = visible(info.properties or {})
    required = sorted(name for name, schema in properties.items() if schema.required)
    optional = sorted(name for name, schema in properties.items() if not schema.required)
    for title, names in (
        ('Required properties', required),
        ('Optional properties', optional),
        ('Attributes', sorted(info.attributes or ())),
    ):
        if names:
            parts.append(f'{title}: ' + ', '.join(f'`{name}`' for name in names))
    return '\n\n'.join(parts)


def describe_property(name: str, schema: PropertySchema) -> str:
    """Describe a property: type, default, constraints, effect of an update."""
    facts = [schema.type, 'required' if schema.required else 'optional']
    if schema.default is not None:
        facts.append(f'default `{_text(schema.default)}`')
    facts.append('updated in place' if schema.update_allowed else 'an update replaces the resource')
    return _with_constraints(name, facts, schema, _support(schema.support))


def describe_attribute(name: str, schema: AttributeSchema) -> str:
    """Describe an attribute."""
    return '\n\n'.join([f'**{name}**', *([schema.description] if schema.description else [])])


def describe_parameter(name: str, schema: ParameterSchema) -> str:
    """Describe a parameter of the template. The default of a hidden one is not shown."""
    facts = [schema.type]
    if schema.default is not None and not schema.hidden:
        facts.append(f'default `{_text(schema.default)}`')
    facts += ['hidden'] if schema.hidden else []
    return _with_constraints(name, facts, schema)


def _with_constraints(
    name: str,
    facts: list[str],
    schema: PropertySchema | ParameterSchema,
    status: list[str] | tuple = (),
) -> str:
    described = [schema.description] if schema.description else []
    title = f'**{name}** ({", ".join(facts)})'
    return '\n\n'.join([title, *status, *described, *_constraints(schema)])


def describe_function(name: str, kind: type) -> str:
    """Describe a function of the template language."""
    return f'**{name}**\n\n{inspect.getdoc(kind) or ""}'.strip()


def _constraints(schema: ParameterSchema | PropertySchema) -> list[str]:
    return [f'`{_text(constraint.rule())}`' for constraint in schema.constraints]


def _support(status: SupportStatus) -> list[str]:
    if status.status == support.SUPPORTED:
        return []
    message = f': {status.message}' if status.message else ''
    return [f'*{status.status.lower()}{message}*']


def _text(value: Value) -> str:
    return json.dumps(value, default=str)
