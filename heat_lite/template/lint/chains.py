"""The members of resource chains, whose types are a list and whose properties are shared."""

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from heat_lite.common.value_types import Value
from heat_lite.template.lint.type_info import Definition, TypeInfo
from heat_lite.template.schema import AttributeSchema

RESOURCE_CHAIN = 'OS::Heat::ResourceChain'
#: the attributes of the chain itself
OWN_ATTRIBUTES = ('attributes', 'refs', 'show')


def members(document: Any, name: str) -> Iterator[tuple[tuple, Value]]:
    """Yield the path and the type of each member of a chain. Types need not be valid."""
    snippet = document.resources.get(name, {})
    if snippet.get(document.resource_key('type')) != RESOURCE_CHAIN:
        return
    key = document.resource_key('properties')
    properties = snippet.get(key)
    types = properties.get('resources') if isinstance(properties, dict) else None
    for index, type_name in enumerate(types if isinstance(types, list) else ()):
        path = document.path_of('resources', name, key, 'resources', index)
        yield path, type_name


def definitions(document: Any) -> Iterator[Definition]:
    """Yield the members of all chains that have the name of a type."""
    for name, snippet in document.resources.items():
        for path, type_name in members(document, name):
            if isinstance(type_name, str) and type_name:
                properties = snippet[document.resource_key('properties')]
                given = properties.get('resource_properties')
                member = {'type': type_name, 'properties': given}
                yield Definition(name, path, type_name, member, is_member=True)


def invalid_types(document: Any) -> Iterator[tuple[tuple, str]]:
    """Yield the path and an error for each member of a chain without the name of a type."""
    for name in document.resources:
        for path, type_name in members(document, name):
            is_name = isinstance(type_name, str) and type_name
            if not is_name and not document.calls.is_call(type_name):
                text = 'A member of a chain needs the name of a resource type'
                yield path, f'{text}, not {type_name!r}'


def with_attributes(document: Any, name: str, info: TypeInfo | None) -> TypeInfo | None:
    """Return the type of a resource; that of a chain has the attributes of its members."""
    types = [type_name for _, type_name in members(document, name)]
    if info is None or not types or not all(isinstance(each, str) for each in types):
        return info
    found = [document.type_of(type_name, name) for type_name in types]
    known = [each.attributes for each in found if each is not None and each.attributes is not None]
    if not known:
        return info
    # those that the chain and all of its members have
    common = set.intersection(*map(set, known))
    return dataclasses.replace(info, attributes=Attributes(sorted({*common, *OWN_ATTRIBUTES})))


class Attributes(dict):
    """The attributes of a nested stack; ``resource.<name>`` reads one of its resources."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__({name: AttributeSchema() for name in names})

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (
            isinstance(name, str) and name.startswith('resource.')
        )
