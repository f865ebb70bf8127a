"""Honest work of one project on a large stack, and how long it makes another one wait."""

import json
import time

from tests.attacks import bystander
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS


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


@shapes.of('embedded', 'mariadb')
def test_project_beside_a_large_stack_is_answered(service):
    with bystander.asking(service) as idle:
        time.sleep(1)
    with bystander.asking(service) as waits:
        states = dict(work_on_large_stack(service, 1000))
    assert states['update of all'] == 'UPDATE_COMPLETE'
    # A request waits for slices of the interpreter, not for the end of a computation.
    limit = 2 + 10 * max(idle.seconds)
    assert max(waits.seconds) < limit, (limit, sorted(waits.seconds)[-5:])
