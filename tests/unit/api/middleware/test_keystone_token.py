"""The pipelines with authentication, against a small Keystone."""

import contextlib
import json
import urllib.parse

import pytest
import requests
import webob
from oslo_config import cfg

from heat_lite.api import paste_config
from heat_lite.api.middleware import keystone_token as middleware
from heat_lite.common.admission import LoginAdmission
from heat_lite.conf import register
from tests import black_hole, identity
from tests.http import scripted
from tests.timeouts import wait_until

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
    body = {
        'auth': {'identity': identity_part, 'scope': {'project': {'name': USERS[name]['project']}}}
    }
    return requests.post(f'{url}/auth/tokens', json=body, timeout=60).headers['X-Subject-Token']


def get(app, path, **headers):
    return webob.Request.blank(
        path, headers={key.replace('_', '-'): value for key, value in headers.items()}
    ).get_response(app)


SPOOFED = {'X_Project_Id': HOME, 'X_Roles': 'admin', 'X_Identity_Status': 'Confirmed'}


@pytest.mark.parametrize('headers', [{}, {'X_Auth_Token': 'expired'}, SPOOFED])
def test_request_without_valid_token_is_401(service, headers):
    app, engine = service
    response = get(app, f'/v1/{HOME}/stacks', **headers)
    assert response.status_int == 401
    assert response.headers['WWW-Authenticate'].startswith('Keystone uri=')
    error = {
        'code': 401,
        'title': 'Unauthorized',
        'message': 'The request you have made requires authentication.',
    }
    assert json.loads(response.text) == {'error': error}
    assert response.headers['x-openstack-request-id'].startswith('req-')
    assert not engine.calls


def test_request_with_valid_token_reaches_the_engine(service, keystone):
    app, engine = service
    engine.script = {'list_stacks': {'returns': []}}
    assert get(app, f'/v1/{HOME}/stacks', X_Auth_Token=token(keystone)).json == {'stacks': []}
    ((_, context, _),) = engine.calls
    assert (context.project_id, context.username, context.is_admin) == (HOME, 'demo', False)
    assert context.auth_url == keystone
    assert context.request_id.startswith('req-')


def environ_behind_filter(keystone, status=200, **headers):
    """Return the response, and the environment behind the filter."""
    seen = {}

    def application(environ, start_response):
        seen.update(environ)
        return webob.Response(status=status)(environ, start_response)

    conf = scripted.configuration(flavor=None, keystone=keystone)
    app = middleware.filter_factory(paste_config.global_conf_of(conf))(application)
    return get(app, '/', **headers), seen


def test_identity_headers_of_the_client_are_removed(keystone):
    spoofed = {
        **SPOOFED,
        'X_Service_Catalog': '[]',
        'X_Service_Roles': 'service',
        'X_Tenant': OFFICE,
        'X_Is_Admin_Project': 'False',
    }
    _, seen = environ_behind_filter(keystone, X_Auth_Token=token(keystone), **spoofed)
    assert (
        seen['HTTP_X_PROJECT_ID'],
        seen['HTTP_X_TENANT'],
        set(seen['HTTP_X_ROLES'].split(',')),
    ) == (HOME, 'home', {'member', 'reader'})
    assert seen['HTTP_X_IS_ADMIN_PROJECT'] == 'True'
    assert not {'HTTP_X_SERVICE_CATALOG', 'HTTP_X_SERVICE_ROLES'} & seen.keys()


@pytest.mark.parametrize(('status', 'headers'), [(401, 1), (200, 0)])
def test_401_of_the_application_gets_the_www_authenticate_header(keystone, status, headers):
    response, _ = environ_behind_filter(keystone, status, X_Auth_Token=token(keystone))
    assert (response.status_int, len(response.headers.getall('WWW-Authenticate'))) == (
        status,
        headers,
    )


def test_token_that_cannot_be_checked_in_time_does_not_end_its_stream(keystone):
    conf = scripted.configuration(flavor=None, keystone=keystone)
    conf.set_override('max_logins_in_progress', 1, 'heat_lite')
    conf.set_override('request_queue_timeout', 0.1, 'heat_lite')
    logins = LoginAdmission(conf)
    checked = middleware.KeystoneTokenFilter(None, {'oslo_config_config': conf}, logins)
    assert get(checked, '/', X_Auth_Token='revoked').status_int == 401
    environ = {'HTTP_X_AUTH_TOKEN': 'revoked'}
    others = [{'REMOTE_ADDR': 'one client'}, {'REMOTE_ADDR': 'another'}]
    with logins.permit(others[0]), logins.permit(others[1]):
        assert checked.is_valid(environ)
    assert not checked.is_valid(environ)


def test_silent_keystone_costs_a_request_503_and_not_a_thread(keystone):
    address = urllib.parse.urlsplit(keystone)
    proxy = black_hole.BlackHole((address.hostname, address.port))
    conf = scripted.configuration(flavor=None, keystone=f'http://127.0.0.1:{proxy.port}/v3')
    make = middleware.filter_factory(
        paste_config.global_conf_of(conf), http_request_max_retries='0'
    )
    assert conf.keystone_authtoken.http_connect_timeout == middleware.TIMEOUT
    conf.set_override('http_connect_timeout', 1, 'keystone_authtoken')
    proxy.swallow()
    with contextlib.closing(proxy):
        response = get(make(webob.Response()), '/', X_Auth_Token=token(keystone))
    assert response.status_int == 503


def test_request_for_another_project_is_403(service, keystone):
    app, _ = service
    response = get(app, f'/v1/{OFFICE}/stacks', X_Auth_Token=token(keystone))
    assert (response.status_int, response.json['error']['type']) == (403, 'HTTPForbidden')
    assert response.json['error']['message'] == 'Access was denied to this resource.'


def test_errors_behind_the_token_filter_are_json(service, keystone):
    app, _ = service
    key = token(keystone)
    bad = get(app, f'/v1/{HOME}/stacks?limit=x', X_Auth_Token=key)
    assert (bad.status_int, bad.json['error']['message']) == (
        400,
        "Only integer is acceptable by 'limit'.",
    )
    missing = get(app, f'/v1/{HOME}/nope', X_Auth_Token=key, Accept='application/json')
    assert (missing.status_int, missing.json['code']) == (404, '404 Not Found')


def test_admin_may_list_stacks_of_other_projects(service, keystone):
    app, engine = service
    row = {
        'stack_name': 's',
        'stack_identity': {'tenant': HOME, 'stack_name': 's', 'stack_id': '1', 'path': ''},
    }
    engine.script = {'list_stacks': {'returns': [row]}}
    response = get(app, f'/v1/{HOME}/stacks', X_Auth_Token=token(keystone, 'admin'))
    assert list(response.json['stacks'][0])[:4] == ['id', 'links', 'project', 'stack_name']
    assert engine.calls[0][1].is_admin


def test_list_of_engines_is_for_admins_only(service, keystone):
    app, engine = service
    engine.script = {'list_services': {'returns': []}}
    assert get(app, f'/v1/{OFFICE}/services', X_Auth_Token=token(keystone, 'admin')).json == {
        'services': []
    }
    assert get(app, f'/v1/{HOME}/services', X_Auth_Token=token(keystone)).status_int == 403


def test_options_needs_no_token(service):
    app, engine = service
    request = webob.Request.blank(f'/v1/{HOME}/stacks', method='OPTIONS')
    response = request.get_response(app)
    assert (response.status_int, response.body) == (200, b'')
    assert not engine.calls


def test_versions_and_healthcheck_need_no_token(service):
    app, engine = service
    engine.script = {'list_services': {'returns': []}}
    assert get(app, '/').status_int == 300
    assert get(app, '/healthcheck').status_int == 200


@pytest.fixture
def by_password(keystone):
    with scripted.service(flavor='authpassword', keystone=keystone) as both:
        yield both


def test_request_with_name_and_password_reaches_the_engine(by_password):
    app, engine = by_password
    engine.script = {'list_stacks': {'returns': []}}
    response = get(app, f'/v1/{HOME}/stacks', X_Auth_User='demo', X_Auth_Key='secret')
    assert response.json == {'stacks': []}
    ((_, context, _),) = engine.calls
    assert (context.project_id, context.username, context.password) == (HOME, 'demo', 'secret')
    assert set(context.roles) == {'member', 'reader'}


@pytest.mark.parametrize(('name', 'key'), [('demo', 'wrong'), ('unknown', 'secret'), ('demo', '')])
def test_request_with_wrong_name_or_password_is_401(by_password, name, key):
    app, engine = by_password
    assert get(app, f'/v1/{HOME}/stacks', X_Auth_User=name, X_Auth_Key=key).status_int == 401
    assert not engine.calls


def test_token_is_asked_of_keystone_once_until_its_time_is_over():
    service = identity.Identity(USERS, {})
    with identity.serve(service) as url:
        conf = paste_config.global_conf_of(scripted.configuration(flavor=None, keystone=url))
        brief, long = (
            middleware.filter_factory(conf, token_cache_time=seconds)(webob.Response())
            for seconds in ('1', '3600')
        )
        key = token(url)
        service.asked.clear()
        codes = {get(long, '/', X_Auth_Token=key).status_int for _ in range(5)}
        assert (codes, service.asked.count(('GET', '/v3/auth/tokens'))) == ({200}, 1)
        assert get(brief, '/', X_Auth_Token=key).status_int == 200
        del service.tokens[key]  # revoked
        wait_until(lambda: get(brief, '/', X_Auth_Token=key).status_int == 401)
        assert get(long, '/', X_Auth_Token=key).status_int == 200


@pytest.mark.parametrize(
    ('bound', 'value', 'asked'),
    [('MAX_TOKENS', 2, 2), ('MAX_TOKENS', 1, 3), ('MAX_TOKEN_BYTES', 100, 3)],
)
def test_oldest_token_is_asked_again_beyond_the_bounds(monkeypatch, bound, value, asked):
    monkeypatch.setattr(middleware, bound, value)
    service = identity.Identity(USERS, {})
    with identity.serve(service) as url:
        conf = paste_config.global_conf_of(scripted.configuration(flavor=None, keystone=url))
        app = middleware.filter_factory(conf)(webob.Response())
        first, second = token(url), token(url, 'admin')
        service.asked.clear()
        for key in first, second, first:
            assert get(app, '/', X_Auth_Token=key).status_int == 200
    assert service.asked.count(('GET', '/v3/auth/tokens')) == asked


@pytest.mark.parametrize(
    ('text', 'shared'),
    [('', False), ('[keystone_authtoken]\nmemcached_servers = 127.0.0.1:11211\n', True)],
)
def test_catalog_is_included_only_with_a_shared_token_cache(tmp_path, text, shared):
    """All services share the key of a cached token, and some need its catalog."""
    (tmp_path / 'heat.conf').write_text(text)
    conf = cfg.ConfigOpts()
    register(conf)
    conf(['--config-file', str(tmp_path / 'heat.conf')])
    application = middleware.filter_factory(paste_config.global_conf_of(conf))(None)
    assert application._include_service_catalog is shared
