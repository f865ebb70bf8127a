import pytest

from heat_lite.common import exception
from heat_lite.template.dependencies import Dependencies
from heat_lite.template.environment import Environment
from heat_lite.template.function import resolve
from heat_lite.template.properties import Properties
from heat_lite.template.schema import any_
from heat_lite.template.template import Template
from tests.effort import count_calls
from tests.unit.template import static_scope

VALUE = {'type': 'OS::Heat::Value', 'properties': {'value': 1}}


def hot(version='2021-04-16', **sections):
    return {'heat_template_version': version, **sections}


def bind(data, **params):
    template = Template(data)
    return template.bind(template.parameters(static_scope.IDENTITY, params))


def test_section_is_found_by_its_hot_name():
    template = Template(
        {'AWSTemplateFormatVersion': '2010-09-09', 'Description': 'x', 'Resources': {'R': {}}}
    )
    assert template.description == 'x'
    assert template.resource_snippets == {'R': {}}
    assert template.parameter_schemata == {}
    assert template.parameter_groups == []


def test_parameters_user_value_overrides_environment_and_default():
    data = hot(parameters={name: {'type': 'string', 'default': 'template'} for name in 'abcd'})
    environment = Environment(
        {
            'parameters': {'a': 'environment', 'b': 'environment'},
            'parameter_defaults': {'c': 'environment default'},
        }
    )
    parameters = Template(data, environment=environment).parameters(
        static_scope.IDENTITY, {'a': 'user'}
    )
    assert [parameters[name] for name in 'abcd'] == [
        'user',
        'environment',
        'environment default',
        'template',
    ]


def test_disabled_resource_is_left_out():
    bound = bind(
        hot(
            conditions={'off': {'equals': [1, 2]}},
            resources={'a': VALUE, 'b': {**VALUE, 'condition': 'off'}, 'c': VALUE},
        )
    )
    assert list(bound.resources) == ['a', 'c']
    assert not bound.conditions.is_enabled('off')


def test_condition_in_a_version_without_conditions_is_ignored():
    data = {
        'HeatTemplateFormatVersion': '2012-12-12',
        'Resources': {'R': {'Type': 'T', 'Condition': 'nosuch'}},
    }
    assert list(bind(data).resources) == ['R']


def test_if_branch_not_chosen_is_not_parsed():
    bound = bind(hot(outputs={'o': {'value': {'if': [False, {'list_join': 'nonsense'}, 'fine']}}}))
    assert bound.outputs['o'].result(bound.scope) == 'fine'


def test_disabled_output_is_not_parsed():
    bound = bind(hot(outputs={'o': {'condition': False, 'value': {'list_join': 'nonsense'}}}))
    assert bound.outputs['o'].result(bound.scope) is None
    assert bound.outputs['o'].description == 'No description given'


def test_outputs_are_parsed_after_the_resources():
    bound = bind(hot(resources={'a': VALUE}, outputs={'o': 5}))
    assert list(bound.resources) == ['a']
    with pytest.raises(
        exception.StackValidationFailed,
        match='Output definitions must be a map. Found a number instead',
    ):
        bound.outputs  # noqa: B018


#: errors in the order in which Heat checks them
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
        static_scope.resolve_outputs(hot(**sections))
    return str(caught.value)


@pytest.mark.parametrize('first', range(len(FAULTS)))
def test_bind_several_errors_raises_the_first(first):
    for second in range(first + 1, len(FAULTS)):
        if not FAULTS[first].keys() & FAULTS[second].keys():
            assert refusal({**FAULTS[second], **FAULTS[first]}) == refusal(FAULTS[first])


def test_resource_name_with_a_slash_is_refused():
    with pytest.raises(exception.StackValidationFailed, match='Resource name may not contain "/"'):
        bind(hot(resources={'a/b': VALUE})).validate()


def test_attribute_reads_of_resources_and_outputs():
    bound = bind(
        hot(
            resources={
                'a': VALUE,
                'b': {'type': 'T', 'properties': {'x': {'get_attr': ['a', 'value', 'k']}}},
            },
            outputs={
                'o': {'value': {'get_attr': ['a']}},
                'p': {'value': {'get_attr': ['b', 'show']}},
            },
        )
    )
    assert bound.attribute_reads() == {'a': {('value', 'k'), ()}, 'b': {('show',)}}


def test_template_bound_twice_gives_independent_results():
    data = hot(
        parameters={'p': {'type': 'boolean', 'default': False}},
        conditions={'c': {'get_param': 'p'}},
        resources={'r': {**VALUE, 'condition': 'c'}},
    )
    template = Template(data)
    for wanted in (True, False, True):
        assert (
            'r'
            in template.bind(template.parameters(static_scope.IDENTITY, {'p': wanted})).resources
        ) is wanted


def prepared(resources):
    """Process a template up to the start of an action; return the names in their order."""
    template = Template(hot(resources=resources))
    template.validate()
    bound = template.bind(template.parameters(static_scope.IDENTITY))
    bound.validate()
    names = set(bound.resources)
    order = list(
        Dependencies(
            (name, first)
            for name, found in bound.resources.items()
            for first in found.requires(names) or (None,)
        )
    )
    for definition in bound.resources.values():
        definition.validate()
    return order


def chain(size):
    return {
        f'r{number}': {
            'type': 'OS::Heat::Value',
            'depends_on': [f'r{number - 1}'] if number else [],
            'properties': {
                'value': {
                    'str_replace': {
                        'template': 'a $b',
                        'params': {'$b': {'get_param': 'OS::stack_name'}},
                    }
                }
            },
            'metadata': {
                'list': [1, 2, {'get_resource': f'r{max(number - 1, 0)}'}] if number else []
            },
        }
        for number in range(size)
    }


def test_importers_are_found_by_the_id_of_the_object():
    def imported(object_id):
        return {'type': 'T', 'import': {'id': object_id}}

    resources = {
        'text': imported('1'),
        'number': imported(1),
        'parameter': imported({'get_param': 'id'}),
        'other': imported('2'),
        'later': imported({'get_attr': ['none', 'id']}),
        'none': {'type': 'T'},
    }
    parameters = {'id': {'type': 'string', 'default': '1'}}
    bound = bind(
        {
            'heat_template_version': 'heat_lite_2026-12-01',
            'parameters': parameters,
            'resources': resources,
        }
    )
    assert bound.importers('1') == ['text', 'number', 'parameter', 'later']
    assert bound.importers(None) == ['later']


def test_work_of_binding_grows_with_the_number_of_resources():
    thousand, half = chain(1000), chain(500)
    assert prepared(thousand) == list(thousand)
    calls = count_calls(lambda: prepared(thousand))
    assert calls < 2.2 * count_calls(lambda: prepared(half)) and calls < 500_000


@pytest.mark.parametrize(
    ('snippet', 'reason'),
    [
        ({'Fn::FindInMap': ['M', 'a', 'zz']}, '"Fn::FindInMap" finds no key "zz"'),
        (
            {'Ref': 'zz'},
            'The specified reference "zz" (in unknown) is incorrect. '
            'No parameter or resource has this name.',
        ),
        ({'Fn::Select': ['x', ['a']]}, 'Index to "Fn::Select" must be an integer'),
    ],
)
def test_property_function_failure_is_a_property_error(snippet, reason):
    resources = {'R': {'Type': 'T', 'Properties': {'value': snippet}}}
    bound = bind(
        {
            'AWSTemplateFormatVersion': '2010-09-09',
            'Mappings': {'M': {'a': {}}},
            'Resources': resources,
        }
    )
    found = Properties(
        {'value': any_('Anything.')},
        bound.resources['R'].properties,
        lambda part: resolve(part, bound.scope),
    )
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.validate()
    assert str(caught.value) == f'Property error: properties.value: {reason}'


def test_required_property_omitted_by_a_condition_is_missing():
    bound = bind(hot(resources={'r': {'type': 'T', 'properties': {'value': {'if': [False, 1]}}}}))
    found = Properties({'value': any_('Anything.', required=True)}, bound.resources['r'].properties)
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.validate()
    assert str(caught.value) == 'Property error: properties.value: Property value not assigned'
