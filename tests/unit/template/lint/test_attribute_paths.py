"""Findings about the path of get_attr."""

import pytest

from heat_lite.authoring import lint
from heat_lite.template.lint.settings import Settings

TEMPLATE = """\
heat_template_version: 2021-04-16
resources:
  v: {{type: OS::Heat::Value, properties: {{value: {{a: 1}}}}}}
outputs:
  o: {{value: {{get_attr: [v, value, {part}]}}}}
"""


@pytest.mark.parametrize(
    ('part', 'rule'),
    [
        ('a', None),
        ('[]', 'function'),
        ('{}', 'function'),
        ('{get_param: nope}', 'unknown-parameter'),
    ],
)
def test_part_of_a_path_that_heat_refuses_is_an_error(part, rule, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'a.yaml').write_text(TEMPLATE.format(part=part))
    found = [(each.level, each.rule) for each in lint.inspect(['a.yaml'], Settings())[0]]
    assert found == ([] if rule is None else [('error', rule)])
