"""Signals by signed URLs, with a Keystone that validates signatures and a scripted engine."""

import datetime
import urllib.parse

import pytest
import webob
from keystoneclient.contrib.ec2 import utils

from heat_lite.common import ec2
from tests import identity
from tests.http import scripted

ARN = 'arn:openstack:heat::p:stacks/s/1/resources/h'
BASE = 'http://heat:8000/v1'
BODY = b'{"Status": "SUCCESS"}'
SERVICE = {'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']}}


#: [credential] auth_ttl of Keystone, in seconds: an operator prolongs it for slow servers
AUTH_TTL = 86400


class Keystone(identity.Identity):
    """Keystone with the access key ``key`` of a stack user, whose secret is ``secret``."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *identity.Identity.ROUTES)

    def check(self, environ, body):
        assert self.asker(environ)['user']['name'] == 'heat', (
            'Keystone validates signatures for services only'
        )
        credentials = body['ec2Credentials']
        wanted = utils.Ec2Signer('secret').generate({**credentials})  # that of Keystone
        if credentials['access'] != 'key' or credentials['signature'] != wanted:
            raise identity.Refused(401, 'EC2 signature is invalid.')
        if time_of(credentials['params']) < time_of({}) - AUTH_TTL:
            raise identity.Refused(401, 'EC2 signature has expired.')
        token = {
            'user': {'id': 'u1', 'name': 'its user', 'domain': {'id': 'stacks'}},
            'project': {'id': 'its-project', 'name': 'x', 'domain': {'id': 'stacks'}},
            'roles': [{'id': 'r', 'name': 'heat_stack_user'}],
        }
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


def time_of(params):
    """Return the time of a signature in seconds, or now."""
    text = params.get('Timestamp')
    time = datetime.datetime.fromisoformat(text) if text else datetime.datetime.now(datetime.UTC)
    return time.replace(tzinfo=datetime.UTC).timestamp()


@pytest.fixture(scope='module')
def service():
    with (
        identity.serve(Keystone(SERVICE, {})) as url,
        scripted.service(name='heat-api-cfn', keystone=url) as both,
    ):
        yield both


def send(service, url, method='PUT', body=BODY, **script):
    app, engine = service
    engine.script, engine.calls = script, []
    return webob.Request.blank(url, method=method, body=body).get_response(app)


def signed(kind='waitcondition', arn=ARN, verb='PUT', secret='secret', access='key'):
    return ec2.signed_url(
        f'{BASE}/{kind}/{urllib.parse.quote(arn, safe="/")}', access, secret, verb
    )


def with_signature(text):
    return signed().partition('&Signature=')[0] + '&Signature=' + urllib.parse.quote(text)


def timed(seconds, name, form='%Y-%m-%dT%H:%M:%SZ'):
    """Return a signed URL with a time that differs so much from now."""
    time = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    parts = urllib.parse.urlsplit(signed())
    params = dict(urllib.parse.parse_qsl(parts.query)) | {name: time.strftime(form)}
    del params['Signature']
    params['Signature'] = ec2.sign(
        'secret', 'PUT', parts.netloc, urllib.parse.unquote(parts.path), params
    )
    return parts._replace(query=urllib.parse.urlencode(params)).geturl()


def error_of(response):
    root = response.text
    return (
        response.status_int,
        root.split('<Code>')[1].split('<')[0],
        root.split('<Message>')[1].split('<')[0],
    )


DENIED = (403, 'AccessDenied', 'User is not authorized to perform action')
REPEATED = (400, 'MalformedQueryString', 'A parameter occurs more than once in the request')
OTHER_VERSION = (
    400,
    'IncompleteSignature',
    'The request signature does not conform to AWS standards:SignatureVersion must be 2, or the '
    'signature one of version 4',
)
UNSIGNED = (400, 'IncompleteSignature', 'The request signature does not conform to AWS standards')
NO_KEY = (
    403,
    'MissingAuthenticationToken',
    'Does not contain a valid AWS Access Key or certificate',
)


def test_signal_to_wait_condition_is_synchronous(service):
    response = send(service, signed(), resource_signal={'returns': {}})
    assert (response.status_int, response.content_type, response.text) == (
        200,
        'application/xml',
        '<resource>h</resource>',
    )
    ((method, context, args),) = service[1].calls
    assert args == {
        'stack_identity': {'tenant': 'its-project', 'stack_name': 's', 'stack_id': '1', 'path': ''},
        'resource_name': 'h',
        'details': {'Status': 'SUCCESS'},
        'sync_call': True,
    }
    assert (context.user_id, context.project_id, context.roles) == (
        'u1',
        'its-project',
        ['heat_stack_user'],
    )


@pytest.mark.parametrize('verb', ['PUT', 'POST'])
def test_signal_to_other_resource_is_asynchronous(service, verb):
    assert (
        send(
            service, signed('signal', verb=verb), verb, b'', resource_signal={'returns': {}}
        ).status_int
        == 200
    )
    args = service[1].calls[0][2]
    assert args['details'] is None and not args['sync_call']


def test_deployments_are_read_by_a_signed_url(service):
    rows = [{'id': 'c', 'config': 'true'}]
    url = signed('deployments', 'a-server', 'GET')
    response = send(service, url, 'GET', b'', metadata_software_deployments={'returns': rows})
    assert (response.status_int, response.json) == (200, {'metadata': rows})
    ((_, context, args),) = service[1].calls
    assert args == {'server_id': 'a-server'} and context.project_id == 'its-project'
    response = send(service, url, 'POST')
    assert (response.status_int, response.headers['Allow']) == (405, 'GET')
    other = url.replace('a-server', 'another')
    assert error_of(send(service, other, 'GET', b'')) == DENIED


@pytest.mark.parametrize(
    ('url', 'method', 'expected'),
    [
        (signed(secret='another'), 'PUT', DENIED),
        (signed(access='another'), 'PUT', DENIED),
        (signed(kind='signal', verb='POST'), 'PUT', DENIED),
        (signed().replace('/resources/h', '/resources/other'), 'PUT', DENIED),
        (f'{signed()}&Another=1', 'PUT', DENIED),
        (signed().replace('/resources/h', '/resources/H'), 'PUT', DENIED),
        (signed().replace('stacks/s/1', 'stacks/S/1'), 'PUT', DENIED),
        (signed().replace('/waitcondition/', '/signal/'), 'PUT', DENIED),
        (signed().replace('http://heat:8000', 'http://other:8000'), 'PUT', DENIED),
        (signed().replace('http://heat:8000', 'http://heat:8001'), 'PUT', DENIED),
        (signed()[:-4], 'PUT', DENIED),
        (with_signature('a'), 'PUT', DENIED),
        (with_signature('\u00e9'), 'PUT', DENIED),
        (with_signature(''), 'PUT', UNSIGNED),
        (signed().replace('AWSAccessKeyId=key', 'AWSAccessKeyId='), 'PUT', NO_KEY),
        (signed().replace('AWSAccessKeyId', 'awsaccesskeyid'), 'PUT', NO_KEY),
        (signed() + '&AWSAccessKeyId=key', 'PUT', REPEATED),
        (signed() + '&Signature=x', 'PUT', REPEATED),
        (signed() + '&SignatureVersion=1', 'PUT', REPEATED),
        (signed().replace('SignatureVersion=2', 'SignatureVersion=0'), 'PUT', OTHER_VERSION),
        (signed().replace('SignatureVersion=2', 'SignatureVersion=1'), 'PUT', OTHER_VERSION),
        (signed().replace('SignatureVersion=2&', ''), 'PUT', OTHER_VERSION),
        (signed().partition('?')[0], 'PUT', UNSIGNED),
        (f'{BASE}/', 'GET', UNSIGNED),
    ],
)
def test_request_without_valid_signature_is_refused(service, url, method, expected):
    assert error_of(send(service, url, method, BODY if method != 'GET' else b'')) == expected
    assert not service[1].calls


def test_other_method_is_refused_with_the_right_one(service):
    response = send(service, signed(), 'POST')
    assert (response.status_int, response.headers['Allow']) == (405, 'PUT')
    assert 'POST is not supported here: send the request with PUT' in response.text
    response = send(service, signed(kind='signal'), 'GET', b'')
    assert (response.status_int, response.headers['Allow']) == (405, 'PUT, POST')
    assert not service[1].calls


@pytest.mark.parametrize(
    ('seconds', 'name', 'is_accepted'),
    [
        (0, 'Timestamp', True),
        (-600, 'Timestamp', True),
        (600, 'Timestamp', True),
        (-1200, 'Timestamp', True),
        (-AUTH_TTL - 60, 'Timestamp', False),
        (1200, 'Timestamp', False),
        (600, 'Expires', True),
        (864000, 'Expires', True),
        (-1, 'Expires', False),
        (-864000, 'Expires', False),
    ],
)
def test_time_of_signature_is_checked(service, seconds, name, is_accepted):
    response = send(service, timed(seconds, name), resource_signal={'returns': {}})
    if is_accepted:
        assert response.status_int == 200, response.text
    else:
        assert error_of(response)[:2] == (400, 'RequestExpired')
        assert not service[1].calls


@pytest.mark.parametrize('form', ['', 'yesterday', '%Y', '9' * 5000])
def test_malformed_time_of_signature_is_refused(service, form):
    response = send(service, timed(0, 'Timestamp', form))
    assert error_of(response)[:2] == (400, 'InvalidParameterValue') and not service[1].calls


def test_timestamp_and_expires_together_are_refused(service):
    response = send(service, timed(60, 'Expires') + '&Timestamp=2026-01-01T00:00:00Z')
    assert error_of(response)[:2] == (400, 'InvalidParameterCombination')


def test_signature_does_not_cover_the_body_and_can_be_sent_again(service):
    # The sender of a signal chooses its content; the URL is given to it alone.
    for body in (BODY, BODY, b'{"Status": "FAILURE"}'):
        assert send(service, signed(), body=body, resource_signal={'returns': {}}).status_int == 200


def test_invalid_body_or_arn_is_refused(service):
    assert error_of(send(service, signed(), body=b'no json'))[:2] == (400, 'InvalidParameterValue')
    assert error_of(send(service, signed(arn='arn:x')))[1:] == (
        'InvalidParameterValue',
        'A bad or out-of-range value was supplied:Data supplied was not valid: '
        '"arn:x" is not a valid ARN',
    )
    assert (
        'names no resource'
        in error_of(send(service, signed(arn='arn:openstack:heat::p:stacks/s/1')))[2]
    )
    assert error_of(send(service, signed(verb='DELETE'), 'DELETE'))[:2] == (405, 'MethodNotAllowed')
    assert error_of(send(service, signed(), body=b'"' + b'x' * 2000000 + b'"'))[:2] == (
        400,
        'RequestLimitExceeded',
    )
    assert not service[1].calls


@pytest.mark.parametrize(
    ('raised', 'expected'),
    [
        ({'Invalid': {'reason': 'no signal'}}, (400, 'InvalidParameterValue')),
        (
            {'ResourceNotFound': {'resource_name': 'h', 'stack_name': 's'}},
            (400, 'InvalidParameterValue'),
        ),
        ({'Forbidden': {'action': 'x'}}, (403, 'AccessDenied')),
        ({'RuntimeError': 'an internal secret'}, (500, 'InternalFailure')),
    ],
)
def test_engine_error_becomes_aws_error(service, raised, expected):
    response = send(service, signed(), resource_signal={'raises': raised})
    assert error_of(response)[:2] == expected
    assert 'internal secret' not in response.text
