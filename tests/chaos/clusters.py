"""The service as real processes over a real broker and database, whose engines can be killed, stopped for a while and exchanged.

HEAT_LITE_STACKS in the environment says how many stacks are made, HEAT_LITE_KILL_SECONDS how often an engine is killed.
"""

import concurrent.futures
import contextlib
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import requests

from tests import brokers, databases, waiting
from tests.chaos import cloud as chaos_cloud
from tests.chaos import lives
from tests.chaos.test_kills import GENERATED, THING, template, thing
from tests.functional import shapes

STACKS = int(os.environ.get('HEAT_LITE_STACKS', '16'))
KILL_SECONDS = float(os.environ.get('HEAT_LITE_KILL_SECONDS', '2.5'))
PATIENCE = waiting.PATIENCE + STACKS
CONFIGURATION = """
    [DEFAULT]
    transport_url = {transport}
    rpc_response_timeout = 20
    engine_life_check_timeout = 1
    max_stacks_per_tenant = -1
    {options}
    [heat_lite]
    heartbeat_interval = 1
    take_over_interval = 0.5
    graceful_shutdown_timeout = 5
    [database]
    connection = {database}
    [heat_api]
    bind_host = 127.0.0.1
    bind_port = {port}
    workers = 1
    [paste_deploy]
    flavor = noauth
"""
SMALL = template(a=thing(), b=thing(GENERATED, 'a', wait=1.5, steps=2), c=thing(THING, 'b'))


class Cluster:
    """An API and some engines; ``service`` is the API as its clients see it."""

    def __init__(self, folder, database, transport, service):
        self.folder, self.database, self.transport, self.service = folder, database, transport, service
        self.numbers = itertools.count()
        self.engines = []

    def start_engine(self, *wrapper):
        name = f'engine-{next(self.numbers)}'
        command = (sys.executable, '-m', 'tests.chaos.engine', self.folder / 'cloud', '--config-file', self.folder / 'heat.conf')
        process = shapes.start(self.service, name, *wrapper, *command)
        self.engines.append(process)
        return process, self.folder / f'{name}.log'

    def start_api(self):
        """The process of the API; of an earlier one the children may still be about to end."""
        until = time.monotonic() + PATIENCE
        while True:
            process = shapes.start(self.service, 'api', shapes.BIN / 'heat-lite-api', '--config-file', self.folder / 'heat.conf')
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)
            if process.returncode is None:
                return process
            assert time.monotonic() < until, self.service.logs()

    def kill(self, process, signum=signal.SIGKILL):
        process.send_signal(signum)
        process.wait(PATIENCE)
        self.engines.remove(process)

    def ask(self, method, path, data=None, seconds=PATIENCE, **options):
        """One request; what meets nobody, or a full house, is asked again, as clients do."""
        until = time.monotonic() + seconds
        while True:
            pause = 0.5
            try:
                answer = self.service.ask(method, path, data, **options)
                if answer.status_code not in (429, 503, 504) or time.monotonic() > until:
                    return answer
                pause = float(answer.headers.get('Retry-After', pause))
            except requests.ConnectionError:
                if time.monotonic() > until:
                    raise
            time.sleep(pause)

    def create(self, name, template=SMALL, **args):
        answer = self.ask('POST', '/stacks', {'stack_name': name, 'template': template, **args})
        # asked again, it may have been made the first time
        assert answer.status_code in (201, 409), answer.text
        return name

    def states(self):
        listed = self.ask('GET', '/stacks').json()['stacks']
        return {each['stack_name']: each['stack_status'] for each in listed}

    def path(self, name):
        """Of a stack, below the project's."""
        answer = self.ask('GET', f'/stacks/{name}')
        return requests.utils.urlparse(answer.headers['Location']).path.partition('/demo')[2]

    def queues(self, prefix):
        """The names of the broker's queues that begin so."""
        vhost = self.transport.rpartition('/')[2]
        listed = subprocess.run(['rabbitmqctl', '-q', 'list_queues', '-p', vhost, 'name'], capture_output=True, text=True, check=True)
        return [name for name in listed.stdout.split() if name.startswith(prefix)]

    @staticmethod
    def objects():
        """The names of all that is in the cloud."""
        return chaos_cloud.cloud.names()

    def reasons(self):
        """Of the stacks that have failed."""
        listed = self.ask('GET', '/stacks').json()['stacks']
        return {each['stack_name']: each['stack_status_reason'] for each in listed if each['stack_status'].endswith('FAILED')}

    def wait(self, names, seconds=PATIENCE):
        """Until none of them is in progress; gives their states."""
        until = time.monotonic() + seconds
        while True:
            states = self.states()
            if all(name in states and not states[name].endswith('IN_PROGRESS') for name in names):
                return {name: states[name] for name in names}
            assert time.monotonic() < until, f'{states}\n{self.service.logs()}'
            time.sleep(0.3)

    def violations(self):
        until = time.monotonic() + PATIENCE  # a lock goes a moment after the last state
        while (found := lives.violations(self.database, lambda stacks, rows: ())) and time.monotonic() < until:
            time.sleep(0.3)
        return found


@contextlib.contextmanager
def running(folder, database, transport, engines=2, options=''):
    """A Cluster on this (migrated) database and broker; ``options`` are lines of [DEFAULT]."""
    (folder / 'cloud').mkdir()
    chaos_cloud.cloud.folder = folder / 'cloud'
    port = shapes.free_port()
    service = shapes.Service('chaos', f'http://127.0.0.1:{port}/v1', 'demo', folder)
    text = textwrap.dedent(CONFIGURATION).format(transport=transport, database=database, port=port, options=options)
    (folder / 'heat.conf').write_text(text)
    cluster = Cluster(folder, database, transport, service)
    try:
        logs = [cluster.start_engine()[1] for _ in range(engines)]
        cluster.start_api()
        # a request that came before them would wait in vain until it has timed out
        wait_for(lambda: all('is ready' in log.read_text() for log in logs))
        shapes.wait_until_ready(service)
        yield cluster
    finally:
        for process in service.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait(10)


@contextlib.contextmanager
def shared(backend, folder, **args):
    """One on the servers of this machine, in a database and a virtual host of its own."""
    with databases.migrated(backend, folder) as database, brokers.virtual_host_or_skip() as transport:
        with running(folder, database, transport, **args) as cluster:
            yield cluster


def create_all(cluster, count, pause=0, **args):
    def create(number):
        time.sleep(pause)
        return cluster.create(f's{number}', **args)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(create, range(count)))


def wait_for(condition, seconds=PATIENCE):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


def under_load(cluster, disturb, times, pause=1):
    """Make stacks all the time while ``disturb(number)`` is called so many times; afterwards all must be well."""
    over = threading.Event()

    def create(worker):
        names = []
        while not over.wait(pause) and len(names) < STACKS:
            names.append(cluster.create(f's{worker}-{len(names)}'))
        return names

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        making = [pool.submit(create, worker) for worker in range(3)]
        try:
            for number in range(times):
                time.sleep(2)
                disturb(number)
        finally:
            over.set()
        names = [name for made in making for name in made.result()]
    states = cluster.wait(names)
    print(f'{len(names)} stacks, disturbed {times} times')
    assert set(states.values()) == {'CREATE_COMPLETE'}, f'{cluster.reasons()}\n{cluster.service.logs()}'
    assert not cluster.violations()
