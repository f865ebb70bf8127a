"""The login to the orchestration service of another cloud, by a secret of the user."""

import ipaddress
import json
import uuid

import pytest
from keystoneauth1 import adapter, session

from heat_lite.clients import errors, other_cloud, rest
from heat_lite.common import exception, url_rules, urlfetch
from tests import certificates, identity

PASSWORD = {
    'username': 'demo',
    'password': 'secret',
    'project_name': 'shop',
    'user_domain_name': 'Default',
    'project_domain_name': 'Default',
}


class OtherCloud(identity.Identity):
    """Keystone with an orchestration service at the path /v1 of the same server."""

    def __init__(self, authority):
        users = {'demo': {'password': 'secret', 'project': 'shop', 'roles': ['member']}}
        super().__init__(users, {}, region='There')
        self.authority = authority

    def __call__(self, environ, start_response):
        if environ['PATH_INFO'] == '/v1/stacks':
            start_response('200 OK', [('Content-Type', 'application/json')])
            return [b'{"stacks": []}']
        return super().__call__(environ, start_response)


@pytest.fixture
def cloud(tmp_path):
    authority, context = certificates.make(tmp_path)
    application = OtherCloud(authority.read_text())
    with identity.serve(application, tls=context):
        application.services['orchestration'] = f'{application.url.removesuffix("/v3")}/v1'
        yield application


@pytest.fixture
def loopback_allowed(monkeypatch):
    allowed = url_rules.Rules(allow=(ipaddress.ip_network('127.0.0.0/8'),))
    monkeypatch.setattr(urlfetch, '_rules', allowed)


def orchestration(cloud, region='There', ca_cert=None, insecure=False, **changed):
    login = {'auth_type': 'v3password', 'auth': {**PASSWORD, 'auth_url': cloud.url, **changed}}
    return other_cloud.orchestration(login, region, ca_cert, insecure)


@pytest.mark.usefixtures('loopback_allowed')
def test_own_certificate_is_trusted_for_the_login_and_the_service(cloud):
    for api in (
        orchestration(cloud, ca_cert=cloud.authority),
        orchestration(cloud, insecure=True),
    ):
        assert api.list('/stacks', 'stacks') == []


@pytest.mark.usefixtures('loopback_allowed')
def test_unknown_certificate_is_refused(cloud):
    with pytest.raises(errors.Unavailable, match='certificate verify failed'):
        orchestration(cloud)
    assert cloud.asked == []


def test_refused_address_is_not_connected(cloud):
    with pytest.raises(errors.Unavailable):
        orchestration(cloud, insecure=True)
    assert cloud.asked == []


@pytest.mark.usefixtures('loopback_allowed')
def test_region_without_the_service_is_named(cloud):
    with pytest.raises(errors.NoCloud, match='no orchestration endpoint'):
        orchestration(cloud, region='Nowhere', insecure=True)


@pytest.mark.usefixtures('loopback_allowed')
@pytest.mark.parametrize(
    ('changed', 'raised', 'words'),
    [
        ({'password': 'wrong-one'}, errors.Unauthorized, 'rejected the login'),
        ({'colour': 'blue'}, exception.Invalid, 'unknown options: colour'),
    ],
)
def test_wrong_login_is_refused(cloud, changed, raised, words):
    with pytest.raises(raised, match=words):
        orchestration(cloud, insecure=True, **changed)


def test_text_that_is_no_certificate_is_refused(cloud):
    with pytest.raises(exception.Invalid, match='certificate in PEM format'):
        orchestration(cloud, ca_cert='nonsense')


class Secrets:
    """An adapter of a key manager with one secret."""

    def __init__(self, payload):
        self.payload = payload

    def __call__(self, environ, start_response):
        start_response('200 OK', [('Content-Type', 'text/plain')])
        return [self.payload.encode()]


@pytest.mark.parametrize(
    ('payload', 'words'),
    [
        ('no json', 'must be JSON'),
        ('[]', 'must be JSON'),
        (json.dumps({'auth_type': 'v3password', 'auth': 'text'}), 'must be JSON'),
        (json.dumps({'auth_type': 'v3oidcpassword', 'auth': {}}), 'must be one of'),
    ],
)
def test_secret_that_is_no_login_is_refused(payload, words):
    with identity.serve(Secrets(payload)) as url, pytest.raises(exception.Invalid, match=words):
        other_cloud.read_login(_barbican(url), str(uuid.uuid4()))


def test_secret_with_a_login_is_read():
    login = {'auth_type': 'v3password', 'auth': PASSWORD, 'roles': []}
    with identity.serve(Secrets(json.dumps(login))) as url:
        assert other_cloud.read_login(_barbican(url), str(uuid.uuid4())) == login


def test_id_that_is_no_uuid_is_refused():
    with pytest.raises(exception.Invalid, match='must be the UUID of a secret'):
        other_cloud.read_login(None, '../containers')


def _barbican(url):
    return rest.Api('barbican', _Adapter(url))


class _Adapter:
    def __init__(self, url):
        self._inner = adapter.Adapter(session.Session(), endpoint_override=url)

    def request(self, path, method, **options):
        return self._inner.request(path, method, authenticated=False, **options)
