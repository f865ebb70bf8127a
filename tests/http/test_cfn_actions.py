"""The actions of CloudFormation with a scripted engine: policy, calls of the engine, responses.

The elements and texts are those that Heat returns, as recorded; differences are in docs/cfn.md.
"""

import datetime
import json
import urllib.parse
from xml.etree import ElementTree

import pytest
import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import faults, query
from heat_lite.api.cfn import application
from heat_lite.common import context, ec2, exception
from heat_lite.policies.enforcer import Enforcer
from tests import identity
from tests.http import scripted, test_access_cfn
from tests.http.test_signed_urls import error_of

ARN = 'arn:openstack:heat::home:stacks/s/1'
IDENTITY = {'tenant': 'home', 'stack_name': 's', 'stack_id': '1', 'path': ''}
TIME = '2026-11-23T08:03:41Z'
#: names and values that XML would read as markup, or does not have
MARKUP = '</a>&<b x="1">\'\u2028\U0001f600'
STACK = {
    'stack_identity': IDENTITY,
    'stack_name': 's',
    'stack_action': 'CREATE',
    'stack_status': 'COMPLETE',
    'stack_status_reason': 'Stack CREATE completed successfully',
    'creation_time': TIME,
    'updated_time': None,
    'deletion_time': None,
    'capabilities': [],
    'description': MARKUP,
    'disable_rollback': True,
    'timeout_mins': None,
    'tags': ['k=v', 'plain', 'client-request-token=t-1'],
    'parameters': {'AWS::StackId': ARN, 'r': MARKUP},
    'event_queues': ['q'],
    'outputs': [
        {'output_key': 'o', 'output_value': 'x\x0b', 'description': 'out'},
        {'output_key': 'l', 'output_value': ['a', {'b c': 1}], 'description': None},
        {'output_key': 'f', 'output_value': False, 'description': ''},
    ],
}
RESOURCE = {
    'description': '',
    'updated_time': TIME,
    'resource_name': 'a',
    'physical_resource_id': 'p',
    'resource_action': 'CREATE',
    'resource_status': 'COMPLETE',
    'resource_status_reason': MARKUP,
    'resource_type': 'OS::Heat::TestResource',
    'stack_identity': IDENTITY,
    'stack_name': 's',
    'metadata': {'m': 1, 'x y': MARKUP},
}
EVENT = {
    **RESOURCE,
    'event_identity': {**IDENTITY, 'path': '/resources/a/events/e1'},
    'event_time': TIME,
    'resource_properties': {},
}
VALIDATED = {
    'Description': 'd',
    'Parameters': {
        'p': {'Type': 'String', 'Default': '1', 'NoEcho': 'true', 'Description': ''},
        'r': {'Type': 'String', 'Description': 'a & b'},
    },
    'Environment': {'parameters': {}, 'resource_registry': {'resources': {}}},
}
SCRIPT = {
    'identify_stack': {'returns': IDENTITY},
    'create_stack': {'returns': IDENTITY},
    'update_stack': {'returns': IDENTITY},
    'stack_cancel_update': {'returns': None},
    'delete_stack': {'returns': None},
    'show_stack': {'returns': [STACK]},
    'list_stacks': {'returns': [STACK]},
    'list_events': {'returns': [EVENT]},
    'describe_stack_resource': {'returns': RESOURCE},
    'describe_stack_resources': {'returns': [RESOURCE]},
    'list_stack_resources': {'returns': [RESOURCE]},
    'find_physical_resource': {'returns': {**IDENTITY, 'path': '/resources/a'}},
    'get_template': {'returns': {'Resources': {'a': {'Type': MARKUP}}}},
    'get_environment': {'returns': {'parameters': {'r': '1', 'kept': '2', 'old': '3'}}},
    'validate_template': {'returns': VALIDATED},
}
TEMPLATE = '{"HeatTemplateFormatVersion": "2012-12-12", "Resources": {}}'
#: the least arguments of each action
ARGUMENTS = {
    'CreateStack': {'StackName': 's', 'TemplateBody': TEMPLATE},
    'UpdateStack': {'StackName': 's', 'TemplateBody': TEMPLATE},
    'DescribeStackResource': {'StackName': 's', 'LogicalResourceId': 'a'},
    'ValidateTemplate': {'TemplateBody': TEMPLATE},
    'ListStacks': {},
    'EstimateTemplateCost': {},
}
#: reader, member, stack user, stranger, admin, other role: + is let in
ACCESS = {
    '++-++-': (
        'DescribeStackEvents',
        'DescribeStackResources',
        'DescribeStacks',
        'EstimateTemplateCost',
        'GetTemplate',
        'ListStackResources',
        'ListStacks',
        'ValidateTemplate',
    ),
    '-+-++-': ('CancelUpdateStack', 'CreateStack', 'DeleteStack', 'UpdateStack'),
    '+++++-': ('DescribeStackResource',),
}


@pytest.fixture(scope='module')
def service():
    with (
        identity.serve(test_access_cfn.Keystone(test_access_cfn.SERVICE, {})) as url,
        scripted.service(name='heat-api-cfn', keystone=url) as both,
    ):
        yield both


def send(service, action, signer='member', script=(), **params):
    app, engine = service
    engine.script, engine.calls = {**SCRIPT, **dict(script)}, []
    time = datetime.datetime.now(datetime.UTC).strftime('%Y-%m-%dT%H:%M:%SZ')
    signed = {
        'Action': action,
        'Version': '2010-05-15',
        'AWSAccessKeyId': signer,
        'SignatureMethod': 'HmacSHA256',
        'SignatureVersion': '2',
        'Timestamp': time,
        **params,
    }
    signed['Signature'] = ec2.sign(signer, 'POST', 'heat:8000', '/v1/', signed)
    body = urllib.parse.urlencode(signed).encode()
    kind = 'application/x-www-form-urlencoded'
    request = webob.Request.blank('http://heat:8000/v1/', method='POST', body=body)
    request.content_type = kind
    return request.get_response(app)


def result(service, action, **params):
    """Return the content of the result in XML as nested dicts and lists."""
    response = send(service, action, **params)
    assert response.status_int == 200, response.text
    assert response.headers['Content-Type'] == 'application/xml; charset=UTF-8'
    root = ElementTree.fromstring(response.text)
    assert root.tag == f'{action}Response' and [each.tag for each in root] == [f'{action}Result']
    return plain(root[0])


def plain(element):
    if len(element) and all(child.tag == 'member' for child in element):
        return [plain(child) for child in element]
    return {child.tag: plain(child) for child in element} if len(element) else element.text


def in_json(service, action, **params):
    response = send(service, action, ContentType='JSON', **params)
    assert (response.status_int, response.content_type) == (200, 'application/json')
    return response.json[f'{action}Response'][f'{action}Result']


def args(service, method):
    return next(given for name, _, given in service[1].calls if name == method)


def calls(service):
    return [name for name, _, _ in service[1].calls]


# --------------------------------------------------------------- access


def test_table_has_a_row_for_each_action():
    assert sorted(name for names in ACCESS.values() for name in names) == sorted(
        application.ACTIONS
    )


@pytest.mark.parametrize('marks', ACCESS)
def test_action_lets_in_whom_the_table_states(service, marks):
    for action in ACCESS[marks]:
        for name, mark in zip(test_access_cfn.SIGNERS, marks, strict=True):
            response = send(service, action, name, **ARGUMENTS.get(action, {'StackName': 's'}))
            assert response.status_int == (200 if mark == '+' else 403), (action, name)
            if mark == '-':
                assert error_of(response)[1] == 'AccessDenied' and not calls(service)


def test_policy_file_of_the_operator_decides(tmp_path):
    file = tmp_path / 'policy.yaml'
    file.write_text('"cloudformation:ListStacks": "!"\n')
    conf = scripted.configuration()
    Enforcer(conf)  # registers the option
    conf.set_override('policy_file', str(file), 'oslo_policy')
    requester = context.RequestContext(user_id='u', project_id='home', roles=['member', 'reader'])
    request = webob.Request.blank('/v1/?Action=ListStacks')
    query.read(request.environ, 1000)
    request.environ[wsgi.CONTEXT] = requester
    with pytest.raises(exception.Forbidden):
        request.get_response(application.build(conf))


# --------------------------------------------------------------- views


def test_described_stack_has_the_elements_of_heat(service):
    (stack,) = result(service, 'DescribeStacks', StackName='s')['Stacks']
    assert stack == {
        'Capabilities': None,
        'CreationTime': TIME,
        'Description': MARKUP,
        'DisableRollback': 'true',
        'NotificationARNs': ['arn:openstack:zaqar::home:q'],
        'Parameters': [
            {'ParameterKey': 'AWS::StackId', 'ParameterValue': ARN},
            {'ParameterKey': 'r', 'ParameterValue': MARKUP},
        ],
        'StackId': ARN,
        'StackName': 's',
        'StackStatusReason': 'Stack CREATE completed successfully',
        'StackStatus': 'CREATE_COMPLETE',
        'Outputs': [
            {'Description': 'out', 'OutputKey': 'o', 'OutputValue': 'x\ufffd'},
            {
                'Description': 'No description given',
                'OutputKey': 'l',
                'OutputValue': '["a", {"b c": 1}]',
            },
            {
                'Description': 'No description given',
                'OutputKey': 'f',
                'OutputValue': 'false',
            },
        ],
        'Tags': [{'Key': 'k', 'Value': 'v'}, {'Key': 'plain', 'Value': None}],
    }
    (stack,) = in_json(service, 'DescribeStacks', StackName='s')['Stacks']
    assert stack['Outputs'][1]['OutputValue'] == ['a', {'b c': 1}]
    assert stack['DisableRollback'] is True and stack['TimeoutInMinutes'] is None


def test_metadata_is_a_map_in_json_and_a_text_in_xml(service):
    # cfn-init and cfn-hup read the first, os-collect-config the second
    named = {'StackName': 's', 'LogicalResourceId': 'a'}
    detail = result(service, 'DescribeStackResource', **named)['StackResourceDetail']
    assert json.loads(detail.pop('Metadata')) == RESOURCE['metadata']
    assert detail == {
        'Description': None,
        'LastUpdatedTimestamp': TIME,
        'LogicalResourceId': 'a',
        'PhysicalResourceId': 'p',
        'ResourceStatusReason': MARKUP,
        'ResourceType': 'OS::Heat::TestResource',
        'StackId': ARN,
        'StackName': 's',
        'ResourceStatus': 'CREATE_COMPLETE',
    }
    detail = in_json(service, 'DescribeStackResource', **named)['StackResourceDetail']
    assert detail['Metadata'] == RESOURCE['metadata']


def test_other_views_have_the_elements_of_heat(service):
    (summary,) = result(service, 'ListStackResources', StackName='s')['StackResourceSummaries']
    assert summary == {
        'LastUpdatedTimestamp': TIME,
        'LogicalResourceId': 'a',
        'PhysicalResourceId': 'p',
        'ResourceStatusReason': MARKUP,
        'ResourceType': 'OS::Heat::TestResource',
        'ResourceStatus': 'CREATE_COMPLETE',
    }
    (one,) = result(service, 'DescribeStackResources', PhysicalResourceId='p')['StackResources']
    assert one['Timestamp'] == TIME and 'LastUpdatedTimestamp' not in one
    (event,) = result(service, 'DescribeStackEvents', StackName='s')['StackEvents']
    assert (event['EventId'], event['ResourceStatus'], event['Timestamp']) == (
        'e1',
        'CREATE_COMPLETE',
        TIME,
    )
    (stack,) = result(service, 'ListStacks')['StackSummaries']
    assert stack == {
        'CreationTime': TIME,
        'StackId': ARN,
        'StackName': 's',
        'StackStatusReason': 'Stack CREATE completed successfully',
        'StackStatus': 'CREATE_COMPLETE',
    }
    template = SCRIPT['get_template']['returns']
    assert json.loads(result(service, 'GetTemplate', StackName='s')['TemplateBody']) == template
    assert in_json(service, 'GetTemplate', StackName='s')['TemplateBody'] == template
    assert result(service, 'EstimateTemplateCost') == {'Url': 'http://en.wikipedia.org/wiki/Gratis'}
    assert result(service, 'DeleteStack', StackName='s') is None
    assert result(service, 'CancelUpdateStack', StackName='s') is None


def test_validated_template_has_its_parameters(service):
    found = result(service, 'ValidateTemplate', TemplateBody=TEMPLATE)
    assert found['Parameters'] == [
        {'ParameterKey': 'p', 'DefaultValue': '1', 'Description': None, 'NoEcho': 'true'},
        {'ParameterKey': 'r', 'DefaultValue': None, 'Description': 'a & b', 'NoEcho': 'false'},
    ]
    error = {'Error': f'The Resource Type ({MARKUP}) could not be found.', 'Path': []}
    response = send(
        service,
        'ValidateTemplate',
        script={'validate_template': {'returns': error}},
        TemplateBody=TEMPLATE,
    )
    message = ElementTree.fromstring(response.text).findtext('.//Message')
    assert message == f'A bad or out-of-range value was supplied:{error["Error"]}'


# --------------------------------------------------------------- changes


def test_create_passes_its_arguments_to_the_engine(service):
    found = result(
        service,
        'CreateStack',
        StackName='s',
        TemplateBody=TEMPLATE,
        TimeoutInMinutes='5',
        DisableRollback='False',
        ClientRequestToken='t-1',
        **{
            'Parameters.member.2.ParameterKey': 'b',
            'Parameters.member.2.ParameterValue': '',
            'Parameters.member.1.ParameterKey': 'a',
            'Parameters.member.1.ParameterValue': MARKUP,
            'Tags.member.1.Key': 'k',
            'Tags.member.1.Value': 'v=1',
            'NotificationARNs.member.1': 'arn:openstack:zaqar::home:q',
            'Capabilities.member.1': 'CAPABILITY_IAM',
        },
    )
    assert found == {'StackId': ARN}
    given = args(service, 'create_stack')
    assert given['stack_name'] == 's' and given['template'] == json.loads(TEMPLATE)
    assert given['params']['parameters'] == {'a': MARKUP, 'b': ''}
    assert given['params']['event_sinks'] == [{'type': 'zaqar-queue', 'target': 'q'}]
    assert given['args'] == {
        'timeout_mins': 5,
        'disable_rollback': False,
        'tags': ['k=v=1', 'client-request-token=t-1'],
    }


@pytest.mark.parametrize(
    ('value', 'expected'), [('DO_NOTHING', True), ('ROLLBACK', False), ('DELETE', False)]
)
def test_on_failure_decides_the_rollback(service, value, expected):
    result(service, 'CreateStack', StackName='s', TemplateBody=TEMPLATE, OnFailure=value)
    assert args(service, 'create_stack')['args']['disable_rollback'] is expected


def test_repeated_create_with_the_same_token_returns_the_stack(service):
    exists = {'create_stack': {'raises': {'StackExists': {'stack_name': 's'}}}}
    create = {'StackName': 's', 'TemplateBody': TEMPLATE}
    again = send(service, 'CreateStack', script=exists, **create, ClientRequestToken='t-1')
    assert again.status_int == 200 and ARN in again.text
    for other in ({'ClientRequestToken': 't-2'}, {}):
        response = send(service, 'CreateStack', script=exists, **create, **other)
        assert error_of(response) == (
            400,
            'AlreadyExists',
            'Resource with the name requested already exists:The Stack (s) already exists.',
        )


def test_update_keeps_tags_and_topics_and_ignores_a_repetition(service):
    update = {'StackName': 's', 'TemplateBody': TEMPLATE}
    assert result(service, 'UpdateStack', **update) == {'StackId': ARN}
    given = args(service, 'update_stack')
    assert given['args'] == {'tags': ['k=v', 'plain']} and given['params']['event_sinks']
    assert result(service, 'UpdateStack', **update, ClientRequestToken='t-1') == {'StackId': ARN}
    assert 'update_stack' not in calls(service)
    result(service, 'UpdateStack', **update, ClientRequestToken='t-2', Tags='', NotificationARNs='')
    given = args(service, 'update_stack')
    assert given['args']['tags'] == ['client-request-token=t-2']
    assert given['params']['event_sinks'] == []


def test_update_with_previous_template_and_values(service):
    values = {
        'Parameters.member.1.ParameterKey': 'r',
        'Parameters.member.1.ParameterValue': 'new',
        'Parameters.member.2.ParameterKey': 'kept',
        'Parameters.member.2.UsePreviousValue': 'true',
    }
    result(service, 'UpdateStack', StackName='s', UsePreviousTemplate='true', **values)
    given = args(service, 'update_stack')
    assert given['template'] is None and given['params']['parameters'] == {'r': 'new'}
    assert given['args']['existing'] is True and given['args']['clear_parameters'] == ['old']


def test_update_keeps_values_that_are_defaults(service):
    values = {
        'Parameters.member.1.ParameterKey': 'default',
        'Parameters.member.1.UsePreviousValue': 'true',
    }
    update = {'StackName': 's', 'TemplateBody': TEMPLATE, **values}
    shown = {**STACK, 'parameters': {'default': 'd'}}
    result(service, 'UpdateStack', script={'show_stack': {'returns': [shown]}}, **update)
    assert args(service, 'update_stack')['params']['parameters'] == {'default': 'd'}
    assert args(service, 'update_stack')['params']['event_sinks'] == []  # those of the stack stay
    shown['parameters']['default'] = '******'
    response = send(service, 'UpdateStack', script={'show_stack': {'returns': [shown]}}, **update)
    assert error_of(response)[1] == 'InvalidParameterValue' and 'or hidden' in response.text
    response = send(service, 'UpdateStack', **update, NotificationARNs='')
    assert error_of(response)[1] == 'InvalidParameterCombination'


def test_identity_is_that_of_the_arn_or_of_the_name(service):
    foreign = 'arn:openstack:heat::office:stacks/s/1'
    for name in ('s', ARN):
        result(service, 'DeleteStack', StackName=name)
        assert args(service, 'delete_stack')['stack_identity'] == IDENTITY
    send(service, 'DeleteStack', StackName=foreign)
    assert args(service, 'delete_stack')['stack_identity'] == {**IDENTITY, 'tenant': 'office'}
    response = send(service, 'DeleteStack', StackName='arn:aws:s3:::x')
    assert error_of(response)[1] == 'InvalidParameterValue'
    absent = {'delete_stack': {'raises': {'EntityNotFound': {'entity': 'Stack', 'name': 's'}}}}
    assert error_of(send(service, 'DeleteStack', script=absent, StackName=foreign)) == (
        400,
        'InvalidParameterValue',
        'A bad or out-of-range value was supplied:The Stack (s) could not be found.',
    )


# --------------------------------------------------------------- pages


def test_events_come_in_pages(service):
    def event(number):
        path = f'/resources/a/events/e{number}'
        return {**EVENT, 'event_identity': {**IDENTITY, 'path': path}}

    rows = {'list_events': {'returns': [event(number) for number in range(101)]}}
    found = result(service, 'DescribeStackEvents', StackName='s', script=rows)
    assert len(found['StackEvents']) == 100
    token = found['NextToken']
    again = result(service, 'DescribeStackEvents', StackName='s', NextToken=token)
    assert args(service, 'list_events')['filters'] == {'uuid': 'e99'}  # the marker exists
    assert service[1].calls[-1][2]['marker'] == 'e99' and 'NextToken' not in again
    gone = {'list_events': {'returns': []}}
    for other in ({'script': gone, 'NextToken': token}, {'NextToken': 'x'}, {'NextToken': 'é'}):
        response = send(service, 'DescribeStackEvents', StackName='s', **other)
        assert error_of(response)[1] == 'InvalidParameterValue', other


def test_resources_and_stacks_come_in_pages(service):
    rows = [{**RESOURCE, 'resource_name': f'r{number}'} for number in range(150)]
    script = {'list_stack_resources': {'returns': rows}}
    first = result(service, 'ListStackResources', StackName='s', script=script)
    assert len(first['StackResourceSummaries']) == 100
    more = {'StackName': 's', 'script': script, 'NextToken': first['NextToken']}
    second = result(service, 'ListStackResources', **more)
    names = [each['LogicalResourceId'] for each in second['StackResourceSummaries']]
    assert names == [f'r{number}' for number in range(100, 150)] and 'NextToken' not in second
    stacks = {'list_stacks': {'returns': [STACK] * 101}}
    token = result(service, 'ListStacks', script=stacks)['NextToken']
    assert send(service, 'DescribeStacks', NextToken=token).status_int == 400  # of another action
    assert result(service, 'ListStacks', NextToken=token)
    assert args(service, 'list_stacks')['marker'] == '1'


def test_list_of_stacks_by_status(service):
    status = {'StackStatusFilter.member.1': 'DELETE_COMPLETE'}
    assert result(service, 'ListStacks', **status) == {'StackSummaries': None}
    given = args(service, 'list_stacks')
    assert given['filters'] == {'action': ['DELETE'], 'status': ['COMPLETE']}
    assert given['show_deleted'] is True


# --------------------------------------------------------------- errors

BAD = 'A bad or out-of-range value was supplied:'
NO_TEMPLATE = f'{BAD}The Template must be a JSON or YAML document.'
CREATE = {'StackName': 's', 'TemplateBody': TEMPLATE}
KEY, VALUE = 'Parameters.member.1.ParameterKey', 'Parameters.member.1.ParameterValue'
TAG, BAD_TAG = {'Tags.member.1.Key': 'x'}, {'Tags.member.1.Key': 'x', 'Tags.member.1.Value': 'a,b'}


@pytest.mark.parametrize(
    ('action', 'params', 'code', 'text'),
    [
        ('', {}, 'InvalidAction', 'The action or operation requested is invalid'),
        ('Foo<', {}, 'InvalidAction', 'The action or operation requested is invalid:Foo&lt;'),
        ('CreateStack', {}, 'MissingParameter', 'A mandatory input parameter is missing:StackName'),
        (
            'CreateStack',
            {'StackName': 's'},
            'MissingParameter',
            'A mandatory input parameter is missing:TemplateBody or TemplateUrl were not given.',
        ),
        ('CreateStack', {**CREATE, 'TemplateBody': '{'}, 'InvalidParameterValue', NO_TEMPLATE),
        ('ValidateTemplate', {'TemplateBody': '{}'}, 'InvalidParameterValue', NO_TEMPLATE),
        (
            'CreateStack',
            {**CREATE, 'TemplateURL': 'http://x'},
            'InvalidParameterCombination',
            'Incompatible parameters were used together:TemplateBody and TemplateURL',
        ),
        (
            'CreateStack',
            {**CREATE, 'DisableRollback': 'true', 'OnFailure': 'DELETE'},
            'InvalidParameterCombination',
            'Incompatible parameters were used together:DisableRollback and OnFailure may not be '
            'used together',
        ),
        ('CreateStack', {**CREATE, 'DisableRollback': 'x'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'OnFailure': 'x'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'TimeoutInMinutes': 'x'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'TimeoutInMinutes': '0'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'TimeoutInMinutes': '9' * 999}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'ClientRequestToken': '<'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'RoleARN': 'x'}, 'InvalidQueryParameter', 'AWS query string'),
        ('CreateStack', {**CREATE, 'Version': '2010-08-01'}, 'InvalidParameterValue', BAD),
        (
            'CreateStack',
            {**CREATE, 'NotificationARNs.member.1': 'arn:openstack:zaqar::office:q'},
            'InvalidParameterValue',
            f'{BAD}the topic arn:openstack:zaqar::office:q is no queue of the project',
        ),
        ('CreateStack', {**CREATE, 'Capabilities.member.1': 'x'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'Tags.member.0.Key': 'x'}, 'InvalidQueryParameter', ''),
        ('CreateStack', {**CREATE, 'Parameters.member.1.Other': 'x'}, 'InvalidQueryParameter', ''),
        ('CreateStack', {**CREATE, KEY: 'x'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, VALUE: 'x'}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, 'Parameters.1.x': 'x'}, 'InvalidQueryParameter', ''),
        ('CreateStack', {**CREATE, **TAG}, 'InvalidParameterValue', BAD),
        ('CreateStack', {**CREATE, **BAD_TAG}, 'InvalidParameterValue', BAD),
        ('UpdateStack', {**CREATE, 'UsePreviousTemplate': 'yes'}, 'InvalidParameterValue', BAD),
        (
            'UpdateStack',
            {
                **CREATE,
                'Parameters.member.1.ParameterKey': 'unknown',
                'Parameters.member.1.UsePreviousValue': 'true',
            },
            'InvalidParameterValue',
            f'{BAD}UsePreviousValue: no values, or hidden defaults, of unknown',
        ),
        ('DescribeStackResource', {'StackName': 's'}, 'MissingParameter', ''),
        ('DescribeStackResources', {}, 'MissingParameter', ''),
        (
            'DescribeStackResources',
            {'StackName': 's', 'PhysicalResourceId': 'p'},
            'InvalidParameterCombination',
            'Incompatible parameters were used together:Use `StackName` or `PhysicalResourceId` '
            'but not both',
        ),
        ('ValidateTemplate', {}, 'MissingParameter', ''),
        ('GetTemplate', {}, 'MissingParameter', ''),
    ],
)  # fmt: skip
def test_invalid_request_is_refused(service, action, params, code, text):
    status, found, message = error_of(send(service, action, **params))
    assert (status, found) == (400, code) and message.startswith(text), message
    assert not {'create_stack', 'update_stack'} & set(calls(service))


@pytest.mark.parametrize(
    ('raised', 'expected'),
    [
        ({'StackValidationFailed': {'message': MARKUP}}, (400, 'InvalidParameterValue')),
        ({'UserParameterMissing': {'key': 'p'}}, (400, 'InvalidParameterValue')),
        ({'ValueError': 'x'}, (400, 'InvalidParameterValue')),
        ({'InvalidTenant': {'target': 'a', 'actual': 'b'}}, (400, 'InvalidParameterValue')),
        ({'ActionInProgress': {'stack_name': 's', 'action': 'UPDATE'}}, (400, 'InvalidAction')),
        ({'RequestLimitExceeded': {'message': 'x'}}, (400, 'RequestLimitExceeded')),
        ({'Forbidden': {'action': 'x'}}, (403, 'AccessDenied')),
        ({'TooManyStacksAtWork': {'count': 1}}, (400, 'Throttling')),
        ({'EngineBusy': {'count': 1}}, (503, 'ServiceUnavailable')),
        ({'RuntimeError': 'an internal secret'}, (500, 'InternalFailure')),
    ],
)
def test_error_of_the_engine_has_the_code_of_heat(service, raised, expected):
    script = {'create_stack': {'raises': raised}}
    response = send(service, 'CreateStack', script=script, **CREATE)
    assert error_of(response)[:2] == expected and 'internal secret' not in response.text
    ElementTree.fromstring(response.text)
    response = send(service, 'CreateStack', script=script, ContentType='JSON', **CREATE)
    assert (response.status_int, response.json['Error']['Code']) == expected


def test_form_of_a_megabyte_is_answered(service):
    names = {f'Parameters.member.{n}.ParameterKey': f'p{n}' for n in range(1, 4000)}
    values = {f'Parameters.member.{n}.ParameterValue': '<&>' * 20 for n in range(1, 4000)}
    result(service, 'CreateStack', **CREATE, **names, **values)
    assert len(args(service, 'create_stack')['params']['parameters']) == 3999
    response = send(service, 'CreateStack', **CREATE, RoleARN='x' * 900_000)
    assert error_of(response)[1] == 'InvalidQueryParameter'
    body = '{"HeatTemplateFormatVersion": "2012-12-12", "Description": "%s"}' % ('x' * 700_000)
    response = send(service, 'CreateStack', StackName='s', TemplateBody=body)
    assert error_of(response)[1] == 'RequestLimitExceeded'


def test_parameters_that_no_action_has_are_ignored_as_by_heat(service):
    result(service, 'CreateStack', **CREATE, Colour='red', LogicalResourceId='a')
    assert 'Colour' not in str(args(service, 'create_stack'))
    result(service, 'CancelUpdateStack', StackName='s', ClientRequestToken='t-1')
    result(service, 'ListStacks', **{'Filter.member.1.Name': 'x'})


@pytest.mark.parametrize('name', application.REFUSED)
def test_parameters_of_amazon_that_would_restrict_are_refused(service, name):
    for key in (name, f'{name}.member.1'):
        response = send(service, 'DeleteStack', StackName='s', **{key: 'x'})
        assert error_of(response)[1] == 'InvalidQueryParameter' and not calls(service)


# --------------------------------------------------------------- other logins


def test_login_without_a_project_is_refused():
    requester = context.RequestContext(user_id='u', roles=['member', 'reader'])
    request = webob.Request.blank('/v1/?Action=ListStacks')
    query.read(request.environ, 1000)
    request.environ[wsgi.CONTEXT] = requester
    with pytest.raises(faults.Fault, match='X-Project-Id') as refusal:
        request.get_response(application.build(scripted.configuration()))
    assert (refusal.value.status, refusal.value.code) == (403, 'AccessDenied')


def test_version_list_and_pages_of_other_origins(service):
    app, _ = service
    response = webob.Request.blank('http://heat:8000/').get_response(app)
    assert response.status_int == 300
    assert response.json['versions'][0]['links'][0]['href'] == 'http://heat:8000/v1/'
    assert webob.Request.blank('http://heat:8000/nowhere').get_response(app).status_int == 404
