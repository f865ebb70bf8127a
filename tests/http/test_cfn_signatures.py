"""Signatures of versions 2 and 4 as clients make them: checked by Keystone, and by the service."""

import contextlib
import datetime
import json
import urllib.parse

import pytest
import webob
from botocore import auth, awsrequest
from botocore.credentials import Credentials
from keystoneclient.contrib.ec2 import utils

from heat_lite.api.aws import faults, local_keys, local_signature
from heat_lite.api.cfn import application
from heat_lite.api.middleware.context import ContextFilter
from heat_lite.common import ec2
from heat_lite.common.local_stack_domain import LocalStackDomain
from tests import bodies, identity
from tests.http import scripted
from tests.http.test_signed_urls import DENIED, SERVICE, UNSIGNED, error_of

URL = 'http://heat:8000/v1/'
PARAMS = {
    'Action': 'DescribeStackResource',
    'Version': '2010-05-15',
    'StackName': 'a stack & <more>',
    'LogicalResourceId': 'é+/~*\u2028',
}
#: bytes: the limit of requests of Keystone
MAX_REQUEST = 114688
IDENTITY = {'tenant': 'home', 'stack_name': 's', 'stack_id': '1', 'path': ''}
ROW = {
    'description': '',
    'updated_time': '2026-01-01T00:00:00Z',
    'resource_name': 'r',
    'physical_resource_id': 'p',
    'resource_action': 'CREATE',
    'resource_status': 'COMPLETE',
    'resource_status_reason': 'state changed',
    'resource_type': 'OS::Heat::None',
    'stack_identity': IDENTITY,
    'stack_name': 's',
    'metadata': {'m': 1},
}
SCRIPT = {
    'identify_stack': {'returns': IDENTITY},
    'describe_stack_resource': {'returns': ROW},
}


class Keystone(identity.Identity):
    """Keystone with the access key ``key`` and its secret; it checks as Keystone does."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *identity.Identity.ROUTES)

    def check(self, environ, body):
        given = body['ec2Credentials']
        if len(json.dumps(body)) > MAX_REQUEST:
            raise identity.Refused(413, 'Request is too large.')
        wanted = utils.Ec2Signer('secret').generate({**given, 'params': dict(given['params'])})
        if given['access'] != 'key' or given['signature'] != wanted:
            raise identity.Refused(401, 'EC2 signature is invalid.')
        domain = {'id': 'default'}
        token = {
            'user': {'id': 'u1', 'name': 'member', 'domain': domain},
            'project': {'id': 'home', 'name': 'home', 'domain': domain},
            'roles': [{'id': 'r', 'name': 'reader'}],
        }
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


class Service:
    """An application, its engine, and an access key with its secret."""

    def __init__(self, app, engine, access, secret):
        self.app, self.engine, self.access, self.secret = app, engine, access, secret

    def send(self, url, method='GET', **options):
        self.engine.script, self.engine.calls = SCRIPT, []
        return webob.Request.blank(url, method=method, **options).get_response(self.app)

    def calls(self):
        return [name for name, _, _ in self.engine.calls]


@contextlib.contextmanager
def local(engine, app):
    conf = scripted.configuration()
    domain = LocalStackDomain(['a key of 32 letters, for this test'])
    _, access, secret = domain.create_keypair('1' * 32, '2' * 32)
    signed = local_signature.LocalSignatureFilter(
        ContextFilter(application.build(conf)),
        local_keys.LocalKeys(lambda access: None, domain=domain),
        conf.max_json_body_size,
        'http://public:8000',
    )
    yield Service(faults.FaultFilter(signed), engine, access, secret)


@pytest.fixture(scope='module')
def services():
    with (
        identity.serve(Keystone(SERVICE, {})) as url,
        scripted.service(name='heat-api-cfn', keystone=url) as (app, engine),
        local(engine, app) as own,
    ):
        yield {'keystone': Service(app, engine, 'key', 'secret'), 'local': own}


@pytest.fixture(params=['keystone', 'local'])
def service(services, request):
    return services[request.param]


def now(seconds=0, form='%Y-%m-%dT%H:%M:%SZ'):
    time = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return time.strftime(form)


def version_2(service, method='GET', secret=None, **params):
    """Return the parameters with a signature of version 2, as the old boto makes it."""
    signed = {
        **PARAMS,
        'AWSAccessKeyId': service.access,
        'SignatureMethod': 'HmacSHA256',
        'SignatureVersion': '2',
        'Timestamp': now(),
        **params,
    }
    signature = ec2.sign(secret or service.secret, method, 'heat:8000', '/v1/', signed)
    return {**signed, 'Signature': signature}


def version_4(service, method='GET', secret=None, signer=auth.SigV4Auth, data=None, **more):
    """Return the request as botocore signs it."""
    options = {'params': PARAMS} if method == 'GET' and data is None else {'data': data or PARAMS}
    request = awsrequest.AWSRequest(method=method, url=URL, **options)
    credentials = Credentials(service.access, secret or service.secret)
    signer(credentials, 'cloudformation', 'RegionOne', **more).add_auth(request)
    return request.prepare()


def send_4(service, prepared, **changes):
    headers = {name: text(value) for name, value in prepared.headers.items()}
    headers.pop('Content-Length', None)
    options = {'headers': {**headers, **changes}}
    if prepared.body:
        options['body'] = text(prepared.body).encode()
        options['content_type'] = 'application/x-www-form-urlencoded'
    return service.send(text(prepared.url), prepared.method, **options)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def assert_accepted(service, response):
    assert response.status_int == 200, response.text
    assert '<LogicalResourceId>r</LogicalResourceId>' in response.text
    found = service.engine.calls[-1][2]['resource_name']
    assert found == PARAMS['LogicalResourceId']


@pytest.mark.parametrize('method', ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])
def test_each_method_performs_the_action_of_its_query(service, method):
    request = awsrequest.AWSRequest(method=method, url=URL, params=PARAMS)
    credentials = Credentials(service.access, service.secret)
    auth.SigV4Auth(credentials, 'cloudformation', 'RegionOne').add_auth(request)
    response = send_4(service, request.prepare())
    assert response.status_int == 200 and service.calls()
    if method not in ('GET', 'HEAD'):
        form = version_4(service, method)
        assert error_of(send_4(service, form))[:2] == (404, 'MalformedQueryString')
        assert not service.calls()


def test_version_2_in_the_query_and_in_the_form(service):
    query = urllib.parse.urlencode(version_2(service))
    assert_accepted(service, service.send(f'{URL}?{query}'))
    form = urllib.parse.urlencode(version_2(service, 'POST')).encode()
    kind = 'application/x-www-form-urlencoded; charset=utf-8'
    assert_accepted(service, service.send(URL, 'POST', body=form, content_type=kind))
    signed = version_2(service, 'POST')
    action = urllib.parse.urlencode({'Action': signed.pop('Action')})
    rest = urllib.parse.urlencode(signed).encode()
    response = service.send(f'{URL}?{action}', 'POST', body=rest, content_type=kind)
    assert_accepted(service, response)


@pytest.mark.parametrize('method', ['GET', 'POST'])
def test_version_4_in_the_header(service, method):
    assert_accepted(service, send_4(service, version_4(service, method)))


def test_form_beyond_the_limit_of_keystone_needs_version_4(services):
    template = {'RoleARN': 'x' * 300_000}
    for service in services.values():
        response = send_4(service, version_4(service, 'POST', data={**PARAMS, **template}))
        assert error_of(response)[:2] == (400, 'InvalidQueryParameter')  # the signature is valid
        other = version_4(service, 'POST', 'other', data={**PARAMS, **template})
        assert error_of(send_4(service, other)) == DENIED
    service = services['keystone']
    form = urllib.parse.urlencode(version_2(service, 'POST', **template)).encode()
    kind = 'application/x-www-form-urlencoded'
    status, code, message = error_of(service.send(URL, 'POST', body=form, content_type=kind))
    assert (status, code) == (400, 'RequestLimitExceeded') and 'sign with version 4' in message


def test_presigned_url_of_version_4(service):
    prepared = version_4(service, signer=auth.SigV4QueryAuth, expires=60)
    assert_accepted(service, service.send(text(prepared.url)))


@pytest.mark.parametrize('method', ['GET', 'POST'])
def test_other_secret_is_denied(service, method):
    form = urllib.parse.urlencode(version_2(service, method, 'other'))
    kind = 'application/x-www-form-urlencoded'
    old = (
        service.send(f'{URL}?{form}')
        if method == 'GET'
        else service.send(URL, 'POST', body=form.encode(), content_type=kind)
    )
    assert error_of(old) == DENIED
    assert error_of(send_4(service, version_4(service, method, 'other'))) == DENIED
    assert not service.calls()


def test_changed_request_is_denied(service):
    """A signature covers method, host, path, parameters, headers and body."""
    get, post = version_4(service), version_4(service, 'POST')
    for prepared, old, new in (
        (get, 'StackName=', 'StackName=x'),
        (get, '/v1/', '/v1'),
        (get, 'heat:8000', 'heat:8001'),
    ):
        headers = {name: text(value) for name, value in prepared.headers.items()}
        url = text(prepared.url).replace(old, new)
        assert error_of(service.send(url, headers=headers)) == DENIED, new
    post.body = text(post.body).replace('Action=', 'X=1&Action=')
    assert error_of(send_4(service, post)) == DENIED
    date = now(1, '%Y%m%dT%H%M%SZ')
    assert error_of(send_4(service, get, **{'X-Amz-Date': date})) == DENIED
    presigned = text(version_4(service, signer=auth.SigV4QueryAuth, expires=60).url)
    assert error_of(service.send(presigned.replace('Expires=60', 'Expires=600'))) == DENIED
    assert error_of(service.send(presigned, 'PUT'))[:2] == (400, 'IncompleteSignature')
    assert not service.calls()


def test_query_of_a_signed_post_is_refused(service):
    """Keystone does not look at it, so anyone could add parameters."""
    post = version_4(service, 'POST', data={'Version': '2010-05-15'})
    for query in ('Action=ListStacks', 'Action=DescribeStackResource&StackName=s'):
        post.url = f'{URL}?{query}'
        assert error_of(send_4(service, post))[:2] == (404, 'MalformedQueryString')
    assert not service.calls()


V4 = 'AWS4-HMAC-SHA256'
AUTHORIZATION = f'{V4} Credential=key/{{date}}/r/s/aws4_request,SignedHeaders=host,Signature=0'


@pytest.mark.parametrize(
    ('header', 'date', 'expected'),
    [
        (V4, None, 'IncompleteSignature'),
        (
            'AWS4-HMAC-SHA1 Credential=a,SignedHeaders=host, Signature=0',
            None,
            'IncompleteSignature',
        ),
        (
            f'{V4} Credential=,SignedHeaders=host,Signature=0',
            None,
            'IncompleteSignature',
        ),
        (AUTHORIZATION, '', 'IncompleteSignature'),
        (AUTHORIZATION, 'yesterday', 'InvalidParameterValue'),
        (AUTHORIZATION, '9' * 5000, 'InvalidParameterValue'),
        (AUTHORIZATION.replace('{date}', '20200101'), None, 'IncompleteSignature'),
        (AUTHORIZATION.replace('{date}', '\u0663' * 8), None, 'IncompleteSignature'),
        (AUTHORIZATION.replace('key/', 'key'), None, 'IncompleteSignature'),
        (AUTHORIZATION.replace('=host', '=x-amz-date'), None, 'IncompleteSignature'),
        (AUTHORIZATION, None, 'AccessDenied'),
        ('AWS key:signature', None, 'IncompleteSignature'),
    ],
)
def test_malformed_authorization_is_refused(service, header, date, expected):
    header = header.replace('{date}', now(form='%Y%m%d')).encode().decode('latin-1')
    headers = {'Authorization': header}
    if date != '':
        headers['X-Amz-Date'] = date or now(form='%Y%m%dT%H%M%SZ')
    response = service.send(f'{URL}?{urllib.parse.urlencode(PARAMS)}', headers=headers)
    assert error_of(response)[1] == expected and not service.calls()


def test_request_without_a_signature_is_refused(service):
    query = urllib.parse.urlencode(PARAMS)
    assert error_of(service.send(f'{URL}?{query}')) == UNSIGNED
    kind = 'application/x-www-form-urlencoded'
    assert error_of(service.send(URL, 'POST', body=query.encode(), content_type=kind)) == UNSIGNED
    both = {**version_2(service), 'X-Amz-Algorithm': 'AWS4-HMAC-SHA256'}
    response = service.send(f'{URL}?{urllib.parse.urlencode(both)}')
    assert error_of(response)[1] == 'IncompleteSignature'
    assert not service.calls()


@pytest.mark.parametrize('seconds', [-960, 960])
def test_time_of_a_signature_beyond_the_skew_is_refused(services, seconds, monkeypatch):
    service = services['local']  # Keystone decides itself how old a signature may be
    signed = version_2(service, Timestamp=now(seconds))
    response = service.send(f'{URL}?{urllib.parse.urlencode(signed)}')
    assert error_of(response)[:2] == (400, 'RequestExpired')
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    monkeypatch.setattr('botocore.auth.get_current_datetime', lambda: moment.replace(tzinfo=None))
    assert error_of(send_4(service, version_4(service)))[:2] == (400, 'RequestExpired')
    if seconds < 0:
        presigned = version_4(service, signer=auth.SigV4QueryAuth, expires=900)
        assert error_of(service.send(text(presigned.url)))[:2] == (400, 'RequestExpired')
        longer = version_4(service, signer=auth.SigV4QueryAuth, expires=1800)
        assert_accepted(service, service.send(text(longer.url)))
    assert len(service.engine.calls) == (2 if seconds < 0 else 0)


@pytest.mark.parametrize('expires', ['0', '-1', '604801', 'x', '9' * 5000])
def test_malformed_expiry_of_a_presigned_url_is_refused(service, expires):
    url = text(version_4(service, signer=auth.SigV4QueryAuth, expires=60).url)
    response = service.send(url.replace('X-Amz-Expires=60', f'X-Amz-Expires={expires}'))
    assert error_of(response)[:2] == (400, 'InvalidParameterValue')


@pytest.mark.parametrize(
    ('query', 'expected'),
    [
        ('Action=%ff', (400, 'InvalidParameterValue')),
        ('Action=a%00b', (400, 'InvalidParameterValue')),
        ('Action=a&Action=b', (400, 'MalformedQueryString')),
        ('&'.join(f'a{number}=' for number in range(10001)), (404, 'MalformedQueryString')),
        ('ContentType=YAML', (400, 'InvalidParameterValue')),
    ],
)
def test_malformed_parameters_are_refused(service, query, expected):
    kind = 'application/x-www-form-urlencoded'
    assert error_of(service.send(f'{URL}?{query}'))[:2] == expected
    response = service.send(URL, 'POST', body=query.encode(), content_type=kind)
    assert error_of(response)[:2] == expected and not service.calls()


def test_token_of_a_session_is_refused(service):
    query = urllib.parse.urlencode(version_2(service))
    for url, headers in (
        (f'{URL}?{query}', {'X-Amz-Security-Token': 'x'}),
        (f'{URL}?{query}&SecurityToken=x', {}),
        (f'{URL}?{query}&X-Amz-Security-Token=x', {}),
    ):
        refused = error_of(service.send(url, headers=headers))
        assert refused[:2] == (403, 'InvalidClientTokenId') and not service.calls()


def test_form_beyond_the_limit_is_not_read(service):
    for headers in ({'CONTENT_LENGTH': str(400 * 2**20)}, {'HTTP_TRANSFER_ENCODING': 'chunked'}):
        body = bodies.EndlessBody()
        request = webob.Request.blank(URL, {**headers, 'wsgi.input': body}, method='POST')
        response = request.get_response(service.app)
        assert error_of(response)[:2] == (400, 'RequestLimitExceeded')
        assert body.taken < 2 * 2**20


def test_errors_in_json_have_their_status(service):
    query = urllib.parse.urlencode({**PARAMS, 'ContentType': 'JSON'})
    response = service.send(f'{URL}?{query}')
    assert (response.status_int, response.content_type) == (400, 'application/json')
    assert json.loads(response.text)['Error'] == {
        'Type': 'Sender',
        'Code': 'IncompleteSignature',
        'Message': UNSIGNED[2],
    }
