"""Real processes over a real broker and database: engines are killed, stopped for a while, exchanged, and cut off, while stacks are made.

HEAT_LITE_STACKS in the environment says how many stacks are made, HEAT_LITE_KILL_SECONDS how often an engine is killed.
"""

import concurrent.futures
import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import requests
import sqlalchemy

from tests import brokers, databases
from tests.chaos import cloud as chaos_cloud
from tests.chaos import lives
from tests.chaos.test_kills import FILES, FIRST, GENERATED, INSIDE, THING, template, thing
from tests.functional import shapes

STACKS = int(os.environ.get('HEAT_LITE_STACKS', '16'))
KILL_SECONDS = float(os.environ.get('HEAT_LITE_KILL_SECONDS', '2.5'))
PATIENCE = 60 + STACKS
CONFIGURATION = """
    [DEFAULT]
    transport_url = {transport}
    rpc_response_timeout = 20
    engine_life_check_timeout = 1
    max_stacks_per_tenant = -1
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
NESTED = template(a=thing(), n={'type': 'inside.yaml', 'depends_on': ['a']})


class Cluster:
    """An API and some engines; ``service`` is the API as its clients see it."""

    def __init__(self, folder, database, service):
        self.folder, self.database, self.service = folder, database, service
        self.numbers = itertools.count()
        self.engines = []

    def start_engine(self):
        name = f'engine-{next(self.numbers)}'
        command = (sys.executable, '-m', 'tests.chaos.engine', self.folder / 'cloud', '--config-file', self.folder / 'heat.conf')
        process = shapes.start(self.service, name, *command)
        self.engines.append(process)
        return process, self.folder / f'{name}.log'

    def kill(self, process, signum=signal.SIGKILL):
        process.send_signal(signum)
        process.wait(30)
        self.engines.remove(process)

    def ask(self, method, path, data=None, tries=20, **options):
        """One request; what meets nobody, or a full house, is asked again, as clients do."""
        for _ in range(tries):
            answer = self.service.ask(method, path, data, **options)
            if answer.status_code not in (429, 503, 504):
                return answer
            time.sleep(float(answer.headers.get('Retry-After', 0.5)))
        return answer

    def create(self, name, template=SMALL, **args):
        answer = self.ask('POST', '/stacks', {'stack_name': name, 'template': template, **args})
        # asked again, it may have been made the first time
        assert answer.status_code in (201, 409), answer.text
        return name

    def states(self):
        listed = self.ask('GET', '/stacks').json()['stacks']
        return {each['stack_name']: each['stack_status'] for each in listed}

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
        until = time.monotonic() + 15  # a lock goes a moment after the last state
        while (found := lives.violations(self.database, lambda stacks, rows: ())) and time.monotonic() < until:
            time.sleep(0.3)
        return found


@pytest.fixture(params=['mysql', 'postgresql'])
def cluster(request, tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    port = shapes.free_port()
    service = shapes.Service('chaos', f'http://127.0.0.1:{port}/v1', 'demo', tmp_path)
    with databases.migrated(request.param, tmp_path) as database, brokers.virtual_host_or_skip() as transport:
        text = textwrap.dedent(CONFIGURATION).format(transport=transport, database=database, port=port)
        (tmp_path / 'heat.conf').write_text(text)
        cluster = Cluster(tmp_path, database, service)
        cluster.transport = transport
        for _ in range(2):
            cluster.start_engine()
        shapes.start(service, 'api', shapes.BIN / 'heat-lite-api', '--config-file', tmp_path / 'heat.conf')
        try:
            shapes.wait_until_ready(service)
            yield cluster
        finally:
            for process in service.processes.values():
                if process.poll() is None:
                    process.send_signal(signal.SIGCONT)
                    process.kill()
                process.wait(10)


def create_all(cluster, count, pause=0, **args):
    def create(number):
        time.sleep(pause)
        return cluster.create(f's{number}', **args)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(create, range(count)))


def test_engines_are_killed_again_and_again(cluster):
    chance = random.Random(1)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        making = pool.submit(create_all, cluster, STACKS, pause=1)
        killed, until = 0, time.monotonic() + PATIENCE
        while time.monotonic() < until:
            time.sleep(KILL_SECONDS)
            if making.done() and not any('IN_PROGRESS' in state for state in cluster.states().values()):
                break
            cluster.kill(chance.choice(cluster.engines))
            cluster.start_engine()
            killed += 1
    states = cluster.wait(making.result())
    print(f'{STACKS} stacks, {killed} engines killed: {len(set(states.values()))} kinds of ends')
    assert set(states.values()) == {'CREATE_COMPLETE'}, states
    assert not cluster.violations()
    assert killed


def test_a_rolling_restart_loses_nothing(cluster):
    names = create_all(cluster, STACKS, template=template(a=thing(GENERATED, wait=3), b=thing(THING, 'a')))
    for process in list(cluster.engines):
        _, log = cluster.start_engine()
        wait_for(lambda log=log: 'is ready' in log.read_text())
        began = time.monotonic()
        cluster.kill(process, signal.SIGTERM)
        assert process.returncode == 0 and time.monotonic() - began < 10
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    assert not cluster.violations()


def test_an_engine_that_sleeps_longer_than_its_heart_may_finds_itself_replaced(cluster):
    for number in range(4):
        cluster.create(f's{number}', template(a=thing(GENERATED, wait=2), b=thing(THING, 'a'), c=thing(GENERATED, 'b')))
    sleeper = cluster.engines[0]
    time.sleep(0.5)
    sleeper.send_signal(signal.SIGSTOP)
    names = [f's{number}' for number in range(4)]
    try:
        assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    finally:
        sleeper.send_signal(signal.SIGCONT)
    time.sleep(3)  # it finds out, and disturbs nothing
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    assert not cluster.violations()


def test_a_tree_is_taken_over_and_can_be_deleted(cluster):
    cluster.create('tree', NESTED, files=FILES)
    cluster.create('plain', FIRST)
    time.sleep(0.3)
    for process in list(cluster.engines):
        cluster.kill(process)
    cluster.start_engine()
    assert set(cluster.wait(['tree', 'plain']).values()) == {'CREATE_COMPLETE'}
    assert not cluster.violations()
    assert INSIDE['resources'].keys() <= {name.split('-')[-2] for name in chaos_cloud.cloud.names()}
    for name in ('tree', 'plain'):
        answer = cluster.ask('GET', f'/stacks/{name}')
        assert cluster.ask('DELETE', requests.utils.urlparse(answer.headers['Location']).path.partition('/demo')[2]).status_code == 204
    wait_for(lambda: not cluster.states(), 30)
    assert chaos_cloud.cloud.names() == [] and not cluster.violations()


def wait_for(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.1)


# --------------------------------------------------------------- cut off


def cut_database(database):
    """End all connections to it, as a restart does."""
    backend = 'mysql' if database.startswith('mysql') else 'postgresql'
    name = database.rpartition('/')[2].partition('?')[0]
    with databases.server(backend) as admin:
        if backend == 'postgresql':
            admin.exec_driver_sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
            return
        for (number,) in admin.exec_driver_sql(f"SELECT id FROM information_schema.processlist WHERE db = '{name}'").all():
            with contextlib.suppress(sqlalchemy.exc.DBAPIError):  # it may have ended by itself
                admin.exec_driver_sql(f'KILL {number}')


def cut_broker(transport):
    vhost = transport.rpartition('/')[2]
    subprocess.run(['rabbitmqctl', 'close_all_connections', '--vhost', vhost, 'cut'], capture_output=True, timeout=30, check=True)


def test_connections_are_cut_again_and_again(cluster):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        making = pool.submit(create_all, cluster, STACKS, pause=0.5)
        for number in range(8):
            time.sleep(0.5)
            cut_database(cluster.database)
            if number % 4 == 3:
                cut_broker(cluster.transport)
        names = making.result()
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    assert not cluster.violations()
