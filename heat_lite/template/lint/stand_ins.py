"""Values for parameters that a template leaves to its users, to validate the rest of it offline."""

from collections.abc import Container, Iterable, Mapping

from heat_lite.common.value_types import Value
from heat_lite.template.constraints import AllowedValues, Length, Range
from heat_lite.template.environment import PARAMETERS, Environment
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.parameters.parameter_schema import ParameterSchema
from heat_lite.template.template import Template

#: two values of each type of parameter
VALUES: dict[str, tuple[Value, Value]] = {
    'string': ('x', 'another value'),
    'number': (1, 1000),
    'boolean': (True, False),
    'comma_delimited_list': ('x', 'another,value'),
    'json': ({}, {'another': 'value'}),
}
#: the types whose values do not show in the error that they cause
STRUCTURED = ('comma_delimited_list', 'json')
#: calls whose result a parameter decides, whatever their arguments
DECIDED_BY_CONDITIONS = ('if', 'Fn::If')
READING = ('get_param', 'Ref')


def values(schemata: Mapping[str, ParameterSchema]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return two maps of values for the parameters without a default."""
    open_to_users = {
        name: schema
        for name, schema in schemata.items()
        if schema.required and schema.type in VALUES
    }
    return (
        {name: _value(schema, 0) for name, schema in open_to_users.items()},
        {name: _value(schema, -1) for name, schema in open_to_users.items()},
    )


def _value(schema: ParameterSchema, index: int) -> Value:
    value = VALUES[schema.type][index]
    for each in schema.constraints:
        if isinstance(each, AllowedValues) and each.allowed:
            return each.allowed[index]
        if isinstance(each, Range | Length):
            bound = each.max if index and each.max is not None else each.min
            if bound is not None:
                value = 'x' * bound if isinstance(each, Length) else bound
    return value


def template_with(
    document: TemplateDocument, files: Mapping[str, str], values: Mapping[str, Value]
) -> Template:
    """Return the template of a document of the linter, with files and values of parameters."""
    given = document.environment
    environment = Environment({**given.data, PARAMETERS: values}, given.base)
    return Template(document.data, files, environment)


def structured(schemata: Mapping[str, ParameterSchema], names: Iterable[str]) -> set[str]:
    """Return those of the parameters that are lists or maps."""
    return {name for name in names if schemata[name].type in STRUCTURED}


def decide(snippet: Value, names: Container[str]) -> bool:
    """Return whether conditions or the parameters ``names`` may decide the value of a part of a
    template.
    """
    waiting = [snippet]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            if len(part) == 1 and _is_decided(*next(iter(part.items())), names):
                return True
    return False


def _is_decided(function: str, args: Value, names: Container[str]) -> bool:
    if function in DECIDED_BY_CONDITIONS:
        return True
    if function not in READING:
        return False
    name = args[0] if isinstance(args, list) and args else args
    return isinstance(name, dict) or (isinstance(name, str) and name in names)
