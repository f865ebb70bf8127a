"""What Heat accepts is no error: parts that are read late or never, values that are not known."""

import pytest

from tests.unit.template.lint.documents import lint

HOT = 'heat_template_version: 2021-04-16\n'
CFN = "AWSTemplateFormatVersion: '2010-09-09'\n"
VALUE = 'resources:\n  r: {{type: OS::Heat::Value, properties: {{value: {}}}}}\n'
OUTPUT = 'outputs:\n  o: {{value: {}}}\n'
OFF = 'conditions: {never: false}\n'
ALARM = (
    'resources:\n  a:\n    type: AWS::CloudWatch::Alarm\n    properties: {EvaluationPeriods: 1,'
    ' MetricName: m, Namespace: n, Period: 60, Statistic: Sum, Threshold: 1,'
    ' ComparisonOperator: GreaterThanThreshold}\n'
)
INNER = HOT + 'resources: {r: {type: OS::Heat::None}}\noutputs: {a: {value: 1}}\n'


def levels(text, **contents):
    return sorted({(each.level, each.rule) for each in lint({'x': text, **contents})})


@pytest.mark.parametrize(
    'call, rule',
    [
        ('{get_param: p}', 'unknown-parameter'),
        ('{get_resource: q}', 'unknown-reference'),
        ('{get_file: f}', 'missing-file'),
        ('{get_file: [f]}', 'missing-file'),
    ],
)
def test_lint_output_with_unknown_name_is_a_warning(call, rule):
    """Heat creates the stack, and the output is empty."""
    text = HOT + OUTPUT.format(call) + 'resources: {s: {type: OS::Heat::None}}\n'
    assert levels(text) == [('warning', rule)]
    assert levels(HOT + VALUE.format(call)) == [('error', rule)]


def test_lint_output_with_unknown_attribute_is_a_warning_for_a_nested_template():
    resources = VALUE.format(1) + '  n: {type: inner.yaml}\n'
    text = HOT + resources + OUTPUT.format('{get_attr: [n, b]}')
    assert levels(text, **{'inner.yaml': INNER}) == [('warning', 'unknown-attribute')]
    text = HOT + resources + OUTPUT.format('{get_attr: [r, b]}')
    assert levels(text, **{'inner.yaml': INNER}) == [('error', 'unknown-attribute')]


def test_lint_branch_that_a_constant_rules_out_has_warnings_only():
    chosen = HOT + OFF + VALUE.format('{if: [never, 1, {get_param: p}]}')
    ruled_out = HOT + OFF + VALUE.format('{if: [never, {get_param: p}, 1]}')
    assert levels(chosen) == [('error', 'unknown-parameter')]
    assert levels(ruled_out) == [('warning', 'unknown-parameter')]


def test_lint_reference_to_a_disabled_resource_is_an_error():
    """Heat leaves a disabled resource out of the template."""
    resources = (
        'resources:\n  r: {type: OS::Heat::Value, condition: never, properties: {value: 1}}\n'
    )
    text = HOT + OFF + resources + OUTPUT.format('{get_attr: [r, value]}')
    assert levels(text) == [('error', 'unknown-reference')]
    text = HOT + OFF + resources + OUTPUT.format('{if: [never, {get_attr: [r, value]}, none]}')
    assert levels(text) == []


@pytest.mark.parametrize('section', ['parameters', 'resources', 'outputs'])
def test_lint_empty_value_of_a_section_is_a_warning(section):
    assert ('warning', 'section-type') in levels(f'{HOT}{section}: []\n')
    assert ('error', 'section-type') in levels(f'{HOT}{section}: [x]\n')
    assert ('error', 'section-type') in levels(f'{HOT}conditions: []\n')


def test_lint_reference_in_the_path_of_an_attribute_is_an_error():
    resources = 'resources: {r: {type: OS::Heat::Value, properties: {value: 1}}}\n'
    text = HOT + resources + OUTPUT.format('{get_attr: [r, {get_resource: nope}]}')
    assert levels(text) == [('error', 'unknown-reference')]


def test_lint_disabled_resource_is_parsed_but_not_validated():
    text = HOT + OFF + 'resources:\n  r: {type: OS::Heat::Value, condition: never, %s}\n'
    assert levels(text % 'properties: {value: 1, more: 1}') == [('warning', 'unknown-property')]
    assert levels(text % 'foo: 1') == [
        ('error', 'resource-definition'),
        ('warning', 'missing-property'),
    ]


def test_lint_condition_without_use_is_parsed_but_not_evaluated():
    text = HOT + 'conditions:\n  c: %s\n' + VALUE.format(1)
    assert levels(text % '{not: zz}') == [
        ('warning', 'condition'),
        ('warning', 'unused-condition'),
    ]
    assert ('error', 'function') in levels(text % '{equals: [1]}')


@pytest.mark.parametrize(
    'definition, is_valid',
    [
        ('{not: 5}', False),
        ('{contains: [a, 5]}', False),
        ('{get_param: s}', False),
        ('{get_param: b}', True),
        ('{and: [false, zz]}', True),
        ('{or: [{equals: [{get_param: s}, x]}, {not: {get_param: b}}]}', True),
    ],
)
def test_lint_condition_that_cannot_be_evaluated_is_an_error(definition, is_valid):
    parameters = 'parameters:\n  s: {type: string}\n  b: {type: boolean}\n'
    use = (
        'conditions: {c: '
        + definition
        + '}\n'
        + OUTPUT.format('{if: [c, {get_param: s}, {get_param: b}]}')
    )
    found = levels(HOT + parameters + 'resources: {r: {type: OS::Heat::None}}\n' + use)
    assert (('error', 'condition') not in found) == is_valid


@pytest.mark.parametrize(
    'text',
    [
        # a reference to a parameter that only the request sets
        CFN + 'Parameters: {Size: {Type: Number}, Zone: {Type: String}}\nResources:\n'
        '  v:\n    Type: AWS::EC2::Volume\n    Properties:\n'
        '      {Size: {Ref: Size}, AvailabilityZone: {Ref: Zone}}\n',
        # types that the operator's environment maps to templates of the package
        HOT + ALARM + 'outputs: {o: {value: {get_resource: a}}}\n',
        CFN + 'Parameters: {P: {Type: String, NoEcho: true}}\nResources:\n'
        '  d:\n    Type: AWS::RDS::DBInstance\n    Properties: {AllocatedStorage: 5, DBName: d,'
        ' DBInstanceClass: db.m1.small, MasterUsername: u, MasterUserPassword: {Ref: P}}\n'
        'Outputs: {o: {Value: {"Fn::GetAtt": [d, Endpoint.Address]}}}\n',
        # an existing object needs no properties
        HOT + 'parameters: {id: {type: string}}\nresources:\n'
        '  s: {type: OS::Nova::Server, external_id: {get_param: id}}\n'
        '  n: {type: OS::Neutron::Subnet, external_id: some}\n',
        # values of attributes are not known before the stack exists
        HOT + 'resources:\n  v: {type: OS::Heat::Value, properties: {value: [1]}}\n'
        '  r: {type: OS::Heat::RandomString, properties: {length: {get_attr: [v, value, 0]}}}\n'
        '  p:\n    type: OS::Neutron::Port\n    properties:\n'
        '      {network: n, fixed_ips: {get_attr: [v, value]}}\n'
        '  s: {type: OS::Nova::Server, properties: {flavor: f, image: i,'
        ' networks: [{port: {get_attr: [v, value, 0]}}]}}\n',
    ],
)  # fmt: skip
def test_lint_accepts(text):
    assert levels(text) == []


def test_lint_type_of_the_package_has_properties_and_attributes():
    text = HOT + ALARM.replace('Threshold:', 'Treshold:')
    assert ('error', 'unknown-property') in levels(text)
    database = 'resources: {d: {type: AWS::RDS::DBInstance}}\n'
    assert ('error', 'unknown-attribute') in levels(
        HOT + database + OUTPUT.format('{get_attr: [d, X]}')
    )


def test_lint_empty_environment_is_valid():
    contents = {'x': HOT + VALUE.format(1), 'e': ''}
    assert lint(contents, ['x', 'e']) == []
    assert [each.rule for each in lint(contents, ['e'])] == ['syntax']


def test_lint_unknown_parameter_is_dropped_by_a_later_environment():
    contents = {'x': HOT + VALUE.format(1), 'a': 'parameters: {z: 1}', 'b': 'parameters: {z: 1}'}
    found = [(each.file, each.level) for each in lint(contents, ['x', 'a', 'b'])]
    assert found == [('a', 'error'), ('b', 'warning')]


def test_lint_output_of_a_nested_template_has_known_keys_only():
    outer = HOT + 'resources: {n: {type: inner.yaml}}\n'
    inner = INNER.replace('{value: 1}', '{value: 1, extra: 2}')
    assert levels(outer, **{'inner.yaml': inner}) == [('error', 'output-definition')]
    assert levels(inner) == []


def test_lint_misspelt_key_of_a_cfn_resource_is_a_warning():
    """Heat ignores the key."""
    text = CFN + 'Resources: {q: {Type: OS::Heat::None, Propeties: {name: a}}}\n'
    assert levels(text) == [('warning', 'resource-definition')]


def test_lint_disabled_resource_with_an_unknown_condition_is_an_error():
    """Heat parses disabled resources."""
    disabled = VALUE.replace('type:', 'condition: never, type:').format('{if: [nowhere, 1, 2]}')
    assert ('error', 'condition') in levels(HOT + OFF + disabled)


def test_lint_unknown_constraint_is_a_warning_unless_it_is_misspelt():
    text = HOT + 'parameters: {p: {type: string, constraints: [{custom_constraint: %s}]}}\n'
    text += VALUE.format('{get_param: p}')
    assert levels(text % 'ours.thing') == [('warning', 'foreign-constraint')]
    assert levels(text % 'nova.flavour') == [('error', 'parameter-schema')]
    assert levels(text % 'nova.flavor') == []


@pytest.mark.parametrize('kind', ['OS::Heat::InstanceGroup', 'AWS::AutoScaling::AutoScalingGroup'])
def test_lint_instance_group_has_no_other_attributes(kind):
    text = CFN + 'Resources: {g: {Type: %s, Properties: {}}}\n' % kind  # noqa: UP031
    text += 'Outputs: {o: {Value: {"Fn::GetAtt": [g, %s]}}}\n'
    assert ('error', 'unknown-attribute') in levels(text % 'nonesuch')
    assert ('error', 'unknown-attribute') not in levels(text % 'InstanceList')


SERVER = (
    'parameters: {key: {type: string}, list: {type: json}}\nresources:\n  s:\n'
    '    type: OS::Nova::Server\n'
    '    properties: {flavor: m, networks: [], key_name: {get_param: key}'
)


@pytest.mark.parametrize(
    'given, is_wrong',
    [
        ('', True),
        (', image: {get_param: key}', False),
        (', image: {if: [{equals: [{get_param: key}, k]}, i, null]}', False),
        (', block_device_mapping_v2: {get_param: list}', False),
        (', image: i, metadata: {yaql: {expression: $.data.x, data: {x: 1}}}', True),
    ],
)
def test_lint_validates_what_parameters_without_a_value_do_not_decide(given, is_wrong):
    found = levels(HOT + SERVER + given + '}\n')
    assert (('error', 'validation') in found) is is_wrong, found


@pytest.mark.parametrize(
    'version, lifecycle, found',
    [
        ('heat_lite_2026-12-01', '{prevent_destroy: true, ignore_changes: [value]}', []),
        ('heat_lite_2026-12-01', '{prevent_destroy: 1}', [('error', 'resource-definition')]),
        ('heat_lite_2026-12-01', '{forever: true}', [('error', 'resource-definition')]),
        ('2021-04-16', '{prevent_destroy: true}', [('error', 'resource-definition')]),
    ],
)
def test_lint_lifecycle_is_of_the_own_version_and_has_known_keys(version, lifecycle, found):
    resource = f'{{type: OS::Heat::None, lifecycle: {lifecycle}}}'
    assert levels(f'heat_template_version: {version}\nresources: {{r: {resource}}}\n') == found
