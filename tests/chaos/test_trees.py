"""While several engines make a tree of stacks one is killed or stopped, or what they work with restarts: the tree completes, and each
object is there once.
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
from tests.chaos import cloud as chaos_cloud
from tests.chaos import clusters, lives
from tests.chaos.test_kills import GENERATED, THING, template, thing

WIDE, DEEP = 5, 9
OPTIONS = '[heat_lite]\nnested_stacks_at_work = {limit}\n[DEFAULT]\n'
INSIDE = template(a=thing(), b=thing(GENERATED, 'a', wait=0.7, steps=2), c=thing(THING, 'b'))
MIDDLE = template(**{f'm{number}': {'type': 'inside.yaml'} for number in range(DEEP)})
TREE = template(**{f't{number}': {'type': 'middle.yaml'} for number in range(WIDE)})
FILES = {'inside.yaml': json.dumps(INSIDE), 'middle.yaml': json.dumps(MIDDLE)}
STACKS, OBJECTS = WIDE * (1 + DEEP), WIDE * DEEP * 3


def rows(cluster, query):
    with lives.reading(cluster.database) as connection:
        return connection.execute(query).all()


def locks(cluster):
    """``{engine: names of the stacks that it works on}``."""
    lock, stack = models.stack_lock, models.stack
    found = {}
    for engine_id, name in rows(cluster, sqlalchemy.select(lock.c.engine_id, stack.c.name).join(stack, stack.c.id == lock.c.stack_id)):
        found.setdefault(engine_id, set()).add(name)
    return found


def begun(cluster):
    """How many stacks inside others there are."""
    return len(rows(cluster, sqlalchemy.select(models.stack.c.id).where(models.stack.c.owner_id.is_not(None))))


def made(cluster):
    """How many of them are complete."""
    table = models.stack
    return len(rows(cluster, sqlalchemy.select(table.c.id).where(table.c.owner_id.is_not(None), table.c.status == 'COMPLETE')))


def process_of(cluster, engine_id):
    """Each says in its log who it is."""
    logs = (path for path in cluster.folder.glob('engine-*.log') if f'Engine {engine_id} is ready' in path.read_text())
    return cluster.service.processes[next(logs).stem]


def victim(cluster, top):
    """The process of an engine that works on stacks inside others, and on the whole of the tree, or not."""
    for engine_id, names in locks(cluster).items():
        if ('tree' in names) is top and len(names) > 1:
            return process_of(cluster, engine_id), names
    return None


@contextlib.contextmanager
def midway(cluster):
    """In here half of a tree has been begun; afterwards it must have been made completely, each object once."""
    cluster.create('tree', TREE, files=FILES)
    clusters.wait_for(lambda: begun(cluster) >= STACKS // 2)
    yield
    assert cluster.wait(['tree']) == {'tree': 'CREATE_COMPLETE'}, cluster.reasons()
    assert made(cluster) == STACKS
    assert not cluster.violations()
    assert len(chaos_cloud.cloud.names()) == OBJECTS


def find_victim(cluster, top):
    found = []  # by the next look it may have ended
    clusters.wait_for(lambda: found.append(victim(cluster, top)) or any(found))
    return next(filter(None, found))


@pytest.mark.parametrize('limit', [0, 6])
@pytest.mark.parametrize('top', [False, True], ids=['an engine of some branches', 'the engine of the trunk'])
def test_an_engine_is_killed_in_the_midst_of_a_tree(tmp_path, limit, top):
    with clusters.shared('mysql', tmp_path, engines=3, options=OPTIONS.format(limit=limit)) as cluster, midway(cluster):
        process, names = find_victim(cluster, top)
        cluster.kill(process)
        assert made(cluster) < STACKS, names


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_an_engine_hangs_in_the_midst_of_a_tree(kind, tmp_path):
    """The transactions that it is in, and the locks in the database that it has so, must not keep others from what it was at."""
    with clusters.shared(kind, tmp_path, options=OPTIONS.format(limit=0)) as cluster, midway(cluster):
        process, _ = find_victim(cluster, False)
        process.send_signal(signal.SIGSTOP)


def test_the_broker_restarts_in_the_midst_of_a_tree(tmp_path):
    options = OPTIONS.format(limit=0) + 'rpc_response_timeout = 5'
    with servers.running('rabbitmq') as server, databases.migrated('mysql', tmp_path) as database:
        with clusters.running(tmp_path, database, server.url, options=options) as cluster, midway(cluster):
            server.kill()
            server.start()


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_the_database_restarts_in_the_midst_of_a_tree(kind, tmp_path):
    with servers.running(kind) as server, brokers.virtual_host_or_skip() as transport:
        database = server.create('chaos')
        migration.sync(database)
        with clusters.running(tmp_path, database, transport, options=OPTIONS.format(limit=0)) as cluster, midway(cluster):
            server.kill()
            server.start()


def test_the_api_is_killed_in_the_midst_of_a_create(tmp_path):
    """Nobody hears of the answer; who asks again finds the tree, or has it made."""
    with clusters.shared('mysql', tmp_path, options=OPTIONS.format(limit=0)) as cluster:
        for engine in cluster.engines:
            engine.send_signal(signal.SIGSTOP)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(cluster.service.ask, 'POST', '/stacks', {'stack_name': 'tree', 'template': TREE, 'files': FILES})
            clusters.wait_for(lambda: waits_for_engines(cluster))
            cluster.service.processes['api'].kill()
            cluster.service.processes['api'].wait()
            with pytest.raises(requests.ConnectionError):
                asked.result()
        for engine in cluster.engines:
            engine.send_signal(signal.SIGCONT)
        cluster.start_api()
        with midway(cluster):
            pass


def waits_for_engines(cluster):
    """Whether a request is under way to them."""
    vhost = cluster.transport.rpartition('/')[2]
    command = ['rabbitmqctl', '-q', 'list_queues', '-p', vhost, 'name', 'messages']
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return any(name == 'engine' and int(count) for name, count in map(str.split, listed))
