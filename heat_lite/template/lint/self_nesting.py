"""Templates that contain themselves: directly, through others, or through an environment.

Only what is certain counts: a resource without a condition, in a group only if it has members for
sure. A template may use itself under a condition that ends it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import resource_registry
from heat_lite.template.lint.document import INDEXED, TemplateDocument
from heat_lite.template.lint.type_info import Definition

#: {property that defines the members of a group: {properties of its size: their defaults}}
_SIZES: dict[Value, dict[str, int]] = {
    INDEXED: {'count': 1},
    'resource': {'min_size': 0, 'desired_capacity': 0},
}


class Use(NamedTuple):
    """The use of a template: the one that uses it, the definition there, the one that is used."""

    user: TemplateDocument
    definition: Definition
    used: TemplateDocument


def ways_to_itself(document: TemplateDocument) -> Iterator[list[Use]]:
    """Yield a way from a template to itself for each definition in it that begins one."""
    for use in _uses(document):
        way = _way(use, document)
        if way and _is_endless(way):
            yield way


def types_without_meaning(document: TemplateDocument) -> Iterator[Definition]:
    """Yield the definitions whose type is unknown because the template, or one that uses it, takes
    the place of this type.
    """
    replaced = document.environment.registry.replaced
    for definition in document.definitions():
        if definition.type_name in replaced and _is_certain(document, definition):
            try:
                document.resolve(definition.type_name, definition.name)
            except exception.EntityNotFound:
                yield definition


def _uses(document: TemplateDocument) -> Iterator[Use]:
    for definition in document.definitions():
        used = document.template_of(definition.type_name, definition.name)
        if used is not None and used.template is not None and _is_certain(document, definition):
            yield Use(document, definition, used)


def _is_certain(document: TemplateDocument, definition: Definition) -> bool:
    """Whether each stack of a template creates what a definition describes."""
    snippet = document.resources[definition.name]
    key = document.resource_key('condition')
    has_condition = document.version.has_conditions and key in snippet
    if has_condition and document.constants.value(snippet[key]) is not True:
        return False
    if not definition.is_member:
        return not document.is_external(definition)
    group = snippet[document.resource_key('properties')]
    sizes = _SIZES.get(definition.path[-1])  # a member of a chain has a number
    return sizes is None or any(
        str(size).isdecimal() and int(size) > 0
        for size in (group.get(name, default) for name, default in sizes.items())
    )


def _way(use: Use, end: TemplateDocument) -> list[Use] | None:
    """Return the uses that lead from one use to a template, None if none do."""
    waiting, seen = [[use]], set()
    while waiting:
        way = waiting.pop()
        used = way[-1].used
        if used.name == end.name:
            return way
        if used.name not in seen:
            seen.add(used.name)
            waiting += [[*way, each] for each in _uses(used)]
    return None


def _is_endless(way: Sequence[Use]) -> bool:
    """Whether a way leads to its begin again and again, or to a type without a meaning.

    A type that is mapped to a template is not mapped inside of it, and may there be another one.
    """
    environment = way[0].user.environment
    for user, definition, used in [*way, *way]:
        name, type_name = definition.name, definition.type_name
        try:
            found = environment.registry.resolve(type_name, name, user.types.knows)
        except exception.EntityNotFound:
            return True
        is_template = found.kind == resource_registry.TEMPLATE
        if not is_template or user.file_of(found.target, type_name) != used.name:
            return False
        environment = environment.child(name, {}, excluded_type=type_name)
    return True
