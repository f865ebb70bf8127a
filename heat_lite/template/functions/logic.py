"""Functions of conditions: if, equals, not, and, or.

Also the placeholders for functions that a version or a section does not allow.
"""

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import conditions
from heat_lite.template.function import (
    ARGUMENT_ERRORS,
    OMITTED,
    Function,
    Parser,
    Scope,
    dependencies,
    is_omitted,
    may_be_omitted,
    resolve,
    resolve_each,
)
from heat_lite.template.unknown import (
    ANY,
    BOOLEAN,
    LIST,
    MAP,
    NUMBER,
    STRING,
    Unknown,
    is_known,
    merge,
    require_known,
)


class If(Function):
    """{if: [condition, value_if_true, value_if_false]} returns one of two values.

    The condition is decided when parameters are bound to the template. ``args`` is the chosen
    branch; the other branch is not parsed. While the condition is ``unknown``, ``args`` is the
    list of both, and errors in them are none yet.
    """

    lengths: tuple[int, ...] = (3,)
    unknown: Unknown | None = None

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        cls.check_arguments(name, args)
        branches = args[1:]
        decided = conditions.is_true(cls._condition(parser, name, args[0]), parser.scope)
        if isinstance(decided, Unknown):
            node = cls(name, [_parse_if_possible(parser, each, decided) for each in branches])
            node.unknown = decided
            return node
        if decided:
            return cls(name, parser.parse(branches[0]))
        return cls(name, parser.parse(branches[1]) if len(branches) == 2 else OMITTED)

    @classmethod
    def check_arguments(cls, name: str, args: Value) -> None:
        """Raise ValueError unless the arguments are a condition and its branches."""
        if not isinstance(args, list) or len(args) not in cls.lengths:
            form = '[condition_name, value_if_true, value_if_false]'
            raise ValueError(f'Arguments to "{name}" must be of the form: {form}')

    @staticmethod
    def _condition(parser: Parser, name: str, condition: Value) -> Value:
        try:
            return parser.conditions.parse(condition)
        except exception.StackValidationFailed as error:
            # as in Heat: an error in an inline condition has a path that begins at the ``if``
            whole = exception.StackValidationFailed(
                error.error_message,
                error.error,
                (name, *error.path),
                whole=True,
                subject=error.subject,
            )
            raise whole from error

    def check(self) -> None:
        if is_omitted(self.args):
            self.args = OMITTED

    def validate(self, scope: Scope | None = None) -> None:
        if self.unknown is None:
            super().validate(scope)

    def may_be_omitted(self) -> bool:
        return self.unknown is not None and (
            len(self.args) == 1
            or any(is_omitted(each) or may_be_omitted(each) for each in self.args)
        )

    def result(self, scope: Scope) -> Value:
        if self.unknown is None:
            return resolve(self.args, scope)
        results = [_resolve_if_possible(branch, scope, self.unknown) for branch in self.args]
        if not self.may_be_omitted() and is_known(results) and _are_same(*results):
            return results[0]
        kinds = {_type_of(result) for result in results}
        return merge(kinds.pop() if len(kinds) == 1 else ANY, self.unknown, results)


def _are_same(first: Value, second: Value) -> bool:
    return type(first) is type(second) and first == second


def _parse_if_possible(parser: Parser, branch: Value, condition: Unknown) -> Value:
    """Return a parsed branch that may never be taken; the condition if it is invalid."""
    try:
        parsed = parser.parse(branch)
    except exception.HeatException:
        return condition
    return parsed if dependencies(parsed) <= {*parser.resources} else condition


def _resolve_if_possible(branch: Value, scope: Scope, condition: Unknown) -> Value:
    try:
        return resolve(branch, scope)
    except (exception.HeatException, *ARGUMENT_ERRORS):
        return condition


def _type_of(value: Value) -> str:
    if isinstance(value, Unknown):
        return value.type
    return next((name for kind, name in _TYPES if isinstance(value, kind)), ANY)


_TYPES = ((str, STRING), (bool, BOOLEAN), (int | float, NUMBER), (dict, MAP), (list, LIST))


class IfNullable(If):
    """{if: [condition, value_if_true, value_if_false]} returns one of two values.

    Since 2021-04-16 the else value is optional: without it, a false condition omits the list
    item or map key that has the ``if`` as its value.
    """

    lengths = (2, 3)


class Equals(Function):
    """{equals: [value_1, value_2]} returns whether two values are equal."""

    gives = BOOLEAN

    def check(self) -> None:
        self.require_arguments(
            2, f'Arguments to "{self.name}" must be of the form: [value_1, value_2]'
        )

    def result(self, scope: Scope) -> Value:
        first, second = resolve_each(self.args, scope)
        return first == second


class Not(Function):
    """{not: condition} negates a condition."""

    gives = BOOLEAN

    def check(self) -> None:
        if self.args is None:
            raise ValueError(f'Argument to "{self.name}" must be a condition')

    def condition(self) -> Value:
        return self.args

    def result(self, scope: Scope) -> Value:
        return not conditions.is_true(self.condition(), scope)


class CfnNot(Not):
    """{Fn::Not: [condition]} negates a condition."""

    def check(self) -> None:
        self.require_arguments(1, f'Arguments to "{self.name}" must be of the form: [condition]')

    def condition(self) -> Value:
        return self.args[0]


class And(Function):
    """{and: [condition, condition, ...]} is true if all conditions are; stops at a false one."""

    gives = BOOLEAN
    #: the value of a condition that decides the whole
    decisive = False

    def check(self) -> None:
        if not isinstance(self.args, list):
            raise TypeError(f'Arguments to "{self.name}" must be a list of conditions')
        if len(self.args) < 2:
            raise ValueError(f'The minimum number of condition arguments to "{self.name}" is 2.')

    def result(self, scope: Scope) -> Value:
        unknown: list[Value] = []
        for condition in self.args:
            try:
                value = conditions.is_true(condition, scope)
            except (exception.HeatException, *ARGUMENT_ERRORS):
                if unknown:  # if an unknown one decides, this one is not read
                    break
                raise
            if isinstance(value, Unknown):
                unknown.append(value)
            elif value is self.decisive:
                return value
        require_known(unknown)
        return not self.decisive


class Or(And):
    """{or: [condition, condition, ...]} is true if any condition is; stops at a true one."""

    decisive = True


class NotAllowed(Function):
    """A function of this version that conditions must not use; parsing raises ValueError."""

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        raise ValueError(f'The function "{name}" is invalid in this context')


class Removed(Function):
    """A function of earlier versions. Parsing keeps it as data, validation raises."""

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        return cls(name, args)

    def validate(self, scope: Scope | None = None) -> None:
        raise exception.InvalidTemplateVersion(
            explanation=f'The function {self.name} is not supported in this version of HOT.'
        )

    def result(self, scope: Scope) -> Value:
        return {self.name: self.args}
