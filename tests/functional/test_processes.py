"""The programs as an operator runs them: start, signals, a death in between, the end."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from tests import brokers
from tests.functional.shapes import free_port
from tests.waiting import PATIENCE

BIN = Path(sys.executable).parent
TEMPLATE = {'heat_template_version': '2021-04-16', 'resources': {'value': {'type': 'OS::Heat::Value', 'properties': {'value': 7}}}}


def wait_until(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    assert found
    return found


def children(process):
    try:
        return [int(pid) for pid in Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text().split()]
    except FileNotFoundError:
        return []


def alive(pid):
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return False


def memory(pid):
    """The resident memory of a process, in MB."""
    return int(re.search(r'VmRSS:\s+(\d+) kB', Path(f'/proc/{pid}/status').read_text()).group(1)) / 1024


def answers(url):
    with contextlib.suppress(requests.RequestException):
        return requests.get(f'{url}/stacks', timeout=60).status_code == 200


@pytest.fixture
def run():
    with contextlib.ExitStack() as stack:

        def begin(log, *command):
            environ = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
            with open(log, 'wb') as stream:
                process = subprocess.Popen(
                    [str(word) for word in command], stdout=stream, stderr=stream, stdin=subprocess.DEVNULL, env=environ
                )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        yield begin


# --------------------------------------------------------------- embedded


@pytest.fixture
def up(run, tmp_path):
    """`heat-lite up` on a folder that stays the same; gives process and URL when it says that it is ready."""

    def begin(port=None):
        log = tmp_path / 'up.log'
        process = run(log, BIN / 'heat-lite', 'up', '--port', port or free_port(), '--data-dir', tmp_path / 'data')
        line = wait_until(lambda: re.search('^heat_lite is ready: (.*)$', log.read_text(), re.M) or process.poll() is not None)
        return process, line.group(1) if line is not True else log.read_text()

    return begin


def end(process, signum=signal.SIGTERM):
    process.send_signal(signum)
    return process.wait(PATIENCE)


def test_what_says_that_it_is_ready_answers_at_once(up):
    process, url = up()
    assert requests.get(f'{url}/stacks', timeout=60).json() == {'stacks': []}
    assert end(process) == 0


def test_stacks_survive_a_restart(up):
    process, url = up()
    assert requests.post(f'{url}/stacks', json={'stack_name': 'kept', 'template': TEMPLATE}, timeout=60).status_code == 201
    wait_until(lambda: requests.get(f'{url}/stacks', timeout=60).json()['stacks'][0]['stack_status'] == 'CREATE_COMPLETE')
    assert end(process) == 0
    process, url = up()
    assert [stack['stack_name'] for stack in requests.get(f'{url}/stacks', timeout=60).json()['stacks']] == ['kept']
    assert end(process, signal.SIGINT) == 0


def test_a_second_one_on_the_same_folder_is_refused(up):
    first, _ = up()
    second, text = up()
    assert second.wait(PATIENCE) == 1
    assert 'another heat_lite uses' in text
    assert end(first) == 0


def test_the_port_is_free_again_after_the_end(up):
    port = free_port()
    for _ in range(2):
        process, url = up(port)
        assert answers(url)
        assert end(process) == 0


def test_reading_the_configuration_again_does_not_disturb(up):
    process, url = up()
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert answers(url)
    assert end(process) == 0


# --------------------------------------------------------------- split


@pytest.fixture(scope='module')
def vhost():
    with brokers.virtual_host_or_skip() as url:
        yield url


@pytest.fixture(params=['threading', 'eventlet'])
def split(request, run, vhost, tmp_path):
    """Two engines and an API; gives (engine, api, url)."""
    port = free_port()
    file = tmp_path / 'heat-lite.conf'
    file.write_text(f"""
[DEFAULT]
transport_url = {vhost}
num_engine_workers = 2
rpc_response_timeout = 10
[database]
connection = sqlite:///{tmp_path}/heat.sqlite
[heat_api]
bind_host = 127.0.0.1
bind_port = {port}
workers = 2
[paste_deploy]
flavor = noauth
[heat_lite]
concurrency = {request.param}
worker_restart_delay = 0.1
graceful_shutdown_timeout = 5
""")
    subprocess.run([BIN / 'heat-lite-manage', '--config-file', file, 'db_sync'], check=True, capture_output=True)
    engine = run(tmp_path / 'engine.log', BIN / 'heat-lite-engine', '--config-file', file)
    api = run(tmp_path / 'api.log', BIN / 'heat-lite-api', '--config-file', file)
    url = f'http://127.0.0.1:{port}/v1/demo'
    wait_until(lambda: answers(url))
    yield engine, api, url
    for process in (api, engine):
        process.terminate()


def test_the_life_of_the_processes(split, tmp_path):
    engine, api, url = split
    before = wait_until(lambda: len(children(engine)) == 2 and children(engine))

    # a stack lives
    made = requests.post(f'{url}/stacks', json={'stack_name': 'one', 'template': TEMPLATE}, timeout=60)
    assert made.status_code == 201
    wait_until(lambda: requests.get(f'{url}/stacks', timeout=60).json()['stacks'][0]['stack_status'] == 'CREATE_COMPLETE')

    # a death is made good, and nobody sees it
    os.kill(before[0], signal.SIGKILL)
    after = wait_until(lambda: len(children(engine)) == 2 and before[0] not in children(engine) and children(engine))
    assert before[1] in after and after != before
    os.kill(children(api)[0], signal.SIGKILL)
    assert all(wait_until(lambda: answers(url)) for _ in range(5))
    wait_until(lambda: len(children(api)) == 2)

    # those that were started later do all that the first ones did; each is the program from its beginning, so it takes as long
    for pid in {before[1], *children(api)}:
        os.kill(pid, signal.SIGKILL)
    after = wait_until(lambda: len(children(engine)) == 2 and before[1] not in children(engine) and children(engine))
    assert all(wait_until(lambda: answers(url), 90) for _ in range(5))
    wait_until(lambda: (tmp_path / 'engine.log').read_text().count('is ready') >= 4, 90)
    assert 'ended with status -9' in (tmp_path / 'engine.log').read_text()

    # who watches over them keeps nothing of what they were made from
    assert all(memory(process.pid) < 16 for process in (engine, api))

    # the configuration is read again by the same processes
    engine.send_signal(signal.SIGHUP)
    api.send_signal(signal.SIGHUP)
    wait_until(lambda: 'Reading the configuration again' in (tmp_path / 'engine.log').read_text())
    assert answers(url)
    assert children(engine) == after

    # the end is orderly, and leaves nothing
    offspring = children(engine) + children(api)
    for process in (api, engine):
        process.terminate()
    assert [process.wait(PATIENCE) for process in (api, engine)] == [0, 0]
    assert not any(alive(pid) for pid in offspring)
    assert 'Traceback' not in (tmp_path / 'engine.log').read_text() + (tmp_path / 'api.log').read_text()


def test_what_is_wrong_in_a_file_now_ends_no_worker_that_runs(run, tmp_path):
    log, file, port = tmp_path / 'api.log', tmp_path / 'x.conf', free_port()
    text = f"""
[DEFAULT]
transport_url = local://
[heat_api]
bind_host = 127.0.0.1
bind_port = {port}
workers = 2
[paste_deploy]
flavor = noauth
[heat_lite]
worker_restart_delay = 0.1
"""
    file.write_text(text)
    process = run(log, BIN / 'heat-lite-api', '--config-file', file)
    first, second = wait_until(lambda: len(children(process)) == 2 and children(process))
    file.write_text(text.replace('workers = 2', 'workers = many'))
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: 'number 0, ended with status 1;' in log.read_text(), 120)
    assert alive(second)
    file.write_text(text)
    wait_until(lambda: 'Number 0: the process before ended with status 1' in log.read_text(), 120)
    assert second in children(process)
    process.terminate()
    assert process.wait(20) == 0


# --------------------------------------------------------------- what cannot start


def test_an_api_whose_port_is_taken_says_so(run, tmp_path):
    log = tmp_path / 'api.log'
    file = tmp_path / 'x.conf'
    port = free_port()
    file.write_text(f'[heat_api]\nbind_host = 127.0.0.1\nbind_port = {port}\n[paste_deploy]\nflavor = noauth\n')
    with contextlib.closing(socket.create_server(('127.0.0.1', port))):
        process = run(log, BIN / 'heat-lite-api', '--config-file', file)
        assert process.wait(PATIENCE) == 1
    assert f'cannot listen on 127.0.0.1:{port}' in log.read_text()


def test_the_door_for_signed_urls_serves_and_says_when_it_cannot(run, tmp_path):
    log, file, port = tmp_path / 'cfn.log', tmp_path / 'x.conf', free_port()
    text = f'[heat_api_cfn]\nbind_host = 127.0.0.1\nbind_port = {port}\nworkers = 1\n[DEFAULT]\ntransport_url = local://\n'
    file.write_text(text)
    with contextlib.closing(socket.create_server(('127.0.0.1', port))):
        assert run(log, sys.executable, '-m', 'heat_lite.cmd.api_cfn', '--config-file', file).wait(PATIENCE) == 1
    assert f'heat-lite-api-cfn: cannot listen on 127.0.0.1:{port}' in log.read_text()
    process = run(log, sys.executable, '-m', 'heat_lite.cmd.api_cfn', '--config-file', file)
    until = time.monotonic() + PATIENCE
    while (answer := unsigned(port)) is None:
        assert time.monotonic() < until and process.poll() is None, log.read_text()
        time.sleep(0.1)
    assert answer.status_code == 400 and '<Code>IncompleteSignature</Code>' in answer.text
    process.terminate()
    assert process.wait(PATIENCE) == 0


def unsigned(port):
    with contextlib.suppress(requests.ConnectionError):
        return requests.put(f'http://127.0.0.1:{port}/v1/waitcondition/x', timeout=60)
