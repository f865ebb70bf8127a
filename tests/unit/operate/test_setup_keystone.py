"""``heat-lite-keystone-setup`` and ``-setup-domain`` against a fake Keystone."""

import re

import pytest

from heat_lite.operate import setup_keystone
from tests import identity


class Admin(identity.Identity):
    """Keeps objects of any kind; ``kept`` is {kind: {id: object}}, ``granted`` the paths."""

    ROUTES = (
        *identity.Identity.ROUTES[:6],
        ('GET', '/v3/(domains|users|roles|services|endpoints|projects)', 'list_objects'),
        ('POST', '/v3/(domains|users|roles|services|endpoints|projects)', 'make_object'),
        ('PATCH', '/v3/users/([^/]+)', 'change'),
        ('PUT', '(/v3/.*/users/.*/roles/.*)', 'grant'),
    )

    def __init__(self):
        admin = {'password': 'secret', 'project': 'admin', 'roles': ['admin']}
        super().__init__({'admin': admin}, {})
        self.kept, self.granted = {'roles': {'r1': {'id': 'r1', 'name': 'admin'}}}, set()

    def list_objects(self, environ, body, kind):
        wanted = dict(re.findall(r'(\w+)=([^&]*)', environ['QUERY_STRING']))
        found = self.kept.get(kind, {}).values()
        return 200, {kind: [each for each in found if wanted.items() <= each.items()]}, []

    def make_object(self, environ, body, kind):
        (single, values), *_ = body.items()
        made = {'id': f'{single}{len(self.kept.setdefault(kind, {}))}', **values}
        self.kept[kind][made['id']] = made
        return 201, {single: made}, []

    def change(self, environ, body, user_id):
        self.kept['users'][user_id].update(body['user'])
        return 200, {'user': self.kept['users'][user_id]}, []

    def grant(self, environ, body, path):
        self.granted.add(path)
        return 204, None, []


@pytest.fixture
def keystone(monkeypatch):
    application = Admin()
    with identity.serve(application) as url:
        login = {'AUTH_URL': url, 'USERNAME': 'admin', 'PASSWORD': 'secret'}
        login |= {'PROJECT_NAME': 'admin', 'PROJECT_DOMAIN_NAME': 'Default'}
        for name, value in login.items():
            monkeypatch.setenv(f'OS_{name}', value)
        yield application


def test_domain_is_created_once_and_its_options_are_printed(keystone, capsys):
    assert setup_keystone.domain([]) == 0
    (domain,) = keystone.kept['domains'].values()
    (user,) = keystone.kept['users'].values()
    assert (domain['name'], user['name']) == ('heat', 'heat_domain_admin')
    assert keystone.granted == {f'/v3/domains/{domain["id"]}/users/{user["id"]}/roles/r1'}
    out = capsys.readouterr().out
    assert f'stack_user_domain_id = {domain["id"]}\n' in out
    assert f'stack_domain_admin_password = {user["password"]}\n' in out
    assert setup_keystone.domain(['--stack-domain-admin-password', 'a$b']) == 0
    assert len(keystone.kept['domains']) == 1 and user['password'] == 'a$b'
    assert 'stack_domain_admin_password = a$$b' in capsys.readouterr().out


def test_service_gets_user_roles_and_endpoints_once(keystone, capsys):
    for _ in range(2):
        assert setup_keystone.main(['--api-url', 'https://heat/v1/%(project_id)s']) == 0
    assert {each['type'] for each in keystone.kept['services'].values()} == {
        'orchestration',
        'cloudformation',
    }
    urls = [each['url'] for each in keystone.kept['endpoints'].values()]
    assert (len(urls), urls.count('https://heat/v1/%(project_id)s')) == (6, 3)
    names = {each['name'] for each in keystone.kept['roles'].values()}
    assert names == {'admin', 'service', 'heat_stack_owner', 'heat_stack_user'}
    assert 'password = (as before: the user exists)' in capsys.readouterr().out


def test_missing_login_is_named(monkeypatch, capsys):
    for name in ('OS_AUTH_URL', 'OS_USERNAME', 'OS_PASSWORD', 'OS_TOKEN'):
        monkeypatch.delenv(name, raising=False)
    assert setup_keystone.domain([]) == 1
    assert 'OS_AUTH_URL, OS_USERNAME, OS_PASSWORD is not set' in capsys.readouterr().err
