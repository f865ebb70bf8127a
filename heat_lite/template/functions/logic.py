"""Conditions: ``if`` in templates; equals, not, and, or in the definitions of conditions; and what is refused in a place or version."""

from heat_lite.common import exception
from heat_lite.template import conditions
from heat_lite.template.function import OMITTED, Function, omitted, resolve, resolve_each


class If(Function):
    """{if: [condition, then, else]}: decided when the template is bound. ``args`` is the branch taken, the other is not even parsed."""

    __slots__ = ()

    lengths: tuple[int, ...] = (3,)

    @classmethod
    def parse(cls, parser, name, args):
        if not isinstance(args, list) or len(args) not in cls.lengths:
            raise ValueError(f'Arguments to "{name}" must be of the form: [condition_name, value_if_true, value_if_false]')
        branches = args[1:]
        if conditions.truth(cls._condition(parser, name, args[0]), parser.scope):
            return cls(name, parser.parse(branches[0]))
        return cls(name, parser.parse(branches[1]) if len(branches) == 2 else OMITTED)

    @staticmethod
    def _condition(parser, name, condition):
        try:
            return parser.conditions.parse(condition)
        except exception.StackValidationFailed as error:
            # a condition that stands inside an if is reported as if it stood alone
            raise exception.StackValidationFailed(error.error_message, error=error.error, path=(name, *error.path), whole=True) from error

    def check(self):
        if omitted(self.args):
            self.args = OMITTED

    def result(self, scope):
        return resolve(self.args, scope)


class IfNullable(If):
    """if since 2021-04-16: without an else the list item or map key around it is left out."""

    __slots__ = ()

    lengths = (2, 3)


class Equals(Function):
    """{equals: [value, value]}"""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 2:
            raise ValueError(f'Arguments to "{self.name}" must be of the form: [value_1, value_2]')

    def result(self, scope):
        first, second = resolve_each(self.args, scope)
        return first == second


class Not(Function):
    """{not: condition}"""

    __slots__ = ()

    def check(self):
        if self.args is None:
            raise ValueError(f'Argument to "{self.name}" must be a condition')

    def condition(self):
        return self.args

    def result(self, scope):
        return not conditions.truth(self.condition(), scope)


class CfnNot(Not):
    """{Fn::Not: [condition]}"""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 1:
            raise ValueError(f'Arguments to "{self.name}" must be of the form: [condition]')

    def condition(self):
        return self.args[0]


class And(Function):
    """{and: [condition, condition, ...]}: looks no further than the first that does not hold."""

    __slots__ = ()

    combine = all

    def check(self):
        if not isinstance(self.args, list):
            raise TypeError(f'Arguments to "{self.name}" must be a list of conditions')
        if len(self.args) < 2:
            raise ValueError(f'The minimum number of condition arguments to "{self.name}" is 2.')

    def result(self, scope):
        return type(self).combine(conditions.truth(condition, scope) for condition in self.args)


class Or(And):
    """{or: [condition, condition, ...]}: looks no further than the first that holds."""

    __slots__ = ()

    combine = any


class NotAllowed(Function):
    """A function that the version knows, in a place where it does not belong."""

    __slots__ = ()

    @classmethod
    def parse(cls, parser, name, args):
        raise ValueError(f'The function "{name}" is invalid in this context')


class Removed(Function):
    """A function that earlier versions had. It parses as data; validation refuses it."""

    __slots__ = ()

    @classmethod
    def parse(cls, parser, name, args):
        return cls(name, args)

    def validate(self, scope=None):
        raise exception.InvalidTemplateVersion(explanation=f'The function {self.name} is not supported in this version of HOT.')

    def result(self, scope):
        return {self.name: self.args}
