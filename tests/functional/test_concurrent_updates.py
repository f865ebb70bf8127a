"""Many clients change one stack at the same time, over two APIs and two engines.

HEAT_LITE_ROUNDS is the number of rounds.
"""

import concurrent.futures
import os
import time

import pytest

from tests import ports
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

ROUNDS = int(os.environ.get('HEAT_LITE_ROUNDS', '6'))
NAMES = [f'p{number}' for number in range(8)]
GROUP = {
    'count': 3,
    'resource_def': {'type': 'OS::Heat::TestResource', 'properties': {'value': '%index%'}},
}
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'parameters': {name: {'type': 'string', 'default': '-'} for name in NAMES},
    'resources': {
        **{
            f'r{number}': {
                'type': 'OS::Heat::TestResource',
                'properties': {'value': {'get_param': name}, 'wait_secs': number % 3 / 10},
            }
            for number, name in enumerate(NAMES)
        },
        'group': {'type': 'OS::Heat::ResourceGroup', 'properties': GROUP},
    },
    'outputs': {
        'wanted': {'value': {name: {'get_param': name} for name in NAMES}},
        'made': {
            'value': {
                name: {'get_attr': [f'r{number}', 'output']} for number, name in enumerate(NAMES)
            }
        },
    },
}


@pytest.fixture(params=['false', 'true'], ids=['one engine walks', 'all engines walk'])
def convergence(request):
    return request.param


@pytest.fixture(params=['mysql', 'postgresql'])
def urls(request, convergence, tmp_path):
    """The URLs of two APIs of one service, which has two engines, and the service."""
    more = f'[DEFAULT]\nconvergence_engine = {convergence}\n'
    with shapes.split(tmp_path, request.param, request.param, more=more) as service:
        port = ports.reserve()
        first, second = tmp_path / 'heat-lite.conf', tmp_path / 'second.conf'
        second.write_text(f'{first.read_text()}[heat_api]\nbind_port = {port}\n')
        for program in ('engine', 'api'):
            command = shapes.BIN / f'heat-lite-{program}', '--config-file', second
            shapes.start(service, f'second-{program}', *command)
        other = f'http://127.0.0.1:{port}/v1'
        shapes.wait_for(other)
        log = tmp_path / 'second-engine.log'
        while 'is ready' not in log.read_text():
            time.sleep(0.1)
        yield service, (service.url, other)


def stack(service, path):
    """Return the stack when its action has ended."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        shown = service.ask('GET', path).json()['stack']
        if not shown['stack_status'].endswith('IN_PROGRESS'):
            return shown
        assert time.monotonic() < until, shown
        time.sleep(0.05)


def test_each_accepted_patch_has_its_effect(urls):
    service, (first, second) = urls
    created = service.ask('POST', '/stacks', {'stack_name': 'many', 'template': TEMPLATE})
    path = f'/stacks/many/{created.json()["stack"]["id"]}'
    assert stack(service, path)['stack_status'] == 'CREATE_COMPLETE'
    expected = dict.fromkeys(NAMES, '-')

    def patch(number, body):
        project = service.project
        url = f'{(first, second)[number % 2]}/{project}{path}'
        return shapes.requests.patch(url, json=body, timeout=WAIT_SECONDS).status_code

    with concurrent.futures.ThreadPoolExecutor(len(NAMES) + 2) as pool:
        for number in range(ROUNDS):
            value = str(number)
            bodies = [{'parameters': {name: value}} for name in NAMES]
            bodies.append({'tags': f'round{value}', 'existing': True})
            bodies.append({'timeout_mins': number + 1})
            codes = list(pool.map(patch, range(len(bodies)), bodies))
            assert set(codes) <= {202, 409}, codes
            assert codes.count(202) > 1, codes
            accepted = [name for name, code in zip(NAMES, codes, strict=False) if code == 202]
            expected.update(dict.fromkeys(accepted, value))
            shown = stack(service, path)
            assert shown['stack_status'] == 'UPDATE_COMPLETE', shown
            outputs = {each['output_key']: each['output_value'] for each in shown['outputs']}
            assert outputs == {'wanted': expected, 'made': expected}, (number, codes)
            if codes[-2] == 202:
                assert shown['tags'] == [f'round{value}']
            if codes[-1] == 202:
                assert shown['timeout_mins'] == number + 1
