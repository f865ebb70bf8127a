"""Each pipeline of Heat's api-paste.ini, by requests with and without credentials."""

import contextlib
from pathlib import Path

import pytest
import requests
import webob

from heat_lite.api import paste_config
from heat_lite.api.aws import ec2token
from heat_lite.common import ec2, exception
from tests import identity
from tests.http import scripted, test_access_cfn

FILE = Path(__file__).with_name('heat_paste.ini')
USERS = {
    'member': {'password': 'secret', 'project': 'home', 'roles': ['member', 'reader']},
    'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']},
}
AUDIT = 'keystonemiddleware.audit:filter_factory'
HOME = identity.ident('home')
FORGED = {
    'X-Roles': 'admin',
    'X-Project-Id': 'office',
    'X-User-Id': 'forged-user',
    'X-Identity-Status': 'Confirmed',
    'X-Tenant-Id': 'office',
}


class Keystone(test_access_cfn.Keystone):
    """Keystone that also issues a token for a valid signature, which ``authtoken`` validates."""

    def check(self, environ, body):
        status, content, _ = super().check(environ, body)
        _, _, headers = self.issue('member', {'project': {}}, ['password'])
        return status, content, headers


@pytest.fixture(scope='module')
def keystone():
    with identity.serve(Keystone(USERS, {})) as url:
        yield url


@pytest.fixture
def token(keystone):
    user = {'name': 'member', 'password': 'secret', 'domain': {'id': 'default'}}
    login = {'methods': ['password'], 'password': {'user': user}}
    body = {'auth': {'identity': login, 'scope': {'project': {'name': 'home'}}}}
    answer = requests.post(f'{keystone}/auth/tokens', json=body, timeout=60)
    return answer.headers['X-Subject-Token']


@contextlib.contextmanager
def pipeline(flavor, name=None, keystone=None):
    with scripted.service(flavor, name, keystone, pipelines=FILE) as (app, engine):
        engine.script = {'list_stacks': {'returns': []}, 'resource_signal': {'returns': {}}}
        yield app, engine


def send(app, path, method='GET', **headers):
    return webob.Request.blank(path, method=method, headers=headers).get_response(app)


def projects(engine, method='list_stacks'):
    return [context.project_id for name, context, _ in engine.calls if name == method]


def users(engine):
    return [context.user_id for name, context, _ in engine.calls if name == 'list_stacks']


def test_default_pipeline_validates_tokens(keystone, token):
    with pipeline(None, keystone=keystone) as (app, engine):
        assert send(app, '/').status_int == 300
        assert send(app, '/healthcheck').status_int == 200
        refused = send(app, f'/v1/{HOME}/stacks', **FORGED)
        assert refused.status_int == 401 and engine.calls == []
        reply = send(app, f'/v1/{HOME}/stacks', **{'X-Auth-Token': token, **FORGED})
        assert reply.json == {'stacks': []}
        assert reply.headers['x-openstack-request-id'].startswith('req-')
        assert projects(engine) == [HOME] and users(engine) != ['forged-user']
        absent = send(app, f'/v1/{HOME}/nothing', **{'X-Auth-Token': token})
        assert absent.status_int == 404
        engine.script = {'list_stacks': {'raises': {'EngineBusy': {'count': 1}}}}
        failed = send(app, f'/v1/{HOME}/stacks', **{'X-Auth-Token': token})
        assert failed.status_int == 503 and failed.json['error']['type'] == 'EngineBusy'


def test_filter_of_keystonemiddleware_audits_the_requests(keystone, token, tmp_path):
    """openstack-helm's api-paste.ini has it between ``authtoken`` and ``context``."""
    (tmp_path / 'map.conf').write_text('[path_keywords]\nstacks = stack\n')
    audit = f'audit_map_file = {tmp_path}/map.conf\npaste.filter_factory = {AUDIT}\n'
    text = FILE.read_text().replace('authtoken context osprofiler', 'authtoken audit context', 1)
    file = tmp_path / 'api-paste.ini'
    file.write_text(f'{text}\n[filter:audit]\n{audit}')
    with scripted.service(None, None, keystone, pipelines=file) as (app, engine):
        engine.script = {'list_stacks': {'returns': []}}
        request = webob.Request.blank(f'/v1/{HOME}/stacks', headers={'X-Auth-Token': token})
        assert request.get_response(app).json == {'stacks': []}
        event = request.environ['cadf_event'].as_dict()
        assert (event['action'], event['outcome']) == ('read/list', 'success')
        assert event['initiator']['project_id'] == HOME


def test_pipeline_standalone_logs_in_with_name_and_password(keystone):
    with pipeline('standalone', keystone=keystone) as (app, engine):
        login = {'X-Auth-User': 'member', 'X-Auth-Key': 'secret', 'X-User-Domain-Id': 'default'}
        assert send(app, f'/v1/{HOME}/stacks', **FORGED).status_int == 401
        wrong = send(app, f'/v1/{HOME}/stacks', **{**login, 'X-Auth-Key': 'wrong'})
        assert wrong.status_int == 401 and engine.calls == []
        assert send(app, f'/v1/{HOME}/stacks', **login, **FORGED).status_int == 200
        assert projects(engine) == [HOME]


def test_pipeline_noauth_takes_the_project_of_the_path():
    with pipeline('noauth') as (app, engine):
        assert send(app, '/v1/some-project/stacks', **FORGED).json == {'stacks': []}
        assert send(app, '/v1/some-project/nothing').status_int == 404
        assert projects(engine) == ['some-project'] and users(engine) != ['forged-user']


def test_pipeline_custombackend_asks_the_engine():
    with pipeline('custombackend') as (app, engine):
        engine.script['authenticated_to_backend'] = {'returns': True}
        assert send(app, '/v1/home/stacks', **FORGED).status_int == 401
        found = {'user_id': 'u', 'project_id': 'home', 'roles': 'member,reader'}
        engine.script['authenticated_to_backend'] = {'returns': found}
        assert send(app, '/v1/home/stacks', **FORGED).status_int == 200
        assert projects(engine) == ['home'] and users(engine) == ['u']


@pytest.mark.parametrize('flavor', [None, 'standalone'])
def test_pipelines_of_the_other_api_validate_signatures(keystone, flavor):
    with scripted.service(flavor, 'heat-api-cfn', keystone, pipelines=FILE) as (app, engine):
        engine.script = {'resource_signal': {'returns': {}}}
        arn = f'arn%3Aopenstack%3Aheat%3A%3A{HOME}%3Astacks/s/1/resources/h'
        url = f'http://heat:8000/v1/signal/{arn}'
        unsigned = send(app, url, 'POST', **FORGED)
        assert unsigned.status_int == 400 and b'<Code>' in unsigned.body
        signed = ec2.signed_url(url, 'member', 'member', 'POST')
        assert send(app, signed, 'POST').status_int == 200
        assert [name for name, _, _ in engine.calls] == ['resource_signal']
        assert send(app, '/healthcheck').status_int == 200


def test_file_without_a_health_check_gets_one(keystone, tmp_path):
    """The form of openstack-helm's api-paste.ini: pipelines without a composite above them."""
    text, (_, start, rest) = FILE.read_text(), FILE.read_text().partition('[app:apiv1app]')
    filters = f'{start}{rest}'.replace('[app:healthcheck]', '[app:unused]')
    names = text.partition('default = ')[2].partition('\n')[0]
    file = tmp_path / 'api-paste.ini'
    file.write_text(f'[pipeline:heat-api]\npipeline = {names}\n{filters}')
    with scripted.service(None, None, keystone, pipelines=file) as (app, engine):
        assert send(app, '/healthcheck').status_int == 200
        assert send(app, '/').status_int == 300
        assert send(app, f'/v1/{HOME}/stacks').status_int == 401


def test_flavor_that_the_file_does_not_have_is_an_error():
    with pytest.raises(exception.ConfigurationError, match='flavor = forged'):
        with pipeline('forged'):
            pass


def test_flavor_that_the_own_file_does_not_have_is_an_error():
    with pytest.raises(
        exception.ConfigurationError, match='heat-api-password.*heat-api-standalone'
    ):
        with scripted.service('password'):
            pass


def test_signatures_are_checked_by_the_keystone_of_endpoint_override(keystone):
    conf = scripted.configuration(None, keystone)
    conf_of = paste_config.global_conf_of(conf)
    (found,) = ec2token.filter_factory(conf_of)(None).keystones
    assert found.url == keystone
    conf.set_override('endpoint_override', 'http://other:5000', 'ec2authtoken')
    (found,) = ec2token.filter_factory(conf_of)(None).keystones
    assert found.url == 'http://other:5000/v3'


@pytest.mark.parametrize('flavor', [None, 'standalone'])
def test_cfn_pipeline_logs_in_by_password_without_a_signature(keystone, flavor):
    path = '/v1/?Action=ListStacks'
    login = {'X-Auth-User': 'member', 'X-Auth-Key': 'secret', 'X-Project-Id': HOME}
    with pipeline(flavor, 'heat-api-cfn', keystone) as (app, engine):
        response = send(app, path, **login)
        assert response.status_int == 200, response.text
        assert '<StackSummaries />' in response.text and projects(engine) == [HOME]
        refused = send(app, path, **{**login, 'X-Auth-Key': 'wrong'})
        assert refused.status_int == 403 and '<Code>AccessDenied</Code>' in refused.text
        assert send(app, path, **{**FORGED, 'X-Auth-Token': 'x'}).status_int == 400
        signed = send(app, f'{path}&AWSAccessKeyId=x&Signature=x', **login)
        assert signed.status_int == 400, 'a signature is checked, whatever the headers are'
        assert len(projects(engine)) == 1
