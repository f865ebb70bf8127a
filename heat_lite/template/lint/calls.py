"""The calls of functions in a template, each with its path, and the violations in them; and the
conditions whose values the text determines, without parameters.

The engine parses only the branch of an ``if`` that applies and stops at the first error. The linter
parses both branches and continues. Inner calls come first. A call around a faulty one is not
parsed, because its error would be a consequence.
"""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import checks, conditions, function, versions
from heat_lite.template.function import Function, Parser, Scope, items_of
from heat_lite.template.functions import logic, refs
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.template import Template

_ERRORS = (exception.HeatException, *function.ARGUMENT_ERRORS)


class _Scope(function.Scope):
    """A scope that knows other conditions and no values of parameters."""

    definitions: conditions.Conditions

    def condition(self, name: str) -> bool:
        return self.definitions.is_enabled(name)


class ConstantConditions:
    """The conditions of a template: values and errors, where no parameter decides them."""

    def __init__(self, template: Template) -> None:
        self._scope = _Scope()
        self._parser = function.Parser(
            template.version.condition_functions or {},
            self._scope,
            mappings=template.section('mappings'),
        )
        self._defined = template.section('conditions') if template.version.has_conditions else {}
        if not isinstance(self._defined, dict):
            self._defined = {}
        self._scope.definitions = conditions.Conditions(self._parsed(), self._scope)

    def _parsed(self) -> dict[str, Value]:
        parsed = {}
        for name, snippet in self._defined.items():
            try:
                parsed[name] = self._parser.parse(snippet)
            except _ERRORS:
                continue  # the rules of functions report the error
        return parsed

    def value(self, snippet: Value) -> bool | None:
        """Return the value of a condition in use, None where it depends on parameters."""
        try:
            return bool(conditions.is_true(self._parser.parse(snippet), self._scope))
        except _ERRORS:
            return None

    def error(self, name: str) -> Exception | None:
        """Return what the evaluation of a defined condition raises, whatever the parameters."""
        try:
            self._scope.condition(name)
        except _ERRORS as error:
            return None if _needs_parameter(error) else error
        return None


def _needs_parameter(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, exception.UserParameterMissing | exception.InvalidTemplateReference):
            return True
        error = error.__cause__
    return False


class Call(NamedTuple):
    """A parsed call. ``owner`` is the path of the resource, output or condition that has it."""

    path: tuple
    node: Function
    owner: tuple


class ConditionName(NamedTuple):
    """A place that refers to a condition by name."""

    path: tuple
    name: str


class AttributeScope(function.Scope):
    """A scope that knows the attributes of resources and no values."""

    knows_values = False

    def __init__(self, type_of: Callable[[str], TypeInfo | None]) -> None:
        self._type_of = type_of

    def check_attribute(self, resource_name: str, attribute: str) -> None:
        info = self._type_of(resource_name)
        if info is not None and info.attributes is not None and attribute not in info.attributes:
            raise exception.InvalidTemplateAttribute(resource=resource_name, key=attribute)


class _UndecidedIf(function.Function):
    """An ``if`` whose condition has no value yet. ``args`` are its parsed branches."""

    def result(self, scope: Scope) -> None:
        raise ValueError(f'The value of "{self.name}" depends on its condition')


def _undecided(kind: type[logic.If]) -> type:
    """Return a variant of an ``If`` class that parses both branches without the condition."""

    class UndecidedIf(_UndecidedIf):
        @classmethod
        def parse(cls, parser: Parser, name: str, args: Value) -> Function:
            kind.check_arguments(name, args)
            return cls(name, [parser.parse(branch) for branch in args[1:]])

    return UndecidedIf


def _undecided_functions(functions: Mapping[str, Value]) -> dict[str, Value]:
    """Return a table of functions in which each ``if`` is undecided."""
    return {
        name: _undecided(kind) if isinstance(kind, type) and issubclass(kind, logic.If) else kind
        for name, kind in functions.items()
    }


class Calls:
    """All calls of a template: ``calls``, ``violations`` and ``condition_names``.

    ``names`` are those of the resources. ``type_of(name)`` returns the type of a resource, None
    where it is unknown. ``enabled`` are the names without those of resources that a constant
    condition disables. ``dormant`` are the paths of parts that the engine never reads.
    """

    def __init__(
        self,
        template: Template,
        names: Collection[str],
        type_of: Callable[[str], TypeInfo | None],
        constants: ConstantConditions,
        enabled: Collection[str],
    ) -> None:
        self.dormant: list[tuple] = []
        self.constants = constants
        self.calls: list[Call] = []
        self.violations: list[checks.Violation] = []
        self.condition_names: list[ConditionName] = []
        self._version = template.version
        self._scope = AttributeScope(type_of)
        mappings = template.section('mappings')
        self._conditions = function.Parser(
            template.version.condition_functions or {}, self._scope, mappings=mappings
        )
        functions = _undecided_functions(template.version.functions)
        self._parsers = {
            is_dormant: function.Parser(
                functions, self._scope, dict.fromkeys(known), self._conditions, mappings
            )
            for is_dormant, known in ((False, enabled), (True, names))
        }
        self._parser = self._parsers[False]
        self._owner: tuple = ()

    def is_call(self, snippet: Value) -> bool:
        """Whether a value is a call of a function rather than plain data."""
        return self._function_of(self._parser, snippet) is not None

    def is_condition(self, snippet: Value) -> bool:
        """Whether a value is a call of a function that conditions may use."""
        return self._function_of(self._conditions, snippet) is not None

    def contains_call(self, snippet: Value) -> bool:
        """Whether a value is a call or contains one at any depth."""
        if self.is_call(snippet):
            return True
        return any(self.contains_call(child) for _, child in items_of(snippet))

    # ------------------------------------------------------------ reading

    def read(self, snippet: Value, path: tuple, owner: tuple, is_dormant: bool = False) -> None:
        """Collect the calls of a part of the template that holds values.

        A dormant part may refer to disabled resources.
        """
        self._owner = owner
        self._parser = self._parsers[is_dormant]
        self._walk(snippet, path, self._parser)

    def read_condition(self, snippet: Value, path: tuple, owner: tuple) -> None:
        """Collect the calls of a condition in use, which may be the name of a defined one."""
        self._owner = owner
        if self._version.has_conditions:
            self._condition(snippet, path)

    def read_definition(self, snippet: Value, path: tuple) -> None:
        """Collect the calls of the definition of a condition, which may not be a name."""
        self._owner = path
        if not isinstance(snippet, str):
            self._condition_calls(snippet, path)

    def _walk(self, snippet: Value, path: tuple, parser: Parser) -> bool:
        """Read all calls of a value, innermost first. Return whether all of them are valid."""
        found = self._function_of(parser, snippet)
        if found is None:
            return all(
                [self._walk(child, (*path, key), parser) for key, child in items_of(snippet)]
            )
        [(name, args)] = snippet.items()
        if issubclass(found, _UndecidedIf):
            valid = self._walk_if(args, (*path, name))
            snippet = {name: self._without_dormant(args)}
        else:
            valid = self._walk(args, (*path, name), parser)
        return valid and self._call(snippet, (*path, name), parser)

    def _walk_if(self, args: Value, path: tuple) -> bool:
        if not isinstance(args, list) or not args:
            return True  # parsing the call reports it
        branches = [self._walk_branch(args, index, (*path, index)) for index in range(1, len(args))]
        return all([self._condition(args[0], (*path, 0)), *branches])

    def _without_dormant(self, args: Value) -> list[Value]:
        """Return the arguments of an ``if`` without the branch that a constant rules out."""
        chosen = self.constants.value(args[0]) if isinstance(args, list) and args else None
        if chosen is None or len(args) != 3:
            return args
        return [args[0], *(args[1:2] if chosen else [None]), *([None] if chosen else args[2:])]

    def _walk_branch(self, args: Value, index: int, path: tuple) -> bool:
        """Read one branch of an ``if``. A constant condition makes the other branch dormant."""
        chosen = self.constants.value(args[0])
        if chosen is None or chosen == (index == 1):
            return self._walk(args[index], path, self._parser)
        self.dormant.append(path)
        outer, self._parser = self._parser, self._parsers[True]
        try:
            return self._walk(args[index], path, self._parser)
        finally:
            self._parser = outer

    def _condition(self, snippet: Value, path: tuple) -> bool:
        if isinstance(snippet, str):
            self.condition_names.append(ConditionName(path, snippet))
            return True
        if not self.is_condition(snippet):
            hint = versions.suggest_condition(snippet)
            found = list(checks.condition_value(snippet, hint))
            self.violations += checks.below(path, found)
            if found:
                return False
        return self._condition_calls(snippet, path)

    def _condition_calls(self, snippet: Value, path: tuple) -> bool:
        before = len(self.calls)
        valid = self._walk(snippet, path, self._conditions)
        for call in self.calls[before:]:
            self._collect_names(call)
        return valid

    def _collect_names(self, call: Call) -> None:
        """Collect the names of conditions among the arguments of ``not``, ``and`` and ``or``."""
        if isinstance(call.node, logic.Not):
            name = call.node.condition()
            if isinstance(name, str):
                self.condition_names.append(ConditionName(call.path, name))
        elif isinstance(call.node, logic.And):
            decisive = isinstance(call.node, logic.Or)  # the value that ends the evaluation
            for index, name in enumerate(call.node.args):
                if name is decisive:
                    break
                if isinstance(name, str):
                    self.condition_names.append(ConditionName((*call.path, index), name))

    @staticmethod
    def _function_of(parser: Parser, snippet: Value) -> type | None:
        """Return the class of the function that a value calls, None where it is no call."""
        if not isinstance(snippet, dict) or len(snippet) != 1:
            return None
        found = parser.functions.get(next(iter(snippet)))
        return None if found is None else function.load_class(found)

    def _call(self, snippet: Value, path: tuple, parser: Parser) -> bool:
        """Parse and validate a call with valid arguments. Return whether the call is valid."""
        try:
            node = parser.parse(snippet)
            if isinstance(node, refs.GetResource):
                name = node.resource_name()
                if name is not None:
                    node.require_known(name)
            if not _has_computed_name(node):
                node.validate(self._scope)
            elif function.dependencies(node.args[0]):
                text = 'The name of the resource depends on another resource'
                raise exception.StackValidationFailed(text)
        except _ERRORS as error:
            self.violations.append(checks.Violation(_rule_of(error), path, error))
            return False
        self.calls.append(Call(path, node, self._owner))
        return True


def _has_computed_name(node: Function) -> bool:
    """Whether a parameter or an attribute gives the name of the resource of a ``get_attr``."""
    name = node.args[0] if isinstance(node, refs.GetAttr) else None
    return isinstance(name, function.Function) and not isinstance(name, refs.GetResource)


def _rule_of(error: Exception) -> str:
    if isinstance(error, exception.InvalidTemplateReference):
        return 'unknown-reference'
    if isinstance(error, exception.InvalidTemplateAttribute):
        return 'unknown-attribute'
    return 'function'
