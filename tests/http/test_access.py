"""Who may send what: each route by no token, reader, member, stack user, stranger and admin."""

import configparser
import json
import re

import pytest
import requests
import webob

from heat_lite import operations
from heat_lite.api import deploy
from heat_lite.api.v1 import application
from heat_lite.common import installation
from heat_lite.operations import operation
from heat_lite.operations.remote_method import Method
from heat_lite.rpc import client as rpc_client
from tests import identity
from tests.http import scripted

#: the columns of the table after "no token"
PERSONAS = ('reader', 'member', 'stack user', 'stranger', 'admin')
USERS = {
    'reader': {'project': 'home', 'roles': ['reader']},
    'member': {'project': 'home', 'roles': ['member', 'reader']},
    'stack user': {'project': 'home', 'roles': ['heat_stack_user']},
    'stranger': {'project': 'office', 'roles': ['member', 'reader']},
    'admin': {'project': 'office', 'roles': ['admin', 'member', 'reader']},
    'heat': {'project': 'service', 'roles': ['admin']},
}
HOME = identity.ident('home')
TEMPLATE = {'heat_template_version': '2021-04-16'}
BODY = {
    'stack_name': 's',
    'template': TEMPLATE,
    'mark_unhealthy': True,
    'server_id': 's',
    'config_id': 'c',
    'group': 'g',
    'config': 'x',
    'name': 'n',
}
MARK_UNHEALTHY = {'mark_unhealthy': True}
TEXTS = {'template': 'a: b', 'line': 1, 'column': 1}
FORMS = ('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data')
APPLICATION = 'heat_lite.api.v1.application'
PASTE = configparser.RawConfigParser()
PASTE.read(installation.data_path('etc', 'api-paste.ini'))
IN = 503  # every method of the engine answers so: the request has reached it


@pytest.fixture(scope='module')
def keystone():
    users = {name: {'password': 'secret', **user} for name, user in USERS.items()}
    with identity.serve(identity.Identity(users, {})) as url:
        yield url


@pytest.fixture(scope='module')
def service(keystone):
    with scripted.service(flavor=None, keystone=keystone) as (app, engine):
        methods = vars(rpc_client.EngineClient)
        names = [name for name in methods if isinstance(methods[name], Method)]
        refusal = {'raises': {'EngineBusy': {'count': 1}}}
        engine.script = {name: refusal for name in (*names, 'delete_stack')}
        yield app


@pytest.fixture(scope='module')
def tokens(keystone):
    found = {None: None}
    for name in PERSONAS:
        user = {'name': name, 'password': 'secret', 'domain': {'id': 'default'}}
        login = {'methods': ['password'], 'password': {'user': user}}
        body = {'auth': {'identity': login, 'scope': {'project': {'name': 'x'}}}}
        answer = requests.post(f'{keystone}/auth/tokens', json=body, timeout=60)
        found[name] = answer.headers['X-Subject-Token']
    return found


def path_of(pattern):
    """Return a path of a route: each gap has its own name as the value."""
    path = pattern.replace('{tenant_id}', HOME).replace(
        '{stack_name:arn:*}', f'arn:openstack:heat::{HOME}:stacks/s/1'
    )
    return '/v1/' + path.replace('{', '').replace('}', '')


def status(app, token, method, path, body=None, **claims):
    headers = {**claims, **({'X-Auth-Token': token} if token else {})}
    request = webob.Request.blank(path, method=method, headers=headers)
    if method in ('POST', 'PUT', 'PATCH'):
        request.body = json.dumps(BODY if body is None else body).encode()
        request.content_type = 'application/json'
    return request.get_response(app).status_int


#: PERSONAS in their order: + is let in, - is refused with 403
READERS, MEMBERS, ALL_OF_THE_PROJECT, ADMINS = '++--+', '-+--+', '+++-+', '----+'
#: readers read and members write; here are all others
OTHERS = {
    'GET validate/choices/{constraint}': MEMBERS,
    'GET resource_types/{type_name}/objects': MEMBERS,
    'POST stacks/preview': READERS,
    'GET stacks/{stack_name}/{stack_id}/export': MEMBERS,
    'GET stacks/{stack_name}/{stack_id}/resources/{resource_name}/metadata': ALL_OF_THE_PROJECT,
    'POST stacks/{stack_name}/{stack_id}/resources/{resource_name}/signal': ALL_OF_THE_PROJECT,
    'GET resource_types/{type_name}/template': MEMBERS,
    'GET software_deployments/metadata/{server_id}': ALL_OF_THE_PROJECT,
    'GET services': ADMINS,
}
#: redirects from the name or the ARN of a stack
REDIRECTS = re.compile(r'stacks/\{stack_name(:arn:\*)?\}(/[a-z]+)?')
ACTIONS = {
    'suspend': MEMBERS,
    'resume': MEMBERS,
    'check': READERS,
    'retry': MEMBERS,
    'protect': MEMBERS,
    'unprotect': MEMBERS,
    'cancel_update': MEMBERS,
    'cancel_without_rollback': MEMBERS,
}


def marks_of(method, path):
    if REDIRECTS.fullmatch(path):
        return ALL_OF_THE_PROJECT
    return OTHERS.get(f'{method} {path}', READERS if method == 'GET' else MEMBERS)


PATHS = [
    (each.method, each.path.removeprefix(f'{operation.TENANT}/')) for each in operations.OPERATIONS
]
ROWS = [(marks_of(*each), *each) for each in PATHS]


#: of the service without login only
LOCAL_ROUTES = {('PUT', 'stacks/{stack_name}/{stack_id}/resources/{resource_name}/signal')}


def mapped(flavor):
    """Return the routes of the Routes mapper that an API of this flavor uses: (method, path)."""
    app = application.build(scripted.configuration(flavor), rpc_client.EngineClient())
    matchlist = app.router._create_mapper().matchlist
    return [
        (method, route.name.removeprefix('{tenant_id}/'))
        for route in matchlist
        for method in route.conditions['method']
    ]


def test_application_has_the_routes_of_the_operations_only():
    assert sorted(mapped(flavor=None)) == sorted(PATHS)
    assert set(mapped('noauth')) == {*PATHS, *LOCAL_ROUTES}
    assert OTHERS.keys() <= {f'{method} {path}' for method, path in PATHS}


@pytest.mark.parametrize('flavor', ['', 'authpassword', 'standalone', 'custombackend', 'noauth'])
def test_application_of_each_pipeline_is_that_of_the_table(flavor):
    """No pipeline has a second application, whose routes this module would not know."""
    pipeline = PASTE[f'pipeline:{"-".join(filter(None, ("heat-api", flavor)))}']['pipeline'].split()
    assert PASTE[f'app:{pipeline[-1]}']['paste.app_factory'] == f'{APPLICATION}:app_factory'


def test_each_pipeline_is_tested():
    sections = {each.partition(':')[2] for each in PASTE.sections() if each.startswith('pipeline:')}
    flavors = ('authpassword', 'standalone', 'custombackend', 'noauth')
    others = ('heat-api-cfn', 'heat-api-cfn-standalone', 'heat-api-cloudwatch')
    assert sections == {'heat-api', *(f'heat-api-{name}' for name in flavors), *others}
    assert {each for each in PASTE.sections() if each.startswith('app:')} == {
        'app:apiv1app',
        'app:cfnv1app',  # tests/http/test_access_cfn.py, test_cfn_actions.py
        'app:cloudwatchapp',  # tests/http/test_cloudwatch.py
    }


@pytest.mark.parametrize(('marks', 'method', 'path'), ROWS)
def test_route_lets_in_whom_the_table_states(service, tokens, marks, method, path):
    let_in = 302 if path.endswith(':arn:*}') else 406 if path == 'events' else IN
    url = path_of('{tenant_id}/' + path)
    if path.endswith('/actions') and '{stack_id}' in path:
        body = {'suspend': None}
    elif method == 'PATCH' and path.endswith('{resource_name}'):
        body = MARK_UNHEALTHY
    elif '/validate/' in url:
        body = TEXTS
    elif path.endswith('/refactor'):
        body = {'moves': []}
    else:
        body = BODY
    found = [status(service, tokens[name], method, url, body) for name in PERSONAS]
    assert found == [let_in if mark == '+' else 403 for mark in marks]
    assert status(service, None, method, url, body) == 401


#: headers of a client that claims to be the administrator of the project
CLAIMS = {
    'X-Roles': 'admin,service',
    'X-Role': 'admin',
    'X-Project-Id': HOME,
    'X-Tenant-Id': HOME,
    'X-User-Id': 'admin',
    'X-Identity-Status': 'Confirmed',
    'X-Service-Roles': 'admin,service',
    'X-Service-Identity-Status': 'Confirmed',
    'X-Is-Admin-Project': 'True',
    'OpenStack-System-Scope': 'all',
}


@pytest.mark.parametrize(('marks', 'method', 'path'), ROWS)
def test_forged_headers_let_no_one_in(service, tokens, marks, method, path):
    url = path_of('{tenant_id}/' + path)
    assert status(service, None, method, url, **CLAIMS) == 401
    assert status(service, 'no-token', method, url, **CLAIMS) == 401
    for name, mark in zip(PERSONAS, marks, strict=True):
        if mark == '-':
            body = {'suspend': None} if path.endswith('{stack_id}/actions') else BODY
            assert status(service, tokens[name], method, url, body, **CLAIMS) == 403, name


@pytest.fixture(scope='module')
def local():
    """The application of `heat-lite up`, without an engine: no request may reach it."""
    conf = scripted.configuration('noauth')
    return deploy.load_local_app(conf, ['127.0.0.1'])


PAGES = (
    {'Host': 'evil.example'},
    {'Host': '127.0.0.1', 'Origin': 'https://evil.example'},
    {'Host': '127.0.0.1', 'Origin': 'null'},
    {'Host': '127.0.0.1', 'Sec-Fetch-Site': 'cross-site'},
)


@pytest.mark.parametrize(('method', 'path'), [*PATHS, *sorted(LOCAL_ROUTES)])
def test_request_of_a_page_is_refused(local, method, path):
    url = path_of('{tenant_id}/' + path)
    for headers in PAGES:
        assert status(local, None, method, url, **headers) == 403, headers
    for kind in FORMS if method in ('POST', 'PUT', 'PATCH') else ():
        request = webob.Request.blank(url, method=method, headers={'Host': '127.0.0.1'})
        request.body, request.content_type = b'{}', kind
        assert request.get_response(local).status_int == 415, kind


@pytest.mark.parametrize('action', ACTIONS)
def test_action_lets_in_whom_the_table_states(service, tokens, action):
    url = path_of(operation.STACK + '/actions')
    found = [status(service, tokens[name], 'POST', url, {action: None}) for name in PERSONAS]
    assert found == [IN if mark == '+' else 403 for mark in ACTIONS[action]]
    assert status(service, None, 'POST', url, {action: None}) == 401


@pytest.mark.parametrize(
    ('rules', 'action', 'expected'),
    [
        ({'actions:action': '!'}, 'suspend', 403),
        ({'actions:action': '!'}, 'check', 403),
        ({'actions:action': '!', 'actions:suspend': 'role:member'}, 'suspend', IN),
        ({'actions:suspend': '!'}, 'suspend', 403),
        ({'actions:suspend': '!'}, 'resume', IN),
        ({}, 'suspend', IN),
    ],
)
def test_general_rule_of_a_policy_file_is_for_all_actions(tmp_path, rules, action, expected):
    file = tmp_path / 'policy.yaml'
    file.write_text(json.dumps(rules))
    with scripted.service(policy_file=str(file)) as (app, engine):
        refusal = {'raises': {'EngineBusy': {'count': 1}}}
        engine.script = {f'stack_{name}': refusal for name in ('suspend', 'resume', 'check')}
        path = '/v1/p/stacks/s/1/actions'
        assert status(app, None, 'POST', path, {action: None}) == expected
