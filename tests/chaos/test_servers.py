"""Engines are killed while they create servers with ports: no duplicates, no leftovers."""

import contextlib
import json
import os
import signal
import threading
import time
import traceback

import pytest

from heat_lite.common.context import RequestContext
from heat_lite.db import credentials
from tests import cloud, databases, engines, identity, samples
from tests.chaos import clusters, engine_processes
from tests.functional.test_trusts import CONFIGURATION, fresh, running_cloud  # noqa: F401

# ruff: noqa: F811 - fixtures are arguments
from tests.timeouts import WAIT_SECONDS

OWN = {'subnet': 'a subnet', 'port_extra_properties': {}}
SERVER = {
    'image': 'a images',
    'flavor': 'a flavor',
    'networks': [OWN, {'network': 'a network'}],
    'user_data_format': 'SOFTWARE_CONFIG',
}
ONE = {'type': 'OS::Nova::Server', 'properties': SERVER}
INSIDE = {'heat_template_version': '2021-04-16', 'resources': {'server': ONE}}
TEMPLATE = {'resources': {'one': ONE, 'two': {'type': 'nested.yaml'}}}
FILES = {'nested.yaml': json.dumps(INSIDE)}
SERVERS = f'{cloud.PREFIXES["compute"]}/servers'


def request_context(running_cloud):
    _, _, headers = running_cloud.identity.issue(cloud.USER, {'project': {}}, ['password'])
    return RequestContext(
        user_id=identity.ident(f'user {cloud.USER}'),
        user_name=cloud.USER,
        project_id=running_cloud.project_id,
        auth_token=dict(headers)['X-Subject-Token'],
        roles=['admin', 'member'],
    )


def create_and_kill(url, files, context, count, trust_after):
    """Create the servers in a forked engine that is killed before its ``count``-th commit.

    With ``trust_after`` 0 commits count from the stored trust. Return whether it was killed.
    """
    pid = os.fork()
    if pid == 0:
        try:
            with engines.running(
                url,
                files=files,
                ours={**engine_processes.SETTINGS, 'trust_after': trust_after},
            ) as driver:
                driver.context = context
                death = engine_processes.KillPoint('commit', count)
                if trust_after:
                    death.arm(engines.session.engine())
                stack = driver.create(TEMPLATE, name='s', files=FILES, wait=False)
                if not trust_after:
                    clusters.wait_for(lambda: credentials.get_by_stack(stack['stack_id']))
                    death.arm(engines.session.engine())
                driver.wait(stack)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def create_and_stop(url, files, context, cloud):
    """Create the servers in a forked engine that stops before the cloud has made them."""
    stop, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            with engines.running(url, files=files, ours=engine_processes.SETTINGS) as driver:
                driver.context = context
                driver.create(TEMPLATE, name='s', files=FILES, wait=False)
                os.read(stop, 1)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    clusters.wait_for(lambda: count(cloud, 'POST') == 2)
    os.write(told, b'x')
    os.waitpid(pid, 0)


def count(cloud, wanted):
    """Return the number of requests of servers; a request that was held counts twice."""
    return sum(method == wanted and path.startswith(SERVERS) for method, path, _ in cloud.asked)


def wait_until_idle(url):
    until = time.monotonic() + WAIT_SECONDS
    with engine_processes.connect(url) as connection:
        while not engine_processes.is_idle(connection):
            assert time.monotonic() < until
            time.sleep(0.02)


@contextlib.contextmanager
def configured(running_cloud, folder):
    """Yield a database, configuration files and a context; check what is left in the cloud."""
    samples.seed(running_cloud.cloud)
    before = {key for key in running_cloud.cloud.objects if key[1] in ('/servers', '/ports')}
    (folder / 'heat.conf').write_text(
        running_cloud.configuration() + CONFIGURATION.format(url=running_cloud.auth_url)
    )
    with databases.migrated('sqlite', folder) as url:
        yield url, [folder / 'heat.conf'], request_context(running_cloud), before
    assert {
        key for key in running_cloud.cloud.objects if key[1] in ('/servers', '/ports')
    } == before


def test_servers_of_an_engine_that_stops_before_their_answers_are_created_once(
    running_cloud, tmp_path
):
    with configured(running_cloud, tmp_path) as (url, files, context, before):
        made = threading.Event()
        running_cloud.cloud.fail('POST', f'{SERVERS}$', 0, times=2, seconds=made)
        create_and_stop(url, files, context, running_cloud.cloud)
        looks = count(running_cloud.cloud, 'GET')
        with engines.running(url, files=files, ours=engine_processes.SETTINGS) as driver:
            driver.context = context
            clusters.wait_for(lambda: count(running_cloud.cloud, 'GET') >= looks + 2)
            made.set()
            wait_until_idle(url)
            assert count(running_cloud.cloud, 'POST') == 4
            assert_completes_and_delete(driver, running_cloud, before)


@pytest.mark.parametrize(
    ('count', 'trust_after'), [(2, 100), (4, 100), (6, 100), (8, 100), (10, 100), (1, 0)]
)
def test_servers_of_a_killed_engine_are_created_once(count, trust_after, running_cloud, tmp_path):
    """The take-over uses the trust or, before one is stored, the requester's token."""
    with configured(running_cloud, tmp_path) as (url, files, context, before):
        assert create_and_kill(url, files, context, count, trust_after)
        with engines.running(url, files=files, ours=engine_processes.SETTINGS) as driver:
            driver.context = context
            wait_until_idle(url)
            if driver.client.list_stacks(context):
                assert_completes_and_delete(driver, running_cloud, before)


def assert_completes_and_delete(driver, running_cloud, before):
    """Check the objects of the complete stack and delete it."""
    stack = driver.client.identify_stack(driver.context, stack_name='s')
    made = [
        each
        for each in running_cloud.cloud.of('compute', '/servers')
        if ('compute', '/servers', each['id']) not in before
    ]
    server_ports = [
        each
        for each in running_cloud.cloud.of('network', '/ports')
        if (each['name'] or '').endswith('-port-0')
    ]
    assert (driver.state(stack), len(made), len(server_ports)) == ('CREATE_COMPLETE', 2, 2), (
        driver.stack(stack)['stack_status_reason']
    )
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
