"""Software deployments that an agent applies in a container of a real container engine."""

import contextlib
import pathlib
import socketserver
import threading
import time
import urllib.request
import wsgiref.simple_server

import pytest
import yaml
from keystoneclient.contrib.ec2 import utils

from heat_lite.api import deploy
from heat_lite.common import container_labels
from heat_lite.server import container_port
from tests import databases, engines, identity, podman, ports, stack_domain
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

ROOT = pathlib.Path(__file__).resolve().parents[2]
AGENT = ROOT / 'deploy/agent'
GALLERY = ROOT / 'docs/guide/gallery/containers/deployment.yaml'
pytestmark = pytest.mark.xdist_group('containers')
SCRIPT = """#!/bin/sh
echo "$deploy_action $greeting" >> /data/applied
cat /data/applied
echo "$greeting" > $heat_outputs_path.said
[ $deploy_action = DELETE ] || exit $code
"""


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with podman.running(tmp_path_factory.mktemp('podman')) as service:
        yield service


@pytest.fixture(scope='module')
def service(tmp_path_factory, engine):
    """The embedded service with a port for containers."""
    folder = tmp_path_factory.mktemp('embedded')
    conf = folder / 'heat-lite.conf'
    conf.write_text(f'[clients_docker]\nurl = {engine.url}\n')
    arguments = ('--config-file', conf, '--container-port', ports.reserve())
    with shapes.embedded(folder, *arguments) as started:
        yield started


class Stack:
    """A stack with a container that applies deployments."""

    def __init__(self, service, engine):
        self._service, self._engine = service, engine
        self.name = f'agent-{time.time_ns()}'

    def apply(self, method='POST', state='COMPLETE', template=None, **values):
        """Create or update the stack; ``values`` are those of ``deployed``."""
        body = {'stack_name': self.name, 'template': template or deployed(**values)}
        path = '/stacks'
        if method == 'PUT':
            path = f'/stacks/{self.name}/{self._show()["id"]}'
            del body['stack_name']
        answer = self._service.ask(method, path, {'disable_rollback': True, **body})
        assert answer.status_code in (201, 202), answer.text
        found = self.wait()
        assert found['stack_status'].endswith(f'_{state}'), found['stack_status_reason']
        return {each['output_key']: each['output_value'] for each in found['outputs']}

    def _show(self):
        answer = self._service.ask('GET', f'/stacks/{self.name}', allow_redirects=True)
        return answer.json().get('stack')

    def wait(self):
        until = time.monotonic() + WAIT_SECONDS
        while (found := self._show()) and found['stack_status'].endswith('IN_PROGRESS'):
            assert time.monotonic() < until, self._service.logs()
            time.sleep(0.1)
        return found

    def delete(self):
        """Delete the stack, of which nothing may be left."""
        found = self._show()
        self._service.ask('DELETE', f'/stacks/{self.name}/{found["id"]}')
        ended = self.wait()
        is_gone = ended is None or ended['stack_status'] == 'DELETE_COMPLETE'
        assert is_gone, ended['stack_status_reason']
        assert self._engine.objects(found['id']) == []


def deployed(color='red', **values):
    context = {
        'Dockerfile': (AGENT / 'Containerfile').read_text(),
        'heat-lite-agent': (AGENT / 'heat-lite-agent').read_text(),
    }
    image = {'context': context, 'build_args': {'BASE': podman.IMAGE}}
    box = {
        'image': {'get_resource': 'image'},
        'software_deployments': True,
        'environment': {'HEAT_LITE_POLL_SECONDS': '0.2', 'COLOR': color},
        'volumes': [{'volume': {'get_resource': 'data'}, 'path': '/data'}],
        'stop_grace_period': 2,
    }
    config = {
        'group': 'script',
        'config': SCRIPT,
        'inputs': [{'name': 'greeting'}, {'name': 'code', 'default': 0}],
        'outputs': [{'name': 'said'}],
    }
    deployment = {
        'server': {'get_resource': 'box'},
        'config': {'get_resource': 'script'},
        'actions': ['CREATE', 'UPDATE', 'DELETE'],
        'input_values': values,
    }
    names = ('said', 'deploy_stdout', 'deploy_status_code')
    return {
        'heat_template_version': '2021-04-16',
        'resources': {
            'data': {'type': 'HeatLite::Container::Volume'},
            'image': {'type': 'HeatLite::Container::Image', 'properties': image},
            'box': {'type': 'HeatLite::Container::Container', 'properties': box},
            'script': {'type': 'OS::Heat::SoftwareConfig', 'properties': config},
            'deployed': {'type': 'OS::Heat::SoftwareDeployment', 'properties': deployment},
        },
        'outputs': {name: {'value': {'get_attr': ['deployed', name]}} for name in names},
    }


@pytest.fixture
def stack(service, engine):
    made = Stack(service, engine)
    yield made
    if made._show():
        made.delete()


def test_deployment_is_applied_again_with_other_inputs(stack):
    found = stack.apply(greeting='good "morning"')
    assert found == {
        'said': 'good "morning"\n',
        'deploy_stdout': 'CREATE good "morning"\n',
        'deploy_status_code': 0,
    }
    found = stack.apply('PUT', greeting='good night')
    assert found['said'] == 'good night\n'
    assert found['deploy_stdout'].endswith('UPDATE good night\n')


def test_failed_script_fails_the_deployment_until_it_is_mended(stack):
    stack.apply(state='FAILED', greeting='x', code=7)
    assert (
        'deploy_status_code : Deployment exited with non-zero status code: 7'
        in (stack.wait()['stack_status_reason'])
    )
    assert stack.apply('PUT', greeting='y')['deploy_status_code'] == 0


def test_replaced_container_gets_its_deployment_and_the_old_one_its_delete(stack):
    stack.apply(greeting='x')
    found = stack.apply('PUT', color='green', greeting='x')
    # The volume is that of both containers: the new one applies the deployment first.
    assert found['deploy_stdout'] == 'CREATE x\nCREATE x\n'
    found = stack.apply('PUT', color='green', greeting='y')
    assert found['deploy_stdout'] == 'CREATE x\nCREATE x\nDELETE x\nUPDATE y\n'


def test_page_of_the_gallery_changes_while_its_container_goes_on(stack, engine):
    def gallery(greeting):
        built = deployed()['resources']['image']
        made = {**yaml.safe_load(GALLERY.read_text()), 'heat_template_version': '2021-04-16'}
        made['parameters']['greeting']['default'] = greeting
        made['resources']['agent'] = built
        box = made['resources']['web']['properties']
        box.update(image={'get_resource': 'agent'}, environment={'HEAT_LITE_POLL_SECONDS': '0.2'})
        return made

    def page(found):
        url = f'http://127.0.0.1:{found["port"]}/'
        with urllib.request.urlopen(url, timeout=WAIT_SECONDS) as answer:
            return answer.read()

    found = stack.apply(template=gallery('Good morning'))
    assert (page(found), found['size']) == (b'Good morning\n', '13\n')
    again = stack.apply('PUT', template=gallery('Good night'))
    assert (page(again), again['size'], again['port']) == (b'Good night\n', '11\n', found['port'])


def test_stack_with_a_stopped_container_is_deleted(stack, engine):
    stack.apply(greeting='x')
    (box,) = engine.client().containers(
        filters={'label': [f'{container_labels.STACK_NAME}={stack.name}']}
    )
    engine.client().kill(box['Id'])
    stack.delete()


# ---------------------------------------------------------------- with stack users in Keystone

CONFIGURATION = f"""
[DEFAULT]
stack_user_domain_name = {stack_domain.DOMAIN['name']}
stack_domain_admin = {stack_domain.ADMIN}
stack_domain_admin_password = {stack_domain.PASSWORD}
heat_waitcondition_server_url = {{cfn}}/v1/waitcondition
[clients_docker]
url = {{docker}}
[clients_keystone]
auth_uri = {{keystone}}
[keystone_authtoken]{identity.LOGIN.replace('{url}', '{keystone}')}
www_authenticate_uri = {{keystone}}
[ec2authtoken]{identity.LOGIN.replace('{url}', '{keystone}')}
"""


class Keystone(stack_domain.Identity):
    """A Keystone that validates signatures with the keys of stack users."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *stack_domain.Identity.ROUTES)

    def check(self, environ, body):
        given = body['ec2Credentials']
        (key,) = [each for each in self.keys.values() if each['access'] == given['access']]
        if given['signature'] != utils.Ec2Signer(key['secret']).generate({**given}):
            raise identity.Refused(401, 'EC2 signature is invalid.')
        user = self.people[key['user_id']]
        token = {
            'user': {'id': user['id'], 'name': user['name'], 'domain': stack_domain.DOMAIN},
            'project': {'id': key['project_id'], 'name': 'x', 'domain': stack_domain.DOMAIN},
            'roles': [stack_domain.ROLE],
        }
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


@contextlib.contextmanager
def serve(app, port):
    """Serve an application at all addresses, as containers reach it."""
    server = wsgiref.simple_server.make_server(
        container_port.ALL_ADDRESSES, port, app, Server, wsgiref.simple_server.WSGIRequestHandler
    )
    thread = threading.Thread(target=server.serve_forever, args=[0.05])
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_agent_reads_and_signals_with_the_key_of_a_stack_user(engine, tmp_path):
    port, conf = ports.reserve(), tmp_path / 'heat-lite.conf'
    services = {'orchestration': 'http://here:8004/v1/%(project_id)s'}
    keystone = Keystone(
        services, {'heat': {'password': 'secret', 'project': 'service', 'roles': ['service']}}
    )
    with contextlib.ExitStack() as parts:
        parts.enter_context(identity.serve(keystone))
        cfn = f'http://{container_port.host_address()}:{port}'
        url = keystone.url.removesuffix('/v3')
        conf.write_text(CONFIGURATION.format(cfn=cfn, docker=engine.url, keystone=url))
        database = parts.enter_context(databases.migrated('sqlite', tmp_path))
        driver = parts.enter_context(engines.running(database, files=[conf]))
        driver.context.roles = ['admin', 'member']
        parts.enter_context(serve(deploy.load_app(driver.service._conf, 'heat-api-cfn'), port))
        made = driver.create(deployed(greeting='x'), name=f'agent-{time.time_ns()}')
        assert driver.state(made) == 'CREATE_COMPLETE', driver.stack(made)['stack_status_reason']
        assert driver.outputs(made)['said'] == 'x\n'
        assert len(keystone.people) == 2  # of the container and of the deployment
        driver.delete(made)
        assert driver.state(made) == 'DELETE_COMPLETE', driver.stack(made)['stack_status_reason']
        assert not keystone.people and not keystone.keys
        assert engine.objects(made['stack_id']) == []
