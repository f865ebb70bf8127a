"""Deferred authentication: actions continue by a trust or password after the token expired."""

import datetime
import re
import time

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import credentials, session, stacks as db_stacks
from heat_lite.engine.cluster import takeover
from heat_lite.engine.stack import stack as engine_stack
from tests import cloud, databases, engines, identity, stack_domain
from tests.timeouts import WAIT_SECONDS

OTHER, SERVICE, SECRET = 'other', 'heat', 'secret'
ROLES = ['admin', 'member']
CONFIGURATION = f"""
[DEFAULT]
auth_encryption_key = a key of these tests, 32 letters
stack_user_domain_name = {stack_domain.DOMAIN['name']}
stack_domain_admin = {stack_domain.ADMIN}
stack_domain_admin_password = {stack_domain.PASSWORD}
[trustee]
auth_type = password
auth_url = {{url}}
username = {SERVICE}
password = {SECRET}
user_domain_id = default
"""
# time for a loaded machine to store a trust and to let a token expire meanwhile
SLOW = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 3}}
SLOWER = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 3, 'value': 'x'}}
NET = {'type': 'OS::Neutron::Net', 'depends_on': 'slow'}
POLICY = {
    'adjustment_type': 'change_in_capacity',
    'scaling_adjustment': 1,
    'auto_scaling_group_id': {'get_resource': 'g'},
}
GROUP = {
    'min_size': 0,
    'max_size': 3,
    'desired_capacity': 0,
    'resource': {'type': 'OS::Neutron::Net'},
}
SCALING = {
    'g': {'type': 'OS::Heat::AutoScalingGroup', 'properties': GROUP},
    'p': {'type': 'OS::Heat::ScalingPolicy', 'properties': POLICY},
}


@pytest.fixture(scope='module')
def running_cloud():
    made = cloud.Cloud()
    users = {
        name: {'password': SECRET, 'project': cloud.PROJECT, 'roles': ROLES}
        for name in (cloud.USER, OTHER, SERVICE)
    }
    with identity.serve(made) as url:
        services = {service: f'{url}{prefix}' for service, prefix in cloud.PREFIXES.items()}
        keystone = stack_domain.Identity(
            {
                **services,
                'cloudformation': f'{url}/cfn',
                'orchestration': f'{url}/heat/%(project_id)s',
            },
            users,
        )
        made.accepts = keystone.is_valid
        with identity.serve(keystone) as auth_url:
            yield cloud.RunningCloud(made, auth_url, None, identity.ident(cloud.PROJECT), keystone)


@pytest.fixture
def driver(running_cloud, tmp_path, request):
    """Yield a driver of an engine with the settings of the test."""
    settings = {'trust_after': 0.1, **getattr(request, 'param', {})}
    ours = {'trust_after': settings.pop('trust_after')}
    (tmp_path / 'heat.conf').write_text(
        running_cloud.configuration() + CONFIGURATION.format(url=running_cloud.auth_url)
    )
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(
            url, files=[tmp_path / 'heat.conf'], ours=ours, action_retry_limit=0, **settings
        ) as found:
            yield found


def settings(**values):
    return pytest.mark.parametrize('driver', [values], indirect=True, ids=['-'])


@pytest.fixture(autouse=True)
def fresh(running_cloud):
    """Delete what the previous test stored."""
    running_cloud.identity.users[cloud.USER]['roles'] = ROLES
    running_cloud.identity.lifetime, running_cloud.identity.age = (
        datetime.timedelta(hours=1),
        datetime.timedelta(),
    )
    running_cloud.identity.asked.clear()
    running_cloud.cloud.faults.clear()
    running_cloud.cloud.objects.clear()
    yield
    running_cloud.identity.trusts.clear()


def log_in(running_cloud, driver, user=cloud.USER, **more):
    """Let the driver send requests as this user."""
    _, _, headers = running_cloud.identity.issue(user, {'project': {}}, ['password'])
    values = {
        'user_id': identity.ident(f'user {user}'),
        'user_name': user,
        'project_id': running_cloud.project_id,
        'roles': ROLES,
    }
    driver.context = RequestContext(
        **values, auth_token=dict(headers)['X-Subject-Token'], is_admin=False, **more
    )
    return driver.context


def expire_token(running_cloud, driver):
    """Expire the token of the driver."""
    running_cloud.identity.tokens.pop(driver.context.auth_token, None)


def wait_for(condition):
    until = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def reason(driver, stack):
    return driver.stack(stack)['stack_status_reason']


@session.reader
def stored_credentials():
    return session.connection().exec_driver_sql('SELECT count(*) FROM user_creds').scalar()


@settings(trust_after=5)
def test_short_action_stores_no_credentials(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'net': {'type': 'OS::Neutron::Net'}}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    driver.delete(stack)
    assert not [path for _, path in running_cloud.identity.asked if 'OS-TRUST' in path]


def test_stack_without_cloud_resources_stores_no_credentials(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW}})
    driver.delete(stack)
    assert running_cloud.identity.asked == []


def test_action_continues_after_the_token_expired(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(lambda: running_cloud.identity.trusts)
    expire_token(running_cloud, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    (trust,) = running_cloud.identity.trusts.values()
    assert trust['trustor_user_id'] == driver.context.user_id and trust[
        'trustee_user_id'
    ] == identity.ident(f'user {SERVICE}')
    assert (
        [role['name'] for role in trust['roles']] == ROLES
        and trust['impersonation']
        and not trust['allow_redelegation']
    )
    assert stored_credentials() == 1
    log_in(running_cloud, driver)
    driver.delete(stack)
    assert (
        driver.state(stack) == 'DELETE_COMPLETE'
        and not running_cloud.identity.trusts
        and stored_credentials() == 0
    )


def stored_requester(driver, stack):
    return db_stacks.get(driver.context, stack['stack_id']).asker


@settings(trust_after=100)
def test_requester_is_stored_encrypted_during_the_action(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    assert (
        credentials.decrypt_requester(stored_requester(driver, stack)).auth_token
        == driver.context.auth_token
    )
    assert driver.context.auth_token not in databases.dump()
    driver.wait(stack)
    assert stored_requester(driver, stack) is None
    driver.delete(stack)


def test_requester_is_deleted_once_a_trust_is_stored(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    assert stored_requester(driver, stack) is not None
    wait_for(lambda: stored_requester(driver, stack) is None)
    assert stored_credentials() == 1 and driver.state(stack) == 'CREATE_IN_PROGRESS'
    driver.update(driver.wait(stack), {'resources': {'slow': SLOWER, 'net': NET}}, wait=False)
    assert stored_requester(driver, stack) is not None
    wait_for(lambda: stored_requester(driver, stack) is None)
    assert stored_credentials() == 1 and driver.state(stack) == 'UPDATE_IN_PROGRESS'
    driver.delete(driver.wait(stack))


def test_later_actions_without_cloud_resources_need_no_credentials(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW}}, wait=False)
    assert driver.state(stack) == 'CREATE_IN_PROGRESS' and stored_requester(driver, stack) is None
    driver.delete(driver.wait(stack))


@settings(trust_after=0, trusts_delegated_roles=['member'], allow_trusts_redelegation=True)
def test_trust_delegates_the_configured_roles(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(lambda: running_cloud.identity.trusts)
    (trust,) = running_cloud.identity.trusts.values()
    assert trust['roles'] == [{'name': 'member'}] and trust['allow_redelegation']
    driver.delete(driver.wait(stack))
    assert not running_cloud.identity.trusts


def test_nested_stack_uses_the_cloud_after_the_token_expired(running_cloud, driver):
    log_in(running_cloud, driver)
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 2, 'resource_def': {'type': 'OS::Neutron::Net'}},
    }
    stack = driver.create(
        {'resources': {'slow': SLOW, 'group': {**group, 'depends_on': 'slow'}}}, wait=False
    )
    wait_for(lambda: running_cloud.identity.trusts)
    expire_token(running_cloud, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(running_cloud.cloud.of('network', '/networks')) == 2
    log_in(running_cloud, driver)
    driver.delete(stack)
    assert not running_cloud.identity.trusts and stored_credentials() == 0


@settings(trust_after=100)
def test_token_about_to_expire_is_not_used(running_cloud, driver):
    running_cloud.identity.lifetime, running_cloud.identity.age = (
        datetime.timedelta(seconds=100),
        datetime.timedelta(hours=1),
    )
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(running_cloud.identity.trusts) == 1
    log_in(running_cloud, driver)
    driver.delete(stack)
    assert not running_cloud.identity.trusts


def test_stack_can_be_deleted_by_another_user_of_the_project(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}})
    assert len(running_cloud.identity.trusts) == 1
    log_in(running_cloud, driver, OTHER)
    driver.delete(stack)
    assert (
        driver.state(stack) == 'DELETE_COMPLETE'
        and not running_cloud.identity.trusts
        and stored_credentials() == 0
    )


def test_update_by_another_user_replaces_the_trust(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': SCALING})
    log_in(running_cloud, driver, OTHER)
    driver.update(stack, {'resources': {**SCALING, 'slow': SLOW}})
    (trust,) = running_cloud.identity.trusts.values()
    assert trust['trustor_user_id'] == driver.context.user_id
    assert (
        credentials.get_by_stack(stack['stack_id']).trust_id == trust['id']
        and stored_credentials() == 1
    )
    log_in(running_cloud, driver)
    driver.delete(stack)
    assert not running_cloud.identity.trusts and stored_credentials() == 0


def stack_with_invalid_trust(running_cloud, driver, how):
    """Return a stack whose trust is no longer valid and whose action fails for that reason."""
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(lambda: running_cloud.identity.trusts)
    wait_for(lambda: stored_credentials())
    how()
    expire_token(running_cloud, driver)
    driver.wait(stack)
    return stack


@pytest.mark.parametrize('how', ['trust', 'role'])
def test_invalid_trust_is_reported_and_replaced_by_the_next_user(running_cloud, driver, how):
    def kill():
        if how == 'trust':
            running_cloud.identity.trusts.clear()
        else:
            running_cloud.identity.users[cloud.USER]['roles'] = ['member']

    stack = stack_with_invalid_trust(running_cloud, driver, kill)
    assert driver.state(stack) == 'CREATE_FAILED'
    told = reason(driver, stack)
    wanted = (
        r'Keystone no longer accepts the trust \w{8}\.\.\. by which stack "stack" acts '
        rf'for user tester in project {running_cloud.project_id}: .*'
    )
    assert re.search(
        wanted + 'Update or check the stack as a user of its project: that makes a new one', told
    ), told
    before = set(running_cloud.identity.trusts)
    log_in(running_cloud, driver, OTHER)
    driver.update(stack, {'resources': {'slow': SLOWER, 'net': NET}}, wait=False)
    wait_for(lambda: set(running_cloud.identity.trusts) - before)
    expire_token(running_cloud, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    (made,) = set(running_cloud.identity.trusts) - before
    assert credentials.get_by_stack(stack['stack_id']).trust_id == made
    log_in(running_cloud, driver)
    driver.delete(stack)
    assert made not in running_cloud.identity.trusts and stored_credentials() == 0


def test_failure_to_store_credentials_is_reported(running_cloud, driver):
    log_in(running_cloud, driver)
    running_cloud.identity.users[SERVICE]['password'] = 'another'
    driver.service.runtime.trusts._trustee_user_id = None
    try:
        stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
        wait_for(lambda: driver.resources(stack).get('slow') == 'CREATE_IN_PROGRESS')
        wait_for(lambda: ('POST', '/v3/auth/tokens') in running_cloud.identity.asked)
        expire_token(running_cloud, driver)
        driver.wait(stack)
        told = reason(driver, stack)
        assert driver.state(stack) == 'CREATE_FAILED'
        assert (
            'stack "stack" has no usable credentials' in told
            and 'the user of [trustee] cannot log in' in told
            and '(retry)' in told
        )
        log_in(running_cloud, driver)
        scaling = driver.create({'resources': SCALING}, name='scaling')
        assert 'Unauthorized: resources.g: no trust could be made' in reason(driver, scaling)
    finally:
        running_cloud.identity.users[SERVICE]['password'] = SECRET
    for each in (stack, scaling):
        driver.delete(each)


def test_scaling_policy_acts_by_the_trust(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': SCALING})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(running_cloud.identity.trusts) == 1
    expire_token(running_cloud, driver)
    owner = takeover.context_of_owner(db_stacks.get(driver.context, stack['stack_id']))
    driver.client.resource_signal(
        owner, stack_identity=stack, resource_name='p', details=None, sync_call=True
    )
    assert len([each for each in running_cloud.cloud.of('network', '/networks')]) == 1
    wait_for(lambda: ('g', 'UPDATE_COMPLETE') not in driver.tree(stack).items())
    nested = db_stacks.children([stack['stack_id']])
    assert (
        [row.user_creds_id for row in nested]
        == [db_stacks.get(driver.context, stack['stack_id']).user_creds_id]
        != [None]
    )
    log_in(running_cloud, driver)
    driver.delete(stack)
    assert (
        driver.state(stack) == 'DELETE_COMPLETE'
        and not running_cloud.identity.trusts
        and not running_cloud.cloud.of('network', '/networks')
    )


def test_takeover_acts_by_the_trust(running_cloud, driver):
    log_in(running_cloud, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}})
    row = db_stacks.get(driver.context, stack['stack_id'])
    taken = engine_stack.Stack.from_row(driver.service.runtime, takeover.context_of_owner(row), row)
    neutron = taken.clients().client('neutron')
    assert len(neutron.list('/networks', 'networks')) == 1
    # by the stored requester, if any; but that token has expired meanwhile
    expire_token(running_cloud, driver)
    # and this engine has no cached session of the user
    driver.service.runtime.clients._auth_plugins.clear()
    late = engine_stack.Stack.from_row(driver.service.runtime, driver.context, row)
    assert len(late.clients().client('neutron').list('/networks', 'networks')) == 1
    # another user's request stores a trust, and the action continues by it
    other = log_in(running_cloud, driver, OTHER)
    taken.tree.deferred.ensure(other, own=True)
    assert [trust['trustor_user_id'] for trust in running_cloud.identity.trusts.values()] == [
        other.user_id
    ]
    assert len(neutron.list('/networks', 'networks')) == 1
    assert {
        token['user']['name']
        for token in running_cloud.identity.tokens.values()
        if 'OS-TRUST:trust' in token
    } == {OTHER}
    driver.delete(stack)


@settings(deferred_auth_method='password')
def test_password_is_stored_when_configured(running_cloud, driver):
    log_in(running_cloud, driver, password=SECRET)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(stored_credentials)
    expire_token(running_cloud, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    row = credentials.get_by_stack(stack['stack_id'])
    assert (row.username, row.password, row.trust_id) == (cloud.USER, SECRET, None)
    log_in(running_cloud, driver)
    assert 'Missing required credential: X-Auth-Key' in reason(
        driver, driver.create({'resources': SCALING}, name='scaling')
    )
    driver.delete(stack)
    assert stored_credentials() == 0 and not running_cloud.identity.trusts


def log_in_by_signature(running_cloud, driver):
    """Let the driver send requests with a token for which Keystone makes no trust."""
    _, body, headers = running_cloud.identity.issue(cloud.USER, {'project': {}}, ['ec2credential'])
    driver.context = RequestContext(
        user_id=identity.ident(f'user {cloud.USER}'),
        user_name=cloud.USER,
        project_id=running_cloud.project_id,
        roles=ROLES,
        auth_token=dict(headers)['X-Subject-Token'],
        auth_token_info=body,
    )


def scale_out(driver, stack):
    """Send a signal as an alarm does, whose engine has no login."""
    owner = takeover.context_of_owner(db_stacks.get(driver.context, stack['stack_id']))
    driver.client.resource_signal(
        owner, stack_identity=stack, resource_name='p', details=None, sync_call=True
    )


def test_scaling_policy_of_a_signed_request_acts_until_its_token_expires(running_cloud, driver):
    log_in_by_signature(running_cloud, driver)
    stack = driver.create({'resources': SCALING})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert not running_cloud.identity.trusts
    scale_out(driver, stack)
    assert len(running_cloud.cloud.of('network', '/networks')) == 1
    log_in(running_cloud, driver)
    driver.update(stack, {'resources': {**SCALING, 'net': {'type': 'OS::Neutron::Net'}}})
    assert driver.state(stack) == 'UPDATE_COMPLETE' and len(running_cloud.identity.trusts) == 1
    row = db_stacks.get_row(stack['stack_id'])
    assert row.asker is None and row.user_creds_id is not None
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE' and not running_cloud.identity.trusts


def test_expired_token_of_a_signed_request_is_reported(running_cloud, driver):
    running_cloud.identity.lifetime = datetime.timedelta(seconds=4)
    log_in_by_signature(running_cloud, driver)
    stack = driver.create({'resources': SCALING})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    wait_for(lambda: not running_cloud.identity.is_valid(driver.context.auth_token))
    with pytest.raises(
        exception.HeatException, match='has no usable credentials: the token of its'
    ):
        scale_out(driver, stack)
    log_in(running_cloud, driver)
    driver.delete(stack)
