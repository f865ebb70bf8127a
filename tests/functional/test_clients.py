"""The stock clients: the `openstack` command, python-heatclient, openstacksdk, and our own `heat-lite`."""

import json
import subprocess
import time
import uuid

import openstack
import pytest
from heatclient import client as heatclient
from heatclient import exc
from keystoneauth1 import session
from keystoneauth1.identity import v3
from keystoneauth1.noauth import NoAuth

from heat_lite.common import paths
from tests.functional import shapes, templates
from tests.waiting import PATIENCE

HELLO = paths.data('etc', 'templates', 'hello.yaml')
CLIENT_SHAPES = ('embedded', 'keystone')


@pytest.fixture
def name():
    return f'client-{uuid.uuid4().hex[:8]}'


def run(service, *words):
    """A command as a person types it; what it printed."""
    done = subprocess.run([shapes.BIN / words[0], *words[1:]], capture_output=True, text=True, env=service.environ(), timeout=120)
    assert done.returncode == 0, f'{words}\n{done.stdout}\n{done.stderr}\n{service.logs()}'
    return done.stdout


def ask(service, *words):
    """What an `openstack` command answers; the lines that --wait prints before it are left out."""
    lines = run(service, 'openstack', *words, '-f', 'json').splitlines()
    begin = next(number for number, line in enumerate(lines) if line[:1] in ('{', '['))
    return json.loads('\n'.join(lines[begin:]))


@shapes.of(*CLIENT_SHAPES)
def test_openstack_command(service, name):
    made = ask(service, 'stack', 'create', '-t', str(HELLO), name, '--wait', '--parameter', 'who=you')
    assert made['stack_status'] == 'CREATE_COMPLETE'
    assert name in {stack['Stack Name'] for stack in ask(service, 'stack', 'list')}
    assert ask(service, 'stack', 'show', name)['parameters']['who'] == 'you'
    assert ask(service, 'stack', 'output', 'show', name, 'greeting')['output_value'].startswith('Hello you')
    assert {found['resource_name'] for found in ask(service, 'stack', 'resource', 'list', name)} == {'secret', 'greeting'}
    told = ask(service, 'stack', 'event', 'list', name)
    assert [event['resource_status'] for event in told if event['resource_name'] == 'secret'] == ['CREATE_IN_PROGRESS', 'CREATE_COMPLETE']
    run(service, 'openstack', 'stack', 'delete', name, '--yes', '--wait')
    assert name not in {stack['Stack Name'] for stack in ask(service, 'stack', 'list')}


def authentication(service):
    if not service.auth_url:
        return NoAuth(endpoint=service.endpoint)
    return v3.Password(
        auth_url=service.auth_url,
        username='demo',
        password='secret',
        project_name='demo',
        user_domain_name='Default',
        project_domain_name='Default',
    )


def settled(get):
    """Ask again until the stack is done."""
    end = time.monotonic() + PATIENCE
    while (stack := get()).stack_status.endswith('IN_PROGRESS') and time.monotonic() < end:
        time.sleep(0.05)
    return stack


@shapes.of(*CLIENT_SHAPES)
def test_heatclient(service, name):
    heat = heatclient.Client('1', session=session.Session(authentication(service)), service_type='orchestration')
    made = heat.stacks.create(stack_name=name, template=templates.CHAIN, parameters={'word': 'three'})
    stack = settled(lambda: heat.stacks.get(made['stack']['id']))
    assert stack.stack_status == 'CREATE_COMPLETE'
    assert heat.stacks.output_show(stack.id, 'word')['output']['output_value'] == 'three'
    assert {found.resource_name for found in heat.resources.list(stack.id)} == {'first', 'second', 'third'}
    assert heat.stacks.template(stack.id)['heat_template_version'] == '2021-04-16'
    heat.stacks.update(stack.id, existing=True, parameters={'word': 'four'})
    assert settled(lambda: heat.stacks.get(stack.id)).stack_status == 'UPDATE_COMPLETE'
    heat.stacks.delete(stack.id)
    assert settled(lambda: heat.stacks.get(stack.id)).stack_status == 'DELETE_COMPLETE'
    with pytest.raises(exc.HTTPNotFound):
        heat.stacks.get(name)


@shapes.of(*CLIENT_SHAPES)
def test_openstacksdk(service, name):
    with openstack.connection.Connection(session=session.Session(authentication(service)), region_name=None) as cloud:
        made = cloud.orchestration.create_stack(name=name, template=templates.CHAIN, parameters={'word': 'five'})
        stack = cloud.orchestration.wait_for_status(made, 'CREATE_COMPLETE', failures=['CREATE_FAILED'], interval=0.1, wait=30)
        stack = cloud.orchestration.find_stack(name)
        values = {output['output_key']: output['output_value'] for output in stack.outputs}
        assert values['word'] == 'five'
        assert {found.name for found in cloud.orchestration.resources(stack)} == {'first', 'second', 'third'}
        cloud.orchestration.delete_stack(stack)
        cloud.orchestration.wait_for_delete(stack, interval=0.1, wait=30)


def heat_lite(service, *words):
    return run(service, 'heat-lite', 'stack', *(() if service.auth_url else ('--endpoint', service.endpoint)), *words)


@shapes.of(*CLIENT_SHAPES)
def test_heat_lite_command(service, name):
    made = heat_lite(service, 'create', '-t', str(HELLO), '-P', 'who=me', name)
    assert 'Hello me' in made and 'CREATE_COMPLETE' in made
    assert name in heat_lite(service, 'list')
    assert 'Hello me' in heat_lite(service, 'show', name)
    assert 'OS::Heat::RandomString' in heat_lite(service, 'resources', name)
    assert json.loads(heat_lite(service, 'outputs', '--json', name))['greeting'].startswith('Hello me')
    assert 'CREATE_IN_PROGRESS' in heat_lite(service, 'events', name)
    assert 'DELETE_COMPLETE' in heat_lite(service, 'delete', name)
    assert name not in heat_lite(service, 'list')


@shapes.of('embedded')
def test_heat_lite_says_what_is_wrong(service, name):
    done = subprocess.run(
        [shapes.BIN / 'heat-lite', 'stack', '--endpoint', service.endpoint, 'show', name], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 1
    assert done.stderr == f'heat-lite: The Stack ({name}) could not be found.\n'


def test_demo(tmp_path):
    done = subprocess.run([shapes.BIN / 'heat-lite', 'demo'], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    for told in ('balancer', 'CREATE_COMPLETE', 'https://shop.example.org/', 'DELETE_COMPLETE', 'nothing is left behind'):
        assert told in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_demo_that_cannot_work_says_why(tmp_path):
    wrong = tmp_path / 'wrong.yaml'
    wrong.write_text(templates.FAILING)
    done = subprocess.run([shapes.BIN / 'heat-lite', 'demo', '-t', wrong], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert 'Test Resource failed bad' in done.stderr
