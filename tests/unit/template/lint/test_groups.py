"""Groups in templates: what the engine validates in their nested stacks."""

import pytest

from tests.unit.template.lint.documents import lint

GROUP = """\
heat_template_version: 2021-04-16
resources:
  g: {type: OS::Heat::ResourceGroup, properties: {count: %s, resource_def: %s}}
  v: {type: OS::Heat::Value, properties: {value: {get_attr: [g, %s]}}}
"""
STRING = '{type: OS::Heat::RandomString}'
DEPLOYMENTS = """\
heat_template_version: 2021-04-16
resources:
  c: {type: OS::Heat::SoftwareConfig}
  d:
    type: OS::Heat::SoftwareDeploymentGroup
    properties:
      config: {get_resource: c}
      servers: {a: x}
      input_values: {a: %s}
"""


def findings(text):
    return [(each.level, each.rule, each.line) for each in lint({'x': text})]


@pytest.mark.parametrize(
    'path', ['value', 'refs', 'resource.0', 'resource.0, value', 'resource.9.value']
)
def test_attribute_of_members_is_accepted(path):
    assert findings(GROUP % (2, STRING, path)) == []


@pytest.mark.parametrize(
    'path', ['nosuch', 'resource', 'resource.0, nosuch', 'resource.0.nosuch', 'attributes, nosuch']
)
def test_attribute_that_members_lack_is_an_error(path):
    assert findings(GROUP % (2, STRING, path)) == [('error', 'validation', 3)]


@pytest.mark.parametrize(
    'member, found',
    [
        ('null', 'validation'),
        ('{type: null}', 'validation'),
        ('{type: OS::Heat::No}', 'unknown-type'),
    ],
)
def test_group_without_a_type_of_members_is_an_error(member, found):
    assert [(level, rule) for level, rule, _ in findings(GROUP % (1, member, 'refs'))] == [
        ('error', found)
    ]


@pytest.mark.parametrize(
    'member', ['{type: X::Y}', '{type: OS::Heat::RandomString, properties: {lenght: 1}}']
)
def test_member_of_a_group_of_size_0_is_a_warning(member):
    assert [level for level, _, _ in findings(GROUP % (0, member, 'refs'))] == ['warning']


def test_member_of_a_foreign_type_is_a_warning():
    assert findings(GROUP % (1, '{type: X::Y}', 'refs')) == [('warning', 'foreign-type', 3)]


@pytest.mark.parametrize(
    'value', ['{list_join: [1, 2, 3]}', '{digest: [nosuch, x]}', '{str_split: [x]}']
)
def test_function_in_the_inputs_of_a_deployment_group_is_evaluated(value):
    assert ('error', 'validation', 9) in findings(DEPLOYMENTS % value)


def test_nested_template_that_is_a_url_is_not_read():
    text = """\
HeatTemplateFormatVersion: '2012-12-12'
Resources:
  n: {Type: 'AWS::CloudFormation::Stack', Properties: {TemplateURL: 'http://127.0.0.1:1/x'}}
"""
    assert findings(text) == []


INDEXED = """\
heat_template_version: 2021-04-16
parameters: {word: {type: string, default: '%%i%%'}}
resources:
  g:
    type: %s
    properties:
      %s: {type: number.yaml, properties: {place: %s}}
      %s
"""
NUMBER = """\
heat_template_version: 2021-04-16
parameters: {place: {type: number, constraints: [{range: {min: 1, max: 20}}]}}
resources: {v: {type: OS::Heat::Value, properties: {value: {get_param: place}}}}
"""


@pytest.mark.parametrize(
    ('place', 'more', 'fault'),
    [
        ("'%index%'", '', False),
        ("'1%index%'", '', False),
        ('PLACE', 'index_var: PLACE', False),
        ('1PLACE', 'index_var: PLACE', False),
        ('any', 'index_var: {get_param: word}', False),
        ("'a%index%'", '', True),
        ("'%index%'", 'index_var: PLACE', True),
    ],
)
def test_index_of_a_member_in_a_number_is_a_number(place, more, fault):
    text = INDEXED % ('OS::Heat::ResourceGroup', 'resource_def', place, more)
    found = lint({'x': text, 'number.yaml': NUMBER}, ignored=['unused-parameter'])
    assert [(each.rule, each.line) for each in found] == ([('property-value', 7)] if fault else [])


def test_member_of_a_scaling_group_has_no_index():
    text = INDEXED % (
        'OS::Heat::AutoScalingGroup',
        'resource',
        "'%index%'",
        'min_size: 1\n      max_size: 2',
    )
    found = lint({'x': text, 'number.yaml': NUMBER}, ignored=['unused-parameter'])
    assert [(each.rule, each.line) for each in found] == [('property-value', 7)]


@pytest.mark.parametrize('type_name', ['n.yaml', 'http://192.0.2.1/n.yaml'])
def test_group_with_an_output_of_a_nested_template_is_accepted_without_its_text(type_name):
    top = f"""\
heat_template_version: 2021-04-16
resources:
  n: {{type: {type_name}}}
  g:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def: {{type: OS::Heat::RandomString, properties: {{salt: {{get_attr: [n, out]}}}}}}
"""
    nested = """\
heat_template_version: 2021-04-16
resources: {r: {type: OS::Heat::RandomString}}
outputs: {out: {value: {get_attr: [r, value]}}}
"""
    found = lint({'x': top, 'n.yaml': nested}, ['x'])
    assert [each.rule for each in found] in ([], ['not-read'])
