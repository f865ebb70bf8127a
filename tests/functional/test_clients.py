"""Clients against a running service: `openstack`, python-heatclient, openstacksdk, `heat-lite`."""

import json
import os
import shutil
import subprocess
import time
import uuid
from pathlib import Path

import openstack
import pytest
from heatclient import client as heatclient, exc
from keystoneauth1 import session
from keystoneauth1.identity import v3
from keystoneauth1.noauth import NoAuth

from heat_lite.common import installation
from tests.functional import shapes, templates
from tests.timeouts import WAIT_SECONDS, wait_until

HELLO = installation.data_path('etc', 'templates', 'hello.yaml')
CLIENT_SHAPES = ('embedded', 'keystone')
#: where Debian's package golang-github-gophercloud-gophercloud-dev has its sources
GO_PATH = Path('/usr/share/gocode')
#: the folder of the programs of a virtual environment with the package ansible, for its test: it
#: needs an openstacksdk that is older than that of these tests
ANSIBLE = 'HEAT_LITE_TEST_ANSIBLE'


@pytest.fixture
def name():
    return f'client-{uuid.uuid4().hex[:8]}'


def run(service, *arguments):
    """Run a command with the credentials of the service and return its output."""
    completed = subprocess.run(
        [shapes.BIN / arguments[0], *arguments[1:]],
        capture_output=True,
        text=True,
        env=service.environ(),
        timeout=120,
    )
    assert completed.returncode == 0, (
        f'{arguments}\n{completed.stdout}\n{completed.stderr}\n{service.logs()}'
    )
    return completed.stdout


def ask(service, *arguments):
    """Run an `openstack` command and return its JSON, without the lines that --wait prints."""
    lines = run(service, 'openstack', *arguments, '-f', 'json').splitlines()
    begin = next(number for number, line in enumerate(lines) if line[:1] in ('{', '['))
    return json.loads('\n'.join(lines[begin:]))


@shapes.of(*CLIENT_SHAPES)
def test_openstack_command_creates_shows_and_deletes_stack(service, name):
    created = ask(
        service, 'stack', 'create', '-t', str(HELLO), name, '--wait', '--parameter', 'who=you'
    )
    assert created['stack_status'] == 'CREATE_COMPLETE'
    assert name in {stack['Stack Name'] for stack in ask(service, 'stack', 'list')}
    assert ask(service, 'stack', 'show', name)['parameters']['who'] == 'you'
    assert ask(service, 'stack', 'output', 'show', name, 'greeting')['output_value'].startswith(
        'Hello you'
    )
    assert {
        found['resource_name'] for found in ask(service, 'stack', 'resource', 'list', name)
    } == {'secret', 'greeting'}
    events = ask(service, 'stack', 'event', 'list', name)
    assert [event['resource_status'] for event in events if event['resource_name'] == 'secret'] == [
        'CREATE_IN_PROGRESS',
        'CREATE_COMPLETE',
    ]
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
    """Poll ``get`` until the stack is no longer in progress; return the stack."""
    end = time.monotonic() + WAIT_SECONDS
    while (stack := get()).stack_status.endswith('IN_PROGRESS') and time.monotonic() < end:
        time.sleep(0.05)
    return stack


@shapes.of(*CLIENT_SHAPES)
def test_heatclient_creates_updates_and_deletes_stack(service, name):
    heat = heatclient.Client(
        '1', session=session.Session(authentication(service)), service_type='orchestration'
    )
    created = heat.stacks.create(
        stack_name=name, template=templates.CHAIN, parameters={'word': 'three'}
    )
    stack = settled(lambda: heat.stacks.get(created['stack']['id']))
    assert stack.stack_status == 'CREATE_COMPLETE'
    assert heat.stacks.output_show(stack.id, 'word')['output']['output_value'] == 'three'
    assert {found.resource_name for found in heat.resources.list(stack.id)} == {
        'first',
        'second',
        'third',
    }
    assert heat.stacks.template(stack.id)['heat_template_version'] == '2021-04-16'
    heat.stacks.update(stack.id, existing=True, parameters={'word': 'four'})
    assert settled(lambda: heat.stacks.get(stack.id)).stack_status == 'UPDATE_COMPLETE'
    heat.stacks.delete(stack.id)
    assert settled(lambda: heat.stacks.get(stack.id)).stack_status == 'DELETE_COMPLETE'
    with pytest.raises(exc.HTTPNotFound):
        heat.stacks.get(name)


@shapes.of(*CLIENT_SHAPES)
def test_openstacksdk_creates_finds_and_deletes_stack(service, name):
    with openstack.connection.Connection(
        session=session.Session(authentication(service)), region_name=None
    ) as cloud:
        created = cloud.orchestration.create_stack(
            name=name, template=templates.CHAIN, parameters={'word': 'five'}
        )
        stack = cloud.orchestration.wait_for_status(
            created, 'CREATE_COMPLETE', failures=['CREATE_FAILED'], interval=0.1, wait=WAIT_SECONDS
        )
        stack = cloud.orchestration.find_stack(name)
        values = {output['output_key']: output['output_value'] for output in stack.outputs}
        assert values['word'] == 'five'
        assert {found.name for found in cloud.orchestration.resources(stack)} == {
            'first',
            'second',
            'third',
        }
        cloud.orchestration.delete_stack(stack)
        cloud.orchestration.wait_for_delete(stack, interval=0.1, wait=WAIT_SECONDS)


def heat_lite(service, *arguments):
    return run(
        service,
        'heat-lite',
        'stack',
        *(() if service.auth_url else ('--endpoint', service.endpoint)),
        *arguments,
    )


@shapes.of(*CLIENT_SHAPES)
def test_heat_lite_command_creates_shows_and_deletes_stack(service, name):
    output = heat_lite(service, 'create', '-t', str(HELLO), '-P', 'who=me', name)
    assert 'Hello me' in output and 'CREATE_COMPLETE' in output
    assert name in heat_lite(service, 'list')
    assert 'Hello me' in heat_lite(service, 'show', name)
    assert 'OS::Heat::RandomString' in heat_lite(service, 'resources', name)
    assert json.loads(heat_lite(service, 'outputs', '--json', name))['greeting'].startswith(
        'Hello me'
    )
    assert 'CREATE_IN_PROGRESS' in heat_lite(service, 'events', name)
    assert 'DELETE_COMPLETE' in heat_lite(service, 'delete', '-y', name)
    assert name not in heat_lite(service, 'list')


@shapes.of('embedded')
def test_heat_lite_show_of_unknown_stack_prints_error(service, name):
    completed = subprocess.run(
        [shapes.BIN / 'heat-lite', 'stack', '--endpoint', service.endpoint, 'show', name],
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert completed.returncode == 1
    assert completed.stderr == f'heat-lite: The Stack ({name}) could not be found.\n'


def test_demo_creates_and_deletes_stack_without_files_left(tmp_path):
    completed = subprocess.run(
        [shapes.BIN / 'heat-lite', 'demo'],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    for expected in (
        'balancer',
        'CREATE_COMPLETE',
        'https://shop.example.org/',
        'DELETE_COMPLETE',
        'nothing is left behind',
    ):
        assert expected in completed.stdout
    assert list(tmp_path.iterdir()) == []


def test_demo_with_failing_template_prints_reason(tmp_path):
    wrong = tmp_path / 'wrong.yaml'
    wrong.write_text(templates.FAILING)
    completed = subprocess.run(
        [shapes.BIN / 'heat-lite', 'demo', '-t', wrong],
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert completed.returncode == 1
    assert 'Test Resource failed bad' in completed.stderr


@shapes.of('embedded')
def test_openstacksdk_without_login_creates_and_deletes_stack(service, name, tmp_path):
    template = tmp_path / 'template.json'
    template.write_text(json.dumps(templates.CHAIN))
    with openstack.connect(auth_type='none', auth={'endpoint': service.endpoint}) as cloud:
        created = cloud.create_stack(
            name, template_file=str(template), word='six', wait=True, timeout=WAIT_SECONDS
        )
        assert created.status == 'CREATE_COMPLETE'
        assert name in {stack.name for stack in cloud.orchestration.stacks()}
        assert cloud.delete_stack(name, wait=True)


@shapes.of('embedded')
def test_openstack_command_of_the_operator_works_without_login(service, name, tmp_path):
    run(service, 'openstack', 'stack', 'create', '-t', str(HELLO), name, '--wait')
    (listed,) = [
        one for one in ask(service, 'stack', 'list', '--long') if one['Stack Name'] == name
    ]
    assert listed['Project'] == service.project
    # a machine that is busy may delay a heartbeat
    wait_until(
        lambda: (
            {
                (one['Binary'], one['Status'])
                for one in ask(service, 'orchestration', 'service', 'list')
            }
            == {('heat-engine', 'up')}
        )
    )
    assert json.loads(run(service, 'openstack', 'stack', 'export', name))['name'] == name
    file = str(tmp_path / 'abandoned.json')
    run(service, 'openstack', 'stack', 'abandon', name, '--output-file', file)
    run(service, 'openstack', 'stack', 'adopt', '--adopt-file', file, name, '--wait')
    assert ask(service, 'stack', 'show', name)['stack_status'] == 'ADOPT_COMPLETE'
    run(service, 'openstack', 'stack', 'delete', name, '--yes', '--wait')


@shapes.of('embedded')
def test_gophercloud_makes_all_its_calls(service, tmp_path):
    go = shutil.which('go')
    if go is None or not (GO_PATH / 'src/github.com/gophercloud/gophercloud').is_dir():
        pytest.skip('go or the sources of gophercloud are not installed')
    source = Path(__file__).parent / 'gophercloud' / 'main.go'
    program = tmp_path / 'client'
    env = {**os.environ, 'GO111MODULE': 'off', 'GOPATH': str(GO_PATH), 'GOFLAGS': ''}
    built = subprocess.run(
        [go, 'build', '-o', program, source], capture_output=True, text=True, env=env, timeout=500
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run(
        [program, service.endpoint, HELLO], capture_output=True, text=True, timeout=400
    )
    failed = [line for line in done.stdout.splitlines() if line.startswith('FAILED')]
    assert (done.returncode, failed) == (0, []), done.stdout + done.stderr


PLAYBOOK = """
- hosts: localhost
  gather_facts: false
  module_defaults:
    group/openstack.cloud.openstack: &login
      auth_type: none
      auth: {{endpoint: "{endpoint}"}}
    openstack.cloud.stack: *login
    openstack.cloud.stack_info: *login
  tasks:
    - openstack.cloud.stack:
        {{name: "{name}", template: "{template}", parameters: {{who: you}}, wait: true}}
      register: made
    - assert: {{that: "made.stack.status == 'CREATE_COMPLETE'"}}
    - openstack.cloud.stack: {{name: "{name}", template: "{template}", tag: "a,b"}}
    - openstack.cloud.stack_info: {{name: "{name}"}}
      register: info
    - assert: {{that: "info.stacks[0].status == 'UPDATE_COMPLETE'"}}
    - openstack.cloud.stack: {{name: "{name}", state: absent}}
    - openstack.cloud.stack: {{name: "{name}", state: absent}}
      register: again
    - assert: {{that: 'not again.changed'}}
"""


@shapes.of('embedded')
def test_ansible_module_creates_updates_and_deletes_stack(service, name, tmp_path):
    if not os.environ.get(ANSIBLE):
        pytest.skip(f'{ANSIBLE} names no installation of ansible')
    programs = Path(os.environ[ANSIBLE])
    playbook = tmp_path / 'playbook.yaml'
    playbook.write_text(
        PLAYBOOK.format(endpoint=service.endpoint, name=name, template=HELLO.resolve())
    )
    words = [programs / 'ansible-playbook', '-i', 'localhost,', '-c', 'local', playbook]
    words += ['-e', f'ansible_python_interpreter={programs / "python"}']
    keep = {key: value for key, value in os.environ.items() if key != 'PYTHONPATH'}
    env = {**keep, 'LC_ALL': 'C.UTF-8', 'HOME': str(tmp_path)}
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=WAIT_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
