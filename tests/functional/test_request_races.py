"""A stack is deleted or updated between two statements of a request.

A deletion goes directly to the database, as that of another engine does, at each moment at which
nobody holds the lock of the stack. SQLite suffices: the statements of all databases are the same.
"""

import contextlib
import itertools
import threading
import uuid

import pytest
import sqlalchemy

from heat_lite.common import exception
from heat_lite.db import models, session
from heat_lite.db.column_types import utcnow
from tests import databases, engines

DEPLOYMENT = {
    'config': {'get_resource': 'config'},
    'server': {'get_resource': 'server'},
    'signal_transport': 'NO_SIGNAL',
}
GROUP = {'count': 1, 'resource_def': {'type': 'OS::Heat::TestResource'}}
TEMPLATE = {
    'resources': {
        'random': {'type': 'OS::Heat::RandomString'},
        'handle': {'type': 'OS::Heat::WaitConditionHandle'},
        'server': {'type': 'OS::Heat::DeployedServer'},
        'config': {'type': 'OS::Heat::SoftwareConfig', 'properties': {'config': 'x'}},
        'deployment': {'type': 'OS::Heat::SoftwareDeployment', 'properties': DEPLOYMENT},
        'group': {'type': 'OS::Heat::ResourceGroup', 'properties': GROUP},
    },
    'outputs': {'value': {'value': {'get_attr': ['random', 'value']}}},
}
OTHER = {
    'heat_template_version': '2021-04-16',
    'resources': {'random': {'type': 'OS::Heat::RandomString'}},
}
NEW = {'template': OTHER, 'params': {}, 'files': {}}
SIGNAL = {'details': {'status': 'SUCCESS'}, 'sync_call': True}
DELETED, PURGED = 'deleted', 'purged'
MOST_STATEMENTS = 100

#: requests that change nothing, as (method, arguments); the values of ``known`` replace names
READS = [
    ('identify_stack', {'stack_name': 'name'}),
    ('list_stacks', {}),
    ('show_stack', {'stack_identity': 'identity'}),
    ('show_stack', {'stack_identity': None}),
    ('list_outputs', {'stack_identity': 'identity'}),
    ('show_output', {'stack_identity': 'identity', 'output_key': 'value'}),
    ('list_stack_resources', {'stack_identity': 'identity', 'nested_depth': 2}),
    (
        'list_stack_resources',
        {'stack_identity': 'identity', 'nested_depth': 2, 'with_detail': True},
    ),
    ('describe_stack_resource', {'stack_identity': 'identity', 'resource_name': 'group'}),
    ('describe_stack_resource', {'stack_identity': 'identity', 'resource_name': 'deployment'}),
    ('describe_stack_resources', {'stack_identity': 'identity', 'resource_name': None}),
    ('find_physical_resource', {'physical_resource_id': 'server'}),
    ('list_events', {'stack_identity': 'identity', 'nested_depth': 2}),
    ('list_events', {'stack_identity': None}),
    ('list_events', {'stack_identity': 'identity', 'filters': {'uuid': 'event'}}),
    ('get_template', {'stack_identity': 'identity'}),
    ('get_environment', {'stack_identity': 'identity'}),
    ('get_files', {'stack_identity': 'identity'}),
    ('stack_list_snapshots', {'stack_identity': 'identity'}),
    ('show_snapshot', {'stack_identity': 'identity', 'snapshot_id': 'snapshot'}),
    (
        'preview_update_stack',
        {'stack_identity': 'identity', **NEW, 'args': {'show_nested': True}},
    ),
    ('export_stack', {'stack_identity': 'identity'}),
    ('metadata_software_deployments', {'server_id': 'server'}),
    ('list_software_deployments', {'server_id': 'server'}),
    ('show_software_deployment', {'deployment_id': 'deployment'}),
]
WRITES = [
    ('resource_signal', {'stack_identity': 'identity', 'resource_name': 'handle', **SIGNAL}),
    ('resource_signal', {'stack_identity': 'identity', 'resource_name': 'deployment', **SIGNAL}),
    (
        'resource_mark_unhealthy',
        {'stack_identity': 'identity', 'resource_name': 'random', 'mark_unhealthy': True},
    ),
    ('stack_protect', {'stack_identity': 'identity', 'protected': False}),
    ('stack_snapshot', {'stack_identity': 'identity', 'name': 'a snapshot'}),
    ('delete_snapshot', {'stack_identity': 'identity', 'snapshot_id': 'snapshot'}),
    ('stack_restore', {'stack_identity': 'identity', 'snapshot_id': 'snapshot'}),
    ('update_stack', {'stack_identity': 'identity', **NEW, 'args': {}}),
    ('stack_suspend', {'stack_identity': 'identity'}),
    ('stack_resume', {'stack_identity': 'identity'}),
    ('stack_check', {'stack_identity': 'identity'}),
    ('stack_cancel_update', {'stack_identity': 'identity'}),
    ('stack_retry', {'stack_identity': 'identity'}),
    ('abandon_stack', {'stack_identity': 'identity'}),
    ('delete_stack', {'stack_identity': 'identity'}),
    ('create_software_deployment', {'server_id': 'server', 'config_id': 'config'}),
    ('update_software_deployment', {'deployment_id': 'deployment', 'config_id': 'config'}),
    ('signal_software_deployment', {'deployment_id': 'deployment', 'details': {}}),
    ('delete_software_deployment', {'deployment_id': 'deployment'}),
]


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    """An engine without periodic tasks, so that only requests send statements."""
    settings = {'heartbeat_interval': 3600, 'take_over_interval': 3600}
    features = {'enable_stack_adopt': True, 'enable_stack_abandon': True}
    with databases.migrated('sqlite', tmp_path_factory.mktemp('db')) as url:
        with engines.running(url, ours=settings, **features) as driver:
            driver.context.project_id = 'races'
            yield driver


@pytest.fixture(scope='module')
def shared(engine):
    """The ``known`` of a stack for requests that change nothing."""
    return make_known(engine)


@pytest.fixture
def known(engine):
    return make_known(engine)


def make_known(engine):
    """Create a stack with a snapshot; return what requests need of it, by name."""
    name = f'stack-{uuid.uuid4().hex}'
    identity = engine.create(TEMPLATE, name)
    assert engine.state(identity) == 'CREATE_COMPLETE'
    snapshot = engine.client.stack_snapshot(engine.context, stack_identity=identity, name='x')
    engine.wait(identity)
    server = engine.physical_id(identity, 'server')
    (made,) = engine.client.list_software_deployments(engine.context, server_id=server)
    events = engine.client.list_events(engine.context, stack_identity=identity)
    path = next(each for each in events if each['resource_name'] == 'random')['event_identity']
    return {
        'name': name,
        'identity': identity,
        'snapshot': snapshot['id'],
        'server': server,
        'deployment': made['id'],
        'config': made['config_id'],
        'event': path['path'].rpartition('/')[2],
    }


class Vanishing:
    """Deletes or purges a stack before a statement, and puts it back at the end of the block."""

    #: tables with rows of a stack, in an order in which they can be inserted
    TABLES = (models.stack, models.resource, models.resource_data, models.event, models.snapshot)

    def __init__(self, stack_id, how, number):
        self._stack_id = stack_id
        self._how = how
        self._number = number
        self._count = itertools.count(1)
        self._guard = threading.Lock()
        self._rows = None
        #: whether there was such a statement, while nobody held the lock of the stack
        self.reached = False
        #: what the request did to the deleted stack: nothing, unless it is wrong
        self.revived = None
        # no deletion happens while the request has a transaction open that writes
        self._engine = sqlalchemy.create_engine(
            session.engine().url, connect_args={'timeout': 0}, poolclass=sqlalchemy.NullPool
        )

    def __enter__(self):
        for each in self._engines():
            sqlalchemy.event.listen(each, 'before_cursor_execute', self._note)
        return self

    def __exit__(self, *_):
        for each in self._engines():
            sqlalchemy.event.remove(each, 'before_cursor_execute', self._note)
        if self._rows is None:
            return
        with session.engine().begin() as connection:
            self.revived = self._what_is_revived(connection)
            for table in reversed(self.TABLES):
                connection.execute(sqlalchemy.delete(table).where(self._of(table)))
            for table, rows in self._rows.items():
                if rows:
                    connection.execute(sqlalchemy.insert(table), rows)

    @staticmethod
    def _engines():
        return {session.engine(writes=True), session.engine(writes=False)}

    def _note(self, *_):
        with self._guard:
            is_chosen = next(self._count) == self._number
        if is_chosen:
            with (
                self._engine.connect() as connection,
                contextlib.suppress(sqlalchemy.exc.OperationalError),
            ):
                self._vanish(connection)

    def _vanish(self, connection):
        lock = models.stack_lock
        held = sqlalchemy.select(lock.c.stack_id).where(lock.c.stack_id == self._stack_id)
        if connection.execute(held).first():
            return
        self.reached = True
        rows = {table: self._read(connection, table) for table in self.TABLES}
        gone = self.TABLES if self._how == PURGED else (models.resource, models.resource_data)
        for table in reversed(gone):
            connection.execute(sqlalchemy.delete(table).where(self._of(table)))
        stack = models.stack
        ended = {'deleted_at': utcnow(), 'action': 'DELETE', 'status': 'COMPLETE', 'live': None}
        connection.execute(sqlalchemy.update(stack).where(self._of(stack)).values(ended))
        connection.commit()
        self._rows = rows

    def _what_is_revived(self, connection):
        resources = self._read(connection, models.resource)
        stacks = self._read(connection, models.stack)
        states = [(row['action'], row['status']) for row in stacks]
        return resources or (states if states not in ([], [('DELETE', 'COMPLETE')]) else None)

    def _read(self, connection, table):
        found = connection.execute(sqlalchemy.select(table).where(self._of(table)))
        return [dict(row) for row in found.mappings()]

    def _of(self, table):
        if table is models.stack:
            return table.c.id == self._stack_id
        if table is models.resource_data:
            ids = sqlalchemy.select(models.resource.c.id)
            return table.c.resource_id.in_(ids.where(models.resource.c.stack_id == self._stack_id))
        return table.c.stack_id == self._stack_id


def filled(arguments, known):
    """Return the arguments with the values of ``known`` in place of their names."""
    if isinstance(arguments, dict):
        return {key: filled(value, known) for key, value in arguments.items()}
    return known.get(arguments, arguments) if isinstance(arguments, str) else arguments


def ids(cases):
    return [f'{number} {method}' for number, (method, _) in enumerate(cases)]


def sweep(engine, how, method, arguments, known):
    """Send a request again and again, with the deletion before each of its statements in turn."""
    send = getattr(engine.client, method)
    for number in range(1, MOST_STATEMENTS):
        with Vanishing(known['identity']['stack_id'], how, number) as vanishing:
            try:
                send(engine.context, **filled(arguments, known))
            except exception.HeatException as error:
                assert 400 <= error.code < 500, (number, error)
        assert not vanishing.revived, (number, vanishing.revived)
        if not vanishing.reached:
            return
    raise AssertionError(f'{method} sends more than {MOST_STATEMENTS} statements')


@pytest.mark.parametrize('how', [DELETED, PURGED])
@pytest.mark.parametrize(('method', 'arguments'), READS, ids=ids(READS))
def test_read_of_a_vanishing_stack_succeeds_or_gets_4xx(how, method, arguments, engine, shared):
    sweep(engine, how, method, arguments, shared)


@pytest.mark.parametrize(('method', 'arguments'), WRITES, ids=ids(WRITES))
def test_change_of_a_deleted_stack_succeeds_or_gets_4xx(method, arguments, engine, known):
    sweep(engine, DELETED, method, arguments, known)
