"""An engine is killed during an action and restarted: the action completes without duplicates.

HEAT_LITE_KILLS is the number of kill points; the point of a number is always the same.
"""

import functools
import json
import os
import random
import shutil
import time

import pytest

from tests import databases
from tests.chaos import cloud as chaos_cloud, engine_processes
from tests.timeouts import WAIT_SECONDS

KILLS = int(os.environ.get('HEAT_LITE_KILLS', '24'))
THING, GENERATED = 'Test::Thing', 'Test::Generated'

CREATE_CALLS, UPDATE_CALLS, DELETE_CALLS = ('create', 'show'), ('update',), ('delete',)


def thing(kind=THING, *needs, **properties):
    return {'type': kind, 'properties': properties, 'depends_on': list(needs)}


def template(**resources):
    return {'heat_template_version': '2021-04-16', 'resources': resources}


FIRST = template(
    a=thing(),
    b=thing(GENERATED, 'a'),
    c=thing(THING, 'a', steps=3),
    d=thing(GENERATED, 'b', 'c'),
    e={'type': 'OS::Heat::RandomString'},
)
# a is updated, b is replaced, c is deleted, f is created
SECOND = template(
    a=thing(value='x'),
    b=thing(GENERATED, 'a', other='y'),
    d=thing(GENERATED, 'b'),
    f=thing(THING, 'd'),
)
INSIDE = template(x=thing(), y=thing(GENERATED, 'x'))
PARENT = template(
    n={'type': 'nested.yaml'},
    g={
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 2, 'resource_def': {'type': THING}},
    },
)
FILES = {'nested.yaml': json.dumps(INSIDE)}
FAILING = template(
    a=thing(),
    b=thing(GENERATED, 'a', steps=4),
    c=thing(GENERATED, 'a', fail=True, wait=0.05),
    d=thing(THING, 'c'),
)


def create(driver, template=FIRST, **args):
    return driver.create(template, name='s', **args)


def no_stack(driver):
    return None


#: name: preparation, action, possible ends as (state, names of objects; None: no stack), and the
#: calls of the cloud that the action makes
ACTIONS = {
    'create': (
        no_stack,
        lambda driver, _: create(driver),
        [None, ('CREATE_COMPLETE', 'abcd')],
        CREATE_CALLS,
    ),
    'nested': (
        no_stack,
        lambda driver, _: create(driver, PARENT, files=FILES),
        [None, ('CREATE_COMPLETE', ('x', 'y', '0', '1'))],
        CREATE_CALLS,
    ),
    'fail': (
        no_stack,
        lambda driver, _: create(driver, FAILING),
        [None, ('CREATE_FAILED', 'ab')],
        CREATE_CALLS,
    ),
    'roll back': (
        no_stack,
        lambda driver, _: create(driver, FAILING, disable_rollback=False),
        [None, ('ROLLBACK_COMPLETE', '')],
        CREATE_CALLS + DELETE_CALLS,
    ),
    'update': (
        create,
        lambda driver, stack: driver.update(stack, SECOND),
        [('CREATE_COMPLETE', 'abcd'), ('UPDATE_COMPLETE', 'abdf')],
        CREATE_CALLS + UPDATE_CALLS + DELETE_CALLS,
    ),
    'delete': (
        create,
        lambda driver, stack: driver.delete(stack, wait=False),
        [('CREATE_COMPLETE', 'abcd'), ('DELETE_COMPLETE', '')],
        DELETE_CALLS,
    ),
    'suspend': (
        create,
        lambda driver, stack: suspend(driver, stack),
        [('CREATE_COMPLETE', 'abcd'), ('SUSPEND_COMPLETE', 'abcd')],
        UPDATE_CALLS,
    ),
    'snapshot': (
        create,
        lambda driver, stack: snapshot(driver, stack),
        [('CREATE_COMPLETE', 'abcd'), ('SNAPSHOT_COMPLETE', 'abcd')],
        UPDATE_CALLS,
    ),
    'resume': (
        lambda driver: suspend(driver, create(driver)),
        lambda driver, stack: resume(driver, stack),
        [('SUSPEND_COMPLETE', 'abcd'), ('RESUME_COMPLETE', 'abcd')],
        UPDATE_CALLS,
    ),
    'restore': (
        lambda driver: driver.update(snapshot(driver, create(driver)), SECOND),
        lambda driver, stack: restore(driver, stack),
        [('UPDATE_COMPLETE', 'abdf'), ('RESTORE_COMPLETE', 'abcd')],
        CREATE_CALLS + UPDATE_CALLS + DELETE_CALLS,
    ),
    'nested delete': (
        lambda driver: create(driver, PARENT, files=FILES),
        lambda driver, stack: driver.delete(stack, wait=False),
        [('CREATE_COMPLETE', ('x', 'y', '0', '1')), ('DELETE_COMPLETE', '')],
        DELETE_CALLS,
    ),
}


def suspend(driver, stack):
    driver.client.stack_suspend(driver.context, stack_identity=stack)
    return driver.wait(stack)


def resume(driver, stack):
    driver.client.stack_resume(driver.context, stack_identity=stack)
    driver.wait(stack)


def restore(driver, stack):
    (taken,) = driver.client.stack_list_snapshots(driver.context, stack_identity=stack)
    driver.client.stack_restore(driver.context, stack_identity=stack, snapshot_id=taken['id'])
    driver.wait(stack)


def snapshot(driver, stack):
    driver.client.stack_snapshot(driver.context, stack_identity=stack, name='x')
    return driver.wait(stack)


def wait_until_settled(url, driver):
    """Wait until no stack is in progress or locked."""
    until = time.monotonic() + WAIT_SECONDS
    with engine_processes.connect(url) as connection:
        while time.monotonic() < until:
            if engine_processes.is_idle(connection) and not engine_processes.find_violations(
                url, lambda stacks, rows: ()
            ):
                return
            time.sleep(0.02)


def work_until_killed(url, action, kill_point, first):
    """Return the work of an engine: run the action if ``first``, else recover it."""
    prepare, act, *_ = ACTIONS[action]

    def work(driver):
        stack = prepare(driver) if first else None
        kill_point.arm(engine_processes.engines.session.engine())
        if first:
            act(driver, stack)
        wait_until_settled(url, driver)

    return work


def unexpected_ends(action, stacks, rows):
    """Yield the state of the stack and the objects of the cloud if the action may not end so."""
    ends = ACTIONS[action][2]
    roots = [row for row in stacks if row.owner_id is None]
    state = f'{roots[0].action}_{roots[0].status}' if roots else None
    living = {row.id for row in stacks if row.deleted_at is None}
    names = sorted(
        row.name
        for row in rows
        if row.stack_id in living
        and row.nova_instance
        and chaos_cloud.SEPARATOR in row.nova_instance
    )
    if (state, names) not in [(end and end[0], sorted(end[1]) if end else []) for end in ends]:
        reason = roots and roots[0].status_reason
        yield f'{state} with {names} ({reason}), expected one of {ends}'


def run_kill_points(number, folder, empty_database):
    """Kill engines at the points of ``number``; return broken invariants, and whether one died."""
    rng = random.Random(number)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / 'cloud').mkdir(parents=True)
    shutil.copy(empty_database, folder / 'heat.db')
    url = f'sqlite:///{folder}/heat.db'
    chaos_cloud.cloud.folder = folder / 'cloud'
    action = list(ACTIONS)[number % len(ACTIONS)]
    kill_points = [engine_processes.KillPoint.choose(rng, *ACTIONS[action][3])]
    kill_points += [
        engine_processes.KillPoint.choose(rng, *ACTIONS[action][3], 'find')
        for _ in range(rng.choice((0, 0, 0, 1, 2)))
    ]
    was_killed = [
        engine_processes.run_engine(
            url, work_until_killed(url, action, kill_point, first=not index)
        )
        for index, kill_point in enumerate(kill_points)
    ]
    engine_processes.run_engine(url, functools.partial(wait_until_settled, url))
    found = engine_processes.find_violations(url, functools.partial(unexpected_ends, action))
    return [f'{number} {action} {kill_points} {was_killed}: {text}' for text in found], any(
        was_killed
    )


@pytest.fixture
def empty_database(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        yield url.removeprefix('sqlite:///')


def test_action_interrupted_at_any_point_completes(tmp_path, empty_database):
    found, killed = [], 0
    for number in range(KILLS):
        violations, was_killed = run_kill_points(number, tmp_path / 'run', empty_database)
        found += violations
        killed += was_killed
        if violations:
            print('\n'.join(violations), flush=True)
        if number % 100 == 99:
            print(f'{number + 1} kill points, {killed} met, {len(found)} violations', flush=True)
    print(f'{KILLS} kill points, {killed} met, {len(found)} violations')
    assert not found, '\n'.join(found)
    assert killed > KILLS / 3
