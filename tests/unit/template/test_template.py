import time

import pytest

from heat_lite.common import exception
from heat_lite.template.dependencies import Dependencies
from heat_lite.template.environment import Environment
from heat_lite.template.function import resolve
from heat_lite.template.properties import Properties
from heat_lite.template.schema import any_
from heat_lite.template.template import Template
from tests.unit.template import worlds

VALUE = {'type': 'OS::Heat::Value', 'properties': {'value': 1}}


def hot(version='2021-04-16', **sections):
    return {'heat_template_version': version, **sections}


def bind(data, **params):
    template = Template(data)
    return template.bind(template.parameters(worlds.IDENTITY, params))


def test_sections_by_their_hot_names():
    template = Template({'AWSTemplateFormatVersion': '2010-09-09', 'Description': 'x', 'Resources': {'R': {}}})
    assert template.description == 'x'
    assert template.resource_snippets == {'R': {}}
    assert template.parameter_schemata == {}
    assert template.parameter_groups == []


def test_user_values_win_over_the_environment_and_that_over_defaults():
    data = hot(parameters={name: {'type': 'string', 'default': 'template'} for name in 'abcd'})
    environment = Environment({'parameters': {'a': 'environment', 'b': 'environment'}, 'parameter_defaults': {'c': 'environment default'}})
    parameters = Template(data, environment=environment).parameters(worlds.IDENTITY, {'a': 'user'})
    assert [parameters[name] for name in 'abcd'] == ['user', 'environment', 'environment default', 'template']


def test_disabled_resources_are_not_there():
    bound = bind(hot(conditions={'off': {'equals': [1, 2]}}, resources={'a': VALUE, 'b': {**VALUE, 'condition': 'off'}, 'c': VALUE}))
    assert list(bound.resources) == ['a', 'c']
    assert not bound.conditions.enabled('off')


def test_conditions_of_versions_without_them_are_not_looked_at():
    data = {'HeatTemplateFormatVersion': '2012-12-12', 'Resources': {'R': {'Type': 'T', 'Condition': 'nosuch'}}}
    assert list(bind(data).resources) == ['R']


def test_a_branch_not_taken_is_not_read():
    bound = bind(hot(outputs={'o': {'value': {'if': [False, {'list_join': 'nonsense'}, 'fine']}}}))
    assert bound.outputs['o'].result(bound.scope) == 'fine'


def test_an_output_that_is_disabled_is_not_read():
    bound = bind(hot(outputs={'o': {'condition': False, 'value': {'list_join': 'nonsense'}}}))
    assert bound.outputs['o'].result(bound.scope) is None
    assert bound.outputs['o'].description == 'No description given'


def test_outputs_are_read_after_the_resources():
    bound = bind(hot(resources={'a': VALUE}, outputs={'o': 5}))
    assert list(bound.resources) == ['a']
    with pytest.raises(exception.StackValidationFailed, match='Output definitions must be a map. Found a int instead'):
        bound.outputs  # noqa: B018


#: in the order in which Heat finds them
FAULTS = [
    {'foo': 1},
    {'resources': {'r': {}}},
    {'conditions': {'c': {'equals': 1}}},
    {'resources': {'r': {**VALUE, 'metadata': 5}}},
    {'parameters': {'p': {'type': 'string'}}},
    {'parameter_groups': [{'label': 'g', 'parameters': ['zz']}]},
    {'conditions': {'c': 5}},
    {'resources': {'r': VALUE}, 'parameters': {'r': {'type': 'string', 'default': 'x'}}},
    {'resources': {'r': {**VALUE, 'depends_on': 'zz'}}},
    {'outputs': {'o': {}}},
    {'outputs': {'o': {'value': {'get_attr': ['zz', 'value']}}}},
]


def refusal(sections):
    with pytest.raises(exception.HeatException) as caught:
        worlds.create(hot(**sections))
    return str(caught.value)


@pytest.mark.parametrize('first', range(len(FAULTS)))
def test_the_first_fault_is_told(first):
    for second in range(first + 1, len(FAULTS)):
        if not FAULTS[first].keys() & FAULTS[second].keys():
            assert refusal({**FAULTS[second], **FAULTS[first]}) == refusal(FAULTS[first])


def test_names_with_a_slash():
    with pytest.raises(exception.StackValidationFailed, match='Resource name may not contain "/"'):
        bind(hot(resources={'a/b': VALUE})).validate()


def test_all_that_is_read():
    bound = bind(
        hot(
            resources={'a': VALUE, 'b': {'type': 'T', 'properties': {'x': {'get_attr': ['a', 'value', 'k']}}}},
            outputs={'o': {'value': {'get_attr': ['a']}}, 'p': {'value': {'get_attr': ['b', 'show']}}},
        )
    )
    assert bound.reads() == {'a': {('value', 'k'), ()}, 'b': {('show',)}}


def test_a_template_may_be_bound_many_times():
    data = hot(
        parameters={'p': {'type': 'boolean', 'default': False}},
        conditions={'c': {'get_param': 'p'}},
        resources={'r': {**VALUE, 'condition': 'c'}},
    )
    template = Template(data)
    for wanted in (True, False, True):
        assert ('r' in template.bind(template.parameters(worlds.IDENTITY, {'p': wanted})).resources) is wanted


def prepared(resources):
    """All that is done to a template of these resources before work begins: the names in their order, and the CPU seconds."""
    began = time.process_time()
    template = Template(hot(resources=resources))
    template.validate()
    bound = template.bind(template.parameters(worlds.IDENTITY))
    bound.validate()
    names = set(bound.resources)
    order = list(Dependencies((name, first) for name, found in bound.resources.items() for first in found.requires(names) or (None,)))
    for definition in bound.resources.values():
        definition.validate()
    return order, time.process_time() - began


def test_a_thousand_resources_take_no_time():
    resources = {
        f'r{number}': {
            'type': 'OS::Heat::Value',
            'depends_on': [f'r{number - 1}'] if number else [],
            'properties': {'value': {'str_replace': {'template': 'a $b', 'params': {'$b': {'get_param': 'OS::stack_name'}}}}},
            'metadata': {'list': [1, 2, {'get_resource': f'r{max(number - 1, 0)}'}] if number else []},
        }
        for number in range(1000)
    }
    orders, seconds = zip(*(prepared(resources) for _ in range(3)), strict=True)
    assert orders[0] == list(resources)
    assert min(seconds) < 0.3, 'the least of three: what else this machine does is no part of it'


@pytest.mark.parametrize(
    ('snippet', 'reason'),
    [
        ({'Fn::FindInMap': ['M', 'a', 'zz']}, "'zz'"),
        ({'Ref': 'zz'}, 'The specified reference "zz" (in unknown) is incorrect.'),
        ({'Fn::Select': ['x', ['a']]}, 'Index to "Fn::Select" must be an integer'),
    ],
)
def test_a_function_that_fails_in_a_property_is_the_fault_of_the_property(snippet, reason):
    resources = {'R': {'Type': 'T', 'Properties': {'value': snippet}}}
    bound = bind({'AWSTemplateFormatVersion': '2010-09-09', 'Mappings': {'M': {'a': {}}}, 'Resources': resources})
    found = Properties({'value': any_('Anything.')}, bound.resources['R'].properties, lambda part: resolve(part, bound.scope))
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.validate()
    assert str(caught.value) == f'Property error: properties.value: {reason}'


def test_a_required_property_that_a_condition_leaves_out_is_missing():
    bound = bind(hot(resources={'r': {'type': 'T', 'properties': {'value': {'if': [False, 1]}}}}))
    found = Properties({'value': any_('Anything.', required=True)}, bound.resources['r'].properties)
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.validate()
    assert str(caught.value) == 'Property error: properties.value: Property value not assigned'
