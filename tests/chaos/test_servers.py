"""Engines die while they make servers with ports of their own: none is made twice, and nothing is left behind."""

import os
import signal
import time
import traceback

import pytest

from heat_lite.common.context import RequestContext
from tests import cloud, databases, engines, identity, samples
from tests.chaos import lives
from tests.functional.test_trusts import CONFIGURATION, fresh, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments
PATIENCE = 60

OWN = {'subnet': 'a subnet', 'port_extra_properties': {}}
SERVER = {'image': 'a images', 'flavor': 'a flavor', 'networks': [OWN, {'network': 'a network'}], 'user_data_format': 'SOFTWARE_CONFIG'}
SLOW = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 1}}
SERVERS = {name: {'type': 'OS::Nova::Server', 'depends_on': 'slow', 'properties': SERVER} for name in ('one', 'two')}
TEMPLATE = {'resources': {'slow': SLOW, **SERVERS}}


def asking(place):
    _, _, headers = place.identity.issue(cloud.USER, {'project': {}}, ['password'])
    return RequestContext(
        user_id=identity.ident(f'user {cloud.USER}'),
        user_name=cloud.USER,
        project_id=place.project_id,
        auth_token=dict(headers)['X-Subject-Token'],
        roles=['admin', 'member'],
    )


def dying(url, files, context, count):
    """A process with an engine that makes the servers, and dies before the ``count``th commit after it began with them: then it has
    left by whom others can go on."""
    pid = os.fork()
    if pid == 0:
        try:
            with engines.running(url, files=files, ours={**lives.SETTINGS, 'trust_after': 0.1}) as driver:
                driver.context = context
                stack = driver.create(TEMPLATE, name='s', wait=False)
                time.sleep(0.7)
                lives.Death('commit', count).arm(engines.session.engine())
                driver.wait(stack)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def at_rest(url):
    until = time.monotonic() + PATIENCE
    with lives.reading(url) as connection:
        while not lives.is_at_rest(connection):
            assert time.monotonic() < until
            time.sleep(0.02)


@pytest.mark.parametrize('count', range(2, 11, 2))
def test_each_server_is_made_once(count, place, tmp_path):
    samples.seed(place.cloud)
    before = {key for key in place.cloud.objects if key[1] in ('/servers', '/ports')}
    (tmp_path / 'heat.conf').write_text(place.configuration() + CONFIGURATION.format(url=place.auth_url))
    files, context = [tmp_path / 'heat.conf'], asking(place)
    with databases.migrated('sqlite', tmp_path) as url:
        if not dying(url, files, context, count):
            pytest.skip('it was done before')
        with engines.running(url, files=files, ours=lives.SETTINGS) as driver:
            driver.context = context
            at_rest(url)
            stack = driver.client.identify_stack(context, stack_name='s')
            told = driver.stack(stack)
            made = [each for each in place.cloud.of('compute', '/servers') if ('compute', '/servers', each['id']) not in before]
            ours = [each for each in place.cloud.of('network', '/ports') if (each['name'] or '').endswith('-port-0')]
            assert (driver.state(stack), len(made), len(ours)) == ('CREATE_COMPLETE', 2, 2), told['stack_status_reason']
            driver.delete(stack)
            assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert {key for key in place.cloud.objects if key[1] in ('/servers', '/ports')} == before
