import pytest

from heat_lite.template.attributes import Attributes, select
from heat_lite.template.schema import CACHE_NONE, map_attribute, text


def make(answers):
    asked = []

    def resolver(name):
        asked.append(name)
        return answers.get(name)

    schemata = {
        'name': text('x'),
        'show': map_attribute('y', cache_mode=CACHE_NONE),
        'other': text('z'),
    }
    return Attributes('r', schemata, resolver), asked


def test_attributes_are_cached_if_the_schema_allows():
    attributes, asked = make({'name': 'n', 'show': {'a': 1}})
    assert [attributes['name'], attributes['name'], attributes['show'], attributes['show']] == [
        'n',
        'n',
        {'a': 1},
        {'a': 1},
    ]
    assert asked == ['name', 'show', 'show']


def test_attributes_none_is_not_cached():
    answers = {}
    attributes, _asked = make(answers)
    assert attributes['name'] is None
    answers['name'] = 'now'
    assert attributes['name'] == 'now'


def test_attributes_unknown_name_raises():
    attributes, _asked = make({})
    assert 'zz' not in attributes and list(attributes) == ['name', 'show', 'other']
    with pytest.raises(KeyError, match='r: Invalid attribute zz'):
        attributes['zz']


def test_attributes_get_returns_value_at_path():
    attributes, _asked = make({'show': {'a': [1, {'b': 2}]}})
    assert attributes.get('show', 'a', 1, 'b') == 2
    assert attributes.get('show') == {'a': [1, {'b': 2}]}


@pytest.mark.parametrize(
    ('value', 'path', 'found'),
    [
        ([1, 2], [-1], 2),
        ([1, 2], ['0'], 1),
        ([1, 2], ['x'], None),
        ([1, 2], [5], None),
        ({'0': 'x'}, ['0'], 'x'),
        ({'a': None}, ['a', 'b'], None),
        ('text', [0], 't'),
        ('text', [-1], 't'),
        ('text', [9], None),
        ('text', ['0'], 't'),
        ({'a': ['xy']}, ['a', 0, 1], 'y'),
        ({'a': 1}, [['unhashable']], None),
        (None, ['a'], None),
        (5, [], 5),
    ],
)
def test_select_returns_value_or_none_for_missing_path(value, path, found):
    assert select(value, path) == found
