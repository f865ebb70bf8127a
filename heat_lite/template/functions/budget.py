"""Limits on the work and the results of templates, so that a short one cannot stop an engine.

Each function checks the size of its result before it builds the result. In addition a request, or
a step of a resource, has one ``Budget``, which all of its functions charge: ``fresh`` begins it.
Code that runs outside of ``fresh`` (the linter, tests) has the limits of one call only.
"""

import contextvars
import dataclasses
import math
from collections.abc import Callable

from heat_lite.common.value_types import Value

#: Limits of one result: characters of a string; values, at any depth, of a list or map.
MAX_CHARACTERS = 4 * 1024 * 1024
MAX_VALUES = 100_000
#: The steps between two looks at the clock, and the characters that cost a step.
LOOK_STEPS = 5_000
CHARACTERS_A_STEP = 64
#: seconds of an expression that are charged at once
CHARGED_SECONDS = 0.005


class LimitExceeded(ValueError):
    """A template, expression or pattern needs more than a limit allows."""


@dataclasses.dataclass
class WorkLimits:
    """Limits of one request, or of one step of a resource, in total.

    ``characters`` and ``values`` limit results, ``steps`` the work, ``seconds`` the processor time
    of expressions and patterns, ``pattern_seconds`` one match of a pattern.
    """

    characters: int = 128 * 1024 * 1024
    values: int = 5_000_000
    steps: int = 10_000_000
    seconds: float = 5.0
    pattern_seconds: float = 0.25
    #: characters of all outputs of a stack together
    outputs: int = 16 * 1024 * 1024
    #: elements of one collection of a yaql expression, and its memory in bytes
    yaql_iterators: int = 200
    yaql_memory: int = 10_000


limits = WorkLimits()


@dataclasses.dataclass
class Host:
    """What the surrounding process lends.

    ``clock``: the processor time of the thread in seconds. ``wall_clock``: the time in seconds.
    """

    clock: Callable[[], float] = lambda: 0.0
    wall_clock: Callable[[], float] = lambda: 0.0


host = Host()


def set_clocks(clock: Callable[[], float], wall_clock: Callable[[], float]) -> None:
    """Set the clocks. Called once, when a process starts."""
    host.clock, host.wall_clock = clock, wall_clock


class Budget:
    """What one request or step has used up. A ``with`` block makes it the current one."""

    _token: contextvars.Token | None

    def __init__(self, max_characters: int | None = None, ends_at: float = math.inf) -> None:
        self.used = {'characters': 0, 'values': 0, 'steps': 0}
        self.looked_at = 0
        self.seconds = 0.0
        self.max_characters = max_characters
        #: by the wall clock of the host
        self.ends_at = ends_at
        self._token = None

    def __enter__(self) -> 'Budget':
        self._token = _current.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        if self._token is not None:
            _current.reset(self._token)
        self._token = None

    def charge(self, name: str, what: str, amount: int, steps: int) -> None:
        """Add to what is used. Raises LimitExceeded, with the name of the function, at a limit."""
        used = self.used
        used[what] += amount
        used['steps'] += steps
        if used[what] > self.limit(what):
            raise self._exceeded(name, what)
        if used['steps'] > limits.steps:
            raise self._exceeded(name, 'steps')
        if used['steps'] - self.looked_at > LOOK_STEPS:
            self.looked_at = used['steps']
            if host.wall_clock() > self.ends_at:
                raise LimitExceeded(f'"{name}": the request takes longer than its client waits')

    def _exceeded(self, name: str, kind: str) -> LimitExceeded:
        return LimitExceeded(
            f'"{name}" exceeds a limit of the whole request: {self.used[kind]} {kind}, '
            f'the limit is {self.limit(kind)}'
        )

    def limit(self, kind: str) -> int:
        if kind == 'characters' and self.max_characters is not None:
            return self.max_characters
        return getattr(limits, kind)

    def charge_seconds(self, name: str, seconds: float) -> None:
        """Add processor time. Raises LimitExceeded at the limit."""
        self.seconds += seconds
        if self.seconds > limits.seconds:
            raise LimitExceeded(
                f'"{name}" exceeds a limit of the whole request: {limits.seconds:g} seconds '
                'of computation'
            )


_current: contextvars.ContextVar[Budget | None] = contextvars.ContextVar('budget', default=None)


def fresh(max_characters: int | None = None, seconds: float | None = None) -> Budget:
    """Give a ``with`` block a new budget, with another limit of characters if one is given.

    ``seconds``: the time by the clock for which a client waits; without it that of the request in
    which the block is.
    """
    if seconds is not None:
        return Budget(max_characters, host.wall_clock() + seconds)
    outer = _current.get()
    return Budget(max_characters, outer.ends_at if outer else math.inf)


def current() -> Budget:
    """Return the budget of the present request or step; outside of one, a new one."""
    return _current.get() or Budget()


def check_text(name: str, length: int) -> None:
    """Raise ValueError if a string of this length is over a limit, and charge it."""
    check_size(name, length)
    charge_text(name, length)


def check_size(name: str, length: int) -> None:
    """Raise ValueError if strings of this length in total are over the limit of one result."""
    if length > MAX_CHARACTERS:
        raise LimitExceeded(
            f'"{name}" would give a text of {length} characters, the limit is {MAX_CHARACTERS}'
        )


def check_values(name: str, count: int) -> None:
    """Raise ValueError if a list or map with this number of values is over a limit; charge it."""
    if count > MAX_VALUES:
        raise LimitExceeded(f'"{name}" would give {count} values, the limit is {MAX_VALUES}')
    charge_values(name, count)


def check_split(name: str, text: str, delimiter: Value) -> None:
    """Raise ValueError if a text has more parts than a list may have values, and charge both."""
    if isinstance(delimiter, str) and delimiter:
        charge_text(name, len(text))
        check_values(name, text.count(delimiter) + 1)


def charge_text(name: str, length: int) -> None:
    """Charge characters that a function reads or makes."""
    budget = _current.get()
    if budget is not None:
        budget.charge(name, 'characters', length, length // CHARACTERS_A_STEP)


def charge_values(name: str, count: int) -> None:
    """Charge values that a function reads or makes."""
    budget = _current.get()
    if budget is not None:
        budget.charge(name, 'values', count, count)


def charge_value(name: str, value: Value) -> None:
    """Charge a value that a function reads, as if it were copied: results in JSON will be."""
    if isinstance(value, str):
        charge_text(name, len(value))
    elif isinstance(value, dict | list):
        charge_values(name, count_values(value))
        charge_text(name, count_characters(value))


def charge_steps(name: str, count: int) -> None:
    """Charge steps of work. Raises LimitExceeded also outside of a request."""
    current().charge(name, 'steps', 0, count)


class Stopwatch:
    """The processor time of one expression, charged while it runs."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._budget = current()
        self._charged_at = host.clock()

    def step(self) -> None:
        """Charge one step, and the time since the last charge."""
        used = self._budget.used
        used['steps'] += 1
        if used['steps'] > limits.steps:
            self._budget.charge(self._name, 'steps', 0, 0)
        if host.clock() - self._charged_at > CHARGED_SECONDS:
            self.stop()
            self._charged_at = host.clock()

    def stop(self) -> None:
        """Charge the time since the last charge."""
        now = host.clock()
        spent, self._charged_at = now - self._charged_at, now
        self._budget.charge_seconds(self._name, spent)


def count_values(value: Value) -> int:
    """Return the number of values in a structure, the structure itself included."""
    pending, count = [value], 0
    while pending:
        part = pending.pop()
        count += 1
        if isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return count


def count_characters(value: Value) -> int:
    """Return the number of characters in all strings and keys of a structure."""
    pending, count = [value], 0
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            count += len(part)
        elif isinstance(part, dict):
            count += sum(len(key) for key in part if isinstance(key, str))
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return count


def set_limits(**values: float) -> None:
    """Set limits from the options, by their names in ``WorkLimits``. Called as a process starts."""
    for name, value in values.items():
        setattr(limits, name, value)
