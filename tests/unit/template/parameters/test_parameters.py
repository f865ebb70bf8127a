import pytest

from heat_lite.common import exception
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.template.constraints import Range
from heat_lite.template.parameters.parameters import HIDDEN_TEXT, Parameters, ParameterSchema
from heat_lite.template.unknown import Unknown

WORDS = "'0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'"
IDENTITY = HeatIdentifier('t', 'stack', 'id')


def hot(**schemata):
    return {name: ParameterSchema.from_hot(name, data) for name, data in schemata.items()}


def one(kind, value, **options):
    return Parameters(hot(p={'type': kind, **options}), {'p': value}, identity=IDENTITY)


@pytest.mark.parametrize(
    ('kind', 'given', 'value', 'text'),
    [
        ('string', 5, '5', '5'),
        ('string', [1, 'a'], "[1, 'a']", "[1, 'a']"),
        ('string', {'a': 1}, "{'a': 1}", "{'a': 1}"),
        ('string', True, 'True', 'True'),
        ('string', '', '', ''),
        ('number', ' 5 ', 5, '5'),
        ('number', '1e3', 1000.0, '1000.0'),
        ('number', '0010', 10, '10'),
        ('number', True, True, 'True'),
        ('number', 0, 0, '0'),
        ('boolean', 'yes', True, 'True'),
        ('boolean', 't', True, 'True'),
        ('boolean', 0, False, 'False'),
        ('comma_delimited_list', ' a , b ,', [' a ', ' b ', ''], ' a , b ,'),
        ('comma_delimited_list', [1, None, {'a': 1}], ['1', 'None', "{'a': 1}"], "1,None,{'a': 1}"),
        ('comma_delimited_list', '', [], ''),
        ('json', '{"a": [1]}', {'a': [1]}, '{"a": [1]}'),
        ('json', {'a': 'é'}, {'a': 'é'}, '{"a": "\\u00e9"}'),
        ('json', '', '', '""'),
        ('json', 'null', None, 'null'),
        ('json', 5, 5, '5'),
    ],
)
def test_parameter_value_is_parsed_by_type(kind, given, value, text):
    parameters = one(kind, given)
    parameters.validate()
    assert parameters['p'] == value and type(parameters['p']) is type(value)
    assert parameters.as_strings()['p'] == text


@pytest.mark.parametrize(
    ('kind', 'given', 'reason'),
    [
        ('number', '', '"" is not a number'),
        (
            'number',
            {},
            '{} is not a number',
        ),
        ('boolean', 1.0, f"Unrecognized value '1.0', acceptable values are: {WORDS}"),
        (
            'comma_delimited_list',
            5,
            'Value must be a comma-delimited list string, not a number',
        ),
        ('json', 'x', 'Value must be valid JSON: Expecting value: line 1 column 1 (char 0)'),
    ],
)
def test_parameter_of_wrong_type_raises(kind, given, reason):
    parameters = one(kind, given)
    parameters.validate(validate_value=False)
    with pytest.raises(exception.StackValidationFailed) as caught:
        parameters.validate()
    assert str(caught.value) == f"Parameter 'p' is invalid: {reason}"


@pytest.mark.parametrize(
    ('kind', 'given', 'constraint', 'reason'),
    [
        ('number', ' 5.50 ', {'range': {'max': 2}}, ' 5.50  is out of range (max: 2)'),
        ('boolean', 'no', {'allowed_values': ['yes']}, '"no" is not an allowed value ["yes"]'),
        (
            'comma_delimited_list',
            '1,2',
            {'allowed_values': [1, 2]},
            '["1", "2"] is not an allowed value [1, 2]',
        ),
        (
            'json',
            '{"a":1,"b":2,"c":3}',
            {'length': {'max': 2}},
            'length (3) is out of range (max: 2)',
        ),
        ('string', 12345, {'length': {'max': 2}}, 'length (5) is out of range (max: 2)'),
        ('json', 5, {'length': {'max': 2}}, 'a number has no length'),
        (
            'string',
            'abc',
            {'length': {'max': 1}, 'description': 'too long!'},
            'too long! Length (3) is out of range (max: 1)',
        ),
    ],
)
def test_parameter_constraints_are_checked(kind, given, constraint, reason):
    with pytest.raises(exception.StackValidationFailed) as caught:
        one(kind, given, constraints=[constraint]).validate()
    assert str(caught.value) == f"Parameter 'p' is invalid: {reason}"


@pytest.mark.parametrize(
    ('kind', 'given', 'constraint', 'reason'),
    [
        ('string', 'ab1', {'allowed_pattern': '[a-z]+'}, '{"allowed_pattern": "[a-z]+"}'),
        ('string', 'ab1', {'length': {'min': 8}}, '{"length": {"min": 8}}'),
        ('string', 'ab1', {'custom_constraint': 'ip_addr'}, '{"custom_constraint": "ip_addr"}'),
        ('boolean', 'f', {'allowed_values': ['ja']}, '{"allowed_values": ["ja"]}'),
    ],
)
def test_hidden_parameter_that_violates_a_constraint_does_not_show_its_value(
    kind, given, constraint, reason
):
    for parts, start in (
        ({}, 'the'),
        ({'description': 'Read the manual.'}, 'Read the manual. The'),
    ):
        with pytest.raises(exception.StackValidationFailed) as caught:
            one(kind, given, constraints=[{**constraint, **parts}], hidden=True).validate()
        text = f"Parameter 'p' is invalid: {start} value violates {reason}"
        assert str(caught.value) == text


@pytest.mark.parametrize(('kind', 'given'), [('number', 'x9'), ('boolean', 'x9'), ('json', 'x9')])
def test_hidden_parameter_of_wrong_type_does_not_show_its_value(kind, given):
    with pytest.raises(exception.StackValidationFailed) as caught:
        one(kind, given, hidden=True).validate()
    assert str(caught.value) == f"Parameter 'p' is invalid: the value is not of the type {kind}"


def test_parameter_allowed_values_compare_by_type():
    one('number', '2.50', constraints=[{'allowed_values': [1, 2.5]}]).validate()
    one('string', '1', constraints=[{'allowed_values': [1, 2]}]).validate()
    one('boolean', 't', constraints=[{'allowed_values': ['yes']}]).validate()


def test_parameter_user_value_overrides_environment_and_default():
    schemata = hot(p={'type': 'number', 'default': 1})
    assert Parameters(schemata)['p'] == 1
    assert Parameters(schemata, defaults={'p': 2, 'zz': 5})['p'] == 2
    assert Parameters(schemata, {'p': 3}, {'p': 2})['p'] == 3
    assert Parameters(schemata, {'p': None}, {'p': None})['p'] == 1


def test_parameter_missing_or_unknown_raises():
    parameters = Parameters(hot(b={'type': 'string'}, a={'type': 'string'}), {})
    parameters.validate(validate_value=False)
    assert not parameters.has_value('a')
    with pytest.raises(
        exception.UserParameterMissing, match='The Parameter \\(b\\) was not provided'
    ):
        parameters.validate()
    with pytest.raises(exception.UserParameterMissing):
        parameters['nowhere']
    for name in ('zz', 'OS::stack_name', 'OS::region'):
        with pytest.raises(exception.UnknownUserParameter, match='was not defined in template'):
            Parameters({}, {name: 1}).validate(validate_value=False)


def test_pseudo_parameters_of_hot_come_from_the_identity():
    parameters = Parameters(
        hot(p={'type': 'string', 'default': 'x', 'hidden': True}), identity=IDENTITY
    )
    assert list(parameters.as_strings().items()) == [
        ('OS::stack_id', 'id'),
        ('OS::project_id', 't'),
        ('OS::stack_name', 'stack'),
        ('p', HIDDEN_TEXT),
    ]
    assert parameters['p'] == 'x'
    assert parameters.declared_names() == ['p']
    with pytest.raises(exception.UserParameterMissing):
        parameters['OS::region']


def test_pseudo_parameters_of_cfn_come_from_the_identity():
    parameters = Parameters(
        {}, identity={'tenant': 't', 'stack_name': 'stack', 'stack_id': None}, dialect='cfn'
    )
    parameters.validate()
    assert parameters.as_strings() == {
        'AWS::StackId': 'arn:openstack:heat::t:stacks/stack/None',
        'AWS::StackName': 'stack',
        'AWS::Region': 'ap-southeast-1',
    }
    with pytest.raises(exception.StackValidationFailed, match='"mars" is not an allowed value'):
        Parameters({}, defaults={'AWS::Region': 'mars'}, dialect='cfn').validate()


def test_declared_parameter_may_have_a_pseudo_name():
    parameters = Parameters(
        hot(**{'OS::stack_name': {'type': 'string', 'default': 'mine'}}), identity=IDENTITY
    )
    assert list(parameters.as_strings()) == ['OS::stack_id', 'OS::project_id', 'OS::stack_name']
    assert parameters['OS::stack_name'] == 'mine'
    assert parameters.describe() == {}


def test_describe_returns_the_format_of_validate():
    data = {
        'type': 'string',
        'default': 'a',
        'tags': ['t'],
        'label': 'L',
        'description': 'D',
        'hidden': True,
        'constraints': [
            {'length': {'max': 2}, 'description': 'one'},
            {'allowed_pattern': '[a-z]*', 'description': 'two'},
        ],
    }
    described = Parameters(hot(p=data), {'p': 'b'}, {'p': 'env'}).describe()['p']
    assert list(described.items()) == [
        ('Type', 'String'),
        ('Description', 'D'),
        ('NoEcho', 'true'),
        ('Label', 'L'),
        ('Default', 'env'),
        ('Value', 'b'),
        ('Tags', ['t']),
        ('MaxLength', 2),
        ('AllowedPattern', '[a-z]*'),
        ('ConstraintDescription', 'one two'),
    ]


def test_describe_leaves_out_an_empty_value():
    schemata = hot(p={'type': 'number', 'constraints': [{'modulo': {'step': 2, 'offset': 1}}]})
    assert Parameters(schemata, {'p': 0}).describe()['p'] == {
        'Type': 'Number',
        'Description': '',
        'NoEcho': 'false',
        'Label': 'p',
        'Step': 2,
        'Offset': 1,
    }


def test_immutable_changes_returns_changed_names():
    declared = {
        'a': {'type': 'number', 'immutable': True},
        'b': {'type': 'string'},
        'c': {'type': 'string', 'immutable': True},
    }
    before = Parameters(hot(**declared), {'a': '1', 'b': 'x'})
    assert before.immutable_changes(Parameters(hot(**declared), {'a': 1, 'b': 'y'})) == []
    assert before.immutable_changes(
        Parameters(hot(**declared), {'a': 2, 'b': 'y', 'c': 'new'})
    ) == ['a', 'c']
    assert before.immutable_changes(Parameters(hot(a={'type': 'number'}), {'a': 2})) == []


def test_validate_passes_lookup_to_constraints():
    schemata = hot(p={'type': 'string', 'constraints': [{'custom_constraint': 'nova.flavor'}]})
    Parameters(schemata, {'p': 'x'}).validate(lookup=lambda kind, value: None)
    with pytest.raises(exception.StackValidationFailed, match="Error validating value 'x': gone"):
        Parameters(schemata, {'p': 'x'}).validate(lookup=lambda kind, value: 'gone')


def test_describe_of_a_nested_stack_shows_given_lists_as_texts():
    schemata = {'names': ParameterSchema('names', 'comma_delimited_list')}
    found = Parameters(schemata, {'names': ['x', {'k': [1]}]})
    assert found.describe()['names']['Value'] == ['x', {'k': [1]}]
    assert found.describe(lists_as_text=True)['names']['Value'] == 'x,{"k": [1]}'


def test_unknown_parameter_has_its_type_and_waits_with_its_constraints():
    unknown = Unknown(sources=['net.name'])
    schemata = {'size': ParameterSchema('size', 'number', constraints=[Range(1, 2)])}
    found = Parameters(schemata, {'size': unknown})
    found.validate()
    assert (found['size'].type, found['size'].sources) == ('number', ('net.name',))
    assert found.as_strings()['size'] == ''
