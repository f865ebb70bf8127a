"""The conditions whose values the text of a template determines, without parameters."""

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import conditions, function
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
