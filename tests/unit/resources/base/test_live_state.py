"""The comparison of the live state of an object with the stored properties of its resource."""

from types import SimpleNamespace

import pytest

from heat_lite.resources.base import live_state
from heat_lite.resources.openstack.neutron.local_ip import LocalIPAssociation
from heat_lite.template.schema import boolean, integer, list_, map_, string

PAIRS = list_(
    '',
    map_(
        None,
        {
            'subnet': string('', wire='subnet_id'),
            'address': string(''),
            'old': string(alias_of='subnet'),
        },
    ),
)
SCHEMATA = {
    'name': string('', update_allowed=True),
    'fixed': string(''),
    'domain': string('', update_allowed=True, custom='dns_domain'),
    'shared': boolean('', update_allowed=True),
    'size': integer('', update_allowed=True),
    'network': string('', update_allowed=True, wire='network_id'),
    'tags': list_('', string(), update_allowed=True, sent=False),
    'secret': string('', update_allowed=True, sent=False),
    'pairs': list_('', PAIRS.schema, update_allowed=True),
    'labels': map_('', update_allowed=True),
}
SHOWN = {'tags': 'tags'}


def observe(stored, found):
    return live_state.observed_values(SCHEMATA, SHOWN, stored, found)


@pytest.mark.parametrize(
    ('name', 'stored', 'found'),
    [
        ('name', 'a', {'name': 'a'}),
        ('shared', True, {'shared': 'True'}),
        ('size', 20, {'size': '20'}),
        ('network', 'n', {'network_id': 'n'}),
        ('tags', ['a', 'b'], {'tags': ['b', 'a']}),
        (
            'pairs',
            [{'subnet': 's', 'address': None}],
            {'pairs': [{'subnet_id': 's', 'address': '10.0.0.1', 'more': 1}]},
        ),
        (
            'pairs',
            [{'address': '1'}, {'address': '2'}],
            {'pairs': [{'address': '2'}, {'address': '1'}]},
        ),
        ('domain', 'Example.org.', {'domain': 'example.org.'}),
        ('labels', {'a': True, 'b': False}, {'labels': {'a': '1', 'b': '0'}}),
        ('name', 'FD00:0070::0100', {'name': 'fd00:70::100'}),
        ('name', '10.1.2.3/16', {'name': '10.1.0.0/16'}),
        ('name', 'FA:16:3E:00:00:AA', {'name': 'fa:16:3e:00:00:aa'}),
        ('name', '2031-01-01T00:00:00Z', {'name': '2031-01-01T00:00:00.000000'}),
        ('labels', {'a': 1}, {'labels': {'a': '1', 'of': 'others'}}),
        ('labels', {'a': [{'b': 1}]}, {'labels': {'a': [{'b': 1.0, 'c': 2}]}}),
    ],
)
def test_observed_value_with_another_format_is_no_drift(name, stored, found):
    observed = observe({name: stored}, found)
    assert observed == {name: stored}
    assert live_state.describe_drift({name: stored}, observed) is None


@pytest.mark.parametrize(
    ('name', 'stored', 'found', 'drift'),
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
        (
            'pairs',
            [{'subnet': 's'}],
            {'pairs': [{'subnet_id': 's'}, {'subnet_id': 't'}]},
            'pairs is',
        ),
        ('labels', {'a': 'b'}, {'labels': {}}, 'labels is {}, not {"a": "b"}'),
        ('labels', {'a': 'b'}, {'labels': None}, 'labels is null'),
    ],
)
def test_observed_value_that_differs_is_described_as_drift(name, stored, found, drift):
    assert live_state.describe_drift({name: stored}, observe({name: stored}, found)).startswith(
        drift
    )


@pytest.mark.parametrize(
    ('stored', 'found'),
    [
        ({'name': None}, {'name': 'x'}),
        ({'name': ''}, {'name': 'x'}),
        ({}, {'name': 'x'}),
        ({'name': 'a'}, {}),
        ({'fixed': 'a'}, {'fixed': 'b'}),
        ({'secret': 'a'}, {'secret': 'b'}),
    ],
)
def test_observed_values_omit_unset_missing_and_immutable_properties(stored, found):
    assert observe(stored, found) == {}


def test_object_without_a_name_is_found_by_what_no_other_has():
    listed = [{'fixed_port_id': 'p1'}, {'fixed_port_id': 'p2'}]
    association = SimpleNamespace(
        rest=LocalIPAssociation.rest,
        properties_schema=LocalIPAssociation.properties_schema,
        unique_by=LocalIPAssociation.unique_by,
        collection=lambda: '/local_ips/x/port_associations',
        client=lambda: SimpleNamespace(list=lambda path, key: {'port_associations': listed}[key]),
        stored_property={'fixed_port': 'p2'}.get,
        body=dict,
    )
    assert live_state.find_unique(association) == 'p2'
    listed.pop()
    assert live_state.find_unique(association) is None
