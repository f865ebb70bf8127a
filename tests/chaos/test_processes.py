"""Real processes over a real broker and database: engines are killed, stopped for a while, exchanged, and cut off, while stacks are made.

HEAT_LITE_STACKS in the environment says how many stacks are made, HEAT_LITE_KILL_SECONDS how often an engine is killed.
"""

import concurrent.futures
import contextlib
import random
import signal
import subprocess
import time

import pytest
import requests
import sqlalchemy

from tests import databases
from tests.chaos import cloud as chaos_cloud
from tests.chaos import clusters
from tests.chaos.clusters import KILL_SECONDS, PATIENCE, STACKS, create_all
from tests.chaos.test_kills import FILES, FIRST, GENERATED, INSIDE, THING, template, thing

NESTED = template(a=thing(), n={'type': 'inside.yaml', 'depends_on': ['a']})


@pytest.fixture
def cluster(request, tmp_path):
    with clusters.shared(request.param, tmp_path) as cluster:
        yield cluster


def on(*backends):
    """What does not depend on the database is tried with one."""
    return pytest.mark.parametrize('cluster', backends, indirect=True)


@on('mysql', 'postgresql')
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


@on('postgresql')
def test_a_rolling_restart_loses_nothing(cluster):
    names = create_all(cluster, STACKS, template=template(a=thing(GENERATED, wait=3), b=thing(THING, 'a')))
    for process in list(cluster.engines):
        _, log = cluster.start_engine()
        clusters.wait_for(lambda log=log: 'is ready' in log.read_text())
        began = time.monotonic()
        cluster.kill(process, signal.SIGTERM)
        assert process.returncode == 0 and time.monotonic() - began < 30
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    assert not cluster.violations()


@on('mysql')
def test_a_cancel_reaches_a_stack_wherever_it_is(cluster):
    names = create_all(cluster, 6, template=template(a=thing(THING)))
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    for name in names:
        answer = cluster.ask('PUT', cluster.path(name), {'template': template(a=thing(THING), b=thing(GENERATED, wait=8))})
        assert answer.status_code == 202
        assert cluster.ask('POST', f'{cluster.path(name)}/actions', {'cancel_update': None}).status_code == 200
    # what has been begun on a resource comes to its end, nothing else is begun
    assert set(cluster.wait(names).values()) == {'ROLLBACK_COMPLETE'}, cluster.reasons()
    assert not cluster.violations()


@on('mysql')
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


@on('postgresql')
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
    clusters.wait_for(lambda: not cluster.states())
    assert chaos_cloud.cloud.names() == [] and not cluster.violations()


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


@on('mysql', 'postgresql')
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
