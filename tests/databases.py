"""Databases for tests: SQLite, MariaDB and PostgreSQL.

SQLite needs no server. HEAT_LITE_TEST_MYSQL and HEAT_LITE_TEST_POSTGRESQL are the URLs of MariaDB
and PostgreSQL, of a user that can create databases; the defaults are the standard ports of
localhost. The tests of a server that does not respond are skipped; with CI set they fail.
"""

import configparser
import contextlib
import functools
import os
import threading
import uuid

import pytest
import sqlalchemy
from oslo_config import cfg
from sqlalchemy import event

from heat_lite.db import (
    connections,
    journal,
    migration,
    models,
    session,
    stack_creation,
    templates,
)

BACKENDS = ('sqlite', 'mysql', 'postgresql')
SERVERS = {
    'mysql': os.environ.get('HEAT_LITE_TEST_MYSQL', 'mysql://root@127.0.0.1:3306/mysql'),
    'postgresql': os.environ.get(
        'HEAT_LITE_TEST_POSTGRESQL', 'postgresql://postgres@127.0.0.1:5432/postgres'
    ),
}


@contextlib.contextmanager
def empty(backend, folder):
    """Yield the URL of a new database without tables; drop it at the end of the block."""
    if backend == 'sqlite':
        yield f'sqlite:///{folder}/{uuid.uuid4().hex}.db'
        return
    missing = unreachable(backend)
    if missing:
        skip_or_fail(f'{backend} does not respond at {SERVERS[backend]}: {missing}')
    name = f'heat_lite_test_{uuid.uuid4().hex[:16]}'
    with admin_connection(backend) as admin:
        admin.exec_driver_sql(f'CREATE DATABASE {name}')
    try:
        yield _url(backend).set(database=name).render_as_string(hide_password=False)
    finally:
        with admin_connection(backend) as admin:
            admin.exec_driver_sql(
                f'DROP DATABASE {name}{" WITH (FORCE)" if backend == "postgresql" else ""}'
            )


@contextlib.contextmanager
def migrated(backend, folder):
    """Yield the URL of a new database with all tables; drop it at the end of the block."""
    with empty(backend, folder) as url:
        migration.sync(url)
        yield url


@contextlib.contextmanager
def configured(url, key=None, encrypt=False, **options):
    """Connect ``heat_lite.db`` to a database within the block.

    ``options`` are those of [database], ``key`` is auth_encryption_key and ``encrypt`` is
    encrypt_parameters_and_properties.
    """
    conf = conf_for(url, **options)
    if key is not None:
        conf.register_opt(cfg.StrOpt('auth_encryption_key', default=key))
        conf.register_opt(cfg.BoolOpt('encrypt_parameters_and_properties', default=encrypt))
    session.configure(conf)
    try:
        yield session
    finally:
        session.dispose()


def option(file, group, name):
    """Return an option of a configuration file; of lines that repeat it, the last."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read(file)
    return parser[group][name]


def connect(url):
    """Connect ``heat_lite.db`` to a database, unless it is connected: connecting is slow."""
    if not session.configured() or session.engine().url != connections.full_url(url):
        session.configure(conf_for(url))


def conf_for(url, **options):
    """Return a separate configuration with this database."""
    conf = cfg.ConfigOpts()
    conf([], project='heat_lite')
    conf.register_opts(session.OPTIONS, 'database')
    for name, value in {'connection': url, 'db_retry_interval': 0, **options}.items():
        conf.set_override(name, value, 'database')
    return conf


def make_stack(context, name='web', tags=(), **values):
    """Create a stack with an empty template in the context's project; return its id."""
    template_id = templates.store({'heat_template_version': '2018-08-31'})
    return stack_creation.create(
        {'name': name, 'tenant': context.tenant_id, 'raw_template_id': template_id, **values},
        tags,
    )


def set_data(context, row, key, value, redact=False):
    """Store a value of the row of a resource by key."""
    changes = journal.ChangeSet(row.stack_id, data=[(row.id, key, value, redact)])
    journal.save(changes)


@session.writer
def add_snapshot_part(context, snapshot_id, name, data):
    """Insert what Heat stores of a resource in a snapshot."""
    values = {'snapshot_id': snapshot_id, 'resource_name': name, 'data': data}
    session.execute(models.resource_snapshot.insert().values(values))


@session.reader
def snapshot_parts(context, snapshot_id):
    """Return (name, data) of the resources of a snapshot."""
    table = models.resource_snapshot
    columns = sqlalchemy.select(table.c.resource_name, table.c.data).order_by(table.c.resource_name)
    return session.execute(columns.where(table.c.snapshot_id == snapshot_id)).all()


@session.writer
def delete_all_rows():
    """Delete all rows of the configured database, which is faster than a new database."""
    for table in reversed(models.metadata.sorted_tables):
        session.execute(table.delete())


@session.reader
def dump():
    """Return all rows of the configured database as text, without decryption."""
    rows = []
    for table in models.metadata.sorted_tables:
        plain = sqlalchemy.table(table.name, *(sqlalchemy.column(name) for name in table.c.keys()))
        rows += [f'{table.name} {tuple(row)}' for row in session.execute(sqlalchemy.select(plain))]
    return '\n'.join(rows)


def skip_or_fail(reason):
    """Skip the test; fail it if CI is set."""
    (pytest.fail if os.environ.get('CI') else pytest.skip)(reason)


def connection_id(connection):
    """Return the server's id of a connection."""
    mysql = connection.dialect.name == 'mysql'
    return connection.exec_driver_sql(
        'SELECT CONNECTION_ID()' if mysql else 'SELECT pg_backend_pid()'
    ).scalar()


def kill_connections(backend, *numbers):
    """Let the server close connections."""
    with admin_connection(backend) as admin:
        for number in numbers:
            admin.exec_driver_sql(
                f'KILL {number}' if backend == 'mysql' else f'SELECT pg_terminate_backend({number})'
            )


@functools.cache
def unreachable(backend):
    """Return why a server cannot be used, or None."""
    try:
        with admin_connection(backend) as admin:
            admin.exec_driver_sql('SELECT 1')
    except Exception as error:
        return str(error).splitlines()[0]
    return None


def _url(backend):
    return connections.full_url(SERVERS[backend])


@contextlib.contextmanager
def admin_connection(backend):
    """Yield a connection with the privileges to create and drop databases.

    ``backend`` is that of a shared server, or the URL of another one.
    """
    url = connections.full_url(SERVERS.get(backend, backend))
    engine = sqlalchemy.create_engine(
        url, isolation_level='AUTOCOMMIT', poolclass=sqlalchemy.NullPool
    )
    with engine.connect() as connection:
        yield connection


@contextlib.contextmanager
def statements(of_requests=False):
    """Yield the list of statements that the configured database receives within the block.

    With ``of_requests`` those of tasks and timers do not count.
    """
    seen = []

    def note(connection, cursor, statement, parameters, context, executemany):
        if not of_requests or _is_request():
            seen.append(statement)

    for engine in _both_engines():
        sqlalchemy.event.listen(engine, 'before_cursor_execute', note)
    try:
        yield seen
    finally:
        for engine in _both_engines():
            sqlalchemy.event.remove(engine, 'before_cursor_execute', note)


def before_first(prefix, act):
    """Call ``act`` before the first statement in the block that starts with ``prefix``.

    Only statements of requests count, not those of tasks and timers.
    """
    return _at_first('before_cursor_execute', prefix, act)


def after_first(prefix, act):
    """Call ``act`` after that statement, whose transaction goes on."""
    return _at_first('after_cursor_execute', prefix, act)


@contextlib.contextmanager
def _at_first(event, prefix, act):
    found = []

    def note(connection, cursor, statement, *_):
        if not found and _is_request() and statement.startswith(prefix):
            found.append(statement)
            act()

    for engine in _both_engines():
        sqlalchemy.event.listen(engine, event, note)
    try:
        yield
    finally:
        for engine in _both_engines():
            sqlalchemy.event.remove(engine, event, note)
    assert found, f'no statement starts with {prefix!r}'


def _is_request():
    return threading.current_thread().name.startswith('ThreadPoolExecutor')


def _both_engines():
    return {session.engine(writes=True), session.engine(writes=False)}


@contextlib.contextmanager
def lose_first_commit(backend, stored):
    """Lose the connection at the first commit within the block.

    With ``stored`` the server has committed before. The yielded list is empty until then.
    """
    lost = []

    def lose(connection):
        if not lost:
            lost.append(connection)
            number = connection_id(connection)
            if stored:
                connection.connection.dbapi_connection.commit()
            kill_connections(backend, number)

    event.listen(session.engine(), 'commit', lose)
    try:
        yield lost
    finally:
        event.remove(session.engine(), 'commit', lose)
