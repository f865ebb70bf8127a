import itertools

import pytest
from hypothesis import given, strategies as st

from heat_lite.template.function import Scope
from heat_lite.template.functions import lists_and_maps

ITEMS = (
    st.none()
    | st.booleans()
    | st.integers(0, 3)
    | st.text('ab', max_size=2)
    | st.lists(st.integers(0, 2), max_size=2)
)


@given(st.lists(st.lists(ITEMS, max_size=5) | st.none(), max_size=4))
def test_list_concat_joins_lists(lists):
    everything = [item for part in lists for item in part or ()]
    assert lists_and_maps.ListConcat('list_concat', lists).result(Scope()) == everything
    unique = lists_and_maps.ListConcatUnique('list_concat_unique', lists).result(Scope())
    assert [item for item in everything if item not in unique] == []
    assert all(unique.index(item) == position for position, item in enumerate(unique))


@given(st.lists(st.dictionaries(st.text('ab', max_size=2), ITEMS) | st.none(), max_size=4))
def test_map_merge_later_maps_override(maps):
    merged = {}
    for part in maps:
        merged |= part or {}
    assert lists_and_maps.MapMerge('map_merge', maps).result(Scope()) == merged


@given(
    st.dictionaries(
        st.sampled_from(['%a%', '%b%', '%c%']),
        st.lists(st.text('xyz', max_size=2), max_size=3),
        min_size=1,
    )
)
def test_repeat_makes_all_combinations(for_each):
    node = lists_and_maps.Repeat('repeat', {'template': '-'.join(for_each), 'for_each': for_each})
    assert node.result(Scope()) == [
        '-'.join(chosen) for chosen in itertools.product(*for_each.values())
    ]


def test_repeat_without_permutations_combines_by_index():
    args = {
        'template': '%a%%b%',
        'for_each': {'%a%': ['1', '2'], '%b%': ['x', 'y']},
        'permutations': False,
    }
    assert lists_and_maps.RepeatWithPermutations('repeat', args).result(Scope()) == ['1x', '2y']
    assert lists_and_maps.RepeatMaps('repeat', args).result(Scope()) == ['1x', '1y', '2x', '2y']


def test_map_replace_replaces_keys_and_values():
    node = lists_and_maps.MapReplace(
        'map_replace', [{'a': 'x', 'b': ['x']}, {'keys': {'a': 'c'}, 'values': {'x': 'y'}}]
    )
    assert node.result(Scope()) == {'c': 'y', 'b': ['x']}


@pytest.mark.parametrize('changes', [{'keys': {'a': 'b'}}, {'keys': {'a': 'c', 'b': 'c'}}])
def test_map_replace_key_collision_is_refused(changes):
    with pytest.raises(ValueError, match='collides with a key in the'):
        lists_and_maps.MapReplace('map_replace', [{'a': 1, 'b': 2}, changes]).result(Scope())
