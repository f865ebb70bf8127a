"""Engines, broker, database and API are killed while several engines create a tree of stacks.

The tree completes, and each object exists once.
"""

import concurrent.futures
import contextlib
import json
import signal
import subprocess

import pytest
import requests
import sqlalchemy

from heat_lite.db import migration, models
from tests import brokers, databases, servers
from tests.chaos import cloud as chaos_cloud, clusters, engine_processes
from tests.chaos.test_engine_crashes import GENERATED, THING, template, thing

WIDE, DEEP = 5, 9
OPTIONS = '[heat_lite]\nnested_stacks_at_work = {limit}\n[DEFAULT]\n'
NESTED = template(a=thing(), b=thing(GENERATED, 'a', wait=0.7, steps=2), c=thing(THING, 'b'))
MIDDLE = template(**{f'm{number}': {'type': 'nested.yaml'} for number in range(DEEP)})
TREE = template(**{f't{number}': {'type': 'middle.yaml'} for number in range(WIDE)})
FILES = {'nested.yaml': json.dumps(NESTED), 'middle.yaml': json.dumps(MIDDLE)}
STACKS, OBJECTS = WIDE * (1 + DEEP), WIDE * DEEP * 3


def rows(cluster, query):
    with engine_processes.connect(cluster.database) as connection:
        return connection.execute(query).all()


def locks(cluster):
    """Return ``{engine id: names of the stacks whose locks it holds}``."""
    lock, stack = models.stack_lock, models.stack
    found = {}
    for engine_id, name in rows(
        cluster,
        sqlalchemy.select(lock.c.engine_id, stack.c.name).join(
            stack, stack.c.id == lock.c.stack_id
        ),
    ):
        found.setdefault(engine_id, set()).add(name)
    return found


def count_started(cluster):
    """Return the number of nested stacks."""
    return len(
        rows(
            cluster,
            sqlalchemy.select(models.stack.c.id).where(models.stack.c.owner_id.is_not(None)),
        )
    )


def count_complete(cluster):
    """Return the number of complete nested stacks."""
    table = models.stack
    return len(
        rows(
            cluster,
            sqlalchemy.select(table.c.id).where(
                table.c.owner_id.is_not(None), table.c.status == 'COMPLETE'
            ),
        )
    )


def process_of(cluster, engine_id):
    """Return the process of an engine, by the id in its log."""
    logs = (
        path
        for path in cluster.folder.glob('engine-*.log')
        if f'Engine {engine_id} is ready' in path.read_text()
    )
    return cluster.service.processes[next(logs).stem]


def victim(cluster, is_root):
    """Return the process of an engine that locks nested stacks, or None.

    ``is_root`` says whether the engine must also lock the root stack.
    """
    for engine_id, names in locks(cluster).items():
        if ('tree' in names) is is_root and len(names) > 1:
            return process_of(cluster, engine_id)
    return None


@contextlib.contextmanager
def midway(cluster):
    """Run the block when half of a tree is in progress; afterwards the tree must be complete."""
    cluster.create('tree', TREE, files=FILES)
    clusters.wait_for(lambda: count_started(cluster) >= STACKS // 2)
    yield
    assert cluster.wait(['tree']) == {'tree': 'CREATE_COMPLETE'}, cluster.failure_reasons()
    assert count_complete(cluster) == STACKS
    assert not cluster.violations()
    assert len(chaos_cloud.cloud.names()) == OBJECTS


def pause_victim(cluster, is_root):
    """Pause an engine that locks nested stacks; return its process.

    The engine may have released them before it paused: then it goes on, and another is paused.
    """
    while True:
        process = clusters.wait_for(lambda: victim(cluster, is_root))
        process.send_signal(signal.SIGSTOP)
        if victim(cluster, is_root) is process:
            return process
        process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize('limit', [0, 6])
@pytest.mark.parametrize(
    'is_root', [False, True], ids=['an engine of some branches', 'the engine of the trunk']
)
def test_tree_of_a_killed_engine_is_completed(tmp_path, limit, is_root):
    with (
        clusters.running_on_shared_servers(
            'mysql', tmp_path, engines=3, options=OPTIONS.format(limit=limit)
        ) as cluster,
        midway(cluster),
    ):
        cluster.kill(pause_victim(cluster, is_root))


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_tree_of_a_paused_engine_is_completed(kind, tmp_path):
    """Open transactions and row locks of the paused engine must not block the other engines."""
    with (
        clusters.running_on_shared_servers(
            kind, tmp_path, options=OPTIONS.format(limit=0)
        ) as cluster,
        midway(cluster),
    ):
        pause_victim(cluster, False)


def test_tree_completes_after_a_broker_restart(tmp_path):
    options = OPTIONS.format(limit=0) + 'rpc_response_timeout = 5'
    with servers.running('rabbitmq') as server, databases.migrated('mysql', tmp_path) as database:
        with (
            clusters.running(tmp_path, database, server.url, options=options) as cluster,
            midway(cluster),
        ):
            server.kill()
            server.start()


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_tree_completes_after_a_database_restart(kind, tmp_path):
    with servers.running(kind) as server, brokers.virtual_host_or_skip() as transport:
        database = server.create('chaos')
        migration.sync(database)
        with (
            clusters.running(
                tmp_path, database, transport, options=OPTIONS.format(limit=0)
            ) as cluster,
            midway(cluster),
        ):
            server.kill()
            server.start()


def test_create_repeated_after_the_api_was_killed_completes(tmp_path):
    """The response is lost; the repeated request finds the tree or creates it."""
    with clusters.running_on_shared_servers(
        'mysql', tmp_path, options=OPTIONS.format(limit=0)
    ) as cluster:
        for engine in cluster.engines:
            engine.send_signal(signal.SIGSTOP)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            request = pool.submit(
                cluster.service.ask,
                'POST',
                '/stacks',
                {'stack_name': 'tree', 'template': TREE, 'files': FILES},
            )
            clusters.wait_for(lambda: waits_for_engines(cluster))
            cluster.service.processes['api'].kill()
            cluster.service.processes['api'].wait()
            with pytest.raises(requests.ConnectionError):
                request.result()
        for engine in cluster.engines:
            engine.send_signal(signal.SIGCONT)
        cluster.start_api()
        with midway(cluster):
            pass


def waits_for_engines(cluster):
    """Return whether a request to engines is queued."""
    vhost = cluster.transport.rpartition('/')[2]
    command = ['rabbitmqctl', '-q', 'list_queues', '-p', vhost, 'name', 'messages']
    listed = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True
    ).stdout.splitlines()
    return any(name == 'engine' and int(count) for name, count in map(str.split, listed))
