"""The JSON Schema (draft 7) of HOT with the types of a service, for editors: what can be written where, and what it means.

It knows no version's own rules and no values of parameters; the linter does. Wherever a value may stand, a call of a function may.
"""

import re

from heat_lite.template import catalog, constraints, function, parameter_schema, parameter_types, support, values, versions
from heat_lite.template.functions import logic

DRAFT = 'http://json-schema.org/draft-07/schema#'
CALL = {'$ref': '#/definitions/call'}
#: what Python's regular expressions have and those of JSON Schema have not
_FOREIGN_PATTERN = re.compile(r'\(\?[^:=!]|\\[AZz]|\[\[|\(\?<')
_TEXT = {
    constraints.INTEGER: r'^\s*[-+]?[0-9]+\s*$',
    constraints.NUMBER: r'^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$',
    constraints.BOOLEAN: '^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$',
}
#: JSON's words for a type of ours; None is the default of a property, whatever its type
_JSON_TYPES = {
    constraints.STRING: ['string', 'integer', 'boolean', 'null'],
    constraints.INTEGER: ['number', 'boolean', 'string', 'null'],
    constraints.NUMBER: ['number', 'boolean', 'string', 'null'],
    constraints.BOOLEAN: ['boolean', 'string', 'null'],
    constraints.LIST: ['array', 'null'],
    constraints.MAP: ['object', 'null'],
}
_LENGTHS = {constraints.STRING: 'Length', constraints.LIST: 'Items', constraints.MAP: 'Properties'}


def of_hot(types) -> dict:
    """The schema. ``types`` answers ``names()`` and ``get(name)``, something with the schemas ``properties`` and ``update_policy`` and the
    status ``support``."""
    known = {name: types.get(name) for name in types.names()}
    return {
        '$schema': DRAFT,
        'title': 'A template in HOT',
        'type': 'object',
        'required': [_KEY],
        'additionalProperties': False,
        'properties': {
            _KEY: {'description': 'The version of the language.', 'enum': list(versions.TABLE[_KEY])},
            'description': {'description': 'What the template is for.', 'type': 'string'},
            'parameters': _map('What whoever makes a stack may choose.', _ref('parameter')),
            'parameter_groups': _GROUPS,
            'conditions': _map('Names for what is true or false.', {'anyOf': [{'type': 'boolean'}, _ref('condition')]}),
            'resources': _map('What the stack is made of.', _ref('resource')),
            'outputs': _map('What the stack tells.', _OUTPUT),
        },
        'definitions': {
            'call': _call(_functions(False)),
            'condition': _call(_functions(True)),
            'parameter': _parameter(),
            'resource': _resource(known),
            **{name: _properties(kind.properties, name) for name, kind in known.items()},
        },
    }


_KEY = 'heat_template_version'
_TRUTH = {'description': 'Only if this condition holds.', 'anyOf': [{'type': ['string', 'boolean']}, {'$ref': '#/definitions/condition'}]}
_OUTPUT = {
    'type': 'object',
    'required': ['value'],
    'properties': {
        'value': {'description': 'What it tells: text, list, map or the call of a function.'},
        'description': {'type': 'string'},
        'condition': _TRUTH,
    },
}
_GROUPS = {
    'description': 'Which parameters belong together, for forms that ask for them.',
    'type': 'array',
    'items': {
        'type': 'object',
        'required': ['parameters'],
        'properties': {
            'label': {'type': 'string'},
            'description': {'type': 'string'},
            'parameters': {'type': 'array', 'items': {'type': 'string'}},
        },
    },
}


def _ref(name):
    return {'$ref': f'#/definitions/{name}'}


def _map(description, of):
    return {'description': description, 'type': ['object', 'null'], 'additionalProperties': of}


# --------------------------------------------------------------- functions


def _functions(in_conditions):
    """Names and descriptions of the functions of all versions, or of those that definitions of conditions may call."""
    found: dict[str, str] = {}
    for version in versions.TABLE[_KEY].values():
        listed = catalog.functions_of(f'{_KEY}.{version.name}', with_condition=in_conditions)
        found.update(
            {each['functions']: each['description'] for each in listed if not in_conditions or _decides(version, each['functions'])}
        )
    return found


def _decides(version, name):
    kind = (version.condition_functions or {}).get(name)
    return kind is not None and not issubclass(function.load(kind), logic.NotAllowed)


def _call(functions):
    """A map with one key, the name of a function."""
    return {
        'type': 'object',
        'minProperties': 1,
        'maxProperties': 1,
        'additionalProperties': False,
        'properties': {name: {'description': text} for name, text in sorted(functions.items())},
    }


# --------------------------------------------------------------- parameters


def _parameter():
    bounds = {key: {'type': ['number', 'string']} for key in ('min', 'max', 'step', 'offset')}
    ranges = {name: {'type': 'object', 'properties': bounds, 'additionalProperties': False} for name in ('length', 'range', 'modulo')}
    constraint = {
        'type': 'object',
        'additionalProperties': False,
        'properties': {
            **ranges,
            'allowed_values': {'type': 'array'},
            'allowed_pattern': {'type': 'string', 'format': 'regex'},
            'custom_constraint': {'type': 'string'},
            'description': {'description': 'What to say where a value is refused.', 'type': 'string'},
        },
    }
    known = {
        'type': {'description': 'What kind of value it takes.', 'enum': list(parameter_types.WIRE_NAMES)},
        'default': {'description': 'Its value where nobody gives one.'},
        'description': {'type': 'string'},
        'label': {'description': 'Its name for people.', 'type': 'string'},
        'hidden': {'description': 'Whether its value is shown to nobody.'},
        'immutable': {'description': 'Whether an update may not change it.'},
        'constraints': {'description': 'Which values it takes.', 'type': ['array', 'null'], 'items': constraint},
        'tags': {'type': 'array'},
    }
    properties = {name: known.get(name, {}) for name in parameter_schema.HOT_KEYS}
    return {'type': 'object', 'required': ['type'], 'additionalProperties': False, 'properties': properties}


# --------------------------------------------------------------- resources


def _resource(known):
    """What all resources have, and for each type what its properties are."""
    texts = {
        'type': {'description': 'What kind of thing it is.', 'anyOf': _type_names(known)},
        'properties': {'type': ['object', 'null']},
        'metadata': {'description': 'Data that stays with the resource.', 'type': 'object'},
        'depends_on': {'description': 'Resources that come first.', 'type': ['string', 'array'], 'items': {'type': 'string'}},
        'deletion_policy': {'description': 'What becomes of the object when the resource is deleted.', 'anyOf': [_policies(), CALL]},
        'update_policy': {'description': 'How members of a group are replaced.', 'type': 'object'},
        'description': {'type': 'string'},
        'external_id': {'description': 'The object that is there already.', 'anyOf': [{'type': 'string'}, CALL]},
        'condition': _TRUTH,
    }
    return {
        'type': 'object',
        'required': ['type'],
        'additionalProperties': False,
        'properties': {word: texts.get(part, {}) for part, word in versions.HOT.resource.items()},
        'allOf': [_of_type(name, kind) for name, kind in known.items()],
    }


def _policies():
    return {'enum': sorted({policy for version in versions.TABLE[_KEY].values() for policy in version.deletion_policies})}


def _type_names(known):
    """The known types, and names outside of their namespaces: those that plug-ins and environments bring."""
    shown = [name for name, kind in known.items() if kind.support.status != support.HIDDEN]
    spaces = sorted({'::'.join(name.split('::')[:-1][:2]) + '::' for name in known})
    names = [{'enum': shown}, {'type': 'string', 'pattern': f'^(?!{"|".join(map(re.escape, spaces))})'}] if spaces else [{'type': 'string'}]
    hidden = [name for name in known if name not in shown]
    return [*names, {'enum': hidden, 'deprecated': True}] if hidden else names


def _of_type(name, kind):
    told: dict = {'properties': _ref(name)}
    if kind.update_policy:
        told['update_policy'] = _properties(kind.update_policy)
    required = ['properties'] if _required(kind.properties or {}) else []
    then = {'properties': told, **({'required': required} if required else {})}
    return {'if': {'properties': {'type': {'const': name}}, 'required': ['type']}, 'then': then}


def _properties(schemata, title=None):
    """The schema of a map with known keys, or, for None, with any."""
    if schemata is None:
        return {'title': title, 'type': ['object', 'null']}
    required = _required(schemata)
    return {
        **({'title': title} if title else {}),
        'type': 'object' if required else ['object', 'null'],
        'additionalProperties': False,
        'properties': {name: _property(schema) for name, schema in schemata.items()},
        **({'required': required} if required else {}),
    }


def _required(schemata):
    """What must be given: not what has a default or an older name that serves as well."""
    aliases = values.aliases_of(schemata)
    return [name for name, schema in schemata.items() if schema.required and not schema.has_default and name not in aliases]


def _property(schema):
    """A property: its own type, or a call that gives it."""
    told = {'description': schema.description} if schema.description else {}
    if schema.has_default:
        told['default'] = schema.default
    if schema.support.status in (support.DEPRECATED, support.HIDDEN):
        told['deprecated'] = True
    if schema.hidden:
        told['doNotSuggest'] = True
    own = _own(schema)
    return {**told, 'anyOf': [own, CALL]} if own else told


def _own(schema):
    """What the type and the constraints of a schema say; nothing for what may be anything."""
    if schema.type == constraints.ANY:
        return {}
    types = _JSON_TYPES[schema.type]
    if schema.allow_conversion:
        types = [*types, 'string']
    own: dict = {'type': types}
    if schema.type in _TEXT:
        own['pattern'] = _TEXT[schema.type]
    if schema.type == constraints.MAP and schema.schema:
        own.update({key: value for key, value in _properties(schema.schema).items() if key != 'type'})
    if schema.type == constraints.LIST and schema.schema is not None:
        own['items'] = _property(schema.schema)
    for constraint in schema.constraints:
        own.update(_constraint(constraint, schema.type))
    return own


def _constraint(constraint, kind):
    """A constraint in JSON Schema's words; nothing where it has none, or means converted values."""
    if isinstance(constraint, constraints.Range):
        return _bounds('minimum', 'maximum', constraint)
    if isinstance(constraint, constraints.Length):
        return _bounds(f'min{_LENGTHS[kind]}', f'max{_LENGTHS[kind]}', constraint)
    if isinstance(constraint, constraints.AllowedPattern) and not _FOREIGN_PATTERN.search(constraint.pattern):
        return {'pattern': f'^(?:{constraint.pattern})$'}
    if isinstance(constraint, constraints.AllowedValues) and kind != constraints.LIST:
        return {'enum': [*_spellings(constraint.allowed), None]}
    return {}


def _spellings(allowed):
    """Each value, and its text where a number or truth may be written so."""
    texts = [text for value in allowed if not isinstance(value, str) for text in {str(value), str(value).lower()}]
    return list(dict.fromkeys([*allowed, *texts]))


def _bounds(least, most, constraint):
    found = {least: constraint.min, most: constraint.max}
    return {key: value for key, value in found.items() if value is not None}
