import pytest

from heat_lite.common import exception
from heat_lite.template import schema, support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Length, Range
from heat_lite.template.parameters.parameters import ParameterSchema
from heat_lite.template.schema import any_, boolean, integer, list_, map_, number, string


def test_nested_property_schema_to_wire():
    named = string('A class.', default='digits', constraints=[AllowedValues(['digits'])])
    classes = list_(
        'Classes.',
        map_(None, {'class': named, 'old': string(alias_of='class')}),
        default=[{'class': 'digits'}],
        update_allowed=True,
    )
    assert classes.to_wire() == {
        'type': 'list',
        'description': 'Classes.',
        'default': [{'class': 'digits'}],
        'schema': {
            '*': {
                'type': 'map',
                'schema': {
                    'class': {
                        'type': 'string',
                        'description': 'A class.',
                        'default': 'digits',
                        'required': False,
                        'constraints': [{'allowed_values': ['digits']}],
                        'update_allowed': False,
                        'immutable': False,
                    },
                    # as in Heat: hidden properties are left out at the top only
                    'old': {
                        'type': 'string',
                        'required': False,
                        'update_allowed': False,
                        'immutable': False,
                    },
                },
                'required': False,
                'update_allowed': False,
                'immutable': False,
            }
        },
        'required': False,
        'update_allowed': True,
        'immutable': False,
    }
    assert list(classes.to_wire()) == [
        'type',
        'description',
        'default',
        'schema',
        'required',
        'update_allowed',
        'immutable',
    ]


def test_default_false_is_a_default():
    assert boolean(default=False).to_wire()['default'] is False
    assert 'default' not in boolean().to_wire()


def test_ref_adds_a_custom_constraint():
    network = string('The network.', ref='neutron.network')
    assert network.constraints == (CustomConstraint('neutron.network'),)
    assert network.to_wire()['constraints'] == [{'custom_constraint': 'neutron.network'}]


def test_to_wire_leaves_out_hidden_schemas():
    schemata = {
        'network': string('x'),
        'network_id': string('y', alias_of='network'),
        'gone': string(support=support.history('hidden 5.0.0')),
    }
    assert list(schema.to_wire(schemata)) == ['network']


def test_key_is_wire_or_name():
    assert string(wire='network_id').key('network') == 'network_id'
    assert string().key('network') == 'network'


@pytest.mark.parametrize(
    'build',
    [
        lambda: schema.PropertySchema('float'),
        lambda: string(schema={'a': string()}),
        lambda: schema.PropertySchema('List', schema={'a': string()}),
        lambda: map_('x', string()),
        lambda: string(constraints=[Range(1)]),
        lambda: number(constraints=[Length(1)]),
        lambda: string(update_allowed=True, immutable=True),
        lambda: schema.AttributeSchema('x', 'float'),
    ],
)
def test_invalid_schema_is_refused(build):
    with pytest.raises(exception.InvalidSchemaError):
        build()


def test_any_type_accepts_constraints():
    assert any_(constraints=[Length(1), Range(1)]).constraints


def test_from_parameter_returns_property_schema():
    parameter = ParameterSchema.from_hot(
        'p',
        {
            'type': 'comma_delimited_list',
            'description': 'd',
            'default': 'a',
            'constraints': [{'length': {'min': 1}}],
        },
    )
    made = schema.PropertySchema.from_parameter(parameter)
    assert (made.type, made.description, made.default, made.required) == ('list', 'd', None, False)
    assert made.update_allowed and made.allow_conversion and made.constraints == (Length(1),)
    assert schema.PropertySchema.from_parameter(
        ParameterSchema.from_hot('p', {'type': 'number'})
    ).required


def test_attribute_schema_to_wire():
    assert schema.text('A text.').to_wire() == {'description': 'A text.', 'type': 'string'}
    assert schema.any_attribute('Whatever.').to_wire() == {'description': 'Whatever.'}
    kinds = [
        schema.integer_attribute,
        schema.number_attribute,
        schema.boolean_attribute,
        schema.map_attribute,
        schema.list_attribute,
    ]
    assert [build('x').type for build in kinds] == ['integer', 'number', 'boolean', 'map', 'list']


def test_support_status_to_wire():
    earlier = support.history('deprecated 7.0.0, supported 2014.1')
    status = support.SupportStatus(support.HIDDEN, '9.0.0', 'Use b.', earlier)
    assert status.to_wire() == {
        'status': 'HIDDEN',
        'message': 'Use b.',
        'version': '9.0.0',
        'previous_status': {
            'status': 'DEPRECATED',
            'message': None,
            'version': '7.0.0',
            'previous_status': {
                'status': 'SUPPORTED',
                'message': None,
                'version': '2014.1',
                'previous_status': None,
            },
        },
    }
    with pytest.raises(ValueError, match='Invalid support status'):
        support.SupportStatus('OLD')


def test_is_substituted_by_the_substitute_class():
    assert support.SupportStatus(substitute=int).is_substituted(int)
    assert not support.DEFAULT.is_substituted(int)


def test_integer_and_number_are_different_types():
    assert integer().type != number().type
