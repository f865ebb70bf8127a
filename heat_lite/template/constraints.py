"""Constraints on parameters and properties, and their error messages.

Constraints check converted values: numbers are numbers, lists are lists. This package only knows
the names of cloud constraints. The caller passes ``lookup(kind, value)``: it returns None if the
value names an existing object of that kind, else the reason for the error, and raises
UnknownConstraint for an unknown kind.
"""

import contextlib
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from heat_lite.common import exception
from heat_lite.common.exception import append_hint
from heat_lite.common.value_texts import bare, kind_of, quoted
from heat_lite.common.value_types import Value, without_none
from heat_lite.template import format_constraints, patterns
from heat_lite.template.functions import budget
from heat_lite.template.functions.lists_and_maps import hashable
from heat_lite.template.suggest import closest_match, with_suggestion
from heat_lite.template.unknown import (
    ANY,
    BOOLEAN,
    INTEGER,
    LIST,
    MAP,
    NUMBER,
    STRING,
    TYPES,
    Unknown,
    is_known,
)

__all__ = ['ANY', 'BOOLEAN', 'INTEGER', 'LIST', 'MAP', 'NUMBER', 'STRING', 'TYPES']


#: returns None for the name of an object of a kind, else the reason
Lookup: TypeAlias = Callable[[str, Value], str | None]
Convert: TypeAlias = Callable[[Value], Value]
#: errors list as many allowed values, and half of them where there are more
MAX_LISTED = 20
#: the names of the constraints that are formats
FORMATS = tuple(format_constraints.CHECKS)


class UnknownConstraint(LookupError):
    """No custom constraint has this name; ``known`` are the names of existing ones."""

    def __init__(self, name: str, known: tuple = ()) -> None:
        super().__init__(name)
        self.known = known


class Constraint:
    """A rule for values.

    ``description`` is the explanation of the template author; error messages begin with it. Those
    of a constraint that ``is_secret``, of a hidden parameter, do not contain the value.
    """

    valid_types: tuple[str, ...] = TYPES
    is_secret = False

    def __init__(self, description: str | None = None) -> None:
        self.description = description

    def check(
        self, value: Value, lookup: Lookup | None = None, convert: Convert | None = None
    ) -> None:
        """Raise ValueError if the value violates the constraint, as far as it is known.

        ``convert(value)`` converts to the type of the schema, so that the parameter value "1"
        equals the allowed number 1.
        """
        if isinstance(value, Unknown):
            return
        if isinstance(value, list | tuple | dict) and not is_known(value):
            value = self.known_part(value)
        try:
            problem = self.violation(value, lookup, convert)
        except (ValueError, TypeError):
            if not self.is_secret:
                raise
            problem = ''
        if problem is not None:
            text = f'the value violates {_as_json(self.rule())}' if self.is_secret else problem
            raise ValueError(self._explained(text))

    def _explained(self, problem: str) -> str:
        if not self.description:
            return problem
        return append_hint(str(self.description), f' {problem[:1].upper()}{problem[1:]}')

    def known_part(self, value: Value) -> Value:
        """Return what of a list or a map can be checked before all of it is known."""
        if isinstance(value, dict):
            return {key: part for key, part in value.items() if is_known(part)}
        return [part for part in value if is_known(part)]

    def violation(self, value: Value, lookup: Lookup | None, convert: Convert | None) -> str | None:
        """Return the error message for a value, None if the value is valid."""
        raise NotImplementedError

    def rule(self) -> dict[str, Value]:
        """Return the constraint in template syntax, as in ``{'range': {'min': 1}}``."""
        raise NotImplementedError

    def to_wire(self) -> dict[str, Value]:
        return {**self.rule(), 'description': self.description} if self.description else self.rule()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_wire() == other.to_wire()

    def __hash__(self) -> int:
        return hash(repr(self.to_wire()))

    def __repr__(self) -> str:
        return f'{type(self).__name__}({self.to_wire()})'


class Bounded(Constraint):
    """Base of Range and Length: a minimum and a maximum, at least one of them set."""

    kind = ''

    def __init__(
        self, min: Value = None, max: Value = None, description: str | None = None
    ) -> None:
        super().__init__(description)
        if min is None and max is None:
            raise exception.InvalidSchemaError(
                f'A {self.kind} constraint must have a min value and/or a max value specified.'
            )
        self.min, self.max = min, max

    def _outside(self, number: float, what: Value) -> str | None:
        """Return the error message for a number beyond the bounds, None for another one."""
        if (self.min is None or number >= self.min) and (self.max is None or number <= self.max):
            return None
        bounds = ', '.join(f'{key}: {bare(bound)}' for key, bound in self._bounds().items())
        return f'{what} is out of range ({bounds})'

    def rule(self) -> dict[str, Value]:
        return {self.kind: self._bounds()}

    def _bounds(self) -> dict[str, Value]:
        bounds = {'min': self.min, 'max': self.max}
        return without_none(bounds)


class Range(Bounded):
    """A number between two inclusive bounds."""

    kind = 'range'
    valid_types = (INTEGER, NUMBER)

    def __init__(
        self, min: Value = None, max: Value = None, description: str | None = None
    ) -> None:
        super().__init__(_bound(to_number, min), _bound(to_number, max), description)

    def violation(self, value: Value, lookup: Lookup | None, convert: Convert | None) -> str | None:
        return self._outside(to_number(value), bare(value))


class Length(Bounded):
    """The length of a string, a list or a map."""

    kind = 'length'
    valid_types = (STRING, LIST, MAP)

    def __init__(
        self, min: Value = None, max: Value = None, description: str | None = None
    ) -> None:
        if any(isinstance(bound, float) for bound in (min, max)):
            raise exception.InvalidSchemaError('min/max length must be integral')
        super().__init__(_bound(int, min), _bound(int, max), description)

    def known_part(self, value: Value) -> Value:
        return value  # the number of parts is known

    def violation(self, value: Value, lookup: Lookup | None, convert: Convert | None) -> str | None:
        try:
            return self._outside(len(value), f'length ({len(value)})')
        except TypeError:
            return f'{kind_of(value)} has no length'


class Modulo(Constraint):
    """A number that is a multiple of ``step`` plus ``offset``."""

    valid_types = (INTEGER, NUMBER)

    def __init__(
        self, step: Value = None, offset: Value = None, description: str | None = None
    ) -> None:
        super().__init__(description)
        if step is None or offset is None:
            raise exception.InvalidSchemaError(
                'A modulo constraint must have a step value and an offset value specified.'
            )
        if any(isinstance(number, float) for number in (step, offset)):
            raise exception.InvalidSchemaError('step/offset must be integer')
        self.step, self.offset = _bound(int, step), _bound(int, offset)
        self._check_numbers()

    def _check_numbers(self) -> None:
        if self.step == 0:
            raise exception.InvalidSchemaError('step cannot be 0.')
        if abs(self.offset) >= abs(self.step):
            raise exception.InvalidSchemaError(
                'offset must be smaller (by absolute value) than step.'
            )
        if self.step * self.offset < 0:
            raise exception.InvalidSchemaError(
                'step and offset must be both positive or both negative.'
            )

    def violation(self, value: Value, lookup: Lookup | None, convert: Convert | None) -> str | None:
        if to_number(value) % self.step == self.offset:
            return None
        return f'{bare(value)} is not a multiple of {self.step} with an offset of {self.offset}'

    def rule(self) -> dict[str, Value]:
        return {'modulo': {'step': self.step, 'offset': self.offset}}


class AllowedValues(Constraint):
    """One of a list of values; for a list value, each item is one of them.

    ``ours`` are further values, which Heat does not allow.
    """

    valid_types = (STRING, INTEGER, NUMBER, BOOLEAN, LIST)

    def __init__(
        self, allowed: Value, description: str | None = None, ours: Sequence[Value] = ()
    ) -> None:
        super().__init__(description)
        if not isinstance(allowed, list | tuple):
            raise exception.InvalidSchemaError('AllowedValues must be a list')
        self.allowed, self.ours = (*allowed, *ours), tuple(ours)

    def violation(self, value: Value, lookup: Lookup | None, convert: Convert | None) -> str | None:
        if self._allows(value, convert):
            return None
        text = f'{_as_json(value)} is not an allowed value {self._listed()}'
        return exception.append_hint(text, self._suggestion(value))

    def _listed(self) -> str:
        """Return the allowed values as JSON; of many, the first, and names before numbers."""
        if len(self.allowed) <= MAX_LISTED:
            return _as_json(self.allowed)
        named = sorted(self.allowed, key=lambda each: not isinstance(each, str))
        more = len(named) - MAX_LISTED // 2
        return f'{_as_json(named[: MAX_LISTED // 2])[:-1]} and {more} more]'

    def _suggestion(self, value: Value) -> str:
        """Return a sentence with the allowed text that is meant, '' where none is similar."""
        items, allowed = value if isinstance(value, list | tuple) else [value], self._hashed()
        wrong = next((each for each in items if hashable(each) not in allowed), None)
        if not isinstance(wrong, str):
            return ''
        texts = [each for each in self.allowed if isinstance(each, str)]
        same = next((each for each in texts if each.lower() == wrong.lower()), None)
        meant = same or closest_match(wrong, texts)
        return f' Did you mean "{meant}"?' if meant else ''

    def _hashed(self) -> set:
        return {hashable(item) for item in self.allowed}

    def _allows(self, value: Value, convert: Convert | None) -> bool:
        if isinstance(value, list | tuple):
            allowed = self._hashed()
            return all(hashable(item) in allowed for item in value)
        return value in self.allowed or (
            convert is not None and convert(value) in [convert(item) for item in self.allowed]
        )

    def rule(self) -> dict[str, Value]:
        return {'allowed_values': list(self.allowed)}


class AllowedPattern(Constraint):
    """A regular expression that the whole string matches."""

    valid_types = (STRING,)

    def __init__(self, pattern: int | str, description: str | None = None) -> None:
        super().__init__(description)
        if not isinstance(pattern, str):
            raise exception.InvalidSchemaError('AllowedPattern must be a string')
        self.pattern = pattern
        try:
            patterns.check(pattern)
        except re.error as error:
            raise exception.InvalidSchemaError(
                f'AllowedPattern "{pattern}" is not a regular expression: {error}'
            ) from error

    def violation(self, value: Value, lookup: Lookup | None, convert: Convert | None) -> str | None:
        try:
            matches = patterns.compile_pattern(self.pattern).fullmatch
            found = isinstance(value, str) and matches(value)
        except budget.LimitExceeded as error:
            return str(error)
        return None if found else f'{quoted(value)} does not match pattern "{self.pattern}"'

    def rule(self) -> dict[str, Value]:
        return {'allowed_pattern': self.pattern}


class CustomConstraint(Constraint):
    """A constraint by name: a format (see ``format_constraints``) or an existing cloud object."""

    valid_types = (STRING, INTEGER, NUMBER, BOOLEAN, LIST)

    def __init__(self, name: str, description: str | None = None) -> None:
        super().__init__(description)
        self.name = name

    def violation(self, value: Value, lookup: Lookup | None, convert: Convert | None) -> str | None:
        checker = format_constraints.CHECKS.get(self.name) if isinstance(self.name, str) else None
        try:
            if checker is not None:
                problem = checker(value)
            elif not isinstance(self.name, str):
                raise UnknownConstraint(self.name)
            elif lookup is not None:
                problem = lookup(self.name, value)
            else:
                return None
        except UnknownConstraint as error:
            known = [*format_constraints.CHECKS, *error.known]
            return with_suggestion(
                f'{quoted(value)} does not validate {bare(self.name)} (constraint not found)',
                self.name,
                known,
            )
        if problem is None:
            return None
        return (
            f"Error validating value '{bare(value)}': {problem}"
            if problem
            else f"Error validating value '{bare(value)}'"
        )

    def rule(self) -> dict[str, Value]:
        return {'custom_constraint': self.name}


def to_number(value: Value) -> int | float:
    """Convert a string to an int if possible, else to a float; return numbers unchanged.

    Raises ValueError or TypeError as ``int`` and ``float`` do, and ValueError for NaN and infinity.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            return int(value)
    try:
        number = float(value)
    except (ValueError, TypeError) as error:
        raise type(error)(f'{quoted(value)} is not a number') from None
    if not math.isfinite(number):
        raise ValueError(f'{quoted(value)} is not a finite number')
    return number


def _bound(convert: Callable[[Value], float], value: Value) -> Value:
    """Return a bound as a number, None as it is.

    Raises ValueError for a text that is none, as Heat does, and InvalidSchemaError for a list, a
    map or an infinite number.
    """
    try:
        return None if value is None else convert(value)
    except ValueError:
        raise ValueError(f'{quoted(value)} is not a number') from None
    except (TypeError, OverflowError):
        text = f'The bound of a constraint must be a finite number, not {_as_json(value)[:80]}'
        raise exception.InvalidSchemaError(text) from None


def _as_json(value: Value) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value, default=str)
