"""Bursts of requests. HEAT_LITE_BURST is their number."""

import concurrent.futures
import os
import time

import pytest

from heat_lite.common import exception
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

BURST = int(os.environ.get('HEAT_LITE_BURST', '100'))
SMALL = {
    'resources': {
        'a': {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 0.5}},
        'b': {'type': 'OS::Heat::RandomString', 'depends_on': 'a'},
    }
}
# at work for longer than 40 requests take on a loaded machine
SLOW = {'resources': {'a': {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 6}}}}


@pytest.fixture
def url(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url:
        yield url


def test_burst_of_creates_completes(url):
    with engines.running(url, max_stacks_per_tenant=-1) as driver:
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            accepted = list(
                pool.map(
                    lambda number: driver.create(SMALL, name=f's{number}', wait=False), range(BURST)
                )
            )
        until = time.monotonic() + WAIT_SECONDS + BURST / 5
        while any(
            each['stack_status'] == 'IN_PROGRESS'
            for each in driver.client.list_stacks(driver.context)
        ):
            assert time.monotonic() < until
            time.sleep(0.2)
        listed = driver.client.list_stacks(driver.context)
        assert len(accepted) == len(listed) == BURST and {
            each['stack_status'] for each in listed
        } == {'COMPLETE'}


def test_creates_beyond_the_limit_are_refused_and_accepted_ones_complete(url):
    with engines.running(
        url, max_stacks_per_tenant=-1, ours={'max_stacks_at_work_per_tenant': 5}
    ) as driver:

        def create(number):
            try:
                return driver.create(SLOW, name=f's{number}', wait=False)
            except exception.TooManyStacksAtWork as refused:
                return refused

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(create, range(40)))
        accepted = [each for each in answers if not isinstance(each, Exception)]
        refused = [each for each in answers if isinstance(each, Exception)]
        assert accepted and refused and {each.code for each in refused} == {429}
        for stack in accepted:
            driver.wait(stack)
            assert driver.state(stack) == 'CREATE_COMPLETE'
