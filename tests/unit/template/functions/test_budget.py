"""Results over the limits are refused before they are built."""

import pytest

from heat_lite.template.function import Scope
from heat_lite.template.functions import budget, lists_and_maps, strings
from tests.effort import count_calls

HUNDRED = [str(number) for number in range(100)]


def nested(make, depth):
    node = 'x' * 100
    for _ in range(depth):
        node = make(node)
    return node


GREEDY = {
    'all combinations': lambda: lists_and_maps.Repeat(
        'repeat', {'template': '%a%', 'for_each': dict.fromkeys('abcdef', HUNDRED)}
    ),
    'repeat in repeat': lambda: nested(
        lambda inner: lists_and_maps.Repeat(
            'repeat', {'template': inner, 'for_each': {'a': HUNDRED}}
        ),
        8,
    ),
    'one of another': lambda: lists_and_maps.Repeat(
        'repeat',
        {
            'template': 'a',
            'for_each': {
                old: [new * 100] for old, new in zip('abcdefghij', 'bcdefghijk', strict=True)
            },
        },
    ),
    'together': lambda: lists_and_maps.RepeatWithPermutations(
        'repeat', {'template': ['x'] * 1000, 'for_each': {'a': HUNDRED * 10}, 'permutations': False}
    ),
    'str_replace': lambda: nested(
        lambda inner: strings.Replace(
            'str_replace', {'template': 'a' * 100, 'params': {'a': inner}}
        ),
        6,
    ),
    'list_join': lambda: strings.JoinLists('list_join', ['-' * 10_000, ['x'] * 10_000]),
    'list_concat': lambda: lists_and_maps.ListConcat(
        'list_concat', [['x'] * 60_000, ['y'] * 60_000]
    ),
}


@pytest.mark.parametrize('name', GREEDY)
def test_result_over_the_limit_is_refused_at_once(name):
    node = GREEDY[name]()

    def evaluate():
        with pytest.raises(ValueError, match=r'would give .*, the limit is \d+$'):
            node.result(Scope())

    assert count_calls(evaluate) < 600_000


def test_result_within_the_limit_is_returned():
    node = lists_and_maps.Repeat(
        'repeat', {'template': '%a%%b%', 'for_each': {'%a%': HUNDRED, '%b%': HUNDRED}}
    )
    assert len(node.result(Scope())) == 10_000
    assert (
        len(
            strings.Replace(
                'str_replace', {'template': 'a' * 1000, 'params': {'a': 'b' * 1000}}
            ).result(Scope())
        )
        == 1_000_000
    )


def test_count_values_and_characters():
    assert budget.count_values({'a': [1, {'b': 'text'}], 'c': None}) == 6
    assert budget.count_characters({'a': ['xy', {'b': 'text'}], 'c': None}) == 9


def test_request_ends_when_its_client_has_given_up(monkeypatch):
    now = 100.0
    monkeypatch.setattr(budget.host, 'wall_clock', lambda: now)
    with budget.fresh(seconds=60), budget.fresh(budget.limits.outputs):
        now = 160.0
        budget.charge_steps('f', budget.LOOK_STEPS + 1)
        now = 161.0
        with pytest.raises(budget.LimitExceeded, match='longer than its client waits'):
            budget.charge_steps('f', budget.LOOK_STEPS + 1)
    budget.charge_steps('f', budget.LOOK_STEPS + 1)  # a step of a task: no client waits
