"""Who may do what, by default and by an operator's file."""

import os
import time

import pytest
from oslo_config import cfg

from heat_lite.common import exception, policy
from heat_lite.common.context import RequestContext


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
def test_defaults(enforcer, rule, roles, allowed):
    assert enforcer.allows(context(*roles), rule) is allowed


def test_refusal_names_the_rule(enforcer):
    with pytest.raises(exception.Forbidden, match='You are not authorized to use stacks:create.'):
        enforcer.enforce(context('reader'), 'stacks:create')


def test_other_projects_are_out_of_reach(enforcer):
    assert not enforcer.allows(context('member'), 'stacks:create', {'project_id': 'q'})


def test_a_token_of_the_system_is_none_of_a_project(enforcer):
    assert not enforcer.allows(context('admin', 'member', 'reader', system_scope='all'), 'stacks:show')
    assert not enforcer.is_admin(context('admin', system_scope='all', is_admin_project=True))


@pytest.mark.parametrize(
    ('roles', 'of_admin_project', 'admin'), [(['admin'], True, True), (['admin'], False, False), (['member'], True, False)]
)
def test_administrators(enforcer, roles, of_admin_project, admin):
    assert enforcer.is_admin(context(*roles, is_admin_project=of_admin_project)) is admin


@pytest.mark.parametrize(
    ('resource_type', 'member', 'admin'),
    [('OS::Nova::Flavor', False, True), ('OS::Keystone::User', False, True), ('OS::Nova::Server', True, True), ('my.yaml', True, True)],
)
def test_types(enforcer, resource_type, member, admin):
    assert enforcer.allows_type(context('member'), resource_type) is member
    assert enforcer.allows_type(context('admin'), resource_type) is admin


def test_a_change_of_rules_is_heeded_after_a_second(conf, tmp_path, monkeypatch):
    file = tmp_path / 'policy.yaml'
    file.write_text('"stacks:show": "role:reader"\n')
    policy.Enforcer(conf)  # makes [oslo_policy] known
    conf.set_override('policy_file', str(file), 'oslo_policy')
    enforcer = policy.Enforcer(conf)
    assert enforcer.allows(context('reader'), 'stacks:show')
    file.write_text('"stacks:show": "role:auditor"\n')
    os.utime(file, (0, time.time() + 5))
    assert enforcer.allows(context('reader'), 'stacks:show')
    assert enforcer.allows(context('auditor'), 'stacks:show')  # another who asks is another question
    now = time.monotonic() + policy.REMEMBERED
    monkeypatch.setattr(policy.time, 'monotonic', lambda: now)
    assert not enforcer.allows(context('reader'), 'stacks:show')


def test_an_operator_decides_otherwise(conf, tmp_path):
    file = tmp_path / 'policy.yaml'
    file.write_text('"stacks:global_index": "role:auditor"\n"resource_types:OS::Heat::TestResource": "!"\n')
    policy.Enforcer(conf)  # makes [oslo_policy] known
    conf.set_override('policy_file', str(file), 'oslo_policy')
    enforcer = policy.Enforcer(conf)
    assert enforcer.allows(context('auditor'), 'stacks:global_index')
    assert not enforcer.allows_type(context('admin'), 'OS::Heat::TestResource')
    assert enforcer.allows(context('reader'), 'stacks:show')
