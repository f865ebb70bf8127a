"""Functions of the template language: what a node is, and how trees of values and nodes are parsed, resolved and searched.

A parsed tree is made of maps, lists, plain values and ``Function`` nodes. A part of a template without functions is the template's own
object, never a copy: parsed trees are read, not changed. ``resolve`` always gives new maps and lists.
"""

import importlib

from heat_lite.common import exception
from heat_lite.template.suggest import suggest

#: What the arguments of a template can make Python raise; anything else is a bug and must show.
ARGUMENT_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError)


class _Omitted:
    """The value of an ``if`` without an else whose condition is false: the list item or map key around it is left out."""

    def __repr__(self):
        return '<omitted>'


OMITTED = _Omitted()


class Scope:
    """The questions that functions ask. This one knows nothing; whoever resolves a template answers them."""

    def parameter(self, name):
        raise exception.UserParameterMissing(key=name)

    def reference(self, resource_name):
        raise exception.InvalidTemplateReference(resource=resource_name, key='unknown')

    def attribute(self, resource_name, *path):
        """An attribute, or what is at a path in it; with no path a map of all attributes."""
        raise exception.InvalidTemplateReference(resource=resource_name, key='unknown')

    def check_attribute(self, resource_name, attribute):
        """Raises InvalidTemplateAttribute where the type of a resource has no such attribute. Asked when a template is validated."""

    def file(self, name):
        """The content of a file; None or KeyError where there is none of that name."""
        raise KeyError(name)

    def condition(self, name):
        raise ValueError(f'Invalid condition "{name}"')

    def facade(self, key):
        """``metadata``, ``deletion_policy`` or ``update_policy`` of the resource that a nested stack is the inside of."""
        raise ValueError('"resource_facade" works in nested stacks only')

    def availability_zones(self):
        raise ValueError('No availability zones are known')


class Function:
    """A node: the name under which the template calls it, and its parsed arguments."""

    __slots__ = ('name', 'args')

    def __init__(self, name, args):
        self.name = name
        self.args = args
        self.check()

    @classmethod
    def parse(cls, parser, name, args):
        """The node for a call in a template. Functions that do not want all of their arguments parsed override it."""
        return cls(name, parser.parse(args))

    def check(self):
        """Refuses arguments that can never work, by raising one of ARGUMENT_ERRORS."""

    def result(self, scope):
        raise NotImplementedError

    def validate(self, scope=None):
        """Looks for what is wrong although it can be parsed; ``scope`` knows the attributes of resources, if anybody does."""
        validate(self.args, (), scope)

    def resource_name(self):
        """The resource that this very node refers to, None for most."""
        return None

    def attribute_path(self):
        """The attribute that this very node reads, and the path in it, as a tuple; None for most."""
        return None

    def dependencies(self):
        """The names of all resources that it or its arguments refer to."""
        return dependencies(self)

    def dep_attrs(self, resource_name):
        """The attributes of a resource that it or its arguments read."""
        return dep_attrs(self, resource_name)

    def __repr__(self):
        return f'<{self.name} {self.args!r}>'


class Reference(Function):
    """A function whose first argument names a resource. It knows the names that there are, as ``known``."""

    __slots__ = ('known',)

    @classmethod
    def parse(cls, parser, name, args):
        node = cls(name, parser.parse(args))
        node.known = parser.resources
        node.settle(parser)
        return node

    def settle(self, parser):
        """Replaces names that are given by functions by what these give now, since dependencies do not wait."""

    def require_known(self, resource_name):
        if not isinstance(resource_name, str) or resource_name not in self.known:
            error = exception.InvalidTemplateReference(resource=resource_name, key='unknown')
            raise error.with_hint(suggest(resource_name, self.known))


class Parser:
    """Makes trees of values and nodes from what YAML or JSON gave.

    ``functions`` is a table name -> class (or 'module:class', loaded at its first use) of a template version, ``scope`` what can be asked
    already now: parameters, conditions, files. ``resources`` are the names that references may use, ``conditions`` is the parser of
    the conditions of ``if``, ``mappings`` the section of that name of CFN templates.
    """

    def __init__(self, functions, scope=None, resources=frozenset(), conditions=None, mappings=None):
        self.functions = functions
        self.scope = scope or Scope()
        self.resources = resources
        self.conditions = conditions
        self.mappings = mappings or {}

    def parse(self, snippet):
        if isinstance(snippet, str):
            return snippet
        if isinstance(snippet, dict):
            return self._map(snippet)
        if isinstance(snippet, list):
            return self._list(snippet)
        return snippet

    def _map(self, snippet):
        if len(snippet) == 1:
            for name, args in snippet.items():
                found = self.functions.get(name) if isinstance(name, str) else None
                if found is not None:
                    return self._call(found, name, args)
        return self._children(snippet, snippet.items(), dict)

    def _list(self, snippet):
        return self._children(snippet, enumerate(snippet), lambda parsed: list(parsed.values()))

    def _children(self, snippet, items, build):
        """The snippet itself when there is no function in it, else what ``build`` makes of its parsed children."""
        parsed = {}
        changed = False
        key = None
        try:
            for key, value in items:
                child = value if isinstance(value, str) else self.parse(value)
                changed = changed or child is not value
                parsed[key] = child
        except exception.StackValidationFailed as error:
            raise outside(error, key) from error.__cause__
        return build(parsed) if changed else snippet

    def _call(self, found, name, args):
        try:
            return load(found).parse(self, name, args)
        except exception.StackValidationFailed as error:
            raise outside(error, name) from error.__cause__
        except ARGUMENT_ERRORS as error:
            raise exception.StackValidationFailed(str(error), path=(name,)) from error


def load(found):
    """The class that an entry of a function table stands for."""
    if not isinstance(found, str):
        return found
    module, _, name = found.partition(':')
    return getattr(importlib.import_module(module), name)


def outside(error, *path):
    """A StackValidationFailed as seen from further outside, unless it already says all of where it is."""
    return error if error.error or error.kwargs.get('whole') else error.prefixed(*path)


def omitted(snippet):
    """Whether it is an ``if`` that gives nothing."""
    return isinstance(snippet, Function) and snippet.args is OMITTED


def resolve(snippet, scope):
    """The value of a parsed tree; new maps and lists, so that the caller may change them."""
    value = _resolve(snippet, scope)
    return None if value is OMITTED else value


def _resolve(snippet, scope):
    if isinstance(snippet, str):
        return snippet
    if isinstance(snippet, Function):
        return OMITTED if snippet.args is OMITTED else snippet.result(scope)
    if isinstance(snippet, dict):
        return {key: found for key, value in snippet.items() if (found := _resolve(value, scope)) is not OMITTED}
    if isinstance(snippet, list):
        return [found for value in snippet if (found := _resolve(value, scope)) is not OMITTED]
    return snippet


def resolve_each(snippets, scope):
    """The values of some arguments, each by itself: one that is left out counts as null."""
    return [resolve(snippet, scope) for snippet in snippets]


def validate(snippet, path=(), scope=None):
    """Raises StackValidationFailed, with where in its path, for what nodes find wrong with themselves."""
    if isinstance(snippet, Function):
        _validate_function(snippet, path, scope)
        return
    where = None
    try:
        for key, value in _items(snippet):
            if isinstance(value, Function | dict | list):
                where = key
                validate(value, (), scope)
    except exception.StackValidationFailed as error:
        raise error.prefixed(*path, where) from error.__cause__


def _validate_function(node, path, scope):
    if node.args is OMITTED:
        return
    try:
        node.validate(scope)
    except (exception.HeatException, *ARGUMENT_ERRORS) as error:
        raise exception.StackValidationFailed(str(error), path=(*path, node.name)) from error


def _items(snippet):
    if isinstance(snippet, dict):
        return snippet.items()
    return enumerate(snippet) if isinstance(snippet, list) else ()


def nodes(snippet):
    """All Function nodes of a parsed tree, those inside the arguments of others included, in no special order."""
    waiting = [snippet]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Function):
            yield part
            waiting.append(part.args)
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def dependencies(snippet):
    """The names of the resources that a parsed tree refers to."""
    return {name for node in nodes(snippet) if (name := node.resource_name()) is not None}


def dep_attrs(snippet, resource_name):
    """The attributes of a resource that a parsed tree reads: names, and None when it reads all of them."""
    return {path[0] if path else None for path in attribute_paths(snippet, resource_name)}


def attribute_paths(snippet, resource_name):
    """The same with the paths: ``(name, key, ...)`` for each use, ``()`` for one that reads all attributes."""
    return reads(snippet).get(resource_name, set())


def reads(snippet):
    """``{resource name: attribute paths}`` of all attributes that a parsed tree reads."""
    found = {}
    for node in nodes(snippet):
        path = node.attribute_path()
        if path is not None:
            found.setdefault(node.resource_name(), set()).add(path)
    return found


def locate(snippet, resource_name, path=''):
    """Where a parsed tree first refers to a resource, as in ``r.Properties.value[1].str_replace.params.x``; None if nowhere."""
    if isinstance(snippet, Function):
        if snippet.resource_name() == resource_name:
            return path
        children = [(f'{path}.{snippet.name}', snippet.args)]
    elif isinstance(snippet, dict):
        children = [(f'{path}.{key}', value) for key, value in snippet.items()]
    elif isinstance(snippet, list):
        children = [(f'{path}[{index}]', value) for index, value in enumerate(snippet)]
    else:
        return None
    found = (locate(value, resource_name, place) for place, value in children)
    return next((place for place in found if place is not None), None)
