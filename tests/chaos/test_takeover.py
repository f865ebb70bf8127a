"""What a stack looks like after another engine has taken it over, where that is more than being there."""

import json
import threading
import time

import pytest

from heat_lite.common import exception
from heat_lite.db import locks
from heat_lite.engine import snapshots
from heat_lite.engine.service import EngineService
from tests import databases, engines
from tests.chaos import cloud as chaos_cloud
from tests.chaos import clusters, lives
from tests.chaos.test_kills import FILES, GENERATED, THING, create, settled, template, thing
from tests.waiting import PATIENCE


@pytest.fixture
def url(tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    with databases.migrated('sqlite', tmp_path) as url:
        yield url


def cut_short(url, work, moment, count=1, **settings):
    """Do it in a process that dies on the way."""

    def live(driver):
        lives.Death(moment, count).arm(engines.session.engine())
        work(driver)

    assert lives.live(url, live, **settings)


def cut_off(url, work, condition):
    """The same, but it dies as soon as ``condition(stack, driver)`` holds of the stack that the work gives."""

    def live(driver):
        stack = work(driver)
        clusters.wait_for(lambda: condition(stack, driver))
        lives.die()

    assert lives.live(url, live)


def ends(url, look, types=chaos_cloud.TYPES, settle=True, **settings):
    """Start another engine, wait until all has ended, and look."""
    with engines.running(url, types, ours=lives.SETTINGS, **settings) as driver:
        driver.context.project_id = 'p'
        if settle:
            settled(url, driver)
        else:
            at_rest(url)
        return look(driver)


def at_rest(url):
    """Nothing is in progress, whatever is in the cloud."""
    until = time.monotonic() + PATIENCE
    with lives.reading(url) as connection:
        while not lives.is_at_rest(connection):
            assert time.monotonic() < until
            time.sleep(0.02)


def identity(driver, name='s'):
    return driver.client.identify_stack(driver.context, stack_name=name)


def test_what_cannot_be_decided_fails_and_says_why(url):
    cut_short(url, lambda driver: create(driver, template(a=thing('Test::Unknown'))), 'after create')

    def look(driver):
        stack = driver.stack(identity(driver))
        (name,) = chaos_cloud.cloud.names()
        assert stack['stack_status'] == 'FAILED'
        assert f'Interrupted: resources.a: its engine stopped before it heard what came of creating it, and Test::Unknown cannot be looked for; see whether there is a "{name}"' in stack['stack_status_reason']  # fmt: skip  # noqa: E501
        driver.delete(identity(driver))

    ends(url, look)


def test_what_nothing_was_called_for_is_begun_as_if_nothing_had_been(url):
    cut_short(url, lambda driver: create(driver, template(a=thing(), b=thing('Test::Unknown', 'a'))), 'before create')
    assert ends(url, lambda driver: driver.state(identity(driver))) == 'CREATE_COMPLETE'


def is_begun(stack, driver):
    return driver.resources(stack).get('a') == 'CREATE_IN_PROGRESS'


def test_time_goes_on_while_no_engine_does(url):
    cut_off(url, lambda driver: create(driver, template(a=thing(GENERATED, wait=900)), wait=False), is_begun)
    time.sleep(2)

    def look(driver):
        stack = driver.stack(identity(driver))
        assert (stack['stack_status'], stack['stack_status_reason']) == ('FAILED', 'Timed out')

    began = time.monotonic()
    ends(url, look, stack_action_timeout=3)
    assert time.monotonic() - began < 900  # as long as the resource would take


def test_a_stack_that_was_taken_over_takes_requests_as_before(url):
    cut_off(url, lambda driver: create(driver, template(a=thing(GENERATED, wait=900)), wait=False), is_begun)
    with engines.running(url, chaos_cloud.TYPES, ours=lives.SETTINGS) as driver:
        driver.context.project_id = 'p'
        stack = identity(driver)
        until = time.monotonic() + PATIENCE
        while stack['stack_id'] not in driver.service.runtime.running.stack_ids():
            assert time.monotonic() < until
            time.sleep(0.02)
        driver.client.delete_stack(driver.context, stack_identity=stack)
        driver.wait(stack)
        assert driver.state(stack) == 'DELETE_COMPLETE'


def has_failed(stack, driver):
    return 'CREATE_FAILED' in driver.resources(stack).values()


def test_what_had_failed_has_failed(url):
    """What was begun beside it ends well, what comes after it is not begun."""
    resources = template(
        bad=thing(GENERATED, fail=True), good=thing(GENERATED, wait=2), after=thing(THING, 'bad'), last=thing(THING, 'good')
    )
    cut_off(url, lambda driver: create(driver, resources, wait=False), has_failed)

    def look(driver):
        stack = driver.stack(identity(driver))
        assert stack['stack_status_reason'] == 'Resource CREATE failed: ValueError: resources.bad: told to fail'
        return driver.resources(identity(driver))

    found = ends(url, look)
    assert found == {'bad': 'CREATE_FAILED', 'good': 'CREATE_COMPLETE', 'after': 'INIT_COMPLETE', 'last': 'INIT_COMPLETE'}


def test_a_graceful_end_leaves_all_to_the_next(url):
    with engines.running(url, chaos_cloud.TYPES, ours=lives.SETTINGS) as driver:
        driver.context.project_id = 'p'
        stack = create(driver, template(a=thing(), b=thing(GENERATED, 'a', wait=1), c=thing(THING, 'b')), wait=False)
        until = time.monotonic() + PATIENCE
        while not chaos_cloud.cloud.names():
            assert time.monotonic() < until
            time.sleep(0.01)
    assert ends(url, lambda driver: driver.state(stack)) == 'CREATE_COMPLETE'
    assert not lives.violations(url, lambda stacks, rows: ())


def test_a_resource_that_cannot_be_shown_spoils_no_more_than_itself(url):
    """The type of one is not known any more."""
    with engines.running(url, chaos_cloud.TYPES) as driver:
        driver.context.project_id = 'p'
        outputs = {'of_a': {'value': {'get_attr': ['a', 'show']}}, 'of_b': {'value': {'get_resource': 'b'}}}
        made = {**template(a=thing(), b={'type': 'OS::Heat::TestResource'}), 'outputs': outputs}
        stack = driver.create(made, name='s')
        assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']

    def look(driver):
        assert driver.stack(stack)['stack_status'] == 'COMPLETE', driver.stack(stack)
        assert driver.resources(stack).keys() == {'a', 'b'}
        assert driver.resource(stack, 'b')['resource_status'] == 'COMPLETE'

    ends(url, look, types=())


def test_an_engine_that_has_enough_to_do_says_so(url, monkeypatch):
    with engines.running(url, chaos_cloud.TYPES, ours={**lives.SETTINGS, 'max_stacks_at_work': 2}) as driver:
        go_on = threading.Event()
        monkeypatch.setattr(chaos_cloud.cloud, 'moment', lambda name: go_on.wait(PATIENCE))
        for name in ('one', 'two'):
            driver.create(template(a=thing()), name=name, wait=False)
        with pytest.raises(exception.EngineBusy) as refused:
            driver.create(template(), name='three')
        assert refused.value.code == 503
        go_on.set()
        driver.wait(identity(driver, 'one'))
        driver.wait(identity(driver, 'two'))
        until = time.monotonic() + PATIENCE
        while driver.service.runtime.running.count() and time.monotonic() < until:
            time.sleep(0.01)
        driver.create(template(), name='three')


def test_who_is_about_to_be_done_is_waited_for(url):
    """Another engine has stored the last state of a stack, and releases its lock a moment later."""
    with engines.running(url, chaos_cloud.TYPES, ours=lives.SETTINGS) as driver:
        stack = create(driver, template(a=thing()))
        other = EngineService(driver.service._conf, driver.service.runtime.registry)
        other.start()
        try:
            assert locks.acquire(driver.context, stack['stack_id'], other.engine_id) is None
            release = threading.Timer(0.5, locks.release, (driver.context, stack['stack_id'], other.engine_id))
            release.start()
            # asked of either engine, neither of which works on it
            driver.update(stack, template(a=thing(value='x')))
            release.join()
        finally:
            other.stop(5)
        assert driver.state(stack) == 'UPDATE_COMPLETE'


# --------------------------------------------------------------- snapshots


def take_snapshot(driver, **properties):
    """Of a stack of two; its id."""
    stack = driver.create(template(a=thing('Test::Kept', **properties), b=thing('Test::Kept', 'a', **properties)), name='s')
    taken = driver.client.stack_snapshot(driver.context, stack_identity=stack, name='x')
    driver.wait(stack)
    assert len(chaos_cloud.cloud.copies()) == 2
    return taken['id']


def await_no_snapshots(driver):
    until = time.monotonic() + PATIENCE
    while driver.client.stack_list_snapshots(driver.context, stack_identity=identity(driver)):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(snapshots, 'TOUCH_SECONDS', 0.3)
    monkeypatch.setattr(snapshots, 'SILENCE_SECONDS', 2.5)


@pytest.mark.parametrize('moment', [('before drop', 1), ('after drop', 1), ('before drop', 2), ('after drop', 2)])
def test_the_delete_of_a_snapshot_goes_on(moment, url, impatient):
    def delete(driver):
        snapshot_id = take_snapshot(driver)
        lives.Death(*moment).arm(engines.session.engine())
        driver.client.delete_snapshot(driver.context, stack_identity=identity(driver), snapshot_id=snapshot_id)
        await_no_snapshots(driver)

    assert lives.live(url, delete)
    ends(url, await_no_snapshots)
    assert not chaos_cloud.cloud.copies() and not lives.violations(url, lambda stacks, rows: ())


def test_a_delete_of_a_snapshot_that_takes_its_time_is_left_alone(url, impatient):
    with engines.running(url, chaos_cloud.TYPES, ours=lives.SETTINGS) as driver:
        snapshot_id = take_snapshot(driver, slow=3)
        other = EngineService(driver.service._conf, driver.service.runtime.registry)
        other.start()
        calls = []
        chaos_cloud.cloud.moment = calls.append
        try:
            driver.client.delete_snapshot(driver.context, stack_identity=identity(driver), snapshot_id=snapshot_id)
            await_no_snapshots(driver)
        finally:
            chaos_cloud.cloud.moment = lambda name: None
            other.stop(5)
        assert calls.count('before drop') == 2


# --------------------------------------------------------------- adoption


LEFT = template(a=thing(value='x'), b=thing(GENERATED, 'a'), n={'type': 'inside.yaml', 'depends_on': 'b'})


@pytest.mark.parametrize('count', [2, 4, 6, 8])
def test_an_adoption_goes_on(count, url):
    with engines.running(url, chaos_cloud.TYPES, ours=lives.SETTINGS, **lives.ADOPTION) as driver:
        driver.context.project_id = 'p'
        stack = create(driver, LEFT, files=FILES)
        left = chaos_cloud.cloud.names()
        document = driver.client.abandon_stack(driver.context, stack_identity=stack)
        until = time.monotonic() + PATIENCE
        while driver.client.list_stacks(driver.context):
            assert time.monotonic() < until
            time.sleep(0.02)
    assert chaos_cloud.cloud.names() == left

    def adopt(driver):
        create(driver, LEFT, files=FILES, adopt_stack_data=json.dumps(document))

    cut_short(url, adopt, 'committed', count)

    def look(driver):
        if driver.client.list_stacks(driver.context):
            assert driver.state(identity(driver)) == 'ADOPT_COMPLETE', driver.stack(identity(driver))['stack_status_reason']
            assert not lives.violations(url, lambda stacks, rows: ())
            driver.delete(identity(driver))
            assert chaos_cloud.cloud.names() == []
        else:
            assert chaos_cloud.cloud.names() == left

    ends(url, look, settle=False, **lives.ADOPTION)
