"""The agent of software deployments in containers, with the shells and the awks of this machine."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer  # the attribute can be green

import pytest

from tests import servers
from tests.timeouts import WAIT_SECONDS, wait_until

AGENT = pathlib.Path(__file__).resolve().parents[2] / 'deploy/agent/heat-lite-agent'
AWKS = [each for each in ('mawk', 'gawk', 'busybox') if shutil.which(each)]
TRICKY = 'a"b\\c\'d\n\ttab $HOME `x` ü 𝄞 \\u0041 {[,:]} \\'


class Service(ThreadingHTTPServer):
    """A service with deployments for an agent: ``configs``, and the results that it sends."""

    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self.server_port}'
        self.configs, self.received, self.is_broken = [], {}, False

    def deploy(self, name, script='true', outputs=(), group='script', **inputs):
        """Add a deployment to what the agent reads."""
        number = len(self.configs)
        values = {**inputs, 'deploy_signal_id': f'{self.url}/{name}', 'deploy_signal_verb': 'POST'}
        self.configs.append(
            {
                'id': f'id-{number}',
                'creation_time': '2026-01-01T00:00:00',
                'name': name,
                'group': group,
                'config': script,
                'inputs': [
                    {'name': key, 'value': each, 'type': 'String', 'description': 'some "text"'}
                    for key, each in values.items()
                ],
                'outputs': [{'name': each, 'type': 'String'} for each in outputs],
                'options': {'a': [1, {}]},
            }
        )

    def result(self, name):
        """Return the first result of a deployment."""
        wait_until(lambda: self.received.get(name))
        return self.received[name][0]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self._answer(json.dumps({'metadata': self.server.configs}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        if not self.server.is_broken:
            self.server.received.setdefault(self.path[1:], []).append(json.loads(body))
        self._answer(b'{}')

    def _answer(self, body):
        self.send_response(503 if self.server.is_broken else 200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def service():
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.05])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(params=AWKS)
def tools(request, tmp_path):
    """The path of a folder whose awk is one of those of this machine."""
    folder = tmp_path / 'bin'
    folder.mkdir()
    (folder / 'awk').symlink_to(shutil.which(request.param))
    return folder


@pytest.fixture
def start(service, tools, tmp_path):
    """A function that starts an agent, which ends with the test."""
    servers.find('curl', 'wget')
    started = []

    def start(*command):
        environment = {
            'PATH': f'{tools}:{os.environ["PATH"]}',
            'HEAT_LITE_DEPLOYMENTS_URL': f'{service.url}/deployments?signature=secret',
            'HEAT_LITE_POLL_SECONDS': '0.1',
            'HEAT_LITE_AGENT_DIR': str(tmp_path / 'state'),
        }
        started.append(
            subprocess.Popen(
                ['sh', AGENT, *command],
                env=environment,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        )
        return started[-1]

    yield start
    for each in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(each.pid, signal.SIGKILL)  # beside a command, the agent outlives it here
        each.communicate(timeout=WAIT_SECONDS)


def test_inputs_and_outputs_pass_unchanged(service, start):
    script = (
        '#!/bin/sh\nprintf %s "$tricky"; printf "%s" "$tricky" > $heat_outputs_path.copy\n'
        'echo "$map|$list|$number|$flag|$none" >&2; exit 3'
    )
    service.deploy(
        'one',
        script,
        ['copy', 'absent'],
        tricky=TRICKY,
        map={'a': ['b "c"', None, {}]},
        list=[],
        number=1.5,
        flag=True,
        none=None,
    )
    start()
    found = service.result('one')
    assert found == {
        'deploy_status_code': 3,
        'deploy_stdout': TRICKY,
        'deploy_stderr': '{"a":["b "c"",null,{}]}|[]|1.5|true|\n'.replace('"b "c""', '"b \\"c\\""'),
        'copy': TRICKY,
    }


def test_deployments_are_applied_once_and_in_their_order(service, start, tmp_path):
    write = f'echo $0 $deploy >> {tmp_path}/order'
    service.deploy('one', write, deploy='1')
    service.deploy('two', write, deploy='2')
    agent = start()
    assert service.result('two')['deploy_status_code'] == 0
    agent.terminate()
    agent.communicate(timeout=WAIT_SECONDS)
    service.deploy('three', write, deploy='3')
    start()
    service.result('three')
    lines = (tmp_path / 'order').read_text().splitlines()
    assert [each[-1] for each in lines] == ['1', '2', '3']


def test_result_is_sent_when_the_service_answers_again(service, start, tmp_path):
    service.deploy(
        'one', f'echo x >> {tmp_path}/runs; until [ -e {tmp_path}/go ]; do sleep 0.1; done'
    )
    agent = start()
    wait_until((tmp_path / 'runs').exists)
    service.is_broken = True
    (tmp_path / 'go').touch()
    log = ''
    while 'cannot be' not in log:
        log += agent.stderr.readline()
    assert 'secret' not in log
    service.is_broken = False
    assert service.result('one')['deploy_status_code'] == 0
    assert (tmp_path / 'runs').read_text() == 'x\n'


def test_output_that_is_no_text_is_reported(service, start):
    service.deploy('one', "printf 'a\\000\\001\\377\\303\\050\\355\\240\\200z'")
    start()
    assert service.result('one')['deploy_stdout'] == 'a\x01\ufffd\ufffd(\ufffd\ufffd\ufffdz'


def test_end_of_long_output_is_reported(service, start):
    service.deploy('one', 'i=0; while [ $i -lt 20000 ]; do echo "line \\"$i"; i=$((i+1)); done')
    start()
    found = service.result('one')['deploy_stdout']
    assert len(found) == 65536 and found.endswith('line "19999\n')


def test_other_group_fails_with_a_reason(service, start):
    service.deploy('one', {'a': 1}, group='puppet')
    start()
    found = service.result('one')
    assert found['deploy_status_code'] == 1 and '"puppet"' in found['deploy_stderr']


def test_agent_runs_beside_a_command(service, start, tmp_path):
    service.deploy('one')
    process = start('sh', '-c', f'echo $$ > {tmp_path}/pid; exec sleep 60')
    service.result('one')
    assert int((tmp_path / 'pid').read_text()) == process.pid


def test_answer_that_is_cut_is_not_applied(tools):
    whole = json.dumps({'metadata': [{'id': 'x', 'group': 'script', 'config': 'true'}]})
    text = AGENT.read_text()
    functions = text[: text.index('\nif [ -z')]
    for length in range(len(whole)):
        made = subprocess.run(
            ['sh', '-c', f'{functions}\nplan'],
            input=whole[:length],
            env={'PATH': f'{tools}:{os.environ["PATH"]}'},
            text=True,
            capture_output=True,
        )
        assert (made.returncode, made.stdout) == (1, ''), whole[:length]
