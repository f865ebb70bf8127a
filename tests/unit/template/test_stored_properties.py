"""Both forms of stored properties are read alike: as given, and with the values of all."""

import pytest

from heat_lite.common import exception
from heat_lite.template import stored_properties, translation
from heat_lite.template.properties import Properties
from heat_lite.template.schema import boolean, integer, list_, map_, string
from heat_lite.template.stored_properties import StoredProperties, StoredValues, changed_values

IDS = {'private': 'id-1', 'id-1': 'id-1', 'other': 'id-2', 'id-2': 'id-2'}
SCHEMATA = {
    'size': integer('Size.', default=5),
    'name': string('Name.'),
    'flag': boolean('Flag.', default=True),
    'network': string('Network.', ref='neutron.network'),
    'network_id': string('Old name of network.', alias_of='network'),
    'needed': string('Needed.', required=True),
    'nics': list_(
        'Interfaces.',
        map_(
            'One.',
            {
                'net': string('Network.', ref='neutron.network'),
                'uuid': string('Old name of net.', alias_of='net'),
                'fixed_ip': string('Address.'),
                'tag': string('Tag.', default='none'),
            },
        ),
    ),
}
GIVEN = {
    'size': '7',
    'network_id': 'private',
    'needed': 'n',
    'nics': [{'uuid': 'private'}, {'net': 'other', 'fixed_ip': '10.0.0.9'}],
}
#: the same, as earlier versions stored it
COMPLETE = {
    'size': 7,
    'name': None,
    'flag': True,
    'network': 'id-1',
    'network_id': None,
    'needed': 'n',
    'nics': [
        {'net': 'id-1', 'uuid': None, 'fixed_ip': None, 'tag': 'none'},
        {'net': 'id-2', 'uuid': None, 'fixed_ip': '10.0.0.9', 'tag': 'none'},
    ],
}


def find(kind, value):
    if value not in IDS:
        raise exception.StackValidationFailed(f'no {value}')
    return IDS[value]


def stored(values, schemata=SCHEMATA):
    return StoredProperties(schemata, StoredValues(values), find=find)


def new(**values):
    return Properties(SCHEMATA, {**GIVEN, **values}, find=find)


@pytest.mark.parametrize('values', [GIVEN, COMPLETE], ids=['given', 'complete'])
def test_both_forms_have_equal_values(values):
    assert dict(stored(values)) == COMPLETE
    assert stored(values).get('unknown') is None


def test_stored_values_never_fail_to_read():
    found = stored({'size': 'no number', 'network': 'gone', 'network_id': 'private'})
    assert (found['size'], found['needed']) == ('no number', None)
    assert stored({'network': 'gone'})['network'] == 'gone'


@pytest.mark.parametrize('values', [GIVEN, COMPLETE], ids=['given', 'complete'])
@pytest.mark.parametrize(
    ('change', 'expected'),
    [
        ({}, {}),
        ({'network_id': 'id-1'}, {}),
        ({'network_id': 'other'}, {'network': 'id-2'}),
        ({'name': 'n'}, {'name': 'n'}),
        ({'name': ''}, {'name': ''}),
        ({'size': 7, 'flag': 'true'}, {}),
        ({'size': None}, {'size': 5}),
        ({'nics': [{'net': 'id-1'}, {'net': 'id-2', 'fixed_ip': '10.0.0.9'}]}, {}),
    ],
)
def test_changes_against_both_forms_are_equal(values, change, expected):
    assert changed_values(stored(values), new(**change)) == expected


def test_same_name_is_no_change_whatever_it_names_now():
    after = Properties(SCHEMATA, GIVEN, find=lambda kind, value: 'another-id')
    assert changed_values(stored(GIVEN), after) == {}


def test_explicit_none_is_no_change_beside_another_change():
    given = {**GIVEN, 'name': None, 'nics': [{'net': 'private', 'fixed_ip': None}]}
    after = Properties(SCHEMATA, {**given, 'size': 8}, find=find)
    assert changed_values(stored(given), after) == {'size': 8}


def test_later_values_are_not_compared():
    after = Properties(SCHEMATA, {**GIVEN, 'size': 8}, find=find)
    assert changed_values(stored(GIVEN), after, {'size'}) == {}


def test_rules_apply_to_stored_values():
    rules = [translation.Replace(('name',), source=('needed',))]
    assert stored(GIVEN).with_rules(rules)['name'] == 'n'


def test_equal_tells_numbers_from_booleans():
    assert stored_properties.equal({'a': [1]}, {'a': [1]})
    assert not stored_properties.equal({'a': [1]}, {'a': [True]})


@pytest.mark.parametrize(
    ('path', 'expected'),
    [
        ('size', {'size': 1, 'nics': [{'net': 'new'}, {'net': 'b'}]}),
        ('gone', {'size': 2, 'nics': [{'net': 'new'}, {'net': 'b'}]}),
        ('name', {'size': 2, 'nics': [{'net': 'new'}, {'net': 'b'}], 'name': 'n'}),
        ('nics.0.net', {'size': 2, 'nics': [{'net': 'a'}, {'net': 'b'}]}),
        ('nics.1', {'size': 2, 'nics': [{'net': 'new'}, {'net': 'b'}]}),
        ('nics.x', {'size': 2, 'nics': [{'net': 'new'}, {'net': 'b'}]}),
    ],
)
def test_stored_part_takes_the_place_of_a_new_one(path, expected):
    before = {'size': 1, 'name': 'n', 'nics': [{'net': 'a'}]}
    after = {'size': 2, 'nics': [{'net': 'new'}, {'net': 'b'}], 'gone': 1}
    if path != 'gone':
        del after['gone']
    assert stored_properties.with_stored_parts(after, before, [path]) == expected
