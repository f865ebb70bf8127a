"""Engines are killed while they move resources: all have moved afterwards, or none has."""

import json
import os
import random
import signal

import pytest

from heat_lite.db import resources as db_resources, stacks as db_stacks
from tests import databases, engines
from tests.chaos import cloud as chaos_cloud, engine_processes

NAMES = [f'r{number}' for number in range(30)]
KIND = chaos_cloud.TYPES[0].resource_type
KILLS = int(os.environ.get('HEAT_LITE_KILLS', 15))
WHOLE = {
    'heat_template_version': 'heat_lite_2026-12-01',
    'resources': {name: {'type': KIND} for name in NAMES},
}
PART = {
    'heat_template_version': '2021-04-16',
    'resources': {name: {'type': KIND} for name in NAMES[10:]},
}
PARTED = {
    **WHOLE,
    'moved': [{'from': name, 'to': f'part/{name}'} for name in NAMES[10:]],
    'resources': {**{name: {'type': KIND} for name in NAMES[:10]}, 'part': {'type': 'part.yaml'}},
}


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
    whole = {'app': set(NAMES)}
    parted = {'app': set(NAMES[:10])}
    for name in NAMES[10:]:
        parted.setdefault(f'part{name[-1]}', set()).add(name)

    def create(driver):
        driver.create(WHOLE, 'app')

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


def objects(driver, identity):
    """Return ``{name: object}`` of the stack, and of what is nested in it."""
    outer, inner = (
        {
            each['resource_name']: each['physical_resource_id']
            for each in driver.client.list_stack_resources(
                driver.context, stack_identity=identity, nested_depth=1
            )
            if ('parent_resource' in each) == is_inner and each['resource_name'] != 'part'
        }
        for is_inner in (False, True)
    )
    return outer, inner


@pytest.mark.parametrize('by_command', [False, True])
def test_nested_stack_is_extracted_and_dissolved_as_a_whole_or_not_at_all(url, by_command):
    """Each round goes the other way, from where the round before has come to.

    The command needs a nested stack at both ends, and changes its template.
    """

    def create(driver):
        empty = {'part.yaml': json.dumps({**PART, 'resources': {}})}
        part = {'resources': {**WHOLE['resources'], 'part': {'type': 'part.yaml'}}}
        driver.create(WHOLE | part if by_command else WHOLE, 'app', files=empty)

    def update(driver):
        identity = driver.client.identify_stack(driver.context, stack_name='app')
        template = PARTED if is_whole else WHOLE
        driver.update(identity, template, files={'part.yaml': json.dumps(PART)})

    def move(driver):
        places = [(f'app/{name}', f'app/part/{name}') for name in NAMES[10:]]
        ends = ('from', 'to') if is_whole else ('to', 'from')
        moves = [dict(zip(ends, each, strict=True)) for each in places]
        driver.client.refactor_stacks(driver.context, stacks={}, moves=moves)

    engine_processes.run_engine(url, create)
    is_whole, killed, ends, rng = True, 0, set(), random.Random(42)
    with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
        driver.context.project_id = 'p'
        identity = driver.client.identify_stack(driver.context, stack_name='app')
        before, _ = objects(driver, identity)
    for number in range(KILLS):
        point = (
            engine_processes.KillPoint('seconds', rng.uniform(0, 0.5))
            if number % 3 == 0
            else engine_processes.KillPoint(rng.choice(('commit', 'committed')), rng.randint(1, 30))
        )
        work = move if by_command else update
        killed += engine_processes.run_engine(url, work, point) == signal.SIGKILL
        with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
            driver.context.project_id = 'p'
            driver.wait_for_free_lock(driver.wait(identity))
            assert driver.stack(identity)['stack_status'] == 'COMPLETE'
            outer, inner = objects(driver, identity)
        assert {**outer, **inner} == before and inner.keys() in (set(), set(NAMES[10:]))
        ends.add((is_whole, not inner))
        is_whole = not inner
        assert engine_processes.find_violations(url, lambda stacks, rows: ()) == []
    assert killed > KILLS / 4 and len(ends) > 2
    assert len(chaos_cloud.cloud.calls('create')) == len(NAMES)
    assert chaos_cloud.cloud.calls('update') == chaos_cloud.cloud.calls('delete') == []
