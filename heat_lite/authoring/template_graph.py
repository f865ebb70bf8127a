"""The resources of a template and of the templates that it uses, for ``heat-lite graph``."""

import os
from collections.abc import Iterator, Sequence

from heat_lite.authoring import lint, offline_types, template_files
from heat_lite.cli import errors, graphs
from heat_lite.common.value_types import Value, Values
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.lint.rules.shape import dependency_edges
from heat_lite.template.lint.settings import Settings
from heat_lite.template.resource_registry import is_template

#: members of a group that are drawn
MAX_MEMBERS = 20


def nodes(name: str, environments: Sequence[str], depth: int) -> list[graphs.Node]:
    """Return the resources, those of nested templates down to a depth included.

    Raises FileError for a file that is no template.
    """
    values: Values = {}
    for each in (name, *environments):
        data = template_files.parse(each, template_files.read(each)) if each != '-' else {}
        if each is not name and isinstance(data.get('parameters'), dict):
            values.update(data['parameters'])
    folders = [os.path.dirname(each) or '.' for each in (name, *environments)]
    linter = lint.build_linter(offline_types.OfflineTypes(), lint.Files(folders), Settings())
    document = linter.template(name, environments)
    if document is None or document.template is None:
        raise errors.FileError(f'{name} is no template; `heat-lite lint` says more')
    return list(_nodes(document, '', depth, values))


def _nodes(
    document: TemplateDocument, base: str, depth: int, values: Values
) -> Iterator[graphs.Node]:
    """Yield the resources of a template; ``values`` are its parameters, as far as files say."""
    requires: dict[str, dict[str, None]] = {}
    for node, other in dependency_edges(document):
        requires.setdefault(node, {})
        if other is not None:
            requires[node][other] = None
    key = document.resource_key('type')
    for name, snippet in document.resources.items():
        path = f'{base}{name}'
        yield graphs.Node(path, str(snippet.get(key)), list(requires[name]))
        if depth:
            yield from _inside(document.nested_of(name), path, depth)
            yield from _members(document, name, path, depth, values)


def _inside(nested: TemplateDocument | None, path: str, depth: int) -> Iterator[graphs.Node]:
    """Yield the resources of a nested template."""
    if nested is not None and nested.template is not None:
        yield from _nodes(nested, path + '/', depth - 1, {})


def _members(
    document: TemplateDocument, name: str, path: str, depth: int, values: Values
) -> Iterator[graphs.Node]:
    """Yield the members of a group, those of a chain in their order, with what is in them."""
    snippet = document.resources[name]
    kind = snippet.get(document.resource_key('type'))
    properties = snippet.get(document.resource_key('properties'))
    if kind not in MEMBERS or not isinstance(properties, dict):
        return
    previous: list[str] = []
    for member, type_name in MEMBERS[kind](document, properties, values):
        is_chain = kind == CHAIN and properties.get('concurrent') is not True
        yield graphs.Node(f'{path}/{member}', type_name, previous if is_chain else [])
        previous = [member]
        if depth > 1 and is_template(type_name):
            nested = document.nested_document(type_name, type_name, name)
            yield from _inside(nested, f'{path}/{member}', depth - 1)


def _list_group(
    document: TemplateDocument, properties: Values, values: Values
) -> list[tuple[str, str]]:
    size = _number(document, properties.get('count', 1), values)
    return _repeated(properties.get('resource_def'), size)


def _list_scaling_group(
    document: TemplateDocument, properties: Values, values: Values
) -> list[tuple[str, str]]:
    size = properties.get('desired_capacity', properties.get('min_size', 0))
    return _repeated(properties.get('resource'), _number(document, size, values))


def _list_chain(
    _document: TemplateDocument, properties: Values, _values: Values
) -> list[tuple[str, str]]:
    types = properties.get('resources')
    found = enumerate(types if isinstance(types, list) else ())
    return [(str(index), each) for index, each in found if isinstance(each, str)]


def _repeated(definition: Value, size: int) -> list[tuple[str, str]]:
    type_name = definition.get('type') if isinstance(definition, dict) else None
    if not isinstance(type_name, str):
        return []
    return [(str(index), type_name) for index in range(min(size, MAX_MEMBERS))]


def _number(document: TemplateDocument, value: Value, values: Values) -> int:
    """Return a size: a number, or that of a parameter as far as files say; else 1."""
    if isinstance(value, dict) and len(value) == 1:
        [(function, name)] = value.items()
        if function in ('get_param', 'Ref') and isinstance(name, str):
            schema = document.section('parameters').get(name)
            default = schema.get('default', 1) if isinstance(schema, dict) else 1
            value = values.get(name, default)
    try:
        return max(0, int(value))
    except (TypeError, ValueError):
        return 1


CHAIN = 'OS::Heat::ResourceChain'
#: {type of a group: function that returns the names and types of its members}
MEMBERS = {
    'OS::Heat::ResourceGroup': _list_group,
    'OS::Heat::AutoScalingGroup': _list_scaling_group,
    CHAIN: _list_chain,
}
