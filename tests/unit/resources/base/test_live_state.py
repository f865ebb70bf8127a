"""What counts as the same when the live state of an object is compared with what was asked for."""

import pytest

from heat_lite.resources import observing
from heat_lite.template.schema import boolean, integer, list_, map_, string

PAIRS = list_('', map_(None, {'subnet': string('', wire='subnet_id'), 'address': string(''), 'old': string(alias_of='subnet')}))
SCHEMATA = {
    'name': string('', update_allowed=True),
    'fixed': string(''),
    'shared': boolean('', update_allowed=True),
    'size': integer('', update_allowed=True),
    'network': string('', update_allowed=True, wire='network_id'),
    'tags': list_('', string(), update_allowed=True, sent=False),
    'secret': string('', update_allowed=True, sent=False),
    'pairs': list_('', PAIRS.schema, update_allowed=True),
    'labels': map_('', update_allowed=True),
}
SHOWN = {'tags': 'tags'}


def live(held, found):
    return observing.live(SCHEMATA, SHOWN, held, found)


@pytest.mark.parametrize(
    ('name', 'held', 'found'),
    [
        ('name', 'a', {'name': 'a'}),
        ('shared', True, {'shared': 'True'}),
        ('size', 20, {'size': '20'}),
        ('network', 'n', {'network_id': 'n'}),
        ('tags', ['a', 'b'], {'tags': ['b', 'a']}),
        ('pairs', [{'subnet': 's', 'address': None}], {'pairs': [{'subnet_id': 's', 'address': '10.0.0.1', 'more': 1}]}),
        ('pairs', [{'address': '1'}, {'address': '2'}], {'pairs': [{'address': '2'}, {'address': '1'}]}),
        ('labels', {'a': 1}, {'labels': {'a': '1', 'of': 'others'}}),
        ('labels', {'a': [{'b': 1}]}, {'labels': {'a': [{'b': 1.0, 'c': 2}]}}),
    ],
)
def test_the_same_in_other_words(name, held, found):
    told = live({name: held}, found)
    assert told == {name: held}
    assert observing.drift({name: held}, told) is None


@pytest.mark.parametrize(
    ('name', 'held', 'found', 'words'),
    [
        ('name', 'a', {'name': 'b'}, 'name is "b", not "a"'),
        ('name', 'a', {'name': None}, 'name is null, not "a"'),
        ('shared', False, {'shared': True}, 'shared is true, not false'),
        ('size', 20, {'size': 21}, 'size is 21, not 20'),
        ('tags', ['a'], {'tags': []}, 'tags is [], not ["a"]'),
        ('tags', ['a', 'a'], {'tags': ['a', 'b']}, 'tags is ["a", "b"], not ["a", "a"]'),
        (
            'pairs',
            [{'subnet': 's'}],
            {'pairs': [{'subnet_id': 't', 'address': None}]},
            'pairs is [{"subnet": "t"}], not [{"subnet": "s"}]',
        ),
        ('pairs', [{'subnet': 's'}], {'pairs': [{'subnet_id': 's'}, {'subnet_id': 't'}]}, 'pairs is'),
        ('labels', {'a': 'b'}, {'labels': {}}, 'labels is {}, not {"a": "b"}'),
        ('labels', {'a': 'b'}, {'labels': None}, 'labels is null'),
    ],
)
def test_what_is_not_the_same_is_told(name, held, found, words):
    assert observing.drift({name: held}, live({name: held}, found)).startswith(words)


@pytest.mark.parametrize(
    ('held', 'found'),
    [
        ({'name': None}, {'name': 'x'}),
        ({'name': ''}, {'name': 'x'}),
        ({}, {'name': 'x'}),
        ({'name': 'a'}, {}),
        ({'fixed': 'a'}, {'fixed': 'b'}),
        ({'secret': 'a'}, {'secret': 'b'}),
    ],
)
def test_what_nobody_asked_for_or_tells_or_could_change_does_not_count(held, found):
    assert live(held, found) == {}
