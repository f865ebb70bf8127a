"""Engines and APIs of two releases on one database and broker: each is exchanged, there and back.

The previous release is the source in ``tests/previous``, so that no history is needed. Its programs
run with the libraries of this release. HEAT_LITE_STACKS is the least number of stacks: rounds are
made until there were so many.
"""

import concurrent.futures
import contextlib
import itertools
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests import brokers, databases, previous
from tests.chaos import clusters
from tests.chaos.clusters import WAIT_SECONDS
from tests.chaos.test_engine_crashes import GENERATED, template, thing
from tests.functional import shapes

USERS = 6
STACKS = int(os.environ.get('HEAT_LITE_STACKS', '1'))
SYNC = 'import sys; from heat_lite.db import migration; migration.sync(sys.argv[1])'


def small(value):
    return template(
        a=thing(value=value),
        b=thing(GENERATED, 'a', wait=1, other=value),
        c=thing('Test::Slow', 'b', wait=1),
        secret={'type': 'OS::Heat::RandomString'},
    )


def nested(value):
    group = {'count': 2, 'resource_def': {'type': GENERATED, 'properties': {'wait': 1}}}
    group['resource_def']['properties']['value'] = value
    return template(
        n={'type': 'nested.yaml', 'properties': {'value': value}},
        g={'type': 'OS::Heat::ResourceGroup', 'properties': group, 'depends_on': 'n'},
    )


def wide(value):
    """More resources than one engine takes for itself, if all engines walk a stack."""
    middle = {f'r{n}': thing(GENERATED, 'first', value=value, wait=0.5) for n in range(24)}
    return template(first=thing(), **middle)


INSIDE = {
    **template(x=thing(value={'get_param': 'value'}), y=thing(GENERATED, 'x', wait=0.5)),
    'parameters': {'value': {'type': 'string'}},
}
FILES = {'nested.yaml': json.dumps(INSIDE)}
KINDS = (small, nested, wide)


class Users:
    """Users who create, update, suspend, resume and delete stacks until there were enough.

    ``count`` is the number of stacks, ``kept`` are the names of those that are not deleted.
    """

    def __init__(self, cluster):
        self.cluster = cluster
        self.count, self._numbers = 0, itertools.count(1)
        self.enough = threading.Event()
        self.kept = []

    def work(self):
        """Lead one stack after the other through its life. Raises AssertionError for a lost one."""
        while not self.enough.is_set():
            number = self.count = next(self._numbers)
            self._live(f's{number}', KINDS[number % len(KINDS)])

    def _live(self, name, kind):
        self.cluster.create(name, kind('1'), files=FILES)
        self._reach(name, 'CREATE_COMPLETE')
        path = self.cluster.path(name)
        self._ask('PUT', path, {'template': kind('2'), 'files': FILES}, 202)
        self._reach(name, 'UPDATE_COMPLETE')
        if kind is small:
            for action in ('suspend', 'resume'):
                self._ask('POST', f'{path}/actions', {action: None}, 200, 409)
                self._reach(name, f'{action.upper()}_COMPLETE')
        if kind is nested:
            self.kept.append(name)
        else:
            self._ask('DELETE', path, None, 204, 404)
            clusters.wait_for(lambda: self._state(name) is None)

    def _ask(self, method, path, data, *expected):
        """Send a request. Its repetition may find what an attempt without an answer has begun."""
        answer = self.cluster.request(method, path, data)
        assert answer.status_code in expected, (method, path, answer.text)

    def _state(self, name):
        answer = self.cluster.request('GET', f'/stacks/{name}', allow_redirects=True)
        return None if answer.status_code == 404 else answer.json()['stack']['stack_status']

    def _reach(self, name, state):
        until = time.monotonic() + WAIT_SECONDS
        while (found := self._state(name)) != state:
            assert found and not found.endswith('FAILED'), (name, state, found)
            assert time.monotonic() < until, (name, state, found)
            time.sleep(0.5)


@contextlib.contextmanager
def users_at_work(cluster):
    """Have users work during the block; at its end no stack may be lost."""
    users = Users(cluster)
    with concurrent.futures.ThreadPoolExecutor(USERS) as pool:
        working = [pool.submit(users.work) for _ in range(USERS)]
        try:
            yield users
        finally:
            users.enough.set()
        for each in working:
            each.result()
    print(f'{users.count} stacks')
    assert cluster.states() == dict.fromkeys(users.kept, 'UPDATE_COMPLETE')
    assert not cluster.violations()


def exchange_engines(cluster, wrapper):
    """Start an engine of another release for each engine; end one before, the other crashes."""
    before = list(cluster.engines)
    logs = [cluster.start_engine(*wrapper)[1] for _ in before]
    clusters.wait_for(lambda: all('is ready' in log.read_text() for log in logs))
    for former, signum in zip(before, itertools.cycle((signal.SIGTERM, signal.SIGKILL))):
        cluster.kill(former, signum)


def exchange_api(cluster, wrapper):
    former = cluster.service.processes['api']
    former.terminate()
    former.wait(WAIT_SECONDS)
    cluster.start_api(*wrapper)


def folder_of(wrapper):
    """Return the folder with the code that a command with this beginning uses."""
    command = previous.python(wrapper, '-P', '-c', 'import heat_lite; print(heat_lite.__file__)')
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).parents[1]


def manage(cluster, program, *command):
    done = subprocess.run(
        [shapes.BIN / program, '--config-file', cluster.folder / 'heat.conf', *command],
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def upgrade(cluster, wrapper=()):
    """Go from one release to another in the order of docs/operations/upgrades.md."""
    exchange_engines(cluster, wrapper)
    exchange_api(cluster, wrapper)


def downgrade(cluster, wrapper):
    exchange_api(cluster, wrapper)
    exchange_engines(cluster, wrapper)


@contextlib.contextmanager
def running_before(backend, folder, **args):
    """Run engines and an API of the previous release; yield the Cluster and their wrapper."""
    wrapper = previous.unpack(folder / 'previous')
    assert folder_of(wrapper) == folder / 'previous'
    with (
        databases.empty(backend, folder) as database,
        brokers.virtual_host_or_skip() as transport,
    ):
        sync = previous.python(wrapper, '-c', SYNC, database)
        subprocess.run(sync, check=True, timeout=WAIT_SECONDS)
        with clusters.running(folder, database, transport, wrapper=wrapper, **args) as cluster:
            yield cluster, wrapper


@pytest.mark.parametrize('backend, convergence', [('mysql', 'false'), ('postgresql', 'true')])
def test_no_stack_is_lost_by_an_upgrade_and_a_downgrade(backend, convergence, tmp_path):
    options = f'convergence_engine = {convergence}'
    with running_before(backend, tmp_path, options=options) as (cluster, before):
        with users_at_work(cluster) as users:
            manage(cluster, 'heat-lite-manage', 'db_sync')
            manage(cluster, 'heat-lite-status', 'upgrade', 'check')
            upgrade(cluster)
            downgrade(cluster, before)
            while users.count < STACKS:
                upgrade(cluster)
                downgrade(cluster, before)
        manage(cluster, 'heat-lite-manage', 'verify')


def test_request_that_the_release_before_does_not_know_is_refused(tmp_path):
    policy = tmp_path / 'policy.yaml'
    policy.write_text('"service:index": ""')  # the user of this cluster is no administrator
    options = f'[oslo_policy]\npolicy_file = {policy}'
    with running_before('mysql', tmp_path, engines=1, options=options) as (cluster, _):
        exchange_api(cluster, ())
        answer = cluster.request('GET', '/services?with_stacks=true')
        assert answer.status_code == 501, answer.text
        assert 'Upgrade all engines before the APIs' in answer.json()['error']['message']
        assert cluster.request('GET', '/services').status_code == 200
