import pytest

from heat_lite.common import exception
from heat_lite.template.constraints import (
    AllowedPattern,
    AllowedValues,
    CustomConstraint,
    Length,
    Modulo,
    Range,
    UnknownConstraint,
    to_number,
)


def refusal(constraint, value, **options):
    with pytest.raises(ValueError) as caught:
        constraint.check(value, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ('constraint', 'good', 'bad', 'text'),
    [
        (Range(1, 512), [1, 512, 7.5], 0, '0 is out of range (min: 1, max: 512)'),
        (Range(max='3.5'), ['3', -1], '4', '4 is out of range (max: 3.5)'),
        (
            Length(min=2),
            ['ab', [1, 2], {'a': 1, 'b': 2}],
            'a',
            'length (1) is out of range (min: 2)',
        ),
        (Length('0', '1'), ['', 'a'], 'ab', 'length (2) is out of range (min: 0, max: 1)'),
        (Modulo(2, 1), [5, 5.0, '7'], 4, '4 is not a multiple of 2 with an offset of 1'),
        (Modulo(-2, -1), [-3, 5], 4, '4 is not a multiple of -2 with an offset of -1'),
        (
            AllowedValues(['a', 'b']),
            ['a', ['a', 'b'], []],
            'c',
            '"c" is not an allowed value ["a", "b"]',
        ),
        (AllowedValues([4, 6]), [4], 5, '5 is not an allowed value [4, 6]'),
        (
            AllowedValues(['é', None]),
            ['é'],
            ['a'],
            '["a"] is not an allowed value ["\\u00e9", null]',
        ),
        (
            AllowedValues([6, 'tcp', 'udp']),
            [6, 'tcp'],
            'TCP',
            '"TCP" is not an allowed value [6, "tcp", "udp"]. Did you mean "tcp"?',
        ),
        (
            AllowedValues(['CREATE', 'DELETE']),
            [['DELETE']],
            ['DELETE', 'CRAETE'],
            '["DELETE", "CRAETE"] is not an allowed value ["CREATE", "DELETE"].'
            ' Did you mean "CREATE"?',
        ),
        (
            AllowedValues(['on']),
            ['on'],
            'ON',
            '"ON" is not an allowed value ["on"]. Did you mean "on"?',
        ),
        (
            AllowedValues([*range(16), *'stuvwxyz']),
            [3, 's'],
            'no',
            '"no" is not an allowed value'
            ' ["s", "t", "u", "v", "w", "x", "y", "z", 0, 1 and 14 more]',
        ),
        (AllowedPattern('[a-z]+'), ['abc'], 'abc\n', '"abc\n" does not match pattern "[a-z]+"'),
        (AllowedPattern('.*'), [''], [None], '[null] does not match pattern ".*"'),
        (AllowedPattern('^a|b$'), ['a', 'b'], 'bb', '"bb" does not match pattern "^a|b$"'),
    ],
)
def test_constraint_value_gives_violation_or_none(constraint, good, bad, text):
    for value in good:
        constraint.check(value)
    assert refusal(constraint, bad) == text


@pytest.mark.parametrize(
    ('build', 'text'),
    [
        (lambda: Range(), 'A range constraint must have a min value and/or a max value specified.'),
        (
            lambda: Length(),
            'A length constraint must have a min value and/or a max value specified.',
        ),
        (lambda: Length(max=1.5), 'min/max length must be integral'),
        (
            lambda: Modulo(step=2),
            'A modulo constraint must have a step value and an offset value specified.',
        ),
        (lambda: Modulo(2, 0.5), 'step/offset must be integer'),
        (lambda: Modulo(0, 0), 'step cannot be 0.'),
        (lambda: Modulo(2, 2), 'offset must be smaller (by absolute value) than step.'),
        (lambda: Modulo(3, -1), 'step and offset must be both positive or both negative.'),
        (lambda: AllowedValues('abc'), 'AllowedValues must be a list'),
        (lambda: AllowedPattern(5), 'AllowedPattern must be a string'),
    ],
)
def test_constraint_with_invalid_arguments_is_refused(build, text):
    with pytest.raises(exception.InvalidSchemaError) as caught:
        build()
    assert str(caught.value) == text


def test_allowed_pattern_with_invalid_regex_is_refused():
    with pytest.raises(exception.InvalidSchemaError, match='is not a regular expression'):
        AllowedPattern('[0-9')


@pytest.mark.parametrize(
    ('constraint', 'value', 'text'),
    [
        (
            Length(max=1, description='too long!'),
            'abc',
            'too long! Length (3) is out of range (max: 1)',
        ),
        (
            AllowedPattern('[a-z]+', 'Letters only.'),
            '1',
            'Letters only. "1" does not match pattern "[a-z]+"',
        ),
        (
            CustomConstraint('ip_addr', 'my words'),
            'x',
            "my words. Error validating value 'x': Invalid IP address",
        ),
        (Range(2, description=5), 1, '5. 1 is out of range (min: 2)'),
    ],
)
def test_constraint_with_description_tells_it_and_the_cause(constraint, value, text):
    assert refusal(constraint, value) == text


def test_allowed_values_compare_converted_values():
    AllowedValues([1, 2]).check('1', convert=to_number)
    assert (
        refusal(AllowedValues(['1', 2]), '3', convert=to_number)
        == '"3" is not an allowed value ["1", 2]'
    )


def test_custom_constraint_calls_the_given_lookup():
    asked = []

    def lookup(kind, value):
        asked.append((kind, value))
        if kind == 'no.such':
            raise UnknownConstraint(kind)
        return None if value == 'good' else 'there is none'

    CustomConstraint('nova.flavor').check('good', lookup)
    assert (
        refusal(CustomConstraint('nova.flavor'), 'bad', lookup=lookup)
        == "Error validating value 'bad': there is none"
    )
    assert (
        refusal(CustomConstraint('no.such'), 'x', lookup=lookup)
        == '"x" does not validate no.such (constraint not found)'
    )
    assert asked == [('nova.flavor', 'good'), ('nova.flavor', 'bad'), ('no.such', 'x')]


def test_custom_constraint_without_lookup_checks_formats_only():
    CustomConstraint('nova.flavor').check('anything')
    assert (
        refusal(CustomConstraint('ip_addr'), 'x')
        == "Error validating value 'x': Invalid IP address"
    )
    assert refusal(CustomConstraint('iso_8601'), 'x') == "Error validating value 'x'"


def test_constraint_to_wire_returns_template_syntax():
    assert Range(1, 3, 'few').to_wire() == {'range': {'min': 1, 'max': 3}, 'description': 'few'}
    assert Length(min=0).to_wire() == {'length': {'min': 0}}
    assert AllowedValues([1]).to_wire() == {'allowed_values': [1]}
    assert CustomConstraint('a.b').to_wire() == {'custom_constraint': 'a.b'}
    assert Range(1, 3) == Range(1, 3) != Range(1, 4)
