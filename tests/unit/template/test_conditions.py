import pytest

from heat_lite.common import exception
from heat_lite.template import conditions, function, versions
from heat_lite.template.template import BoundScope

PARSER = function.Parser(versions.TABLE['heat_template_version']['2021-04-16'].condition_functions)


def build(section, **parameters):
    scope = BoundScope(parameters, {})
    scope.conditions = conditions.Conditions(conditions.parse(section, PARSER, 'conditions'), scope)
    return scope.conditions


@pytest.mark.parametrize(
    ('definition', 'holds'),
    [
        (True, True),
        (False, False),
        ({'equals': [1, 1.0]}, True),
        ({'equals': [1, '1']}, False),
        ({'equals': [{'get_param': 'p'}, 'x']}, True),
        ({'not': 'no'}, True),
        ({'and': ['yes', {'not': 'no'}]}, True),
        ({'and': ['no', 'nosuch']}, False),
        ({'or': ['yes', 'nosuch']}, True),
        ({'or': ['no', 'no']}, False),
        ({'contains': ['a', ['a']]}, True),
        ({'yaql': {'expression': '$.data > 1', 'data': 2}}, True),
        ({'get_param': 'b'}, True),
    ],
)
def test_condition_value_is_computed(definition, holds):
    assert (
        build({'c': definition, 'yes': True, 'no': False}, p='x', b=True).is_enabled('c') is holds
    )


def test_condition_is_evaluated_once():
    asked = []

    class Counting(BoundScope):
        def parameter(self, name):
            asked.append(name)
            return True

    found = conditions.Conditions(
        conditions.parse({'c': {'get_param': 'b'}}, PARSER, 'conditions'), Counting({}, {})
    )
    assert [found.is_enabled('c') for _time in range(3)] == [True] * 3
    assert asked == ['b']


def test_condition_with_unknown_name_raises():
    with pytest.raises(ValueError, match='Invalid condition "zz"'):
        build({}).is_enabled('zz')


@pytest.mark.parametrize(
    ('section', 'name'),
    [({'a': {'not': 'a'}}, 'a'), ({'a': {'not': 'b'}, 'b': {'not': 'c'}, 'c': {'not': 'a'}}, 'a')],
)
def test_circular_condition_raises(section, name):
    found = build(section)
    for _time in range(2):  # the second time like the first
        with pytest.raises(exception.StackValidationFailed) as caught:
            found.is_enabled(name)
        assert (
            str(caught.value)
            == f'Condition validation error: Circular definition for condition "{name}"'
        )


@pytest.mark.parametrize(
    ('definition', 'text'),
    [
        ('a', 'a'),
        ('true', 'true'),
        (None, 'null'),
        (1, '1'),
        ([1, True], '[1, true]'),
        ({'foo': [1, 2]}, '{"foo": [1, 2]}'),
    ],
)
def test_invalid_condition_definition_raises(definition, text):
    with pytest.raises(exception.StackValidationFailed) as caught:
        conditions.validate(conditions.parse({'c': definition}, PARSER, 'conditions'))
    assert (
        str(caught.value)
        == f'Condition validation error: The definition of condition "c" is invalid: {text}'
    )


def test_condition_from_a_string_parameter_raises():
    with pytest.raises(
        exception.StackValidationFailed, match='The definition of condition "c" is invalid: true'
    ):
        build({'c': {'get_param': 'p'}}, p='true').is_enabled('c')


def test_function_not_allowed_in_conditions_raises():
    with pytest.raises(exception.StackValidationFailed) as caught:
        build({'c': {'and': [{'equals': [{'get_attr': ['r', 'v']}, 1]}, True]}})
    assert (
        str(caught.value)
        == 'conditions.c.and[0].equals[0].get_attr: The function "get_attr" is invalid '
        'in this context'
    )


@pytest.mark.parametrize('section', [None, [], 'a'])
def test_conditions_section_that_is_not_a_map_raises(section):
    with pytest.raises(
        exception.StackValidationFailed,
        match='Conditions validation error: Condition definitions must be a map',
    ):
        build(section)
