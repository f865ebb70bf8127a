"""The function yaql. Only templates that use it load this module: the library costs time and memory at its import."""

import collections.abc
import datetime
import functools

import yaql
from yaql.language import exceptions, utils

from heat_lite.template.function import Function, resolve
from heat_lite.template.functions import quotas

#: How deep brackets may be nested: the parser slows down with their squares.
DEEPEST = 50


class Yaql(Function):
    """{yaql: {expression: text, data: anything}}; the expression sees the data as ``$.data``."""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, dict):
            raise TypeError(f'Arguments to "{self.name}" must be a map.')
        if 'expression' not in self.args or not self.args.keys() <= {'expression', 'data'}:
            raise ValueError(f'"{self.name}" syntax should be {self.name}: {{expression: $.data.var1.sum(), data: {{var1: [3, 2, 1]}}}}')

    def validate(self, scope=None):
        super().validate(scope)
        if not isinstance(self.args['expression'], Function):
            self._compiled(self.args['expression'])

    def _compiled(self, expression):
        if not isinstance(expression, str):
            raise TypeError(f'The "expression" argument to {self.name} must contain a string.')
        if _depth(expression) > DEEPEST:
            raise ValueError(f'Bad expression: brackets in it are nested deeper than {DEEPEST}.')
        try:
            return _engine(quotas.yaql.iterators, quotas.yaql.memory)(expression)
        except exceptions.YaqlException as error:
            raise ValueError(f'Bad expression {error}.') from None

    def result(self, scope):
        expression = self._compiled(resolve(self.args['expression'], scope))
        data = resolve(self.args.get('data', {}), scope)
        context = _context().create_child_context()
        try:
            return _plain(expression.evaluate(data={'data': data}, context=context))
        except (exceptions.YaqlException, StopIteration, RecursionError) as error:
            raise ValueError(str(error)) from None


def _depth(expression):
    deepest = depth = 0
    for letter in expression:
        depth += (letter in '([{') - (letter in ')]}')
        deepest = max(deepest, depth)
    return deepest


@functools.cache
def _engine(iterators, memory):
    options = {'yaql.limitIterators': iterators, 'yaql.memoryQuota': memory, 'yaql.convertInputData': True}
    return yaql.YaqlFactory().create({**options, 'yaql.convertOutputData': True})


@functools.cache
def _context():
    """The library's functions; those that do not mind its own limits are made to."""
    context = yaql.create_context()
    for name, bounded in (('#operator_*', _product), ('generate', _generated)):
        for each in context.collect_functions(name):
            for definition in each:
                if definition.payload.__name__ in ('list_by_int', 'int_by_list', 'generate'):
                    definition.payload = bounded(definition.payload)
    return context


def _product(function):
    """A list times a number, the size of which is told before it is made."""

    def product(left, right, engine):
        items, times = (left, right) if isinstance(right, int) else (right, left)
        quotas.check_values('yaql', len(items) * times)
        return function(left, right, engine)

    return product


def _generated(function):
    """What may be produced without end, cut off where the limit of all collections is."""

    def generated(engine, *args, **kwargs):
        return utils.limit_iterable(function(engine, *args, **kwargs), quotas.yaql.iterators)

    return generated


def _plain(value):
    """What templates and JSON have no word for in their words: lists for tuples, sets and generators, texts for times."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, datetime.datetime):
        return value.strftime('%Y-%m-%dT%H:%M:%S.%f')
    if isinstance(value, collections.abc.Iterable):
        return [_plain(item) for item in value]
    raise TypeError(f'The result of a yaql expression cannot be a {type(value).__name__}')
