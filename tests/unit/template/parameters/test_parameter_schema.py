import pytest

from heat_lite.common import exception
from heat_lite.template.parameters.parameter_schema import ParameterSchema

SENSELESS_HOT = [
    (None, 'Invalid parameter (p), expected a mapping'),
    ('string', 'Invalid parameter (p), expected a mapping'),
    ({'type': 'string', 'zoo': 1, 'foo': 1}, "Invalid key 'zoo' for parameter (p)"),
    ({'bar': 1}, "Invalid key 'bar' for parameter (p)"),
    ({'default': 'x', 'constraints': 'x'}, 'Missing parameter type for parameter: p'),
    (
        {'type': 'foo', 'tags': 'x', 'constraints': 'x'},
        'Tags property should be a list for parameter: p',
    ),
    (
        {'type': 'foo', 'constraints': 'x'},
        'Invalid parameter constraints for parameter p, expected a list',
    ),
    ({'type': 'foo', 'constraints': [5]}, 'Invalid parameter constraints, expected a mapping'),
    (
        {'type': 'string', 'constraints': [{'size': 1}]},
        "Invalid key 'size' for parameter constraints",
    ),
    ({'type': 'string', 'constraints': [{'description': 'x'}]}, 'No constraint expressed'),
    (
        {'type': 'number', 'constraints': [{'range': 3}]},
        'Invalid range constraint, expected a mapping',
    ),
    (
        {'type': 'number', 'constraints': [{'range': {'low': 1}}]},
        "Invalid key 'low' for range constraint",
    ),
    ({'type': 'String'}, 'Invalid type (String)'),
    ({'type': None}, 'Invalid type (null)'),
    ({'type': ['string']}, 'Invalid type (["string"])'),
    (
        {'type': 'number', 'constraints': [{'length': {'max': 1}}]},
        "Parameter 'p' is invalid: Length constraint invalid for number",
    ),
    (
        {'type': 'json', 'constraints': [{'allowed_values': [1]}]},
        "Parameter 'p' is invalid: AllowedValues constraint invalid for json",
    ),
    (
        {'type': 'string', 'default': 'abcd', 'constraints': [{'length': {'max': 3}}]},
        "Parameter 'p' is invalid: Invalid default abcd (length (4) is out of range (max: 3))",
    ),
    (
        {'type': 'comma_delimited_list', 'default': 'a,b', 'constraints': [{'length': {'max': 1}}]},
        "Parameter 'p' is invalid: Invalid default a,b (length (2) is out of range (max: 1))",
    ),
    (
        {'type': 'boolean', 'default': 'maybe', 'constraints': [{'allowed_values': [True]}]},
        'Parameter \'p\' is invalid: Invalid default maybe (Value "maybe" is invalid '
        'for data type "boolean".)',
    ),
]
SENSELESS_CFN = [
    ({'Type': 'String', 'Foo': 1}, "Invalid key 'Foo' for parameter (p)"),
    ({'Default': 'x'}, 'Missing parameter type for parameter: p'),
    ({'Type': 'string'}, 'Invalid type (string)'),
    ({'Type': 'String', 'AllowedValues': None}, 'AllowedValues must be a list'),
    (
        {'Type': 'Number', 'MinLength': 1},
        "Parameter 'p' is invalid: Length constraint invalid for Number",
    ),
    (
        {'Type': 'String', 'MinValue': 1},
        "Parameter 'p' is invalid: Range constraint invalid for String",
    ),
    (
        {'Type': 'Number', 'Default': 'maybe', 'AllowedValues': [1]},
        'Parameter \'p\' is invalid: Invalid default maybe (Value "maybe" is invalid '
        'for data type "Number".)',
    ),
]


@pytest.mark.parametrize(('data', 'text'), SENSELESS_HOT)
def test_hot_parameter_invalid_is_refused(data, text):
    with pytest.raises(exception.InvalidSchemaError) as caught:
        ParameterSchema.from_hot('p', data).check()
    assert str(caught.value) == text


@pytest.mark.parametrize(('data', 'text'), SENSELESS_CFN)
def test_cfn_parameter_invalid_is_refused(data, text):
    with pytest.raises(exception.InvalidSchemaError) as caught:
        ParameterSchema.from_cfn('p', data).check()
    assert str(caught.value) == text


def test_parameter_keys_depend_on_the_version():
    with pytest.raises(exception.InvalidSchemaError, match="Invalid key 'tags'"):
        ParameterSchema.from_hot('p', {'type': 'string', 'tags': ['a']}, keys=('type',))
    with pytest.raises(exception.InvalidSchemaError, match='No constraint expressed'):
        data = {'type': 'number', 'constraints': [{'modulo': {'step': 2, 'offset': 0}}]}
        ParameterSchema.from_hot('p', data, constraints=('range', 'length'))


def test_constraint_map_with_two_constraints_uses_the_first():
    def rule(kind, constraint):
        return (
            ParameterSchema.from_hot('p', {'type': kind, 'constraints': [constraint]})
            .constraints[0]
            .rule()
        )

    assert rule('string', {'allowed_values': ['a'], 'length': {'min': 1}}) == {'length': {'min': 1}}
    assert rule('number', {'range': {'min': 1}, 'modulo': {'step': 1, 'offset': 0}}) == {
        'modulo': {'step': 1, 'offset': 0}
    }
    assert rule('string', {'custom_constraint': 'ip_addr', 'allowed_pattern': 'a'}) == {
        'allowed_pattern': 'a'
    }


@pytest.mark.parametrize(
    ('value', 'hidden'),
    [(True, True), ('false', True), (1, True), (None, False), ([], False), ('', False)],
)
def test_hidden_of_hot_is_parsed(value, hidden):
    assert ParameterSchema.from_hot('p', {'type': 'string', 'hidden': value}).hidden is hidden


@pytest.mark.parametrize(
    ('value', 'hidden'), [('true', True), (True, True), ('TRUE', True), ('yes', False), (1, False)]
)
def test_no_echo_of_cfn_is_parsed(value, hidden):
    assert ParameterSchema.from_cfn('p', {'Type': 'String', 'NoEcho': value}).hidden is hidden


def test_cfn_constraints_are_parsed():
    data = {
        'Type': 'String',
        'MinLength': '1',
        'MaxLength': 3,
        'AllowedValues': ['a'],
        'AllowedPattern': '[a-z]',
        'ConstraintDescription': 'cd',
    }
    described = ParameterSchema.from_cfn('p', data).describe()
    assert list(described.items())[4:] == [
        ('MinLength', 1),
        ('MaxLength', 3),
        ('AllowedValues', ['a']),
        ('AllowedPattern', '[a-z]'),
        ('ConstraintDescription', 'cd cd cd'),
    ]


def test_default_with_custom_constraint_is_not_looked_up():
    data = {'type': 'string', 'default': 'x', 'constraints': [{'custom_constraint': 'ip_addr'}]}
    assert ParameterSchema.from_hot('p', data).default == 'x'


@pytest.mark.parametrize('data', [{'range': {'max': 'x'}}, {'modulo': {'step': 'x', 'offset': 1}}])
def test_bound_that_is_not_a_number_is_refused(data):
    with pytest.raises(ValueError):
        ParameterSchema.from_hot('p', {'type': 'number', 'constraints': [data]})


def test_default_of_hidden_parameter_that_violates_a_constraint_is_not_shown():
    data = {'type': 'string', 'hidden': True, 'default': 'ab1'}
    with pytest.raises(exception.InvalidSchemaError) as caught:
        ParameterSchema.from_hot('p', {**data, 'constraints': [{'length': {'min': 9}}]}).check()
    assert str(caught.value) == (
        "Parameter 'p' is invalid: Invalid default of a hidden parameter "
        '(the value violates {"length": {"min": 9}})'
    )
