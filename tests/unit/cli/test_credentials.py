"""``heat-lite credentials``: the key of the data folder, and EC2 credentials of a cloud."""

import json

import pytest

from heat_lite.cli import main
from heat_lite.common import installation
from tests import identity

USERS = {'demo': {'password': 'secret', 'project': 'demo', 'roles': ['member']}}


class Keystone(identity.Identity):
    """A Keystone with EC2 credentials of its one user."""

    ROUTES = (
        ('GET', '/v3/users/[^/]+/credentials/OS-EC2', 'list_keys'),
        ('POST', '/v3/users/[^/]+/credentials/OS-EC2', 'make_key'),
        ('DELETE', '/v3/users/[^/]+/credentials/OS-EC2/([^/]+)', 'drop_key'),
        *identity.Identity.ROUTES,
    )
    keys: tuple = ()

    def list_keys(self, environ, body):
        return 200, {'credentials': list(self.keys)}, []

    def make_key(self, environ, body):
        made = {'access': f'key{len(self.keys)}', 'secret': 's', 'tenant_id': body['tenant_id']}
        self.keys = (*self.keys, made)
        return 201, {'credential': made}, []

    def drop_key(self, environ, body, access):
        self.keys = tuple(each for each in self.keys if each['access'] != access)
        return 204, None, []


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('HEAT_LITE_DATA_DIR', str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def call(*words):
        status = main.main(['credentials', *words])
        return status, *capsys.readouterr()

    return call


def test_key_of_the_data_folder_is_printed_for_shells(run, tmp_path):
    status, printed, _ = run('--json')
    key = json.loads(printed)
    assert status == 0 and key['project'] == 'default' and key['cloudformation'] is None
    assert 'start "heat-lite up" with --cfn-port' in run()[1]
    urls = {'cloudformation': 'http://127.0.0.1:8000/v1/'}
    (tmp_path / installation.AWS_URLS_FILE).write_text(json.dumps(urls))
    assert run('--env')[1].splitlines() == [
        f'export AWS_ACCESS_KEY_ID={key["access_key"]}',
        f'export AWS_SECRET_ACCESS_KEY={key["secret_key"]}',
        'export AWS_DEFAULT_REGION=local',
        'export AWS_ENDPOINT_URL_CLOUDFORMATION=http://127.0.0.1:8000/v1/',
    ]


def test_one_of_several_clouds_must_be_named(run, tmp_path):
    (tmp_path / installation.CLOUDS_FILE).write_text('one\ntwo')
    status, _, error = run()
    assert status == 1 and 'name one of the clouds with --project: one, two' in error
    assert json.loads(run('--project', 'two', '--json')[1])['project'] == 'two'


def test_key_of_another_service_is_refused(run):
    status, _, error = run('--endpoint', 'http://elsewhere:8004/v1/default')
    assert status == 1 and 'are not on this machine' in error


def test_ec2_credentials_of_a_cloud_are_created_shown_and_rotated(run, tmp_path, monkeypatch):
    # openstacksdk looks for files in the folder that was current when it was imported
    monkeypatch.setenv('OS_CLIENT_CONFIG_FILE', str(tmp_path / 'clouds.yaml'))
    services = {'orchestration': 'http://o/v1/x', 'cloudformation': 'http://c:8000/v1'}
    keystone = Keystone(USERS, services)
    with identity.serve(keystone):
        auth = {
            'auth_url': keystone.url,
            'username': 'demo',
            'password': 'secret',
            'project_name': 'demo',
            'user_domain_name': 'Default',
            'project_domain_name': 'Default',
        }
        cloud = {'auth': auth, 'region_name': 'RegionOne'}
        (tmp_path / 'clouds.yaml').write_text(json.dumps({'clouds': {'home': cloud}}))
        here = ('--os-cloud', 'home', '--json')
        made = json.loads(run(*here)[1])
        assert made['access_key'] == 'key0' and made['cloudformation'] == 'http://c:8000/v1'
        assert json.loads(run(*here)[1]) == made and len(keystone.keys) == 1
        assert json.loads(run(*here, '--rotate')[1])['access_key'] == 'key1'
        assert [each['access'] for each in keystone.keys] == ['key1']
        keystone.keys *= 2
        status, _, error = run(*here, '--rotate')
        assert status == 1 and 'has 2 access keys' in error
