"""Checkouts side by side: python -m benchmarks.scenarios CHECKOUT... --rounds 5.

In each round each checkout in turn runs as a new `heat-lite up` (SQLite, one process) from its own
``.venv``. A row has the medians of milliseconds by the clock and of processor time of the service,
and the last rows its memory. Compare processor time on a machine with other work.

``--previews`` measures previews of ``--size`` resources instead (the table used 20,000).
"""

import argparse
import contextlib
import functools
import os
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import requests

WAIT_SECONDS = 300
READS = 100
#: a longer pause would hide differences of less than itself
POLL_SECONDS = 0.005
#: seconds after the first stack in which a service may load what it needs later
LOADING_SECONDS = 3
#: no limits of the size of a stack
OPTIONS = """
[DEFAULT]
max_resources_per_stack = -1
max_template_size = 100000000
max_json_body_size = 100000000
"""
VERSION = {'heat_template_version': '2021-04-16'}
MEMBER = """
heat_template_version: 2021-04-16
resources:
  first: {type: OS::Heat::TestResource, properties: {value: x}}
  second: {type: OS::Heat::TestResource, properties: {value: {get_attr: [first, output]}}}
  third: {type: OS::Heat::RandomString}
"""

Row = tuple[str, float, float]


class Service:
    """A running service, and what its processes have used."""

    def __init__(self, process: psutil.Popen, port: int) -> None:
        self._process, self._session = process, requests.Session()
        self._url = f'http://127.0.0.1:{port}/v1/default'

    def processor_ms(self) -> float:
        return 1000 * sum(
            sum(each.cpu_times()[:2])
            for each in (self._process, *self._process.children(recursive=True))
        )

    def memory_mb(self) -> float:
        family = (self._process, *self._process.children(recursive=True))
        return sum(each.memory_info().rss for each in family) / 2**20

    def ask(self, method: str, path: str, body: dict | None = None) -> requests.Response:
        answer = self._session.request(method, self._url + path, json=body, timeout=WAIT_SECONDS)
        answer.raise_for_status()
        return answer

    def act(self, method: str, path: str, body: dict | None, stack: str) -> None:
        """Start an action and wait for its end."""
        self.ask(method, path, body)
        end = time.monotonic() + WAIT_SECONDS
        while (status := self._status(stack)).endswith('IN_PROGRESS'):
            assert time.monotonic() < end, f'{stack} is still {status}'
            time.sleep(POLL_SECONDS)
        assert status.endswith('COMPLETE'), f'{stack} is {status}'

    def _status(self, stack: str) -> str:
        listed = self.ask('GET', f'/stacks?name={stack}').json()['stacks']
        return listed[0]['stack_status'] if listed else 'DELETE_COMPLETE'

    def path(self, stack: str) -> str:
        [found] = self.ask('GET', f'/stacks?name={stack}').json()['stacks']
        return f'/stacks/{stack}/{found["id"]}'


@contextlib.contextmanager
def serving(checkout: Path) -> Iterator[Service]:
    """Run the service of a checkout with a data folder of its own."""
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, open(Path(folder, 'log'), 'wb') as log:
        Path(folder, 'options').write_text(OPTIONS)
        command = [checkout / '.venv/bin/heat-lite', 'up', '--port', str(port)]
        command += ['--data-dir', folder, '--config-file', Path(folder, 'options')]
        process = psutil.Popen(command, cwd=folder, stdout=log, stderr=log)
        service = Service(process, port)
        try:
            end = time.monotonic() + WAIT_SECONDS
            while not _answers(service):
                assert process.poll() is None and time.monotonic() < end, Path(log.name).read_text()
                time.sleep(0.05)
            yield service
        finally:
            with contextlib.suppress(psutil.NoSuchProcess):  # it has failed
                process.terminate()
                process.wait(30)


def _answers(service: Service) -> bool:
    with contextlib.suppress(requests.ConnectionError):
        service.ask('GET', '/stacks')
        return True
    return False


def flat(number: int, value: str = 'x') -> dict:
    """Return a template of resources that need each other nowhere."""
    one = {'type': 'OS::Heat::TestResource', 'properties': {'value': value}}
    return {**VERSION, 'resources': {f'r{index}': one for index in range(number)}}


def chain(number: int) -> dict:
    """Return a template of which each resource needs the one before."""
    resources = flat(number)['resources']
    return {
        **VERSION,
        'resources': {
            name: {**each, 'depends_on': f'r{index - 1}'} if index else each
            for index, (name, each) in enumerate(resources.items())
        },
    }


def group(number: int) -> dict:
    """Return a template of a group of stacks with three resources each."""
    properties = {'count': number, 'resource_def': {'type': 'member.yaml'}}
    one = {'type': 'OS::Heat::ResourceGroup', 'properties': properties}
    return {**VERSION, 'resources': {'group': one}}


def mixed(number: int, constant: str = 'x', few: str = 'x') -> dict:
    """Return a template with a quarter each of strings, of their copies, and of two others.

    ``constant``: the value of one resource. ``few``: that of the parameter that 20 resources read.
    """
    resources: dict[str, dict] = {}
    for index in range(0, number, 4):
        name, read = f'r{index}', 'few' if index < 80 else 'many'
        value = constant if index == 0 else 'x'
        resources |= {
            name: {'type': 'OS::Heat::RandomString'},
            f'{name}_copy': {
                'type': 'OS::Heat::Value',
                'properties': {'value': {'get_attr': [name, 'value']}},
            },
            f'{name}_fixed': {'type': 'OS::Heat::TestResource', 'properties': {'value': value}},
            f'{name}_given': {
                'type': 'OS::Heat::TestResource',
                'properties': {'value': {'get_param': read}},
                'depends_on': name,
            },
        }
    parameters = {'few': few, 'many': 'x'}
    declared = {each: {'type': 'string', 'default': parameters[each]} for each in parameters}
    return {**VERSION, 'parameters': declared, 'resources': resources}


def timed(service: Service, name: str, work: Callable[[], object], times: int = 1) -> Row:
    """Return (name, ms by the clock, ms of processor time) of some work."""
    began, used = time.monotonic(), service.processor_ms()
    for _ in range(times):
        work()
    wall = 1000 * (time.monotonic() - began)
    time.sleep(0.3)  # what follows the end of an action belongs to it
    return name, wall / times, (service.processor_ms() - used) / times


def previews(service: Service, size: int) -> Iterator[Row]:
    """Yield the row of each preview."""
    time.sleep(LOADING_SECONDS)
    body = {'stack_name': 'mixed', 'template': mixed(size)}
    ask = functools.partial(service.ask, 'POST', '/stacks/preview', body)
    yield timed(service, f'preview, create of {size}', ask)
    service.act('POST', '/stacks', body, 'mixed')
    path = service.path('mixed') + '/preview'
    for name, template in {
        'nothing': mixed(size),
        'one property': mixed(size, constant='y'),
        'a parameter of 20': mixed(size, few='y'),
    }.items():
        ask = functools.partial(service.ask, 'PUT', path, {'template': template})
        yield timed(service, f'preview, {name} of {size}', ask)


def scenarios(service: Service, size: int) -> Iterator[Row]:
    """Yield the row of each scenario."""

    def send(name: str, method: str, stack: str, template: dict | None) -> Row:
        path = '/stacks' if method == 'POST' else service.path(stack)
        body = template and {
            'stack_name': stack,
            'template': template,
            'files': {'member.yaml': MEMBER},
        }
        return timed(service, name, lambda: service.act(method, path, body, stack))

    _, wall, _ = send('first create', 'POST', 'first', flat(1))
    time.sleep(LOADING_SECONDS)
    # a create waits for what is loaded meanwhile, so its own processor time tells little
    yield 'first create; CPU with start and loading', wall, service.processor_ms()
    yield send(f'create of {size}', 'POST', 'flat', flat(size))
    stack = service.path('flat')
    for name, path in {
        'one stack': stack,
        f'resources of {size}': f'{stack}/resources',
        f'events of {size}': f'{stack}/events',
        'template': f'{stack}/template',
        'list of stacks': '/stacks',
        'build info': '/build_info',
    }.items():
        yield timed(service, f'GET, {name}', functools.partial(service.ask, 'GET', path), READS)
    yield send(f'one property of {size}', 'PUT', 'flat', flat(size, 'y'))
    yield send(f'nothing of {size}', 'PUT', 'flat', flat(size, 'y'))
    yield send(f'delete of {size}', 'DELETE', 'flat', None)
    yield send(f'chain of {size}, create', 'POST', 'chain', chain(size))
    yield send(f'chain of {size}, delete', 'DELETE', 'chain', None)
    yield send(f'group of {size // 4} x 3, create', 'POST', 'group', group(size // 4))
    yield send(f'group of {size // 4} x 3, delete', 'DELETE', 'group', None)


def measure(
    checkouts: list[Path],
    rounds: int,
    work: Callable[[Service], Iterator[Row]],
) -> dict[str, list[list[list[float]]]]:
    """Return {scenario: for each checkout (wall, CPU) of each round}. Each second round is in
    reverse order.
    """
    found: dict[str, list[list[list[float]]]] = {}
    order = list(enumerate(checkouts))
    for checkout in checkouts:  # as those of an installed package are
        compiler = [checkout / '.venv/bin/python', '-m', 'compileall', '-q', checkout / 'heat_lite']
        subprocess.run(compiler, check=True)
    for _ in range(rounds):
        for index, checkout in order:
            with serving(checkout) as service:
                start = service.memory_mb()
                rows = list(work(service))
                rows.append(('memory at start; at the end, MB', start, service.memory_mb()))
            for name, *values in rows:
                found.setdefault(name, [[] for _ in checkouts])[index].append(values)
        order.reverse()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(':')[0])
    parser.add_argument('checkouts', type=Path, nargs='+', metavar='CHECKOUT')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--size', type=int, default=200, help='resources of a stack')
    parser.add_argument('--previews', action='store_true', help='measure previews instead')
    options = parser.parse_args()
    checkouts = [each.resolve() for each in options.checkouts]
    work = functools.partial(previews if options.previews else scenarios, size=options.size)
    found = measure(checkouts, options.rounds, work)
    print('load of the machine at the end:', *(f'{each:.1f}' for each in os.getloadavg()))
    print('| scenario |', *(f'{each.name}: wall / CPU ms |' for each in checkouts))
    print('|---|' + '---|' * len(checkouts))
    for name, columns in found.items():
        medians = (map(statistics.median, zip(*rows, strict=True)) for rows in columns)
        print(f'| {name} |', *(f'{wall:.1f} / {used:.1f} |' for wall, used in medians))


if __name__ == '__main__':
    main()
