"""What a walk costs, by its kind and the number of engines: python -m benchmarks.walk --help.

A flat stack is created and deleted over the API, with real engine processes on MariaDB and
RabbitMQ. A row has the seconds by the clock from the request to the end of the action, and the
processor time of the engines, the API, MariaDB and RabbitMQ meanwhile.
"""

import argparse
import contextlib
import os
import tempfile
import textwrap
import time
from pathlib import Path

import sqlalchemy

from heat_lite.db import models
from tests.attacks import bystander
from tests.chaos import engine_processes
from tests.databases import option
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

TICKS = os.sysconf('SC_CLK_TCK')
PLUGIN = """
import time

from heat_lite.plugin import properties, resource


class Call(resource.Resource):
    '''Blocks its thread in each create and delete, as a call of a cloud does.'''

    properties_schema = {
        'seconds': properties.Schema(properties.Schema.NUMBER, 'Seconds of a call.', default=0),
    }

    def handle_create(self):
        time.sleep(self.properties['seconds'])
        self.resource_id_set(self.name)

    def handle_delete(self):
        time.sleep(self.properties['seconds'])


def resource_mapping():
    return {'Test::Call': Call}
"""
OPTIONS = """
[DEFAULT]
num_engine_workers = {engines}
convergence_engine = {convergence}
max_resources_per_stack = -1
max_stacks_per_tenant = -1
max_template_size = 20000000
max_json_body_size = 20000000
plugin_dirs = {folder}
[heat_lite]
max_parallel_handlers = {parallel}
"""
#: the programs of the servers, by the name of their process
SERVERS = {'mariadbd': 'MariaDB', 'beam.smp': 'RabbitMQ'}


def resource(kind, seconds):
    if kind == 'call':
        return {'type': 'Test::Call', 'properties': {'seconds': seconds}}
    properties = {'wait_secs': seconds} if kind == 'wait' else {'value': 'x'}
    return {'type': 'OS::Heat::TestResource', 'properties': properties}


def server_processes():
    """Return the ids of the processes of the servers by their names."""
    found = {}
    for path in Path('/proc').glob('[0-9]*/comm'):
        with contextlib.suppress(OSError):
            name = SERVERS.get(path.read_text().strip())
            if name:
                found.setdefault(name, []).append(int(path.parent.name))
    return found


def seconds_of(pid):
    """Return the processor time of a process, in seconds; 0 where it has ended."""
    with contextlib.suppress(OSError):
        fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    return 0.0


def processes_of(service):
    """Return the ids of the processes that work, by the name of their part."""
    parts = {
        name: bystander.family(process.pid) for name, process in service.processes.items()
    } | server_processes()
    return {
        f'{name} {number}': pid
        for name, pids in parts.items()
        for number, pid in enumerate(sorted(pids))
    }


def run(service, database, path, method, body, status):
    """Send a request and wait for the end of its action.

    Return the seconds to the answer and to the end, and the seconds of each process.
    """
    pids = processes_of(service)
    before = {name: seconds_of(pid) for name, pid in pids.items()}
    start = time.monotonic()
    answer = service.ask(method, path, body, timeout=WAIT_SECONDS)
    assert answer.ok, answer.text
    answered = time.monotonic() - start
    with engine_processes.connect(database) as connection:
        state = sqlalchemy.select(models.stack.c.action, models.stack.c.status).order_by(
            models.stack.c.created_at.desc()
        )
        while (found := '_'.join(connection.execute(state).first())) != status:
            assert not found.endswith('FAILED'), service.logs()
            assert time.monotonic() - start < WAIT_SECONDS * 10
            connection.rollback()
            time.sleep(0.02)
    ended = time.monotonic() - start
    time.sleep(0.3)
    used = {name: seconds_of(pid) - before[name] for name, pid in pids.items()}
    return answered, ended, used


def show(label, answered, ended, used):
    shown = ', '.join(f'{name} {value:.2f}' for name, value in used.items() if value >= 0.05)
    engines = sum(value for name, value in used.items() if name.startswith('engine'))
    print(
        f'{label}: {ended:.2f} s (answer {answered:.2f}), engines {engines:.2f}; {shown}',
        flush=True,
    )


def measure(options, engines):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / 'plugins').mkdir()
        (folder / 'plugins' / 'benchmark_types.py').write_text(textwrap.dedent(PLUGIN))
        more = OPTIONS.format(
            engines=engines,
            convergence=not options.lock,
            folder=folder / 'plugins',
            parallel=options.parallel,
        )
        with shapes.split(folder, 'costs', options.database, more=more) as service:
            database = option(folder / 'heat-lite.conf', 'database', 'connection')
            time.sleep(options.settle)
            one = resource(options.kind, options.seconds)
            for round_ in range(options.rounds):
                template = {
                    'heat_template_version': '2021-04-16',
                    'resources': {f'r{number}': one for number in range(options.resources)},
                }
                body = {'stack_name': f's{round_}', 'template': template, 'timeout_mins': 60}
                label = f'{engines} engines, {options.resources} of {options.kind}'
                found = run(service, database, '/stacks', 'POST', body, 'CREATE_COMPLETE')
                show(f'{label}, create', *found)
                stacks = service.ask('GET', '/stacks').json()['stacks']
                path = next(
                    f'/stacks/{each["stack_name"]}/{each["id"]}'
                    for each in stacks
                    if each['stack_name'] == f's{round_}'
                )
                found = run(service, database, path, 'DELETE', None, 'DELETE_COMPLETE')
                show(f'{label}, delete', *found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(':')[0])
    parser.add_argument('--engines', type=int, nargs='+', default=[1, 2, 4])
    parser.add_argument('--resources', type=int, default=2000)
    parser.add_argument('--kind', choices=('local', 'wait', 'call'), default='call')
    parser.add_argument('--seconds', type=float, default=0.05)
    parser.add_argument('--parallel', type=int, default=8)
    parser.add_argument('--database', choices=('mysql', 'postgresql'), default='mysql')
    parser.add_argument('--lock', action='store_true', help='the walk of one engine')
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--settle', type=float, default=12, help='seconds before the first stack')
    options = parser.parse_args()
    for engines in options.engines:
        measure(options, engines)


if __name__ == '__main__':
    main()
