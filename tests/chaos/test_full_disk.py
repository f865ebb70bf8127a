"""The disk of the database is full for a while: only requests fail, with the reason."""

import concurrent.futures
import resource
import threading
import time

import pytest

from heat_lite.common import exception
from heat_lite.db import session
from tests import databases
from tests.chaos import cloud as chaos_cloud, engine_processes
from tests.chaos.test_engine_crashes import GENERATED, THING, template, thing
from tests.timeouts import WAIT_SECONDS

FULL_SECONDS = 4


@pytest.fixture
def url(tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    with databases.migrated('sqlite', tmp_path) as url:
        yield url


def limit_file_size(size):
    """Let no file of this process grow beyond ``size`` bytes."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))


def test_full_disk_fails_requests_and_no_stack(url):
    resources = template(a=thing(), b=thing(GENERATED, 'a'), c=thing(THING, 'b'))

    def work(driver):
        resume = threading.Event()
        chaos_cloud.cloud.checkpoint = lambda name: resume.wait(WAIT_SECONDS)
        stacks = [driver.create(resources, name=f's{number}', wait=False) for number in range(4)]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            limit_file_size(4096)
            resume.set()
            refused = pool.submit(driver.create, resources, name='refused', wait=False)
            time.sleep(FULL_SECONDS)
            assert {driver.stack(stack)['stack_status'] for stack in stacks} == {'IN_PROGRESS'}
            with pytest.raises(exception.ServiceUnavailable, match='the database does not answer'):
                refused.result()
            limit_file_size(resource.RLIM_INFINITY)
        for stack in stacks:
            driver.wait(stack)
            assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)[
                'stack_status_reason'
            ]
        driver.create(resources, name='refused')

    assert engine_processes.run_engine(url, work) == 0
    assert not engine_processes.find_violations(url, lambda stacks, rows: ())


def test_resource_that_ends_while_the_disk_is_full_is_not_forgotten(url):
    """The wake-up of a second resource ends a pause between two retries of the database."""
    resources = template(
        a=thing(GENERATED, steps=0, wait=1),
        b=thing(GENERATED, steps=0, wait=2),
        c=thing(THING, 'b'),
    )

    def work(driver):
        session._state.pauses = (0, 0.1)  # as by the options db_max_retries and db_retry_interval
        stack = driver.create(resources, wait=False)
        driver.wait_for_resource(stack, 'b', 'CREATE_IN_PROGRESS')
        limit_file_size(4096)
        time.sleep(3)
        limit_file_size(resource.RLIM_INFINITY)
        driver.wait(stack, 30)
        assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)

    # no step is made after a late heartbeat
    assert engine_processes.run_engine(url, work, heartbeat_interval=30) == 0
