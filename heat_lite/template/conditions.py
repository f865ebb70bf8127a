"""The conditions of a template, each evaluated at its first use."""

from collections.abc import Callable, Iterator, Mapping

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import checks, function
from heat_lite.template.function import Scope
from heat_lite.template.unknown import Unknown

#: Limit of a chain of conditions that refer to each other: each one uses Python's stack.
MAX_DEPTH = 100


class Conditions:
    """Evaluated conditions; ``definitions`` are the result of ``parse``."""

    def __init__(self, definitions: Mapping[str, Value], scope: Scope) -> None:
        self._definitions = definitions
        self._scope = scope
        self._results: dict[str, Value] = {}
        self._depth = 0

    def is_enabled(self, name: str) -> Value:
        """Return whether a condition is true; an Unknown if that is not known yet.

        Raises ValueError for an unknown name, StackValidationFailed for a circular definition or
        a value that is not boolean.
        """
        if name not in self._results:
            if self._depth >= MAX_DEPTH:
                raise checks.condition_error(
                    f'The condition "{name}" stands behind more than {MAX_DEPTH} others'
                )
            checks.raise_first(checks.condition_name(name, self._definitions))
            self._results[name] = None
            self._depth += 1
            try:
                self._results[name] = self._compute(name)
            finally:
                self._depth -= 1
                if self._results[name] is None:
                    del self._results[name]
        elif self._results[name] is None:
            raise checks.condition_cycle(name).error
        return self._results[name]

    def _compute(self, name: str) -> Value:
        value = function.resolve(self._definitions[name], self._scope)
        if isinstance(value, Unknown):
            return value
        checks.raise_first(checks.condition_definition(name, value))
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._definitions

    def __iter__(self) -> Iterator:
        return iter(self._definitions)


def parse(section: Value, parser: function.Parser, section_name: str) -> dict[str, Value]:
    """Return the parsed definitions of a section. Raises StackValidationFailed for invalid ones."""
    checks.raise_first(checks.section_map('conditions', section, section_name))
    parsed = {}
    name = None
    try:
        for name, snippet in section.items():
            parsed[name] = parser.parse(snippet)
    except exception.StackValidationFailed as error:
        raise function.prefix_error(error, section_name, name) from error.__cause__
    return parsed


def validate(definitions: Mapping[str, Value], hint: Callable = lambda definition: '') -> None:
    """Raise StackValidationFailed for a definition that is neither a boolean nor a function.

    ``hint(definition)`` is appended to the error message.
    """
    for name, definition in definitions.items():
        function.validate(definition)
        if not isinstance(definition, function.Function):
            checks.raise_first(checks.condition_definition(name, definition, hint))


def is_true(condition: Value, scope: function.Scope) -> Value:
    """Return whether a parsed condition is true; an Unknown if that is not known yet.

    A condition is a boolean, the name of another condition, or a node whose value is one of
    these. Null stands for no condition and is true.
    """
    value = function.resolve(condition, scope)
    if isinstance(value, Unknown):
        return value
    checks.raise_first(checks.condition_value(value))
    if isinstance(value, str):
        return scope.condition(value)
    return value is None or value
