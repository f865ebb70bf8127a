import pytest

from heat_lite.engine.stack.stack_definition import StackScope
from heat_lite.engine.validation import masking
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

DATA = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'open': {'type': 'string'},
        'key': {'type': 'string', 'hidden': True},
        'no_value': {'type': 'string', 'hidden': True},
    },
    'conditions': {'chosen': {'equals': [{'get_param': 'open'}, 'o']}},
    'resources': {
        'plain': {'type': 'T', 'properties': {'a': {'get_param': 'open'}, 'b': 'key'}},
        'direct': {'type': 'T', 'properties': {'a': {'get_param': 'key'}, 'b': 'x'}},
        'nested': {
            'type': 'T',
            'properties': {'a': [{'k': {'list_join': ['', ['x', {'get_param': 'key'}]]}}]},
        },
        'branch': {
            'type': 'T',
            'properties': {
                'a': {'if': ['chosen', {'get_param': 'key'}, 'x']},
                'b': {'if': ['chosen', 'x', {'get_param': 'key'}]},
            },
        },
        'reader': {
            'type': 'T',
            'properties': {'a': {'get_attr': ['direct', 'a']}, 'b': {'get_resource': 'direct'}},
        },
        'second': {'type': 'T', 'properties': {'a': {'get_attr': ['reader', 'a']}}},
        'broken': {
            'type': 'T',
            'properties': {'a': {'digest': [{'get_attr': ['plain', 'a']}, 'x']}},
        },
        'unset': {'type': 'T', 'properties': {'a': {'get_param': 'no_value'}}},
    },
}


@pytest.fixture
def bound():
    template = Template(DATA, {}, Environment({'parameters': {'open': 'o', 'key': 'k'}}))
    return template.bind(template.parameters())


@pytest.fixture
def watch(bound):
    made = masking.TaintTracker(StackScope(bound, {}), masking.hidden_parameters(bound.template))
    for name in DATA['resources']:
        made.record(name, bound.resources[name])
    return made


@pytest.mark.parametrize(
    'name, secret',
    [
        ('plain', set()),
        ('direct', {'a'}),
        ('nested', {'a'}),
        ('branch', {'a'}),
        ('reader', {'a'}),
        ('second', {'a'}),
        ('unset', {'a'}),
        # what cannot be worked out might be anything
        ('broken', {'a'}),
    ],
)
def test_taint_tracker_finds_values_from_secrets(bound, watch, name, secret):
    properties = bound.resources[name].properties
    assert {key for key, snippet in properties.items() if watch.is_tainted([snippet])} == secret


def test_mask_replaces_secret_values():
    assert masking.mask('value', 'x', secret=True) == '******'
    assert masking.mask('value', None, secret=True) is None
    value = {
        'admin_pass': 'x',
        'users': [{'name': 'u', 'db_password': 'x'}],
        'private_key': ['x'],
        'size': 1,
    }
    masked = {
        'admin_pass': '******',
        'users': [{'name': 'u', 'db_password': '******'}],
        'private_key': '******',
        'size': 1,
    }
    assert masking.mask('value', value) == masked
