"""The login by name and password: which Keystone, with which certificates."""

import pytest
from oslo_config import cfg

import heat_lite.conf
from heat_lite.api import paste_config
from heat_lite.api.middleware import password
from heat_lite.common import exception
from tests import identity

USERS = {'member': {'password': 'secret', 'project': 'home', 'roles': ['member']}}
HOME = identity.ident('home')


@pytest.fixture(scope='module')
def keystone():
    with identity.serve(identity.Identity(USERS, {})) as url:
        yield url.removesuffix('/v3')


def login(tmp_path, text, **headers):
    """Return the filter with options, and the environment of a request that it lets in."""
    file = tmp_path / 'heat.conf'
    file.write_text(text)
    conf = heat_lite.conf.register(cfg.ConfigOpts())
    conf(['--config-file', str(file)], project='heat_lite')
    reached = []

    def application(environ, start_response):
        reached.append(environ)
        return []

    made = password.filter_factory(paste_config.global_conf_of(conf))(application)
    names = {'HTTP_X_AUTH_USER': 'member', 'HTTP_X_AUTH_KEY': 'secret', 'REQUEST_METHOD': 'GET'}
    made({**names, 'PATH_INFO': f'/v1/{HOME}/stacks', **headers}, lambda *given: None)
    return made, reached


@pytest.mark.parametrize('ending', ['', '/', '/v3', '/v3/', '/v2.0'])
def test_url_of_keystone_may_have_a_version_or_none(tmp_path, keystone, ending):
    _, (environ,) = login(tmp_path, f'[clients_keystone]\nauth_uri = {keystone}{ending}\n')
    assert environ['HTTP_X_PROJECT_ID'] == HOME


def test_request_names_one_of_the_allowed_keystones(tmp_path, keystone):
    text = f'[auth_password]\nmulti_cloud = true\nallowed_auth_uris = http://a/, {keystone}\n'
    _, reached = login(tmp_path, text, HTTP_X_AUTH_URL=keystone)
    assert reached[0]['heat_lite.auth_url'] == keystone
    for other in (f'{keystone}/v4', 'http://other/'):
        assert login(tmp_path, text, HTTP_X_AUTH_URL=other)[1] == []
    assert login(tmp_path, text)[1] == []


@pytest.mark.parametrize(
    ('text', 'verify', 'cert'),
    [
        ('', True, None),
        ('[clients_keystone]\ninsecure = true\nca_file = /a\n', False, None),
        ('[clients]\nca_file = /a\n', '/a', None),
        ('[clients]\nca_file = /a\n[clients_keystone]\nca_file = /b\n', '/b', None),
        ('[clients_keystone]\ncert_file = /c\nkey_file = /d\n', True, ('/c', '/d')),
        ('[clients_keystone]\ncert_file = /c\n', True, '/c'),
    ],
)
def test_certificates_are_those_of_the_client_of_keystone(tmp_path, text, verify, cert):
    # a request without a password: the files do not exist
    dead = '[clients_keystone]\nauth_uri = http://127.0.0.1:9\n'
    made, reached = login(tmp_path, text + dead, HTTP_X_AUTH_KEY='')
    assert (made.session.verify, made.session.cert) == (verify, cert)
    assert reached == []


@pytest.mark.parametrize('text', ['', '[auth_password]\nmulti_cloud = true\n'])
def test_without_a_keystone_the_api_does_not_start(tmp_path, text):
    with pytest.raises(exception.ConfigurationError, match='no URL of Keystone'):
        login(tmp_path, text)
