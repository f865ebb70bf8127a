"""Secrets do not appear in logs, events, errors or the database of the service's processes."""

import json
import re
import socket
import time
import urllib.parse

import pytest
import requests
from oslo_config import cfg

from heat_lite.db import session
from tests import databases, ports
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

DEBUG_CONFIGURATION = """
[DEFAULT]
debug = true
default_log_levels = oslo.messaging=DEBUG,oslo_messaging=DEBUG,amqp=DEBUG,kombu=DEBUG,
    keystoneauth=DEBUG,keystonemiddleware=DEBUG,sqlalchemy=DEBUG,oslo.db=DEBUG,oslo_db=DEBUG,
    stevedore=DEBUG,urllib3=DEBUG,requests=DEBUG,oslo.cache=DEBUG,oslo_policy=DEBUG
encrypt_parameters_and_properties = true
auth_encryption_key = the-key-of-this-test-32-letters-
region_name_for_services = RegionOne

[heat_lite]
trust_after = 0

[clients_heat]
url = {url}/%(tenant_id)s

[trustee]
auth_type = password
auth_url = {auth_url}
username = heat
password = secret
user_domain_id = default
"""
HIDDEN, TEXT, PART = 'planted-parameter-3e9', 'planted-config-77a', 'planted-metadata-b02'
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'secret': {'type': 'string', 'hidden': True, 'constraints': [{'length': {'max': 40}}]}
    },
    'resources': {
        'made': {
            'type': 'OS::Heat::TestResource',
            'properties': {'value': {'get_param': 'secret'}},
        },
        'random': {'type': 'OS::Heat::RandomString', 'properties': {'length': 24}},
        'config': {
            'type': 'OS::Heat::SoftwareConfig',
            'properties': {'config': TEXT, 'inputs': [{'name': 'i', 'default': 'd'}]},
        },
        'handle': {
            'type': 'OS::Heat::WaitConditionHandle',
            'properties': {'signal_transport': 'CFN_SIGNAL'},
        },
        'login': {
            'type': 'OS::Heat::WaitConditionHandle',
            'properties': {'signal_transport': 'HEAT_SIGNAL'},
        },
        'token': {
            'type': 'OS::Heat::WaitConditionHandle',
            'properties': {'signal_transport': 'TOKEN_SIGNAL'},
        },
        'policy': {
            'type': 'OS::Heat::ScalingPolicy',
            'properties': {
                'adjustment_type': 'change_in_capacity',
                'scaling_adjustment': 1,
                'auto_scaling_group_id': {'get_resource': 'group'},
            },
        },
        'group': {
            'type': 'OS::Heat::AutoScalingGroup',
            'properties': {
                'min_size': 1,
                'max_size': 2,
                'resource': {
                    'type': 'OS::Heat::TestResource',
                    'properties': {'value': {'get_param': 'secret'}},
                },
            },
        },
        'broken': {
            'type': 'OS::Heat::RandomString',
            # fails when the attribute is known; the error quotes it
            'properties': {'length': {'get_attr': ['made', 'output']}},
            'depends_on': ['made', 'group', 'handle', 'login', 'token', 'random', 'config'],
            'metadata': {'told': PART},
        },
    },
    'outputs': {
        'url': {'value': {'get_attr': ['handle', 'signal']}},
        'login': {'value': {'get_attr': ['login', 'signal']}},
        'token': {'value': {'get_attr': ['token', 'token']}},
        'random': {'value': {'get_resource': 'random'}},
    },
}


WRONG = {'type': 'OS::Heat::RandomString', 'properties': {'length': {'get_param': 'secret'}}}


@pytest.fixture(
    params=[('mysql', 'mariadb'), ('postgresql', 'postgresql')], ids=['mariadb', 'postgresql']
)
def service(request, tmp_path):
    backend, shape = request.param
    with shapes.split(tmp_path, shape, backend, keystone=True, more=DEBUG_CONFIGURATION) as found:
        yield found


def until_at_rest(service, path):
    end = time.monotonic() + WAIT_SECONDS
    while True:
        stack = service.ask('GET', path).json()['stack']
        if not stack['stack_status'].endswith('_IN_PROGRESS'):
            return stack
        assert time.monotonic() < end, stack
        time.sleep(0.1)


def secrets_of(outputs):
    """Return the secrets that the service has generated."""
    url = json.loads(outputs['url'])['alarm_url']
    signature = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)['Signature'][0]
    login = json.loads(outputs['login'])
    return {
        'signature': signature,
        'password of a user': login['password'],
        'token of a user': outputs['token'],
        'random': outputs['random'],
    }


def visible_text(service, path):
    """Return all texts that users can read, except the outputs."""
    told = []
    stack = service.ask('GET', path).json()['stack']
    told.append({**stack, 'outputs': None})
    for part in ('/resources?nested_depth=3', '/events?nested_depth=3', '/environment'):
        told.append(service.ask('GET', path + part).json())
    for name in TEMPLATE['resources']:
        shown = service.ask('GET', f'{path}/resources/{name}').json()['resource']
        told.append({**shown, 'attributes': None})
        for each in service.ask('GET', f'{path}/resources/{name}/events').json()['events']:
            told.append(service.ask('GET', f'{path}/resources/{name}/events/{each["id"]}').json())
    return json.dumps(told)


def database_text(service):
    """Return the content of the database without decryption."""
    conf = cfg.ConfigOpts()
    conf.register_opts(session.OPTIONS, 'database')
    conf(['--config-file', str(service.folder / 'heat-lite.conf')], project='heat_lite')
    session.configure(conf)
    try:
        return databases.dump()
    finally:
        session.dispose()


def occurrences(secret, text):
    return [
        text[max(0, found.start() - 150) : found.end() + 50]
        for found in re.finditer(re.escape(secret), text)
    ]


def test_secrets_of_the_whole_service_do_not_leak(service):
    asked = {'stack_name': 'planted', 'template': TEMPLATE, 'disable_rollback': True}
    refused = service.ask('POST', '/stacks', {**asked, 'parameters': {'secret': HIDDEN * 3}})
    assert refused.status_code == 400
    quoting = {**TEMPLATE, 'resources': {**TEMPLATE['resources'], 'wrong': WRONG}}
    body = {**asked, 'template': quoting, 'parameters': {'secret': HIDDEN}}
    quoted = service.ask('POST', '/stacks', body)
    assert quoted.status_code == 400 and '******' in quoted.text
    assert not occurrences(HIDDEN, quoted.text)
    made = service.ask('POST', '/stacks', {**asked, 'parameters': {'secret': HIDDEN}}).json()[
        'stack'
    ]
    path = f'/stacks/planted/{made["id"]}'
    stack = until_at_rest(service, path)
    assert stack['stack_status'] == 'CREATE_FAILED' and 'broken' in stack['stack_status_reason'], (
        stack
    )
    planted = {'parameter': HIDDEN, 'config': TEXT, 'token': service.token(), 'metadata': PART}
    planted |= secrets_of({each['output_key']: each['output_value'] for each in stack['outputs']})
    trusts = service.keystone.trusts
    planted['trust'], planted['password of the service'] = (
        next(iter(trusts)),
        'the-key-of-this-test-32-letters-',
    )
    planted['key'] = next(iter(service.keystone.keys.values()))['secret']
    service.ask('POST', f'{path}/snapshots', {'name': 's'})
    until_at_rest(service, path)
    shown, stored = visible_text(service, path), database_text(service)
    logs = '\n'.join(file.read_text() for file in service.folder.glob('*.log'))
    for name, secret in planted.items():
        assert not occurrences(secret, logs), (name, 'logs')
        assert not occurrences(secret, stored), (name, 'database')
        assert not occurrences(secret, refused.text), (name, 'error')
        if name not in ('config', 'metadata', 'random'):  # these may be shown
            assert not occurrences(secret, shown), (name, 'told')
    service.ask('DELETE', path)
    until_at_rest(service, path)
    assert (
        not trusts
        and not service.keystone.people
        and not service.keystone.keys
        and not service.keystone.made
    )


def test_signatures_for_containers_are_not_logged(tmp_path):
    port = ports.reserve()
    resources = {'handle': {'type': 'OS::Heat::WaitConditionHandle'}}
    url_of = {'value': {'get_attr': ['handle', 'endpoint']}}
    template = {
        'heat_template_version': '2021-04-16',
        'resources': resources,
        'outputs': {'url': url_of},
    }
    arguments = ('--debug', '--container-port', port, '--public-url', f'http://127.0.0.1:{port}')
    with shapes.embedded(tmp_path, *arguments) as service:
        made = service.ask('POST', '/stacks', {'stack_name': 's', 'template': template}).json()
        stack = until_at_rest(service, f'/stacks/s/{made["stack"]["id"]}')
        url = stack['outputs'][0]['output_value']
        signature = url.partition('signature=')[2]
        assert requests.post(url, data='{}', timeout=60).status_code == 200
        assert requests.post(url, data='{', timeout=60).status_code == 400
        assert requests.put(f'{url}&x=1', data='[1]', timeout=60).status_code < 500
        for refused in (url.replace('/handle/', '/other/'), url.replace('/signal', '/signals')):
            assert requests.post(refused, data='{}', timeout=60).status_code == 403
        assert requests.get(url, timeout=60).status_code == 403
        path = url.partition(f':{port}')[2]
        for line in (f'POST {path} HTTP/9.9', f'POST {path} x HTTP/1.1', f'NONE {path} HTTP/1.1'):
            with socket.create_connection(('127.0.0.1', port), timeout=60) as client:
                client.sendall(f'{line}\r\nHost: x\r\nContent-Length: zero\r\n\r\n'.encode())
                assert client.recv(4096)
        log = service.logs()
    assert len(signature) == 64 and '/signal?signature=***' in log
    assert not occurrences(signature, ''.join(path.read_text() for path in tmp_path.glob('*.log')))
    databases_of_service = [path.read_bytes() for path in tmp_path.glob('data/heat.sqlite*')]
    assert databases_of_service and signature.encode() not in b''.join(databases_of_service)
