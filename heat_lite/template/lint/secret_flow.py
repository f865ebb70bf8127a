"""The way of hidden parameters through resources and nested templates into outputs."""

import functools
from collections import defaultdict
from collections.abc import Iterable

from heat_lite.common.value_types import Value
from heat_lite.template.functions import refs
from heat_lite.template.lint.calls import Call
from heat_lite.template.lint.document import TemplateDocument

#: levels of nested templates that are followed
MAX_DEPTH = 10


class SecretFlow:
    """The secrets that the functions of a template read.

    ``hidden`` are the names of parameters that hold secrets. An attribute shows a secret if the
    property of its name reads one, or if the output of the nested template does.
    """

    def __init__(self, document: TemplateDocument, hidden: Iterable[str], depth: int = 0) -> None:
        self._document = document
        self._hidden = frozenset(hidden)
        self._depth = depth
        self._attributes: dict[tuple, str | None] = {}

    def secret_of(self, call: Call) -> str | None:
        """Return the name of the hidden parameter that a call reads, None if it reads none."""
        args = call.node.args
        if isinstance(call.node, refs.GetParam | refs.ParamRef):
            name = args[0] if isinstance(args, list) and args else args
            return name if isinstance(name, str) and name in self._hidden else None
        if isinstance(call.node, refs.GetAttr):
            path = call.node.attribute_path()
            return self._search_attribute(str(call.node.resource_name()), path[0]) if path else None
        return None

    @functools.cached_property
    def _calls(self) -> Value:
        """The calls of the template by the first four parts of their paths."""
        found = defaultdict(list)
        for call in self._document.calls.calls:
            found[call.path[:4]].append(call)
            found[call.path[:2]].append(call)
        return found

    def _search_attribute(self, resource: str, attribute: str) -> Value:
        key = (resource, attribute)
        if key not in self._attributes:
            self._attributes[key] = None  # ends the recursion of circular references
            self._attributes[key] = self._find(resource, attribute)
        return self._attributes[key]

    def _find(self, resource: str, attribute: str) -> Value:
        nested = self._document.nested_of(resource)
        if nested is None:
            return self._search_property(resource, attribute)
        if nested.template is None or self._depth >= MAX_DEPTH:
            return None
        given = {
            name: self._search_property(resource, name) for name in nested.section('parameters')
        }
        hidden = {name for name, schema in nested.parameters.items() if schema.hidden}
        flow = SecretFlow(nested, {*hidden, *filter(given.get, given)}, self._depth + 1)
        return flow.search_output(attribute)

    def _search_property(self, resource: str, name: str) -> str | None:
        document = self._document
        section, key = document.section_key('resources'), document.resource_key('properties')
        return self._first(self._calls[section, resource, key, name])

    def search_output(self, name: str) -> str | None:
        """Return the name of the hidden parameter that an output reads, None if it reads none."""
        return self._first(self._calls[self._document.section_key('outputs'), name])

    def _first(self, calls: list[Call]) -> str | None:
        return next(filter(None, map(self.secret_of, calls)), None)
