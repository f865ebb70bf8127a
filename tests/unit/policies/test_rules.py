"""The policy rules match the operations."""

from heat_lite import operations
from heat_lite.policies import rules


def names():
    return [rule.name for rule in rules.list_rules()]


def test_names_are_unique():
    assert len(names()) == len(set(names()))


def test_every_operation_has_a_rule():
    """Actions of the others check rules: lists of stacks and configurations, changes, actions."""
    for each in operations.OPERATIONS:
        assert each.rule_name or each.rules, each.name
        assert {each.rule_name, *each.rules} - {None} <= set(names()), each.name


def test_each_rule_has_one_default():
    declared = {}
    for each in operations.OPERATIONS:
        for name, default in each.defaults.items():
            assert declared.setdefault(name, default) == default


def test_project_rules_have_project_scope():
    scoped = [rule for rule in rules.list_rules() if 'project_id' in rule.check_str]
    assert len(scoped) > 60
    assert all(rule.scope_types == ['project'] for rule in scoped)


def test_every_policy_can_be_documented():
    documented = [rule for rule in rules.list_rules() if hasattr(rule, 'operations')]
    assert all(
        operation['path'].startswith('/v1/{tenant_id}/')
        for rule in documented
        for operation in rule.operations
    )
