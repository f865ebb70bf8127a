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
