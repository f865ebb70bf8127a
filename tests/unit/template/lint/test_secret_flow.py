"""Hidden parameters that reach outputs."""

import pytest

from tests.unit.template.lint.documents import lint

HOT = 'heat_template_version: 2021-04-16\nparameters:\n  key: {type: string, hidden: true}\n'
INNER = (
    'heat_template_version: 2021-04-16\nparameters:\n  text: {type: string}\n'
    'resources: {v: {type: OS::Heat::Value, properties: {value: {get_param: text}}}}\n'
    'outputs:\n  shown: {value: {list_join: ["", [{get_attr: [v, value]}]]}}\n  other: {value: 1}\n'
)


@pytest.mark.parametrize(
    'output, is_shown',
    [
        ('{get_param: key}', True),
        ('{str_replace: {template: "a $b", params: {$b: {get_param: key}}}}', True),
        ('{get_attr: [v, value]}', True),
        ('{get_attr: [v, value, 0]}', True),
        ('{get_attr: [w, value]}', True),
        ('{get_attr: [n, shown]}', True),
        ('{get_attr: [n, other]}', False),
        ('{get_attr: [m, shown]}', False),
        ('{get_resource: v}', False),
    ],
)
def test_lint_hidden_value_in_an_output_is_a_warning(output, is_shown):
    text = (
        HOT
        + 'resources:\n'
        + '  v: {type: OS::Heat::Value, properties: {value: [{get_param: key}]}}\n'
        + '  w: {type: OS::Heat::Value, properties: {value: {get_attr: [v, value]}}}\n'
        + '  n: {type: inner.yaml, properties: {text: {get_attr: [w, value, 0]}}}\n'
        + '  m: {type: inner.yaml, properties: {text: open}}\n'
        + 'outputs:\n  o: {value: '
        + output
        + '}\n'
    )
    found = lint({'x': text, 'inner.yaml': INNER})
    shown = [(each.line, each.rule) for each in found]
    assert shown == ([(10, 'secret-output')] if is_shown else [])


def test_lint_circular_attributes_end():
    text = HOT + (
        'resources:\n  v: {type: OS::Heat::Value, properties: {value: {get_attr: [w, value]}}}\n'
        '  w: {type: OS::Heat::Value, properties: {value: {get_attr: [v, value]}}}\n'
        'outputs: {o: {value: {get_attr: [v, value]}}}\n'
    )
    assert {each.rule for each in lint({'x': text})} == {'cycle', 'unused-parameter'}
