"""The table of policies matches the table of routes."""

from heat_lite import policies
from heat_lite.api.v1 import routes

SCOPES = {'stack_lookup': 'stacks', 'snapshots': 'stacks', 'types': 'stacks'}


def names():
    return [rule.name for rule in policies.list_rules()]


def test_names_are_unique():
    assert len(names()) == len(set(names()))


def test_every_route_has_a_policy():
    """Handlers of the other routes check policies: lists of stacks and configurations, changes,
    actions.
    """
    rules = set()
    for _, _, target, *other in routes.ROUTES:
        scope, _, action = target.partition('.')
        rules.add(other[0] if other else f'{SCOPES.get(scope, scope)}:{action}')
    assert rules - {None} <= set(names())


def test_project_rules_have_project_scope():
    scoped = [rule for rule in policies.list_rules() if 'project_id' in rule.check_str]
    assert len(scoped) > 60
    assert all(rule.scope_types == ['project'] for rule in scoped)


def test_every_policy_can_be_documented():
    documented = [rule for rule in policies.list_rules() if hasattr(rule, 'operations')]
    assert all(
        operation['path'].startswith('/v1/{tenant_id}/')
        for rule in documented
        for operation in rule.operations
    )
