"""Signatures that one of several Keystones validates: [ec2authtoken] multi_cloud and its groups."""

import pytest
import webob
from oslo_config import cfg

import heat_lite.conf
from heat_lite.api import paste_config
from heat_lite.api.aws import ec2token, faults
from heat_lite.api.middleware import auth_headers
from heat_lite.common import ec2, exception
from tests import identity, ports
from tests.http import test_access_cfn

CLOUD = f'[{{group}}]{identity.LOGIN}'
MANY = '[ec2authtoken]\nmulti_cloud = true\nclouds = east, west\n'
SIGNERS = test_access_cfn.SIGNERS


class Keystone(test_access_cfn.Keystone):
    """Keystone with the access keys of ``names`` only.

    ``refusals``: how often it refuses the service that asks.
    """

    names = ()
    refusals = 0

    def check(self, environ, body):
        if self.refusals:
            self.refusals -= 1
            raise identity.Refused(403, 'You are not authorized to perform the requested action.')
        if body['ec2Credentials']['access'] not in self.names:
            raise identity.Refused(404, 'EC2 access key not found.')
        return super().check(environ, body)


@pytest.fixture(scope='module')
def keystones():
    """{cloud: (Keystone, its URL)}; each cloud has one of the signers."""
    east, west = (Keystone(test_access_cfn.SERVICE, {}, region) for region in ('East', 'West'))
    east.names, west.names = ('member',), ('stranger',)
    with identity.serve(east) as east_url, identity.serve(west) as west_url:
        yield {'east': (east, east_url), 'west': (west, west_url)}


def application(tmp_path, text):
    """Return the filter with options; the application behind it returns what it learns."""
    file = tmp_path / 'heat.conf'
    file.write_text(text)
    conf = heat_lite.conf.register(cfg.ConfigOpts())
    conf(['--config-file', str(file)], project='heat_lite')

    def learn(environ, start_response):
        start_response('200 OK', [])
        known = (environ['HTTP_X_PROJECT_ID'], environ.get(auth_headers.AUTH_URL))
        return [repr(known).encode()]

    made = ec2token.filter_factory(paste_config.global_conf_of(conf))(learn)
    return faults.FaultFilter(made)


def send(app, signer, secret=None):
    """Return the status, and the project and auth_url that the application has learned."""
    url = ec2.signed_url('http://heat:8000/v1/signal/a', signer, secret or signer, 'POST')
    found = webob.Request.blank(url, method='POST').get_response(app)
    return found.status_int, found.text if found.status_int == 200 else None


def groups(keystones, **urls):
    found = {name: url for name, (_, url) in keystones.items()} | urls
    return ''.join(CLOUD.format(group=f'ec2authtoken.{name}', url=found[name]) for name in found)


def test_each_cloud_is_asked_until_one_knows_the_key(keystones, tmp_path):
    app = application(tmp_path, MANY + groups(keystones))
    for name, signer in (('east', 'member'), ('west', 'stranger')):
        project, _ = SIGNERS[signer]
        assert send(app, signer) == (200, repr((project, keystones[name][1])))
    assert send(app, 'reader')[0] == send(app, 'stranger', 'wrong')[0] == 403


def test_refusal_of_the_service_by_chance_refuses_no_key(keystones, tmp_path):
    app = application(tmp_path, CLOUD.format(group='ec2authtoken', url=keystones['east'][1]))
    keystones['east'][0].refusals = 1
    assert send(app, 'member')[0] == 200
    keystones['east'][0].refusals = 2
    assert send(app, 'member')[0] == 403
    assert keystones['east'][0].refusals == 0


def test_cloud_that_cannot_be_reached_refuses_no_key_of_another(keystones, tmp_path):
    dead = f'http://127.0.0.1:{ports.reserve()}/v3'
    app = application(tmp_path, MANY + groups(keystones, east=dead))
    assert send(app, 'stranger')[0] == 200
    assert send(app, 'member')[0] == 503


def test_without_multi_cloud_the_clouds_are_not_asked(keystones, tmp_path):
    own = CLOUD.format(group='ec2authtoken', url=keystones['east'][1])
    app = application(tmp_path, f'{own}clouds = east, west\n{groups(keystones)}')
    assert send(app, 'member')[0] == 200
    assert send(app, 'stranger')[0] == 403


@pytest.mark.parametrize(
    ('text', 'words'),
    [('[ec2authtoken]\nmulti_cloud = true\n', 'at least one'), (MANY, r'ec2authtoken\.east')],
)
def test_cloud_without_a_login_is_refused_at_the_start(tmp_path, text, words):
    with pytest.raises(exception.ConfigurationError, match=words):
        application(tmp_path, text)


def test_missing_login_is_logged_at_the_start(keystones, tmp_path, caplog):
    application(tmp_path, CLOUD.format(group='ec2authtoken', url=keystones['east'][1]))
    assert 'auth_type' not in caplog.text
    application(tmp_path, '[clients_keystone]\nauth_uri = http://127.0.0.1:9/v3\n')
    assert '[ec2authtoken] has no auth_type' in caplog.text


@pytest.mark.parametrize('ending', ['', '/ec2tokens'])
def test_old_file_with_a_url_only_uses_the_login_of_the_service(
    keystones, tmp_path, caplog, ending
):
    login = CLOUD.format(group='keystone_authtoken', url=keystones['east'][1])
    old = f'[ec2authtoken]\nauth_uri = {keystones["east"][1]}{ending}\n'
    app = application(tmp_path, old + login)
    assert 'that of [keystone_authtoken] is used' in caplog.text
    assert send(app, 'member')[0] == 200
    assert send(app, 'member', 'wrong')[0] == 403


@pytest.mark.parametrize('option', ['interface = internal', 'valid_interfaces = internalURL'])
def test_endpoint_of_the_catalog_is_that_of_the_region_and_interface(keystones, tmp_path, option):
    own = CLOUD.format(group='ec2authtoken', url=keystones['east'][1])
    dead = '[clients_keystone]\nauth_uri = http://127.0.0.1:9/v3\n'
    app = application(tmp_path, f'{own}region_name = East\n{option}\n{dead}')
    assert send(app, 'member')[0] == 200
    assert send(application(tmp_path, f'{own}region_name = North\n{dead}'), 'member')[0] == 503
