"""Constraints on parameters and properties, and the words in which they refuse a value.

A constraint looks at converted values: numbers are numbers, lists are lists. Cloud constraints are names only; the caller hands in
``lookup(kind, value)``, which returns None where the value names such an object and else the reason why it does not. It raises
UnknownConstraint for a kind that nobody knows.
"""

import json
import re

from heat_lite.common import exception
from heat_lite.template import formats
from heat_lite.template.suggest import say

STRING, INTEGER, NUMBER, BOOLEAN, MAP, LIST, ANY = TYPES = ('string', 'integer', 'number', 'boolean', 'map', 'list', 'any')


class UnknownConstraint(LookupError):
    """No custom constraint has this name; ``known`` are those that there are."""

    def __init__(self, name, known=()):
        super().__init__(name)
        self.known = known


class Constraint:
    """A rule for values. ``refusal`` answers None, or what is wrong with a value; ``description`` is the author's own text for that."""

    __slots__ = ('description',)
    valid_types: tuple[str, ...] = TYPES

    def __init__(self, description=None):
        self.description = description

    def check(self, value, lookup=None, convert=None):
        """Raises ValueError with the author's text, or with ours.

        ``convert`` makes the schema's type of a value: a parameter's text "1" is then one of the numbers that it may be.
        """
        problem = self.refusal(value, lookup, convert)
        if problem is not None:
            raise ValueError(self.description or problem)

    def refusal(self, value, lookup, convert):
        raise NotImplementedError

    def rule(self):
        """The constraint alone, as templates write it: ``{'range': {'min': 1}}``."""
        raise NotImplementedError

    def to_wire(self):
        return {**self.rule(), 'description': self.description} if self.description else self.rule()

    def __eq__(self, other):
        return type(self) is type(other) and self.to_wire() == other.to_wire()

    def __hash__(self):
        return hash(repr(self.to_wire()))

    def __repr__(self):
        return f'{type(self).__name__}({self.to_wire()})'


class Bounded(Constraint):
    """What Range and Length share: a least and a most, either of them optional."""

    __slots__ = ('min', 'max')
    kind = ''

    def __init__(self, min=None, max=None, description=None):
        super().__init__(description)
        if min is None and max is None:
            raise exception.InvalidSchemaError(f'A {self.kind} constraint must have a min value and/or a max value specified.')
        self.min, self.max = min, max

    def _within(self, number):
        return (self.min is None or number >= self.min) and (self.max is None or number <= self.max)

    def rule(self):
        bounds = {'min': self.min, 'max': self.max}
        return {self.kind: {key: value for key, value in bounds.items() if value is not None}}


class Range(Bounded):
    """A number between two bounds, both included."""

    __slots__ = ()
    kind = 'range'
    valid_types = (INTEGER, NUMBER)

    def __init__(self, min=None, max=None, description=None):
        super().__init__(_number_or_none(min), _number_or_none(max), description)

    def refusal(self, value, lookup, convert):
        number = to_number(value)
        return None if self._within(number) else f'{value} is out of range (min: {self.min}, max: {self.max})'


class Length(Bounded):
    """The length of a string, a list or a map."""

    __slots__ = ()
    kind = 'length'
    valid_types = (STRING, LIST, MAP)

    def __init__(self, min=None, max=None, description=None):
        if any(isinstance(bound, float) for bound in (min, max)):
            raise exception.InvalidSchemaError('min/max length must be integral')
        super().__init__(_integer_or_none(min), _integer_or_none(max), description)

    def refusal(self, value, lookup, convert):
        length = len(value)
        return None if self._within(length) else f'length ({length}) is out of range (min: {self.min}, max: {self.max})'


class Modulo(Constraint):
    """A number that is ``offset`` more than a multiple of ``step``."""

    __slots__ = ('step', 'offset')
    valid_types = (INTEGER, NUMBER)

    def __init__(self, step=None, offset=None, description=None):
        super().__init__(description)
        if step is None or offset is None:
            raise exception.InvalidSchemaError('A modulo constraint must have a step value and an offset value specified.')
        if any(isinstance(number, float) for number in (step, offset)):
            raise exception.InvalidSchemaError('step/offset must be integer')
        self.step, self.offset = int(step), int(offset)
        self._check_numbers()

    def _check_numbers(self):
        if self.step == 0:
            raise exception.InvalidSchemaError('step cannot be 0.')
        if abs(self.offset) >= abs(self.step):
            raise exception.InvalidSchemaError('offset must be smaller (by absolute value) than step.')
        if self.step * self.offset < 0:
            raise exception.InvalidSchemaError('step and offset must be both positive or both negative.')

    def refusal(self, value, lookup, convert):
        if to_number(value) % self.step == self.offset:
            return None
        return f'{value} is not a multiple of {self.step} with an offset of {self.offset}'

    def rule(self):
        return {'modulo': {'step': self.step, 'offset': self.offset}}


class AllowedValues(Constraint):
    """One of a list of values; of a list, each item."""

    __slots__ = ('allowed',)
    valid_types = (STRING, INTEGER, NUMBER, BOOLEAN, LIST)

    def __init__(self, allowed, description=None):
        super().__init__(description)
        if not isinstance(allowed, list | tuple):
            raise exception.InvalidSchemaError('AllowedValues must be a list')
        self.allowed = tuple(allowed)

    def refusal(self, value, lookup, convert):
        if not self._allows(value, convert):
            return f'{_as_json(value)} is not an allowed value {_as_json(self.allowed)}'
        return None

    def _allows(self, value, convert):
        if isinstance(value, list | tuple):
            return all(item in self.allowed for item in value)
        return value in self.allowed or (convert is not None and convert(value) in [convert(item) for item in self.allowed])

    def rule(self):
        return {'allowed_values': list(self.allowed)}


class AllowedPattern(Constraint):
    """A regular expression that the whole string matches."""

    __slots__ = ('pattern', '_match')
    valid_types = (STRING,)

    def __init__(self, pattern, description=None):
        super().__init__(description)
        if not isinstance(pattern, str):
            raise exception.InvalidSchemaError('AllowedPattern must be a string')
        self.pattern = pattern
        try:
            self._match = re.compile(pattern).fullmatch
        except (re.error, RecursionError, OverflowError) as error:
            raise exception.InvalidSchemaError(f'AllowedPattern "{pattern}" is not a regular expression: {error}') from error

    def refusal(self, value, lookup, convert):
        return None if self._match(value) else f'"{value}" does not match pattern "{self.pattern}"'

    def rule(self):
        return {'allowed_pattern': self.pattern}


class CustomConstraint(Constraint):
    """A rule known by name: a format of ours, or an object that must be there in the cloud."""

    __slots__ = ('name',)
    valid_types = (STRING, INTEGER, NUMBER, BOOLEAN, LIST)

    def __init__(self, name, description=None):
        super().__init__(description)
        self.name = name

    def refusal(self, value, lookup, convert):
        checker = formats.CHECKS.get(self.name) if isinstance(self.name, str) else None
        try:
            if checker is not None:
                problem = checker(value)
            elif lookup is not None:
                problem = lookup(self.name, value)
            else:
                return None
        except UnknownConstraint as error:
            known = [*formats.CHECKS, *error.known]
            return say(f'"{value}" does not validate {self.name} (constraint not found)', self.name, known)
        if problem is None:
            return None
        return f"Error validating value '{value}': {problem}" if problem else f"Error validating value '{value}'"

    def rule(self):
        return {'custom_constraint': self.name}


def to_number(value):
    """An int where the text allows it, else a float; numbers stay as they are. Raises ValueError and TypeError as Python does."""
    if isinstance(value, int | float):
        return value
    try:
        return int(value)
    except ValueError:
        return float(value)


def _number_or_none(value):
    return None if value is None else to_number(value)


def _integer_or_none(value):
    return None if value is None else int(value)


def _as_json(value):
    return json.dumps(list(value) if isinstance(value, tuple) else value, default=str)
