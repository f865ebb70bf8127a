import fcntl
import json

import pytest

from heat_lite.cli import api_client, connection
from heat_lite.common import installation
from tests import identity

USERS = {'demo': {'password': 'secret', 'project': 'shop', 'roles': ['member']}}
SERVICE = 'http://127.0.0.1:8004/v1'


@pytest.fixture
def keystone(monkeypatch, tmp_path):
    """Set the variables of a cloud. Gives its URL; no configuration of the user is read."""
    application = identity.Identity(USERS, {'orchestration': f'{SERVICE}/%(project_id)s'})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('XDG_CONFIG_HOME', str(tmp_path / 'config'))
    with identity.serve(application) as url:
        for name, value in {
            'OS_AUTH_URL': url,
            'OS_USERNAME': 'demo',
            'OS_PASSWORD': 'secret',
            'OS_PROJECT_NAME': 'shop',
            'OS_USER_DOMAIN_NAME': 'Default',
            'OS_PROJECT_DOMAIN_NAME': 'Default',
        }.items():
            monkeypatch.setenv(name, value)
        yield url


def connect(**choice):
    return connection.connect(connection.Choice(**choice))


def test_password_finds_the_endpoint_in_the_catalog(keystone):
    api = connect()
    assert api.endpoint == f'{SERVICE}/{identity.ident("shop")}'
    assert api.headers['X-Auth-Token']


def test_wrong_password_is_refused_with_401(keystone, monkeypatch):
    monkeypatch.setenv('OS_PASSWORD', 'wrong')
    with pytest.raises(api_client.RequestFailed, match='requires authentication') as caught:
        connect()
    assert caught.value.status == 401


def test_region_without_the_service_is_refused(keystone):
    with pytest.raises(api_client.RequestFailed, match='no orchestration service in region Mars'):
        connect(region='Mars')


@pytest.mark.parametrize('missing', ['OS_AUTH_URL', 'OS_USERNAME', 'OS_PASSWORD'])
def test_incomplete_variables_of_a_cloud_do_not_lead_to_this_machine(
    keystone, monkeypatch, missing
):
    monkeypatch.delenv(missing)
    with pytest.raises(api_client.RequestFailed, match='cannot log in to the cloud'):
        connect()


def test_unknown_cloud_does_not_lead_to_this_machine(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(api_client.RequestFailed, match='mars'):
        connect(cloud='mars')
    monkeypatch.setenv('OS_CLOUD', 'venus')
    with pytest.raises(api_client.RequestFailed, match='venus'):
        connect()


def test_cloud_of_clouds_yaml_is_used(keystone, monkeypatch, tmp_path):
    auth = {
        'auth_url': keystone,
        'username': 'demo',
        'password': 'secret',
        'project_name': 'shop',
        'user_domain_name': 'Default',
        'project_domain_name': 'Default',
    }
    for name in ('OS_AUTH_URL', 'OS_USERNAME', 'OS_PASSWORD', 'OS_PROJECT_NAME'):
        monkeypatch.delenv(name)
    file = tmp_path / 'clouds.yaml'
    file.write_text(json.dumps({'clouds': {'home': {'auth': auth}}}))
    monkeypatch.setenv('OS_CLIENT_CONFIG_FILE', str(file))
    assert connect(cloud='home').endpoint == f'{SERVICE}/{identity.ident("shop")}'
    with pytest.raises(api_client.RequestFailed, match='hom was not found in .*, only home$'):
        connect(cloud='hom')
    file.write_text('clouds: [')
    with pytest.raises(api_client.RequestFailed, match='cannot log in'):
        connect(cloud='home')


def test_endpoint_of_an_option_wins_over_a_cloud(keystone):
    api = connect(endpoint='http://h/v1/p/', token='token')
    assert (api.endpoint, api.headers) == ('http://h/v1/p', {'X-Auth-Token': 'token'})


def test_service_of_this_machine_is_the_default():
    nothing = connection.Choice()
    assert connection.connect(nothing, {}).endpoint == connection.DEFAULT_ENDPOINT
    cloud = {'OS_CLOUD': 'x', 'OS_AUTH_URL': 'http://k/v3'}
    found = connection.connect(nothing, {'HEAT_LITE_ENDPOINT': 'http://h/v1/p', **cloud})
    assert found.endpoint == 'http://h/v1/p'


def test_cloud_without_login_is_its_endpoint():
    env = {'OS_AUTH_TYPE': 'none', 'OS_ENDPOINT': 'http://h/v1/p'}
    assert connection.connect(connection.Choice(), env).endpoint == 'http://h/v1/p'


@pytest.mark.parametrize(
    'endpoint',
    [
        '',
        'h:8004',
        'ftp://h/v1/p',
        'http://',
        'http://h:99999/v1/p',
        'http://[::1/v1/p',
        'http://h/v1/a b',
        'http://h/v1/\xe4',
    ],
)
def test_endpoint_that_is_no_url_is_refused(endpoint):
    with pytest.raises(api_client.RequestFailed, match='is no endpoint'):
        connect(endpoint=endpoint)


def test_embedded_service_of_several_clouds_has_no_default(tmp_path, monkeypatch):
    monkeypatch.setenv('HEAT_LITE_DATA_DIR', str(tmp_path))
    (tmp_path / installation.URL_FILE).write_text('http://127.0.0.1:9')
    with open(tmp_path / installation.LOCK_FILE, 'w') as lock:
        stale = connection.connect(connection.Choice(), {})
        assert stale.endpoint == connection.DEFAULT_ENDPOINT
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(api_client.InvalidEndpoint, match='several clouds: .*:9/v1/CLOUD'):
            connection.connect(connection.Choice(), {})
