import json
from pathlib import Path

import jsonschema
import pytest

from heat_lite.authoring import offline_types
from heat_lite.template import dialects, json_schema, reader
from heat_lite.template.constraints import AllowedPattern, AllowedValues, Length, Modulo, Range
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.parameters import parameter_schema
from heat_lite.template.schema import any_, boolean, integer, list_, map_, number, string

ROOT = Path(__file__).parents[3]
TYPES = offline_types.OfflineTypes()
HOT = {'heat_template_version': '2021-04-16'}


class Table(dict):
    """Types by name."""

    def names(self):
        return list(self)


def validator(types):
    schema = json_schema.hot_schema(types)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(json.loads(json.dumps(schema)))


@pytest.fixture(scope='module')
def service():
    return validator(TYPES)


@pytest.mark.parametrize(
    'path', sorted((ROOT / 'etc/heat_lite/templates').glob('*.yaml')), ids=lambda path: path.name
)
def test_hot_schema_accepts_shipped_templates(service, path):
    service.validate(reader.parse(path.read_text()))


def test_hot_schema_accepts_templates_that_heat_accepts(service):
    """Return the recorded templates that Heat accepted and whose types exist here."""
    cases = json.loads((ROOT / 'tests/conformance/function_cases.json').read_text())['cases']
    seen = 0
    for case in cases:
        data = case['request']['template']
        known = isinstance(data, dict) and isinstance(data.get('heat_template_version'), str)
        if not known or case['expect']['http_status'] != 201:
            continue
        types = [each['type'] for each in (data.get('resources') or {}).values()]
        if all(TYPES.knows(name) for name in types):
            errors = [f'{list(error.path)}: {error.message}' for error in service.iter_errors(data)]
            assert not errors, (case['id'], errors)
            seen += 1
    assert seen > 150


def test_hot_schema_has_the_keys_of_the_language():
    schema = json_schema.hot_schema(Table())
    resource = schema['definitions']['resource']['properties']
    assert {*resource} == {*dialects.OWN.resource.values()}
    assert {*schema['definitions']['parameter']['properties']} == {*parameter_schema.HOT_KEYS}
    sections = {'heat_template_version', *dialects.OWN.sections.values()}
    assert {*schema['properties']} == sections


def of(**sections):
    return {**HOT, **sections}


def resource(properties, kind='My::Type'):
    return of(resources={'r': {'type': kind, 'properties': properties}})


KIND = TypeInfo(
    'My::Type',
    {
        'name': string(required=True, constraints=[Length(min=2), AllowedPattern('[a-z]+')]),
        'size': integer(constraints=[Range(1, 9)]),
        'rate': number(default=1.5, constraints=[Modulo(2, 1)]),
        'on': boolean(),
        'kind': string(constraints=[AllowedValues(['a', 'b'])]),
        'old_name': string(history='hidden'),
        'any': any_(),
        'free': map_(),
        'fixed': map_(keys={'inner': string(required=True)}),
        'list': list_(
            item=integer(constraints=[AllowedValues([1, 2])]), constraints=[Length(max=2)]
        ),
    },
)
TABLE = Table(
    {
        'My::Type': KIND,
        'My::Other': TypeInfo('My::Other', {'x': string()}),
        'My::Any': TypeInfo('My::Any', None),
    }
)


@pytest.mark.parametrize(
    'given',
    [
        {'size': 3},
        {'size': '3'},
        {'size': None},
        {'size': {'get_param': 'x'}},
        {'rate': '1e3', 'on': 'TRUE', 'kind': 'a'},
        {'kind': {'if': ['c', 'a', 'b']}},
        {'old_name': 'x'},
        {'any': [1, {'a': {}}]},
        {'free': {'a': [1]}},
        {'fixed': {'inner': 'x'}},
        {'fixed': {'get_attr': ['r', 'x']}},
        {'list': [1, '2']},
        {'list': [1, {'get_param': 'x'}]},
    ],
)
def test_hot_schema_accepts_valid_properties(given):
    validator(TABLE).validate(resource({'name': 'ab', **given}))


@pytest.mark.parametrize(
    'template',
    [
        {},
        {'heat_template_version': '2021-04-17'},
        of(resource={}),
        of(resources={'r': {'properties': {}}}),
        of(resources={'r': {'type': 'My::Typo'}}),
        of(resources={'r': {'type': 'My::Type'}}),
        of(resources={'r': {'type': 'My::Other', 'propertis': {}}}),
        of(resources={'r': {'type': 'My::Other', 'deletion_policy': 'keep'}}),
        resource({'x': [1]}, 'My::Other'),
        resource({'nam': 'ab'}),
        resource({'name': 'A'}),
        resource({'name': 'ab', 'size': 10}),
        resource({'name': 'ab', 'size': 'x'}),
        resource({'name': 'ab', 'size': [1]}),
        resource({'name': 'ab', 'on': 'yes'}),
        resource({'name': 'ab', 'kind': 'c'}),
        resource({'name': 'ab', 'fixed': {}}),
        resource({'name': 'ab', 'fixed': {'get_parm': 'x'}}),
        resource({'name': 'ab', 'list': [1, 2, 1]}),
        resource({'name': 'ab', 'list': [3]}),
        of(parameters={'p': {'type': 'strng'}}),
        of(parameters={'p': {'type': 'string', 'defualt': 1}}),
        of(parameters={'p': {'type': 'string', 'constraints': [{'lenght': {}}]}}),
        of(conditions={'c': {'get_attr': ['r', 'x']}}),
        of(outputs={'o': {'vale': 1}}),
    ],
)
def test_hot_schema_refuses_invalid_templates(template):
    assert list(validator(TABLE).iter_errors(template))


def test_hot_schema_accepts_types_of_other_namespaces():
    check = validator(TABLE)
    check.validate(resource({'a': 1}, 'Your::Type'))
    check.validate(resource({'a': 1}, 'inner.yaml'))
    check.validate(resource({'a': 1}, 'My::Any'))


def test_hot_schema_contains_descriptions():
    told = json_schema.hot_schema(TYPES)['definitions']
    assert told['call']['properties']['get_param']['description']
    assert told['OS::Heat::RandomString']['properties']['length']['description']
    assert told['OS::Heat::RandomString']['properties']['length']['default'] == 32
    assert told['OS::Heat::RandomString']['properties']['sequence']['doNotSuggest']


def test_hot_schema_marks_values_that_heat_does_not_have():
    rule = json_schema.hot_schema(TYPES)['definitions']['OS::Neutron::FirewallRule']['properties']
    assert rule['action']['description'].endswith(' Heat does not have the values reject.')
    assert 'Heat does not have' not in rule['protocol']['description']


def test_hot_schema_marks_types_that_heat_does_not_have():
    (ours,) = [
        each['enum']
        for each in json_schema.hot_schema(TYPES)['definitions']['resource']['properties']['type'][
            'anyOf'
        ]
        if each.get('description', '').startswith('An addition of heat_lite')
    ]
    assert 'HeatLite::Container::Volume' in ours and 'OS::Heat::Value' not in ours
