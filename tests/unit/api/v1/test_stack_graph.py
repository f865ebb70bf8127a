"""The graph of a stack from its resources."""

import pytest

from heat_lite.api.v1 import stack_graph


def resource(name, state='CREATE_COMPLETE', stack='s', required_by=(), nested=None):
    action, _, status = state.partition('_')
    return {
        'resource_name': name,
        'resource_type': 'OS::Heat::None',
        'stack_identity': {'stack_id': stack},
        'stack_name': f'name of {stack}',
        'resource_action': action,
        'resource_status': status,
        'resource_status_reason': '',
        'physical_resource_id': 'x',
        'updated_time': '2026-01-01T00:00:00Z',
        'required_by': list(required_by),
        'nested_stack_id': nested and {'stack_id': nested},
    }


def graph(rows, state='CREATE_IN_PROGRESS'):
    action, _, status = state.partition('_')
    root = {'stack_identity': {'stack_id': 's'}, 'stack_name': 'name of s'}
    return stack_graph.graph({**root, 'stack_action': action, 'stack_status': status}, rows)


def waits(found):
    return {each['id']: each['waiting_for'] for each in found['nodes'] if each['waiting_for']}


def test_nested_stacks_have_the_resource_that_contains_them():
    rows = [resource('g', nested='n'), resource('a', stack='n', required_by=['b', 'gone'])]
    found = graph([*rows, resource('b', stack='n')])
    assert {each['id']: each['parent'] for each in found['nodes']} == {
        's/g': None,
        'n/a': 's/g',
        'n/b': 's/g',
    }
    assert found['edges'] == [{'source': 'n/a', 'target': 'n/b'}]
    assert [(each['id'], each['parent']) for each in found['stacks']] == [('s', None), ('n', 's/g')]


def test_resource_waits_for_what_it_requires():
    rows = [
        resource('a', required_by=['c']),
        resource('b', 'CREATE_IN_PROGRESS', required_by=['c']),
        resource('c', 'INIT_COMPLETE', required_by=['d']),
        resource('d', 'INIT_COMPLETE'),
    ]
    assert waits(graph(rows)) == {'s/c': ['s/b'], 's/d': ['s/c']}
    assert waits(graph(rows, 'CREATE_FAILED')) == {}


@pytest.mark.parametrize('action', ['DELETE', 'SUSPEND'])
def test_resource_waits_for_what_requires_it_in_a_delete(action):
    rows = [
        resource('a', required_by=['b']),
        resource('b', f'{action}_IN_PROGRESS', required_by=['c']),
        resource('c', f'{action}_COMPLETE'),
    ]
    assert waits(graph(rows, f'{action}_IN_PROGRESS')) == {'s/a': ['s/b']}
