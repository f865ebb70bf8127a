"""The door for signals by signed URLs, with a Keystone that checks signatures and an engine that says what it is told."""

import urllib.parse

import pytest
import webob

from heat_lite.common import ec2
from tests import identity
from tests.http import scripted

ARN = 'arn:openstack:heat::p:stacks/s/1/resources/h'
BASE = 'http://heat:8000/v1'
BODY = b'{"Status": "SUCCESS"}'
SERVICE = {'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']}}


class Keystone(identity.Identity):
    """Knows one access key, ``key``, of a user of a stack, and its secret, ``secret``."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *identity.Identity.ROUTES)

    def check(self, environ, body):
        assert self.asker(environ)['user']['name'] == 'heat', 'only services may ask'
        told = body['ec2Credentials']
        wanted = ec2.sign('secret', told['verb'], told['host'], told['path'], told['params'])
        if told['access'] != 'key' or told['signature'] != wanted:
            raise identity.Refused(401, 'EC2 signature is invalid.')
        token = {
            'user': {'id': 'u1', 'name': 'its user', 'domain': {'id': 'stacks'}},
            'project': {'id': 'its-project', 'name': 'x', 'domain': {'id': 'stacks'}},
            'roles': [{'id': 'r', 'name': 'heat_stack_user'}],
        }
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


@pytest.fixture(scope='module')
def door():
    with identity.serve(Keystone(SERVICE, {})) as url, scripted.service(name='heat-api-cfn', keystone=url) as both:
        yield both


def send(door, url, method='PUT', body=BODY, **script):
    app, engine = door
    engine.script, engine.asked = script, []
    return webob.Request.blank(url, method=method, body=body).get_response(app)


def signed(kind='waitcondition', arn=ARN, verb='PUT', secret='secret', access='key'):
    return ec2.signed_url(f'{BASE}/{kind}/{urllib.parse.quote(arn, safe="/")}', access, secret, verb)


def error_of(answer):
    root = answer.text
    return answer.status_int, root.split('<Code>')[1].split('<')[0], root.split('<Message>')[1].split('<')[0]


DENIED = (403, 'AccessDenied', 'User is not authorized to perform action')
UNSIGNED = (400, 'IncompleteSignature', 'The request signature does not conform to AWS standards')


def test_a_signal_of_a_wait_condition_is_waited_for(door):
    answer = send(door, signed(), resource_signal={'answers': {}})
    assert (answer.status_int, answer.content_type, answer.text) == (200, 'application/xml', '<resource>h</resource>')
    ((method, context, args),) = door[1].asked
    assert args == {
        'stack_identity': {'tenant': 'its-project', 'stack_name': 's', 'stack_id': '1', 'path': ''},
        'resource_name': 'h',
        'details': {'Status': 'SUCCESS'},
        'sync_call': True,
    }
    assert (context.user_id, context.project_id, context.roles) == ('u1', 'its-project', ['heat_stack_user'])


@pytest.mark.parametrize('verb', ['PUT', 'POST'])
def test_another_signal_is_only_handed_on(door, verb):
    assert send(door, signed('signal', verb=verb), verb, b'', resource_signal={'answers': {}}).status_int == 200
    args = door[1].asked[0][2]
    assert args['details'] is None and not args['sync_call']


@pytest.mark.parametrize(
    ('url', 'method', 'expected'),
    [
        (signed(secret='another'), 'PUT', DENIED),
        (signed(access='another'), 'PUT', DENIED),
        (signed(), 'POST', DENIED),
        (signed().replace('/resources/h', '/resources/other'), 'PUT', DENIED),
        (f'{signed()}&Timestamp=2026-01-02T03:04:05Z', 'PUT', DENIED),
        (signed().partition('?')[0], 'PUT', UNSIGNED),
        (f'{BASE}/', 'GET', UNSIGNED),
    ],
)
def test_who_is_not_let_in(door, url, method, expected):
    assert error_of(send(door, url, method, BODY if method != 'GET' else b'')) == expected
    assert not door[1].asked


def test_bodies_and_names_that_are_none(door):
    assert error_of(send(door, signed(), body=b'no json'))[:2] == (400, 'InvalidParameterValue')
    assert error_of(send(door, signed(arn='arn:x')))[1:] == (
        'InvalidParameterValue',
        'Data supplied was not valid: "arn:x" is not a valid ARN',
    )
    assert 'names no resource' in error_of(send(door, signed(arn='arn:openstack:heat::p:stacks/s/1')))[2]
    assert error_of(send(door, signed(verb='DELETE'), 'DELETE'))[:2] == (404, 'InvalidAction')
    assert error_of(send(door, signed(), body=b'"' + b'x' * 2000000 + b'"'))[:2] == (400, 'InvalidParameterValue')
    assert not door[1].asked


@pytest.mark.parametrize(
    ('raised', 'expected'),
    [
        ({'Invalid': {'reason': 'no signal'}}, (400, 'InvalidParameterValue')),
        ({'ResourceNotFound': {'resource_name': 'h', 'stack_name': 's'}}, (400, 'InvalidParameterValue')),
        ({'Forbidden': {'action': 'x'}}, (403, 'AccessDenied')),
        ({'RuntimeError': 'a secret of the inside'}, (500, 'InternalFailure')),
    ],
)
def test_what_the_engine_refuses(door, raised, expected):
    answer = send(door, signed(), resource_signal={'raises': raised})
    assert error_of(answer)[:2] == expected
    assert 'inside' not in answer.text
