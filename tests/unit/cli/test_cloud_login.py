"""Logins to a cloud: application credentials, two regions, TLS with an own authority."""

import json
import types

import pytest

from heat_lite.cli import api_client, cloud_login, main
from heat_lite.clients import clouds_yaml
from tests import certificates, identity

USERS = {'demo': {'password': 'secret', 'project': 'shop', 'roles': ['member']}}
PASSWORD = {
    'username': 'demo',
    'password': 'secret',
    'project_name': 'shop',
    'user_domain_name': 'Default',
    'project_domain_name': 'Default',
}


class Orchestration:
    """A WSGI application that lists one stack, and keeps the tokens of its requests."""

    def __init__(self, name):
        self.name = name
        self.tokens = []

    def __call__(self, environ, start_response):
        self.tokens.append(environ.get('HTTP_X_AUTH_TOKEN'))
        stack = {'stack_name': self.name, 'id': '1', 'stack_status': 'CREATE_COMPLETE'}
        stack['creation_time'] = '2026-01-01T00:00:00Z'
        content = json.dumps({'stacks': [stack]}).encode()
        start_response('200 OK', [('Content-Length', str(len(content)))])
        return [content]


class TwoRegions(identity.Identity):
    """A Keystone whose catalog has the service in the regions One and Two."""

    urls: dict[str, str] = {}

    def entries(self, project_id):
        endpoints = [
            {'id': name, 'interface': 'public', 'region': name, 'region_id': name, 'url': url}
            for name, url in self.urls.items()
        ]
        return [{'id': 'o', 'type': 'orchestration', 'name': 'heat', 'endpoints': endpoints}]


@pytest.fixture(autouse=True)
def no_cloud_of_the_user(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('XDG_CONFIG_HOME', str(tmp_path / 'config'))
    monkeypatch.setenv('OS_CLIENT_CONFIG_FILE', str(tmp_path / 'clouds.yaml'))


@pytest.fixture
def keystone():
    """A Keystone with an orchestration service in each of two regions."""
    application = TwoRegions(USERS, {})
    with (
        identity.serve(Orchestration('in-one')) as one,
        identity.serve(Orchestration('two')) as two,
    ):
        application.urls = {'One': f'{one}/v1/p', 'Two': f'{two}/v1/p'}
        with identity.serve(application):
            yield application


def write_clouds(tmp_path, **clouds):
    (tmp_path / 'clouds.yaml').write_text(json.dumps({'clouds': clouds}))


def test_region_of_clouds_yaml_is_chosen(keystone, tmp_path, capsys):
    auth = {'auth_url': keystone.url, **PASSWORD}
    write_clouds(tmp_path, home={'auth': auth, 'regions': ['One', 'Two']})
    assert main.main(['--os-cloud', 'home', 'list']) == 0
    assert 'in-one' in capsys.readouterr().out  # the first region is the default
    assert main.main(['--os-cloud', 'home', '--os-region-name', 'Two', 'list']) == 0
    assert 'two' in capsys.readouterr().out
    assert main.main(['--os-cloud', 'home', '--os-region-name', 'Three', 'list']) == 1
    assert 'Three' in capsys.readouterr().err


def test_application_credential_logs_in(keystone, tmp_path, capsys, monkeypatch):
    keystone.credentials['app'] = {'user': 'demo', 'secret': 'topsecret', 'restricted': True}
    auth = {'auth_url': keystone.url, 'application_credential_id': 'app'}
    kind = {'auth_type': 'v3applicationcredential', 'region_name': 'One'}
    write_clouds(
        tmp_path,
        good={**kind, 'auth': {**auth, 'application_credential_secret': 'topsecret'}},
        bad={**kind, 'auth': {**auth, 'application_credential_secret': 'wrong'}},
    )
    assert main.main(['--os-cloud', 'good', 'list']) == 0
    assert 'in-one' in capsys.readouterr().out
    assert main.main(['--os-cloud', 'bad', 'list']) == 1
    assert 'requires authentication' in capsys.readouterr().err
    for name, value in {
        'OS_AUTH_TYPE': 'v3applicationcredential',
        'OS_AUTH_URL': keystone.url,
        'OS_APPLICATION_CREDENTIAL_ID': 'app',
        'OS_APPLICATION_CREDENTIAL_SECRET': 'topsecret',
        'OS_REGION_NAME': 'Two',
    }.items():
        monkeypatch.setenv(name, value)
    assert main.main(['list']) == 0
    assert 'two' in capsys.readouterr().out


def test_own_authority_is_trusted_by_os_cacert_only(tmp_path, capsys, monkeypatch):
    authority, context = certificates.make(tmp_path)
    service, application = Orchestration('safe'), TwoRegions(USERS, {})
    with identity.serve(service, tls=context) as url:
        application.urls = {'One': f'{url}/v1/p'}
        with identity.serve(application, tls=context):
            values = {f'OS_{name.upper()}': value for name, value in PASSWORD.items()}
            for name, value in {**values, 'OS_AUTH_URL': application.url}.items():
                monkeypatch.setenv(name, value)
            assert main.main(['list']) == 1
            assert 'certificate' in capsys.readouterr().err.lower()
            assert service.tokens == []
            monkeypatch.setenv('OS_CACERT', str(authority))
            assert main.main(['list']) == 0
            assert 'safe' in capsys.readouterr().out and service.tokens[0]


def test_login_of_a_service_names_what_an_own_authority_needs(tmp_path, monkeypatch):
    authority, context = certificates.make(tmp_path)
    file = tmp_path / 'clouds.yaml'
    monkeypatch.setenv('OS_CLIENT_CONFIG_FILE', str(file))
    application = TwoRegions(USERS, {})
    application.urls = {'One': 'http://127.0.0.1:1/v1/p'}
    with identity.serve(application, tls=context) as url:
        auth = {**PASSWORD, 'auth_url': url}
        settings = {'plain': {}, 'cacert': {'cacert': str(authority)}, 'open': {'verify': False}}
        clouds = {
            name: {'auth': auth, 'region_name': 'One', **each} for name, each in settings.items()
        }
        file.write_text(json.dumps({'clouds': clouds}))
        with pytest.raises(clouds_yaml.LoginError, match='not trusted .*set cacert of the cloud'):
            clouds_yaml.log_in('plain')
        assert clouds_yaml.log_in('cacert').user_name == 'demo'
        conf = types.SimpleNamespace(
            auth_encryption_key='k' * 32,
            heat_lite=types.SimpleNamespace(former_encryption_keys=[]),
        )
        told = clouds_yaml.describe(clouds_yaml.connect(conf, ['open'], 'http://127.0.0.1:8004'))
        assert any('certificates are not verified' in line for line in told)
        monkeypatch.setenv('OS_CACERT', str(authority))
        assert clouds_yaml.log_in('plain').user_name == 'demo'


def test_service_that_does_not_listen_is_named_without_names_of_classes(monkeypatch):
    monkeypatch.setenv('OS_AUTH_URL', 'http://127.0.0.1:1/v3')
    env = {'OS_AUTH_URL': 'http://127.0.0.1:1/v3', 'OS_TOKEN': 'a'}
    monkeypatch.setenv('OS_TOKEN', 'a')
    with pytest.raises(api_client.ServiceUnreachable) as caught:
        cloud_login.log_in(None, None, env)
    assert str(caught.value) == (
        'cannot log in to the cloud: Unable to establish connection to '
        'http://127.0.0.1:1/v3/auth/tokens'
    )
