"""What an editor asks the service about texts: findings and completions."""

import pytest

pytestmark = pytest.mark.parametrize('service', ['embedded', 'keystone'], indirect=True)

TEMPLATE = """heat_template_version: 2021-04-16
parameters:
  size: {type: number}
resources:
  server:
    type: OS::Heat::RandomString
    properties:
      lenght: {get_param: size}
      INDENT
  group:
    type: inside.yaml
    properties: {}
"""
INSIDE = """heat_template_version: 2021-04-16
parameters:
  wanted: {type: string}
resources:
  one: {type: OS::Heat::NoSuchType}
"""
TEMPLATE = TEMPLATE.replace('INDENT', '')


def lint(service, **body):
    return service.ask('POST', '/validate/lint', json=body)


def findings(service, **body):
    answer = lint(service, **body)
    assert answer.status_code == 200, answer.text
    return {
        (each['file'], each['line'], each['level'], each['rule'])
        for each in answer.json()['findings']
    }


def complete(service, line, column, template=TEMPLATE, **body):
    body = {'template': template, 'line': line, 'column': column, **body}
    answer = service.ask('POST', '/validate/complete', json=body)
    assert answer.status_code == 200, answer.text
    return {each['text'] for each in answer.json()['items']}, answer.json()['length']


def test_findings_name_the_text_and_the_place(service):
    found = findings(service, template=TEMPLATE, files={'inside.yaml': INSIDE})
    places = {each[:3] for each in found}
    assert ('template', 8, 'error') in places  # lenght
    assert ('inside.yaml', 5, 'error') in places  # OS::Heat::NoSuchType
    assert any(each[0] == 'template' and each[1] in (10, 11, 12) for each in found)  # wanted


def test_findings_in_an_environment(service):
    text = 'parameters: {size: 3, other: 1}\n'
    found = findings(service, template=TEMPLATE.partition('resources')[0], environment=text)
    assert any(each[0] == 'environment' for each in found)


def test_text_that_is_no_yaml_has_a_finding(service):
    assert {each[:3] for each in findings(service, template='a: [1\nb: {')} <= {
        ('template', line, 'error') for line in (1, 2, 3)
    }


def test_completions_of_a_property_a_reference_and_a_type(service):
    keys, length = complete(service, 9, 7)
    assert length == 0 and {'character_classes', 'salt'} <= keys
    line = TEMPLATE.splitlines()[7]
    assert complete(service, 8, len(line) - 3)[0] >= {'size'}
    types, length = complete(service, 6, 21)
    assert length == len('OS::Heat::') and 'OS::Heat::Value' in types


@pytest.mark.parametrize(
    'body',
    [
        {},
        {'template': {}},
        {'template': 'a', 'files': []},
        {'template': 'a', 'files': {'b': {}}},
        {'template': 'a', 'environment': {}},
        {'template': 'a', 'files': {'template': 'b'}},
    ],
)
def test_other_bodies_are_refused(service, body):
    assert lint(service, **body).status_code == 400
    assert service.ask('POST', '/validate/complete', json=body).status_code == 400


@pytest.mark.parametrize(
    'place', [{}, {'line': 0, 'column': 1}, {'line': 1, 'column': '1'}, {'line': True, 'column': 1}]
)
def test_place_that_is_none_is_refused(service, place):
    body = {'template': TEMPLATE, **place}
    assert service.ask('POST', '/validate/complete', json=body).status_code == 400


def test_long_texts_are_refused(service):
    answer = lint(service, template='a', files={'f': 'x' * 2**20})
    assert answer.status_code == 400 and 'exceed' in answer.json()['error']['message']


def test_choices_without_a_cloud_name_the_reason(service):
    for constraint in ('nova.flavour', 'ip_addr', 'neutron.lbaas.pool'):
        answer = service.ask('GET', f'/validate/choices/{constraint}')
        assert answer.status_code == 404, answer.text
        assert answer.json()['error']['message']
