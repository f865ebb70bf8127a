import subprocess
import sys

import pytest

from heat_lite.template.function import Scope
from heat_lite.template.functions import budget, yaql, yaql_limits


def evaluate(expression, data=None):
    return yaql.Yaql('yaql', {'expression': expression, 'data': data}).result(Scope())


@pytest.mark.parametrize(
    ('expression', 'data', 'value'),
    [
        ('$.data.where($ > 1).select($ * 2)', [1, 2, 3], [4, 6]),
        ('$.data.toSet().orderBy($)', [2, 1, 2], [1, 2]),
        ('range(3)', None, [0, 1, 2]),
        ('datetime(2020, 1, 2)', None, '2020-01-02T00:00:00.000000'),
        ('dict(a => [1, 2].select($))', None, {'a': [1, 2]}),
        ('$.data', None, None),
    ],
)
def test_yaql_expression_returns_json_types(expression, data, value):
    assert evaluate(expression, data) == value


@pytest.mark.parametrize(
    'expression',
    [
        '[1] * 1000000000',
        '1000000000 * [1]',
        'generate(1, true, $ + 1).len()',
        'generate(1, $ < 5000, $ + 1).sum()',
        'range(300).sum()',
        "'0123456789' * 5000",
        'generate(1, true, $ + 1)',
        'nosuch()',
        'timespan(days => 1)',
    ],
)
def test_yaql_invalid_expression_is_refused(expression):
    with pytest.raises((ValueError, TypeError)):
        evaluate(expression)


def test_yaql_limits_can_be_set():
    try:
        budget.set_limits(yaql_iterators=500, yaql_memory=100_000)
        assert evaluate('range(300).sum()') == 44850
    finally:
        budget.set_limits(yaql_iterators=200, yaql_memory=10_000)
    with pytest.raises(ValueError, match='exceeds 200 elements'):
        evaluate('range(300).sum()')


def test_yaql_library_is_imported_at_first_use():
    code = """if True:
        import sys
        from heat_lite.template.template import Template
        def use(value):
            outputs = {'o': {'value': value}}
            data = {'heat_template_version': '2021-04-16', 'outputs': outputs}
            bound = Template(data).bind({})
            return bound.outputs['o'].result(bound.scope), 'yaql' in sys.modules
        print(use({'list_join': ['', ['a']]}), use({'yaql': {'expression': '1 + 1'}}))
    """
    shown = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, check=True
    ).stdout
    assert shown == "('a', False) (2, True)\n"


def test_sizes_count_a_part_each_time_that_it_occurs():
    sizes = yaql_limits.Sizes(1000)
    part = (1, 'x' * 640, {'a': 2})
    assert sizes.measure(part) == 1 + 1 + 11 + 3
    assert sizes.measure((part, part, frozenset([part[1]]))) == 1 + 2 * 16 + 12
    assert sizes.measure(()) == 1


def test_sizes_forget_collections_beyond_their_weight():
    sizes = yaql_limits.Sizes(100)
    large = tuple(range(90))
    assert sizes.measure((large,)) == 92
    for number in range(100):
        assert sizes.measure((number,)) == 2
    assert sizes.measure((large, large)) == 183


def test_large_data_may_be_read_as_a_whole():
    data = {f'k{number}': ['x'] * 100 for number in range(2000)}
    assert evaluate('[$.data, 1].len()', data) == 2
    assert evaluate('$.data = $.data', data) is True


def test_expressions_are_parsed_in_the_pauses_of_another(monkeypatch):
    """Each has a lexer of its own: the text of one must not appear in the other."""
    texts = [f"'{letter}' + " * 20 + "''" for letter in 'ab']
    others = []

    def pause(*_):
        if not others:
            others.append(None)
            others.append(str(yaql._parse(texts[1], 200, 10_000)))

    monkeypatch.setattr(budget.Stopwatch, 'step', pause)
    first = str(yaql._parse(texts[0], 200, 10_000))
    assert first.count("'a'") == others[1].count("'b'") == 20
    assert "'b'" not in first
