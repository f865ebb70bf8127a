"""An engine is killed at some point of an action, and started again: the action goes on, and each object is there exactly once.

HEAT_LITE_KILLS in the environment says how many points are tried; those of one number are always the same.
"""

import functools
import json
import os
import random
import shutil
import time

import pytest

from tests import databases
from tests.chaos import cloud as chaos_cloud
from tests.chaos import lives
from tests.waiting import PATIENCE

KILLS = int(os.environ.get('HEAT_LITE_KILLS', '24'))
THING, GENERATED = 'Test::Thing', 'Test::Generated'

MAKING, CHANGING, TAKING = ('create', 'show'), ('update',), ('delete',)


def thing(kind=THING, *needs, **properties):
    return {'type': kind, 'properties': properties, 'depends_on': list(needs)}


def template(**resources):
    return {'heat_template_version': '2021-04-16', 'resources': resources}


FIRST = template(
    a=thing(), b=thing(GENERATED, 'a'), c=thing(THING, 'a', steps=3), d=thing(GENERATED, 'b', 'c'), e={'type': 'OS::Heat::RandomString'}
)
# a changes, b is replaced, c goes, f comes
SECOND = template(a=thing(value='x'), b=thing(GENERATED, 'a', other='y'), d=thing(GENERATED, 'b'), f=thing(THING, 'd'))
INSIDE = template(x=thing(), y=thing(GENERATED, 'x'))
OUTSIDE = template(
    n={'type': 'inside.yaml'}, g={'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 2, 'resource_def': {'type': THING}}}
)
FILES = {'inside.yaml': json.dumps(INSIDE)}
FAILING = template(a=thing(), b=thing(GENERATED, 'a', steps=4), c=thing(GENERATED, 'a', fail=True, wait=0.05), d=thing(THING, 'c'))


def create(driver, template=FIRST, **args):
    return driver.create(template, name='s', **args)


def nothing(driver):
    return None


#: name: what goes before, the action, (state, names of things) of the possible ends (None: no stack), and what it asks of the cloud
ACTIONS = {
    'create': (nothing, lambda driver, _: create(driver), [None, ('CREATE_COMPLETE', 'abcd')], MAKING),
    'nested': (nothing, lambda driver, _: create(driver, OUTSIDE, files=FILES), [None, ('CREATE_COMPLETE', ('x', 'y', '0', '1'))], MAKING),
    'fail': (nothing, lambda driver, _: create(driver, FAILING), [None, ('CREATE_FAILED', 'ab')], MAKING),
    'roll back': (
        nothing,
        lambda driver, _: create(driver, FAILING, disable_rollback=False),
        [None, ('ROLLBACK_COMPLETE', '')],
        MAKING + TAKING,
    ),
    'update': (
        create,
        lambda driver, stack: driver.update(stack, SECOND),
        [('CREATE_COMPLETE', 'abcd'), ('UPDATE_COMPLETE', 'abdf')],
        MAKING + CHANGING + TAKING,
    ),
    'delete': (
        create,
        lambda driver, stack: driver.delete(stack, wait=False),
        [('CREATE_COMPLETE', 'abcd'), ('DELETE_COMPLETE', '')],
        TAKING,
    ),
    'suspend': (
        create,
        lambda driver, stack: suspend(driver, stack),
        [('CREATE_COMPLETE', 'abcd'), ('SUSPEND_COMPLETE', 'abcd')],
        CHANGING,
    ),
    'snapshot': (
        create,
        lambda driver, stack: snapshot(driver, stack),
        [('CREATE_COMPLETE', 'abcd'), ('SNAPSHOT_COMPLETE', 'abcd')],
        CHANGING,
    ),
    'resume': (
        lambda driver: suspend(driver, create(driver)),
        lambda driver, stack: resume(driver, stack),
        [('SUSPEND_COMPLETE', 'abcd'), ('RESUME_COMPLETE', 'abcd')],
        CHANGING,
    ),
    'restore': (
        lambda driver: driver.update(snapshot(driver, create(driver)), SECOND),
        lambda driver, stack: restore(driver, stack),
        [('UPDATE_COMPLETE', 'abdf'), ('RESTORE_COMPLETE', 'abcd')],
        MAKING + CHANGING + TAKING,
    ),
    'nested delete': (
        lambda driver: create(driver, OUTSIDE, files=FILES),
        lambda driver, stack: driver.delete(stack, wait=False),
        [('CREATE_COMPLETE', ('x', 'y', '0', '1')), ('DELETE_COMPLETE', '')],
        TAKING,
    ),
}


def suspend(driver, stack):
    driver.client.stack_suspend(driver.context, stack_identity=stack)
    return driver.wait(stack)


def resume(driver, stack):
    driver.client.stack_resume(driver.context, stack_identity=stack)
    driver.wait(stack)


def restore(driver, stack):
    (kept,) = driver.client.stack_list_snapshots(driver.context, stack_identity=stack)
    driver.client.stack_restore(driver.context, stack_identity=stack, snapshot_id=kept['id'])
    driver.wait(stack)


def snapshot(driver, stack):
    driver.client.stack_snapshot(driver.context, stack_identity=stack, name='x')
    return driver.wait(stack)


def settled(url, driver):
    """Until no stack is in progress and none is locked."""
    until = time.monotonic() + PATIENCE
    with lives.reading(url) as connection:
        while time.monotonic() < until:
            if lives.is_at_rest(connection) and not lives.violations(url, lambda stacks, rows: ()):
                return
            time.sleep(0.02)


def life_with(url, action, death, first):
    """What the engine does before it dies: the action, or what another one has left."""
    prepare, act, *_ = ACTIONS[action]

    def work(driver):
        stack = prepare(driver) if first else None
        death.arm(lives.engines.session.engine())
        if first:
            act(driver, stack)
        settled(url, driver)

    return work


def wrong_ends(action, stacks, rows):
    """What is there besides what may be there."""
    ends = ACTIONS[action][2]
    tops = [row for row in stacks if row.owner_id is None]
    state = f'{tops[0].action}_{tops[0].status}' if tops else None
    alive = {row.id for row in stacks if row.deleted_at is None}
    names = sorted(row.name for row in rows if row.stack_id in alive and row.nova_instance and chaos_cloud.SEPARATOR in row.nova_instance)
    if (state, names) not in [(end and end[0], sorted(end[1]) if end else []) for end in ends]:
        reason = tops and tops[0].status_reason
        yield f'{state} with {names} ({reason}), expected one of {ends}'


def try_a_death(number, folder, empty):
    """Gives what does not hold after it."""
    chance = random.Random(number)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / 'cloud').mkdir(parents=True)
    shutil.copy(empty, folder / 'heat.db')
    url = f'sqlite:///{folder}/heat.db'
    chaos_cloud.cloud.folder = folder / 'cloud'
    action = list(ACTIONS)[number % len(ACTIONS)]
    deaths = [lives.Death.by_chance(chance, *ACTIONS[action][3])]
    deaths += [lives.Death.by_chance(chance, *ACTIONS[action][3], 'find') for _ in range(chance.choice((0, 0, 0, 1, 2)))]
    died = [lives.live(url, life_with(url, action, death, first=not place)) for place, death in enumerate(deaths)]
    lives.live(url, functools.partial(settled, url))
    found = lives.violations(url, functools.partial(wrong_ends, action))
    return [f'{number} {action} {deaths} {died}: {text}' for text in found], any(died)


@pytest.fixture
def empty(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        yield url.removeprefix('sqlite:///')


def test_any_moment_may_be_the_last(tmp_path, empty):
    found, killed = [], 0
    for number in range(KILLS):
        wrong, died = try_a_death(number, tmp_path / 'life', empty)
        found += wrong
        killed += died
        if wrong:
            print('\n'.join(wrong), flush=True)
        if number % 100 == 99:
            print(f'{number + 1} kill points, {killed} met, {len(found)} violations', flush=True)
    print(f'{KILLS} kill points, {killed} met, {len(found)} violations')
    assert not found, '\n'.join(found)
    assert killed > KILLS / 3
