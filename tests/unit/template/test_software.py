import pytest

from heat_lite.common import exception
from heat_lite.template import software


@pytest.mark.parametrize(
    ('given', 'stored'), [({'a': 1}, {'a': 1}), (['a'], ['a']), (3, 3), ([], {}), ('', {})]
)
def test_normalize_config_keeps_options_of_any_type(given, stored):
    assert software.normalize_config('x', None, None, given)['options'] == stored


def test_normalize_config_returns_inputs_and_outputs():
    given = {
        'default': '5',
        'type': 'Number',
        'name': 'i',
        'description': 'd',
        'replace_on_change': 'true',
    }
    made = software.normalize_input(given)
    assert made == {
        'name': 'i',
        'description': 'd',
        'type': 'Number',
        'default': 5,
        'replace_on_change': True,
    }
    assert list(made) == ['name', 'description', 'type', 'default', 'replace_on_change']
    assert software.normalize_input({'name': 'i'}) == {'name': 'i', 'type': 'String'}
    assert software.normalize_input({'name': 'i', 'default': {'a': 1}})['default'] == {'a': 1}, (
        'texts are not made of what is none'
    )
    assert software.normalize_output({'name': 'o'}) == {
        'name': 'o',
        'type': 'String',
        'error_output': False,
    }


@pytest.mark.parametrize(
    'given, said',
    [
        ('x', 'is a map'),
        ({'type': 'String'}, 'needs a name'),
        ({'name': 1.5}, 'needs a name'),
        ({'name': 'i', 'description': {}}, '"i": the description is no text'),
        ({'name': 'i', 'bogus': 1}, 'has no "bogus"'),
        ({'name': 'i', 'type': 'Number', 'default': 'abc'}, '"i": the default is no Number: .*abc'),
        ({'name': 'i', 'type': 'Number', 'default': 'inf'}, '"inf" is not a finite number'),
        ({'name': 'i', 'type': 'String', 'default': 1.5}, 'Value must be a string; got 1.5'),
        ({'name': 'i', 'type': 'Boolean', 'default': 1}, 'is not a valid boolean'),
        ({'name': 'i', 'type': 'CommaDelimitedList', 'default': {}}, 'is not a list'),
        ({'name': 'i', 'type': 'Json', 'default': 5}, 'is not a map'),
        ({'name': 'i', 'replace_on_change': 'maybe'}, 'replace_on_change is true or false'),
    ],
)
def test_normalize_config_invalid_part_is_refused(given, said):
    with pytest.raises(exception.Invalid, match=said):
        software.normalize_input(given)


def test_normalize_unknown_type_is_refused_by_heats_class():
    for normalize in (software.normalize_input, software.normalize_output):
        with pytest.raises(exception.InvalidSchemaError, match=r'\(Foo\) of .*put "i"'):
            normalize({'name': 'i', 'type': 'Foo'})


def test_normalize_name_and_description_become_texts_as_in_heat():
    for given, name in ((1, '1'), (True, 'True'), (None, '')):
        made = software.normalize_input({'name': given, 'description': 2})
        assert made == {'name': name, 'description': '2', 'type': 'String'}
        assert software.normalize_output({'name': given})['name'] == name


@pytest.mark.parametrize(
    'kind, default, wanted',
    [
        ('String', 1, '1'),
        ('String', True, 'True'),
        ('String', None, ''),
        ('Number', '1', 1),
        ('Number', '1e1', 10.0),
        ('Number', '', 0),
        ('CommaDelimitedList', 'a,b', ['a', 'b']),
        ('CommaDelimitedList', 'a, b', ['a', ' b']),
        ('CommaDelimitedList', [1, 'a'], [1, 'a']),
        ('CommaDelimitedList', '', []),
        ('Json', {'a': 1}, {'a': 1}),
        ('Json', '{"a": 1}', '{"a": 1}'),
        ('Json', [1], '[1]'),
        ('Json', '', {}),
        ('Boolean', 'TRUE', True),
        ('Boolean', '', False),
    ],
)
def test_normalize_input_converts_the_default_to_its_type(kind, default, wanted):
    made = software.normalize_input({'name': 'i', 'type': kind, 'default': default, 'value': '1'})
    assert (made['default'], type(made['default'])) == (wanted, type(wanted))
    assert made['value'] == '1', 'the value is that of the deployment'
    assert software.normalize_input(made) == made


def test_merge_values_puts_declared_inputs_first():
    inputs = [{'name': 'a', 'type': 'String', 'default': 'x'}, {'name': 'b', 'type': 'Number'}]
    made = software.merge_values(
        inputs, {'b': 2, 'c': 3}, [software.derived_input('deploy_action', 'what', 'CREATE')]
    )
    assert [(each['name'], each['value']) for each in made] == [
        ('a', 'x'),
        ('b', 2),
        ('c', 3),
        ('deploy_action', 'CREATE'),
    ]


def test_requires_replacement_if_an_input_changed():
    def inputs(value, replace=True):
        return [{'name': 'a', 'value': value, 'replace_on_change': replace}]

    assert software.requires_replacement(inputs(2), inputs(1))
    assert not software.requires_replacement(inputs(1), inputs(1))
    assert not software.requires_replacement(inputs(2, replace=False), inputs(1))
    assert not software.requires_replacement(inputs(2), []), 'an input that is new'


def test_substitute_inputs_replaces_maps():
    config = {
        'x': {'get_input': 'a'},
        'y': [{'get_input': 'q'}, {'deeper': {'get_input': 'a'}}],
        'z': {'get_input': 'a', 'k': 1},
    }
    made = software.substitute_inputs(config, {'a': 1}, 'get_input', software.LAX)
    assert made == {'x': 1, 'y': [None, {'deeper': 1}], 'z': {'get_input': 'a', 'k': 1}}
    assert software.substitute_inputs(config, {'a': 1}, 'other', software.LAX) == config
    with pytest.raises(
        exception.UserParameterMissing, match=r'The Parameter \(q\) was not provided'
    ):
        software.substitute_inputs(config, {'a': 1}, 'get_input', software.STRICT)


@pytest.mark.parametrize(
    'code, fails', [(0, False), ('0', False), (None, False), (7, True), ('1', True)]
)
def test_deployment_result_by_exit_status(code, fails):
    outcome = software.deployment_result([], {'deploy_status_code': code}, {'kept': 1})
    assert bool(outcome.reasons) == fails
    assert outcome.outputs == {
        'kept': 1,
        'deploy_stdout': None,
        'deploy_stderr': None,
        'deploy_status_code': code,
    }


def test_deployment_result_with_error_output_is_failure():
    outputs = [{'name': 'out'}, {'name': 'err', 'error_output': True}]
    outcome = software.deployment_result(
        outputs, {'out': 'o', 'err': 'bad', 'deploy_status_code': 2, 'unknown': 'x'}, None
    )
    assert (
        outcome.reason()
        == 'deploy_status_code : Deployment exited with non-zero status code: 2, err : bad'
    )
    assert outcome.outputs == {
        'out': 'o',
        'err': 'bad',
        'deploy_stdout': None,
        'deploy_stderr': None,
        'deploy_status_code': 2,
    }


@pytest.mark.parametrize(
    'details', ['', 'deploy_status_code=1', [], [{'deploy_status_code': 1}], 0]
)
def test_details_that_are_no_map_are_no_result(details):
    with pytest.raises(exception.Invalid, match='a signal to a deployment is a map'):
        software.check_signal(details)
    software.check_signal(None)
    software.check_signal({})
