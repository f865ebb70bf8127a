"""SIGTERM while the database or the broker does not answer: behind a proxy that swallows all."""

import contextlib
import time
import types

import pytest
import requests
import sqlalchemy

from tests import black_hole, brokers, databases, ports
from tests.functional import shapes
from tests.functional.test_processes import wait_until

#: seconds from SIGTERM until the watchdog kills the processes of a program, which then fails; with
#: those of a loaded machine until the end of a killed process is seen
STOP_SECONDS = 10 + 5
CONFIGURATION = """
[DEFAULT]
auth_encryption_key = a key of these tests, 32 letters
transport_url = {broker}
num_engine_workers = 1
[database]
connection = {database}
[heat_api]
bind_host = 127.0.0.1
bind_port = {port}
workers = 1
[paste_deploy]
flavor = noauth
"""
#: a long action: the engine is at work when its parts disappear
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {
        f'r{number}': {
            'type': 'OS::Heat::TestResource',
            'properties': {'wait_secs': 0.2, 'action_wait_secs': {'create': 60}},
        }
        for number in range(3)
    },
}


@contextlib.contextmanager
def parts(backend, folder):
    """Yield the URLs of a database and a broker with a black hole before each, by its name."""
    with contextlib.ExitStack() as stack:
        database = sqlalchemy.make_url(stack.enter_context(databases.migrated(backend, folder)))
        broker = sqlalchemy.make_url(stack.enter_context(brokers.virtual_host_or_skip()))
        holes = {
            name: stack.enter_context(black_hole.before(url.host, url.port))
            for name, url in (('database', database), ('broker', broker))
        }
        urls = {
            name: url.set(host='127.0.0.1', port=holes[name].port).render_as_string(False)
            for name, url in (('database', database), ('broker', broker))
        }
        yield types.SimpleNamespace(holes=holes, urls=urls)


@pytest.mark.parametrize(
    ('backend', 'lost'),
    [('mysql', 'database'), ('postgresql', 'database'), ('mysql', 'broker')],
)
def test_programs_end_soon_after_sigterm_without(backend, lost, tmp_path):
    with parts(backend, tmp_path) as found, contextlib.ExitStack() as stack:
        port = ports.reserve()
        file = tmp_path / 'heat-lite.conf'
        file.write_text(CONFIGURATION.format(port=port, **found.urls))
        service = shapes.Service(backend, f'http://127.0.0.1:{port}/v1', 'demo', tmp_path)
        programs = {}
        for name in ('engine', 'api'):
            command = (shapes.BIN / f'heat-lite-{name}', '--config-file', file)
            programs[name] = shapes.start(service, name, *command)
            stack.callback(shapes.stop, programs[name])
        wait_until(lambda: 'is ready' in (tmp_path / 'engine.log').read_text())
        body = {'stack_name': 'one', 'template': TEMPLATE}
        made = wait_until(lambda: create(service, body))
        assert made.status_code == 201, made.text
        found.holes[lost].swallow()
        with contextlib.suppress(requests.RequestException):
            requests.get(f'{service.endpoint}/stacks', timeout=1)  # its reply never comes
        time.sleep(6)  # a heartbeat, and a search for stacks to take over, begin and hang
        began = time.monotonic()
        for process in programs.values():
            process.terminate()
        took = {}
        while len(took) < len(programs) and time.monotonic() < began + 100:
            for name, process in programs.items():
                if process.poll() is not None:
                    took.setdefault(name, time.monotonic() - began)
            time.sleep(0.05)
        print(took)
        assert len(took) == 2 and max(took.values()) < STOP_SECONDS, (took, service.logs())
        assert [process.returncode for process in programs.values()] == [0, 0]


def create(service, body):
    with contextlib.suppress(requests.ConnectionError):
        return service.ask('POST', '/stacks', body)
