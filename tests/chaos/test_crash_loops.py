"""A resource that ends each engine that works on it fails; the stacks beside it complete.

A resource in whose call others kill the engines does not. The engines are those of the service's
programs, which the watchdogs replace.
"""

import contextlib
import os
import signal
import textwrap
import time

import pytest

from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

PLUGIN = """
import os
import re
import signal
import time

from heat_lite.plugin import properties, resource


class Killer(resource.Resource):
    '''Ends its process while the file of the property exists.'''

    properties_schema = {
        'file': properties.Schema(properties.Schema.STRING, 'A file.', required=True),
        'hang': properties.Schema(properties.Schema.BOOLEAN, 'Hang instead.', default=False),
    }

    def handle_create(self):
        if os.path.exists(self.properties['file']):
            if self.properties['hang']:
                # holds the interpreter lock, so no other thread of the process runs
                re.match('(a+)+$', 'a' * 60 + 'b')
            os.kill(os.getpid(), signal.SIGKILL)

    def find_existing(self):
        return None  # without it the create would not be repeated at all


class Slow(resource.Resource):
    '''Takes its time, from the beginning after each interruption.'''

    properties_schema = {
        'seconds': properties.Schema(properties.Schema.NUMBER, 'Seconds.', default=2),
    }

    def handle_create(self):
        return time.monotonic() + self.properties['seconds']

    def check_create_complete(self, until):
        return time.monotonic() > (until or 0)

    def find_existing(self):
        return None


class Blocking(resource.Resource):
    '''Blocks in its call, and writes before it which process that is.'''

    properties_schema = {
        'file': properties.Schema(properties.Schema.STRING, 'A file.', required=True),
    }

    def handle_create(self):
        with open(self.properties['file'], 'a') as file:
            file.write(f'{os.getpid()} ')
        time.sleep(3)

    def find_existing(self):
        return None


def resource_mapping():
    return {'Test::Killer': Killer, 'Test::Slow': Slow, 'Test::Blocking': Blocking}
"""
OPTIONS = """
[DEFAULT]
plugin_dirs = {folder}
num_engine_workers = 2
engine_life_check_timeout = 1
[heat_lite]
heartbeat_interval = 1
take_over_interval = 0.5
worker_restart_delay = 0.1
graceful_shutdown_timeout = 5
engine_silence_limit = {silence}
"""
SLOW = {'type': 'Test::Slow'}


def embedded(folder, options):
    path = folder / 'more.conf'
    path.write_text(options)
    return shapes.embedded(folder, '--config-file', path)


def split(backend, convergence=False):
    more = f'convergence_engine = {convergence}'
    return lambda folder, options: shapes.split(
        folder, 'split', backend, more=options.replace('[DEFAULT]', f'[DEFAULT]\n{more}')
    )


@contextlib.contextmanager
def running(shape, folder, silence=60):
    (folder / 'plugins').mkdir()
    (folder / 'plugins' / 'crash_loop_types.py').write_text(textwrap.dedent(PLUGIN))
    with shape(folder, OPTIONS.format(folder=folder / 'plugins', silence=silence)) as service:
        yield service


def request(service, *args):
    """Send a request; repeat it while the service is restarted."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        with contextlib.suppress(shapes.requests.RequestException):
            answer = service.ask(*args)
            if answer.status_code < 500:
                return answer
        assert time.monotonic() < until, service.logs()
        time.sleep(0.2)


def create(service, name, **resources):
    template = {'heat_template_version': '2021-04-16', 'resources': resources}
    answer = request(service, 'POST', '/stacks', {'stack_name': name, 'template': template})
    # a repeated request finds the stack that the first one has created
    assert answer.status_code in (201, 409), answer.text


def stack_of(service, name):
    found = request(service, 'GET', '/stacks').json()['stacks']
    return next(stack for stack in found if stack['stack_name'] == name)


def wait(service, name):
    """Wait until the stack is not in progress. Return its state and the reason."""
    until = time.monotonic() + WAIT_SECONDS
    while (stack := stack_of(service, name))['stack_status'].endswith('IN_PROGRESS'):
        assert time.monotonic() < until, service.logs()
        time.sleep(0.3)
    return stack['stack_status'], stack['stack_status_reason']


def states(service, name):
    stack_id = stack_of(service, name)['id']
    found = request(service, 'GET', f'/stacks/{name}/{stack_id}/resources').json()['resources']
    return {each['resource_name']: each['resource_status'] for each in found}


def run_attack(service, folder, **properties):
    """Create a stack that ends its engines beside one that does not; check both ends."""
    file = folder / 'reason'
    file.touch()
    create(service, 'innocent', a=SLOW, b={**SLOW, 'depends_on': 'a'})
    bad = {'type': 'Test::Killer', 'properties': {'file': str(file), **properties}}
    create(service, 'guilty', bad=bad, good=SLOW)
    status, reason = wait(service, 'guilty')
    assert status == 'CREATE_FAILED', f'{status} {reason} {service.logs()}'
    assert 'EnginesDied: resources.bad: 2 engines in a row died' in reason
    assert states(service, 'guilty') == {'bad': 'CREATE_FAILED', 'good': 'CREATE_COMPLETE'}
    assert wait(service, 'innocent')[0] == 'CREATE_COMPLETE', service.logs()


def retry(service, name):
    path = f'/stacks/{name}/{stack_of(service, name)["id"]}/actions'
    # 409: the service was killed before its answer, and the repeated request finds the action
    assert request(service, 'POST', path, {'retry': None}).status_code in (200, 409)


@pytest.mark.parametrize(
    'shape',
    [embedded, split('mysql'), split('postgresql'), split('mysql', convergence=True)],
    ids=['embedded', 'mysql', 'postgresql', 'convergence'],
)
def test_resource_that_kills_its_engines_fails_and_can_be_retried(shape, tmp_path):
    with running(shape, tmp_path) as service:
        run_attack(service, tmp_path)
        logs = ''.join(path.read_text() for path in tmp_path.glob('*.log'))
        assert logs.count('ended with status -9; its replacement starts') == 3
        # the same again: a retry counts anew
        retry(service, 'guilty')
        status, reason = wait(service, 'guilty')
        assert status == 'CREATE_FAILED' and '2 engines in a row died' in reason
        (tmp_path / 'reason').unlink()
        retry(service, 'guilty')
        assert wait(service, 'guilty')[0] == 'CREATE_COMPLETE'


def test_resource_that_hangs_the_embedded_service_fails(tmp_path):
    with running(embedded, tmp_path, silence=6) as service:
        run_attack(service, tmp_path, hang=True)
        log = (tmp_path / 'up.log').read_text()
        # the traceback names the code that hangs
        assert 'gave no sign of life' in log and 'in handle_create' in log


@pytest.mark.parametrize(
    'shape', [split('mysql'), split('mysql', convergence=True)], ids=['mysql', 'convergence']
)
def test_resource_in_whose_call_others_kill_the_engines_is_not_blamed(shape, tmp_path):
    file = tmp_path / 'processes'
    file.touch()
    with running(shape, tmp_path) as service:
        create(service, 'kept', a={'type': 'Test::Blocking', 'properties': {'file': str(file)}})
        # the first call, and three more in a row that are announced
        for number in range(4):
            until = time.monotonic() + WAIT_SECONDS
            while len(pids := file.read_text().split()) <= number:
                assert time.monotonic() < until, service.logs()
                time.sleep(0.05)
            os.kill(int(pids[number]), signal.SIGKILL)
        status, reason = wait(service, 'kept')
        assert status == 'CREATE_COMPLETE', f'{reason} {service.logs()}'
        assert len(file.read_text().split()) == 5
        logs = ''.join(path.read_text() for path in tmp_path.glob('*.log'))
        assert logs.count('died in the first call of a resource') == 3
        assert logs.count('ended with status -9; its replacement starts') == 4
