"""Errors about templates sent as text: Heat's message, and the line and column beside it."""

import pytest

from tests.functional import shapes

HEAD = (
    'heat_template_version: 2021-04-16\n'
    'parameters:\n  size: {type: number, default: 1}\nresources:\n'
)
HEAD += '  one: {type: OS::Heat::Value, properties: {value: 1}}\n  two:\n'
PROPERTY = (
    HEAD
    + '    type: OS::Heat::TestResource\n    properties:\n      value: x\n      wait_secs: soon\n'
)
REFERENCE = (
    HEAD
    + '    type: OS::Heat::Value\n'
    + '    properties:\n      value: {list_join: ["", [{get_resource: zz}]]}\n'
)
FUNCTION = HEAD + '    type: OS::Heat::Value\n    properties:\n      value:\n        list_join: 5\n'
SCHEMA = HEAD.replace('number', 'nmbr') + '    type: OS::Heat::None\n'
VALUE = HEAD + '    type: OS::Heat::None\n'
OUTPUT = VALUE + 'outputs:\n  o:\n    value: {get_attr: [one, valeu]}\n'
TYPE = HEAD + '    type: OS::Heat::Nnoe\n'
SERVICE = HEAD + '    type: OS::Nova::KeyPair\n    properties: {name: k}\n'
RULE = HEAD + '    type: OS::Heat::RandomString\n    properties:\n      length: 1\n'
RULE += '      character_sequences: [{sequence: abc, min: 2}]\n'
CYCLE = VALUE + '    depends_on: two\n'
KEYWORD = VALUE + '    property: {}\n'
SECTION = VALUE + 'output: {}\n'
NEEDED = VALUE + '    depends_on: none\n'
VERSION = VALUE.replace('heat_template_version', 'heat_template_versoin')
INNER = (
    'heat_template_version: 2021-04-16\nresources:\n  inside:\n'
    '    type: OS::Heat::RandomString\n    properties: {lenght: 9}\n'
)


@shapes.of('embedded')
@pytest.mark.parametrize(
    'template, more, position',
    [
        (PROPERTY, {}, (10, 7)),
        (REFERENCE, {}, (9, 47)),
        (FUNCTION, {}, (10, 9)),
        (SCHEMA, {}, (3, 3)),
        (VALUE, {'parameters': {'size': 'big'}}, (3, 3)),
        (OUTPUT, {}, (10, 29)),
        (TYPE, {}, (7, 11)),
        (SERVICE, {}, (7, 11)),
        (RULE, {}, (8, 5)),
        (CYCLE, {}, (6, 3)),
        (KEYWORD, {}, (8, 5)),
        (SECTION, {}, (8, 1)),
        (NEEDED, {}, (8, 17)),
        (VERSION, {}, (1, 1)),
    ],
    ids=[
        'property',
        'reference',
        'function',
        'schema',
        'value',
        'output',
        'type',
        'service',
        'rule',
        'cycle',
        'keyword',
        'section',
        'needed',
        'version',
    ],
)
def test_error_in_a_template_has_its_position(service, template, more, position):
    answer = service.ask('POST', '/stacks', {'stack_name': 'places', 'template': template, **more})
    error = answer.json()['error']
    assert answer.status_code == 400, answer.text
    assert error['position'] == {'file': 'template', 'line': position[0], 'column': position[1]}, (
        error['message']
    )
    assert 'line' not in error['message']


@shapes.of('embedded')
@pytest.mark.parametrize(
    'environment, line',
    [('# of mine\nparameters:\n  size: big\n', 3), ('parameters:\n  size: 1\n  sice: 1\n', 3)],
)
def test_error_in_an_environment_has_its_line(service, environment, line):
    wanted = {'line': line, 'column': 3}
    body = {'stack_name': 'places', 'template': VALUE, 'environment': environment}
    answer = service.ask('POST', '/stacks', body)
    assert answer.json()['error']['position'] == {'file': 'environment', **wanted}, answer.text
    body.update(files={'mine.yaml': environment}, environment_files=['mine.yaml'])
    answer = service.ask('POST', '/stacks', body)
    assert answer.json()['error']['position'] == {'file': 'mine.yaml', **wanted}, answer.text


@shapes.of('embedded')
def test_error_in_a_nested_template_has_its_position(service):
    outer = {'heat_template_version': '2021-04-16', 'resources': {'r': {'type': 'inner.yaml'}}}
    answer = service.ask(
        'POST',
        '/stacks',
        {'stack_name': 'places', 'template': outer, 'files': {'inner.yaml': INNER}},
    )
    assert answer.status_code == 400, answer.text
    assert answer.json()['error']['position'] == {'file': 'inner.yaml', 'line': 5, 'column': 18}, (
        answer.text
    )


@shapes.of('embedded')
def test_template_validate_returns_the_position(service):
    answer = service.ask(
        'POST', '/validate', {'template': PROPERTY.replace('wait_secs: soon', 'wait_sec: 1')}
    )
    assert answer.json()['error']['position'] == {'file': 'template', 'line': 10, 'column': 7}, (
        answer.text
    )
