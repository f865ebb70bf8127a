"""Health of real programs: what they answer and tell systemd while their parts are away."""

import contextlib
import os
import signal
import socket
import types

import pytest
import requests

from tests import databases, ports
from tests.functional import shapes
from tests.functional.test_processes import children, wait_until
from tests.functional.test_stop_without_parts import CONFIGURATION, parts


@pytest.fixture
def systemd(tmp_path):
    """Return what listens as systemd does: ``heard()`` returns all datagrams so far."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(str(tmp_path / 'notify'))
    sock.setblocking(False)
    words = []

    def heard():
        with contextlib.suppress(BlockingIOError):
            while True:
                words.append(sock.recv(4096).decode())
        return words

    yield types.SimpleNamespace(address=str(tmp_path / 'notify'), heard=heard)
    sock.close()


def state(url):
    """Return the status and the body of a check, or None."""
    with contextlib.suppress(requests.RequestException, ValueError):
        answer = requests.get(url, timeout=20)
        return answer.status_code, answer.json()


def failing(url, name):
    """Return the failing check of a name that each worker shows, if the program is not ready."""
    status, body = state(url) or (0, {})
    found = [
        check
        for worker in body.get('workers', [body])
        for check in worker.get('checks', ())
        if check['name'] == name and check['status'] == 'failing'
    ]
    return found if status == 503 and found else None


def pid_of(url):
    """Return the process id of the first worker, if it has one and the program is ready."""
    status, body = state(url) or (0, {})
    return body['workers'][0].get('pid') if status == 200 else None


def test_programs_name_what_is_away(tmp_path, systemd):
    with parts('mysql', tmp_path) as found, contextlib.ExitStack() as stack:
        port, engine_port, api_port = (ports.reserve() for _ in range(3))
        file = tmp_path / 'heat-lite.conf'
        metrics = f'[metrics]\nport = {engine_port}\napi_port = {api_port}\n'
        file.write_text(CONFIGURATION.format(port=port, **found.urls) + metrics)
        service = shapes.Service('mysql', f'http://127.0.0.1:{port}/v1', 'demo', tmp_path)
        variables = {'NOTIFY_SOCKET': systemd.address, 'WATCHDOG_USEC': '3000000'}
        for name in ('engine', 'api'):
            command = (shapes.BIN / f'heat-lite-{name}', '--config-file', file)
            told = variables if name == 'engine' else {}
            stack.callback(shapes.stop, shapes.start(service, name, *command, variables=told))
        pages = [f'http://127.0.0.1:{each}/health' for each in (engine_port, api_port)]
        own = f'http://127.0.0.1:{port}/healthcheck'
        for url in (*pages, own):
            wait_until(lambda url=url: (state(f'{url}/ready') or (0,))[0] == 200)
        wait_until(lambda: {'READY=1', 'WATCHDOG=1'} <= set(systemd.heard()))
        found.holes['broker'].swallow()
        for url in (*pages, own):
            (check, *_) = wait_until(lambda url=url: failing(f'{url}/ready', 'broker'))
            assert check['seconds'] >= 0 and check['reason']
            assert state(f'{url}/live')[0] == 200
        engine = service.processes['engine']
        (worker,) = children(engine)
        told = systemd.heard().count('WATCHDOG=1')
        wait_until(lambda: systemd.heard().count('WATCHDOG=1') > told)
        assert state(f'{pages[0]}/live')[1]['workers'][0]['pid'] == worker
        shapes.stop(engine)
        assert systemd.heard()[-1] == 'STOPPING=1'


def test_systemd_takes_an_engine_that_waits_for_its_broker_as_started(tmp_path, systemd):
    with databases.migrated('sqlite', tmp_path) as database, contextlib.ExitStack() as stack:
        file = tmp_path / 'heat-lite.conf'
        broker = f'rabbit://127.0.0.1:{ports.reserve()}/'
        file.write_text(CONFIGURATION.format(port=1, broker=broker, database=database))
        service = shapes.Service('engine', '', 'demo', tmp_path)
        command = (shapes.BIN / 'heat-lite-engine', '--config-file', file)
        variables = {'NOTIFY_SOCKET': systemd.address, 'WATCHDOG_USEC': '3000000'}
        stack.callback(shapes.stop, shapes.start(service, 'engine', *command, variables=variables))
        wait_until(lambda: {'READY=1', 'WATCHDOG=1'} <= set(systemd.heard()))
        assert 'STATUS=0 of 1 workers are ready' in systemd.heard()


def test_embedded_service_shows_its_health(tmp_path, systemd):
    port, page = ports.reserve(), ports.reserve()
    file = tmp_path / 'up.conf'
    file.write_text(f'[metrics]\nport = {page}\n')
    service = shapes.Service('embedded', f'http://127.0.0.1:{port}/v1', 'demo', tmp_path)
    command = ('up', '--port', port, '--data-dir', tmp_path / 'data', '--config-file', file)
    variables = {'NOTIFY_SOCKET': systemd.address, 'TMPDIR': str(tmp_path)}
    process = shapes.start(
        service, 'up', shapes.BIN / 'heat-lite', *command, variables=variables.items()
    )
    try:
        url = f'http://127.0.0.1:{page}/health'
        wait_until(lambda: (state(f'{url}/ready') or (0,))[0] == 200)
        wait_until(lambda: 'READY=1' in systemd.heard())
        (worker,) = children(process)
        # the replacement of a worker that was killed shows its health on the same port
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: pid_of(f'{url}/ready') not in (None, worker))
    finally:
        assert shapes.stop(process) == 0
    assert not list(tmp_path.glob('heat-lite-monitoring-*'))
