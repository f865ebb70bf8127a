from heat_lite.template import reader
from heat_lite.template.constraints import AllowedValues, Length, Range
from heat_lite.template.generate import template_for
from heat_lite.template.schema import any_, boolean, integer, list_, map_, string, text
from heat_lite.template.template import Template

PROPERTIES = {
    'name': string('Its name.', constraints=[Length(max=9)]),
    'size': integer('Its size.', default=1, constraints=[Range(1, 5)]),
    'net': string('Its network.', ref='neutron.network', required=True),
    'net_id': string('Older.', alias_of='net'),
    'shared': boolean('Whether.', default=False),
    'tags': list_('Tags.', default=[]),
    'meta': map_('Data.'),
    'kind': string(constraints=[AllowedValues(['a', 'b'])]),
    'value': any_('Anything.'),
    'count': integer(constraints=[Range(1, 5)]),
    'flag': boolean(),
    'items': list_(),
}
ATTRIBUTES = {'status': text('Its status.')}


def test_template_for_hot_type():
    template = template_for('OS::My::Thing', PROPERTIES, ATTRIBUTES, 'hot')
    assert list(template) == [
        'heat_template_version',
        'description',
        'parameters',
        'conditions',
        'outputs',
        'resources',
    ]
    assert (template['heat_template_version'], template['description']) == (
        '2021-04-16',
        'Initial template of Thing',
    )
    assert template['parameters'] == {
        'name': {'type': 'string', 'description': 'Its name.', 'default': ''},
        'size': {
            'type': 'number',
            'description': 'Its size.',
            'default': 1,
            'constraints': [{'range': {'min': 1, 'max': 5}}],
        },
        'net': {
            'type': 'string',
            'description': 'Its network.',
            'constraints': [{'custom_constraint': 'neutron.network'}],
        },
        'shared': {'type': 'boolean', 'description': 'Whether.', 'default': False},
        'tags': {'type': 'comma_delimited_list', 'description': 'Tags.', 'default': []},
        'meta': {'type': 'json', 'description': 'Data.', 'default': {}},
        'kind': {
            'type': 'string',
            'default': '',
            'constraints': [{'allowed_values': ['', 'a', 'b']}],
        },
        'value': {'type': 'string', 'description': 'Anything.', 'default': ''},
        'count': {'type': 'string', 'default': ''},
        'flag': {
            'type': 'string',
            'default': '',
            'constraints': [{'allowed_values': ['', 'True', 'true', 'False', 'false']}],
        },
        'items': {'type': 'comma_delimited_list', 'default': []},
    }
    empty = {'name': '', 'meta': {}, 'kind': '', 'value': '', 'count': '', 'flag': '', 'items': []}
    assert template['conditions'] == {
        key: {'not': {'equals': [{'get_param': key}, value]}} for key, value in empty.items()
    }
    assert template['resources']['Thing']['properties']['meta'] == {
        'if': ['meta', {'get_param': 'meta'}]
    }
    assert template['outputs'] == {
        'status': {'value': {'get_attr': ['Thing', 'status']}, 'description': 'Its status.'},
        'OS::stack_id': {'value': {'get_resource': 'Thing'}},
    }
    assert template['resources']['Thing']['type'] == 'OS::My::Thing'
    assert template['resources']['Thing']['properties']['tags'] == {'get_param': 'tags'}
    assert 'net_id' not in template['resources']['Thing']['properties']


def test_template_for_cfn_type():
    template = template_for('OS::My::Thing', PROPERTIES, ATTRIBUTES)
    assert list(template) == [
        'HeatTemplateFormatVersion',
        'Description',
        'Parameters',
        'Resources',
        'Outputs',
    ]
    assert template['Parameters']['size'] == {
        'Type': 'Number',
        'Description': 'Its size.',
        'Default': 1,
        'MinValue': 1,
        'MaxValue': 5,
    }
    assert template['Parameters']['shared'] == {
        'Type': 'Boolean',
        'Description': 'Whether.',
        'Default': False,
        'AllowedValues': ['True', 'true', 'False', 'false'],
    }
    assert template['Parameters']['net'] == {'Type': 'String', 'Description': 'Its network.'}
    properties = template['Resources']['Thing']['Properties']
    assert properties['tags'] == {'Ref': 'tags'}
    assert properties['meta'] == {'Ref': 'meta'}
    assert template['Outputs'] == {
        'status': {'Value': {'Fn::GetAtt': ['Thing', 'status']}, 'Description': 'Its status.'},
        'OS::stack_id': {'Value': {'Ref': 'Thing'}},
    }


def test_template_for_result_can_be_bound():
    values = {
        'name': 'n',
        'net': 'x',
        'meta': {},
        'kind': 'a',
        'value': 'v',
        'shared': 'true',
        'tags': 'a,b',
        'count': '5',
        'flag': 'true',
        'items': 'a,b',
    }
    for kind in ('hot', 'cfn'):
        template = Template(
            reader.parse(template_for('OS::My::Thing', PROPERTIES, ATTRIBUTES, kind))
        )
        template.validate()
        parameters = template.parameters(
            {'tenant': 't', 'stack_name': 's', 'stack_id': 'i'}, values
        )
        parameters.validate()
        bound = template.bind(parameters)
        bound.validate()
        assert list(bound.resources) == ['Thing'] and 'status' in bound.outputs
