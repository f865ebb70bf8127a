"""An update runs between two statements of a request to the same stack.

The engine has these tests for itself: a thread of another one could send the awaited statement.
"""

import concurrent.futures
import threading
import time

import pytest

from heat_lite.engine.endpoints.base import Endpoint, on_working_engine
from heat_lite.engine.stack.stack import StackChanged
from tests import databases, engines

BEFORE = {
    'resources': {'random': {'type': 'OS::Heat::RandomString'}},
    'outputs': {'value': {'value': {'get_attr': ['random', 'value']}}},
}
AFTER = {
    'heat_template_version': '2021-04-16',
    'resources': {'other': {'type': 'OS::Heat::RandomString'}},
}


@pytest.mark.parametrize('backend', ['mysql', 'postgresql'])
def test_snapshot_during_an_update_has_the_new_template(backend, tmp_path):
    """The request has read the stack, then an update runs, then the request takes the lock."""
    with databases.migrated(backend, tmp_path) as url, engines.running(url) as driver:
        identity = driver.create(BEFORE)
        with databases.after_first('SELECT stack.id', lambda: driver.update(identity, AFTER)):
            taken = driver.client.stack_snapshot(
                driver.context, stack_identity=identity, name='a snapshot'
            )
        driver.wait(identity)
        shown = driver.client.show_snapshot(
            driver.context, stack_identity=identity, snapshot_id=taken['id']
        )
        assert shown['data']['template'] == AFTER
        assert list(shown['data']['resources']) == list(AFTER['resources'])


CHANGING = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'a': {'type': 'string', 'default': '0'},
        'b': {'type': 'string', 'default': '0'},
    },
    'resources': {'random': {'type': 'OS::Heat::RandomString'}},
    'outputs': {'both': {'value': [{'get_param': 'a'}, {'get_param': 'b'}]}},
}


def patch(driver, identity, template=None, params=None, **args):
    driver.client.update_stack(
        driver.context,
        stack_identity=identity,
        template=template,
        params={'parameters': params or {}},
        files={},
        args={'existing': True, **args},
    )
    return driver.wait(identity)


@pytest.mark.parametrize('backend', ['mysql', 'postgresql'])
def test_patch_during_an_update_keeps_what_the_update_has_changed(backend, tmp_path):
    """The request has merged the stack as it was, then an update runs, then it takes the lock."""
    with databases.migrated(backend, tmp_path) as url, engines.running(url) as driver:
        identity = driver.create(CHANGING, tags=['former'])

        def update():
            patch(driver, identity, params={'a': '1'}, tags=['new'], timeout_mins=7)

        with databases.before_first('INSERT', update):
            patch(driver, identity, params={'b': '1'})
        assert driver.outputs(identity) == {'both': ['1', '1']}
        shown = driver.stack(identity)
        assert (shown['tags'], shown['timeout_mins']) == (['new'], 7)


class Counter(Endpoint):
    """Counts the changes of a number, and the attempts, of which all first ones read together."""

    def __init__(self, runtime, requests):
        super().__init__(runtime)
        self.number = self.attempts = 0
        self.guard, self.first = threading.Lock(), threading.Barrier(requests)

    @on_working_engine
    def change(self, context, stack_identity):
        base = self.number
        with self.guard:
            self.attempts += 1
            is_first = self.attempts <= self.first.parties
        if is_first:
            self.first.wait()
        else:
            time.sleep(0.01)  # others would change the number meanwhile
        with self.guard:
            if base != self.number:
                raise StackChanged
            self.number += 1


def test_requests_at_the_same_time_are_each_made_twice_at_most(tmp_path):
    requests = 20
    identity = {'tenant': 'p', 'stack_name': 's', 'stack_id': 'i', 'path': ''}
    with (
        databases.migrated('sqlite', tmp_path) as url,
        engines.running(url) as driver,
        concurrent.futures.ThreadPoolExecutor(requests) as pool,
    ):
        counter = Counter(driver.service.runtime, requests)
        list(pool.map(lambda _: counter.change(driver.context, identity), range(requests)))
        assert counter.number == requests
        assert counter.attempts == 2 * requests - 1
