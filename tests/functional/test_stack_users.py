"""Users of stacks in Keystone: created and deleted with the resources that need them."""

import json
import time
import urllib.parse

import pytest
import sqlalchemy

from heat_lite.common import ec2, exception
from heat_lite.common.context import RequestContext
from heat_lite.db import models, session, stacks
from heat_lite.engine.execution import actions
from heat_lite.engine.stack import lifecycle
from heat_lite.engine.stack.stack import Stack
from tests import databases, engines, identity, stack_domain
from tests.timeouts import WAIT_SECONDS

HANDLE = 'OS::Heat::WaitConditionHandle'
VALUE = {'type': 'OS::Heat::Value', 'properties': {'value': 1}}
AWS = 'AWS::CloudFormation::WaitConditionHandle'
CONFIGURATION = """
[DEFAULT]
stack_user_domain_name = {domain}
stack_domain_admin = {admin}
stack_domain_admin_password = {password}
region_name_for_services = RegionOne
[clients_keystone]
auth_uri = {url}
"""


@pytest.fixture(scope='module')
def keystone():
    services = {
        'orchestration': 'http://here:8004/v1/%(project_id)s',
        'cloudformation': 'http://here:8000/v1',
    }
    application = stack_domain.Identity(services)
    with identity.serve(application):
        yield application


@pytest.fixture(scope='module')
def engine(keystone, tmp_path_factory):
    folder = tmp_path_factory.mktemp('db')
    configuration = folder / 'heat-lite.conf'
    url = keystone.url.removesuffix('/v3')
    text = CONFIGURATION.format(
        domain=stack_domain.DOMAIN['name'],
        admin=stack_domain.ADMIN,
        password=stack_domain.PASSWORD,
        url=url,
    )
    configuration.write_text(text)
    with (
        databases.migrated('sqlite', folder) as database,
        engines.running(database, files=[configuration], enable_stack_adopt=True) as driver,
    ):
        yield driver


@pytest.fixture(autouse=True)
def fresh(engine, keystone):
    engine.context.project_id = f'p{time.monotonic_ns()}'
    yield
    assert not keystone.people and not keystone.made and not keystone.keys, (
        'a test takes its stacks away'
    )


def handles(**transports):
    resources = {
        name: {'type': HANDLE, 'properties': {'signal_transport': each}}
        for name, each in transports.items()
    }
    names = ('token', 'endpoint', 'curl_cli', 'signal')
    return {
        'resources': resources,
        'outputs': {
            f'{h}_{name}': {'value': {'get_attr': [h, name]}} for h in resources for name in names
        },
    }


def test_token_signal_handle_has_a_token_of_its_user(engine, keystone):
    made = engine.create(handles(h='TOKEN_SIGNAL'))
    (person,), (project,) = keystone.people.values(), keystone.made.values()
    assert project['name'] == f'{engine.context.project_id}-{made["stack_id"]}'[:64]
    assert engine.stack(made)['stack_user_project_id'] == project['id']
    assert person['id'] == engine.physical_id(made, 'h') and person['name'].startswith('stack-h-')
    outputs = engine.outputs(made)
    assert keystone.tokens[outputs['h_token']]['user']['id'] == person['id']
    path = f'stacks/{made["stack_name"]}/{made["stack_id"]}/resources/h/signal'
    assert outputs['h_endpoint'] == f'http://here:8004/v1/{project["id"]}/{path}'
    headers = (
        f"-H 'X-Auth-Token: {outputs['h_token']}' "
        "-H 'Content-Type: application/json' -H 'Accept: application/json'"
    )
    assert outputs['h_curl_cli'] == f'curl -i -X POST {headers} {outputs["h_endpoint"]}'
    assert outputs['h_signal'] == 'null'
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE'


def test_heat_signal_handle_has_credentials(engine, keystone):
    made = engine.create(handles(h='HEAT_SIGNAL'))
    told = json.loads(engine.outputs(made)['h_signal'])
    person = keystone.people[told['user_id']]
    assert (person['name'], person['password'], person['default_project_id']) == (
        told['username'],
        told['password'],
        told['project_id'],
    )
    assert (
        told['auth_url'] == keystone.url + '/'
        and told['domain_id'] == stack_domain.DOMAIN['id']
        and told['region_name'] == 'RegionOne'
    )
    assert (
        told['alarm_url'].endswith('/resources/h/signal')
        and f'/{told["project_id"]}/' in told['alarm_url']
    )
    engine.delete(made)


def test_cfn_signal_handle_has_a_signed_url(engine, keystone):
    template = handles(h='CFN_SIGNAL')
    template['resources']['a'] = {'type': AWS}
    template['outputs']['a'] = {'value': {'get_resource': 'a'}}
    made = engine.create(template)
    outputs = engine.outputs(made)
    keys = {key['access']: key for key in keystone.keys.values()}
    for name, url in (('a', outputs['a']), ('h', json.loads(outputs['h_signal'])['alarm_url'])):
        parts = urllib.parse.urlsplit(url)
        arn = (
            f'arn:openstack:heat::{engine.context.project_id}:stacks/stack/'
            f'{made["stack_id"]}/resources/{name}'
        )
        assert (
            urllib.parse.unquote(parts.path) == f'/v1/waitcondition/{arn}'
            and parts.netloc == 'here:8000'
        )
        params = dict(urllib.parse.parse_qsl(parts.query))
        signature = params.pop('Signature')
        key = keys[params['AWSAccessKeyId']]
        assert key['user_id'] == engine.physical_id(made, name)
        assert (
            ec2.sign(key['secret'], 'PUT', 'here:8000', f'/v1/waitcondition/{arn}', params)
            == signature
        )
    engine.delete(made)


@pytest.mark.parametrize('transport', ['HEAT_SIGNAL', 'CFN_SIGNAL'])
def test_server_gets_the_signal_settings_of_its_deployment(engine, keystone, transport):
    config = {'type': 'OS::Heat::SoftwareConfig', 'properties': {'config': 'x'}}
    properties = {'config': {'get_resource': 'c'}, 'server': 'srv', 'signal_transport': transport}
    deployment = {'type': 'OS::Heat::SoftwareDeployment', 'properties': properties}
    made = engine.create({'resources': {'c': config, 'd': deployment}}, wait=False)
    until = time.monotonic() + WAIT_SECONDS
    while not (
        listed := engine.client.metadata_software_deployments(engine.context, server_id='srv')
    ):
        assert time.monotonic() < until
        time.sleep(0.01)
    inputs = {each['name']: each['value'] for each in listed[0]['inputs']}
    (person,) = keystone.people.values()
    if transport == 'HEAT_SIGNAL':
        assert (inputs['deploy_user_id'], inputs['deploy_password']) == (
            person['id'],
            person['password'],
        )
        assert (
            inputs['deploy_auth_url'] == keystone.url + '/'
            and inputs['deploy_project_id'] == person['default_project_id']
        )
    else:
        (key,) = keystone.keys.values()
        parts = urllib.parse.urlsplit(inputs['deploy_signal_id'])
        params = dict(urllib.parse.parse_qsl(parts.query))
        path = (
            f'/v1/signal/arn:openstack:heat::{engine.context.project_id}:stacks/stack/'
            f'{made["stack_id"]}/resources/d'
        )
        assert urllib.parse.unquote(parts.path) == path and inputs['deploy_signal_verb'] == 'POST'
        assert params.pop('Signature') == ec2.sign(key['secret'], 'POST', 'here:8000', path, params)
    # a stack user sees the metadata of its servers, and signals
    user = RequestContext(
        user_id=person['id'], project_id=person['default_project_id'], roles=['heat_stack_user']
    )
    assert engine.client.metadata_software_deployments(user, server_id='srv') == listed
    details = {'deploy_status_code': 0}
    own = {**made, 'tenant': user.project_id}
    engine.client.resource_signal(
        user, stack_identity=own, resource_name='d', details=details, sync_call=True
    )
    assert engine.state(engine.wait(made)) == 'CREATE_COMPLETE'
    engine.delete(made)


def test_stack_user_of_a_server_reads_its_own_metadata_only(engine, keystone):
    polls = {
        'type': 'OS::Heat::DeployedServer',
        'properties': {'software_config_transport': 'POLL_SERVER_HEAT'},
    }
    made = engine.create({'resources': {name: polls for name in ('s', 'other')}})
    told = engine.resource(made, 's')['metadata']['os-collect-config']['heat']
    assert keystone.people[told['user_id']]['password'] == told['password']
    user = RequestContext(
        user_id=told['user_id'], project_id=told['project_id'], roles=['heat_stack_user']
    )
    own = {**made, 'tenant': user.project_id}
    assert (
        engine.client.describe_stack_resource(user, stack_identity=own, resource_name='s')[
            'metadata'
        ]['deployments']
        == []
    )
    with pytest.raises(exception.Forbidden):
        engine.client.describe_stack_resource(user, stack_identity=own, resource_name='other')
    engine.delete(made)


def test_server_that_polls_the_cfn_api_has_an_access_key(engine, keystone):
    made = engine.create({'resources': {'s': {'type': 'OS::Heat::DeployedServer'}}})
    told = engine.resource(made, 's')['metadata']['os-collect-config']
    access = told['cfn']['access_key_id']
    (key,) = (each for each in keystone.keys.values() if each['access'] == access)
    assert told == {
        'collectors': ['cfn', 'local'],
        'cfn': {
            'metadata_url': 'http://here:8000/v1/',
            'access_key_id': key['access'],
            'secret_access_key': key['secret'],
            'stack_name': made['stack_name'],
            'path': 's.Metadata',
        },
    }
    engine.delete(made)
    assert key['id'] not in keystone.keys and key['user_id'] not in keystone.people


def test_handle_without_signals_returns_no_credentials(engine, keystone):
    made = engine.create(handles(h='NO_SIGNAL'))
    assert engine.outputs(made) == {
        'h_signal': '{}',
        'h_token': None,
        'h_endpoint': None,
        'h_curl_cli': None,
    }
    engine.delete(made)


def test_handles_of_a_stack_share_one_project(engine, keystone):
    made = engine.create(handles(**{f'h{number}': 'NO_SIGNAL' for number in range(12)}))
    assert engine.state(made) == 'CREATE_COMPLETE'
    assert len(keystone.people) == 12 and len(keystone.made) == 1
    engine.delete(made)


def test_stack_user_is_disabled_while_its_handle_is_suspended(engine, keystone):
    made = engine.create(handles(h='HEAT_SIGNAL'))
    (person,) = keystone.people.values()
    engine.client.stack_suspend(engine.context, stack_identity=made)
    engine.wait(made)
    assert not person['enabled']
    engine.client.stack_resume(engine.context, stack_identity=made)
    engine.wait(made)
    assert person['enabled']
    engine.delete(made)


def test_stack_user_of_another_project_stays_as_it_is(engine, keystone):
    made = engine.create(handles(h='CFN_SIGNAL'))
    (person,), (key,) = keystone.people.values(), keystone.keys.values()
    owner, engine.context.project_id = engine.context.project_id, 'thief'
    data = {'user_id': person['id'], 'credential_id': key['id']}
    document = {'resources': {'h': {'resource_id': person['id'], 'resource_data': data}}}
    adopted = engine.create(handles(h='CFN_SIGNAL'), 'a', adopt_stack_data=json.dumps(document))
    external = {'resources': {'h': {'type': HANDLE, 'external_id': person['id']}}}
    for stack in (adopted, engine.create(external, 'b')):
        engine.client.stack_suspend(engine.context, stack_identity=stack)
        engine.wait(stack)
        engine.delete(stack)
        assert engine.state(stack) == 'DELETE_COMPLETE'
        assert person['enabled'] and keystone.people and keystone.keys
    engine.context.project_id = owner
    engine.delete(made)


def test_adopted_stack_user_of_the_same_project_is_deleted(engine, keystone):
    made = engine.create(handles(h='CFN_SIGNAL'), 'first')
    (person,), (key,) = keystone.people.values(), keystone.keys.values()
    data = {'user_id': person['id'], 'credential_id': key['id']}
    document = {'resources': {'h': {'resource_id': person['id'], 'resource_data': data}}}
    engine.delete(
        engine.create(handles(h='CFN_SIGNAL'), 'second', adopt_stack_data=json.dumps(document))
    )
    assert not keystone.people and not keystone.keys
    engine.delete(made)


def test_deleted_stack_user_does_not_block_the_delete(engine, keystone):
    made = engine.create(handles(h='CFN_SIGNAL'))
    keystone.people.clear(), keystone.made.clear(), keystone.keys.clear()
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE'


def test_stack_user_has_access_to_its_resource_only(engine, keystone):
    made = engine.create(handles(h='HEAT_SIGNAL'))
    (person,) = keystone.people.values()
    users_own = RequestContext(
        user_id=person['id'], project_id=person['default_project_id'], roles=['heat_stack_user']
    )
    seen_so = {**made, 'tenant': users_own.project_id}
    engine.client.resource_signal(
        users_own, stack_identity=seen_so, resource_name='h', details={'data': 1}, sync_call=True
    )
    assert engine.resource(made, 'h')['metadata'] == {
        '1': {'data': 1, 'reason': 'Signal 1 received', 'status': 'SUCCESS'}
    }
    with pytest.raises(exception.Forbidden):
        engine.client.describe_stack_resource(users_own, stack_identity=seen_so, resource_name='h')
    engine.delete(made)


def test_keystone_error_fails_the_resource(engine, keystone, monkeypatch):
    def refuse(self, environ, body):
        raise identity.Refused(403, 'No more users.')

    monkeypatch.setattr(stack_domain.Identity, 'make_user', refuse)
    made = engine.create(handles(h='HEAT_SIGNAL'))
    assert engine.stack(made)['stack_status_reason'].startswith(
        'Resource CREATE failed: Forbidden: resources.h: No more users.'
    )
    monkeypatch.undo()
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE'


def test_scaling_policy_has_signed_urls(engine, keystone):
    group = {
        'min_size': 0,
        'max_size': 1,
        'desired_capacity': 0,
        'resource': {'type': 'OS::Heat::TestResource'},
    }
    rule = {
        'auto_scaling_group_id': {'get_resource': 'g'},
        'adjustment_type': 'exact_capacity',
        'scaling_adjustment': 1,
    }
    template = {
        'resources': {
            'g': {'type': 'OS::Heat::AutoScalingGroup', 'properties': group},
            'p': {'type': 'OS::Heat::ScalingPolicy', 'properties': rule},
        },
        'outputs': {
            name: {'value': {'get_attr': ['p', name]}} for name in ('alarm_url', 'signal_url')
        },
    }
    made = engine.create(template)
    outputs = engine.outputs(made)
    path = f'stacks/stack/{made["stack_id"]}/resources/p'
    assert outputs['signal_url'] == f'http://here:8004/v1/{engine.context.project_id}/{path}/signal'
    url = urllib.parse.urlsplit(outputs['alarm_url'])
    assert (
        urllib.parse.unquote(url.path)
        == f'/v1/signal/arn:openstack:heat::{engine.context.project_id}:{path}'
    )
    params = dict(urllib.parse.parse_qsl(url.query))
    signature, (key,) = params.pop('Signature'), keystone.keys.values()
    assert (
        ec2.sign(key['secret'], 'POST', url.netloc, urllib.parse.unquote(url.path), params)
        == signature
    )
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE'


def test_signal_of_a_stack_user_notifies_parent_and_nested_stacks(engine, keystone):
    """The stack user may read neither of them."""
    group = {
        'min_size': 0,
        'max_size': 1,
        'desired_capacity': 0,
        'resource': {'type': 'OS::Heat::TestResource'},
    }
    rule = {
        'auto_scaling_group_id': {'get_resource': 'g'},
        'adjustment_type': 'exact_capacity',
        'scaling_adjustment': 1,
    }
    made = engine.create(
        {
            'resources': {
                'g': {'type': 'OS::Heat::AutoScalingGroup', 'properties': group},
                'p': {'type': 'OS::Heat::ScalingPolicy', 'properties': rule},
            },
            'outputs': {'size': {'value': {'get_attr': ['g', 'current_size']}}},
        }
    )
    user_id = engine.physical_id(made, 'p')
    users_own = RequestContext(
        user_id=user_id,
        project_id=keystone.people[user_id]['default_project_id'],
        roles=['heat_stack_user'],
    )
    seen_so = {**made, 'tenant': users_own.project_id}
    engine.client.resource_signal(
        users_own, stack_identity=seen_so, resource_name='p', details=None, sync_call=True
    )
    until = time.monotonic() + WAIT_SECONDS
    while engine.outputs(made) != {'size': 1}:
        assert time.monotonic() < until, engine.events(made)
        time.sleep(0.02)
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE'


def copy_of(engine, identity):
    """The stack as a request reads it now."""
    row = stacks.get(engine.context, identity['stack_id'])
    return Stack.from_row(engine.service.runtime, engine.context, row)


def test_delete_by_a_request_that_read_the_stack_without_project_deletes_the_project(
    engine, keystone
):
    made = engine.create({'resources': {'v': VALUE}})
    before = copy_of(engine, made)
    engine.update(made, handles(h='HEAT_SIGNAL'))
    assert keystone.made and before.stack_user_project_id is None
    actions.delete(before)
    engine.wait(made)
    assert engine.state(made) == 'DELETE_COMPLETE' and not keystone.made


def test_nested_stacks_share_the_project_of_their_root(engine, keystone):
    """As in Heat, which deletes the project of a root stack only, after ``give_back``."""
    handle = {'type': HANDLE, 'properties': {'signal_transport': 'HEAT_SIGNAL'}}
    inner = {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 2, 'resource_def': handle}}
    outer = {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 2, 'resource_def': inner}}
    made = engine.create({'resources': {'g': outer}})
    (project,), people = keystone.made.values(), keystone.people.values()
    assert project['name'] == f'{engine.context.project_id}-{made["stack_id"]}'[:64]
    assert [each['default_project_id'] for each in people] == [project['id']] * 4
    assert engine.stack(made)['stack_user_project_id'] == project['id']
    outer['properties']['count'] = 1
    engine.update(made, {'resources': {'g': outer}})
    assert list(keystone.made) == [project['id']] and len(keystone.people) == 2
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE' and not keystone.made


def test_nested_stack_with_a_project_of_its_own_deletes_it(engine, keystone):
    """As earlier versions have stored it."""
    group = {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 1, 'resource_def': VALUE}}
    made = engine.create({'resources': {'g': group}})
    project = engine.service.runtime.stack_users(copy_of(engine, made)).domain.create_project(
        'own', 'as an earlier version has made it'
    )
    nested = engine.physical_id(made, 'g')
    assert stacks.store_user_project(nested, project) == project
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE' and not keystone.made


@pytest.mark.parametrize('transport', ['HEAT_SIGNAL', 'CFN_SIGNAL'])
def test_interrupted_create_of_a_handle_makes_its_transport(engine, keystone, transport):
    made = engine.create(handles(h=transport))
    item = copy_of(engine, made).resource_for('h')
    before = item.signal_attribute()
    for key in ('signal_url', 'ec2_signed_url'):
        if key in item.data():
            item.data_delete(key)
    for _ in lifecycle.resume_create(item):
        pass
    assert before != 'null' and item.signal_attribute() == before
    assert [each['id'] for each in keystone.people.values()] == [item.resource_id]
    engine.delete(made)


def test_project_of_a_stack_that_was_deleted_meanwhile_is_deleted(engine, keystone):
    made = engine.create({'resources': {'v': VALUE}})
    before = copy_of(engine, made)
    engine.delete(made)
    with pytest.raises(exception.EntityNotFound, match='Stack'):
        engine.service.runtime.stack_users(before).create('late')
    assert not keystone.made and not keystone.people


@session.writer
def interrupt(stack, name):
    """Leave the row as an engine does that is killed after Keystone has made the user."""
    table = models.resource
    row = (table.c.stack_id == stack['stack_id']) & (table.c.name == name)
    values = {'action': 'CREATE', 'status': 'IN_PROGRESS', 'nova_instance': None}
    session.execute(table.update().where(row).values(**values))
    mine = sqlalchemy.select(table.c.id).where(row)
    data = models.resource_data
    session.execute(data.delete().where(data.c.resource_id.in_(mine)))


USERS = {
    'handle': {'type': AWS},
    'user': {'type': 'AWS::IAM::User'},
    'policy': {
        'type': 'OS::Heat::ScalingPolicy',
        'properties': {
            'auto_scaling_group_id': 'none',
            'adjustment_type': 'change_in_capacity',
            'scaling_adjustment': 1,
        },
    },
}


@pytest.mark.parametrize('name', USERS)
def test_user_of_an_interrupted_create_is_deleted(engine, keystone, name):
    made = engine.create({'resources': {'it': USERS[name]}})
    assert engine.state(made) == 'CREATE_COMPLETE', engine.stack(made)['stack_status_reason']
    engine.wait_for_free_lock(made)
    interrupt(made, 'it')
    engine.delete(made)
    assert engine.state(made) == 'DELETE_COMPLETE', engine.stack(made)['stack_status_reason']
    assert not keystone.people


@pytest.mark.parametrize('name', USERS)
def test_interrupted_create_of_a_user_continues_with_it(engine, keystone, name):
    made = engine.create({'resources': {'it': USERS[name]}})
    (before,) = keystone.people
    engine.wait_for_free_lock(made)
    interrupt(made, 'it')
    item = copy_of(engine, made).resource_for('it')
    for _ in lifecycle.resume_create(item):
        pass
    assert item.state == ('CREATE', 'COMPLETE') and 'password' in item.data()
    assert [each['id'] for each in keystone.people.values()] == [item.resource_id]
    item.stack.journal.flush()
    engine.delete(made)
