"""Hostile requests to every route: no 5xx, no slow response, no ERROR line, no memory kept.

``fuzz`` has the requests. HEAT_LITE_FUZZ in the environment sets their number for each target.
"""

import contextlib
import http.client
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import databases
from tests.attacks.fuzz import sender
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

REQUESTS = int(os.environ.get('HEAT_LITE_FUZZ', '200'))
SEED = int(os.environ.get('HEAT_LITE_FUZZ_SEED', '0'))
ROOT = Path(__file__).resolve().parents[2]


class HttpTarget:
    """A running service; each request has a connection of its own.

    Its memory is that of the engine, in the embedded service that of the process that serves.
    """

    def __init__(self, service):
        self.pid = _served_by(next(iter(service.processes.values())).pid)
        self._host, _, self._path = service.endpoint.removeprefix('http://').partition('/')
        self._logs = dict.fromkeys(service.folder.glob('*.log'), 0)

    def send(self, attack):
        connection = http.client.HTTPConnection(self._host, timeout=60)
        headers = {'Content-Length': str(len(attack.body)), **attack.headers}
        try:
            connection.putrequest(attack.method, f'/{self._path}{attack.path}')
            for name, value in headers.items():
                connection.putheader(name, value.encode())
            with contextlib.suppress(BrokenPipeError):  # refused before all of it was sent
                connection.endheaders(attack.body)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def errors(self):
        lines = []
        for path, read in self._logs.items():
            with path.open('rb') as log:
                log.seek(read)
                text = log.read()
            self._logs[path] += len(text)
            lines += text.decode(errors='replace').splitlines()
        return [line for line in lines if ' ERROR ' in line]


def _served_by(first):
    """Return the process that serves; the first one of the embedded service watches it."""
    children = Path(f'/proc/{first}/task/{first}/children').read_text().split()
    return int(children[0]) if children else first


def check(report, requests):
    assert not report['failures'], json.dumps(report['failures'][:5], indent=1)
    assert report['sent'] >= requests and report['growth'] < sender.MEGABYTES, report
    accepted = sum(number for status, number in report['statuses'].items() if int(status) < 400)
    assert accepted > requests / 10, report['statuses']  # the requests reach more than the API


@pytest.mark.parametrize(
    ('backend', 'api'), list(itertools.product(databases.BACKENDS, ('rest', 'cfn')))
)
def test_hostile_requests_never_fail_api_and_engine(backend, api, tmp_path):
    with databases.migrated(backend, tmp_path) as url:
        command = [sys.executable, '-W', 'ignore', '-m', 'tests.attacks.fuzz.process', url]
        done = subprocess.run(
            [*command, '--api', api, '--requests', str(REQUESTS), '--seed', str(SEED)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=WAIT_SECONDS + REQUESTS,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    check(json.loads(done.stdout.splitlines()[-1]), REQUESTS)


@pytest.mark.parametrize('shape', ['embedded', 'mariadb', 'postgresql'])
def test_hostile_requests_over_http_never_fail_the_service(shape, tmp_path):
    with shapes.shape(shape, tmp_path) as service:
        report = sender.Fuzz(HttpTarget(service)).run(REQUESTS, SEED + 1000)
        assert service.ask('GET', '/stacks').status_code == 200
    check(vars(report), REQUESTS)
