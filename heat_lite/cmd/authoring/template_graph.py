"""The resources of a template and of the templates that it uses, for ``heat-lite graph``."""

import functools
import os
from collections.abc import Iterator, Sequence

from heat_lite.cmd import lint, offline_types
from heat_lite.cmd.authoring import template_files
from heat_lite.cmd.cli import errors, graphs
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.lint.linter import Linter
from heat_lite.template.lint.rules.shape import dependency_edges


def nodes(name: str, environments: Sequence[str], depth: int) -> list[graphs.Node]:
    """Return the resources, those of nested templates down to a depth included.

    Raises FileError for a file that is no template.
    """
    for each in (name, *environments):
        if each != '-':
            template_files.parse(each, template_files.read(each))
    types = offline_types.OfflineTypes()
    folders = [os.path.dirname(each) or '.' for each in (name, *environments)]
    linter = Linter(
        types,
        lint.Files(folders),
        functools.partial(offline_types.validation_errors, types),
        base=types.base,
    )
    document = linter.template(name, environments)
    if document is None or document.template is None:
        raise errors.FileError(f'{name} is no template; `heat-lite lint` says more')
    return list(_nodes(document, '', depth))


def _nodes(document: TemplateDocument, base: str, depth: int) -> Iterator[graphs.Node]:
    requires: dict[str, dict[str, None]] = {}
    for node, other in dependency_edges(document):
        requires.setdefault(node, {})
        if other is not None:
            requires[node][other] = None
    key = document.resource_key('type')
    for name, snippet in document.resources.items():
        path = f'{base}{name}'
        yield graphs.Node(path, str(snippet.get(key)), list(requires[name]))
        nested = document.nested_of(name) if depth else None
        if nested is not None and nested.template is not None:
            yield from _nodes(nested, path + '/', depth - 1)
