import pytest

from heat_lite.engine.recent import Recent, weight_of
from heat_lite.template.template import Template


@pytest.fixture
def words():
    return Recent(most=3, heaviest=10, weigh=len)


def test_the_one_not_asked_for_longest_goes(words):
    for word in 'abc':
        words.keep(word, word)
    assert words.get('a') == 'a'
    words.keep('d', 'd')
    assert [words.get(word) for word in 'abcd'] == ['a', None, 'c', 'd']


def test_many_go_for_a_heavy_one(words):
    words.keep('a', '12345')
    words.keep('b', '12345')
    words.keep('c', '1234567')
    assert [words.get(word) for word in 'abc'] == [None, None, '1234567']
    words.keep('d', '123')
    assert [words.get(word) for word in 'cd'] == ['1234567', '123']


def test_the_last_one_stays_whatever_it_weighs(words):
    assert words.keep('a', 'x' * 100) == 'x' * 100
    assert words.get('a') == 'x' * 100
    words.keep('b', 'y')
    assert [words.get(word) for word in 'ab'] == [None, 'y']


def test_a_key_may_get_another_value(words):
    words.keep('a', '123456789')
    words.keep('a', '1')
    words.keep('b', '12345678')
    assert [words.get(word) for word in 'ab'] == ['1', '12345678']


def test_weights():
    small = Template({'heat_template_version': '2018-08-31', 'resources': {'a': {'type': 'OS::Heat::None'}}}, {'f': 'x' * 5000})
    assert weight_of(small) == 1 + 2 + 4
