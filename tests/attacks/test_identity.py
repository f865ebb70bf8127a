"""Forged identities: headers of a client through each pipeline of the API."""

import configparser
import json
import subprocess
import sys
import urllib.parse

import pytest
import requests
import webob

from heat_lite.api.middleware import auth_headers, custom_backend
from heat_lite.common import ec2, exception, installation
from heat_lite.startup import plugins
from tests import identity
from tests.http import probe, scripted, test_access, test_access_cfn

PASTE = configparser.RawConfigParser()
PASTE.read(installation.data_path('etc', 'api-paste.ini'))
PIPELINES = {
    section.partition(':')[2]: PASTE[section]['pipeline'].split()
    for section in PASTE.sections()
    if section.startswith('pipeline:')
}
#: those that check signatures
SIGNED = [name for name, filters in PIPELINES.items() if 'ec2authtoken' in filters]
HOME = identity.ident('home')
USERS = {
    'demo': {'password': 'secret', 'project': 'home', 'roles': ['reader']},
    'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']},
}
FORGED = 'forged'
#: each header by which a client could claim to be another; the value of each is FORGED
CLAIMS = (
    'X-User-Id X-User X-User-Name X-User-Domain-Name X-Project-Id X-Project-Name'
    ' X-Project-Domain-Id X-Project-Domain-Name X-Tenant X-Tenant-Id X-Tenant-Name X-Domain-Id'
    ' X-Domain-Name X-Role'
    ' X-Roles X-Is-Admin-Project X-Identity-Status X-Auth-Url X-Auth-Uri X-Auth-EC2-Creds'
    ' X-Trust-Id X-Trustor-User-Id X-Service-Catalog X-Service-Roles X-Service-User-Id'
    ' X-Service-User-Name X-Service-Project-Id X-Service-Identity-Status X-Aws-Creds'
    ' X-Delegated-Auth X-Auth-Token-Info OpenStack-System-Scope'
).split()
ARN = f'arn:openstack:heat::{HOME}:stacks/s/1/resources/h'
BACKEND_IDENTITY = {'user_id': 'u-demo', 'project_id': HOME, 'roles': 'reader'}


class Keystone(identity.Identity):
    """Keystone with the access key ``key``, whose secret is ``secret``."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *identity.Identity.ROUTES)

    def check(self, environ, body):
        given = body['ec2Credentials']
        wanted = ec2.sign('secret', given['verb'], given['host'], given['path'], given['params'])
        if (given['access'], given['signature']) != ('key', wanted):
            raise identity.Refused(401, 'EC2 signature is invalid.')
        user = {'id': 'u-demo', 'name': 'demo', 'domain': {'id': 'default'}}
        project = {'id': HOME, 'name': 'home', 'domain': {'id': 'default'}}
        token = {'user': user, 'project': project, 'roles': [{'id': 'r', 'name': 'reader'}]}
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


@pytest.fixture(scope='module')
def keystone():
    with identity.serve(Keystone(USERS, {})) as url:
        yield url


def token(url):
    user = {'name': 'demo', 'password': 'secret', 'domain': {'id': 'default'}}
    login = {'methods': ['password'], 'password': {'user': user}}
    body = {'auth': {'identity': login, 'scope': {'project': {'name': 'home'}}}}
    return requests.post(f'{url}/auth/tokens', json=body, timeout=60).headers['X-Subject-Token']


def credentials(pipeline, url):
    """Return the headers that authenticate the user demo in a pipeline."""
    by_password = {'X-Auth-User': 'demo', 'X-Auth-Key': 'secret'}
    return {
        'heat-api': {'X-Auth-Token': token(url)},
        'heat-api-authpassword': by_password,
        'heat-api-standalone': by_password,
        'heat-api-custombackend': by_password,
        'heat-api-noauth': {},
        **dict.fromkeys(SIGNED, {}),
    }[pipeline]


def signed_url(action, method='GET'):
    """Return the URL of an action of the query protocol with the signature of demo."""
    params = {
        'Action': action,
        'AWSAccessKeyId': 'key',
        'SignatureMethod': ec2.METHOD,
        'SignatureVersion': ec2.VERSION,
    }
    params['Signature'] = ec2.sign('secret', method, 'heat:8000', '/v1/', params)
    return f'http://heat:8000/v1/?{urllib.parse.urlencode(params)}'


def ask(pipeline, url, headers, signed=True):
    """Send a request through a pipeline. Return (status, contexts that the engine was called with).

    The project of the path is that of demo if ``signed``.
    """
    script = {
        'resource_signal': {'returns': {}},
        'get_revision': {'returns': 'x'},
        'show_watch': {'returns': []},
        'authenticated_to_backend': {
            'returns': BACKEND_IDENTITY if 'X-Auth-Key' in headers else None
        },
    }
    path = f'/v1/{HOME if signed else "another"}/build_info'
    is_signal = pipeline in SIGNED and pipeline != 'heat-api-cloudwatch'
    if is_signal:
        path = f'http://heat:8000/v1/waitcondition/{ARN}'
        path = ec2.signed_url(path, 'key', 'secret') if signed else path
    elif pipeline in SIGNED:
        path = signed_url('DescribeAlarms') if signed else '/v1/?Action=DescribeAlarms'
    with scripted.service(name=pipeline, keystone=url) as (app, engine):
        engine.script = script
        method = 'PUT' if is_signal else 'GET'
        request = webob.Request.blank(path, method=method, headers=headers)
        response = request.get_response(app)
        called = [context for method, context, _ in engine.calls if method in list(script)[:3]]
        asked = [context for method, context, _ in engine.calls if method not in list(script)[:3]]
    for context in asked:
        assert FORGED not in json.dumps(context.to_dict(), default=str)
    return response.status_int, called


@pytest.mark.parametrize('pipeline', PIPELINES)
def test_forged_headers_do_not_change_the_identity(pipeline, keystone):
    claims = dict.fromkeys(CLAIMS, FORGED)
    headers = credentials(pipeline, keystone)
    status, (honest,) = ask(pipeline, keystone, headers)
    assert status == 200
    status, (context,) = ask(pipeline, keystone, {**claims, **headers})
    assert status == 200
    forged, own = context.to_dict(), honest.to_dict()
    assert FORGED not in json.dumps(forged, default=str)
    changing = {'request_id', 'auth_token'}
    assert {key for key in own if forged[key] != own[key]} <= changing
    assert context.project_id == HOME
    assert not context.is_admin


@pytest.mark.parametrize('pipeline', sorted(PIPELINES.keys() - {'heat-api-noauth'}))
def test_forged_headers_without_credentials_are_refused(pipeline, keystone):
    claims = {**dict.fromkeys(CLAIMS, FORGED), 'X-Identity-Status': 'Confirmed', 'X-Roles': 'admin'}
    status, called = ask(pipeline, keystone, claims, signed=False)
    assert (status, called) == (400 if pipeline in SIGNED else 401, [])


@pytest.mark.parametrize('pipeline', PIPELINES)
def test_first_filter_strips_identity_headers(pipeline):
    section = PASTE[f'filter:{PIPELINES[pipeline][0]}']
    assert section['paste.filter_factory'].endswith('middleware.strip_identity:filter_factory')
    assert section.get('keep', '').split() == list(KEPT.get(pipeline, ()))


#: credentials of these pipelines, whose filter validates them
KEPT = {
    'heat-api-authpassword': ('X-Auth-Url', 'X-User-Domain-Id'),
    'heat-api-standalone': ('X-Auth-Url', 'X-User-Domain-Id'),
    **dict.fromkeys(SIGNED, ('X-Auth-Url', 'X-User-Domain-Id', 'X-Project-Id')),
}


def paste_file(folder, pipeline, without=''):
    """Write the pipelines with a probe before the application of one, whose filter ``without``
    names is left out; return the path.
    """
    changed = configparser.RawConfigParser()
    changed.read(installation.data_path('etc', 'api-paste.ini'))
    *filters, application = PIPELINES[pipeline]
    kept = [each for each in filters if each != without]
    changed[f'pipeline:{pipeline}']['pipeline'] = ' '.join([*kept, 'probe', application])
    changed['filter:probe'] = {'paste.filter_factory': f'{probe.__name__}:filter_factory'}
    file = folder / 'api-paste.ini'
    with file.open('w') as text:
        changed.write(text)
    return file


def routes_of(pipeline):
    """Return the method and path of each route of a pipeline, signed where that is needed."""
    if pipeline not in SIGNED:
        rows = [(method, path) for _, method, path in test_access.ROWS]
        return [(method, test_access.path_of('{tenant_id}/' + path)) for method, path in rows]
    return [
        *(
            (method, ec2.signed_url(f'http://heat:8000/v1/{kind}/{ARN}', 'key', 'secret', method))
            for _, method, kind in test_access_cfn.ROWS
        ),
        *((method, signed_url('DescribeStacks', method)) for method in ('GET', 'POST')),
    ]


def forged_on_routes(pipeline, keystone, file):
    """Send each route with credentials and forged headers.

    Return for each route the keys of the forged headers that reach the application.
    """
    claims = {name: FORGED for name in CLAIMS if name not in KEPT.get(pipeline, ())}
    headers = {**claims, **credentials(pipeline, keystone)}
    found = {}
    with scripted.service(name=pipeline, keystone=keystone, pipelines=file) as (app, engine):
        engine.script = {'authenticated_to_backend': {'returns': BACKEND_IDENTITY}}
        for method, path in routes_of(pipeline):
            probe.seen.clear()
            webob.Request.blank(path, method=method, headers=headers).get_response(app)
            (seen,) = probe.seen
            found[method, path] = {key for key in seen if FORGED in str(seen[key])}
    return found


@pytest.mark.parametrize('pipeline', PIPELINES)
def test_no_forged_header_reaches_the_application_on_any_route(pipeline, keystone, tmp_path):
    found = forged_on_routes(pipeline, keystone, paste_file(tmp_path, pipeline))
    assert found and not any(found.values()), found


@pytest.mark.parametrize('pipeline', PIPELINES)
def test_pipeline_without_its_first_filter_is_found_on_each_route(pipeline, keystone, tmp_path):
    """Otherwise the test above would show nothing about the filter."""
    file = paste_file(tmp_path, pipeline, without=PIPELINES[pipeline][0])
    found = forged_on_routes(pipeline, keystone, file)
    trust = auth_headers.environ_key('X-Trust-Id')
    assert found and all(trust in keys for keys in found.values()), found


# --------------------------------------------------------------- the backend of the operator


@pytest.mark.parametrize('answer', [None, True, False, 'yes', ['member']])
def test_custom_backend_that_names_no_user_lets_no_request_in(answer):
    with scripted.service(name='heat-api-custombackend') as (app, engine):
        engine.script = {'authenticated_to_backend': {'returns': answer}}
        headers = {'X-Project-Id': 'p', 'X-Roles': 'reader', 'X-User-Id': 'u'}
        request = webob.Request.blank('/v1/p/build_info', headers=headers)
        assert request.get_response(app).status_int == 401


@pytest.mark.parametrize('flavor', ['', 'cloud_backend = heat.engine.clients.OpenStackClients'])
def test_api_does_not_start_without_a_backend(tmp_path, flavor):
    file = tmp_path / 'heat-lite.conf'
    file.write_text(
        f'[DEFAULT]\nauth_encryption_key = {"k" * 32}\n{flavor}\n'
        '[paste_deploy]\nflavor = custombackend\n'
        '[heat_api]\nbind_host = 127.0.0.1\nbind_port = 0\n'
    )
    done = subprocess.run(
        [sys.executable, '-m', 'heat_lite.cmd.api', '--config-file', str(file)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert f'heat-lite-api: {custom_backend.NO_BACKEND}' in done.stderr


@pytest.mark.parametrize('name', ['nonsense', 'no.such.Class', 'json.Missing', 'json.JSONEncoder'])
def test_backend_that_cannot_be_loaded_is_a_configuration_error(name):
    with pytest.raises(exception.ConfigurationError, match=f'cloud_backend = {name}'):
        plugins.load_cloud_backend(name)
