"""The completions at a place in a template or an environment."""

from collections.abc import Iterator
from typing import NamedTuple

from heat_lite.template import dialects, reader, resource_registry, versions
from heat_lite.template.constraints import BOOLEAN, AllowedValues
from heat_lite.template.editing import descriptions, subjects
from heat_lite.template.editing.cursor import MARK, Draft, Place
from heat_lite.template.functions import logic
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.parameters import parameter_types
from heat_lite.template.parameters.parameters import RESERVED_NAMES
from heat_lite.template.schema import PropertySchema, visible

TYPE, PROPERTY, VALUE, FUNCTION, REFERENCE, KEYWORD = (
    'type',
    'property',
    'value',
    'function',
    'reference',
    'keyword',
)

_VERSION_PATHS = [(key,) for key in versions.TABLE]


class Item(NamedTuple):
    """A completion. ``is_key``: the text is a key of a map, which a colon follows."""

    text: str
    kind: str
    detail: str = ''
    description: str = ''
    is_key: bool = False


def completions(document: TemplateDocument, place: Place) -> list[Item]:
    """Return the completions at the place of the mark in a template."""
    if not place.is_key and place.path in _VERSION_PATHS:
        return [Item(name, VALUE) for name in sorted(versions.TABLE[place.path[0]], reverse=True)]
    if document.template is None:
        return first_keys()
    path = place.path[:-1] if place.is_key else place.path
    found = [] if place.is_key else [*_references(document, path), *_values(document, path)]
    return found or [*_keys(document, path), *_functions(document, path)]


def complete_draft(document: TemplateDocument | None, draft: Draft) -> list[Item]:
    """Return the completions at the mark of a draft that begin with its word, in any case.

    All are returned where none does. ``document`` is None for a text that is no template yet.
    """
    if document is not None:
        items = completions(document, draft.place)
    else:
        items = first_keys() if len(draft.place.path) <= 1 else []
    beginning = draft.word.lower()
    return [item for item in items if item.text.lower().startswith(beginning)] or items


def first_keys() -> list[Item]:
    """Return the keys of a document that says not yet whether it is a template."""
    words = (*dialects.VERSION_KEYS, *reader.ENVIRONMENT_SECTIONS)
    return [Item(word, KEYWORD, is_key=True) for word in words]


def _references(document: TemplateDocument, path: tuple) -> Iterator[Item]:
    for kind, owner in subjects.references_at(document, path):
        yield from _named(document, kind, owner)


def _named(document: TemplateDocument, kind: str, owner: str) -> Iterator[Item]:
    if kind == subjects.PARAMETER:
        for name, schema in document.parameters.items():
            yield Item(name, REFERENCE, schema.type, descriptions.describe_parameter(name, schema))
        yield from (Item(name, REFERENCE, 'pseudo parameter') for name in RESERVED_NAMES)
    elif kind == subjects.RESOURCE:
        key = document.resource_key('type')
        for name, snippet in document.resources.items():
            if MARK not in name:
                yield Item(name, REFERENCE, str(snippet.get(key, '')))
    elif kind == subjects.CONDITION:
        yield from (Item(name, REFERENCE, 'condition') for name in document.section('conditions'))
    elif kind == subjects.ATTRIBUTE:
        for name, schema in subjects.attributes_of(document, owner).items():
            yield Item(name, REFERENCE, 'attribute', descriptions.describe_attribute(name, schema))


def _values(document: TemplateDocument, path: tuple) -> Iterator[Item]:
    """Yield the values of a key that has a limited set of them."""
    if path[:1] == document.path_of('parameters') and path[2:] in (('type',), ('Type',)):
        for name in parameter_types.WIRE_NAMES if path[2] == 'type' else ():
            yield Item(name, VALUE)
        return
    around = subjects.definition_at(document, path)
    resource = path[:1] == document.path_of('resources') and path[2:]
    if resource == (document.resource_key('type'),) or (around and around[1] == ('type',)):
        yield from _types(document)
    elif resource == (document.resource_key('deletion_policy'),):
        yield from (Item(name, VALUE) for name in document.version.deletion_policies)
    node = subjects.property_at(document, path) if around else None
    if node is not None and node.schema is not None:
        yield from _allowed(node.schema)


def _types(document: TemplateDocument) -> Iterator[Item]:
    mapped = [name for name in document.environment.registry.names() if not name.endswith('*')]
    for name in dict.fromkeys([*mapped, *document.types.names()]):
        yield Item(name, TYPE)


def _allowed(schema: PropertySchema) -> Iterator[Item]:
    if schema.type == BOOLEAN:
        yield from (Item(text, VALUE) for text in ('true', 'false'))
    for constraint in schema.constraints:
        if isinstance(constraint, AllowedValues):
            yield from (Item(str(value), VALUE) for value in constraint.allowed)


def _keys(document: TemplateDocument, path: tuple) -> Iterator[Item]:
    """Yield the keys of the map at a path that it does not have yet."""
    present = subjects.value_at(document.data, path)
    present = present if isinstance(present, dict) else {}
    for item in _all_keys(document, path):
        if item.text not in present:
            yield item


def _all_keys(document: TemplateDocument, path: tuple) -> Iterator[Item]:
    version = document.version
    words: frozenset | set = set()
    if not path:
        words = version.sections
    elif len(path) == 2 and path[0] == document.section_key('resources'):
        words = version.resource_keys
    elif len(path) == 2 and path[0] == document.section_key('outputs'):
        words = version.output_keys
    elif len(path) == 2 and path[0] == document.section_key('parameters'):
        words = version.parameter_keys
    elif path[::2] == (document.section_key('resources'), 'lifecycle'):
        words = {*resource_registry.LIFECYCLE_KEYS}
    yield from (Item(word, KEYWORD, is_key=True) for word in sorted(words))
    node = subjects.property_at(document, path) if len(path) > 2 else None
    for name, schema in visible(node.keys if node and node.keys else {}).items():
        detail = f'{schema.type}, required' if schema.required else schema.type
        text = descriptions.describe_property(name, schema)
        yield Item(name, PROPERTY, detail, text, is_key=True)


def _functions(document: TemplateDocument, path: tuple) -> Iterator[Item]:
    """Yield the functions of the version, where a call may stand."""
    node = subjects.property_at(document, path)
    is_map = node is not None and node.schema is None  # the map of all properties
    if is_map or not subjects.holds_values(document, path):
        return
    for name in sorted(document.version.functions):
        kind = subjects.function_class(document, name)
        if kind is None or issubclass(kind, (logic.Removed, logic.NotAllowed)):
            continue
        yield Item(
            name, FUNCTION, 'function', descriptions.describe_function(name, kind), is_key=True
        )
