"""Limits of the functions of the yaql library, which are unbounded in time or memory."""

import re
from collections.abc import Callable, Collection, Iterator

from yaql.language import contexts, exceptions, utils, yaqltypes

from heat_lite.common.value_types import Value
from heat_lite.template import patterns
from heat_lite.template.functions import budget
from heat_lite.template.functions.budget import Stopwatch
from heat_lite.template.patterns import Pattern

#: Bits of the numbers in ``pow`` with a modulus, and digits that ``round`` is given.
MODULUS_BITS = 4096
ROUND_DIGITS = 1000


#: Tokens of an expression: the parser copies the list of arguments for each further one.
MAX_TOKENS = 10_000
COLLECTIONS = tuple, list, dict, set, frozenset, utils.FrozenDict


class Sizes:
    """The sizes of collections, which may contain another one many times, e.g. ``[$, $]``.

    A size counts all of them, as a comparison, a hash or a text of the collection does, which run
    without a pause.
    """

    def __init__(self, max_weight: int) -> None:
        #: id of a collection -> the collection, which keeps the id its own, and its size
        self._known: dict[int, tuple[Value, int]] = {}
        self._weight, self._max_weight = 0, max_weight

    def measure(self, value: Value) -> int:
        """Return the number of values in a collection; a text counts by its characters."""
        if self._weight > self._max_weight:
            self._known.clear()
            self._weight = 0
        pending = [value] if self._is_unknown(value) else []
        while pending:
            part = pending[-1]
            parts = _parts(part)
            unknown = [each for each in parts if self._is_unknown(each)]
            pending += unknown
            if not unknown:
                pending.pop()
                self._weight += 1 + sum(map(_weigh, parts))
                self._known[id(part)] = part, 1 + sum(map(self._measure_part, parts))
        return self._known[id(value)][1]

    def _is_unknown(self, value: Value) -> bool:
        return isinstance(value, COLLECTIONS) and id(value) not in self._known

    def _measure_part(self, value: Value) -> int:
        return self._known[id(value)][1] if isinstance(value, COLLECTIONS) else _weigh(value)


def _parts(value: Value) -> Collection[str]:
    if isinstance(value, dict | utils.FrozenDict):
        return [*value.keys(), *value.values()]
    return value


def _weigh(value: Value) -> int:
    return 1 + len(value) // budget.CHARACTERS_A_STEP if isinstance(value, str) else 1


class Meter:
    """The steps of one expression, and the size of what it computes from its data."""

    def __init__(self, stopwatch: Stopwatch, data: Value) -> None:
        self.step = stopwatch.step
        read = budget.count_values(data) + budget.count_characters(data) // budget.CHARACTERS_A_STEP
        self._limit = budget.MAX_VALUES + read
        self._sizes = Sizes(4 * self._limit)

    def check(self, value: Value) -> Value:
        """Return a value. Raises LimitExceeded if its size is above the limit."""
        if isinstance(value, COLLECTIONS) and (size := self._sizes.measure(value)) > self._limit:
            raise budget.LimitExceeded(
                f'"yaql" would compute {size} values, the limit is {self._limit}'
            )
        return value


class MeteredContext(contexts.Context):
    """A context that charges each call of a function, and each variable scope, as one step.

    It checks the size of each result.
    """

    def __init__(self, parent_context: Value, meter: Meter | None = None) -> None:
        super().__init__(parent_context)
        self._meter = meter or parent_context._meter

    def collect_functions(
        self, name: str, predicate: Callable | None = None, use_convention: bool = False
    ) -> list[Value]:
        self._meter.step()
        return super().collect_functions(name, predicate, use_convention)

    def __call__(self, *where: Value, **how: Value) -> Callable:
        call = super().__call__(*where, **how)
        return lambda *args, **kwargs: self._meter.check(call(*args, **kwargs))


class MeteredLexer:
    """The tokens of one expression: each is charged as one step, and their number is limited."""

    def __init__(self, lexer: Value, stopwatch: Stopwatch) -> None:
        # a copy: others parse in the pauses of this expression
        self._lexer = lexer.clone()
        self._stopwatch = stopwatch
        self._count = 0

    def __getattr__(self, name: str) -> Value:
        return getattr(self._lexer, name)

    def token(self) -> Value:
        """Return the next token. Raises YaqlParsingException beyond the limit."""
        self._stopwatch.step()
        self._count += 1
        if self._count > MAX_TOKENS:
            raise exceptions.YaqlParsingException(
                None, None, f'it has more than {MAX_TOKENS} words and signs'
            )
        return self._lexer.token()


def limit_functions(context: Value) -> Value:
    """Replace the unbounded functions of the standard library in a context, and return it."""
    missing = set(LIMITED)
    for name in NAMES:
        for layer in context.collect_functions(name):
            for definition in layer:
                key = _key(definition.payload)
                if key in missing:
                    missing.remove(key)
                    definition.payload = LIMITED[key](definition.payload)
                _take_patterns(definition)
    if missing:
        raise RuntimeError(f'This version of the yaql library has no functions {sorted(missing)}')
    return context


def _key(function: Callable) -> str:
    return f'{function.__module__.rpartition(".")[2]}.{function.__name__}'


def _take_patterns(definition: Value) -> None:
    """Have a function that takes a compiled pattern of ``re`` accept ours instead."""
    for parameter in definition.parameters.values():
        if getattr(parameter.value_type, 'python_type', None) is re.Pattern:
            parameter.value_type = yaqltypes.PythonType(patterns.Pattern, False)


def _limit_product(function: Callable) -> Callable:
    """Check the size of list * number before the list is built."""

    def product(left: Value, right: Value, engine: Value) -> Value:
        items, times = (left, right) if isinstance(right, int) else (right, left)
        budget.check_values('yaql', len(items) * times)
        return function(left, right, engine)

    return product


def _limit_generator(function: Callable) -> Callable:
    """Limit a generator, which may be endless, to the number of elements of a collection."""

    def generated(engine: Value, *args: Value, **kwargs: Value) -> Iterator:
        return utils.limit_iterable(function(engine, *args, **kwargs), budget.limits.yaql_iterators)

    return generated


def _check_bits(bits: Value, limit: Value) -> None:
    if bits > limit:
        raise budget.LimitExceeded(
            f'"yaql" would compute a number of {bits} bits, the limit is {limit}'
        )


def _number_bits() -> Value:
    return 8 * max(0, budget.limits.yaql_memory) or 80_000


def _limit_power(function: Callable) -> Callable:
    def power(a: Value, b: Value, c: Value = None) -> Value:
        numbers = [number for number in (a, b, c) if isinstance(number, int)]
        if c is not None:
            _check_bits(max(number.bit_length() for number in (*numbers, 0)), MODULUS_BITS)
        elif len(numbers) == 2:
            _check_bits(abs(b) * a.bit_length() if abs(a) > 1 else 0, _number_bits())
        return function(a, b, c)

    return power


def _limit_shift(function: Callable) -> Callable:
    def shifted(value: Value, bits_number: Value) -> Value:
        _check_bits(value.bit_length() + max(0, bits_number) if value else 0, _number_bits())
        return function(value, bits_number)

    return shifted


def _limit_round(function: Callable) -> Callable:
    def rounded(number: Value, ndigits: Value = 0) -> Value:
        if abs(ndigits) > ROUND_DIGITS:
            raise budget.LimitExceeded(f'"yaql" rounds to at most {ROUND_DIGITS} digits')
        return function(number, ndigits)

    return rounded


def _limit_replace(function: Callable) -> Callable:
    """Check the length of a text with replacements before it is built."""

    def replaced(string: Value, old: Value, new: Value, count: Value = -1) -> Value:
        budget.check_text('yaql', len(string) + len(new) * string.count(old))
        return function(string, old, new, count)

    return replaced


def _make_regex(function: Callable) -> Callable:
    def regex(
        pattern: str, ignore_case: bool = False, multi_line: bool = False, dot_all: bool = False
    ) -> Pattern:
        return _compiled(
            pattern,
            (re.IGNORECASE if ignore_case else 0)
            | (re.MULTILINE if multi_line else 0)
            | (re.DOTALL if dot_all else 0),
        )

    return regex


def _compiled(pattern: str, flags: int = 0) -> Pattern:
    try:
        return patterns.compile_pattern(pattern, flags)
    except re.error as error:
        raise ValueError(
            f'"{patterns.shortened(pattern)}" is not a regular expression: {error}'
        ) from None


def _is_regex(function: Callable) -> Callable:
    return lambda value: isinstance(value, patterns.Pattern)


def _method_matches(function: Callable) -> Callable:
    return lambda string, regexp: _compiled(regexp).search(string) is not None


def _operator_matches(function: Callable) -> Callable:
    return lambda string, pattern: _compiled(pattern).search(string) is not None


def _operator_differs(function: Callable) -> Callable:
    return lambda string, pattern: _compiled(pattern).search(string) is None


#: module and name of a function in the library -> what makes the limited function
LIMITED = {
    'collections.list_by_int': _limit_product,
    'collections.int_by_list': _limit_product,
    'queries.generate': _limit_generator,
    'math.pow_': _limit_power,
    'math.shift_bits_left': _limit_shift,
    'math.round_': _limit_round,
    'strings.replace': _limit_replace,
    'regex.regex': _make_regex,
    'regex.is_regex': _is_regex,
    'regex.matches_': _method_matches,
    'regex.matches_operator_string': _operator_matches,
    'regex.not_matches_operator_string': _operator_differs,
}
#: names under which expressions call these functions, and those that take a compiled pattern
NAMES = (
    '#operator_*',
    '#operator_=~',
    '#operator_!~',
    'generate',
    'pow',
    'shiftBitsLeft',
    'round',
    'regex',
    'isRegex',
    'matches',
    'search',
    'searchAll',
    'split',
    'replace',
    'replaceBy',
)
