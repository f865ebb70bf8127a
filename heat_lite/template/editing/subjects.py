"""What a place in a template is about: a resource type, a property, a reference, a function."""

from collections.abc import Mapping
from typing import NamedTuple

from heat_lite.common.value_types import Value
from heat_lite.template import function
from heat_lite.template.constraints import LIST, MAP
from heat_lite.template.lint.document import Definition, TemplateDocument
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.schema import AttributeSchema, PropertySchema

PARAMETER, RESOURCE, ATTRIBUTE = 'parameter', 'resource', 'attribute'
CONDITION, FILE = 'condition', 'file'

#: {function: what its argument names}; of a list, the first item
_REFERENCES = {
    'get_param': (PARAMETER,),
    'get_resource': (RESOURCE,),
    'get_attr': (RESOURCE,),
    'get_file': (FILE,),
    'Ref': (PARAMETER, RESOURCE),
    'Fn::GetAtt': (RESOURCE,),
    'if': (CONDITION,),
    'Fn::If': (CONDITION,),
}
_ATTRIBUTE_FUNCTIONS = ('get_attr', 'Fn::GetAtt')


class Reference(NamedTuple):
    """A kind of thing that a value may name. ``owner``: the resource of an attribute."""

    kind: str
    owner: str = ''


class Node(NamedTuple):
    """A place in the properties of a resource: its type and the schema there, if known."""

    info: TypeInfo
    schema: PropertySchema | None
    #: the schemas of the keys, where the place is a map with known keys
    keys: Mapping[str, PropertySchema] | None


def value_at(data: Value, path: tuple) -> Value:
    """Return the value at a path of the data, None where there is none."""
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def references_at(document: TemplateDocument, path: tuple) -> list[Reference]:
    """Return what a value may name; nothing if it is no reference."""
    resources = document.path_of('resources')
    if path[:1] == resources and path[2:3] == (document.resource_key('depends_on'),):
        return [Reference(RESOURCE)]
    if path[2:] == (document.resource_key('condition'),):
        return [Reference(CONDITION)]
    return _argument(document, path[:-1], 0, path[-1:]) or _argument(
        document, path[:-2], path[-1] if path else None, path[-2:-1]
    )


def _argument(
    document: TemplateDocument, above: tuple, index: Value, name: tuple
) -> list[Reference]:
    """Return what the argument at an index of the function ``name`` may name."""
    if not name or name[0] not in document.version.functions:
        return []
    if index == 1 and name[0] in _ATTRIBUTE_FUNCTIONS:
        owner = value_at(document.data, (*above, name[0], 0))
        return [Reference(ATTRIBUTE, owner)] if isinstance(owner, str) else []
    return [Reference(kind) for kind in _REFERENCES.get(name[0], ()) if index == 0]


def attributes_of(document: TemplateDocument, resource: str) -> Mapping[str, AttributeSchema]:
    """Return the attributes of a resource; none where its type is unknown."""
    info = document.resource_type(resource)
    return (info.attributes if info else None) or {}


def definition_at(document: TemplateDocument, path: tuple) -> tuple[Definition, tuple] | None:
    """Return the definition of the resource or member around a path, and the rest of the path."""
    found = None
    for each in document.definitions():
        if path[: len(each.path)] == each.path and (
            found is None or len(each.path) > len(found.path)
        ):
            found = each
    return None if found is None else (found, path[len(found.path) :])


def property_at(document: TemplateDocument, path: tuple) -> Node | None:
    """Return the property at a path, or the map of all properties of a resource."""
    around = definition_at(document, path)
    if around is None:
        return None
    definition, rest = around
    info = document.type_of(definition.type_name, definition.name)
    if info is None or info.properties is None:
        return None
    if rest[:1] != (document.properties_of(definition)[0],):
        return None
    return _descend(info, rest[1:], document)


def _descend(info: TypeInfo, path: tuple, document: TemplateDocument) -> Node | None:
    schema: PropertySchema | None = None
    keys = info.properties
    for part in path:
        if (
            isinstance(part, str)
            and part in document.version.functions
            and part not in (keys or ())
        ):
            return None
        if keys is not None:
            schema = keys.get(part)
        elif schema is not None and schema.type == LIST and isinstance(part, int):
            schema = schema.schema
        else:
            schema = None
        if schema is None:
            return None
        is_map = schema.type == MAP and isinstance(schema.schema, dict) and schema.schema
        keys = schema.schema if is_map else None
    return Node(info, schema, keys)


def function_class(document: TemplateDocument, name: str) -> type | None:
    """Return the class of a function of the template's version, None if there is none."""
    found = document.version.functions.get(name)
    return None if found is None else function.load_class(found)


def holds_values(document: TemplateDocument, path: tuple) -> bool:
    """Whether a path leads into values, where functions may stand."""
    if path[:1] == document.path_of('outputs'):
        return path[2:3] == (document.version.dialect.output['value'],)
    around = definition_at(document, path)
    if around is None:
        return path[:1] == document.path_of('conditions') and len(path) > 1
    parts = ('properties', 'metadata', 'update_policy', 'external_id', 'import_id', 'condition')
    keys = [document.resource_key(part) for part in parts]
    return len(around[1]) > 1 and around[1][0] in keys
