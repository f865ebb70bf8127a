import pytest

from heat_lite.common import exception
from heat_lite.template import checks
from heat_lite.template.parameters import parameter_groups

NAMES = {'a', 'b'}


@pytest.mark.parametrize(
    'groups',
    [
        None,
        [],
        {},
        '',
        [{'label': 'g', 'parameters': ['a']}, {'parameters': ['b']}],
        [{'parameters': []}],
    ],
)
def test_parameter_groups_valid_are_accepted(groups):
    checks.raise_first(parameter_groups.check(groups, NAMES))


@pytest.mark.parametrize(
    ('groups', 'text'),
    [
        ({'label': 'g'}, 'parameter_groups: The parameter_groups should be a list.'),
        ('abc', 'parameter_groups: The parameter_groups should be a list.'),
        (
            [{'label': 'g'}],
            'parameter_groups.g: The parameters must be provided for each parameter group.',
        ),
        (
            [{'label': 'g', 'parameters': 'a'}],
            'parameter_groups.g: The parameters of parameter group should be a list.',
        ),
        (
            [{'label': 'g', 'parameters': ['zz']}],
            'parameter_groups.g: The grouped parameter zz does not reference a valid parameter.',
        ),
        (
            [{'parameters': ['zz']}],
            'parameter_groups.: The grouped parameter zz does not reference a valid parameter.',
        ),
        (
            [{'label': 5, 'parameters': ['zz']}],
            'parameter_groups[5]: The grouped parameter zz does not reference a valid parameter.',
        ),
        (
            [{'label': 'g', 'parameters': [['a']]}],
            'parameter_groups.g: The grouped parameter ["a"] does not reference a valid parameter.',
        ),
        (
            [{'label': 'g', 'parameters': ['a', 'a']}],
            'parameter_groups.g: The a parameter must be assigned to one parameter group only.',
        ),
        (
            [{'label': 'g', 'parameters': ['a']}, {'label': 'h', 'parameters': ['a']}],
            'parameter_groups.h: The a parameter must be assigned to one parameter group only.',
        ),
    ],
)
def test_parameter_groups_invalid_are_refused(groups, text):
    with pytest.raises(exception.StackValidationFailed) as caught:
        checks.raise_first(parameter_groups.check(groups, NAMES))
    assert str(caught.value) == f'Parameter Groups error: {text}'


@pytest.mark.parametrize('group', [None, 5, 'a'])
def test_parameter_group_that_is_not_a_map_raises(group):
    with pytest.raises(AttributeError):
        checks.raise_first(parameter_groups.check([group], NAMES))
