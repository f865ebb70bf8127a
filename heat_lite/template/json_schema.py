"""The JSON Schema (draft 7) of HOT and the resource types of a service, for editors.

The schema covers all versions of HOT at once and no values of parameters; the linter checks those.
A function call is allowed wherever a value is.
"""

import pkgutil
import re
from collections.abc import Mapping

import yaml

from heat_lite.common.value_types import Value, without_none
from heat_lite.template import coercion, constraints, function, support, versions
from heat_lite.template.constraints import Constraint
from heat_lite.template.dialects import Version
from heat_lite.template.functions import logic
from heat_lite.template.lint.document import Types
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.parameters import parameter_types
from heat_lite.template.schema import PropertySchema

CALL = {'$ref': '#/definitions/call'}
_KEY = 'heat_template_version'
#: syntax of Python's regular expressions that JSON Schema does not have
_FOREIGN_PATTERN = re.compile(r'\(\?[^:=!]|\\[AZz]|\[\[|\(\?<')
_STRING_PATTERNS = {
    constraints.INTEGER: r'^\s*[-+]?[0-9]+\s*$',
    constraints.NUMBER: r'^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$',
    constraints.BOOLEAN: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$',
}
#: {property type: JSON types}; null is allowed for each type and stands for the default
_JSON_TYPES = {
    constraints.STRING: ['string', 'integer', 'boolean', 'null'],
    constraints.INTEGER: ['number', 'boolean', 'string', 'null'],
    constraints.NUMBER: ['number', 'boolean', 'string', 'null'],
    constraints.BOOLEAN: ['boolean', 'string', 'null'],
    constraints.LIST: ['array', 'null'],
    constraints.MAP: ['object', 'null'],
}
_LENGTHS = {constraints.STRING: 'Length', constraints.LIST: 'Items', constraints.MAP: 'Properties'}


def hot_schema(types: Types) -> dict:
    """Return the schema.

    ``types.names()`` lists the resource types. ``types.get(name)`` returns an object with the
    schemas ``properties`` and ``update_policy`` and the status ``support``.
    """
    known = {name: info for name in types.names() if (info := types.get(name))}
    schema = yaml.safe_load(pkgutil.get_data(__package__, 'hot_schema.yaml') or b'')
    schema['properties'][_KEY]['enum'] = list(versions.TABLE[_KEY])
    definitions = schema['definitions']
    definitions['call'] = _call(_functions(False))
    definitions['condition'] = _call(_functions(True))
    definitions['parameter']['properties']['type']['enum'] = list(parameter_types.WIRE_NAMES)
    resource = definitions['resource']
    resource['properties']['type']['anyOf'] = _type_names(known)
    resource['properties']['deletion_policy']['anyOf'] = [_policies(), CALL]
    resource['allOf'] = [_type_rule(name, kind) for name, kind in known.items()]
    for name, kind in known.items():
        definitions[name] = _properties(kind.properties, name)
    return schema


# --------------------------------------------------------------- functions


def _functions(in_conditions: bool) -> dict[str, Value]:
    """Return ``{name: description}`` of the functions of all versions.

    With ``in_conditions``, only functions that the definition of a condition may call.
    """
    descriptions: dict[str, str] = {}
    for version in versions.TABLE[_KEY].values():
        listed: Value = versions.list_functions(f'{_KEY}.{version.name}', in_conditions)
        descriptions.update(
            {
                item['functions']: item['description']
                for item in listed
                if not in_conditions or _is_condition_function(version, item['functions'])
            }
        )
    return descriptions


def _is_condition_function(version: Version, name: str) -> bool:
    kind = (version.condition_functions or {}).get(name)
    return kind is not None and not issubclass(function.load_class(kind), logic.NotAllowed)


def _call(functions: Mapping[str, Value]) -> dict[str, Value]:
    """Return the schema of a map with one key, the name of a function."""
    described = {name: {'description': text} for name, text in sorted(functions.items())}
    return {
        'type': 'object',
        'minProperties': 1,
        'maxProperties': 1,
        'additionalProperties': False,
        'properties': described,
    }


# --------------------------------------------------------------- resources


def _policies() -> dict[str, Value]:
    return {
        'enum': sorted(
            {
                policy
                for version in versions.TABLE[_KEY].values()
                for policy in version.deletion_policies
            }
        )
    }


def _type_names(known: Mapping[str, Value]) -> list[Value]:
    """Return schemas of the known types and of names in other namespaces.

    Plug-ins and environments define the types in other namespaces.
    """
    namespaces = sorted({'::'.join(name.split('::')[:-1][:2]) + '::' for name in known})
    other_names = f'^(?!{"|".join(map(re.escape, namespaces))})'
    hidden = {name for name, kind in known.items() if kind.support.status == support.HIDDEN}
    ours = {name for name, kind in known.items() if kind.support.is_ours} - hidden
    enums: list[dict] = [
        {'enum': [name for name in known if name not in ours | hidden]},
        {'enum': sorted(ours), 'description': support.since(support.OURS).note},
        {'enum': sorted(hidden), 'deprecated': True},
    ]
    other = {'type': 'string', **({'pattern': other_names} if namespaces else {})}
    return [*(each for each in enums if each['enum']), other]


def _type_rule(name: str, kind: TypeInfo) -> dict[str, Value]:
    """Return the rule that ties the type of a resource to the schema of its properties."""
    schemas: dict = {'properties': {'$ref': f'#/definitions/{name}'}}
    if kind.update_policy:
        schemas['update_policy'] = _properties(kind.update_policy)
    required = ['properties'] if coercion.required_names(kind.properties or {}) else []
    then = {'properties': schemas, **({'required': required} if required else {})}
    return {'if': {'properties': {'type': {'const': name}}, 'required': ['type']}, 'then': then}


def _properties(schemata: Mapping[str, Value] | None, title: str | None = None) -> dict[str, Value]:
    """Return the schema of a map with known keys; with any keys if ``schemata`` is None."""
    if schemata is None:
        return {'title': title, 'type': ['object', 'null']}
    required = coercion.required_names(schemata)
    return {
        **({'title': title} if title else {}),
        'type': 'object' if required else ['object', 'null'],
        'additionalProperties': False,
        'properties': {name: _property(schema) for name, schema in schemata.items()},
        **({'required': required} if required else {}),
    }


def _property(schema: PropertySchema) -> dict[str, Value]:
    """Return the schema of a property: a value of its type, or a function call."""
    texts = [schema.description, schema.support.note if schema.support.is_ours else None]
    for each in schema.constraints:
        if isinstance(each, constraints.AllowedValues) and each.ours:
            texts.append(f'Heat does not have the values {", ".join(map(str, each.ours))}.')
    description = ' '.join(filter(None, texts))
    annotations: dict[str, Value] = {'description': description} if description else {}
    if schema.has_default:
        annotations['default'] = schema.default
    if schema.support.status in (support.DEPRECATED, support.HIDDEN):
        annotations['deprecated'] = True
    if schema.hidden:
        annotations['doNotSuggest'] = True
    value = _value(schema)
    return {**annotations, 'anyOf': [value, CALL]} if value else annotations


def _value(schema: PropertySchema) -> dict[str, Value]:
    """Return the schema of a literal value by type and constraints; empty for type ANY."""
    if schema.type == constraints.ANY:
        return {}
    types = _JSON_TYPES[schema.type]
    if schema.allow_conversion:
        types = [*types, 'string']
    result: dict = {'type': types}
    if schema.type in _STRING_PATTERNS:
        result['pattern'] = _STRING_PATTERNS[schema.type]
    if schema.type == constraints.MAP and schema.schema:
        result.update(
            {key: value for key, value in _properties(schema.schema).items() if key != 'type'}
        )
    if schema.type == constraints.LIST and schema.schema is not None:
        result['items'] = _property(schema.schema)
    for constraint in schema.constraints:
        result.update(_constraint(constraint, schema.type))
    return result


def _constraint(constraint: Constraint, kind: str) -> dict[str, Value]:
    """Return the keywords for a constraint.

    Empty if JSON Schema has none, or if the constraint applies to converted values only.
    """
    if isinstance(constraint, constraints.Range):
        return _bounds('minimum', 'maximum', constraint)
    if isinstance(constraint, constraints.Length):
        return _bounds(f'min{_LENGTHS[kind]}', f'max{_LENGTHS[kind]}', constraint)
    if isinstance(constraint, constraints.AllowedPattern) and not _FOREIGN_PATTERN.search(
        constraint.pattern
    ):
        return {'pattern': f'^(?:{constraint.pattern})$'}
    if isinstance(constraint, constraints.AllowedValues) and kind != constraints.LIST:
        return {'enum': [*_spellings(constraint.allowed), None]}
    return {}


def _spellings(allowed: tuple) -> list[Value]:
    """Return the allowed values, and numbers and booleans also as strings."""
    strings = [
        spelling
        for value in allowed
        if not isinstance(value, str)
        for spelling in {str(value), str(value).lower()}
    ]
    return list(dict.fromkeys([*allowed, *strings]))


def _bounds(min_key: str, max_key: str, constraint: Value) -> dict[str, Value]:
    bounds = {min_key: constraint.min, max_key: constraint.max}
    return without_none(bounds)
