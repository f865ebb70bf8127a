"""Engines are killed while an update imports objects: each is owned once, and none is made."""

import random

import pytest

from tests import databases, engines
from tests.chaos import cloud as chaos_cloud, engine_processes

KIND = chaos_cloud.TYPES[0].resource_type
ROUNDS, OBJECTS = 3, 6


@pytest.mark.parametrize('backend', ['mysql', 'postgresql'])
@pytest.mark.parametrize('convergence', [False, True], ids=['alone', 'shared'])
def test_update_that_is_killed_amid_imports_ends_with_one_owner_for_each(
    backend, convergence, tmp_path
):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    conf = tmp_path / 'heat.conf'
    conf.write_text(f'[DEFAULT]\nconvergence_engine = {convergence}\n')
    rng, killed = random.Random(convergence), 0
    with databases.migrated(backend, tmp_path) as url:
        for number in range(ROUNDS):
            name = f's{number}'
            ids = [chaos_cloud.cloud.create(f'{name}-{each}') for each in range(OBJECTS)]
            given = {
                'heat_template_version': 'heat_lite_2026-12-01',
                'resources': {
                    f'r{each}': {'type': KIND, 'import': {'id': one}}
                    for each, one in enumerate(ids)
                },
            }
            before = chaos_cloud.cloud.names()

            def update(driver, name=name, given=given):
                empty = {'heat_template_version': '2021-04-16', 'resources': {}}
                driver.update(driver.create(empty, name), given)

            kind = ('commit', 'committed', 'seconds')[number % 3]
            count = rng.uniform(0.1, 0.4) if kind == 'seconds' else rng.randint(3, 9)
            point = engine_processes.KillPoint(kind, count)
            killed += bool(engine_processes.run_engine(url, update, point, files=[conf]))
            ours = engine_processes.SETTINGS
            with engines.running(url, chaos_cloud.TYPES, files=[conf], ours=ours) as driver:
                driver.context.project_id = 'p'
                found = driver.client.list_stacks(driver.context, filters={'name': name})
                if not found:
                    continue
                stack = driver.wait(found[0]['stack_identity'])
                driver.wait_for_free_lock(stack)
                driver.update(stack, given)
                assert driver.state(stack) == 'UPDATE_COMPLETE', driver.events(stack)
                assert [driver.physical_id(stack, f'r{each}') for each in range(OBJECTS)] == ids
                assert chaos_cloud.cloud.names() == before
                driver.delete(stack)
                driver.wait_for_free_lock(stack)
                assert not [each for each in chaos_cloud.cloud.names() if each.startswith(name)]
    assert killed
