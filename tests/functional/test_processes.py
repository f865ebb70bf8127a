"""The service's commands as an operator runs them: start, signals, crashes and shutdown."""

import contextlib
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from sqlalchemy.engine import make_url

from tests import black_hole, brokers, databases, ports
from tests.timeouts import WAIT_SECONDS

BIN = Path(sys.executable).parent
KEY = 'auth_encryption_key = a key of these tests, 32 letters\n'
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {'value': {'type': 'OS::Heat::Value', 'properties': {'value': 7}}},
}


def wait_until(condition, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    assert found
    return found


def children(process):
    try:
        return [
            int(pid)
            for pid in Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text().split()
        ]
    except FileNotFoundError:
        return []


def alive(pid):
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return False


def memory(pid):
    """Return the resident memory of a process in MB."""
    return (
        int(re.search(r'VmRSS:\s+(\d+) kB', Path(f'/proc/{pid}/status').read_text()).group(1))
        / 1024
    )


def answers(url):
    with contextlib.suppress(requests.RequestException):
        return requests.get(f'{url}/stacks', timeout=60).status_code == 200


@pytest.fixture
def run():
    with contextlib.ExitStack() as stack:

        def begin(log, *command, stdin=subprocess.DEVNULL):
            environ = {
                name: value for name, value in os.environ.items() if not name.startswith('OS_')
            }
            with open(log, 'wb') as stream:
                process = subprocess.Popen(
                    [str(word) for word in command],
                    stdout=stream,
                    stderr=stream,
                    stdin=stdin,
                    env=environ,
                )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        yield begin


# --------------------------------------------------------------- embedded


@pytest.fixture
def heat_engine(run, tmp_path):
    """A function that starts heat-engine, as Heat's deployers do, on a database."""
    names = ('heat-engine', 'engine.log', 'heat.conf', 'heat.conf.d')
    program, log, file, folder = (tmp_path / name for name in names)
    folder.mkdir()
    program.write_text(
        f'#!{sys.executable}\nfrom heat_lite.cmd.aliases import commands\n'
        'raise SystemExit(commands.engine())\n'
    )
    program.chmod(0o755)

    def start(connection):
        file.write_text(
            '[DEFAULT]\ntransport_url = local://\nnum_engine_workers = 1\n'
            '[heat_lite]\nworker_restart_delay = 0\n'
        )
        (folder / '01-site.conf').write_text(f'[database]\nconnection = {connection}\n')
        return run(log, program, '--config-file', file, '--config-dir', folder), log

    return start


def name_of(pid):
    """Return the name by which ``pgrep`` finds a process."""
    return Path(f'/proc/{pid}/comm').read_text().strip()


def test_engine_starts_before_its_database_answers(heat_engine, tmp_path):
    with databases.migrated('mysql', tmp_path) as url:
        port, address = ports.reserve(), make_url(url)
        _, log = heat_engine(address.set(port=port).render_as_string(hide_password=False))
        wait_until(lambda: 'wait for their database' in log.read_text())
        way = black_hole.BlackHole((address.host, address.port or 3306), port)
        wait_until(lambda: 'is ready' in log.read_text())
        way.close()


def test_engine_that_waits_for_its_database_stops_at_once(heat_engine):
    engine, log = heat_engine(f'mysql+pymysql://root@127.0.0.1:{ports.reserve()}/heat')
    (worker,) = wait_until(lambda: children(engine))
    wait_until(lambda: 'watchdog.py' in Path(f'/proc/{engine.pid}/cmdline').read_text())
    engine.terminate()
    assert engine.wait(WAIT_SECONDS) == 0
    assert not alive(worker) and 'cannot start' not in log.read_text()


def test_each_process_has_the_name_of_its_program(heat_engine, tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        engine, log = heat_engine(url)
        wait_until(lambda: 'is ready' in log.read_text())
        (worker,) = children(engine)
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: log.read_text().count('is ready') == 2)
        (replacement,) = children(engine)
        assert replacement != worker
        assert {name_of(pid) for pid in (engine.pid, replacement)} == {'heat-engine'}
        engine.terminate()
        assert engine.wait(WAIT_SECONDS) == 0


@pytest.mark.parametrize(
    'name, words',
    [
        ('heat.sqlite', 'file is not a database; move the file away'),
        ('url', 'cannot write to [^ ]*data: No space left on device; to use another folder'),
    ],
)
def test_up_with_a_folder_it_cannot_use_tells_why_in_one_line(run, tmp_path, name, words):
    folder, log = tmp_path / 'data', tmp_path / 'up.log'
    folder.mkdir(mode=0o700)
    if name == 'url':
        (folder / name).symlink_to('/dev/full')
    else:
        (folder / name).write_text('no database')
    process = run(log, BIN / 'heat-lite', 'up', '--port', ports.reserve(), '--data-dir', folder)
    assert process.wait(WAIT_SECONDS) == 1
    assert re.search(f'^heat-lite up: .*{words}', log.read_text(), re.M), log.read_text()
    assert 'Traceback' not in log.read_text()


def test_manage_shows_the_work_of_the_embedded_service(up, tmp_path):
    _, url = up()
    properties = {'action_wait_secs': {'create': 600}}
    resources = {'r0': {'type': 'OS::Heat::TestResource', 'properties': properties}}
    template = {'heat_template_version': '2021-04-16', 'resources': resources}
    made = requests.post(f'{url}/stacks', json={'stack_name': 'slow', 'template': template})
    stack_id = made.json()['stack']['id']

    def manage(*words):
        command = [BIN / 'heat-lite-manage', '--data-dir', tmp_path / 'data', *words]
        return subprocess.run(command, capture_output=True, text=True)

    text = wait_until(lambda: (found := manage('top', '--once').stdout).count('1: r0') and found)
    assert f'CREATE  IN_PROGRESS  slow   {stack_id}  default' in text
    refused = manage('migrate_convergence_1', stack_id)
    assert refused.returncode == 1 and 'has one engine' in refused.stderr


def test_engine_without_its_tables_tells_what_to_do_until_they_exist(run, tmp_path):
    log, file = tmp_path / 'engine.log', tmp_path / 'x.conf'
    file.write_text(
        f'[DEFAULT]\n{KEY}transport_url = local://\nnum_engine_workers = 1\n'
        f'[database]\nconnection = sqlite:///{tmp_path}/heat.sqlite\n'
    )
    run(log, BIN / 'heat-lite-engine', '--config-file', file)
    wait_until(lambda: 'no such table: service; run "heat-lite-manage db_sync"' in log.read_text())
    subprocess.run([BIN / 'heat-lite-manage', '--config-file', file, 'db_sync'], check=True)
    wait_until(lambda: 'is ready' in log.read_text())
    assert 'Traceback' not in log.read_text()


@pytest.fixture
def up(run, tmp_path):
    """Run ``heat-lite up`` on one folder; return the process and its URL once it is ready."""

    def begin(port=None):
        log = tmp_path / 'up.log'
        process = run(
            log,
            BIN / 'heat-lite',
            'up',
            '--port',
            port or ports.reserve(),
            '--data-dir',
            tmp_path / 'data',
        )
        line = wait_until(
            lambda: (
                re.search('^heat_lite is ready: (.*)$', log.read_text(), re.M)
                or process.poll() is not None
            )
        )
        return process, line.group(1) if line is not True else log.read_text()

    return begin


def end(process, signum=signal.SIGTERM):
    process.send_signal(signum)
    return process.wait(WAIT_SECONDS)


def test_ready_service_responds_at_once(up):
    process, url = up()
    assert requests.get(f'{url}/stacks', timeout=60).json() == {'stacks': []}
    assert end(process) == 0


def test_stacks_survive_a_restart_of_the_service(up):
    process, url = up()
    assert (
        requests.post(
            f'{url}/stacks', json={'stack_name': 'kept', 'template': TEMPLATE}, timeout=60
        ).status_code
        == 201
    )
    wait_until(
        lambda: (
            requests.get(f'{url}/stacks', timeout=60).json()['stacks'][0]['stack_status']
            == 'CREATE_COMPLETE'
        )
    )
    assert end(process) == 0
    process, url = up()
    assert [
        stack['stack_name'] for stack in requests.get(f'{url}/stacks', timeout=60).json()['stacks']
    ] == ['kept']
    assert end(process, signal.SIGINT) == 0


def test_second_service_on_the_same_folder_is_refused(up):
    first, _ = up()
    second, text = up()
    assert second.wait(WAIT_SECONDS) == 1
    assert 'another heat_lite uses' in text
    assert end(first) == 0


def test_port_is_free_after_shutdown(up):
    port = ports.reserve()
    for _ in range(2):
        process, url = up(port)
        assert answers(url)
        assert end(process) == 0


def test_configuration_reload_keeps_the_service_running(up):
    process, url = up()
    process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert answers(url)
    assert end(process) == 0


def test_crashed_service_is_replaced_on_the_same_port(up):
    process, url = up()
    made = requests.post(
        f'{url}/stacks', json={'stack_name': 'kept', 'template': TEMPLATE}, timeout=60
    )
    assert made.status_code == 201
    (before,) = wait_until(lambda: children(process))
    os.kill(before, signal.SIGKILL)
    # a request that arrives before the replacement waits for it
    stacks = requests.get(f'{url}/stacks', timeout=WAIT_SECONDS).json()['stacks']
    assert [stack['stack_name'] for stack in stacks] == ['kept']
    (after,) = children(process)
    assert after != before and memory(process.pid) < 16
    assert end(process) == 0 and not alive(after)


def test_interrupt_from_the_terminal_ends_the_service_once(run, tmp_path):
    log = tmp_path / 'up.log'
    command = BIN / 'heat-lite', 'up', '--port', ports.reserve(), '--data-dir', tmp_path / 'data'
    process = run(log, 'setsid', *command)
    wait_until(lambda: 'is ready: ' in log.read_text())
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all processes of the group
    assert process.wait(WAIT_SECONDS) == 0
    text = log.read_text()
    assert 'replacement' not in text and 'Traceback' not in text and 'number 0' not in text


# the tests may run by nohup themselves
@pytest.mark.parametrize('prefix', [('env', '--default-signal=HUP'), ('nohup',)])
def test_service_ends_with_its_terminal_unless_by_nohup(run, tmp_path, prefix):
    log, port = tmp_path / 'up.log', ports.reserve()
    command = BIN / 'heat-lite', 'up', '--port', port, '--data-dir', tmp_path / 'data'
    terminal, stdin = pty.openpty()
    process = run(log, 'setsid', '--ctty', *prefix, *command, stdin=stdin)
    wait_until(lambda: 'is ready: ' in log.read_text())
    os.close(stdin)
    os.close(terminal)
    if 'nohup' in prefix:
        time.sleep(0.5)
        assert answers(f'http://127.0.0.1:{port}/v1/default')
        assert end(process) == 0
    else:
        assert process.wait(WAIT_SECONDS) == 0


def test_log_for_people_has_a_line_for_each_end_of_an_action(run, tmp_path):
    log, port = tmp_path / 'up.log', ports.reserve()
    run(log, BIN / 'heat-lite', 'up', '--port', port, '--data-dir', tmp_path)
    wait_until(lambda: 'is ready: ' in log.read_text())
    url = f'http://127.0.0.1:{port}/v1/default/stacks'
    assert requests.get(f'{url}/unknown', timeout=WAIT_SECONDS).status_code == 404
    failing = {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}}
    template = {**TEMPLATE, 'resources': {'bad': failing}}
    for name, body in (('good', TEMPLATE), ('poor', template)):
        body = {'stack_name': name, 'template': body, 'disable_rollback': False}
        assert requests.post(url, json=body, timeout=WAIT_SECONDS).ok
    wait_until(lambda: 'ROLLBACK' in log.read_text() and 'good' in log.read_text())
    first, *lines = log.read_text().partition('in another terminal: ')[2].splitlines()
    assert first == f'export HEAT_LITE_DATA_DIR={tmp_path}'
    shown = sorted(re.sub(r'^[\d:]{8} ', '', line) for line in lines)
    reason = 'Resource CREATE failed: ValueError: resources.bad: Test Resource failed bad'
    assert [re.sub(r'\d+\.\ds', 'T', line) for line in shown] == [
        'good CREATE complete T',
        f'poor CREATE failed T: {reason}',
        'poor ROLLBACK complete T',
    ]


# --------------------------------------------------------------- split


@pytest.fixture(scope='module')
def vhost():
    with brokers.virtual_host_or_skip() as url:
        yield url


@pytest.fixture
def split(run, vhost, tmp_path):
    """Run two engines and an API; yield (engine, api, url)."""
    port = ports.reserve()
    file = tmp_path / 'heat-lite.conf'
    file.write_text(f"""
[DEFAULT]
auth_encryption_key = a key of these tests, 32 letters
transport_url = {vhost}
num_engine_workers = 2
# longer than engines take to start on a loaded machine, so that requests wait for them
rpc_response_timeout = 150
[database]
connection = sqlite:///{tmp_path}/heat.sqlite
[heat_api]
bind_host = 127.0.0.1
bind_port = {port}
workers = 2
[paste_deploy]
flavor = noauth
[heat_lite]
worker_restart_delay = 0.1
graceful_shutdown_timeout = 5
""")
    subprocess.run(
        [BIN / 'heat-lite-manage', '--config-file', file, 'db_sync'],
        check=True,
        capture_output=True,
    )
    engine = run(tmp_path / 'engine.log', BIN / 'heat-lite-engine', '--config-file', file)
    api = run(tmp_path / 'api.log', BIN / 'heat-lite-api', '--config-file', file)
    url = f'http://127.0.0.1:{port}/v1/demo'
    wait_until(lambda: answers(url))
    yield engine, api, url
    for process in (api, engine):
        process.terminate()


def test_queues_of_a_service_are_durable_or_exclusive(split, vhost):
    """RabbitMQ 4.3 refuses others."""
    _, _, url = split
    body = {'stack_name': 'one', 'template': TEMPLATE}
    assert requests.post(f'{url}/stacks', json=body, timeout=60).ok
    headers = {'Accept': 'text/event-stream'}
    with requests.get(f'{url}/stacks/one/events', headers=headers, stream=True, timeout=60):
        # the server that an API has for its listeners
        wait_until(lambda: 'heat-lite-events' in brokers.queue_kinds(vhost))
        kinds = brokers.queue_kinds(vhost)
    assert [
        name for name, (durable, exclusive, _) in kinds.items() if not durable | exclusive
    ] == []


def test_supervisor_restarts_reloads_and_stops_its_workers(split, tmp_path):
    engine, api, url = split
    before = wait_until(lambda: len(children(engine)) == 2 and children(engine))

    # a stack is created and deleted
    made = requests.post(
        f'{url}/stacks', json={'stack_name': 'one', 'template': TEMPLATE}, timeout=60
    )
    assert made.status_code == 201
    wait_until(
        lambda: (
            requests.get(f'{url}/stacks', timeout=60).json()['stacks'][0]['stack_status']
            == 'CREATE_COMPLETE'
        )
    )

    # the supervisor replaces a killed worker, and clients notice nothing
    os.kill(before[0], signal.SIGKILL)
    after = wait_until(
        lambda: (
            len(children(engine)) == 2 and before[0] not in children(engine) and children(engine)
        )
    )
    assert before[1] in after and after != before
    os.kill(children(api)[0], signal.SIGKILL)
    assert all(wait_until(lambda: answers(url)) for _ in range(5))
    wait_until(lambda: len(children(api)) == 2)

    # new workers do the same work; each starts the program anew, so it takes as long
    for pid in {before[1], *children(api)}:
        os.kill(pid, signal.SIGKILL)
    after = wait_until(
        lambda: (
            len(children(engine)) == 2 and before[1] not in children(engine) and children(engine)
        )
    )
    assert all(wait_until(lambda: answers(url)) for _ in range(5))
    wait_until(lambda: (tmp_path / 'engine.log').read_text().count('is ready') >= 4)
    assert 'ended with status -9' in (tmp_path / 'engine.log').read_text()

    # the supervisor keeps no memory of the workers' modules
    assert all(memory(process.pid) < 16 for process in (engine, api))

    # the same processes reload the configuration: options of logging apply, others are named
    file = tmp_path / 'heat-lite.conf'
    more = '[DEFAULT]\ndebug = true\nmax_json_body_size = 77'
    file.write_text(file.read_text().replace('[DEFAULT]', more))
    logs = [tmp_path / 'engine.log', tmp_path / 'api.log']
    engine.send_signal(signal.SIGHUP)
    api.send_signal(signal.SIGHUP)
    for expected in ('DEFAULT.debug changed', 'immutable option DEFAULT.max_json_body_size'):
        wait_until(lambda text=expected: all(text in log.read_text() for log in logs))
    assert answers(url)
    assert children(engine) == after

    # shutdown is orderly and leaves no process
    offspring = children(engine) + children(api)
    for process in (api, engine):
        process.terminate()
    assert [process.wait(WAIT_SECONDS) for process in (api, engine)] == [0, 0]
    assert not any(alive(pid) for pid in offspring)
    assert (
        'Traceback'
        not in (tmp_path / 'engine.log').read_text() + (tmp_path / 'api.log').read_text()
    )


def test_reload_of_an_invalid_configuration_keeps_the_workers(run, tmp_path):
    log, file, port = tmp_path / 'api.log', tmp_path / 'x.conf', ports.reserve()
    text = f"""
[DEFAULT]
auth_encryption_key = a key of these tests, 32 letters
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
    wait_until(lambda: 'number 0, ended with status 1;' in log.read_text())
    assert alive(second)
    file.write_text(text)
    wait_until(
        lambda: 'Worker number 0: the previous process ended with status 1' in log.read_text()
    )
    assert second in children(process)
    process.terminate()
    assert process.wait(WAIT_SECONDS) == 0


# --------------------------------------------------------------- startup errors


def test_engine_reports_a_missing_database(run, tmp_path):
    log, file = tmp_path / 'engine.log', tmp_path / 'x.conf'
    file.write_text(f'[DEFAULT]\n{KEY}')
    process = run(log, BIN / 'heat-lite-engine', '--config-file', file)
    assert process.wait(WAIT_SECONDS) == 1
    assert 'heat-lite-engine: [database] connection is not set. Set it' in log.read_text()
    assert 'Traceback' not in log.read_text()


def test_api_reports_a_port_in_use(run, tmp_path):
    log = tmp_path / 'api.log'
    file = tmp_path / 'x.conf'
    port = ports.reserve()
    file.write_text(
        f'[DEFAULT]\n{KEY}[heat_api]\nbind_host = 127.0.0.1\nbind_port = {port}\n'
        '[paste_deploy]\nflavor = noauth\n'
    )
    with contextlib.closing(socket.create_server(('127.0.0.1', port))):
        process = run(log, BIN / 'heat-lite-api', '--config-file', file)
        assert process.wait(WAIT_SECONDS) == 1
    assert f'cannot listen on 127.0.0.1:{port}' in log.read_text()


def test_signed_url_endpoint_responds_and_reports_a_port_in_use(run, tmp_path):
    log, file, port = tmp_path / 'cfn.log', tmp_path / 'x.conf', ports.reserve()
    text = (
        f'[heat_api_cfn]\nbind_host = 127.0.0.1\nbind_port = {port}\nworkers = 1\n'
        f'[DEFAULT]\n{KEY}transport_url = local://\n'
    )
    file.write_text(text)
    with contextlib.closing(socket.create_server(('127.0.0.1', port))):
        assert (
            run(log, sys.executable, '-m', 'heat_lite.cmd.api_cfn', '--config-file', file).wait(
                WAIT_SECONDS
            )
            == 1
        )
    assert f'heat-lite-api-cfn: cannot listen on 127.0.0.1:{port}' in log.read_text()
    process = run(log, sys.executable, '-m', 'heat_lite.cmd.api_cfn', '--config-file', file)
    until = time.monotonic() + WAIT_SECONDS
    while (answer := unsigned(port)) is None:
        assert time.monotonic() < until and process.poll() is None, log.read_text()
        time.sleep(0.1)
    assert answer.status_code == 400 and '<Code>IncompleteSignature</Code>' in answer.text
    process.terminate()
    assert process.wait(WAIT_SECONDS) == 0


def unsigned(port):
    with contextlib.suppress(requests.ConnectionError):
        return requests.put(f'http://127.0.0.1:{port}/v1/waitcondition/x', timeout=60)
