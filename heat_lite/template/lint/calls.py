"""The calls of functions in a template, each with its path, and what is wrong with them.

The engine parses only what holds with the parameters at hand, and stops at the first fault. Here both branches of an ``if`` are looked at,
and a fault does not hide others: the innermost calls come first, and one that contains a faulty one is not asked again.
"""

from typing import Any, NamedTuple

from heat_lite.common import exception
from heat_lite.template import function, versions
from heat_lite.template.functions import logic, refs


class Call(NamedTuple):
    """A call that can be read. ``owner`` is the path of the resource, output or condition that it is in."""

    path: tuple
    node: Any
    owner: tuple


class Fault(NamedTuple):
    """What a call gets wrong; ``error`` is what the library said."""

    path: tuple
    error: Exception

    @property
    def text(self):
        return getattr(self.error, 'error_message', None) or str(self.error)


class ConditionName(NamedTuple):
    """A place where a condition is used by its name."""

    path: tuple
    name: str


class Scope(function.Scope):
    """Knows the attributes of resources, and no value of anything. ``type_of(name)`` gives the Type of a resource or None."""

    def __init__(self, type_of):
        self._type_of = type_of

    def check_attribute(self, resource_name, attribute):
        kind = self._type_of(resource_name)
        if kind is not None and kind.attributes is not None and attribute not in kind.attributes:
            raise exception.InvalidTemplateAttribute(resource=resource_name, key=attribute)


class _Branches(function.Function):
    """An ``if`` whose value nobody knows."""

    __slots__ = ()

    def result(self, scope):
        raise ValueError(f'Nobody knows what "{self.name}" gives')


class _Reading:
    """The functions of a version as a table for ``function.Parser`` in which ``if`` decides nothing."""

    def __init__(self, functions):
        self.functions = dict(functions)
        for name, kind in functions.items():
            if isinstance(kind, type) and issubclass(kind, logic.If):
                self.functions[name] = self._undecided(kind)

    @staticmethod
    def _undecided(kind):
        class Undecided(_Branches):
            __slots__ = ()

            @classmethod
            def parse(cls, parser, name, args):
                if not isinstance(args, list) or len(args) not in kind.lengths:
                    raise ValueError(f'Arguments to "{name}" must be of the form: [condition_name, value_if_true, value_if_false]')
                return cls(name, [parser.parse(branch) for branch in args[1:]])

        return Undecided


class Calls:
    """All calls of one template: ``calls``, ``faults`` and ``condition_names``.

    ``names`` are those of its resources, ``type_of`` see ``Scope``.
    """

    def __init__(self, template, names, type_of):
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.condition_names: list[ConditionName] = []
        self._version = template.version
        self._scope = Scope(type_of)
        mappings = template.section('mappings')
        self._conditions = function.Parser(template.version.condition_functions or {}, self._scope, mappings=mappings)
        functions = _Reading(template.version.functions).functions
        self._parser = function.Parser(functions, self._scope, frozenset(names), self._conditions, mappings)
        self._owner: tuple = ()

    def is_call(self, snippet):
        """Whether a map is a call of a function, and not data."""
        return isinstance(snippet, dict) and len(snippet) == 1 and self._found(self._parser, snippet) is not None

    def is_condition(self, snippet):
        """The same where a condition is wanted."""
        return isinstance(snippet, dict) and self._found(self._conditions, snippet) is not None

    def contains_call(self, snippet):
        """Whether there is a call somewhere in it."""
        if self.is_call(snippet):
            return True
        return any(self.contains_call(child) for _, child in _items(snippet))

    # ------------------------------------------------------------ reading

    def read(self, snippet, path, owner):
        """Look through a part of the template where values are wanted."""
        self._owner = owner
        self._walk(snippet, path, self._parser)

    def read_condition(self, snippet, path, owner, by_name=True):
        """Look through a condition. ``by_name``: whether it may be the name of another one, as it may not where conditions are defined."""
        self._owner = owner
        if self._version.has_conditions:
            self._condition(snippet, path, by_name)

    def _walk(self, snippet, path, parser):
        """Whether all calls in a snippet could be read."""
        found = self._found(parser, snippet)
        if found is None:
            return all([self._walk(child, (*path, key), parser) for key, child in _items(snippet)])
        [(name, args)] = snippet.items()
        if issubclass(found, _Branches):
            fine = self._branches(args, (*path, name))
        else:
            fine = self._walk(args, (*path, name), parser)
        return self._call(snippet, (*path, name), parser) and fine if fine else False

    def _branches(self, args, path):
        if not isinstance(args, list) or not args:
            return True  # the call itself will be refused
        branches = [self._walk(branch, (*path, index), self._parser) for index, branch in enumerate(args) if index]
        return all([self._condition(args[0], (*path, 0)), *branches])

    def _condition(self, snippet, path, by_name=True):
        """``by_name``: whether a text is the name of another condition here."""
        if isinstance(snippet, str):
            if by_name:
                self.condition_names.append(ConditionName(path, snippet))
            return True
        if by_name and not isinstance(snippet, bool) and not self.is_condition(snippet):
            self.faults.append(Fault(path, ValueError(f'Invalid condition "{snippet}"{versions.meant_condition(snippet)}')))
            return False
        before = len(self.calls)
        fine = self._walk(snippet, path, self._conditions)
        for call in self.calls[before:]:
            self._names_inside(call)
        return fine

    def _names_inside(self, call):
        if isinstance(call.node, logic.Not):
            name = call.node.condition()
            if isinstance(name, str):
                self.condition_names.append(ConditionName(call.path, name))
        elif isinstance(call.node, logic.And):
            for index, name in enumerate(call.node.args):
                if isinstance(name, str):
                    self.condition_names.append(ConditionName((*call.path, index), name))

    def _found(self, parser, snippet):
        if not isinstance(snippet, dict) or len(snippet) != 1:
            return None
        found = parser.functions.get(next(iter(snippet)))
        return None if found is None else function.load(found)

    def _call(self, snippet, path, parser):
        """Read one call whose arguments are fine."""
        try:
            node = parser.parse(snippet)
            if isinstance(node, refs.GetResource):
                name = node.resource_name()
                if name is not None:
                    node.require_known(name)
            if not (isinstance(node, refs.GetAttr) and isinstance(node.args[0], function.Function)):
                node.validate(self._scope)
        except (exception.HeatException, *function.ARGUMENT_ERRORS) as error:
            self.faults.append(Fault(path, error))
            return False
        self.calls.append(Call(path, node, self._owner))
        return True


def _items(snippet):
    if isinstance(snippet, dict):
        return snippet.items()
    return enumerate(snippet) if isinstance(snippet, list) else ()
