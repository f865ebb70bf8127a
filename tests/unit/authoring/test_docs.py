import dataclasses
import functools
import json
import re

import pytest

from heat_lite.authoring import docs, offline_types, type_examples, type_page
from heat_lite.engine.validation import offline_validation
from heat_lite.template import support
from heat_lite.template.editing import yaml_writer
from heat_lite.template.lint.linter import Linter

PLUGIN = """
from heat_lite.plugin import properties, resource


class Lamp(resource.Resource):
    '''A lamp.'''

    properties_schema = {
        'color': properties.Schema(
            properties.Schema.STRING, 'The color of the light.', required=True
        )
    }


def resource_mapping():
    return {'Acme::Lamp': Lamp}
"""


class OneFile:
    def __init__(self, text):
        self.text = text

    def join(self, name, reference):
        return reference

    def has(self, name):
        return False

    def read(self, name):
        return self.text


@pytest.fixture(scope='module')
def types():
    return offline_types.OfflineTypes()


def findings(types, text):
    errors = functools.partial(offline_validation.validation_errors, types)
    return Linter(types, OneFile(text), errors, ['deprecated'], types.base).lint(['example.yaml'])


def example_of(types, name):
    attributes = types.registry.get(name).all_attributes_schema()
    return type_examples.template_of(dataclasses.replace(types.get(name), attributes=attributes))


def test_examples_of_all_types_have_no_findings(types):
    names = types.names()
    found = {}
    for name in names:
        text = yaml_writer.to_yaml(example_of(types, name))
        assert f'type: {name}\n' in text
        found[name] = [str(each) for each in findings(types, text)]
    assert len(names) >= 200
    assert sum(types.get(name).support.status == support.HIDDEN for name in names) >= 36
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize(
    'name, attribute',
    [
        ('OS::Nova::Server', 'addresses'),
        ('OS::Neutron::Port', 'fixed_ips'),
        ('OS::Neutron::Net', 'subnets'),
        ('OS::Octavia::LoadBalancer', 'vip_address'),
        ('OS::Barbican::Secret', 'status'),
    ],
)
def test_example_shows_an_attribute_that_users_ask_for(types, name, attribute):
    [resource] = example_of(types, name)['resources']
    assert example_of(types, name)['outputs']['result']['value'] == {
        'get_attr': [resource, attribute]
    }


def test_no_example_shows_a_switch_or_a_secret(types):
    shown = {
        name: example_of(types, name)['outputs']['result']['value'].get('get_attr', [''])[-1]
        for name in types.names()
    }
    words = ('admin_state_up', 'description', 'decrypted_payload', 'SecretAccessKey')
    assert not [name for name, attribute in shown.items() if attribute in words]


def test_examples_in_the_file_are_of_existing_types(types):
    assert set(type_examples._curated()) <= set(types.names())


def test_secret_of_an_example_is_a_hidden_parameter(types):
    example = type_examples.template_of(types.get('AWS::RDS::DBInstance'))
    [name] = example['parameters']
    assert example['parameters'][name]['hidden'] is True
    [resource] = example['resources'].values()
    assert resource['properties'][name] == {'get_param': name}


@pytest.mark.parametrize('width', [70, 100])
def test_pages_of_all_types_fit_the_width(types, width):
    for name in types.names():
        attributes = types.registry.get(name).all_attributes_schema()
        for line in type_page.lines_of(types.get(name), attributes, '', width):
            # a word that is longer than the line stays whole
            assert len(line) <= width or len(line.split()) <= 2, line


def test_page_states_the_facts_of_properties(capsys, monkeypatch):
    monkeypatch.setenv('COLUMNS', '100')
    assert docs.main(['OS::Heat::RandomString']) == 0
    output = capsys.readouterr().out
    assert 'length: integer, default 32, 1 to 512, a change replaces the resource' in output
    assert '      Length of the string.' in output
    assert 'sequence: string, required\n' in output
    assert 'value (string)' in output
    assert '  heat_template_version: 2021-04-16\n' in output


def test_page_states_many_consecutive_numbers_as_a_range(capsys):
    assert docs.main(['OS::Neutron::SecurityGroupRule']) == 0
    assert 'one of 0 to 255 | ah | dccp' in ' '.join(capsys.readouterr().out.split())


def test_page_marks_a_type_that_heat_does_not_have(capsys):
    assert docs.main(['HeatLite::Container::Volume']) == 0
    assert 'An addition of heat_lite: Heat does not have it.' in capsys.readouterr().out


def test_json_has_the_schemas_and_the_example(capsys):
    assert docs.main(['--json', 'OS::Neutron::Port']) == 0
    page = json.loads(capsys.readouterr().out)
    assert page['properties']['network']['required'] is True
    assert page['properties']['name']['update_allowed'] is True
    assert 'fixed_ips' in page['attributes']
    assert page['example']['resources']['port']['type'] == 'OS::Neutron::Port'


@pytest.mark.parametrize(
    'name, meant', [('OS::Nova::Servr', 'OS::Nova::Server'), ('get_atr', 'get_attr')]
)
def test_misspelt_name_gets_a_suggestion(name, meant, capsys):
    assert docs.main([name]) == 1
    assert f'there is no resource type {name}. Did you mean {meant}?' in capsys.readouterr().err


@pytest.mark.parametrize(
    'word, meant',
    [('randomstring', 'OS::Heat::RandomString'), ('Server', 'OS::Nova::Server')],
)
def test_last_word_of_a_type_is_enough_if_it_is_unique(word, meant, capsys):
    assert docs.main([word]) == 0
    assert capsys.readouterr().out.startswith(f'{meant}\n')


def test_last_word_of_several_types_names_them(capsys):
    assert docs.main(['Port']) == 1
    assert 'Did you mean OS::Ironic::Port or OS::Neutron::Port?' in capsys.readouterr().err


def test_function_is_described(capsys):
    assert docs.main(['repeat']) == 0
    output = capsys.readouterr().out
    assert 'for_each' in output and 'since heat_template_version.2015-04-30' in output


def test_types_are_listed_by_a_part_of_their_name(capsys):
    assert docs.main(['--name', 'neutron::q']) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split() == ['TYPE', 'DESCRIPTION']
    assert rows[1:] and all(re.match(r'OS::Neutron::Q', row) for row in rows[1:])
    assert docs.main(['--name', 'no such type']) == 1


def test_type_of_a_plugin_is_described(tmp_path, capsys):
    (tmp_path / 'lamp.py').write_text(PLUGIN)
    assert docs.main(['--plugin-dir', str(tmp_path), 'Acme::Lamp']) == 0
    output = capsys.readouterr().out
    assert 'color: string, required' in output and 'color: my-color' in output
