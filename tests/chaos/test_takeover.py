"""The states of stacks after another engine has taken them over."""

import json
import threading
import time

import pytest

from heat_lite.common import exception
from heat_lite.db import locks
from heat_lite.engine.execution.preview import LISTS
from heat_lite.engine.service import EngineService
from heat_lite.engine.stack import snapshots
from tests import databases, engines
from tests.chaos import cloud as chaos_cloud, clusters, engine_processes
from tests.chaos.test_engine_crashes import (
    FILES,
    GENERATED,
    THING,
    create,
    template,
    thing,
    wait_until_settled,
)
from tests.timeouts import WAIT_SECONDS


@pytest.fixture
def url(tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    with databases.migrated('sqlite', tmp_path) as url:
        yield url


def run_and_kill_at(url, work, checkpoint, count=1, **settings):
    """Run ``work`` in an engine that is killed at a checkpoint."""

    def work_in_child(driver):
        engine_processes.KillPoint(checkpoint, count).arm(engines.session.engine())
        work(driver)

    assert engine_processes.run_engine(url, work_in_child, **settings)


def run_and_kill_when(url, work, condition):
    """Run ``work``, which returns a stack; kill the engine when ``condition(stack, driver)``."""

    def work_in_child(driver):
        stack = work(driver)
        clusters.wait_for(lambda: condition(stack, driver))
        engine_processes.kill_self()

    assert engine_processes.run_engine(url, work_in_child)


def recover(url, inspect, types=chaos_cloud.TYPES, settle=True, **settings):
    """Start another engine, wait until nothing is in progress, and return ``inspect(driver)``."""
    with engines.running(url, types, ours=engine_processes.SETTINGS, **settings) as driver:
        driver.context.project_id = 'p'
        if settle:
            wait_until_settled(url, driver)
        else:
            wait_until_idle(url)
        return inspect(driver)


def wait_until_idle(url):
    """Wait until nothing is in progress, whatever the cloud contains."""
    until = time.monotonic() + WAIT_SECONDS
    with engine_processes.connect(url) as connection:
        while not engine_processes.is_idle(connection):
            assert time.monotonic() < until
            time.sleep(0.02)


def identity(driver, name='s'):
    return driver.client.identify_stack(driver.context, stack_name=name)


def test_unknown_outcome_of_a_create_fails_the_stack_with_the_reason(url):
    run_and_kill_at(
        url, lambda driver: create(driver, template(a=thing('Test::Unknown'))), 'after create'
    )

    def inspect(driver):
        stack = driver.stack(identity(driver))
        (name,) = chaos_cloud.cloud.names()
        assert stack['stack_status'] == 'FAILED'
        assert f'Interrupted: resources.a: its engine stopped before the result of the create was known, and Test::Unknown cannot be looked up; check whether there is a "{name}"' in stack['stack_status_reason']  # fmt: skip  # noqa: E501
        driver.delete(identity(driver))

    recover(url, inspect, settle=False)


def test_resource_without_a_call_is_created_as_new(url):
    run_and_kill_at(
        url,
        lambda driver: create(driver, template(a=thing(), b=thing('Test::Unknown', 'a'))),
        'before create',
    )
    assert recover(url, lambda driver: driver.state(identity(driver))) == 'CREATE_COMPLETE'


def is_started(stack, driver):
    return driver.resources(stack).get('a') == 'CREATE_IN_PROGRESS'


def test_timeout_includes_the_time_without_engines(url):
    run_and_kill_when(
        url,
        lambda driver: create(driver, template(a=thing(GENERATED, wait=900)), wait=False),
        is_started,
    )
    time.sleep(2)

    def inspect(driver):
        stack = driver.stack(identity(driver))
        assert (stack['stack_status'], stack['stack_status_reason']) == ('FAILED', 'Timed out')

    started = time.monotonic()
    recover(url, inspect, stack_action_timeout=3)
    assert time.monotonic() - started < 900  # less than the resource would take


def test_stack_accepts_requests_after_a_takeover(url):
    run_and_kill_when(
        url,
        lambda driver: create(driver, template(a=thing(GENERATED, wait=900)), wait=False),
        is_started,
    )
    with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
        driver.context.project_id = 'p'
        stack = identity(driver)
        until = time.monotonic() + WAIT_SECONDS
        while stack['stack_id'] not in driver.service.runtime.task_manager.stack_ids():
            assert time.monotonic() < until
            time.sleep(0.02)
        driver.client.delete_stack(driver.context, stack_identity=stack)
        driver.wait(stack)
        assert driver.state(stack) == 'DELETE_COMPLETE'


def has_failed(stack, driver):
    return 'CREATE_FAILED' in driver.resources(stack).values()


def test_failed_resource_stays_failed_after_a_takeover(url):
    """Resources in progress complete, those that depend on the failed one do not start."""
    resources = template(
        bad=thing(GENERATED, fail=True),
        good=thing(GENERATED, wait=2),
        after=thing(THING, 'bad'),
        last=thing(THING, 'good'),
    )
    run_and_kill_when(url, lambda driver: create(driver, resources, wait=False), has_failed)

    def inspect(driver):
        stack = driver.stack(identity(driver))
        assert (
            stack['stack_status_reason']
            == 'Resource CREATE failed: ValueError: resources.bad: told to fail'
        )
        return driver.resources(identity(driver))

    found = recover(url, inspect)
    assert found == {
        'bad': 'CREATE_FAILED',
        'good': 'CREATE_COMPLETE',
        'after': 'INIT_COMPLETE',
        'last': 'INIT_COMPLETE',
    }


def test_stack_of_a_stopped_engine_is_continued_by_the_next(url):
    with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
        driver.context.project_id = 'p'
        stack = create(
            driver,
            template(a=thing(), b=thing(GENERATED, 'a', wait=1), c=thing(THING, 'b')),
            wait=False,
        )
        until = time.monotonic() + WAIT_SECONDS
        while not chaos_cloud.cloud.names():
            assert time.monotonic() < until
            time.sleep(0.01)
    assert recover(url, lambda driver: driver.state(stack)) == 'CREATE_COMPLETE'
    assert not engine_processes.find_violations(url, lambda stacks, rows: ())


def test_resource_of_an_unknown_type_does_not_break_the_others(url):
    """The next engine does not know the type of one resource."""
    with engines.running(url, chaos_cloud.TYPES) as driver:
        driver.context.project_id = 'p'
        outputs = {
            'of_a': {'value': {'get_attr': ['a', 'show']}},
            'of_b': {'value': {'get_resource': 'b'}},
        }
        made = {**template(a=thing(), b={'type': 'OS::Heat::TestResource'}), 'outputs': outputs}
        stack = driver.create(made, name='s')
        assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']

    def inspect(driver):
        assert driver.stack(stack)['stack_status'] == 'COMPLETE', driver.stack(stack)
        assert driver.resources(stack).keys() == {'a', 'b'}
        assert driver.resource(stack, 'b')['resource_status'] == 'COMPLETE'

    recover(url, inspect, types=())


def test_busy_engine_refuses_creates(url, monkeypatch):
    with engines.running(
        url, chaos_cloud.TYPES, ours={**engine_processes.SETTINGS, 'max_stacks_at_work': 2}
    ) as driver:
        resume = threading.Event()
        monkeypatch.setattr(chaos_cloud.cloud, 'checkpoint', lambda name: resume.wait(WAIT_SECONDS))
        for name in ('one', 'two'):
            driver.create(template(a=thing()), name=name, wait=False)
        with pytest.raises(exception.EngineBusy) as refused:
            driver.create(template(), name='three')
        assert refused.value.code == 503
        resume.set()
        driver.wait(identity(driver, 'one'))
        driver.wait(identity(driver, 'two'))
        until = time.monotonic() + WAIT_SECONDS
        while driver.service.runtime.task_manager.count() and time.monotonic() < until:
            time.sleep(0.01)
        driver.create(template(), name='three')


def test_update_waits_for_a_lock_about_to_be_released(url):
    """Another engine has stored the stack's last state and releases its lock a moment later."""
    with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
        stack = create(driver, template(a=thing()))
        other = EngineService(driver.service._conf, driver.service.runtime.registry)
        other.start()
        try:
            assert locks.acquire(stack['stack_id'], other.engine_id) is None
            release = threading.Timer(0.5, locks.release, (stack['stack_id'], other.engine_id))
            release.start()
            # neither engine works on the stack
            driver.update(stack, template(a=thing(value='x')))
            release.join()
        finally:
            other.stop(5)
        assert driver.state(stack) == 'UPDATE_COMPLETE'


# --------------------------------------------------------------- snapshots


def take_snapshot(driver, **properties):
    """Snapshot a stack of two resources; return the snapshot's id."""
    stack = driver.create(
        template(a=thing('Test::Copied', **properties), b=thing('Test::Copied', 'a', **properties)),
        name='s',
    )
    taken = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='x')
    driver.wait(stack)
    assert len(chaos_cloud.cloud.copies()) == 2
    return taken['id']


def await_no_snapshots(driver):
    until = time.monotonic() + WAIT_SECONDS
    while driver.client.stack_list_snapshots(driver.context, stack_identity=identity(driver)):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def short_snapshot_timeouts(monkeypatch):
    monkeypatch.setattr(snapshots, 'TOUCH_SECONDS', 0.3)
    monkeypatch.setattr(snapshots, 'SILENCE_SECONDS', 2.5)


@pytest.mark.parametrize(
    'checkpoint', [('before drop', 1), ('after drop', 1), ('before drop', 2), ('after drop', 2)]
)
def test_interrupted_delete_of_a_snapshot_is_continued(checkpoint, url, short_snapshot_timeouts):
    def delete(driver):
        snapshot_id = take_snapshot(driver)
        engine_processes.KillPoint(*checkpoint).arm(engines.session.engine())
        driver.client.delete_snapshot(
            driver.context, stack_identity=identity(driver), snapshot_id=snapshot_id
        )
        await_no_snapshots(driver)

    assert engine_processes.run_engine(url, delete)
    recover(url, await_no_snapshots)
    assert not chaos_cloud.cloud.copies() and not engine_processes.find_violations(
        url, lambda stacks, rows: ()
    )


def test_slow_delete_of_a_snapshot_is_not_taken_over(url, short_snapshot_timeouts):
    with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
        snapshot_id = take_snapshot(driver, slow=3)
        other = EngineService(driver.service._conf, driver.service.runtime.registry)
        other.start()
        calls = []
        chaos_cloud.cloud.checkpoint = calls.append
        try:
            driver.client.delete_snapshot(
                driver.context, stack_identity=identity(driver), snapshot_id=snapshot_id
            )
            await_no_snapshots(driver)
        finally:
            chaos_cloud.cloud.checkpoint = lambda name: None
            other.stop(5)
        assert calls.count('before drop') == 2


# --------------------------------------------------------------- nested stacks


def with_nested(**resources):
    """Return the arguments of a stack whose resource ``n`` nests these."""
    return template(n={'type': 'nested.yaml'}), {'nested.yaml': json.dumps(template(**resources))}


def nested_in(driver, stack):
    return driver.resource(stack, 'n')['nested_stack_id']


def is_begun_in_nested(driver, nested):
    return driver.resources(nested).get('bad') == 'CREATE_IN_PROGRESS'


def has_failed_in_nested(driver, nested):
    return driver.state(nested) == 'UPDATE_FAILED'


@pytest.mark.parametrize('convergence', [False, True])
@pytest.mark.parametrize('condition', [is_begun_in_nested, has_failed_in_nested])
def test_failed_nested_update_is_not_repeated_after_a_takeover(
    url, condition, convergence, monkeypatch
):
    monkeypatch.setattr(engines, 'CONVERGENCE', convergence)

    def work(driver):
        made, files = with_nested(a=thing())
        stack = create(driver, made, files=files)
        changed, files = with_nested(a=thing(), bad=thing(GENERATED, wait=2, fail=True))
        driver.update(stack, changed, files=files, wait=False)
        return stack

    run_and_kill_when(url, work, lambda stack, driver: condition(driver, nested_in(driver, stack)))

    def inspect(driver):
        stack = identity(driver)
        assert driver.state(stack) == 'UPDATE_FAILED'
        assert driver.resources(stack) == {'n': 'UPDATE_FAILED'}
        reason = driver.stack(stack)['stack_status_reason']
        assert (
            reason == 'Resource UPDATE failed: ValueError: resources.n.resources.bad: told to fail'
        )
        nested = nested_in(driver, stack)
        assert driver.events(nested).count((nested['stack_name'], 'UPDATE_IN_PROGRESS')) == 1

    recover(url, inspect, settle=False)


@pytest.mark.parametrize('count', [1, 2, 3, 4, 5])
def test_failure_of_an_earlier_nested_update_is_not_taken_for_a_new_one(count, url):
    def work(driver):
        made, files = with_nested(a=thing())
        stack = create(driver, made, files=files)
        changed, files = with_nested(a=thing(), b=thing(fail=True))
        driver.update(stack, changed, files=files)
        assert driver.state(stack) == 'UPDATE_FAILED'
        engine_processes.KillPoint('committed', count).arm(engines.session.engine())
        changed, files = with_nested(a=thing(), b=thing())
        driver.update(stack, changed, files=files)

    assert engine_processes.run_engine(url, work)

    def inspect(driver):
        stack = identity(driver)
        if driver.state(stack) != 'UPDATE_FAILED':
            assert driver.state(stack) == 'UPDATE_COMPLETE'
        else:  # killed before the second update began
            assert driver.events(stack).count(('s', 'UPDATE_IN_PROGRESS')) == 1

    recover(url, inspect, settle=False)


# --------------------------------------------------------------- adoption


ABANDONED = template(
    a=thing(value='x'), b=thing(GENERATED, 'a'), n={'type': 'nested.yaml', 'depends_on': 'b'}
)


@pytest.mark.parametrize('count', [2, 4, 6, 8])
def test_interrupted_adoption_is_continued_or_undone(count, url):
    with engines.running(
        url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS, **engine_processes.ADOPTION
    ) as driver:
        driver.context.project_id = 'p'
        stack = create(driver, ABANDONED, files=FILES)
        abandoned = chaos_cloud.cloud.names()
        document = driver.client.abandon_stack(driver.context, stack_identity=stack)
        until = time.monotonic() + WAIT_SECONDS
        while driver.client.list_stacks(driver.context):
            assert time.monotonic() < until
            time.sleep(0.02)
    assert chaos_cloud.cloud.names() == abandoned

    def adopt(driver):
        create(driver, ABANDONED, files=FILES, adopt_stack_data=json.dumps(document))

    run_and_kill_at(url, adopt, 'committed', count)

    def inspect(driver):
        if driver.client.list_stacks(driver.context):
            assert driver.state(identity(driver)) == 'ADOPT_COMPLETE', driver.stack(
                identity(driver)
            )['stack_status_reason']
            assert not engine_processes.find_violations(url, lambda stacks, rows: ())
            driver.delete(identity(driver))
            assert chaos_cloud.cloud.names() == []
        else:
            assert chaos_cloud.cloud.names() == abandoned

    recover(url, inspect, settle=False, **engine_processes.ADOPTION)


POINTS = [
    *((f'{when} {call}', 1) for call in ('update', 'create') for when in ('before', 'after')),
    *((point, count) for point in ('commit', 'committed') for count in (1, 2, 3, 4)),
]


@pytest.mark.parametrize('convergence', [False, True])
@pytest.mark.parametrize(('checkpoint', 'count'), POINTS)
def test_partial_update_that_is_taken_over_stays_partial(
    url, checkpoint, count, convergence, monkeypatch
):
    monkeypatch.setattr(engines, 'CONVERGENCE', convergence)
    wanted = template(
        a=thing(value='x'), b=thing(GENERATED, other='y'), c=thing(value='z'), d=thing()
    )

    def work(driver):
        stack = create(driver, template(a=thing(), b=thing(GENERATED), c=thing()))
        engine_processes.KillPoint(checkpoint, count).arm(engines.session.engine())
        driver.client.update_stack(
            driver.context,
            stack_identity=stack,
            template=wanted,
            params={},
            files={},
            args={},
            part={'target': ['a', 'd']},
        )
        driver.wait(stack)

    engine_processes.run_engine(url, work)

    def inspect(driver):
        stack = driver.stack(identity(driver))
        state = driver.state(identity(driver))
        if state == 'CREATE_COMPLETE':  # it was killed before the update began
            assert checkpoint.startswith('commit') and set(driver.resources(identity(driver))) == {
                *'abc'
            }
            return
        assert (state, stack['not_applied']) == ('UPDATE_COMPLETE', ['b', 'c'])
        stored = driver.client.get_template(driver.context, stack_identity=identity(driver))
        values = {name: each['properties'] for name, each in stored['resources'].items()}
        assert values == {'a': {'value': 'x'}, 'b': {}, 'c': {}, 'd': {}}
        states = driver.resources(identity(driver))
        assert states['b'] == states['c'] == 'CREATE_COMPLETE' and states.keys() == {*'abcd'}
        preview = driver.preview(identity(driver), wanted)
        changes = {
            each['resource_name']: each['action']
            for kind in LISTS.values()
            for each in preview[kind]
        }
        assert changes == {'a': 'none', 'b': 'replace', 'c': 'update', 'd': 'none'}

    recover(url, inspect)
