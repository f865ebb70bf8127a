"""heat_lite, the container engine or the containers are killed during an action on containers.

HEAT_LITE_CONTAINER_KILLS is the number of lives of a stack; the kills of a number are always the
same.
"""

import contextlib
import functools
import itertools
import os
import random
import signal
import threading
import time

import pytest

from heat_lite.clients import errors
from heat_lite.clients.container_engine import ContainerEngine
from tests import databases, podman
from tests.chaos import engine_processes
from tests.timeouts import WAIT_SECONDS

pytestmark = pytest.mark.xdist_group('containers')
LIVES = int(os.environ.get('HEAT_LITE_CONTAINER_KILLS', '2'))
#: what is killed: this service before or after a request, the container engine, all containers
TARGETS = ('before', 'after', 'after', 'engine', 'containers')
#: requests of each action
REQUESTS = {'create': 30, 'update': 35, 'delete': 10}
WAIT = ['sh', '-c', 'trap exit TERM; sleep 3600 & wait']
ALL = {'container': 2, 'network': 1, 'volume': 1, 'image': 1}


def template(version):
    """Return a template whose update replaces the image, the container and the job."""
    context = {
        'Dockerfile': f'FROM {podman.IMAGE}\nCOPY text /text\n',
        'text': f'{version} {time.time_ns()}',
    }
    mount = [{'volume': {'get_resource': 'data'}, 'path': '/data'}]
    given = {'image': {'get_resource': 'image'}, 'volumes': mount}
    box = {
        **given,
        'command': WAIT,
        'stop_grace_period': 1,
        'networks': [{'network': {'get_resource': 'net'}}],
        'environment': {'VERSION': version},
    }
    job = {**given, 'command': ['cat', '/text', '/data/file'], 'triggers': version}
    types = {
        'net': ('Network', {}),
        'data': ('Volume', {'files': {'file': 'content'}}),
        'image': ('Image', {'context': context}),
        'box': ('Container', box),
        'job': ('Job', job),
    }
    resources = {
        name: {'type': f'HeatLite::Container::{kind}', 'properties': values}
        for name, (kind, values) in types.items()
    }
    return {'heat_template_version': '2021-04-16', 'resources': resources}


class Strike:
    """A kill at one request to the container engine, in an action on the stack of a name."""

    def __init__(self, rng, action, service, name):
        self._own = {'label': [f'heat_lite.stack_name={name}']}
        self._target = rng.choice(TARGETS)
        self._number = rng.randrange(REQUESTS[action])
        self._service = service

    def __str__(self):
        return f'{self._target} {self._number}'

    def arm(self):
        """Let this process strike at the request with the number."""
        call, numbers = ContainerEngine.call, itertools.count()

        @functools.wraps(call)
        def counted(client, method, *args, **options):
            is_hit = next(numbers) == self._number
            if is_hit and self._target != 'after':
                self._strike(client, call)
            result = call(client, method, *args, **options)
            if is_hit and self._target == 'after':
                engine_processes.kill_self()
            return result

        ContainerEngine.call = counted

    def _strike(self, client, call):
        if self._target == 'before':
            engine_processes.kill_self()
        elif self._target == 'engine':
            os.kill(self._service.pid, signal.SIGKILL)
        else:
            for each in call(client, 'containers', filters=self._own):
                with contextlib.suppress(errors.ServiceError):  # it has ended just now
                    call(client, 'kill', each['Id'])


def objects(service, name):
    """Return the number of objects of the stack of a name by their kind."""
    api, own = service.client(), {'label': [f'heat_lite.stack_name={name}']}
    found = {
        'container': api.containers(all=True, filters=own),
        'network': api.networks(filters=own),
        'volume': api.volumes(filters=own)['Volumes'] or (),
        'image': api.images(filters=own),
    }
    return {kind: len(each) for kind, each in found.items() if each}


class Life:
    """A stack that is created, updated and deleted, with a kill in each action."""

    def __init__(self, number, url, conf, service):
        self._rng = random.Random(number)
        self.name = f'chaos-{number}-{time.time_ns()}'
        self._url, self._conf, self._service = url, conf, service
        self.log = [f'life {number}']

    def run(self):
        """Live, and return what is wrong after each action."""
        found = []
        for action, wanted in (('create', ALL), ('update', ALL), ('delete', {})):
            strike = Strike(self._rng, action, self._service, self.name)
            died = self._engine(action, strike)
            self.log.append(f'{action} {strike} {died}')
            state = self._state()
            if state is None and action == 'create' or state and not state.endswith('COMPLETE'):
                # killed before the stack was stored, or failed as its containers were killed
                self.log.append(f'{state}: {self._reason()}')
                self._engine('update' if state and action != 'delete' else action)
                state = self._state()
                self.log.append(f'again: {state}')
            left = objects(self._service, self.name)
            if left != wanted or state and not state.endswith('COMPLETE'):
                found.append(f'{self.log}: {state}, {left} instead of {wanted}')
        return found

    def _engine(self, action, strike=None):
        """Run an action in a process; after its death let another one finish it."""

        def work(driver):
            driver.context.roles = ['admin', 'member']
            if strike is not None:
                strike.arm()
            identity = driver.context and self._identity(driver)
            if action == 'create':
                driver.create(template('1'), name=self.name)
            elif identity is not None:
                act = {'update': self._update, 'delete': driver.delete}[action]
                act(*((driver, identity) if action == 'update' else (identity,)))
            self._settle()

        run = functools.partial(engine_processes.run_engine, self._url, files=[self._conf])
        died = run(work)
        if died:
            run(lambda driver: self._settle())
        return died

    def _update(self, driver, identity):
        driver.update(identity, template('2'))

    def _identity(self, driver):
        listed = driver.client.list_stacks(driver.context)
        found = [each for each in listed if each['stack_name'] == self.name]
        return found[0]['stack_identity'] if found else None

    def _state(self):
        row = self._row()
        return row and f'{row.action}_{row.status}'

    def _reason(self):
        row = self._row()
        return row and row.status_reason

    def _row(self):
        with engine_processes.connect(self._url) as connection:
            query = f"SELECT action, status, status_reason FROM stack WHERE name = '{self.name}'"
            return connection.exec_driver_sql(f'{query} AND deleted_at IS NULL').first()

    def _settle(self):
        until = time.monotonic() + WAIT_SECONDS
        with engine_processes.connect(self._url) as connection:
            while not engine_processes.is_idle(connection):
                assert time.monotonic() < until, self.log
                time.sleep(0.1)


@pytest.fixture
def service(tmp_path):
    """A container engine that starts again after it was killed."""
    with podman.running(tmp_path) as started:
        ended = threading.Event()

        def revive():
            while not ended.wait(0.2):
                if started.has_ended():
                    started.start()

        thread = threading.Thread(target=revive)
        thread.start()
        yield started
        ended.set()
        thread.join()


def test_nothing_is_made_twice_or_left(service, tmp_path):
    conf = tmp_path / 'heat-lite.conf'
    conf.write_text(f'[clients_docker]\nurl = {service.url}\n')
    found = []
    with databases.migrated('sqlite', tmp_path) as url:
        for number in range(LIVES):
            life = Life(number, url, conf, service)
            violations = life.run()
            print(life.log, *violations, flush=True)
            found += violations
    assert not found, '\n'.join(found)
