"""An update runs between two statements of a request to the same stack.

The engine has these tests for itself: a thread of another one could send the awaited statement.
"""

import pytest

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
        with databases.before_first('INSERT', lambda: driver.update(identity, AFTER)):
            taken = driver.client.stack_snapshot(
                driver.context, stack_identity=identity, name='a snapshot'
            )
        driver.wait(identity)
        shown = driver.client.show_snapshot(
            driver.context, stack_identity=identity, snapshot_id=taken['id']
        )
        assert shown['data']['template'] == AFTER
        assert list(shown['data']['resources']) == list(AFTER['resources'])
