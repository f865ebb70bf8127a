"""Stacks go on when the token of their user has ended, by what he left: a trust, or his password. Nothing of that stays behind."""

import datetime
import re
import time

import pytest

from heat_lite.common.context import RequestContext
from heat_lite.db import credentials, session
from heat_lite.db import stacks as db_stacks
from heat_lite.engine import stack as engine_stack
from heat_lite.engine import takeover
from tests import cloud, databases, engines, identity, stack_domain
from tests.waiting import PATIENCE

OTHER, SERVICE, SECRET = 'other', 'heat', 'secret'
ROLES = ['admin', 'member']
CONFIGURATION = f"""
[DEFAULT]
auth_encryption_key = a key of these tests, 32 chars long
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
SLOW = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 1}}
SLOWER = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 1, 'value': 'x'}}
NET = {'type': 'OS::Neutron::Net', 'depends_on': 'slow'}
POLICY = {'adjustment_type': 'change_in_capacity', 'scaling_adjustment': 1, 'auto_scaling_group_id': {'get_resource': 'g'}}
GROUP = {'min_size': 0, 'max_size': 3, 'desired_capacity': 0, 'resource': {'type': 'OS::Neutron::Net'}}
SCALING = {
    'g': {'type': 'OS::Heat::AutoScalingGroup', 'properties': GROUP},
    'p': {'type': 'OS::Heat::ScalingPolicy', 'properties': POLICY},
}


@pytest.fixture(scope='module')
def place():
    made = cloud.Cloud()
    users = {name: {'password': SECRET, 'project': cloud.PROJECT, 'roles': ROLES} for name in (cloud.USER, OTHER, SERVICE)}
    with identity.serve(made) as url:
        services = {service: f'{url}{prefix}' for service, prefix in cloud.PREFIXES.items()}
        keystone = stack_domain.Identity({**services, 'cloudformation': f'{url}/cfn', 'orchestration': f'{url}/heat/%(project_id)s'}, users)
        made.accepts = keystone.is_valid
        with identity.serve(keystone) as auth_url:
            yield cloud.Place(made, auth_url, None, identity.ident(cloud.PROJECT), keystone)


@pytest.fixture
def driver(place, tmp_path, request):
    """An engine; a test may give it settings."""
    settings = {'trust_after': 0.1, **getattr(request, 'param', {})}
    ours = {'trust_after': settings.pop('trust_after')}
    (tmp_path / 'heat.conf').write_text(place.configuration() + CONFIGURATION.format(url=place.auth_url))
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url, files=[tmp_path / 'heat.conf'], ours=ours, action_retry_limit=0, **settings) as found:
            yield found


def settings(**values):
    return pytest.mark.parametrize('driver', [values], indirect=True, ids=['-'])


@pytest.fixture(autouse=True)
def fresh(place):
    """Nothing is left of the test before."""
    place.identity.users[cloud.USER]['roles'] = ROLES
    place.identity.lifetime, place.identity.age = datetime.timedelta(hours=1), datetime.timedelta()
    place.identity.asked.clear()
    place.cloud.faults.clear()
    place.cloud.objects.clear()
    yield
    place.identity.trusts.clear()


def log_in(place, driver, user=cloud.USER, **more):
    """The driver asks as this user from now on."""
    _, _, headers = place.identity.issue(user, {'project': {}}, ['password'])
    values = {'user_id': identity.ident(f'user {user}'), 'user_name': user, 'project_id': place.project_id, 'roles': ROLES}
    driver.context = RequestContext(**values, auth_token=dict(headers)['X-Subject-Token'], is_admin=False, **more)
    return driver.context


def log_out(place, driver):
    """The token ends."""
    place.identity.tokens.pop(driver.context.auth_token, None)


def wait_for(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def reason(driver, stack):
    return driver.stack(stack)['stack_status_reason']


@session.reader
def kept():
    return session.connection().exec_driver_sql('SELECT count(*) FROM user_creds').scalar()


@settings(trust_after=5)
def test_who_is_done_soon_leaves_nothing(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'net': {'type': 'OS::Neutron::Net'}}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    driver.delete(stack)
    assert not [path for _, path in place.identity.asked if 'OS-TRUST' in path]


def test_a_stack_without_objects_of_the_cloud_needs_nobody(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW}})
    driver.delete(stack)
    assert place.identity.asked == []


def test_a_stack_outlives_the_token_of_its_user(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(lambda: place.identity.trusts)
    log_out(place, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    (trust,) = place.identity.trusts.values()
    assert trust['trustor_user_id'] == driver.context.user_id and trust['trustee_user_id'] == identity.ident(f'user {SERVICE}')
    assert [role['name'] for role in trust['roles']] == ROLES and trust['impersonation'] and not trust['allow_redelegation']
    assert kept() == 1
    log_in(place, driver)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE' and not place.identity.trusts and kept() == 0


def asker(driver, stack):
    return db_stacks.get(driver.context, stack['stack_id']).asker


@settings(trust_after=100)
def test_who_asks_is_kept_sealed_as_long_as_the_action_needs_him(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    assert credentials.asker(asker(driver, stack)).auth_token == driver.context.auth_token
    assert driver.context.auth_token not in databases.dump()
    driver.wait(stack)
    assert asker(driver, stack) is None
    driver.delete(stack)


def test_who_asks_is_forgotten_when_there_is_a_trust(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    assert asker(driver, stack) is not None
    wait_for(lambda: asker(driver, stack) is None)
    assert kept() == 1 and driver.state(stack) == 'CREATE_IN_PROGRESS'
    driver.update(driver.wait(stack), {'resources': {'slow': SLOWER, 'net': NET}}, wait=False)
    assert asker(driver, stack) is not None
    wait_for(lambda: asker(driver, stack) is None)
    assert kept() == 1 and driver.state(stack) == 'UPDATE_IN_PROGRESS'
    driver.delete(driver.wait(stack))


def test_what_needs_no_cloud_needs_nobody_later(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW}}, wait=False)
    assert driver.state(stack) == 'CREATE_IN_PROGRESS' and asker(driver, stack) is None
    driver.delete(driver.wait(stack))


@settings(trust_after=0, trusts_delegated_roles=['member'], allow_trusts_redelegation=True)
def test_what_a_trust_hands_over(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(lambda: place.identity.trusts)
    (trust,) = place.identity.trusts.values()
    assert trust['roles'] == [{'name': 'member'}] and trust['allow_redelegation']
    driver.delete(driver.wait(stack))
    assert not place.identity.trusts


def test_a_stack_inside_may_need_the_cloud_when_the_token_has_ended(place, driver):
    log_in(place, driver)
    group = {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 2, 'resource_def': {'type': 'OS::Neutron::Net'}}}
    stack = driver.create({'resources': {'slow': SLOW, 'group': {**group, 'depends_on': 'slow'}}}, wait=False)
    wait_for(lambda: place.identity.trusts)
    log_out(place, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(place.cloud.of('network', '/networks')) == 2
    log_in(place, driver)
    driver.delete(stack)
    assert not place.identity.trusts and kept() == 0


@settings(trust_after=100)
def test_a_token_that_is_about_to_end_is_not_used_any_more(place, driver):
    place.identity.lifetime, place.identity.age = datetime.timedelta(seconds=100), datetime.timedelta(hours=1)
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(place.identity.trusts) == 1
    log_in(place, driver)
    driver.delete(stack)
    assert not place.identity.trusts


def test_another_user_of_the_project_takes_the_stack_away(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}})
    assert len(place.identity.trusts) == 1
    log_in(place, driver, OTHER)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE' and not place.identity.trusts and kept() == 0


def test_who_changes_the_stack_is_the_one_for_whom_it_acts(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': SCALING})
    log_in(place, driver, OTHER)
    slow = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 1}}
    driver.update(stack, {'resources': {**SCALING, 'slow': slow}})
    (trust,) = place.identity.trusts.values()
    assert trust['trustor_user_id'] == driver.context.user_id
    assert credentials.of_stack(driver.context, stack['stack_id']).trust_id == trust['id'] and kept() == 1
    log_in(place, driver)
    driver.delete(stack)
    assert not place.identity.trusts and kept() == 0


def dies(place, driver, how):
    """A stack whose trust is not good any more, and whose action fails by that."""
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(lambda: place.identity.trusts)
    wait_for(lambda: kept())
    how()
    log_out(place, driver)
    driver.wait(stack)
    return stack


@pytest.mark.parametrize('how', ['trust', 'role'])
def test_a_dead_trust_is_told_and_the_next_user_leaves_another(place, driver, how):
    def kill():
        if how == 'trust':
            place.identity.trusts.clear()
        else:
            place.identity.users[cloud.USER]['roles'] = ['member']

    stack = dies(place, driver, kill)
    assert driver.state(stack) == 'CREATE_FAILED'
    told = reason(driver, stack)
    wanted = (
        rf'Keystone no longer accepts the trust \w{{8}}\.\.\. by which stack "stack" acts for user tester in project {place.project_id}: .*'
    )
    assert re.search(wanted + 'Update or check the stack as a user of its project: that makes a new one', told), told
    before = set(place.identity.trusts)
    log_in(place, driver, OTHER)
    slower = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 1, 'value': 'x'}}
    driver.update(stack, {'resources': {'slow': slower, 'net': NET}}, wait=False)
    wait_for(lambda: set(place.identity.trusts) - before)
    log_out(place, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'UPDATE_COMPLETE', reason(driver, stack)
    (made,) = set(place.identity.trusts) - before
    assert credentials.of_stack(driver.context, stack['stack_id']).trust_id == made
    log_in(place, driver)
    driver.delete(stack)
    assert made not in place.identity.trusts and kept() == 0


def test_where_nothing_could_be_left_the_reason_is_told(place, driver):
    log_in(place, driver)
    place.identity.users[SERVICE]['password'] = 'another'
    driver.service.runtime.trusts._trustee_id = None
    try:
        stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
        wait_for(lambda: driver.resources(stack).get('slow') == 'CREATE_IN_PROGRESS')
        time.sleep(0.4)
        log_out(place, driver)
        driver.wait(stack)
        told = reason(driver, stack)
        assert driver.state(stack) == 'CREATE_FAILED'
        assert 'stack "stack" has nobody to act for' in told and 'the user of [trustee] cannot log in' in told and '(retry)' in told
        log_in(place, driver)
        scaling = driver.create({'resources': SCALING}, name='scaling')
        assert 'Unauthorized: resources.g: no trust could be made' in reason(driver, scaling)
    finally:
        place.identity.users[SERVICE]['password'] = SECRET
    for each in (stack, scaling):
        driver.delete(each)


def test_a_policy_scales_when_nobody_is_there(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': SCALING})
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    assert len(place.identity.trusts) == 1
    log_out(place, driver)
    owner = takeover.acting_for(db_stacks.get(driver.context, stack['stack_id']))
    driver.client.resource_signal(owner, stack_identity=stack, resource_name='p', details=None, sync_call=True)
    assert len([each for each in place.cloud.of('network', '/networks')]) == 1
    wait_for(lambda: ('g', 'UPDATE_COMPLETE') not in driver.tree(stack).items())
    nested = db_stacks.children(driver.context, [stack['stack_id']])
    assert [row.user_creds_id for row in nested] == [db_stacks.get(driver.context, stack['stack_id']).user_creds_id] != [None]
    log_in(place, driver)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE' and not place.identity.trusts and not place.cloud.of('network', '/networks')


def test_an_engine_that_takes_over_acts_by_the_trust(place, driver):
    log_in(place, driver)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}})
    row = db_stacks.get(driver.context, stack['stack_id'])
    taken = engine_stack.Stack.from_row(driver.service.runtime, takeover.acting_for(row), row)
    neutron = taken.clients().client('neutron')
    assert len(neutron.list('/networks', 'networks')) == 1
    # by the one who had asked, if he was known still; but his token has ended meanwhile
    log_out(place, driver)
    driver.service.runtime.clients._logins.clear()  # nor has this engine heard of it
    late = engine_stack.Stack.from_row(driver.service.runtime, driver.context, row)
    assert len(late.clients().client('neutron').list('/networks', 'networks')) == 1
    # another user leaves his: what is under way goes on by that
    other = log_in(place, driver, OTHER)
    taken.tree.deferred.ensure(other, own=True)
    assert [trust['trustor_user_id'] for trust in place.identity.trusts.values()] == [other.user_id]
    assert len(neutron.list('/networks', 'networks')) == 1
    assert {token['user']['name'] for token in place.identity.tokens.values() if 'OS-TRUST:trust' in token} == {OTHER}
    driver.delete(stack)


@settings(deferred_auth_method='password')
def test_a_password_is_left_where_that_is_the_way(place, driver):
    log_in(place, driver, password=SECRET)
    stack = driver.create({'resources': {'slow': SLOW, 'net': NET}}, wait=False)
    wait_for(kept)
    log_out(place, driver)
    driver.wait(stack)
    assert driver.state(stack) == 'CREATE_COMPLETE', reason(driver, stack)
    row = credentials.of_stack(driver.context, stack['stack_id'])
    assert (row.username, row.password, row.trust_id) == (cloud.USER, SECRET, None)
    log_in(place, driver)
    assert 'Missing required credential: X-Auth-Key' in reason(driver, driver.create({'resources': SCALING}, name='scaling'))
    driver.delete(stack)
    assert kept() == 0 and not place.identity.trusts
