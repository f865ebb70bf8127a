"""Three nodes of RabbitMQ with quorum queues: one of them goes, and stacks are created meanwhile.

The cluster takes most of a minute, so the test runs with HEAT_LITE_CLUSTERS=1 only, as root.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import requests

from tests import ports
from tests.timeouts import WAIT_SECONDS

BIN = Path(sys.executable).parent
SERVER = '/usr/lib/rabbitmq/bin/rabbitmq-server'
#: seconds that a create may take while a node is gone
PATIENCE = 60
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {'word': {'type': 'OS::Heat::RandomString'}},
}

pytestmark = pytest.mark.skipif(
    os.environ.get('HEAT_LITE_CLUSTERS') != '1' or not Path(SERVER).exists(),
    reason='HEAT_LITE_CLUSTERS=1 and rabbitmq-server are needed',
)


class Node:
    """A node of the cluster with a folder, a port and a name of its own."""

    def __init__(self, folder, number):
        self.port = ports.reserve()
        self.name = f'heat_lite_{os.getpid()}_{number}@{socket.gethostname().partition(".")[0]}'
        folder = folder / str(number)
        folder.mkdir()
        self.log = folder / 'output'
        config = folder / 'rabbitmq.conf'
        config.write_text(f'listeners.tcp.default = 127.0.0.1:{self.port}\n')
        (folder / 'plugins').write_text('[].')
        shutil.chown(folder, 'rabbitmq')
        self.environ = {
            **os.environ,
            'HOME': '/var/lib/rabbitmq',  # it has the cookie of the machine
            'RABBITMQ_NODENAME': self.name,
            'RABBITMQ_DIST_PORT': str(ports.reserve()),
            'RABBITMQ_MNESIA_BASE': str(folder / 'data'),
            'RABBITMQ_LOG_BASE': str(folder / 'log'),
            'RABBITMQ_CONFIG_FILE': str(config),
            'RABBITMQ_ENABLED_PLUGINS_FILE': str(folder / 'plugins'),
        }

    def start(self):
        user = ['setpriv', '--reuid', 'rabbitmq', '--regid', 'rabbitmq', '--clear-groups']
        with open(self.log, 'wb') as log:
            subprocess.Popen([*user, SERVER], env=self.environ, stdout=log, stderr=log)

    def wait(self):
        """Wait until the node has started; before it listens, the command fails at once."""
        end = time.monotonic() + WAIT_SECONDS
        while self.control('await_startup', '--timeout', '60', check=False).returncode:
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(1)

    def control(self, *words, check=True):
        command = ['rabbitmqctl', '-q', '-n', self.name, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done


@pytest.fixture
def nodes():
    """Three nodes that are one cluster."""
    with tempfile.TemporaryDirectory(prefix='heat_lite_test_') as folder:
        Path(folder).chmod(0o755)  # the nodes run as another user
        found = [Node(Path(folder), number) for number in range(3)]
        try:
            for node in found:
                node.start()
            for node in found:
                node.wait()
            for node in found[1:]:
                node.control('stop_app')
                node.control('join_cluster', found[0].name)
                node.control('start_app')
            yield found
        finally:
            for node in found:
                node.control('stop', check=False)


@pytest.fixture
def service(nodes, tmp_path):
    """The URL of an API with two engines, whose queues are quorum queues."""
    port = ports.reserve()
    hosts = ','.join(f'guest:guest@127.0.0.1:{node.port}' for node in nodes)
    file = tmp_path / 'heat-lite.conf'
    file.write_text(f"""
[DEFAULT]
auth_encryption_key = a key of these tests, 32 letters
transport_url = rabbit://{hosts}/
num_engine_workers = 2
[database]
connection = sqlite:///{tmp_path}/heat.sqlite
[heat_api]
bind_host = 127.0.0.1
bind_port = {port}
workers = 1
[paste_deploy]
flavor = noauth
[oslo_messaging_rabbit]
rabbit_quorum_queue = true
rabbit_transient_quorum_queue = true
""")
    options = ['--config-file', file]
    subprocess.run([BIN / 'heat-lite-manage', *options, 'db_sync'], check=True, capture_output=True)
    with open(tmp_path / 'service.log', 'wb') as log:
        started = [
            subprocess.Popen([BIN / program, *options], stdout=log, stderr=log)
            for program in ('heat-lite-engine', 'heat-lite-api')
        ]
    yield f'http://127.0.0.1:{port}/v1/demo/stacks'
    for process in started:
        process.terminate()
    for process in started:
        process.wait(WAIT_SECONDS)


def create(url, name, seconds):
    """Create a stack and wait for it; requests are repeated, as clients do."""
    end = time.monotonic() + seconds
    body = {'stack_name': name, 'template': TEMPLATE}
    while time.monotonic() < end:
        try:
            requests.post(url, json=body, timeout=20)
            found = requests.get(f'{url}/{name}', timeout=20)
        except requests.RequestException:
            continue
        if found.ok and found.json()['stack']['stack_status'] == 'CREATE_COMPLETE':
            return
        time.sleep(0.2)
    pytest.fail(f'the stack {name} is not complete after {seconds} s')


def test_service_goes_on_without_a_node_of_the_broker(nodes, service):
    create(service, 'before', WAIT_SECONDS)
    kinds = nodes[0].control('list_queues', 'type').stdout.split()[1:]
    assert kinds and set(kinds) == {'quorum'}
    for number, node in enumerate(nodes):
        node.control('stop_app')
        create(service, f'without{number}', PATIENCE)
        node.control('start_app')
        create(service, f'again{number}', PATIENCE)
