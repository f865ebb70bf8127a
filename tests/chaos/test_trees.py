"""An engine is killed while a tree of stacks is made that three engines work on: the tree completes, and each object is there once."""

import json

import pytest
import sqlalchemy

from heat_lite.db import models
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


@pytest.mark.parametrize('limit', [0, 6])
@pytest.mark.parametrize('top', [False, True], ids=['an engine of some branches', 'the engine of the trunk'])
def test_an_engine_is_killed_in_the_midst_of_a_tree(tmp_path, limit, top):
    with clusters.shared('mysql', tmp_path, engines=3, options=OPTIONS.format(limit=limit)) as cluster:
        cluster.create('tree', TREE, files=FILES)
        found = []  # by the next look it may have ended
        clusters.wait_for(lambda: begun(cluster) >= STACKS // 2 and found.append(victim(cluster, top)) or any(found), clusters.PATIENCE)
        process, names = next(filter(None, found))
        cluster.kill(process)
        assert made(cluster) < STACKS, names
        assert cluster.wait(['tree']) == {'tree': 'CREATE_COMPLETE'}, cluster.reasons()
        assert made(cluster) == STACKS
        assert not cluster.violations()
        assert len(chaos_cloud.cloud.names()) == OBJECTS
