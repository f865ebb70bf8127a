"""The function yaql.

This module is imported when a template first uses the function, since the yaql library takes time
and memory to import. Engines load it as they start.
"""

import collections.abc
import datetime
import functools
import math
from collections.abc import Iterable, Iterator

import yaql
from yaql.language import exceptions, expressions, utils

from heat_lite.common import lru_cache
from heat_lite.common.value_types import Value
from heat_lite.template.function import Function, Scope, resolve
from heat_lite.template.functions import budget, yaql_limits
from heat_lite.template.unknown import require_known

#: Limit of nested brackets: the time of the parser grows with the square of the depth.
MAX_BRACKET_DEPTH = 50


class Yaql(Function):
    """{yaql: {expression: string, data: value}} evaluates a yaql expression.

    The expression reads the data as ``$.data``.
    """

    def check(self) -> None:
        if not isinstance(self.args, dict):
            raise TypeError(f'Arguments to "{self.name}" must be a map.')
        if 'expression' not in self.args or not self.args.keys() <= {'expression', 'data'}:
            raise ValueError(
                f'"{self.name}" syntax should be {self.name}: '
                '{expression: $.data.var1.sum(), data: {var1: [3, 2, 1]}}'
            )

    def validate(self, scope: Scope | None = None) -> None:
        super().validate(scope)
        if not isinstance(self.args['expression'], Function):
            self._compile(self.args['expression'])

    def _compile(self, expression: str | None) -> Value:
        if not isinstance(expression, str):
            raise TypeError(f'The "expression" argument to {self.name} must contain a string.')
        if _depth(expression) > MAX_BRACKET_DEPTH:
            raise ValueError(
                f'Bad expression: brackets in it are nested deeper than {MAX_BRACKET_DEPTH}.'
            )
        try:
            return _parse(expression, budget.limits.yaql_iterators, budget.limits.yaql_memory)
        except exceptions.YaqlException as error:
            raise ValueError(f'Bad expression {error}.') from None

    def result(self, scope: Scope) -> Value:
        expression = resolve(self.args['expression'], scope)
        require_known(expression)
        expression = self._compile(expression)
        data = resolve(self.args.get('data', {}), scope)
        require_known(data)
        stopwatch = budget.Stopwatch(self.name)
        context = yaql_limits.MeteredContext(_context(), yaql_limits.Meter(stopwatch, data))
        try:
            value = _Output().convert(expression.evaluate(data={'data': data}, context=context))
            stopwatch.stop()
            return value
        except (exceptions.YaqlException, StopIteration, RecursionError) as error:
            raise ValueError(str(error)) from None


def _depth(expression: str) -> int:
    deepest = depth = 0
    for letter in expression:
        depth += (letter in '([{') - (letter in ')]}')
        deepest = max(deepest, depth)
    return deepest


@functools.cache
def _engine(iterators: int, memory: int) -> Value:
    options = {
        'yaql.limitIterators': iterators,
        'yaql.memoryQuota': memory,
        'yaql.convertInputData': True,
    }
    # _Output converts: it charges the values
    options['yaql.convertOutputData'] = False
    # in a native thread, since the tables of the parser take half a second
    return yaql.YaqlFactory().create(options)


@lru_cache.cached_function(128)
def _parse(expression: str, iterators: int, memory: int) -> Value:
    engine = _engine(iterators, memory)
    stopwatch = budget.Stopwatch('yaql')
    lexer = yaql_limits.MeteredLexer(engine.lexer, stopwatch)
    statement = engine.parser.parse(expression, lexer=lexer)
    stopwatch.stop()
    return expressions.Statement(statement, engine)


def load() -> None:
    """Build what the first expression would build otherwise."""
    _context()
    _engine(budget.limits.yaql_iterators, budget.limits.yaql_memory)


@functools.cache
def _context() -> Value:
    """Return a context of the yaql library whose unbounded functions obey the limits."""
    return yaql_limits.limit_functions(yaql.create_context())


class _Output:
    """The conversion of a result to JSON types: tuples, sets and generators become lists."""

    def __init__(self) -> None:
        self._count = 0

    def convert(self, value: Value) -> Value:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f'The result of a yaql expression must be finite, not {value}')
        if value is None or isinstance(value, str | int | float):
            return value
        if isinstance(value, collections.abc.Mapping):
            items = self._limited(value.items())
            return {self.convert(key): self.convert(item) for key, item in items}
        if isinstance(value, datetime.datetime):
            return value.strftime('%Y-%m-%dT%H:%M:%S.%f')
        if isinstance(value, collections.abc.Set):  # lists in a set are an error, as in Heat
            return list({self.convert(item) for item in self._limited(value)})
        if isinstance(value, collections.abc.Iterable):
            return [self.convert(item) for item in self._limited(value)]
        raise TypeError(f'The result of a yaql expression cannot be a {type(value).__name__}')

    def _limited(self, items: Iterable[Value]) -> Iterator[Value]:
        for item in utils.limit_iterable(items, budget.limits.yaql_iterators):
            self._count += 1
            if self._count > budget.MAX_VALUES:
                budget.check_values('yaql', self._count)
            yield item
