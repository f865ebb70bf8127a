"""What a place in a template means, and where it is defined."""

from typing import NamedTuple

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template.editing import descriptions, subjects
from heat_lite.template.editing.cursor import Place
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.resource_registry import TEMPLATE
from heat_lite.template.source_positions import START, Position


class Target(NamedTuple):
    """The place of a definition: a file and a position in it."""

    file: str
    position: Position


def describe(document: TemplateDocument, place: Place) -> str | None:
    """Return the description of what is at a place, as Markdown; None if there is none."""
    if document.template is None:
        return None
    if place.is_key:
        return _describe_key(document, place.path)
    if place.value is None:
        return None
    named = _type_name(document, place)
    if named is not None:
        info = document.type_of(place.value, named)
        return None if info is None else descriptions.describe_type(info)
    return _describe_reference(document, place.path, place.value)


def _describe_key(document: TemplateDocument, path: tuple) -> str | None:
    node = subjects.property_at(document, path)
    if node is not None and node.schema is not None:
        return descriptions.describe_property(str(path[-1]), node.schema)
    kind = subjects.function_class(document, path[-1]) if isinstance(path[-1], str) else None
    if kind is not None and subjects.holds_values(document, path):
        return descriptions.describe_function(path[-1], kind)
    if len(path) == 2 and path[0] == document.section_key('parameters'):
        schema = document.parameters.get(path[1])
        return None if schema is None else descriptions.describe_parameter(path[1], schema)
    return None


def _describe_reference(document: TemplateDocument, path: tuple, name: str) -> str | None:
    for kind, owner in subjects.references_at(document, path):
        if kind == subjects.PARAMETER and name in document.parameters:
            return descriptions.describe_parameter(name, document.parameters[name])
        if kind == subjects.RESOURCE and name in document.resources:
            info = document.resource_type(name)
            return None if info is None else descriptions.describe_type(info)
        if kind == subjects.ATTRIBUTE:
            schema = subjects.attributes_of(document, owner).get(name)
            return None if schema is None else descriptions.describe_attribute(name, schema)
    return None


def _type_name(document: TemplateDocument, place: Place) -> str | None:
    """Return the name of the resource whose type is at a place, None for another place."""
    around = subjects.definition_at(document, place.path)
    if around is None:
        return None
    definition, rest = around
    key = 'type' if definition.is_member else document.resource_key('type')
    return definition.name if rest == (key,) else None


def definition(document: TemplateDocument, place: Place) -> Target | None:
    """Return where the thing that a value names is defined, None if that is unknown."""
    if document.template is None or place.is_key or place.value is None:
        return None
    named = _type_name(document, place)
    if named is not None:
        return _nested_file(document, place.value, named)
    targets = (
        _named(document, kind, owner, place.value)
        for kind, owner in subjects.references_at(document, place.path)
    )
    return next(filter(None, targets), None)


def _nested_file(document: TemplateDocument, type_name: str, resource_name: str) -> Value:
    try:
        found = document.resolve(type_name, resource_name)
    except exception.HeatException:
        return None
    file = document.file_of(found.target, type_name) if found.kind == TEMPLATE else None
    return Target(file, START) if file and document.files.has(file) else None


def _named(document: TemplateDocument, kind: str, owner: str, name: str) -> Target | None:
    sections = {
        subjects.PARAMETER: 'parameters',
        subjects.RESOURCE: 'resources',
        subjects.CONDITION: 'conditions',
    }
    if kind in sections:
        section = sections[kind]
        if name in document.section(section):
            path = (document.section_key(section), name)
            return Target(document.name, document.positions.find(path))
    elif kind == subjects.FILE:
        file = document.files.join(document.name, name)
        return Target(file, START) if document.files.has(file) else None
    elif kind == subjects.ATTRIBUTE:
        nested = document.nested_of(owner)
        if nested is not None and nested.template is not None and name in nested.section('outputs'):
            path = (nested.section_key('outputs'), name)
            return Target(nested.name, nested.positions.find(path))
    return None
