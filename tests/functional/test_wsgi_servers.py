"""The WSGI applications under uwsgi and gunicorn, with options from the environment alone."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from heat_lite.db import migration
from tests import brokers, ports
from tests.timeouts import WAIT_SECONDS

BIN = Path(sys.executable).parent
#: {server: the arguments before the address and the application}
SERVERS = {
    'gunicorn': ['gunicorn', '--threads', '4', '--bind'],
    'uwsgi': ['uwsgi', '--master', '--need-app', '--threads', '4', '--http-socket'],
}
#: {application: (path, status)} of a request that no engine answers
FIRST = {'api': ('/', 300), 'cfn': ('/', 300), 'cloudwatch': ('/', 400)}


@pytest.fixture(scope='module')
def environ(tmp_path_factory):
    """The options of a service as variables; its tables exist."""
    folder = tmp_path_factory.mktemp('wsgi')
    url = f'sqlite:///{folder}/heat.sqlite'
    migration.sync(url)
    others = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
    with brokers.virtual_host_or_skip() as transport:
        yield {
            **others,
            'HOME': str(folder),
            'OS_DEFAULT__AUTH_ENCRYPTION_KEY': 'a key of these tests, 32 letters',
            'OS_DEFAULT__TRANSPORT_URL': transport,
            'OS_DEFAULT__NUM_ENGINE_WORKERS': '1',
            'OS_DATABASE__CONNECTION': url,
            'OS_PASTE_DEPLOY__FLAVOR': 'noauth',
        }


@pytest.fixture
def start(environ):
    """A function that starts a program with these options."""
    started = []

    def begin(*command):
        started.append(subprocess.Popen([BIN / command[0], *command[1:]], env=environ))
        return started[-1]

    yield begin
    for process in started:
        process.terminate()
    for process in started:
        process.wait(WAIT_SECONDS)


def first_answer(process, url, wanted):
    """Return the status of the first answer that is ``wanted``, else of the last one.

    Raises AssertionError if the server has ended.
    """
    end, status = time.monotonic() + WAIT_SECONDS, None
    while status != wanted and time.monotonic() < end:
        assert process.poll() is None, f'{process.args} ended with status {process.returncode}'
        try:
            status = requests.get(url, timeout=60, allow_redirects=False).status_code
        except requests.ConnectionError:
            time.sleep(0.1)
    return status


def serve(start, server, application):
    """Start a server. Return its process and its URL."""
    address = f'127.0.0.1:{ports.reserve()}'
    module = f'heat_lite.wsgi.{application}:application'
    words = [f'--module={module}', '--die-on-term'] if server == 'uwsgi' else [module]
    return start(*SERVERS[server], address, *words), f'http://{address}'


@pytest.mark.parametrize('server', SERVERS)
@pytest.mark.parametrize('application', FIRST)
def test_application_answers_under_the_server(start, server, application):
    path, status = FIRST[application]
    process, url = serve(start, server, application)
    assert first_answer(process, url + path, status) == status


@pytest.mark.parametrize('server', SERVERS)
def test_request_reaches_an_engine(start, server):
    start('heat-lite-engine')
    process, address = serve(start, server, 'api')
    url = f'{address}/v1/demo/resource_types'
    assert first_answer(process, url, 200) == 200
    assert 'OS::Heat::Value' in requests.get(url, timeout=60).json()['resource_types']
