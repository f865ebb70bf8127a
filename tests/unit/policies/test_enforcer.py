"""Policy decisions by the default rules and by an operator's policy file."""

import math
import os

import pytest
from oslo_config import cfg

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.policies import enforcer as policy


@pytest.fixture
def conf():
    made = cfg.ConfigOpts()
    made([], project='heat_lite', default_config_files=[], default_config_dirs=[])
    return made


@pytest.fixture
def enforcer(conf):
    return policy.Enforcer(conf)


def context(*roles, **more):
    return RequestContext(user_id='u', project_id='p', roles=roles, overwrite=False, **more)


@pytest.mark.parametrize(
    ('rule', 'roles', 'allowed'),
    [
        ('stacks:show', ['reader'], True),
        ('stacks:show', [], False),
        ('stacks:create', ['reader'], False),
        ('stacks:create', ['member'], True),
        ('stacks:update_no_change', ['member'], True),
        ('stacks:update_no_change', ['reader'], False),
        ('stacks:global_index', ['admin', 'member', 'reader'], False),
        ('actions:check', ['reader'], True),
        ('actions:suspend', ['reader'], False),
        ('resource:signal', ['heat_stack_user'], True),
        ('resource:show', ['heat_stack_user'], False),
        ('service:index', ['member'], False),
        ('service:index', ['admin'], True),
    ],
)
def test_default_rule_allows_the_personas(enforcer, rule, roles, allowed):
    assert enforcer.allows(context(*roles), rule) is allowed


def test_enforce_of_denied_rule_names_the_rule(enforcer):
    with pytest.raises(exception.Forbidden, match='You are not authorized to use stacks:create.'):
        enforcer.enforce(context('reader'), 'stacks:create')


def test_target_of_another_project_is_denied(enforcer):
    assert not enforcer.allows(context('member'), 'stacks:create', {'project_id': 'q'})


def test_system_scoped_token_is_denied(enforcer):
    assert not enforcer.allows(
        context('admin', 'member', 'reader', system_scope='all'), 'stacks:show'
    )
    assert not enforcer.is_admin(context('admin', system_scope='all', is_admin_project=True))


@pytest.mark.parametrize(
    ('roles', 'of_admin_project', 'admin'),
    [(['admin'], True, True), (['admin'], False, False), (['member'], True, False)],
)
def test_is_admin_requires_role_and_admin_project(enforcer, roles, of_admin_project, admin):
    assert enforcer.is_admin(context(*roles, is_admin_project=of_admin_project)) is admin


@pytest.mark.parametrize(
    ('resource_type', 'member', 'admin'),
    [
        ('OS::Nova::Flavor', False, True),
        ('OS::Keystone::User', False, True),
        ('OS::Cinder::GroupType', False, True),
        ('OS::Designate::TLD', False, True),
        ('OS::Ironic::Node', False, True),
        ('OS::Placement::Inventory', False, True),
        ('OS::Keystone::EC2Credential', True, True),
        ('OS::Nova::Server', True, True),
        ('my.yaml', True, True),
    ],
)
def test_allows_type_restricts_admin_types(enforcer, resource_type, member, admin):
    assert enforcer.allows_type(context('member'), resource_type) is member
    assert enforcer.allows_type(context('admin'), resource_type) is admin


def test_changed_policy_file_applies_after_the_cache_expires(conf, tmp_path, monkeypatch):
    file = tmp_path / 'policy.yaml'
    file.write_text('"stacks:show": "role:reader"\n')
    policy.Enforcer(conf)  # registers [oslo_policy]
    conf.set_override('policy_file', str(file), 'oslo_policy')
    enforcer = policy.Enforcer(conf)
    assert enforcer.allows(context('reader'), 'stacks:show')
    file.write_text('"stacks:show": "role:auditor"\n')
    os.utime(file, (0, file.stat().st_mtime + 5))
    assert enforcer.allows(context('reader'), 'stacks:show')
    # The cache is keyed by the context.
    assert enforcer.allows(context('auditor'), 'stacks:show')
    monkeypatch.setattr(policy.time, 'monotonic', lambda: math.inf)
    assert not enforcer.allows(context('reader'), 'stacks:show')


def test_policy_file_overrides_default_rules(conf, tmp_path):
    file = tmp_path / 'policy.yaml'
    file.write_text(
        '"stacks:global_index": "role:auditor"\n"resource_types:OS::Heat::TestResource": "!"\n'
        '"resource_types:OS::Keystone::*": "!"\n'
    )
    policy.Enforcer(conf)  # registers [oslo_policy]
    conf.set_override('policy_file', str(file), 'oslo_policy')
    enforcer = policy.Enforcer(conf)
    assert not enforcer.allows_type(context('admin'), 'OS::Heat::TestResource')
    assert not enforcer.allows_type(context('admin'), 'OS::Keystone::EC2Credential')
    assert enforcer.allows(context('auditor'), 'stacks:global_index')
    assert enforcer.allows(context('reader'), 'stacks:show')
