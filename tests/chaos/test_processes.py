"""Engines over RabbitMQ and a database are killed, paused, replaced and disconnected under load.

HEAT_LITE_STACKS is the number of stacks to create, HEAT_LITE_KILL_SECONDS the interval at which
engines are killed.
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
from tests.chaos import cloud as chaos_cloud, clusters
from tests.chaos.clusters import KILL_SECONDS, STACKS, WAIT_SECONDS, create_all
from tests.chaos.test_engine_crashes import FILES, FIRST, GENERATED, INSIDE, THING, template, thing

NESTED = template(a=thing(), n={'type': 'nested.yaml', 'depends_on': ['a']})


@pytest.fixture
def cluster(request, tmp_path):
    with clusters.running_on_shared_servers(request.param, tmp_path) as cluster:
        yield cluster


def on(*backends):
    """Limit a test that does not depend on the database to these backends."""
    return pytest.mark.parametrize('cluster', backends, indirect=True)


@on('mysql', 'postgresql')
def test_stacks_complete_while_engines_are_killed(cluster):
    chance = random.Random(1)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        making = pool.submit(create_all, cluster, STACKS, pause=1)
        killed, until = 0, time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            time.sleep(KILL_SECONDS)
            if making.done() and not any(
                'IN_PROGRESS' in state for state in cluster.states().values()
            ):
                break
            cluster.kill(chance.choice(cluster.engines))
            # engines that are killed faster than they start never do any work
            cluster.start_ready_engine()
            killed += 1
    states = cluster.wait(making.result())
    print(f'{STACKS} stacks, {killed} engines killed: {len(set(states.values()))} kinds of ends')
    assert set(states.values()) == {'CREATE_COMPLETE'}, states
    assert not cluster.violations()
    assert killed


@on('postgresql')
def test_stacks_complete_during_a_rolling_restart(cluster):
    names = create_all(
        cluster, STACKS, template=template(a=thing(GENERATED, wait=3), b=thing(THING, 'a'))
    )
    for process in list(cluster.engines):
        cluster.start_ready_engine()
        cluster.kill(process, signal.SIGTERM)
        assert process.returncode == 0
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    assert not cluster.violations()


@on('mysql')
def test_cancel_reaches_the_stack_on_any_engine(cluster):
    names = create_all(cluster, 6, template=template(a=thing(THING)))
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    for name in names:
        answer = cluster.request(
            'PUT',
            cluster.path(name),
            {'template': template(a=thing(THING), b=thing(GENERATED, held=True))},
        )
        assert answer.status_code == 202
        assert (
            cluster.request(
                'POST', f'{cluster.path(name)}/actions', {'cancel_update': None}
            ).status_code
            == 200
        )
    chaos_cloud.cloud.release()
    # steps in progress complete, no other step starts
    assert set(cluster.wait(names).values()) == {'ROLLBACK_COMPLETE'}, cluster.failure_reasons()
    assert not cluster.violations()


@on('mysql')
def test_paused_engine_is_taken_over_and_changes_nothing_afterwards(cluster):
    for number in range(4):
        cluster.create(
            f's{number}',
            template(a=thing(GENERATED, wait=2), b=thing(THING, 'a'), c=thing(GENERATED, 'b')),
        )
    sleeper = cluster.engines[0]
    time.sleep(0.5)
    sleeper.send_signal(signal.SIGSTOP)
    names = [f's{number}' for number in range(4)]
    try:
        assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    finally:
        sleeper.send_signal(signal.SIGCONT)
    time.sleep(3)  # the resumed engine finds that it lost its locks
    assert set(cluster.wait(names).values()) == {'CREATE_COMPLETE'}
    assert not cluster.violations()


@on('postgresql')
def test_nested_stacks_are_taken_over_and_deleted(cluster):
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
        answer = cluster.request('GET', f'/stacks/{name}')
        assert (
            cluster.request(
                'DELETE',
                requests.utils.urlparse(answer.headers['Location']).path.partition('/demo')[2],
            ).status_code
            == 204
        )
    clusters.wait_for(lambda: not cluster.states())
    assert chaos_cloud.cloud.names() == [] and not cluster.violations()


# --------------------------------------------------------------- lost connections


def cut_database(database):
    """Close all connections to the database, as a restart does."""
    backend = 'mysql' if database.startswith('mysql') else 'postgresql'
    name = database.rpartition('/')[2].partition('?')[0]
    with databases.admin_connection(backend) as admin:
        if backend == 'postgresql':
            admin.exec_driver_sql(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            )
            return
        for (number,) in admin.exec_driver_sql(
            f"SELECT id FROM information_schema.processlist WHERE db = '{name}'"
        ).all():
            # the connection may have closed already
            with contextlib.suppress(sqlalchemy.exc.DBAPIError):
                admin.exec_driver_sql(f'KILL {number}')


def cut_broker(transport):
    vhost = transport.rpartition('/')[2]
    subprocess.run(
        ['rabbitmqctl', 'close_all_connections', '--vhost', vhost, 'cut'],
        capture_output=True,
        timeout=60,
        check=True,
    )


@on('mysql', 'postgresql')
def test_stacks_complete_while_connections_are_closed(cluster):
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
