"""Several documents at once: environments, nested templates, files; and the reports."""

import json

import pytest

from heat_lite.template.environment import Environment
from heat_lite.template.lint import finding, report
from heat_lite.template.lint.finding import Finding
from heat_lite.template.lint.linter import Linter
from heat_lite.template.lint.rules import RULES
from tests.unit.template.lint import documents
from tests.unit.template.lint.documents import lint

HOT = 'heat_template_version: 2021-04-16\n'
OUTER = (
    HOT
    + 'resources:\n  r:\n    type: My::Thing\n    properties: {size: 1}\n'
    + 'outputs:\n  o: {value: {get_attr: [r, shape]}}\n'
)
INNER = (
    HOT
    + 'parameters:\n  size: {type: number}\n'
    + 'resources:\n  v: {type: OS::Heat::Value, properties: {value: {get_param: size}}}\n'
    + 'outputs:\n  shape: {value: {get_attr: [v, value]}}\n'
)


def places(found):
    return [(each.file, each.line, each.rule) for each in found]


def test_lint_valid_template_finds_nothing():
    assert lint({'inner.yaml': INNER}) == []


def test_lint_type_mapped_by_environment_is_known():
    """Names of files are relative to the file that refers to them."""
    environment = 'resource_registry:\n  "My::Thing": things/inner.yaml\n'
    contents = {
        'outer.yaml': OUTER,
        'environments/e.yaml': environment,
        'environments/things/inner.yaml': INNER,
    }
    assert lint(contents, ['outer.yaml', 'environments/e.yaml']) == []
    assert places(lint(contents, ['outer.yaml'])) == [('outer.yaml', 4, 'foreign-type')]


def test_lint_type_mapped_by_operator_is_known():
    """The environment of a stack may map a type to one that the operator maps further."""
    base = Environment({'resource_registry': {'OS::Old*': 'OS::Heat*'}})
    text = (
        HOT
        + 'resources:\n  r: {type: OS::Old::RandomString, properties: {length: 0}}\n'
        + '  s: {type: Mine}\n  t: {type: OS::Old::Vlaue}\n'
    )
    files = documents.Files({'x': text, 'e': 'resource_registry: {Mine: OS::Old::RandomString}\n'})
    found = Linter(documents.TYPES, files, base=base).lint(['x', 'e'])
    assert places(found) == [('x', 3, 'property-value'), ('x', 5, 'unknown-type')]


def test_lint_nested_template_misused_finds_properties_and_attributes():
    outer = (
        OUTER.replace('My::Thing', 'a/inner.yaml')
        .replace('size: 1', 'sice: 1')
        .replace('shape', 'form')
    )
    assert places(lint({'outer.yaml': outer, 'a/inner.yaml': INNER})) == [
        ('outer.yaml', 5, 'missing-property'),
        ('outer.yaml', 5, 'unknown-property'),
        ('outer.yaml', 7, 'unknown-attribute'),
    ]


def test_lint_nested_template_used_often_is_checked_once():
    outer = HOT + 'resources:\n' + ''.join(f'  r{n}: {{type: a/middle.yaml}}\n' for n in range(3))
    contents = {
        'outer.yaml': outer,
        'a/middle.yaml': HOT + 'resources: {x: {type: inner.yaml}}\n',
        'a/inner.yaml': HOT + 'resource: {}\n',
    }
    assert places(lint(contents)) == [
        ('a/inner.yaml', 1, 'no-resources'),
        ('a/inner.yaml', 2, 'unknown-section'),
    ]


def test_lint_template_wrapping_its_own_type_finds_nothing():
    wrapper = HOT + 'resources: {inner: {type: OS::Heat::Value, properties: {value: 1}}}\n'
    user = HOT + 'resources: {r: {type: OS::Heat::Value}}\n'
    contents = {
        't.yaml': user,
        'e.yaml': 'resource_registry: {"OS::Heat::Value": wrapper.yaml}\n',
        'wrapper.yaml': wrapper,
    }
    assert lint(contents, ['t.yaml', 'e.yaml']) == []


def test_lint_group_member_with_wrong_properties_finds_them():
    text = (
        HOT
        + 'resources:\n  g:\n    type: OS::Heat::None\n    properties:\n'
        + '      resource_def: {type: inner.yaml, properties: {sice: 1}}\n'
    )
    assert places(lint({'x.yaml': text, 'inner.yaml': INNER})) == [
        ('x.yaml', 6, 'missing-property'),
        ('x.yaml', 6, 'unknown-property'),
    ]


def test_lint_environment_with_two_templates_checks_value_for_each():
    contents = {'a.yaml': INNER, 'b.yaml': INNER, 'e.yaml': 'parameters: {size: big}\n'}
    assert [each.text.rpartition('(')[2] for each in lint(contents, list(contents))] == [
        'a.yaml)',
        'b.yaml)',
    ]


def test_lint_missing_file_finds_syntax():
    assert places(lint({}, ['x.yaml'])) == [('x.yaml', 1, 'syntax')]


def test_lint_ignored_rule_finds_nothing():
    assert lint({'x.yaml': HOT}, ignored=['no-resources']) == []


@pytest.mark.parametrize(
    'text, position',
    [
        ('', (1, 1)),
        ('[]', (1, 1)),
        ('a: [', (1, 5)),
        ('a: b: c', (1, 5)),
        ('{"a": 1 "b": 2}', (1, 12)),
        ('x: !!python/object:os.system {}\n', (1, 4)),
        ('a: ' + '[' * 200 + ']' * 200, (1, 104)),
    ],
)
def test_lint_unreadable_text_finds_position_of_syntax(text, position):
    [found] = [each for each in lint({'x': text}) if each.rule == 'syntax']
    assert (found.level, found.line, found.column) == ('error', *position)


@pytest.mark.parametrize(
    'value',
    [
        None,
        1,
        'x',
        [],
        [1],
        {},
        {'a': 1},
        {'r': None},
        {'r': []},
        {'r': {'type': 1, 'properties': []}},
    ],
)
@pytest.mark.parametrize(
    'section',
    ['parameters', 'parameter_groups', 'conditions', 'resources', 'outputs', 'description'],
)
@pytest.mark.parametrize(
    'version', ['heat_template_version: "2021-04-16"', 'AWSTemplateFormatVersion: "2010-09-09"']
)
def test_lint_section_with_any_value_does_not_raise(version, section, value):
    key, _, name = version.partition(': ')
    word = (
        section
        if key.startswith('heat')
        else ''.join(part.capitalize() for part in section.split('_'))
    )
    assert lint({'x': json.dumps({key: json.loads(name), word: value})}) is not None


@pytest.mark.parametrize(
    'value',
    [None, 1, 'x', [], [1], {'a': 1}, {'a': None}, {'resources': 1}, {'resources': {'a': 1}}],
)
@pytest.mark.parametrize(
    'section',
    [
        'parameters',
        'parameter_defaults',
        'resource_registry',
        'event_sinks',
        'parameter_merge_strategies',
    ],
)
def test_lint_environment_with_any_value_does_not_raise(section, value):
    contents = {'x': json.dumps({section: value}), 't': INNER}
    assert lint(contents, ['x', 't']) is not None


@pytest.mark.parametrize(
    'parts',
    [
        {'outputs': {'o': {'value': {'get_attr': [{'a': 1}, 'value']}}}},
        {'outputs': {'o': {'value': {'get_attr': [{'if': ['c', 1, 2]}]}}}},
        {'resources': {'r': {'type': 'OS::Heat::None', 'external_id': {'get_resource': ['r']}}}},
        {
            'resources': {
                'r': {'type': ['r'], 'depends_on': ['s', {'Ref': 'p'}, []]},
                's': {'type': 'OS::Heat::None', 'depends_on': {}},
            }
        },
        {'conditions': {'c': {'not': []}, 'd': {'or': [[], {}]}, 'e': None}},
    ],
)
def test_lint_odd_arguments_finds_error(parts):
    found = lint({'x': json.dumps({'heat_template_version': '2021-04-16', **parts})})
    assert [each for each in found if each.level == 'error']


# --------------------------------------------------------------- reports

FOUND = [
    Finding('a b.yaml', 3, 7, 'error', 'cycle', 'Round and "round"'),
    Finding('c.yaml', 1, 1, 'note', 'not-read', 'Far'),
]


def test_as_text_findings_are_listed_and_counted():
    assert (
        report.as_short_text(FOUND)
        == 'a b.yaml:3:7: error cycle: Round and "round"\nc.yaml:1:1: note not-read: Far\n'
        '1 error, 1 note'
    )
    assert report.as_short_text([]) == report.as_text([], {}) == 'nothing to complain about'


def test_as_json_findings_have_their_fields():
    assert json.loads(report.as_json(FOUND))[0] == {
        'file': 'a b.yaml',
        'line': 3,
        'column': 7,
        'level': 'error',
        'rule': 'cycle',
        'text': 'Round and "round"',
    }


def test_as_sarif_log_meets_standard():
    """SARIF 2.1.0, section 3.13 and the sections of its objects."""
    log = json.loads(report.as_sarif(FOUND, '1.2.3'))
    assert log['version'] == '2.1.0' and log['$schema'].endswith('sarif-2.1.0.json')
    [run] = log['runs']
    driver = run['tool']['driver']
    assert driver['name'] and [rule['id'] for rule in driver['rules']] == [
        rule.name for rule in RULES
    ]
    assert all(rule['shortDescription']['text'] for rule in driver['rules'])
    for result, each in zip(run['results'], FOUND, strict=True):
        assert driver['rules'][result['ruleIndex']]['id'] == result['ruleId'] == each.rule
        assert result['level'] in ('none', 'note', 'warning', 'error')
        assert result['message'] == {'text': each.text}
        [location] = result['locations']
        assert location['physicalLocation']['region'] == {
            'startLine': each.line,
            'startColumn': each.column,
        }
    assert run['results'][0]['locations'][0]['physicalLocation']['artifactLocation'] == {
        'uri': 'a%20b.yaml'
    }


@pytest.mark.parametrize(
    'levels, status', [([], 0), (['note'], 0), (['warning', 'note'], 1), (['warning', 'error'], 2)]
)
def test_exit_status_follows_worst_level(levels, status):
    assert (
        finding.exit_status([Finding('x', 1, 1, level, 'cycle', '') for level in levels]) == status
    )
