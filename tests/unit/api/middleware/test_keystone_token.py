"""The pipelines that ask a Keystone, against a Keystone."""

import json

import pytest
import requests
import webob
from oslo_config import cfg

from heat_lite.api import configuration
from heat_lite.api.middleware import token as middleware
from tests import identity
from tests.http import scripted

USERS = {
    'demo': {'password': 'secret', 'project': 'home', 'roles': ['member', 'reader']},
    'admin': {'password': 'secret', 'project': 'office', 'roles': ['admin', 'member', 'reader']},
    'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin']},
}
HOME, OFFICE = identity.ident('home'), identity.ident('office')


@pytest.fixture(scope='module')
def keystone():
    with identity.serve(identity.Identity(USERS, {})) as url:
        yield url


@pytest.fixture
def service(keystone):
    with scripted.service(flavor=None, keystone=keystone) as both:
        yield both


def token(url, name='demo'):
    user = {'name': name, 'password': 'secret', 'domain': {'id': 'default'}}
    identity_part = {'methods': ['password'], 'password': {'user': user}}
    body = {'auth': {'identity': identity_part, 'scope': {'project': {'name': USERS[name]['project']}}}}
    return requests.post(f'{url}/auth/tokens', json=body, timeout=5).headers['X-Subject-Token']


def get(app, path, **headers):
    return webob.Request.blank(path, headers={key.replace('_', '-'): value for key, value in headers.items()}).get_response(app)


SPOOFED = {'X_Project_Id': HOME, 'X_Roles': 'admin', 'X_Identity_Status': 'Confirmed'}


@pytest.mark.parametrize('headers', [{}, {'X_Auth_Token': 'expired'}, SPOOFED])
def test_without_a_good_token(service, headers):
    app, engine = service
    answer = get(app, f'/v1/{HOME}/stacks', **headers)
    assert answer.status_int == 401
    assert answer.headers['WWW-Authenticate'].startswith('Keystone uri=')
    error = {'code': 401, 'title': 'Unauthorized', 'message': 'The request you have made requires authentication.'}
    assert json.loads(answer.text) == {'error': error}
    assert answer.headers['x-openstack-request-id'].startswith('req-')
    assert not engine.asked


def test_with_a_good_one(service, keystone):
    app, engine = service
    engine.script = {'list_stacks': {'answers': []}}
    assert get(app, f'/v1/{HOME}/stacks', X_Auth_Token=token(keystone)).json == {'stacks': []}
    ((_, context, _),) = engine.asked
    assert (context.project_id, context.username, context.is_admin) == (HOME, 'demo', False)
    assert context.auth_url == keystone
    assert context.request_id.startswith('req-')


def seen_behind(keystone, status=200, **headers):
    """The answer, and the environment that an application of one's own is given."""
    seen = {}

    def application(environ, start_response):
        seen.update(environ)
        return webob.Response(status=status)(environ, start_response)

    conf = scripted.configuration(flavor=None, keystone=keystone)
    app = middleware.filter_factory(configuration.offer(conf))(application)
    return get(app, '/', **headers), seen


def test_nothing_that_the_client_says_of_itself_comes_through(keystone):
    said = {**SPOOFED, 'X_Service_Catalog': '[]', 'X_Service_Roles': 'service', 'X_Tenant': OFFICE, 'X_Is_Admin_Project': 'False'}
    _, seen = seen_behind(keystone, X_Auth_Token=token(keystone), **said)
    assert (seen['HTTP_X_PROJECT_ID'], seen['HTTP_X_TENANT'], set(seen['HTTP_X_ROLES'].split(','))) == (HOME, 'home', {'member', 'reader'})
    assert seen['HTTP_X_IS_ADMIN_PROJECT'] == 'True'
    assert not {'HTTP_X_SERVICE_CATALOG', 'HTTP_X_SERVICE_ROLES'} & seen.keys()


@pytest.mark.parametrize(('status', 'told'), [(401, 1), (200, 0)])
def test_whoever_is_refused_by_the_service_itself_learns_where_to_log_in(keystone, status, told):
    answer, _ = seen_behind(keystone, status, X_Auth_Token=token(keystone))
    assert (answer.status_int, len(answer.headers.getall('WWW-Authenticate'))) == (status, told)


def test_for_another_project(service, keystone):
    app, _ = service
    answer = get(app, f'/v1/{OFFICE}/stacks', X_Auth_Token=token(keystone))
    assert (answer.status_int, answer.json['error']['type']) == (403, 'HTTPForbidden')
    assert answer.json['error']['message'] == 'Access was denied to this resource.'


def test_errors_are_json_behind_the_token_check_too(service, keystone):
    app, _ = service
    key = token(keystone)
    bad = get(app, f'/v1/{HOME}/stacks?limit=x', X_Auth_Token=key)
    assert (bad.status_int, bad.json['error']['message']) == (400, "Only integer is acceptable by 'limit'.")
    missing = get(app, f'/v1/{HOME}/nope', X_Auth_Token=key, Accept='application/json')
    assert (missing.status_int, missing.json['code']) == (404, '404 Not Found')


def test_the_cloud_administrator_may_look_into_other_projects(service, keystone):
    app, engine = service
    row = {'stack_name': 's', 'stack_identity': {'tenant': HOME, 'stack_name': 's', 'stack_id': '1', 'path': ''}}
    engine.script = {'list_stacks': {'answers': [row]}}
    answer = get(app, f'/v1/{HOME}/stacks', X_Auth_Token=token(keystone, 'admin'))
    assert list(answer.json['stacks'][0])[:4] == ['id', 'links', 'project', 'stack_name']
    assert engine.asked[0][1].is_admin


def test_the_engines_are_for_administrators(service, keystone):
    app, engine = service
    engine.script = {'list_services': {'answers': []}}
    assert get(app, f'/v1/{OFFICE}/services', X_Auth_Token=token(keystone, 'admin')).json == {'services': []}
    assert get(app, f'/v1/{HOME}/services', X_Auth_Token=token(keystone)).status_int == 403


def test_browsers_ask_before_they_send_a_token(service):
    app, engine = service
    ask = webob.Request.blank(f'/v1/{HOME}/stacks', method='OPTIONS')
    plain = ask.get_response(app)
    assert (plain.status_int, plain.body) == (200, b'')
    assert not engine.asked


def test_versions_and_health_need_no_token(service):
    app, engine = service
    engine.script = {'list_services': {'answers': []}}
    assert get(app, '/').status_int == 300
    assert get(app, '/healthcheck').status_int == 200


@pytest.fixture
def by_password(keystone):
    with scripted.service(flavor='authpassword', keystone=keystone) as both:
        yield both


def test_name_and_password_will_do(by_password):
    app, engine = by_password
    engine.script = {'list_stacks': {'answers': []}}
    answer = get(app, f'/v1/{HOME}/stacks', X_Auth_User='demo', X_Auth_Key='secret')
    assert answer.json == {'stacks': []}
    ((_, context, _),) = engine.asked
    assert (context.project_id, context.username, context.password) == (HOME, 'demo', 'secret')
    assert set(context.roles) == {'member', 'reader'}


@pytest.mark.parametrize(('name', 'key'), [('demo', 'wrong'), ('nobody', 'secret'), ('demo', '')])
def test_wrong_ones_will_not(by_password, name, key):
    app, engine = by_password
    assert get(app, f'/v1/{HOME}/stacks', X_Auth_User=name, X_Auth_Key=key).status_int == 401
    assert not engine.asked


@pytest.mark.parametrize(('says', 'status'), [(True, 200), (False, 401)])
def test_a_backend_of_ones_own(says, status):
    with scripted.service(flavor='custombackend') as (app, engine):
        engine.script = {'authenticated_to_backend': {'answers': says}, 'get_revision': {'answers': 'x'}}
        headers = {'X_Project_Id': 'p', 'X_Roles': 'reader', 'X_User_Id': 'u'}
        assert get(app, '/v1/p/build_info', **headers).status_int == status


@pytest.mark.parametrize(('text', 'shared'), [('', False), ('[keystone_authtoken]\nmemcached_servers = 127.0.0.1:11211\n', True)])
def test_what_others_find_in_a_cache_of_tokens_is_whole(tmp_path, text, shared):
    """keystonemiddleware keeps a token under the same key in every service: without its catalog it is of no use to them."""
    (tmp_path / 'heat.conf').write_text(text)
    conf = cfg.ConfigOpts()
    conf(['--config-file', str(tmp_path / 'heat.conf')])
    application = middleware.filter_factory(configuration.offer(conf))(None)
    assert application._include_service_catalog is shared
