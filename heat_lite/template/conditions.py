"""The conditions of a template: which of them hold, each computed when it is first asked for."""

from heat_lite.common import exception
from heat_lite.template import function
from heat_lite.template.suggest import say

#: How many conditions may ask for each other in a row: each takes some of Python's stack.
DEEPEST = 100


class Conditions:
    """``definitions`` are parsed, as ``parse`` gives them."""

    def __init__(self, definitions, scope):
        self._definitions = definitions
        self._scope = scope
        self._known = {}
        self._depth = 0

    def enabled(self, name):
        """Whether a condition holds; ValueError for an unknown name, StackValidationFailed for one that has no answer."""
        if name not in self._known:
            if self._depth >= DEEPEST:
                raise failure(f'The condition "{name}" stands behind more than {DEEPEST} others')
            if name not in self._definitions:
                raise ValueError(say(f'Invalid condition "{name}"', name, self._definitions))
            self._known[name] = None
            self._depth += 1
            try:
                self._known[name] = self._compute(name)
            finally:
                self._depth -= 1
                if self._known[name] is None:
                    del self._known[name]
        elif self._known[name] is None:
            raise failure(f'Circular definition for condition "{name}"')
        return self._known[name]

    def _compute(self, name):
        value = function.resolve(self._definitions[name], self._scope)
        if not isinstance(value, bool):
            raise invalid_definition(name, value)
        return value

    def __contains__(self, name):
        return name in self._definitions

    def __iter__(self):
        return iter(self._definitions)


def parse(section, parser, section_name):
    """The parsed definitions of the section; StackValidationFailed for what their functions refuse."""
    if not isinstance(section, dict):
        found = type(section).__name__
        raise failure(f'Condition definitions must be a map. Found a {found} instead', 'Conditions validation error')
    parsed = {}
    name = None
    try:
        for name, snippet in section.items():
            parsed[name] = parser.parse(snippet)
    except exception.StackValidationFailed as error:
        raise function.outside(error, section_name, name) from error.__cause__
    return parsed


def validate(definitions, hint=lambda definition: ''):
    """Raises StackValidationFailed for a definition that can never hold or not hold; ``hint(definition)`` is put after it."""
    for name, definition in definitions.items():
        function.validate(definition)
        if not isinstance(definition, function.Function | bool):
            raise invalid_definition(name, definition).with_hint(hint(definition))


def invalid_definition(name, value):
    return failure(f'The definition of condition "{name}" is invalid: {value}')


def failure(message, error='Condition validation error'):
    return exception.StackValidationFailed(message, error=error)


def truth(condition, scope):
    """Whether a parsed condition holds: a boolean, the name of another condition, or a node that gives one of these.

    Null sets no condition, and so it holds.
    """
    value = function.resolve(condition, scope)
    if value is None:
        return True
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return scope.condition(value)
    raise ValueError(f'Invalid condition "{value}"')
