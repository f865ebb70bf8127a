"""Processes of the service over RabbitMQ and a database; engines can be killed and replaced.

HEAT_LITE_STACKS is the number of stacks to create, HEAT_LITE_KILL_SECONDS the interval at which
engines are killed.
"""

import concurrent.futures
import contextlib
import dataclasses
import itertools
import os
import signal
import sys
import textwrap
import threading
import time
import urllib.parse

import requests

from tests import brokers, databases, ports, timeouts
from tests.chaos import cloud as chaos_cloud, engine_processes
from tests.chaos.test_engine_crashes import GENERATED, THING, template, thing
from tests.functional import shapes

STACKS = int(os.environ.get('HEAT_LITE_STACKS', '16'))
KILL_SECONDS = float(os.environ.get('HEAT_LITE_KILL_SECONDS', '2.5'))
WAIT_SECONDS = timeouts.WAIT_SECONDS + STACKS
CONFIGURATION = """
    [DEFAULT]
    auth_encryption_key = a key of these tests, 32 letters
    # of all engines, as openstack-helm configures them
    host = heat-engine
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
    """An API and several engines; ``service`` is the client's view of the API."""

    def __init__(self, folder, database, transport, service):
        self.folder, self.database, self.transport, self.service = (
            folder,
            database,
            transport,
            service,
        )
        self.numbers = itertools.count()
        self.engines = []

    def start_engine(self, *wrapper):
        name = f'engine-{next(self.numbers)}'
        command = (
            sys.executable,
            '-m',
            'tests.chaos.engine',
            self.folder / 'cloud',
            '--config-file',
            self.folder / 'heat.conf',
        )
        process = shapes.start(self.service, name, *wrapper, *command)
        self.engines.append(process)
        return process, self.folder / f'{name}.log'

    def start_ready_engine(self, *wrapper):
        """Start an engine, wait until it is ready, and return its process."""
        process, log = self.start_engine(*wrapper)
        wait_for(lambda: process.poll() is not None or 'is ready' in log.read_text())
        assert process.returncode is None, log.read_text()
        return process

    def start_api(self, *wrapper, service=None):
        """Start the API and return its process; retry while an earlier one holds the port.

        ``service`` is the client's view of a further API, as ``another_service`` returns it.
        """
        until = time.monotonic() + WAIT_SECONDS
        port = urllib.parse.urlsplit((service or self.service).url).port
        while True:
            process = shapes.start(
                self.service,
                f'api-{port}' if service else 'api',
                'env',
                f'OS_HEAT_API__BIND_PORT={port}',
                *wrapper,
                shapes.BIN / 'heat-lite-api',
                '--config-file',
                self.folder / 'heat.conf',
            )
            wait_for(lambda process=process: process.poll() is not None or _listens(process, port))
            if process.returncode is None:
                return process
            assert time.monotonic() < until, self.service.logs()

    def another_service(self):
        """Return the client's view of a further API, which is not started yet."""
        return dataclasses.replace(self.service, url=f'http://127.0.0.1:{ports.reserve()}/v1')

    def kill(self, process, signum=signal.SIGKILL):
        process.send_signal(signum)
        process.wait(WAIT_SECONDS)
        self.engines.remove(process)

    def request(self, method, path, data=None, seconds=WAIT_SECONDS, **options):
        """Send a request; as clients do, retry without a response and on 429, 503 and 504."""
        until = time.monotonic() + seconds
        while True:
            pause = 0.5
            try:
                answer = self.service.ask(method, path, data, **options)
                if answer.status_code not in (429, 503, 504) or time.monotonic() > until:
                    return answer
                pause = float(answer.headers.get('Retry-After', pause))
            except (requests.ConnectionError, requests.Timeout):
                if time.monotonic() > until:
                    raise
            time.sleep(pause)

    def create(self, name, template=SMALL, **args):
        answer = self.request('POST', '/stacks', {'stack_name': name, 'template': template, **args})
        # a retry finds the stack that an earlier attempt has created
        assert answer.status_code in (201, 409), answer.text
        return name

    def states(self):
        listed = self.request('GET', '/stacks').json()['stacks']
        return {each['stack_name']: each['stack_status'] for each in listed}

    def path(self, name):
        """Return the path of a stack below that of the project."""
        answer = self.request('GET', f'/stacks/{name}')
        return requests.utils.urlparse(answer.headers['Location']).path.partition('/demo')[2]

    def queues(self, prefix):
        """Return the names of the broker's queues that start with ``prefix``."""
        return [name for name in brokers.queues(self.transport) if name.startswith(prefix)]

    @staticmethod
    def objects():
        """Return the names of all objects of the cloud."""
        return chaos_cloud.cloud.names()

    def failure_reasons(self):
        """Return the status reasons of failed stacks, by name."""
        listed = self.request('GET', '/stacks').json()['stacks']
        return {
            each['stack_name']: each['stack_status_reason']
            for each in listed
            if each['stack_status'].endswith('FAILED')
        }

    def wait(self, names, seconds=WAIT_SECONDS):
        """Wait until none of these stacks is in progress; return their states."""
        until = time.monotonic() + seconds
        while True:
            states = self.states()
            if all(name in states and not states[name].endswith('IN_PROGRESS') for name in names):
                return {name: states[name] for name in names}
            assert time.monotonic() < until, f'{states}\n{self.service.logs()}'
            time.sleep(0.3)

    def violations(self):
        # the lock is released after the last state is stored
        until = time.monotonic() + WAIT_SECONDS
        while (
            violations := engine_processes.find_violations(self.database, lambda stacks, rows: ())
        ) and time.monotonic() < until:
            time.sleep(0.3)
        return violations


def _listens(process, port):
    """Return whether this process, and not an earlier one, listens on a port."""
    sockets = [line.split() for line in open('/proc/net/tcp').readlines()[1:]]
    listening = {
        f'socket:[{fields[9]}]'
        for fields in sockets
        if fields[3] == '0A' and int(fields[1].rpartition(':')[2], 16) == port
    }
    with contextlib.suppress(OSError):  # a file that is closed meanwhile
        opened = os.listdir(f'/proc/{process.pid}/fd')
        return any(os.readlink(f'/proc/{process.pid}/fd/{fd}') in listening for fd in opened)
    return False


@contextlib.contextmanager
def configured(folder, database, transport, options=''):
    """Yield a Cluster without programs; end those that are started in the block.

    ``options`` are lines of [DEFAULT].
    """
    (folder / 'cloud').mkdir()
    chaos_cloud.cloud.folder = folder / 'cloud'
    port = ports.reserve()
    service = shapes.Service('chaos', f'http://127.0.0.1:{port}/v1', 'demo', folder)
    text = textwrap.dedent(CONFIGURATION).format(
        transport=transport, database=database, port=port, options=options
    )
    (folder / 'heat.conf').write_text(text)
    try:
        yield Cluster(folder, database, transport, service)
    finally:
        for process in service.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait(WAIT_SECONDS)


@contextlib.contextmanager
def running(folder, database, transport, engines=2, options='', wrapper=()):
    """Run a Cluster on this (migrated) database and broker.

    ``options`` are lines of [DEFAULT], ``wrapper`` is the beginning of the command of each program.
    """
    with configured(folder, database, transport, options) as cluster:
        logs = [cluster.start_engine(*wrapper)[1] for _ in range(engines)]
        cluster.start_api(*wrapper)
        # a request before the engines are ready would block until its RPC timeout
        wait_for(lambda: all('is ready' in log.read_text() for log in logs))
        shapes.wait_until_ready(cluster.service)
        yield cluster


@contextlib.contextmanager
def running_on_shared_servers(backend, folder, **args):
    """Run a Cluster on this machine's servers, in its own database and virtual host."""
    with (
        databases.migrated(backend, folder) as database,
        brokers.virtual_host_or_skip() as transport,
    ):
        with running(folder, database, transport, **args) as cluster:
            yield cluster


def create_all(cluster, count, pause=0, **args):
    def create(number):
        time.sleep(pause)
        return cluster.create(f's{number}', **args)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(create, range(count)))


def wait_for(condition, seconds=WAIT_SECONDS):
    """Poll a condition until it is true; return its value."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until
        time.sleep(0.1)
    return found


def under_load(cluster, disturb, times, pause=1):
    """Create stacks while ``disturb(number)`` is called ``times`` times; all must complete."""
    stopped = threading.Event()

    def create(worker):
        names = []
        while not stopped.wait(pause) and len(names) < STACKS:
            names.append(cluster.create(f's{worker}-{len(names)}'))
        return names

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        futures = [pool.submit(create, worker) for worker in range(3)]
        try:
            for number in range(times):
                time.sleep(2)
                disturb(number)
        finally:
            stopped.set()
        names = [name for future in futures for name in future.result()]
    states = cluster.wait(names)
    print(f'{len(names)} stacks, disturbed {times} times')
    assert set(states.values()) == {'CREATE_COMPLETE'}, (
        f'{cluster.failure_reasons()}\n{cluster.service.logs()}'
    )
    assert not cluster.violations()
