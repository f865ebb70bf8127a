"""Functions of conditions: if, equals, not, and, or.

Also the placeholders for functions that a version or a section does not allow.
"""

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import conditions
from heat_lite.template.function import (
    OMITTED,
    Function,
    Parser,
    Scope,
    is_omitted,
    resolve,
    resolve_each,
)


class If(Function):
    """{if: [condition, value_if_true, value_if_false]} returns one of two values.

    The condition is decided when parameters are bound to the template. ``args`` is the chosen
    branch; the other branch is not parsed.
    """

    lengths: tuple[int, ...] = (3,)

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        cls.check_arguments(name, args)
        branches = args[1:]
        if conditions.is_true(cls._condition(parser, name, args[0]), parser.scope):
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

    def result(self, scope: Scope) -> Value:
        return resolve(self.args, scope)


class IfNullable(If):
    """{if: [condition, value_if_true, value_if_false]} returns one of two values.

    Since 2021-04-16 the else value is optional: without it, a false condition omits the list
    item or map key that has the ``if`` as its value.
    """

    lengths = (2, 3)


class Equals(Function):
    """{equals: [value_1, value_2]} returns whether two values are equal."""

    def check(self) -> None:
        self.require_arguments(
            2, f'Arguments to "{self.name}" must be of the form: [value_1, value_2]'
        )

    def result(self, scope: Scope) -> Value:
        first, second = resolve_each(self.args, scope)
        return first == second


class Not(Function):
    """{not: condition} negates a condition."""

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

    combine = all

    def check(self) -> None:
        if not isinstance(self.args, list):
            raise TypeError(f'Arguments to "{self.name}" must be a list of conditions')
        if len(self.args) < 2:
            raise ValueError(f'The minimum number of condition arguments to "{self.name}" is 2.')

    def result(self, scope: Scope) -> Value:
        return type(self).combine(conditions.is_true(condition, scope) for condition in self.args)


class Or(And):
    """{or: [condition, condition, ...]} is true if any condition is; stops at a true one."""

    combine = any


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
