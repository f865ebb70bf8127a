"""Engines die while they make servers with ports of their own: none is made twice, and nothing is left behind."""

import json
import os
import signal
import time
import traceback

import pytest

from heat_lite.common.context import RequestContext
from heat_lite.db import credentials
from tests import cloud, databases, engines, identity, samples
from tests.chaos import clusters, lives
from tests.functional.test_trusts import CONFIGURATION, fresh, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments
from tests.waiting import PATIENCE

OWN = {'subnet': 'a subnet', 'port_extra_properties': {}}
SERVER = {'image': 'a images', 'flavor': 'a flavor', 'networks': [OWN, {'network': 'a network'}], 'user_data_format': 'SOFTWARE_CONFIG'}
ONE = {'type': 'OS::Nova::Server', 'properties': SERVER}
INSIDE = {'heat_template_version': '2021-04-16', 'resources': {'server': ONE}}
TEMPLATE = {'resources': {'one': ONE, 'two': {'type': 'inside.yaml'}}}
FILES = {'inside.yaml': json.dumps(INSIDE)}


def asking(place):
    _, _, headers = place.identity.issue(cloud.USER, {'project': {}}, ['password'])
    return RequestContext(
        user_id=identity.ident(f'user {cloud.USER}'),
        user_name=cloud.USER,
        project_id=place.project_id,
        auth_token=dict(headers)['X-Subject-Token'],
        roles=['admin', 'member'],
    )


def dying(url, files, context, count, trust_after):
    """A process with an engine that makes the servers, and dies before the ``count``th commit; where a trust is left at once only after
    that. Whether it has died of it."""
    pid = os.fork()
    if pid == 0:
        try:
            with engines.running(url, files=files, ours={**lives.SETTINGS, 'trust_after': trust_after}) as driver:
                driver.context = context
                death = lives.Death('commit', count)
                if trust_after:
                    death.arm(engines.session.engine())
                stack = driver.create(TEMPLATE, name='s', files=FILES, wait=False)
                if not trust_after:
                    clusters.wait_for(lambda: credentials.of_stack(context, stack['stack_id']))
                    death.arm(engines.session.engine())
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


@pytest.mark.parametrize(('count', 'trust_after'), [(2, 100), (4, 100), (6, 100), (8, 100), (10, 100), (1, 0)])
def test_each_server_is_made_once(count, trust_after, place, tmp_path):
    """Whoever goes on acts by the trust, or, as long as there is none, by the token of the one who has asked."""
    samples.seed(place.cloud)
    before = {key for key in place.cloud.objects if key[1] in ('/servers', '/ports')}
    (tmp_path / 'heat.conf').write_text(place.configuration() + CONFIGURATION.format(url=place.auth_url))
    files, context = [tmp_path / 'heat.conf'], asking(place)
    with databases.migrated('sqlite', tmp_path) as url:
        assert dying(url, files, context, count, trust_after)
        with engines.running(url, files=files, ours=lives.SETTINGS) as driver:
            driver.context = context
            at_rest(url)
            if driver.client.list_stacks(context):
                ends_well(driver, place, before)
    assert {key for key in place.cloud.objects if key[1] in ('/servers', '/ports')} == before


def ends_well(driver, place, before):
    """Unless it was never stored, and nothing made of it: what else is at work in the engine commits, too."""
    stack = driver.client.identify_stack(driver.context, stack_name='s')
    made = [each for each in place.cloud.of('compute', '/servers') if ('compute', '/servers', each['id']) not in before]
    ours = [each for each in place.cloud.of('network', '/ports') if (each['name'] or '').endswith('-port-0')]
    assert (driver.state(stack), len(made), len(ours)) == ('CREATE_COMPLETE', 2, 2), driver.stack(stack)['stack_status_reason']
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
