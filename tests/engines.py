"""An engine in this process with a real database and in-process RPC, without the API.

Tests register resource types of their own. With HEAT_LITE_TEST_SHAPE=convergence the stacks of
each test are walked by all engines, as with the option ``convergence_engine``.
"""

import contextlib
import faulthandler
import os
import time
import types
import uuid

from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.common.context import RequestContext
from heat_lite.db import locks, session
from heat_lite.engine.service import EngineService
from heat_lite.rpc import messaging
from heat_lite.rpc.client import EngineClient
from heat_lite.startup import global_environment
from tests import row_locks
from tests.timeouts import WAIT_SECONDS

CONVERGENCE = os.environ.get('HEAT_LITE_TEST_SHAPE') == 'convergence'


def warm_up():
    """Load what an engine reads from disk at its start, so that forked processes need not."""
    conf = cfg.ConfigOpts()
    options.register(conf)
    conf([], project='heat_lite', default_config_files=[])
    messaging.setup(conf, 'local://')
    messaging.cleanup()
    global_environment.build_registry(conf)


@contextlib.contextmanager
def running(url, types=(), transport='local://', files=(), ours=None, **settings):
    """Run an engine on a migrated database and yield its Driver.

    ``types`` are further resource types, ``settings`` options of [DEFAULT], ``ours`` options of
    [heat_lite] and ``files`` configuration files.
    """
    # All engines of a process use one database: threads of an engine that still runs, e.g. of a
    # fixture of the module, would write into this one.
    assert not session.configured(), 'an engine with another database runs in this process'
    conf = cfg.ConfigOpts()
    options.register(conf)
    conf.register_opts(session.OPTIONS, 'database')
    conf([], project='heat_lite', default_config_files=list(files))
    conf.set_override('connection', url, 'database')
    for name, value in {'convergence_engine': CONVERGENCE, **settings}.items():
        conf.set_override(name, value)
    for name, value in (ours or {}).items():
        conf.set_override(name, value, 'heat_lite')
    session.configure(conf)
    messaging.setup(conf, transport)
    registry = global_environment.build_registry(conf)
    for kind in types:
        registry.register(kind.resource_type, kind)
    service = EngineService(conf, registry)
    service.start()
    try:
        with row_locks.unwritten(session.engine()) as found:
            yield Driver(service)
    finally:
        service.stop(5)
        messaging.cleanup()
        session.dispose()
    # decisions by rows that are only locked: see row_locks
    assert not {each for each in found if each[0] not in row_locks.ALLOWED}


@contextlib.contextmanager
def another(driver):
    """Run a second engine on the database and transport of ``driver``."""
    service = EngineService(driver.service._conf, driver.service.runtime.registry)
    service.start()
    try:
        yield service
    finally:
        service.stop(5)


def _versioned(template):
    """Return a template with a version as it is, another one with one of HOT."""
    if any(key.endswith('FormatVersion') for key in template):
        return template
    return {'heat_template_version': '2021-04-16', **template}


class Driver:
    """The requests of one user to an engine, and waiting for their end."""

    def __init__(self, service):
        self.service = service
        self.client = EngineClient()
        self.context = RequestContext(
            user_id='u', user_name='tester', project_id=uuid.uuid4().hex, roles=['member']
        )

    def create(self, template, name='stack', wait=True, params=None, files=None, **args):
        """Create a stack; return its identity."""
        identity = self.client.create_stack(
            self.context,
            stack_name=name,
            template=_versioned(template),
            params=params or {},
            files=files or {},
            args={'disable_rollback': True, **args},
        )
        return self.wait(identity) if wait else identity

    def update(self, identity, template, wait=True, params=None, files=None, **args):
        self.client.update_stack(
            self.context,
            stack_identity=identity,
            template=_versioned(template),
            params=params or {},
            files=files or {},
            args=args,
        )
        return self.wait(identity) if wait else identity

    def preview(self, identity, template, params=None, **args):
        """Return what an update would do."""
        return self.client.preview_update_stack(
            self.context,
            stack_identity=identity,
            template=_versioned(template),
            params=params or {},
            files={},
            args=args,
        )

    def delete(self, identity, wait=True):
        self.client.delete_stack(self.context, stack_identity=identity)
        return self.wait(identity) if wait else identity

    def wait(self, identity, seconds=WAIT_SECONDS):
        """Wait until no action is in progress; return the identity."""
        until = time.monotonic() + seconds
        while self.stack(identity)['stack_status'] == 'IN_PROGRESS':
            if time.monotonic() > until:
                faulthandler.dump_traceback()
                raise AssertionError(f'still in progress: {self.events(identity)}')
            time.sleep(0.005)
        return identity

    def wait_for_resource(self, identity, name, state, seconds=WAIT_SECONDS):
        """Wait until a resource of the stack has this ACTION_STATUS."""
        until = time.monotonic() + seconds
        while self.resources(identity).get(name) != state:
            assert time.monotonic() < until, f'{name} is not {state}: {self.events(identity)}'
            time.sleep(0.005)

    def expire(self, identity):
        """End the time of the running action now, and wait for its end; return the identity.

        A short time limit instead could end before the action has come to what a test is about.
        """

        def expire(stack):
            stack.run.walk._deadline = time.monotonic()

        running = types.SimpleNamespace(id=identity['stack_id'])
        self.service.runtime.task_manager.call(running, expire)
        return self.wait(identity)

    def wait_for_free_lock(self, identity, seconds=WAIT_SECONDS):
        """Wait until nobody holds the lock of the stack: it is released after the end is stored."""
        until = time.monotonic() + seconds
        while (holder := locks.holder(identity['stack_id'])) is not None:
            assert time.monotonic() < until, f'engine {holder} holds the lock'
            time.sleep(0.005)

    def stack(self, identity):
        return self.client.show_stack(self.context, stack_identity=identity)[0]

    def state(self, identity):
        stack = self.stack(identity)
        return f'{stack["stack_action"]}_{stack["stack_status"]}'

    def outputs(self, identity):
        return {
            each['output_key']: each['output_value'] for each in self.stack(identity)['outputs']
        }

    def resources(self, identity):
        """Return ``{name: ACTION_STATUS}``."""
        listed = self.client.list_stack_resources(self.context, stack_identity=identity)
        return {
            each['resource_name']: f'{each["resource_action"]}_{each["resource_status"]}'
            for each in listed
        }

    def tree(self, identity):
        """``{(parent resource, name): ACTION_STATUS}`` of the stack and its nested stacks."""
        listed = self.client.list_stack_resources(
            self.context, stack_identity=identity, nested_depth=9
        )
        return {
            (
                each.get('parent_resource'),
                each['resource_name'],
            ): f'{each["resource_action"]}_{each["resource_status"]}'
            for each in listed
        }

    def resource(self, identity, name):
        return self.client.describe_stack_resource(
            self.context, stack_identity=identity, resource_name=name, with_attr=None
        )

    def physical_id(self, identity, name):
        return self.resource(identity, name)['physical_resource_id']

    def events(self, identity):
        """Return ``(resource, ACTION_STATUS)`` of all events, oldest first."""
        listed = self.client.list_events(self.context, stack_identity=identity, sort_dir='asc')
        return [
            (each['resource_name'], f'{each["resource_action"]}_{each["resource_status"]}')
            for each in listed
        ]
