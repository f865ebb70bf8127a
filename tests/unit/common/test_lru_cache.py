import pytest

from heat_lite.common import lru_cache
from heat_lite.common.lru_cache import LruCache, template_weight
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template


@pytest.fixture
def cache():
    return LruCache(max_entries=3, max_weight=10, weigh=len)


def test_full_cache_evicts_the_least_recently_used_value(cache):
    for key in 'abc':
        cache.put(key, key)
    assert cache.get('a') == 'a'
    cache.put('d', 'd')
    assert [cache.get(key) for key in 'abcd'] == ['a', None, 'c', 'd']


def test_heavy_value_evicts_several_values(cache):
    cache.put('a', '12345')
    cache.put('b', '12345')
    cache.put('c', '1234567')
    assert [cache.get(key) for key in 'abc'] == [None, None, '1234567']
    cache.put('d', '123')
    assert [cache.get(key) for key in 'cd'] == ['1234567', '123']


def test_results_of_cached_functions_are_dropped_when_idle():
    calls = []

    @lru_cache.cached_function(2)
    def double(number):
        calls.append(number)
        return 2 * number

    assert [double(1), double(1), double(2)] == [2, 2, 4]
    assert calls == [1, 2]
    lru_cache.drop_idle()
    assert double(1) == 2
    assert calls == [1, 2, 1]


def test_most_recent_value_over_max_weight_is_kept(cache):
    assert cache.put('a', 'x' * 100) == 'x' * 100
    assert cache.get('a') == 'x' * 100
    cache.put('b', 'y')
    assert [cache.get(key) for key in 'ab'] == [None, 'y']


def test_chosen_values_are_forgotten(cache):
    for key in 'abc':
        cache.put(key, key * 3)
    assert cache.pop_chosen(lambda key: key > 'a') == ['b', 'c']
    cache.put('d', 'd' * 7)  # the weight of what was forgotten does not count
    assert [cache.get(key) for key in 'abcd'] == ['aaa', None, None, 'd' * 7]
    assert cache.pop_chosen('x'.__eq__) == []


def test_values_that_were_not_used_since_the_last_call_are_dropped(cache):
    for key in 'abc':
        cache.put(key, key * 3)
    lru_cache.drop_idle()
    assert cache.get('a') == 'aaa'
    cache.put('b', 'bbb')
    lru_cache.drop_idle()
    assert [cache.get(key) for key in 'abc'] == ['aaa', 'bbb', None]
    cache.put('d', 'dddd')  # the weight of what was dropped does not count
    assert [cache.get(key) for key in 'abd'] == ['aaa', 'bbb', 'dddd']


def test_put_with_known_key_replaces_value_and_weight(cache):
    cache.put('a', '123456789')
    cache.put('a', '1')
    cache.put('b', '12345678')
    assert [cache.get(key) for key in 'ab'] == ['1', '12345678']


def test_template_weight_counts_resources_texts_and_files():
    small = Template(
        {'heat_template_version': '2018-08-31', 'resources': {'a': {'type': 'OS::Heat::None'}}},
        {'f': 'x' * 5000},
    )
    assert template_weight(small) == 1 + 2 + 5


@pytest.mark.parametrize('part', ['template', 'environment'])
def test_template_weight_counts_texts(part):
    data = {'heat_template_version': '2018-08-31'}
    texts = {'description': 'x' * 100_000}
    large = (
        Template({**data, **texts})
        if part == 'template'
        else Template(data, {}, Environment({'parameters': texts}))
    )
    assert 97 <= template_weight(large) - template_weight(Template(data)) <= 100


def test_large_templates_are_evicted_by_their_size():
    kept = LruCache(max_entries=100, max_weight=1000, weigh=template_weight)
    data = {'heat_template_version': '2018-08-31', 'description': 'x' * 400 * 1024}
    for number in range(5):
        kept.put(number, Template(data))
    assert [number for number in range(5) if kept.get(number)] == [3, 4]


def test_cheap_values_are_all_dropped_when_idle_others_only_if_unused():
    cheap = LruCache(3, 10, len, is_cheap=True)
    dear = LruCache(3, 10, len)
    cheap.put('a', 'x')
    dear.put('a', 'x')
    lru_cache.drop_idle()
    assert (cheap.get('a'), dear.get('a')) == (None, 'x')
