"""Function nodes of the template language, and the parser, resolver and searches of parsed trees.

A parsed tree consists of maps, lists, scalars and ``Function`` nodes. A part of a template without
functions is shared with the template data, not copied: parsed trees are read-only. ``resolve``
always returns new maps and lists.
"""

import importlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from heat_lite.common import exception
from heat_lite.common.value_texts import bare
from heat_lite.common.value_types import Value
from heat_lite.template.suggest import suggest
from heat_lite.template.unknown import (
    ANY,
    LIST,
    Unknown,
    ValueUnknown,
    is_known,
    merge,
    require_known,
)

#: Exceptions that invalid arguments in a template can cause; any other exception is a bug.
ARGUMENT_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError)


#: The value of an ``if`` without an else whose condition is false. ``resolve`` drops the list item
#: or map key that has this value.
OMITTED = object()


class Scope:
    """The data that functions resolve against.

    This base class has no data: each method raises. The code that resolves a template overrides
    the methods for which it has data.
    """

    #: whether parameters and files have the values of a request
    knows_values = True

    def parameter(self, name: str) -> Value:
        raise exception.UserParameterMissing(key=name)

    def parameter_names(self) -> Collection[str]:
        """Return the names of the declared parameters, and of those that every stack has."""
        return ()

    def reference(self, resource_name: str) -> Value:
        """Return the reference id of a resource."""
        raise exception.InvalidTemplateReference(resource=resource_name, key='unknown')

    def attribute(self, resource_name: str, *path: Value) -> Value:
        """Return the value at a path of keys and indexes in an attribute.

        ``path`` begins with the name of the attribute; an empty path gives a map of all.
        """
        raise exception.InvalidTemplateReference(resource=resource_name, key='unknown')

    def check_attribute(self, resource_name: str, attribute: str) -> None:
        """Raise InvalidTemplateAttribute if the type of the resource has no such attribute.

        Called during validation only. The default accepts every attribute.
        """

    def file(self, name: str) -> str | None:
        """Return the content of a file. Return None or raise KeyError if there is no such file."""
        raise KeyError(name)

    def condition(self, name: str) -> Value:
        raise ValueError(f'Invalid condition "{name}"')

    def facade(self, key: str) -> Value:
        """Return a part of the resource that owns this nested stack.

        ``key`` is ``metadata``, ``deletion_policy`` or ``update_policy``.
        """
        raise ValueError('"resource_facade" works in nested stacks only')

    def availability_zones(self) -> list[str]:
        raise ValueError('"Fn::GetAZs" cannot stand here: it reads the cloud')


class Function:
    """A node: the name of the function in the template, and its parsed arguments."""

    #: the type of results
    gives = ANY

    def __init__(self, name: str, args: Value) -> None:
        self.name = name
        self.args = args
        self.check()

    @classmethod
    def parse(cls, parser: 'Parser', name: str, args: Value) -> 'Function':
        """Return the node for a call in a template.

        A function that must not parse all of its arguments overrides this method.
        """
        return cls(name, parser.parse(args))

    def check(self) -> None:
        """Raise one of ARGUMENT_ERRORS for arguments that can never be valid."""

    def require_arguments(self, number: int, text: str) -> None:
        """Raise ValueError unless the arguments are a list of this length."""
        if not isinstance(self.args, list) or len(self.args) != number:
            raise ValueError(text)

    def require_keys(self, keys: tuple[str, ...], text: str) -> None:
        """Raise TypeError unless the arguments are a map, ValueError if it lacks a key."""
        if not isinstance(self.args, dict):
            raise TypeError(f'Arguments to "{self.name}" must be a map')
        if not self.args.keys() >= {*keys}:
            raise ValueError(text)

    def result(self, scope: Scope) -> Value:
        raise NotImplementedError

    def validate(self, scope: Scope | None = None) -> None:
        """Raise for errors that parsing does not find.

        ``scope.check_attribute`` checks the attributes of resources; without a scope they are
        not checked.
        """
        validate(self.args, (), scope)

    def resource_name(self) -> str | None:
        """Return the resource that this node itself refers to, None for most functions."""
        return None

    def attribute_path(self) -> tuple | None:
        """Return ``(attribute, key, ...)`` that this node itself reads, None for most functions."""
        return None

    def may_be_omitted(self) -> bool:
        """Return whether a condition that is not known yet may omit the value."""
        return False

    def __repr__(self) -> str:
        return f'<{self.name} {self.args!r}>'


class Reference(Function):
    """A function whose first argument names a resource; ``known`` holds all valid names."""

    known: Collection[str]

    @classmethod
    def parse(cls, parser: 'Parser', name: str, args: Value) -> Function:
        node = cls(name, parser.parse(args))
        node.known = parser.resources
        node.resolve_names(parser)
        return node

    def resolve_names(self, parser: 'Parser') -> None:
        """Replace arguments that are functions by their values.

        Dependencies are computed before any resource exists, and so need the names at once.
        """

    def require_known(self, resource_name: str) -> None:
        require_known(resource_name)
        if not isinstance(resource_name, str) or resource_name not in self.known:
            name = bare(resource_name)
            error = exception.InvalidTemplateReference(resource=name, key='unknown')
            raise error.with_hint(suggest(resource_name, self.known))


#: a class, or 'module:class', which is loaded at its first use
Entry: TypeAlias = type[Function] | str


class Parser:
    """A parser from YAML or JSON data to trees of values and function nodes.

    ``functions`` maps names to entries for one template version. ``scope`` resolves parameters,
    conditions and files at parse time. ``resources`` are the names that references may use, in an
    order that does not change: errors suggest one of the first. ``conditions`` is the parser for
    the condition of an ``if``. ``mappings`` is the section Mappings of a CFN template.
    """

    def __init__(
        self,
        functions: Mapping[str, Entry],
        scope: Scope | None = None,
        resources: Collection[str] = frozenset(),
        conditions: 'Parser | None' = None,
        mappings: Mapping[str, Value] | None = None,
    ) -> None:
        self.functions = functions
        self.scope = scope or Scope()
        self.resources = resources
        self.conditions: Any = conditions
        self.mappings = mappings or {}

    def parse(self, snippet: Value) -> Value:
        if isinstance(snippet, str):
            return snippet
        if isinstance(snippet, dict):
            return self._map(snippet)
        if isinstance(snippet, list):
            return self._list(snippet)
        return snippet

    def _map(self, snippet: Value) -> Value:
        if len(snippet) == 1:
            for name, args in snippet.items():
                entry = self.functions.get(name) if isinstance(name, str) else None
                if entry is not None:
                    return self._call(entry, name, args)
        return self._children(snippet, snippet.items(), dict)

    def _list(self, snippet: Value) -> list[Value]:
        return self._children(snippet, enumerate(snippet), lambda parsed: list(parsed.values()))

    def _children(self, snippet: Value, items: Iterable, build: Callable) -> Value:
        """Return ``build(parsed children)``, or the snippet itself if it contains no function."""
        parsed = {}
        changed = False
        key = None
        try:
            for key, value in items:
                child = value if isinstance(value, str) else self.parse(value)
                changed = changed or child is not value
                parsed[key] = child
        except exception.StackValidationFailed as error:
            raise prefix_error(error, key) from error.__cause__
        return build(parsed) if changed else snippet

    def _call(self, entry: Entry, name: str, args: Value) -> Value:
        try:
            return load_class(entry).parse(self, name, args)
        except ValueUnknown as unknown:  # of an argument that is no call, in a member of a group
            return Unknown(load_class(entry).gives, unknown.value.sources)
        except exception.StackValidationFailed as error:
            raise prefix_error(error, name) from error.__cause__
        except ARGUMENT_ERRORS as error:
            raise exception.StackValidationFailed.from_error(error, (name,)) from error


def load_class(entry: Entry) -> type[Function]:
    """Return the class of an entry of a function table, a class or 'module:class'."""
    if not isinstance(entry, str):
        return entry
    module, _, name = entry.partition(':')
    return getattr(importlib.import_module(module), name)


def prefix_error(
    error: exception.StackValidationFailed, *path: Value
) -> exception.StackValidationFailed:
    """Put a path in front of the path of an error, unless the error has its full location."""
    return error if error.error or error.kwargs.get('whole') else error.prefixed(*path)


def is_omitted(snippet: Value) -> bool:
    """Return whether a parsed tree is an ``if`` whose value is omitted."""
    return isinstance(snippet, Function) and snippet.args is OMITTED


def may_be_omitted(snippet: Value) -> bool:
    """Return whether the value of a parsed tree may be omitted, once its condition is known."""
    return isinstance(snippet, Function) and snippet.may_be_omitted()


def resolve(snippet: Value, scope: Scope) -> Value:
    """Return the value of a parsed tree, in new maps and lists that the caller may change."""
    value = _resolve(snippet, scope)
    return None if value is OMITTED else value


def _resolve(snippet: Value, scope: Scope) -> Value:
    if isinstance(snippet, str):
        return snippet
    if isinstance(snippet, Function):
        return OMITTED if snippet.args is OMITTED else _result(snippet, scope)
    if isinstance(snippet, dict):
        return {
            key: result
            for key, value in snippet.items()
            if (result := _resolve(value, scope)) is not OMITTED
        }
    if isinstance(snippet, list):
        items = [result for value in snippet if (result := _resolve(value, scope)) is not OMITTED]
        if any(map(may_be_omitted, snippet)):  # the length and the places of the others are unknown
            return merge(LIST, items, known=[item for item in items if is_known(item)])
        return items
    return snippet


def _result(node: Function, scope: Scope) -> Value:
    """Return the result of a function; an Unknown if it needs a value that is not known yet."""
    try:
        return node.result(scope)
    except ValueUnknown as unknown:
        return Unknown(node.gives, unknown.value.sources)


def resolve_each(snippets: Iterable, scope: Scope) -> list:
    """Return the value of each argument; an omitted one becomes None instead of being dropped."""
    return [resolve(snippet, scope) for snippet in snippets]


def validate(snippet: Value, path: tuple = (), scope: Scope | None = None) -> None:
    """Validate all nodes of a tree. Raises StackValidationFailed with the path of the error."""
    if isinstance(snippet, Function):
        _validate_function(snippet, path, scope)
        return
    current = None
    try:
        for key, value in items_of(snippet):
            if isinstance(value, Function | dict | list):
                current = key
                validate(value, (), scope)
    except exception.StackValidationFailed as error:
        raise error.prefixed(*path, current) from error.__cause__


def _validate_function(node: Function, path: tuple, scope: Scope | None) -> None:
    if node.args is OMITTED:
        return
    try:
        node.validate(scope)
    except ValueUnknown:
        return  # the rest is validated when the value is known
    except (exception.HeatException, *ARGUMENT_ERRORS) as error:
        raise exception.StackValidationFailed.from_error(error, (*path, node.name)) from error


def items_of(snippet: Value) -> Iterable | tuple:
    """Return ``(key or index, part)`` of the parts of a map or a list."""
    if isinstance(snippet, dict):
        return snippet.items()
    return enumerate(snippet) if isinstance(snippet, list) else ()


def nodes(snippet: Value) -> Iterator[Function]:
    """Yield all Function nodes of a parsed tree, nested ones included, in no defined order."""
    pending = [snippet]
    while pending:
        part = pending.pop()
        if type(part) is str:  # most parts are texts
            continue
        if isinstance(part, Function):
            yield part
            pending.append(part.args)
        elif isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)


def dependencies(snippet: Value) -> set[str]:
    """Return the names of the resources that a parsed tree refers to."""
    return {name for node in nodes(snippet) if (name := node.resource_name()) is not None}


def dep_attrs(snippet: Value, resource_name: str) -> set:
    """Return the names of the attributes of a resource that a parsed tree reads.

    The set contains None if the tree reads all attributes.
    """
    return {path[0] if path else None for path in attribute_paths(snippet, resource_name)}


def attribute_paths(snippet: Value, resource_name: str) -> set[tuple]:
    """Return the ``(attribute, key, ...)`` of a resource that a parsed tree reads.

    The set contains ``()`` if the tree reads all attributes.
    """
    return attribute_reads(snippet).get(resource_name, set())


def attribute_reads(snippet: Value) -> dict[str, set[tuple]]:
    """Return ``{resource name: attribute paths}`` of all attributes that a parsed tree reads."""
    paths: dict[Value, set[tuple]] = {}
    for node in nodes(snippet):
        path = node.attribute_path()
        if path is not None:
            paths.setdefault(node.resource_name(), set()).add(path)
    return paths


def locate_reference(
    snippet: Value, names: Collection[str], path: tuple[str | int, ...] = ()
) -> tuple[str, tuple[str | int, ...]] | None:
    """Return (name, path) of the first reference to one of the resources, in the order of the
    template; None if there is none.
    """
    if isinstance(snippet, Function):
        name = snippet.resource_name()
        if name is not None and name in names:
            return name, path
        children: Iterable[tuple[str | int, Value]] = [(snippet.name, snippet.args)]
    else:
        children = items_of(snippet)
    places = (locate_reference(value, names, (*path, key)) for key, value in children)
    return next((found for found in places if found is not None), None)
