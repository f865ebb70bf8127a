"""The disk of the database is full for a while: nothing fails but requests, and these say why."""

import concurrent.futures
import resource
import threading
import time

import pytest

from heat_lite.common import exception
from tests import databases
from tests.chaos import cloud as chaos_cloud
from tests.chaos import lives
from tests.chaos.test_kills import GENERATED, THING, template, thing
from tests.waiting import PATIENCE

FULL_SECONDS = 4


@pytest.fixture
def url(tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    with databases.migrated('sqlite', tmp_path) as url:
        yield url


def limit(size):
    """No file of this process may grow beyond that."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))


def test_a_full_disk(url):
    made = template(a=thing(), b=thing(GENERATED, 'a'), c=thing(THING, 'b'))

    def life(driver):
        full = threading.Event()
        chaos_cloud.cloud.moment = lambda name: full.wait(PATIENCE)
        stacks = [driver.create(made, name=f's{number}', wait=False) for number in range(4)]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            limit(4096)
            full.set()
            refused = pool.submit(driver.create, made, name='refused', wait=False)
            time.sleep(FULL_SECONDS)
            assert {driver.stack(stack)['stack_status'] for stack in stacks} == {'IN_PROGRESS'}
            with pytest.raises(exception.ServiceUnavailable, match='the database does not answer'):
                refused.result()
            limit(resource.RLIM_INFINITY)
        for stack in stacks:
            driver.wait(stack)
            assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
        driver.create(made, name='refused')

    assert lives.live(url, life) == 0
    assert not lives.violations(url, lambda stacks, rows: ())
