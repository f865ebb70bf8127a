"""Honest work of one project on a large stack, and how long it makes another one wait.

The machine may be busy with other work, so the embedded service is measured by the processor time
that its main thread spends between two turns of a green thread, not by the clock.
"""

import json
import textwrap
import time

import pytest

from tests.attacks import bystander
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

RESOURCES = 2000
#: Share of the work of an action on them that one slice may have. Without slices it is a half.
SHARE = 0.3
LIMITS = '[DEFAULT]\nmax_resources_per_stack = 10000\nmax_template_size = 4194304\n'
# A plug-in: a green thread that measures the longest time between two of its turns, collections of
# garbage included, and the time in total. It writes both when the file is gone, and begins anew.
METER = textwrap.dedent(
    """
    import pathlib
    import threading
    import time

    FILE = pathlib.Path(__file__).with_name('slices')


    def measure():
        begun = before = time.thread_time()
        longest = 0.0
        while True:
            time.sleep(0.002)
            now = time.thread_time()
            longest, before = max(longest, now - before), now
            if not FILE.exists():
                FILE.with_suffix('.new').write_text(f'{longest} {now - begun}')
                FILE.with_suffix('.new').replace(FILE)
                begun = before = time.thread_time()
                longest = 0.0


    threading.Thread(target=measure, daemon=True).start()


    def resource_mapping():
        return {}
    """
)


def template(count, value):
    """Return a template; each tenth resource refers to the one before it."""
    resources = {
        f'r{i}': {
            'type': 'OS::Heat::Value',
            'properties': {
                'value': {'get_attr': [f'r{i - 1}', 'value']} if i % 10 == 9 else f'{value}{i}'
            },
        }
        for i in range(count)
    }
    return {'heat_template_version': '2021-04-16', 'resources': resources}


class Meter:
    """The processor time of the embedded service's main thread."""

    def __init__(self, folder):
        self._file = folder / 'slices'

    def restart(self):
        """Return the longest slice since the last restart and the total, in seconds."""
        self._file.unlink(missing_ok=True)
        until = time.monotonic() + WAIT_SECONDS
        while not self._file.exists():
            assert time.monotonic() < until
            time.sleep(0.02)
        return map(float, self._file.read_text().split())


@pytest.fixture(scope='module')
def metered(tmp_path_factory):
    """The embedded service for large stacks, and its Meter."""
    folder = tmp_path_factory.mktemp('slices')
    (folder / 'plugins').mkdir()
    (folder / 'plugins' / 'meter.py').write_text(METER)
    configuration = folder / 'limits.conf'
    configuration.write_text(LIMITS)
    arguments = ('--config-file', configuration, '--plugin-dir', folder / 'plugins')
    with shapes.embedded(folder, *arguments) as running:
        yield running, Meter(folder / 'plugins')


def wait_for_end(service, path):
    """Wait until no action is in progress; return the state of the stack."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        answer = service.ask('GET', path, timeout=WAIT_SECONDS)
        state = answer.json().get('stack', {}).get('stack_status', 'GONE')
        if not state.endswith('IN_PROGRESS'):
            return state
        assert time.monotonic() < until, state
        time.sleep(0.1)


def work_on_large_stack(service, count):
    """Create a stack, update it as a text, change all of it, delete it. Yield after each action."""
    small, large = template(count, 'a'), template(count, 'b')
    service.ask('POST', '/stacks', {'stack_name': 'large', 'template': small}, timeout=WAIT_SECONDS)
    answer = service.ask('GET', '/stacks/large')
    path = answer.headers['Location'].partition(service.endpoint)[2]
    yield 'create', wait_for_end(service, path)
    body = {'template': json.dumps(small)}
    assert service.ask('PUT', path, body, timeout=WAIT_SECONDS).status_code == 202
    yield 'update of nothing', wait_for_end(service, path)
    assert service.ask('PUT', path, {'template': large}, timeout=WAIT_SECONDS).status_code == 202
    yield 'update of all', wait_for_end(service, path)
    assert service.ask('DELETE', path).status_code == 204
    yield 'delete', wait_for_end(service, path)


def test_large_stack_is_computed_in_slices(metered):
    service, meter = metered
    meter.restart()
    found = {}
    for action, state in work_on_large_stack(service, RESOURCES):
        assert state.endswith('COMPLETE') or state == 'GONE', (action, state)
        longest, total = meter.restart()
        found[action] = round(longest, 3), round(total, 3), round(longest / total, 3)
    assert max(share for _, _, share in found.values()) < SHARE, found


@shapes.of('mariadb')
def test_project_beside_a_large_stack_is_answered(service):
    with bystander.asking(service) as idle:
        time.sleep(1)
    with bystander.asking(service) as waits:
        states = dict(work_on_large_stack(service, 1000))
    assert states['update of all'] == 'UPDATE_COMPLETE'
    # A request waits for slices of the interpreter, not for the end of a computation.
    limit = 2 + 10 * max(idle.seconds)
    assert max(waits.seconds) < limit, (limit, sorted(waits.seconds)[-5:])
