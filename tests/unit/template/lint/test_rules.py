"""Each rule with a document that breaks it, the position, and a similar document that does not."""

import pytest

from heat_lite.template import support
from heat_lite.template.lint.linter import Linter
from heat_lite.template.lint.rules import RULES
from heat_lite.template.lint.type_info import TypeInfo
from heat_lite.template.schema import string, text
from tests.unit.template.lint import documents
from tests.unit.template.lint.documents import lint

HOT = 'heat_template_version: 2021-04-16\n'
RESOURCE = 'resources: {r: {type: OS::Heat::Value}}\n'
VALUE = 'resources:\n  r: {{type: OS::Heat::Value, properties: {{value: {}}}}}\n'
NUMBER = (
    '  n: {{type: OS::Neutron::Net}}\n  v: {{type: OS::Cinder::Volume, properties: {{size: {}}}}}\n'
)
ENVIRONMENT = {'t.yaml': HOT + 'parameters:\n  size: {type: number}\n' + RESOURCE}

# rule -> (bad text, line and column of the finding, good text[, further files])
CASES = {
    'syntax': (HOT + 'resources: {\n', (3, 1), HOT),
    'duplicate-key': (
        HOT + 'resources:\n  a: {}\n  b: {}\n  a: {}\n',
        (5, 3),
        HOT + 'resources:\n  a: {}\n',
    ),
    'surprising-number': (HOT + 'description: 12:30\n', (2, 14), HOT + 'description: "12:30"\n'),
    'unquoted-name': (
        HOT + 'resources:\n  a: {type: OS::Heat::None}\n  no: {type: OS::Heat::None}\n',
        (4, 3),
        HOT + 'resources:\n  "no": {type: OS::Heat::None}\n  1: {type: OS::Heat::None}\n',
    ),
    'unknown-rule': (
        HOT + RESOURCE + '# heat-lint: disable=cycel\n',
        (3, 22),
        HOT + RESOURCE + '# heat-lint: disable=cycle\n',
    ),
    'version': ('heat_template_version: 2021-04-17\n' + RESOURCE, (1, 24), HOT + RESOURCE),
    'unknown-section': (HOT + 'resource: {}\n', (2, 1), HOT + 'resources: {}\n'),
    'section-type': (HOT + 'outputs: [x]\n', (2, 1), HOT + 'outputs: {}\n'),
    'no-resources': (HOT, (1, 1), HOT + RESOURCE),
    'resource-definition': (
        HOT + 'resources:\n  r:\n    type: OS::Heat::None\n    propertis: {}\n',
        (5, 5),
        HOT + 'resources:\n  r:\n    type: OS::Heat::None\n    properties: {}\n',
    ),
    'duplicate-name': (
        HOT + 'parameters: {r: {type: string}}\nresources:\n  r: {type: OS::Heat::None}\n',
        (4, 3),
        HOT + 'parameters: {q: {type: string}}\nresources:\n  r: {type: OS::Heat::None}\n',
    ),
    'output-definition': (
        HOT + 'outputs:\n  o: {values: 1}\n',
        (3, 3),
        HOT + 'outputs:\n  o: {value: 1}\n',
    ),
    'parameter-groups': (
        HOT + 'parameters: {p: {type: string}}\nparameter_groups:\n- parameters: [p]\n'
        '- parameters: [p]\n',
        (5, 3),
        HOT + 'parameters: {p: {type: string}}\nparameter_groups:\n- parameters: [p]\n',
    ),
    'cycle': (
        HOT + 'resources:\n  a: {type: OS::Heat::None, depends_on: b}\n'
        '  b: {type: OS::Heat::None, metadata: {x: {get_resource: a}}}\n',
        (3, 3),
        HOT
        + 'resources:\n  a: {type: OS::Heat::None, depends_on: b}\n  b: {type: OS::Heat::None}\n',
    ),
    'parameter-schema': (
        HOT + 'parameters:\n  p: {type: number, constraints: [{length: {min: 1}}]}\n',
        (3, 3),
        HOT + 'parameters:\n  p: {type: string, constraints: [{length: {min: 1}}]}\n',
    ),
    'foreign-constraint': (
        HOT + 'parameters:\n  p: {type: string, constraints: [{custom_constraint: our.own}]}\n',
        (3, 21),
        HOT + 'parameters:\n  p: {type: string, constraints: [{custom_constraint: nova.flavor}]}\n',
    ),
    'parameter-default': (
        HOT + 'parameters:\n  p: {type: number, default: x}\n',
        (3, 21),
        HOT + 'parameters:\n  p: {type: number, default: 1}\n',
    ),
    'unused-parameter': (
        HOT + 'parameters:\n  p: {type: number}\n',
        (3, 3),
        HOT + 'parameters:\n  p: {type: number}\noutputs: {o: {value: {get_param: [p, 0]}}}\n',
    ),
    'unknown-parameter': (
        HOT + VALUE.format('{get_param: p}'),
        (3, 62),
        HOT + VALUE.format('{get_param: "OS::stack_name"}'),
    ),
    'function': (
        HOT + 'outputs:\n  o: {value: {list_join: [",", {list_join: [","]}]}}\n',
        (3, 33),
        HOT + 'outputs:\n  o: {value: {list_join: [",", {list_join: [",", [x]]}]}}\n',
    ),
    'misspelt-function': (
        HOT + 'outputs:\n  o: {value: {get_fiel: x}}\n',
        (3, 15),
        HOT + 'outputs:\n  o: {value: {some: x}}\n',
    ),
    'unknown-reference': (
        HOT + VALUE.format('{if: [true, {get_resource: q}, 1]}'),
        (3, 77),
        HOT + VALUE.format('{if: [true, {get_resource: s}, 1]}') + '  s: {type: OS::Heat::None}\n',
    ),
    'unknown-attribute': (
        HOT + RESOURCE + 'outputs:\n  o: {value: {get_attr: [r, valeu]}}\n',
        (4, 29),
        HOT + RESOURCE + 'outputs:\n  o: {value: {get_attr: [r, value, 0]}}\n',
    ),
    'missing-item': (
        HOT + VALUE.format('[a, b]') + 'outputs: {o: {value: {get_attr: [r, value, 2]}}}\n',
        (4, 23),
        HOT + VALUE.format('[a, {b: 1}]') + 'outputs: {o: {value: {get_attr: [r, value, 1, b]}}}\n',
    ),
    'condition': (
        HOT + 'outputs:\n  o: {value: 1, condition: {or: [c, {not: d}]}}\nconditions: {c: true}\n',
        (3, 43),
        HOT + 'outputs:\n  o: {value: 1, condition: {or: [c, {not: c}]}}\nconditions: {c: true}\n',
    ),
    'condition-cycle': (
        HOT + 'conditions:\n  a: {not: b}\n  b: {not: a}\noutputs: {o: {value: {if: [a, 1]}}}\n',
        (3, 3),
        HOT + 'conditions:\n  a: {not: b}\n  b: true\noutputs: {o: {value: {if: [a, 1]}}}\n',
    ),
    'unused-condition': (
        HOT + 'conditions:\n  c: true\n',
        (3, 3),
        HOT + 'conditions:\n  c: true\noutputs: {o: {value: {if: [c, 1]}}}\n',
    ),
    'constant-condition': (
        HOT + 'conditions:\n  c: {equals: [1, 2]}\noutputs: {o: {value: {if: [c, 1]}}}\n',
        (3, 3),
        HOT + 'conditions:\n  c: false\noutputs: {o: {value: {if: [c, 1]}}}\n',
    ),
    'missing-file': (
        HOT + VALUE.format('{get_file: nope.txt}'),
        (3, 61),
        HOT + VALUE.format('{get_file: there.txt}'),
        {'there.txt': ''},
    ),
    'unknown-type': (
        HOT + 'resources:\n  r: {type: OS::Heat::Vlaue}\n',
        (3, 13),
        HOT + 'resources:\n  r: {type: My::Type}\n',
    ),
    'foreign-type': (
        HOT + 'resources:\n  r: {type: My::Type}\n',
        (3, 13),
        HOT + 'resources:\n  r: {type: OS::Heat::None}\n',
    ),
    'nested-file': (
        HOT + 'resources:\n  r: {type: gone.yaml}\n',
        (3, 13),
        HOT + 'resources:\n  r: {type: there.yaml}\n',
        {'there.yaml': HOT},
    ),
    'nested-cycle': None,  # test_self_nesting
    'not-read': (HOT + 'resources:\n  r: {type: "http://far/away.yaml"}\n', (3, 7), HOT),
    'unknown-property': (
        HOT + 'resources:\n  r: {type: OS::Heat::RandomString, '
        'properties: {character_classes: [{kind: digits}]}}\n',
        (3, 71),
        HOT + 'resources:\n  r: {type: OS::Heat::RandomString, '
        'properties: {character_classes: [{class: digits}]}}\n',
    ),
    'missing-property': (
        HOT + 'resources:\n'
        '  r: {type: OS::Heat::RandomString, properties: {character_sequences: [{min: 1}]}}\n',
        (3, 72),
        HOT + 'resources:\n  r: {type: OS::Heat::RandomString, '
        'properties: {character_sequences: [{sequence: x}]}}\n',
    ),
    'property-value': (
        HOT + 'resources:\n  r: {type: OS::Heat::RandomString, properties: {length: 600}}\n',
        (3, 50),
        HOT + 'resources:\n  r: {type: OS::Heat::RandomString, '
        'properties: {length: {get_param: "OS::stack_id"}}}\n',
    ),
    'value-type': (
        HOT + VALUE.format('{get_resource: n}') + NUMBER.format('{get_attr: [n, subnets]}'),
        (5, 46),
        HOT + VALUE.format('{get_resource: n}') + NUMBER.format('{get_attr: [r, value]}'),
    ),
    'text-as-number': (
        HOT + VALUE.format('{get_resource: n}') + NUMBER.format('{get_resource: n}'),
        (5, 46),
        HOT + VALUE.format('{get_resource: n}') + NUMBER.format('{get_attr: [r, value]}'),
    ),
    'deprecated': None,  # below: it takes a type of its own
    'not-in-heat': None,  # see below: off by default
    'visible-password': (
        HOT + 'parameters:\n  dbPassword: {type: string}\n',
        (3, 3),
        HOT + 'parameters:\n  dbPassword: {type: string, hidden: true}\n'
        '  password_length: {type: string}\n',
    ),
    'hard-coded-password': (
        HOT
        + 'resources:\n  r: {type: OS::Heat::Value, properties: {value: {admin_pass: geheim}}}\n',
        (3, 51),
        HOT + 'resources:\n'
        '  r: {type: OS::Heat::Value, properties: {value: {admin_pass: {get_param: p}}}}\n'
        '  acl: {type: OS::Barbican::ACL, properties: {secret: https://example.com/1}}\n',
    ),
    'secret-output': (
        HOT
        + 'parameters: {p: {type: string, hidden: true}}\noutputs:\n  o: {value: {get_param: p}}\n',
        (4, 15),
        HOT + 'parameters: {p: {type: string}}\noutputs:\n  o: {value: {get_param: p}}\n',
    ),
    'reference-as-name': (
        HOT + 'resources:\n  a: {type: OS::Heat::RandomString}\n'
        'outputs:\n  o: {value: {get_attr: [{get_resource: a}, value]}}\n',
        (5, 15),
        HOT + 'resources:\n  a: {type: OS::Heat::RandomString}\n'
        'outputs:\n  o: {value: {get_attr: [a, value]}}\n',
    ),
    'replaced-by-change': (
        HOT + 'resources:\n'
        '  a: {type: OS::Heat::TestResource}\n'
        '  b: {type: OS::Heat::RandomString, properties: {salt: {get_attr: [a, output]}}}\n',
        (4, 57),
        # a random string stays what it is; and a value is updated in place
        HOT + 'resources:\n'
        '  a: {type: OS::Heat::RandomString}\n'
        '  b: {type: OS::Heat::RandomString, properties: {salt: {get_attr: [a, value]}}}\n'
        '  c: {type: OS::Heat::TestResource, properties: {value: {get_attr: [d, output]}}}\n'
        '  d: {type: OS::Heat::TestResource}\n',
    ),
    'environment-section': (
        'parameters: {}\nparamter_defaults: {}\n',
        (2, 1),
        'parameters: {}\nparameter_defaults: {}\n',
    ),
    'registry-entry': (
        'resource_registry:\n  resources:\n    web: {hooks: pre-crate}\n',
        (3, 5),
        'resource_registry:\n  resources:\n    web: {hooks: pre-create}\n',
    ),
    'registry-target': (
        'resource_registry:\n  "My::Type": OS::Heat::Vlaue\n',
        (2, 3),
        'resource_registry:\n  "My::*": OS::Heat::*\n  "Your::Type": OS::Heat::Value\n',
        {'t.yaml': HOT + 'resources:\n  r: {type: "My::Type"}\n'},
    ),
    'foreign-target': (
        'resource_registry:\n  "My::Type": Your::Type\n',
        (2, 3),
        'resource_registry:\n  "My::Type": OS::Heat::Value\n',
    ),
    'environment-parameter': (
        'parameters:\n  siez: 1\n',
        (2, 3),
        'parameters:\n  size: 1\n',
        ENVIRONMENT,
    ),
    'unknown-default': (
        'parameter_defaults:\n  siez: 1\n',
        (2, 3),
        'parameter_defaults:\n  other_thing: 1\n',
        ENVIRONMENT,
    ),
    'parameter-value': (
        'parameters:\n  size: many\n',
        (2, 3),
        'parameters:\n  size: "3"\n',
        ENVIRONMENT,
    ),
    'validation': (
        HOT + 'resources:\n  r:\n    type: OS::Heat::RandomString\n'
        '    properties: {length: 1, character_classes: [{class: digits, min: 2}]}\n',
        (3, 3),
        HOT + 'resources:\n  r:\n    type: OS::Heat::RandomString\n'
        '    properties: {length: 2, character_classes: [{class: digits, min: 2}]}\n',
    ),
}
RULE = {rule.name: rule for rule in RULES}


def test_cases_cover_each_rule_in_order():
    assert list(CASES) == list(RULE)


@pytest.mark.parametrize('name', [name for name, case in CASES.items() if case])
def test_rule_finds_bad_text_and_accepts_good_text(name):
    bad, position, good, files = (*CASES[name], {})[:4]
    found = [
        each
        for each in lint({'x': bad, **files}, ['x', *(file for file in files if file == 't.yaml')])
        if each.rule == name
    ]
    assert [(each.file, each.line, each.column, each.level) for each in found] == [
        ('x', *position, RULE[name].level)
    ]
    assert name not in {
        each.rule
        for each in lint({'x': good, **files}, ['x', *(file for file in files if file == 't.yaml')])
    }


def test_what_heat_does_not_have_is_found_if_the_rule_is_on():
    old, ours = (
        TypeInfo('My::Old', {'size': string(since=support.OURS)}),
        support.since(support.OURS),
    )
    own = TypeInfo('My::Own', {}, {'id': text(since=support.OURS)}, support=ours)
    types = documents.Table({'My::Old': old, 'My::Own': own})
    template = (
        'heat_template_version: heat_lite_2026-12-01\nresources:\n'
        '  a: {type: My::Old, properties: {size: {get_attr: [b, id]}}}\n'
        '  b: {type: My::Own}\n'
    )
    files = documents.Files({'x': template})
    assert Linter(types, files).lint(['x']) == []
    found = Linter(types, files, levels={'not-in-heat': 'warning'}).lint(['x'])
    assert [(each.line, each.column, each.level, each.text) for each in found] == [
        (1, 1, 'warning', 'Heat does not have the version heat_lite_2026-12-01'),
        (3, 35, 'warning', 'Heat does not have the property "size"'),
        (3, 42, 'warning', 'Heat does not have the attribute "id" of My::Own'),
        (4, 7, 'warning', 'Heat does not have the type My::Own'),
    ]


def test_value_that_heat_does_not_allow_is_found_if_the_rule_is_on():
    kind = TypeInfo('My::Kind', {'word': string(allowed=['old'], ours=['new'])})
    types = documents.Table({'My::Kind': kind})
    template = (
        'heat_template_version: 2021-04-16\nresources:\n'
        '  a: {type: My::Kind, properties: {word: old}}\n'
        '  b: {type: My::Kind, properties: {word: new}}\n'
    )
    linter = Linter(types, documents.Files({'x': template}), levels={'not-in-heat': 'warning'})
    found = [(each.line, each.text) for each in linter.lint(['x'])]
    assert found == [(4, 'Heat does not have the value "new"')]


def test_deprecated_type_and_property_are_found():
    """The rule is applied to a type of the test: no type of the service is deprecated."""
    old = {
        'size': string(
            support=support.SupportStatus(support.DEPRECATED, '2015.1', 'Use "length".')
        ),
        'length': string(),
    }
    types = documents.Table(
        {'My::Old': TypeInfo('My::Old', old, support=support.history('deprecated 2014.1'))}
    )
    text = HOT + 'resources:\n  r:\n    type: My::Old\n    properties: {size: 1, length: 2}\n'
    found = Linter(types, documents.Files({'x': text})).lint(['x'])
    assert [(each.line, each.column, each.rule, each.text) for each in found] == [
        (4, 5, 'deprecated', 'The type My::Old is deprecated since 2014.1'),
        (5, 18, 'deprecated', 'The property "size" is deprecated since 2015.1: Use "length".'),
    ]


def test_lint_hidden_name_of_property_finds_nothing():
    text = (
        HOT
        + 'resources:\n  r:\n    type: OS::Heat::RandomString\n    properties: {sequence: digits}\n'
    )
    assert not lint({'x': text})


@pytest.mark.parametrize(
    'text, hint',
    [
        (HOT + 'resources: {r: {type: OS::Heat::Vlaue}}', 'Did you mean "OS::Heat::Value"?'),
        (HOT + 'resorces: {}', 'Did you mean "resources"?'),
        (
            HOT + 'resources: {r: {type: OS::Heat::TestResource, properties: {wait_sec: 1}}}',
            'Did you mean "wait_secs"?',
        ),
        (HOT + 'outputs: {o: {value: {get_parm: x}}}', 'Did you mean "get_param"?'),
        (
            'heat_template_version: 2015-04-30\noutputs: {o: {value: {str_split: [a, b]}}}',
            'the function exists since 2015-10-15',
        ),
        (
            HOT + 'parameters: {name: {type: string}}\noutputs: {o: {value: {get_resource: name}}}',
            '"name" is a parameter',
        ),
    ],
)
def test_lint_misspelt_name_suggests_known_one(text, hint):
    assert any(hint in each.text for each in lint({'x': text}))


CONSTRAINED = 'parameters:\n  p: {{type: string, constraints: [custom_constraint: {}]}}\n'


@pytest.mark.parametrize(
    'text, level',
    [
        ('resources:\n  r: {type: "OS:Heat::None"}\n', 'error'),
        ('resources:\n  r: {type: "os::Heat::None"}\n', 'error'),
        ('resources:\n  r: {type: "My::Heat::None"}\n', 'warning'),
        ('resources:\n  r: {type: OS::Heat::Value, deletion_policy: Snapshot}\n', 'error'),
        (
            'resources:\n  r: {type: OS::Cinder::Volume, deletion_policy: Snapshot,'
            ' properties: {size: 1}}\n',
            None,
        ),
        (
            'parameters:\n  p: {type: string, constraints: [custom_constraint: nova.flavr]}\n',
            'error',
        ),
        (
            'parameters:\n  p: {type: string, constraints: [custom_constraint: mine.own]}\n',
            'warning',
        ),
    ],
)
def test_lint_refuses_what_heat_refuses_and_leaves_plugins_alone(text, level):
    rules = ('unused-parameter', 'no-resources', 'replaced-by-change', 'missing-property')
    found = [each.level for each in lint({'x': HOT + text}, ignored=rules)]
    assert found == ([level] if level else [])


@pytest.mark.parametrize(
    ('mode', 'text'),
    [
        # cloud-init takes a number as it is
        ('0600', None),
        ("'600'", None),
        ('384', None),
        ('420', None),
        ('600', "600 is read as the mode 01130: write '0600'"),
        ('400', "400 is read as the mode 0620: write '0400'"),
    ],
)
def test_lint_mode_of_a_file_of_cloud_init_is_read_as_cloud_init_does(mode, text):
    files = f'{{write_files: [{{path: /a, permissions: {mode}}}]}}'
    config = f'{{type: OS::Heat::CloudConfig, properties: {{cloud_config: {files}}}}}'
    found = lint({'x': f'{HOT}resources:\n  r: {config}\n'})
    assert [each.text for each in found] == ([text] if text else [])


@pytest.mark.parametrize(
    'properties, errors',
    [
        ('{network: x, security_groups: {a: {get_param: p}}}', 1),
        ('{network: x, value_specs: [{get_param: p}]}', 1),
        ('{network: x, security_groups: [{get_param: p}], value_specs: {a: {get_param: p}}}', 0),
    ],
)
def test_lint_list_and_map_with_calls_fit_only_their_type(properties, errors):
    text = (
        HOT + 'parameters: {p: {type: string}}\n'
        f'resources: {{a: {{type: OS::Neutron::Port, properties: {properties}}}}}\n'
    )
    assert [each.rule for each in lint({'x': text})] == ['property-value'] * errors


def test_lint_several_errors_finds_all():
    text = (
        HOT
        + """\
resources:
  a:
    type: OS::Heat::RandomString
    properties:
      length: 0
      salt: {list_join: [',']}
      lenght: 1
      character_classes: [{class: x}, {min: y}]
outputs:
  o: {value: {str_replace: {template: {get_attr: [b, c]}, params: {x: {get_param: d}}}}}
"""
    )
    found = [(each.line, each.rule) for each in lint({'x': text})]
    assert found == [
        (6, 'property-value'),
        (7, 'function'),
        (8, 'unknown-property'),
        (9, 'property-value'),
        (9, 'property-value'),
        (11, 'unknown-reference'),
        (11, 'unknown-parameter'),
    ]


def test_lint_cfn_template_finds_positions():
    text = """\
HeatTemplateFormatVersion: '2012-12-12'
Parameters:
  DbPassword: {Type: String}
  Size: {Type: Number, Default: x}
Resources:
  r: {Type: OS::Heat::Value, Properties: \
{value: {'Fn::Join': ['', [{Ref: DbPassword}, {Ref: q}]]}}, DependsOn: s}
"""
    assert [(each.line, each.column, each.rule) for each in lint({'x': text})] == [
        (3, 3, 'visible-password'),
        (4, 3, 'unused-parameter'),
        (4, 24, 'parameter-default'),
        (6, 94, 'unknown-parameter'),
        (6, 113, 'unknown-reference'),
    ]


@pytest.mark.parametrize(
    ('section', 'name'),
    [('parameters', 'on'), ('conditions', 'Off'), ('resources', '010'), ('outputs', '~')],
)
def test_lint_name_that_yaml_does_not_read_as_a_text_is_found(section, name):
    text = f'{HOT}{section}:\n  {name}: {{}}\n'
    [found] = [each for each in lint({'x': text}) if each.rule == 'unquoted-name']
    assert (found.line, found.column) == (3, 3)
    assert f'YAML reads {name} as ' in str(found)
    assert f'quote the name of this {section[:-1]}' in str(found)


@pytest.mark.parametrize(('name', 'hint'), [('no', 'YAML reads no'), ('5', 'Write 5 in quotes')])
def test_lint_parameter_name_that_is_no_text_is_an_error(name, hint):
    text = HOT + VALUE.format(f'{{get_param: {name}}}')
    [found] = [each for each in lint({'x': text}) if each.rule == 'unknown-parameter']
    assert found.level == 'error' and hint in str(found)


def test_lint_bound_that_is_not_a_number_is_found_at_its_parameter():
    text = HOT + 'parameters:\n  p: {type: number, constraints: [{range: {min: x}}]}\n'
    [found] = [each for each in lint({'x': text}) if each.level == 'error']
    assert (found.line, found.rule) == (3, 'parameter-schema')
    assert found.text == 'Parameter \'p\' is invalid: "x" is not a number'


@pytest.mark.parametrize(
    ('path', 'text'),
    [
        ('flavour', 'There is no property "flavour". Did you mean "flavor"?'),
        ('networks.0.prt', 'There is no property "networks.0.prt". Did you mean "port"?'),
        ('networks.port', 'There is no property "networks.port". "port" is no index of a list.'),
        ('flavor.ram', 'There is no property "flavor.ram". "flavor" has no parts.'),
        ('metadata..x', 'There is no property "metadata..x". A part of it is empty.'),
        ('networks.0.port', None),
        ('metadata.any.thing', None),
    ],
)
def test_path_of_ignored_changes_leads_to_a_property(path, text):
    resource = (
        '  r:\n    type: OS::Nova::Server\n    properties: {flavor: a, image: b}\n'
        f'    lifecycle: {{ignore_changes: [{path}]}}\n'
    )
    own = 'heat_template_version: heat_lite_2026-12-01\nresources:\n'
    found = lint({'x': own + resource})
    texts = [each.text for each in found if each.rule == 'unknown-property']
    assert texts == ([text] if text else [])


def test_definition_of_members_has_no_import():
    group = (
        '  g:\n    type: OS::Heat::AutoScalingGroup\n'
        '    properties: {min_size: 1, max_size: 1, resource: {type: OS::Heat::None, import: {}}}\n'
    )
    found = lint({'x': 'heat_template_version: 2021-04-16\nresources:\n' + group})
    [text] = [each.text for each in found if each.rule == 'resource-definition']
    assert text.startswith('The members of a group have no "import"')
