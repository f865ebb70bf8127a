"""Misspelt names in an engine: Heat's recorded message, followed by a suggestion."""

import pytest

from heat_lite.common import exception
from heat_lite.template import reader
from tests import databases, engines

VALUE = {'type': 'OS::Heat::Value', 'properties': {'value': 1}}
TEST = 'OS::Heat::TestResource'


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with (
        databases.migrated('sqlite', tmp_path_factory.mktemp('suggestions')) as url,
        engines.running(url) as driver,
    ):
        yield driver


def reading(value):
    return {
        'resources': {
            'source': VALUE,
            'reader': {'type': 'OS::Heat::Value', 'properties': {'value': value}},
        }
    }


def of(properties, kind=TEST):
    return {'resources': {'one': {'type': kind, 'properties': properties}}}


CASES = {
    'resource key': (
        {'resources': {'one': {**VALUE, 'metdata': {}}}},
        '"metdata" is not a valid keyword',
        'metadata',
    ),
    'type': (
        of({}, 'OS::Heat::Vlaue'),
        'The Resource Type (OS::Heat::Vlaue) could not be found',
        'OS::Heat::Value',
    ),
    'type in another case': (
        of({}, 'os::heat::value'),
        'The Resource Type (os::heat::value) could not be found',
        'OS::Heat::Value',
    ),
    'property': (of({'wait_sec': 1}), 'Unknown Property wait_sec', 'wait_secs'),
    'attribute': (
        reading({'get_attr': ['source', 'valeu']}),
        'The Referenced Attribute (source valeu) is incorrect',
        'value',
    ),
    'resource of get_attr': (
        reading({'get_attr': ['sorce', 'value']}),
        'The specified reference "sorce"',
        'source',
    ),
    'resource of get_resource': (
        reading({'get_resource': 'sourec'}),
        'The specified reference "sourec"',
        'source',
    ),
    'depends_on': (
        {'resources': {'source': VALUE, 'x': {**VALUE, 'depends_on': 'suorce'}}},
        'The specified reference "suorce"',
        'source',
    ),
    'parameter key': (
        {'parameters': {'size': {'type': 'string', 'defualt': 1}}},
        "Invalid key 'defualt' for parameter (size)",
        'default',
    ),
    'parameter type': (
        {'parameters': {'size': {'type': 'strng'}}},
        'Invalid type (strng)',
        'string',
    ),
    'constraint': (
        {'parameters': {'size': {'type': 'string', 'constraints': [{'lenght': {'min': 1}}]}}},
        "Invalid key 'lenght' for parameter constraints",
        'length',
    ),
    'grouped parameter': (
        {
            'parameters': {'size': {'type': 'string'}},
            'parameter_groups': [{'parameters': ['szie']}],
        },
        'The grouped parameter szie does not reference a valid parameter.',
        'size',
    ),
    'condition': (
        {'conditions': {'is_prod': True}, 'resources': {'one': {**VALUE, 'condition': 'is_prd'}}},
        'resources.one.condition: Invalid condition "is_prd"',
        'is_prod',
    ),
    'function of a condition': (
        {'conditions': {'is_prod': {'eqals': [1, 1]}}},
        'The definition of condition "is_prod" is invalid',
        'equals',
    ),
    'deletion policy': (
        {'resources': {'one': {**VALUE, 'deletion_policy': 'Retian'}}},
        'Invalid deletion policy "Retian"',
        'Retain',
    ),
    'output': (
        {'outputs': {'one': {'valeu': 1}}},
        'Each output definition must contain a value key',
        'value',
    ),
}


@pytest.mark.parametrize('name', CASES)
def test_validation_suggests_names(engine, name):
    template, recorded, meant = CASES[name]
    text = validation_message(engine, template)
    assert recorded in text
    assert text.endswith(f'. Did you mean "{meant}"?')


def validation_message(engine, template, **more):
    template = {'heat_template_version': '2021-04-16', **template}
    try:
        answer = engine.client.validate_template(engine.context, template=template, **more)
    except exception.HeatException as error:
        return str(error)
    return answer['Error']


# only a create evaluates these
CREATE = {
    'property inside': (of({'action_wait_secs': {'crate': 1}}), 'Unknown Property crate', 'create'),
    'function in a text': (of({'value': {'get_parm': 'x'}}), 'Value must be a string', 'get_param'),
    'parameter': (
        of({'value': {'get_param': 'szie'}}),
        'The Parameter (szie) was not provided.',
        'size',
    ),
}


@pytest.mark.parametrize('name', CREATE)
def test_create_suggests_names(engine, name):
    template, recorded, meant = CREATE[name]
    template = {**template, 'parameters': {'size': {'type': 'string', 'default': 'm'}}}
    with pytest.raises(exception.HeatException) as refused:
        engine.create(template)
    assert recorded.removesuffix('.') in str(refused.value)
    assert str(refused.value).endswith(f'. Did you mean "{meant}"?')


def test_unknown_parameter_suggests_a_name(engine):
    template = {'parameters': {'flavor': {'type': 'string', 'default': 'm'}}}
    text = validation_message(engine, template, params={'parameters': {'flavour': 's'}})
    assert text == 'The Parameter (flavour) was not defined in template. Did you mean "flavor"?'


def test_custom_constraint_suggests_a_value(engine):
    template = {
        'parameters': {
            'net': {
                'type': 'string',
                'default': '10.0.0.0/8',
                'constraints': [{'custom_constraint': 'net_cdir'}],
            }
        }
    }
    with pytest.raises(
        exception.StackValidationFailed,
        match=r'\(constraint not found\). Did you mean "net_cidr"\?$',
    ):
        engine.create(template)


def test_type_of_the_environment_is_suggested(engine):
    environment = {'resource_registry': {'My::Own::Server': 'OS::Heat::None'}}
    text = validation_message(engine, of({}, 'My::Own::Sever'), params=environment)
    assert (
        text
        == 'The Resource Type (My::Own::Sever) could not be found. Did you mean "My::Own::Server"?'
    )


def test_missing_version_and_wrong_section_are_refused_without_an_engine():
    with pytest.raises(
        reader.FormatError,
        match='^Template format version not found. Did you mean "heat_template_version"[?]$',
    ):
        reader.parse_file('heat_template_verison: 2021-04-16', 'a.yaml')
    with pytest.raises(
        reader.FormatError, match='wrong section "paramaters". Did you mean "parameters"[?]$'
    ):
        reader.parse_environment('paramaters: {}')
