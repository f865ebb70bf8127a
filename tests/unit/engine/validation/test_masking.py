import pytest

from heat_lite.common import exception
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


def made(data=DATA, **environment):
    return Template(data, {}, Environment(environment))


def values_of(template):
    return template.environment.params, template.environment.param_defaults


@pytest.mark.parametrize('stored', ['parameters', 'parameter_defaults'])
@pytest.mark.parametrize('given', ['parameters', 'parameter_defaults'])
def test_unmasked_has_the_stored_values_of_hidden_parameters(given, stored):
    values = {'open': '******', 'key': '******'}
    found = masking.unmasked(made(**{given: values}), made(**{stored: {'key': 'secret'}}))
    assert found.environment.data[given] == {'open': '******', 'key': 'secret'}


def test_unmasked_prefers_the_stored_value_of_the_same_section():
    masks = {'parameters': {'key': '******'}, 'parameter_defaults': {'key': '******'}}
    stored = made(parameters={'key': 'mine'}, parameter_defaults={'key': 'default'})
    assert values_of(masking.unmasked(made(**masks), stored)) == values_of(stored)


def test_unmasked_knows_a_parameter_that_was_hidden_before():
    shown = {**DATA, 'parameters': {'key': {'type': 'string'}}}
    found = masking.unmasked(
        made(shown, parameters={'key': '******'}), made(parameters={'key': 'secret'})
    )
    assert found.environment.params == {'key': 'secret'}


@pytest.mark.parametrize('stored', [None, made(), made(parameters={'open': 'x'})])
def test_mask_without_a_stored_value_is_refused(stored):
    with pytest.raises(exception.Invalid, match='hidden parameter "key", and none is stored'):
        masking.unmasked(made(parameters={'key': '******'}), stored)


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
