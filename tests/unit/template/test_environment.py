import pytest

from heat_lite.template.environment import Environment


def test_environment_sections_are_parsed():
    environment = Environment(
        {'parameters': {'p': 1}, 'parameter_defaults': {'q': 2}, 'encrypted_param_names': ['p']}
    )
    assert (environment.params, environment.param_defaults, environment.encrypted_param_names) == (
        {'p': 1},
        {'q': 2},
        ['p'],
    )


def test_as_dict_returns_the_format_of_the_api():
    assert list(Environment().as_dict().items()) == [
        ('resource_registry', {'resources': {}}),
        ('parameters', {}),
        ('parameter_defaults', {}),
        ('event_sinks', []),
        ('encrypted_param_names', []),
    ]


def test_as_dict_leaves_out_null_entries():
    registry = {'A': None, 'B': 'OS::Heat::None', 'resources': {'r': None, 's': {'hooks': None}}}
    assert Environment({'resource_registry': registry}).as_dict()['resource_registry'] == {
        'resources': {'s': {}},
        'B': 'OS::Heat::None',
    }


@pytest.mark.parametrize('section', ['parameters', 'parameter_defaults', 'resource_registry'])
def test_environment_section_that_is_not_a_map_raises(section):
    with pytest.raises(AttributeError, match=section):
        Environment({section: ['a']})
    Environment({section: None})


@pytest.mark.parametrize(
    ('sinks', 'error'),
    [
        ({'a': 1}, AttributeError),
        (['a'], AttributeError),
        ([{'type': 'nope', 'target': 'x'}], ValueError),
        ([{'target': 'x'}], ValueError),
        ([{'type': 'zaqar-queue'}], ValueError),
    ],
)
def test_event_sinks_invalid_are_refused(sinks, error):
    with pytest.raises(error):
        Environment({'event_sinks': sinks})


def test_event_sinks_are_parsed():
    sink = {'type': 'zaqar-queue', 'target': 'x', 'ttl': 5}
    assert Environment({'event_sinks': [sink]}).event_sinks == [sink]


def test_child_environment_of_a_nested_stack():
    environment = Environment(
        {
            'parameters': {'outer': 1},
            'parameter_defaults': {'d': 1},
            'resource_registry': {
                'OS::Heat::Value': 'wrapped.yaml',
                'My::X': 'OS::Heat::None',
                'resources': {
                    'group': {'hooks': 'pre-create', '0': {'hooks': 'pre-update'}},
                    'gr*': {'1': {'restricted_actions': 'replace'}},
                    'other': {'0': {'hooks': 'pre-delete'}},
                },
            },
        }
    )
    child = environment.child('group', {'inner': 2}, excluded_type='OS::Heat::Value')
    assert child.params == {'inner': 2}
    assert child.param_defaults == {'d': 1}
    assert child.registry.hooks('0') == {'pre-update'}
    assert child.registry.hooks('group') == set()
    assert child.registry.restricted_actions('1') == {'replace'}
    assert child.registry.resolve('OS::Heat::Value', '0', {'OS::Heat::Value'}.__contains__) == (
        'type',
        'OS::Heat::Value',
    )
    assert environment.child('group').registry.resolve('OS::Heat::Value', '0', bool) == (
        'template',
        'wrapped.yaml',
    )


def test_user_registry_overrides_the_operators():
    base = Environment(
        {
            'resource_registry': {
                'OS::Quantum*': 'OS::Neutron*',
                'OS::Metering::Alarm': 'OS::Aodh::Alarm',
            }
        }
    )
    environment = Environment(
        {'resource_registry': {'OS::Metering::Alarm': 'OS::Heat::None'}}, base
    )
    assert (
        environment.registry.resolve(
            'OS::Quantum::Net', 'r', lambda name: name == 'OS::Neutron::Net'
        ).target
        == 'OS::Neutron::Net'
    )
    assert (
        environment.registry.resolve(
            'OS::Metering::Alarm', 'r', lambda name: name == 'OS::Heat::None'
        ).target
        == 'OS::Heat::None'
    )
    assert (
        environment.child('r').registry.resolve('OS::Quantum::Net', 'x', lambda name: True).target
        == 'OS::Neutron::Net'
    )
