"""Settings and comments that change which rules apply."""

import pytest

from heat_lite.template.lint import settings, suppressions
from tests.unit.template.lint.documents import lint

TEMPLATE = """\
heat_template_version: 2021-04-16
parameters:
  a: {type: string}  # heat-lint: disable=unused-parameter, deprecated
  # heat-lint: disable=unused-parameter
  b: {type: string}
  c: {type: string}
resources: {r: {type: OS::Heat::None}}
"""


def rules(text):
    return [(each.line, each.rule) for each in lint({'x': text})]


def test_comment_disables_a_rule_in_a_line():
    assert rules(TEMPLATE) == [(6, 'unused-parameter')]


def test_comment_disables_a_rule_in_a_file():
    assert rules('# heat-lint: disable-file=unused-parameter\n' + TEMPLATE) == []


def test_comment_with_an_unknown_rule_is_a_warning():
    found = lint({'x': TEMPLATE.replace('unused-parameter, ', 'unused-parametr, ')})
    assert [(each.line, each.column, each.rule) for each in found] == [
        (3, 3, 'unused-parameter'),
        (3, 43, 'unknown-rule'),
        (6, 3, 'unused-parameter'),
    ]


def test_text_that_is_no_comment_disables_nothing():
    assert list(suppressions.comments('a#heat-lint: disable=x\n# heat-lint: enable=x\n')) == []


def test_settings_are_read():
    found = settings.parse(
        'rules: {deprecated: off, cycle: note}\nignore: ["old/*"]\nresource_types: [My::*]\n', 'f'
    )
    assert found.levels == {'deprecated': 'off', 'cycle': 'note'}
    assert found.off() == ['deprecated']
    assert found.without_rules(['cycle']).off() == ['deprecated', 'cycle']
    assert found.is_ignored('old/a.yaml') and not found.is_ignored('new/a.yaml')
    assert settings.parse('', 'f') == settings.Settings()


@pytest.mark.parametrize(
    'text, problem',
    [
        ('rulez: {}', 'f: There is no setting "rulez". Did you mean "rules"?'),
        ('rules: {cycel: off}', 'f: There is no rule "cycel". Did you mean "cycle"?'),
        (
            'rules: {cycle: loud}',
            'f: The level of "cycle" must be one of off, error, warning, note',
        ),
        ('rules: [cycle]', 'f: The setting "rules" must map rules to levels'),
        ('ignore: a', 'f: The setting "ignore" must be a list of strings'),
        ('{', 'f: '),
    ],
)
def test_invalid_settings_are_refused(text, problem):
    with pytest.raises(ValueError, match='f: ') as caught:
        settings.parse(text, 'f')
    assert problem in str(caught.value)
