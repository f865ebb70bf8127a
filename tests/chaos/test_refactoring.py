"""Engines are killed while they split a stack: all resources have moved afterwards, or none has."""

import random

import pytest

from heat_lite.db import resources as db_resources, stacks as db_stacks
from tests import databases, engines
from tests.chaos import cloud as chaos_cloud, engine_processes

NAMES = [f'r{number}' for number in range(30)]


@pytest.fixture(params=['mysql', 'postgresql'])
def url(request, tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    with databases.migrated(request.param, tmp_path) as made:
        yield made


def split(driver):
    moves = [{'from': f'app/{name}', 'to': f'part{name[-1]}/{name}'} for name in NAMES[10:]]
    new = {each['to'].partition('/')[0]: {} for each in moves}
    driver.client.refactor_stacks(driver.context, stacks=new, moves=moves)


def places(context):
    """Return ``{name of a stack: names of its resources}`` of the living stacks."""
    found = db_stacks.list_rows(context)
    return {row.name: {each.name for each in db_resources.list_by_stack(row.id)} for row in found}


def test_split_is_made_as_a_whole_or_not_at_all(url):
    kind = chaos_cloud.TYPES[0].resource_type
    whole = {'app': set(NAMES)}
    parted = {'app': set(NAMES[:10])}
    for name in NAMES[10:]:
        parted.setdefault(f'part{name[-1]}', set()).add(name)

    def create(driver):
        driver.create({'resources': {name: {'type': kind} for name in NAMES}}, 'app')

    def inspect(driver):
        driver.context.project_id = 'p'
        seen.append(places(driver.context))

    engine_processes.run_engine(url, create)
    seen, rng = [], random.Random(41)
    for round_number in range(10):
        point = (
            engine_processes.KillPoint('seconds', rng.uniform(0, 0.3))
            if round_number % 2
            else engine_processes.KillPoint(rng.choice(('commit', 'committed')), rng.randint(1, 12))
        )
        engine_processes.run_engine(url, split, point)
        with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
            inspect(driver)
            if seen[-1] == parted:
                break
    assert all(each in (whole, parted) for each in seen)
    if seen[-1] == whole:
        engine_processes.run_engine(url, split)
    with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
        inspect(driver)
        assert seen[-1] == parted
        for name in parted:
            identity = driver.client.identify_stack(driver.context, stack_name=name)
            driver.delete(identity)
            assert driver.state(identity) == 'DELETE_COMPLETE'
            driver.wait_for_free_lock(identity)
        assert chaos_cloud.cloud.names() == []
