"""Who may use signed URLs: each route of heat-lite-api-cfn for them by each kind of signer."""

import configparser
import urllib.parse

import pytest
import webob
from keystoneclient.contrib.ec2 import utils

from heat_lite.api.aws import ec2token
from heat_lite.api.cfn import application, signed_urls
from heat_lite.common import ec2, installation
from tests import bodies, identity
from tests.http import scripted

#: the owner of an access key -> project and roles; the secret of each is the name
SIGNERS = {
    'reader': ('home', ['reader']),
    'member': ('home', ['member', 'reader']),
    'stack user': ('home', ['heat_stack_user']),
    'stranger': ('office', ['member', 'reader']),
    'admin': ('office', ['admin', 'member', 'reader']),
    'other role': ('home', ['auditor']),
}
ARN = 'arn:openstack:heat::home:stacks/s/1/resources/h'
#: SIGNERS in their order: + is let in, - is refused with 403; then the method and the kind of path
TABLE = """
+++++- PUT waitcondition
+++++- PUT signal
+++++- POST signal
+++++- GET deployments
"""
CALLS = ('resource_signal', 'metadata_software_deployments')
ROWS = [line.rsplit(' ', 2) for line in TABLE.strip().splitlines()]
METHODS = ('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')
SERVICE = {'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']}}
CLAIMS = {
    'X-Roles': 'admin',
    'X-Project-Id': 'home',
    'X-User-Id': 'member',
    'X-Identity-Status': 'Confirmed',
    'X-Auth-EC2-Creds': '{}',
}


class Keystone(identity.Identity):
    """Keystone with an access key for each signer."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *identity.Identity.ROUTES)

    def check(self, environ, body):
        given = body['ec2Credentials']
        name = given['access']
        wanted = utils.Ec2Signer(name).generate({**given, 'params': dict(given['params'])})
        if name not in SIGNERS or given['signature'] != wanted:
            raise identity.Refused(401, 'EC2 signature is invalid.')
        project, roles = SIGNERS[name]
        domain = {'id': 'default'}
        token = {
            'user': {'id': name, 'name': name, 'domain': domain},
            'project': {'id': project, 'name': project, 'domain': domain},
            'roles': [{'id': role, 'name': role} for role in roles],
        }
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


@pytest.fixture(scope='module')
def service():
    with (
        identity.serve(Keystone(SERVICE, {})) as url,
        scripted.service(name='heat-api-cfn', keystone=url) as both,
    ):
        yield both


def send(service, method, kind, signer=None, **headers):
    """Return the status and the projects about which the engine was asked."""
    app, engine = service
    engine.script, engine.calls = dict.fromkeys(CALLS, {'returns': {}}), []
    what = 'a-server' if kind == 'deployments' else ARN
    url = f'http://heat:8000/v1/{kind}/{urllib.parse.quote(what, safe="/")}'
    url = ec2.signed_url(url, signer, signer, method) if signer else url
    request = webob.Request.blank(url, method=method, headers=headers)
    found = request.get_response(app).status_int
    return found, [_project(asker, args) for _, asker, args in engine.calls]


def _project(asker, args):
    """Return the project of the stack of a signal, else that of the signer."""
    stack = args.get('stack_identity')
    return stack['tenant'] if stack else asker.project_id


def test_table_has_a_row_for_each_route():
    served = {
        (method, kind) for kind, methods in ec2token.SIGNED_METHODS.items() for method in methods
    }
    assert served == {(method, kind) for _, method, kind in ROWS}
    kinds = signed_urls.SIGNAL.pattern.partition('(?P<kind>')[2].partition(')')[0].split('|')
    assert {*kinds, 'deployments'} == ec2token.SIGNED_METHODS.keys()
    paste = configparser.RawConfigParser()
    paste.read(installation.data_path('etc', 'api-paste.ini'))
    last = paste['pipeline:heat-api-cfn']['pipeline'].split()[-1]
    factory = paste[f'app:{last}']['paste.app_factory']
    assert factory == f'{application.__name__}:app_factory'


@pytest.mark.parametrize(('marks', 'method', 'kind'), ROWS)
def test_route_lets_in_whom_the_table_states(service, marks, method, kind):
    """A signer reaches stacks of its own project, whatever project the path names."""
    for (name, (project, _)), mark in zip(SIGNERS.items(), marks, strict=True):
        expected = (200, [project]) if mark == '+' else (403, [])
        assert send(service, method, kind, name) == expected, name
        assert send(service, method, kind, name, **CLAIMS) == expected, name
    assert send(service, method, kind) == (400, [])
    assert send(service, method, kind, **CLAIMS) == (400, [])
    assert send(service, method, kind, **{'X-Auth-Token': 'a-token'}) == (400, [])


@pytest.mark.parametrize('kind', [*ec2token.SIGNED_METHODS, 'stacks', 'cloudwatch', ''])
@pytest.mark.parametrize('method', METHODS)
def test_no_other_route_reaches_an_engine(service, method, kind):
    if method in ec2token.SIGNED_METHODS.get(kind, ()):
        pytest.skip('a route of the table')
    expected = 405 if kind in ec2token.SIGNED_METHODS else 404
    if method == 'OPTIONS':  # it is for pages in browsers
        expected = 200
    assert send(service, method, kind, 'admin') == (expected, [])


@pytest.mark.parametrize(
    'headers',
    [{'CONTENT_LENGTH': str(400 * 2**20)}, {'HTTP_TRANSFER_ENCODING': 'chunked'}],
    ids=['length', 'chunked'],
)
@pytest.mark.parametrize(('secret', 'status'), [('member', 400), ('wrong', 403)])
def test_large_body_is_read_after_the_login_and_up_to_the_limit(service, secret, status, headers):
    body, (app, engine) = bodies.EndlessBody(), service
    engine.calls = []
    url = f'http://heat:8000/v1/signal/{urllib.parse.quote(ARN, safe="/")}'
    request = webob.Request.blank(
        ec2.signed_url(url, 'member', secret, 'PUT'), {**headers, 'wsgi.input': body}, method='PUT'
    )
    response = request.get_response(app)
    assert response.status_int == status and not engine.calls
    if status == 400:
        assert 'exceeds maximum allowed size' in response.text and body.taken < 2 * 2**20
    else:
        assert not body.taken
