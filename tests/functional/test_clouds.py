"""`heat-lite up --cloud`: logins of clouds.yaml, restarts, signals of servers, guards."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import openstack.connection
import pytest
import requests
import yaml
from keystoneauth1 import session
from keystoneauth1.identity import v3

from tests import cloud, identity, ports
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

HOT = {'heat_template_version': '2021-04-16'}
PASSWORD = 'x' + uuid.uuid4().hex
CREDENTIAL = {'user': cloud.USER, 'secret': 'y' + uuid.uuid4().hex, 'restricted': True}
NET = {
    **HOT,
    'resources': {'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'n'}}},
    'outputs': {'project': {'value': {'get_param': 'OS::project_id'}}},
}
VOLUME = {
    **HOT,
    'resources': {'volume': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}}},
}


def condition(kind='OS::Heat::WaitConditionHandle', **properties):
    return {
        **HOT,
        'resources': {
            'handle': {'type': kind, 'properties': properties},
            'condition': {
                'type': 'OS::Heat::WaitCondition',
                'properties': {'handle': {'get_resource': 'handle'}, 'timeout': WAIT_SECONDS},
            },
        },
        'outputs': {
            'curl': {'value': {'get_attr': ['handle', 'curl_cli']}},
            'signal': {'value': {'get_attr': ['handle', 'signal']}},
            'data': {'value': {'get_attr': ['condition', 'data']}},
        },
    }


@pytest.fixture(scope='module')
def clouds():
    """Two fake clouds: ``one`` for a password, ``two`` for an application credential."""
    with cloud.running() as one, cloud.running() as two:
        one.identity.users[cloud.USER]['password'] = PASSWORD
        two.identity.credentials['c'] = CREDENTIAL
        two.identity.services.pop('load-balancer')
        yield {'one': one, 'two': two}


@pytest.fixture(scope='module')
def clouds_file(clouds, tmp_path_factory):
    """The clouds.yaml of both, and of wrong logins."""
    password = {
        'auth_url': clouds['one'].auth_url,
        'username': cloud.USER,
        'password': PASSWORD,
        'project_name': cloud.PROJECT,
        'user_domain_name': 'Default',
        'project_domain_name': 'Default',
    }
    credential = {
        'auth_url': clouds['two'].auth_url,
        'application_credential_id': 'c',
        'application_credential_secret': CREDENTIAL['secret'],
    }
    unscoped = {name: value for name, value in password.items() if 'project' not in name}
    nowhere = {**password, 'auth_url': f'http://127.0.0.1:{ports.reserve()}/v3'}
    known = {
        'one': {'auth': password, 'region_name': 'RegionOne'},
        'two': {'auth_type': 'v3applicationcredential', 'auth': credential},
        'wrong': {'auth': {**password, 'password': 'wrong'}},
        'unscoped': {'auth': unscoped},
        'nowhere': {'auth': nowhere},
        'none': {'auth_type': 'none', 'auth': {'endpoint': 'http://127.0.0.1:1'}},
        'elsewhere': {'auth': password, 'region_name': 'RegionTwo'},
    }
    file = tmp_path_factory.mktemp('clouds') / 'clouds.yaml'
    file.write_text(yaml.safe_dump({'clouds': known}))
    return file


@contextlib.contextmanager
def up(clouds_file, folder, *names, port=None, options=()):
    """Run the service with clouds; yield its shapes.Service, whose project is the first cloud.

    Without clouds its project is ``one``.
    """
    port = port or ports.reserve()
    service = shapes.Service(
        'cloud', f'http://127.0.0.1:{port}/v1', *(names[:1] or ['one']), folder
    )
    arguments = [part for name in names for part in ('--cloud', name)]
    shapes.start(
        service,
        'up',
        *(shapes.BIN / 'heat-lite', 'up', '--port', port, '--data-dir', folder / 'data'),
        *arguments,
        *options,
        variables={'OS_CLIENT_CONFIG_FILE': str(clouds_file)},
    )
    with shapes.running(service):
        yield service


@pytest.fixture(scope='module')
def service(clouds_file, tmp_path_factory):
    """Both clouds, with a public URL."""
    port = ports.reserve()
    options = ('--public-url', f'http://127.0.0.1:{port}')
    folder = tmp_path_factory.mktemp('cloud')
    with up(clouds_file, folder, 'one', 'two', port=port, options=options) as running:
        yield running


def create(service, template, project=None, status=201):
    name = f's{uuid.uuid4().hex[:8]}'
    response = service.ask(
        'POST', '/stacks', {'stack_name': name, 'template': template}, project=project
    )
    assert response.status_code == status, response.text
    return name if status == 201 else response.text


def stack(service, name, project=None):
    return service.ask('GET', f'/stacks/{name}', project=project, allow_redirects=True).json()[
        'stack'
    ]


def wait(service, name, wanted='CREATE_COMPLETE', project=None):
    """Wait until a stack is no longer in progress, and check its state."""
    until = time.monotonic() + WAIT_SECONDS
    while (found := stack(service, name, project))['stack_status'].endswith('IN_PROGRESS'):
        assert time.monotonic() < until, found
        time.sleep(0.05)
    assert found['stack_status'] == wanted, found['stack_status_reason']
    return found


def outputs(service, name):
    """Return the outputs of a stack, once its handle has been created."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        listed = {
            each['output_key']: each.get('output_value')
            for each in stack(service, name).get('outputs', ())
        }
        if listed.get('signal') or listed.get('curl'):
            return listed
        assert time.monotonic() < until, listed
        time.sleep(0.05)


# --------------------------------------------------------------- logins


def test_project_of_the_url_selects_the_cloud(service, clouds):
    for name, running in clouds.items():
        before = len(running.cloud.of('network', '/networks'))
        made = wait(service, create(service, NET, name), project=name)
        assert len(running.cloud.of('network', '/networks')) == before + 1
        assert made['outputs'][0]['output_value'] == identity.ident(cloud.PROJECT)
        assert f'/v1/{name}/' in made['links'][0]['href']


def test_stacks_of_a_cloud_are_invisible_in_the_other(service):
    name = create(service, NET, 'one')
    wait(service, name, project='one')
    assert service.ask('GET', f'/stacks/{name}', project='two').status_code == 404


def test_project_that_is_no_cloud_gets_404_with_the_names(service):
    response = service.ask('GET', '/stacks', project='default')
    assert response.status_code == 404
    assert '/v1/one, /v1/two' in response.text


def test_trusts_are_not_created(service, clouds):
    template = condition(signal_transport='NO_SIGNAL')
    name = create(service, template, 'two')
    found = stack(service, name, 'two')
    path = f'/stacks/{name}/{found["id"]}/resources/handle/signal'
    until = time.monotonic() + WAIT_SECONDS
    while service.ask('POST', path, {}, project='two').status_code != 200:
        assert time.monotonic() < until
        time.sleep(0.05)
    wait(service, name, project='two')
    assert not clouds['two'].identity.trusts


def test_start_says_what_a_login_may_not_do(service):
    log = (service.folder / 'up.log').read_text()
    assert f'cloud one: user {cloud.USER}, project {cloud.PROJECT}, region RegionOne' in log
    assert 'the application credential is restricted' in log.partition('cloud two')[2]
    missing = re.search(r'cloud two.*\n  not in its catalog.*: (.*)\n', log)
    assert 'octavia' in missing[1].split(', ')


def test_types_of_a_missing_service_are_unavailable(service):
    listed = {
        name: service.ask('GET', '/resource_types', project=name).json()['resource_types']
        for name in ('one', 'two')
    }
    assert 'OS::Octavia::Pool' in listed['one']
    assert 'OS::Octavia::Pool' not in listed['two']
    assert 'OS::Nova::Server' in listed['two']
    pool = {'protocol': 'HTTP', 'lb_algorithm': 'ROUND_ROBIN', 'listener': 'x'}
    template = {**HOT, 'resources': {'p': {'type': 'OS::Octavia::Pool', 'properties': pool}}}
    text = create(service, template, 'two', status=400)
    assert 'load-balancer endpoint is not in service catalog' in text


@pytest.mark.parametrize(
    'name, reason',
    [
        ('wrong', 'cloud "wrong" refuses the login of clouds.yaml'),
        ('unscoped', 'names no project'),
        ('nowhere', 'cloud "nowhere" cannot be reached'),
        ('elsewhere', 'no service in region RegionTwo'),
        ('none', 'the auth_type of cloud "none" gives no catalog'),
        (
            'unknown',
            'was not found; clouds.yaml has: elsewhere, none, nowhere, one, two, unscoped,',
        ),
    ],
)
def test_cloud_without_a_login_ends_the_start_with_the_reason(clouds_file, tmp_path, name, reason):
    ended = subprocess.run(
        [sys.executable, '-m', 'heat_lite.operate.up', '--cloud', name]
        + ['--port', '0', '--data-dir', tmp_path / 'data'],
        env={**os.environ, 'OS_CLIENT_CONFIG_FILE': str(clouds_file)},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert ended.returncode == 1
    assert reason in ended.stderr
    assert 'Traceback' not in ended.stderr
    assert 'is ready' not in ended.stdout


# --------------------------------------------------------------- restarts


def test_work_continues_after_kill_and_start_with_the_same_cloud(clouds, clouds_file, tmp_path):
    """In between the service runs for another cloud, and without one: the stack waits."""
    one = clouds['one'].cloud
    one.looks = 10**9
    try:
        with up(clouds_file, tmp_path, 'one') as first:
            name = create(first, VOLUME)
            until = time.monotonic() + WAIT_SECONDS
            while not one.of('block-storage', '/volumes'):
                assert time.monotonic() < until
                time.sleep(0.02)
            process = first.processes.pop('up')
            process.send_signal(signal.SIGKILL)
            process.wait()
    finally:
        one.looks = 1
    with up(clouds_file, tmp_path, 'two') as other:
        assert other.ask('GET', '/stacks', project='one').status_code == 404
    with up(clouds_file, tmp_path) as without:
        # nothing of the cloud two, which has no stacks
        assert 'start with --cloud one to continue' in (tmp_path / 'up.log').read_text()
        [stack] = without.ask('GET', '/stacks').json()['stacks']
        assert stack['stack_status'] == 'CREATE_IN_PROGRESS'
    for volume in one.of('block-storage', '/volumes'):
        volume['looks'] = 0
    with up(clouds_file, tmp_path, 'one') as again:
        wait(again, name)
        assert len(one.of('block-storage', '/volumes')) == 1
    stored = b''.join(
        file.read_bytes() for file in tmp_path.rglob('*') if file.is_file() and file.name != 'key'
    )
    assert PASSWORD.encode() not in stored
    assert CREDENTIAL['secret'].encode() not in stored


def test_token_of_the_login_is_renewed(service, clouds, monkeypatch):
    one = clouds['one']
    wait(service, create(service, NET))
    one.identity.tokens.clear()
    monkeypatch.setattr(one.cloud, 'accepts', one.identity.is_valid)
    wait(service, create(service, NET))


def test_replaced_service_waits_for_a_keystone_that_does_not_respond(tmp_path):
    """The watchdog replaces a service that was killed, and keeps the port open."""
    keystone = identity.Identity(
        {'u': {'password': PASSWORD, 'project': 'p', 'roles': ['member']}},
        {'network': 'http://127.0.0.1:1'},
    )
    port = ports.reserve()
    with contextlib.ExitStack() as stack:
        with identity.serve(keystone, port) as auth_url:
            login = {'auth_url': auth_url, 'username': 'u', 'password': PASSWORD}
            scope = {'project_name': 'p', 'project_domain_name': 'Default'}
            known = {'three': {'auth': {**login, **scope, 'user_domain_name': 'Default'}}}
            file = tmp_path / 'clouds.yaml'
            file.write_text(yaml.safe_dump({'clouds': known}))
            running = stack.enter_context(up(file, tmp_path, 'three'))
        watchdog = running.processes['up'].pid
        (worker,) = Path(f'/proc/{watchdog}/task/{watchdog}/children').read_text().split()
        os.kill(int(worker), signal.SIGKILL)
        log = tmp_path / 'up.log'
        until = time.monotonic() + WAIT_SECONDS
        while 'cannot be reached, the login is retried' not in log.read_text():
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        stack.enter_context(identity.serve(keystone, port))
        assert running.ask('GET', '/stacks', timeout=WAIT_SECONDS).status_code == 200


# --------------------------------------------------------------- clients


def test_openstacksdk_needs_no_login(service):
    connection = openstack.connection.Connection(
        auth_type='none', auth={'endpoint': f'{service.url}/two'}, app_name='tests'
    )
    name = f's{uuid.uuid4().hex[:8]}'
    made = connection.orchestration.create_stack(name=name, template=NET)
    found = connection.orchestration.wait_for_status(
        made, 'CREATE_COMPLETE', ['CREATE_FAILED'], interval=0.1, wait=WAIT_SECONDS
    )
    assert name in [each.name for each in connection.orchestration.stacks()]
    connection.orchestration.delete_stack(found)


@pytest.mark.parametrize('endpoint', [False, True])
def test_command_line_finds_the_only_cloud_and_its_token(unreachable, endpoint):
    """Without --endpoint the data folder tells where the service is."""
    name = create(unreachable, NET)
    arguments = ['--endpoint', unreachable.endpoint] if endpoint else []
    environ = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
    ended = subprocess.run(
        [shapes.BIN / 'heat-lite', 'list', *arguments],
        env={**environ, 'HEAT_LITE_DATA_DIR': str(unreachable.folder / 'data')},
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert name in ended.stdout, ended.stderr


# --------------------------------------------------------------- signals by the public URL


def test_command_of_a_handle_signals_without_keystone(service):
    name = create(service, condition())
    curl = outputs(service, name)['curl']
    token, url = re.search("X-Auth-Token: ([^']+)'.* (http.*)", curl).groups()
    body = {'status': 'SUCCESS', 'id': '1', 'data': 'd'}
    answer = requests.post(url, json=body, headers={'X-Auth-Token': token}, timeout=60)
    assert answer.status_code == 200
    assert json.loads(outputs(service, wait(service, name)['stack_name'])['data']) == {'1': 'd'}


def test_signed_url_signals_behind_a_proxy_that_changes_the_host(service):
    name = create(service, condition(signal_transport='CFN_SIGNAL'))
    url = json.loads(outputs(service, name)['signal'])['alarm_url']
    host = {'Host': 'proxy.example.org'}
    forged = url.partition('&Signature=')[0] + '&Signature=' + 'A' * 43 + '%3D'
    for wrong in (forged, url.replace('handle', 'condition')):
        assert requests.put(wrong, json={}, headers=host, timeout=60).status_code == 403
    assert requests.put(url, json={'data': 'x'}, headers=host, timeout=60).status_code == 200
    wait(service, name)


def test_stack_user_logs_in_by_the_inputs_of_heat_signal(service):
    name = create(service, condition(signal_transport='HEAT_SIGNAL'))
    given = json.loads(outputs(service, name)['signal'])
    login = {key: given[key] for key in ('auth_url', 'user_id', 'password', 'project_id')}
    user = session.Session(auth=v3.Password(**login))
    endpoint = user.get_endpoint(service_type='orchestration', region_name='RegionOne')
    assert endpoint == f'{service.url}/{given["project_id"]}'
    assert user.post(given['alarm_url'], json={'data': 'x'}).status_code == 200
    wait(service, name)
    wrong = session.Session(auth=v3.Password(**{**login, 'password': 'wrong'}))
    refused = requests.post(
        f'{given["auth_url"]}auth/tokens', json={'auth': {'identity': {}}}, timeout=60
    )
    assert refused.status_code == 400
    with pytest.raises(Exception, match='401'):
        wrong.get_token()
    headers = {'X-Auth-Token': user.get_token()}
    for project in ('one', given['project_id']):
        for path in ('/stacks', '/services', '/software_configs', '/stacks?global_tenant=true'):
            answer = service.ask('GET', path, project=project, headers=headers)
            assert answer.status_code == 403, (project, path, answer.text)


@pytest.mark.parametrize('transport', ['TOKEN_SIGNAL', 'CFN_SIGNAL'])
def test_adopted_handle_has_credentials_of_its_new_stack(service, transport):
    """Those of the document name a stack that is gone."""
    handle = {
        'type': 'OS::Heat::WaitConditionHandle',
        'properties': {'signal_transport': transport},
    }
    outputs_of_handle = {
        name: {'value': {'get_attr': ['handle', name]}} for name in ('curl_cli', 'signal')
    }
    former = create(service, {**HOT, 'resources': {'handle': handle}, 'outputs': outputs_of_handle})
    wait(service, former)
    path = f'/stacks/{former}/{stack(service, former)["id"]}'
    document = service.ask('DELETE', f'{path}/abandon').text
    body = {'stack_name': f'{former}-again', 'adopt_stack_data': document}
    assert service.ask('POST', '/stacks', body).status_code == 201
    name = wait(service, f'{former}-again', 'ADOPT_COMPLETE')['stack_name']
    told = outputs(service, name)
    if transport == 'CFN_SIGNAL':
        url = json.loads(told['signal'])['alarm_url']
        answer = requests.put(url, json={'data': 'x'}, timeout=60)
    else:
        token, url = re.search("X-Auth-Token: ([^']+)'.* (http.*)", told['curl_cli']).groups()
        answer = requests.post(url, json={}, headers={'X-Auth-Token': token}, timeout=60)
    assert answer.status_code == 200, answer.text


def test_stack_user_of_another_stack_cannot_signal(service):
    first, second = (create(service, condition()) for _ in range(2))
    token = re.search("X-Auth-Token: ([^']+)'", outputs(service, first)['curl'])[1]
    url = outputs(service, second)['curl'].rpartition(' ')[2]
    headers = {'X-Auth-Token': token}
    assert requests.post(url, json={}, headers=headers, timeout=60).status_code in (403, 404)
    assert stack(service, second)['stack_status'] == 'CREATE_IN_PROGRESS'


def test_users_of_suspended_handles_are_disabled_until_they_resume(service):
    """Such a user may not even signal another handle of its stack."""
    handle = {'type': 'OS::Heat::WaitConditionHandle'}
    template = {
        **HOT,
        'resources': {'handle': handle, 'other': {**handle, 'depends_on': 'handle'}},
        'outputs': {'curl': {'value': {'get_attr': ['handle', 'curl_cli']}}},
    }
    name = create(service, template)
    wait(service, name)
    curl = outputs(service, name)['curl']
    token, url = re.search("X-Auth-Token: ([^']+)'.* (http.*)", curl).groups()
    other, headers = url.replace('/handle/', '/other/'), {'X-Auth-Token': token}
    path = f'/stacks/{name}/{stack(service, name)["id"]}/actions'
    for action, status in (('suspend', 403), ('resume', 200)):
        assert service.ask('POST', path, {action: None}).status_code == 200
        wait(service, name, f'{action.upper()}_COMPLETE')
        for each in (url, other):
            answer = requests.post(each, json={}, headers=headers, timeout=60)
            assert answer.status_code == status, answer.text


def test_zaqar_signal_needs_no_login(unreachable):
    name = create(unreachable, condition(signal_transport='ZAQAR_SIGNAL'))
    told = outputs(unreachable, name)
    request = json.loads(told['signal'])
    assert told['curl'].endswith(request['url'])
    assert request['url'].endswith(f'/v2/queues/{request["queue_id"]}/messages')
    assert request['headers']['URL-Signature'] in told['curl']
    messages = [{'body': {'status': 'SUCCESS', 'id': '1', 'data': 'by zaqar'}}]
    answer = requests.post(
        request['url'], json={'messages': messages}, headers=request['headers'], timeout=60
    )
    assert answer.status_code == 201, answer.text
    wait(unreachable, name)
    assert json.loads(outputs(unreachable, name)['data']) == {'1': 'by zaqar'}


def test_zaqar_signal_of_a_deployment_is_refused_with_the_reason(service):
    deployment = {'server': 'x', 'signal_transport': 'ZAQAR_SIGNAL'}
    template = {
        **HOT,
        'resources': {
            'deployment': {'type': 'OS::Heat::SoftwareDeployment', 'properties': deployment}
        },
    }
    text = create(service, template, status=400)
    assert 'with ZAQAR_SIGNAL the agent of a server logs in to Keystone' in text


@pytest.mark.parametrize(
    'headers',
    [
        {'Host': 'evil.example.org'},
        {'Origin': 'http://evil.example.org'},
        {'Sec-Fetch-Site': 'cross-site'},
        {'X-Auth-Token': 'stackuser.' + '.'.join(['0' * 32, '0' * 32, '9' * 11, '0' * 32])}
        | {'Host': 'evil.example.org'},
    ],
)
def test_requests_of_web_pages_are_refused(service, headers):
    assert service.ask('GET', '/stacks', headers=headers).status_code == 403


# --------------------------------------------------------------- no way in


@pytest.fixture(scope='module')
def unreachable(clouds_file, tmp_path_factory):
    """The first cloud without a public URL, with a token."""
    folder = tmp_path_factory.mktemp('unreachable')
    with _with_token(clouds_file, folder) as running:
        yield running


@contextlib.contextmanager
def _with_token(clouds_file, folder):
    data = folder / 'data'
    data.mkdir(mode=0o700)
    (data / 'token').write_text('a token')
    port = ports.reserve()
    service = shapes.Service('cloud', f'http://127.0.0.1:{port}/v1', 'one', folder)
    service.auth_url, service.tokens = 'none', {'demo': 'a token'}
    shapes.start(
        service,
        'up',
        *(shapes.BIN / 'heat-lite', 'up', '--port', port, '--data-dir', data),
        *('--cloud', 'one', '--require-token'),
        variables={'OS_CLIENT_CONFIG_FILE': str(clouds_file)},
    )
    with shapes.running(service):
        yield service


def test_token_is_required(unreachable):
    assert requests.get(f'{unreachable.endpoint}/stacks', timeout=60).status_code == 401


def test_handle_uses_swift_where_servers_have_no_way_in(unreachable):
    name = create(unreachable, condition())
    url = re.search("curl -i -X PUT '(.*)'", outputs(unreachable, name)['curl'])[1]
    body = json.dumps({'status': 'SUCCESS', 'id': '1', 'data': 'by swift'})
    assert requests.put(url, data=body, timeout=60).status_code == 201
    wait(unreachable, name)
    assert json.loads(outputs(unreachable, name)['data']) == {'1': 'by swift'}


@pytest.mark.parametrize('transport', ['TOKEN_SIGNAL', 'CFN_SIGNAL', 'HEAT_SIGNAL'])
def test_transport_without_a_way_in_is_refused_with_what_to_do(unreachable, transport):
    text = create(unreachable, condition(signal_transport=transport), status=400)
    assert f'{transport} needs a URL by which servers reach this service' in text
    assert '--public-url' in text and 'resources.handle' in text


def test_scaling_policy_has_a_url_for_this_machine(unreachable):
    member = {'type': 'OS::Heat::RandomString'}
    group = {'min_size': 1, 'max_size': 2, 'resource': member}
    rule = {'auto_scaling_group_id': {'get_resource': 'group'}, 'scaling_adjustment': 1}
    template = {
        **HOT,
        'resources': {
            'group': {'type': 'OS::Heat::AutoScalingGroup', 'properties': group},
            'policy': {
                'type': 'OS::Heat::ScalingPolicy',
                'properties': {**rule, 'adjustment_type': 'change_in_capacity'},
            },
        },
        'outputs': {'url': {'value': {'get_attr': ['policy', 'alarm_url']}}},
    }
    name = create(unreachable, template)
    url = wait(unreachable, name)['outputs'][0]['output_value']
    assert url.startswith(unreachable.endpoint)
