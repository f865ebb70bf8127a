"""A fresh database for a test, on each of the three servers that we support.

SQLite needs nothing. MariaDB and PostgreSQL are looked for where the environment says (HEAT_LITE_TEST_MYSQL, HEAT_LITE_TEST_POSTGRESQL,
each the URL of a user who may create databases), else at their usual ports on this machine. Where one does not answer its tests are
skipped; with CI set they fail.
"""

import contextlib
import functools
import os
import uuid

import pytest
import sqlalchemy
from oslo_config import cfg
from sqlalchemy import event

from heat_lite.db import engines, migration, models, session, stacks, templates

BACKENDS = ('sqlite', 'mysql', 'postgresql')
SERVERS = {
    'mysql': os.environ.get('HEAT_LITE_TEST_MYSQL', 'mysql://root@127.0.0.1:3306/mysql'),
    'postgresql': os.environ.get('HEAT_LITE_TEST_POSTGRESQL', 'postgresql://postgres@127.0.0.1:5432/postgres'),
}


@contextlib.contextmanager
def empty(backend, folder):
    """The URL of a new database without tables; it is gone afterwards."""
    if backend == 'sqlite':
        yield f'sqlite:///{folder}/{uuid.uuid4().hex}.db'
        return
    missing = unreachable(backend)
    if missing:
        give_up(f'{backend} does not answer at {SERVERS[backend]}: {missing}')
    name = f'heat_lite_test_{uuid.uuid4().hex[:16]}'
    with server(backend) as admin:
        admin.exec_driver_sql(f'CREATE DATABASE {name}')
    try:
        yield _url(backend).set(database=name).render_as_string(hide_password=False)
    finally:
        with server(backend) as admin:
            admin.exec_driver_sql(f'DROP DATABASE {name}{" WITH (FORCE)" if backend == "postgresql" else ""}')


@contextlib.contextmanager
def migrated(backend, folder):
    """The URL of a new database with all tables."""
    with empty(backend, folder) as url:
        migration.sync(url)
        yield url


@contextlib.contextmanager
def configured(url, key=None, encrypt=False, **options):
    """``heat_lite.db`` connected to this database; ``options`` are those of [database], ``key`` is for its secrets; with ``encrypt``
    parameters and properties are secrets."""
    conf = conf_for(url, **options)
    if key is not None:
        conf.register_opt(cfg.StrOpt('auth_encryption_key', default=key))
        conf.register_opt(cfg.BoolOpt('encrypt_parameters_and_properties', default=encrypt))
    session.configure(conf)
    try:
        yield session
    finally:
        session.dispose()


def connect(url):
    """Connect ``heat_lite.db`` to this database, unless it is: connections cost more than most tests."""
    if not session.configured() or session.engine().url != engines.full_url(url):
        session.configure(conf_for(url))


def conf_for(url, **options):
    """A configuration of its own, with this database."""
    conf = cfg.ConfigOpts()
    conf([], project='heat_lite')
    conf.register_opts(session.OPTIONS, 'database')
    for name, value in {'connection': url, 'db_retry_interval': 0, **options}.items():
        conf.set_override(name, value, 'database')
    return conf


def make_stack(context, name='web', tags=(), **values):
    """A stack of the context's project, of an empty template, with these values. Its id."""
    template_id = templates.store(context, {'heat_template_version': '2018-08-31'})
    return stacks.create(context, {'name': name, 'tenant': context.tenant_id, 'raw_template_id': template_id, **values}, tags)


@session.writer
def wipe():
    """Empty all tables of the configured database: quicker than a new one for each test."""
    for table in reversed(models.metadata.sorted_tables):
        session.execute(table.delete())


@session.reader
def dump():
    """All that the configured database holds, as one text: what somebody finds in it who has no key."""
    told = []
    for table in models.metadata.sorted_tables:
        plain = sqlalchemy.table(table.name, *(sqlalchemy.column(name) for name in table.c.keys()))
        told += [f'{table.name} {tuple(row)}' for row in session.execute(sqlalchemy.select(plain))]
    return '\n'.join(told)


def give_up(reason):
    """Skip, or fail where all servers must be there."""
    (pytest.fail if os.environ.get('CI') else pytest.skip)(reason)


def connection_number(connection):
    """By what the server knows a connection."""
    mysql = connection.dialect.name == 'mysql'
    return connection.exec_driver_sql('SELECT CONNECTION_ID()' if mysql else 'SELECT pg_backend_pid()').scalar()


def cut(backend, *numbers):
    """Cut connections from the side of the server."""
    with server(backend) as admin:
        for number in numbers:
            admin.exec_driver_sql(f'KILL {number}' if backend == 'mysql' else f'SELECT pg_terminate_backend({number})')


@functools.cache
def unreachable(backend):
    """Why a server cannot be used; None when it can."""
    try:
        with server(backend) as admin:
            admin.exec_driver_sql('SELECT 1')
    except Exception as error:
        return str(error).splitlines()[0]
    return None


def _url(backend):
    return engines.full_url(SERVERS[backend])


@contextlib.contextmanager
def server(backend):
    """A connection of the user who may do anything, in no particular database."""
    engine = sqlalchemy.create_engine(_url(backend), isolation_level='AUTOCOMMIT', poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        yield connection


@contextlib.contextmanager
def statements():
    """The list of the statements that the configured database is sent meanwhile."""
    seen = []

    def note(connection, cursor, statement, parameters, context, executemany):
        seen.append(statement)

    both = {session.engine(writes=True), session.engine(writes=False)}
    for engine in both:
        sqlalchemy.event.listen(engine, 'before_cursor_execute', note)
    try:
        yield seen
    finally:
        for engine in both:
            sqlalchemy.event.remove(engine, 'before_cursor_execute', note)


@contextlib.contextmanager
def first_commit_unheard(backend, stored):
    """In here the connection is lost at the first commit, before or after (``stored``) the server did it. The list says whether."""
    lost = []

    def lose(connection):
        if not lost:
            lost.append(connection)
            number = connection_number(connection)
            if stored:
                connection.connection.dbapi_connection.commit()
            cut(backend, number)

    event.listen(session.engine(), 'commit', lose)
    try:
        yield lost
    finally:
        event.remove(session.engine(), 'commit', lose)
