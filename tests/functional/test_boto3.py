"""boto3 against the CloudFormation API and a real engine, with access keys of a fake Keystone."""

import contextlib
import datetime
import json

import boto3
import botocore.config
import botocore.exceptions
import pytest
import requests
from keystoneclient.contrib.ec2 import utils

from heat_lite.api import deploy
from heat_lite.common import ec2
from tests import databases, engines, identity, stack_domain

PROJECT = 'd' * 32
CONFIGURATION = """
[DEFAULT]
stack_user_domain_name = {domain}
stack_domain_admin = {admin}
stack_domain_admin_password = {password}
region_name_for_services = RegionOne
[clients_keystone]
auth_uri = {url}
[ec2authtoken]"""
CONFIGURATION += identity.LOGIN
TEMPLATE = {
    'HeatTemplateFormatVersion': '2012-12-12',
    'Description': 'd & <x>',
    'Parameters': {
        'value': {'Type': 'String', 'Default': 'first'},
        'secret': {'Type': 'String', 'NoEcho': 'true', 'Default': 's'},
    },
    'Resources': {
        'a': {'Type': 'OS::Heat::Value', 'Properties': {'value': {'Ref': 'value'}}},
    },
    'Outputs': {'o': {'Value': {'Fn::GetAtt': ['a', 'value']}, 'Description': 'out'}},
}
SERVER = {
    'HeatTemplateFormatVersion': '2012-12-12',
    'Resources': {
        'h': {'Type': 'AWS::CloudFormation::WaitConditionHandle', 'Metadata': {'m': '<1>'}},
        'other': {'Type': 'OS::Heat::Value', 'Properties': {'value': 1}},
        'policy': {
            'Type': 'OS::Heat::AccessPolicy',
            'Properties': {'AllowedResources': ['h']},
        },
        'user': {'Type': 'AWS::IAM::User', 'Properties': {'Policies': [{'Ref': 'policy'}]}},
        'key': {'Type': 'AWS::IAM::AccessKey', 'Properties': {'UserName': {'Ref': 'user'}}},
    },
    'Outputs': {
        'url': {'Value': {'Ref': 'h'}},
        'access': {'Value': {'Ref': 'key'}},
        'secret': {'Value': {'Fn::GetAtt': ['key', 'SecretAccessKey']}},
    },
}


class Keystone(stack_domain.Identity):
    """Keystone with access keys of a member, a reader and stack users; it checks signatures."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *stack_domain.Identity.ROUTES)
    MEMBERS = {'member': ['member', 'reader'], 'reader': ['reader']}

    def check(self, environ, body):
        given = body['ec2Credentials']
        access, domain = given['access'], {'id': 'default'}
        keys = {key['access']: key for key in self.keys.values()}
        if access in self.MEMBERS:
            secret, user, project = 'secret', access, PROJECT
            roles = self.MEMBERS[access]
        elif access in keys:
            key = keys[access]
            secret, user, project = key['secret'], key['user_id'], key['project_id']
            roles = ['heat_stack_user']
        else:
            raise identity.Refused(404, 'EC2 access key not found.')
        if utils.Ec2Signer(secret).generate({**given}) != given['signature']:
            raise identity.Refused(401, 'EC2 signature is invalid.')
        token = {
            'user': {'id': user, 'name': user, 'domain': domain},
            'project': {'id': project, 'name': 'p', 'domain': domain},
            'roles': [{'id': role, 'name': role} for role in roles],
        }
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


@pytest.fixture(scope='module')
def keystone():
    users = {'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']}}
    application = Keystone({'orchestration': 'http://here:8004/v1/%(project_id)s'}, users)
    with identity.serve(application):
        yield application


@pytest.fixture(scope='module')
def url(keystone, tmp_path_factory):
    """The URL of the API in front of an engine."""
    folder = tmp_path_factory.mktemp('db')
    configuration = folder / 'heat-lite.conf'
    values = {'admin': stack_domain.ADMIN, 'password': stack_domain.PASSWORD}
    text = CONFIGURATION.format(
        domain=stack_domain.DOMAIN['name'], url=keystone.url.removesuffix('/v3'), **values
    )
    configuration.write_text(text)
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(databases.migrated('sqlite', folder))
        driver = stack.enter_context(engines.running(database, files=[configuration]))
        conf = driver.service._conf
        app = deploy.load_app(conf, 'heat-api-cfn')
        address = stack.enter_context(identity.serve(app)) + '/v1'
        keystone.services['cloudformation'] = address
        yield address


def client(url, access='member', secret='secret'):
    return boto3.client(
        'cloudformation',
        endpoint_url=url,
        region_name='RegionOne',
        aws_access_key_id=access,
        aws_secret_access_key=secret,
        config=botocore.config.Config(retries={'total_max_attempts': 1}),
    )


def fast(waiter_config=None):
    return {'Delay': 0.05, 'MaxAttempts': 400, **(waiter_config or {})}


def refusal(call, **arguments):
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        call(**arguments)
    error = caught.value.response
    return error['ResponseMetadata']['HTTPStatusCode'], error['Error']['Code']


def parameter(name, value):
    return {'ParameterKey': name, 'ParameterValue': value}


def test_boto3_creates_updates_and_deletes_a_stack(url):
    cfn, body = client(url), json.dumps(TEMPLATE)
    created = cfn.create_stack(
        StackName='walk',
        TemplateBody=body,
        Parameters=[parameter('value', '<&>"é')],
        Tags=[{'Key': 'k', 'Value': 'v'}],
        TimeoutInMinutes=5,
        OnFailure='ROLLBACK',
        Capabilities=['CAPABILITY_IAM'],
        ClientRequestToken='once',
    )['StackId']
    again = cfn.create_stack(StackName='walk', TemplateBody=body, ClientRequestToken='once')
    assert again['StackId'] == created
    cfn.get_waiter('stack_create_complete').wait(StackName='walk', WaiterConfig=fast())
    (stack,) = cfn.describe_stacks(StackName=created)['Stacks']
    assert isinstance(stack['CreationTime'], datetime.datetime)
    assert (stack['DisableRollback'], stack['TimeoutInMinutes'], stack['Tags']) == (
        False,
        5,
        [{'Key': 'k', 'Value': 'v'}],
    )
    given = {each['ParameterKey']: each['ParameterValue'] for each in stack['Parameters']}
    assert given['value'] == '<&>"é' and given['secret'] == '******'
    assert stack['Outputs'] == [{'OutputKey': 'o', 'OutputValue': '<&>"é', 'Description': 'out'}]
    cfn.update_stack(
        StackName='walk', UsePreviousTemplate=True, Parameters=[parameter('value', 'second')]
    )
    cfn.get_waiter('stack_update_complete').wait(StackName='walk', WaiterConfig=fast())
    (stack,) = cfn.describe_stacks(StackName='walk')['Stacks']
    assert (stack['Outputs'][0]['OutputValue'], stack['Tags'][0]['Key']) == ('second', 'k')
    events = [
        event
        for page in cfn.get_paginator('describe_stack_events').paginate(StackName='walk')
        for event in page['StackEvents']
    ]
    states = [(each['LogicalResourceId'], each['ResourceStatus']) for each in events]
    assert ('walk', 'UPDATE_COMPLETE') == states[0] and ('a', 'CREATE_COMPLETE') in states
    assert {each['StackId'] for each in events} == {created}
    cfn.delete_stack(StackName='walk')
    # by its id, as a deleted stack has no name
    cfn.get_waiter('stack_delete_complete').wait(StackName=created, WaiterConfig=fast())
    deleted = cfn.describe_stacks(StackName=created)['Stacks'][0]
    assert deleted['StackStatus'] == 'DELETE_COMPLETE' and deleted['DeletionTime']
    assert refusal(cfn.describe_stacks, StackName='walk') == (400, 'InvalidParameterValue')
    listed = cfn.list_stacks(StackStatusFilter=['DELETE_COMPLETE'])['StackSummaries']
    assert created in [each['StackId'] for each in listed]


def test_boto3_shows_resources_and_templates(url):
    cfn = client(url)
    created = cfn.create_stack(StackName='views', TemplateBody=json.dumps(TEMPLATE))['StackId']
    cfn.get_waiter('stack_create_complete').wait(StackName='views', WaiterConfig=fast())
    assert cfn.get_template(StackName='views')['TemplateBody'] == TEMPLATE
    (resource,) = cfn.describe_stack_resources(StackName='views')['StackResources']
    assert (resource['LogicalResourceId'], resource['ResourceType']) == ('a', 'OS::Heat::Value')
    detail = cfn.describe_stack_resource(StackName='views', LogicalResourceId='a')
    assert detail['StackResourceDetail']['ResourceStatus'] == 'CREATE_COMPLETE'
    pages = cfn.get_paginator('list_stack_resources').paginate(StackName='views')
    (summary,) = pages.build_full_result()['StackResourceSummaries']
    assert summary['PhysicalResourceId'] == resource['PhysicalResourceId']
    validated = cfn.validate_template(TemplateBody=json.dumps(TEMPLATE))['Parameters']
    assert {each['ParameterKey']: each['NoEcho'] for each in validated} == {
        'value': False,
        'secret': True,
    }
    assert cfn.estimate_template_cost(TemplateBody=json.dumps(TEMPLATE))['Url']
    pages = cfn.get_paginator('list_stacks').paginate().build_full_result()
    assert [each['StackId'] for each in pages['StackSummaries']] == [created]
    reader = client(url, 'reader')
    assert [each['StackName'] for each in reader.describe_stacks()['Stacks']] == ['views']
    assert refusal(reader.delete_stack, StackName='views') == (403, 'AccessDenied')
    assert refusal(client(url, secret='x').describe_stacks) == (403, 'AccessDenied')
    assert refusal(client(url, 'unknown').describe_stacks) == (403, 'AccessDenied')
    create = cfn.create_stack
    body = json.dumps(TEMPLATE)
    assert refusal(create, StackName='views', TemplateBody=body) == (400, 'AlreadyExists')
    other = [parameter('unknown', 'x')]
    assert refusal(create, StackName='x', TemplateBody=body, Parameters=other) == (
        400,
        'InvalidParameterValue',
    )
    assert refusal(create, StackName='x', TemplateBody=body, RoleARN='arn:aws:iam::1:role/x') == (
        400,
        'InvalidQueryParameter',
    )
    assert refusal(cfn.cancel_update_stack, StackName='views') == (400, 'InvalidParameterValue')
    cfn.delete_stack(StackName='views')
    cfn.get_waiter('stack_delete_complete').wait(StackName=created, WaiterConfig=fast())


def test_stack_user_describes_and_signals_resources_of_its_own_stack(url, keystone):
    cfn = client(url)
    ids = {
        name: cfn.create_stack(StackName=name, TemplateBody=json.dumps(SERVER))['StackId']
        for name in ('own', 'foreign')
    }
    for name in ids:
        cfn.get_waiter('stack_create_complete').wait(StackName=name, WaiterConfig=fast())
    (stack,) = cfn.describe_stacks(StackName='own')['Stacks']
    outputs = {each['OutputKey']: each['OutputValue'] for each in stack['Outputs']}
    access, secret = outputs['access'], outputs['secret']
    user = client(url, access, secret)
    for name in ('own', ids['own']):
        found = user.describe_stack_resource(StackName=name, LogicalResourceId='h')
        assert json.loads(found['StackResourceDetail']['Metadata']) == {'m': '<1>'}
    ask = user.describe_stack_resource
    assert refusal(ask, StackName='own', LogicalResourceId='other') == (403, 'AccessDenied')
    for name in ('foreign', ids['foreign']):
        absent = refusal(ask, StackName=name, LogicalResourceId='h')
        assert absent == (400, 'InvalidParameterValue')
    for denied in ('list_stacks', 'describe_stacks'):
        assert refusal(getattr(user, denied)) == (403, 'AccessDenied')
    assert refusal(user.delete_stack, StackName='own') == (403, 'AccessDenied')
    host, path = url.removeprefix('http://').split('/', 1)
    query = {
        'Action': 'DescribeStackResource',
        'StackName': 'own',
        'LogicalResourceId': 'h',
        'ContentType': 'JSON',
        'AWSAccessKeyId': access,
        'SignatureMethod': 'HmacSHA256',
        'SignatureVersion': '2',
    }
    query['Signature'] = ec2.sign(secret, 'GET', host, f'/{path}/', query)
    answer = requests.get(f'{url}/', params=query, timeout=60).json()
    answer = answer['DescribeStackResourceResponse']['DescribeStackResourceResult']
    assert answer['StackResourceDetail']['Metadata'] == {'m': '<1>'}
    report = {'Status': 'SUCCESS', 'UniqueId': '1', 'Data': 'd', 'Reason': 'r'}
    signal = requests.put(outputs['url'], json=report, timeout=60)
    assert (signal.status_code, signal.text) == (200, '<resource>h</resource>')
    for name in ids:
        cfn.delete_stack(StackName=name)
        cfn.get_waiter('stack_delete_complete').wait(StackName=ids[name], WaiterConfig=fast())
    assert not keystone.keys
    assert refusal(ask, StackName='own', LogicalResourceId='h') == (403, 'AccessDenied')


def test_arn_with_another_project_is_refused_though_its_id_is_known(url):
    cfn = client(url)
    stack_id = cfn.create_stack(StackName='known', TemplateBody=json.dumps(TEMPLATE))['StackId']
    cfn.get_waiter('stack_create_complete').wait(StackName=stack_id, WaiterConfig=fast())
    prefix, _, rest = stack_id.partition('::')
    foreign = f'{prefix}::{"f" * 32}:{rest.partition(":")[2]}'
    for name, text in ((foreign, 'Searching Tenant'), (foreign[:-1] + '!', 'could not be found')):
        for call in (cfn.describe_stacks, cfn.get_template, cfn.delete_stack):
            assert refusal(call, StackName=name) == (400, 'InvalidParameterValue')
            with pytest.raises(botocore.exceptions.ClientError, match=text):
                call(StackName=name)
        named = {'StackName': name, 'LogicalResourceId': 'a'}
        assert refusal(cfn.describe_stack_resource, **named)[0] == 400
    cfn.delete_stack(StackName=stack_id)
    cfn.get_waiter('stack_delete_complete').wait(StackName=stack_id, WaiterConfig=fast())
