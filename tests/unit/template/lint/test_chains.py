"""Members of resource chains. Heat 27 gives the same verdicts in previews."""

import pytest

from tests.unit.template.lint.documents import lint

CHAIN = """\
heat_template_version: 2021-04-16
resources:
  chain: {type: OS::Heat::ResourceChain, properties: %s}
"""
READER = CHAIN % '{resources: [OS::Heat::RandomString, OS::Heat::None]}' + (
    '  r: {type: OS::Heat::Value, properties: {value: {get_attr: [chain, %s]}}}\n'
)


def findings(text):
    return [(each.level, each.rule, each.line) for each in lint({'x': text})]


@pytest.mark.parametrize(
    'properties, expected',
    [
        ('{resources: []}', []),
        ('{resources: [{}]}', [('error', 'unknown-type', 3)]),
        ('{resources: [3]}', [('error', 'unknown-type', 3)]),
        ("{resources: ['']}", [('error', 'unknown-type', 3)]),
        ('{resources: [OS::Heat::NoSuch]}', [('error', 'unknown-type', 3)]),
        (
            '{resources: [OS::Heat::RandomString], resource_properties: {lenght: 1}}',
            [('error', 'unknown-property', 3)],
        ),
        ('{resources: [OS::Heat::RandomString], resource_properties: {length: 9}}', []),
        ('{resources: [OS::Heat::Value]}', [('warning', 'missing-property', 3)]),
    ],
)
def test_lint_chain_checks_types_and_properties_of_members(properties, expected):
    assert findings(CHAIN % properties) == expected


@pytest.mark.parametrize('attribute', ['refs', 'attributes', 'show', 'value', 'resource.0'])
def test_lint_chain_accepts_attributes_of_all_members(attribute):
    assert findings(READER % attribute) == []


@pytest.mark.parametrize('attribute', ['nonsense', 'refs_map', 'resource'])
def test_lint_chain_refuses_attributes_that_a_member_lacks(attribute):
    assert findings(READER % attribute) == [('error', 'unknown-attribute', 4)]


def test_lint_condition_refuses_list_as_name_of_parameter():
    text = """\
AWSTemplateFormatVersion: '2010-09-09'
Parameters: {p: {Type: String, Default: x}}
Conditions: {c: {'Fn::Equals': [{Ref: [p, q]}, x]}}
Resources: {r: {Type: OS::Heat::RandomString, Condition: c}}
"""
    assert ('error', 'function', 3) in findings(text)


def test_lint_group_missing_property_of_member_is_warning():
    group = """\
heat_template_version: 2021-04-16
resources:
  g: {type: OS::Heat::ResourceGroup, properties: {resource_def: {type: OS::Heat::Value}}}
"""
    assert findings(group) == [('warning', 'missing-property', 3)]
