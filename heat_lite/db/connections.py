"""How connections to the three databases are made, so that a transaction costs as few round trips as it can.

There are two engines: the writer's, with transactions, and the reader's, where each statement stands for itself and no BEGIN or
ROLLBACK travels along. No connection is pinged before use; whoever meets a dead one tries again (see ``session``).
"""

import dataclasses
import os

import sqlalchemy
from oslo_db.sqlalchemy import exc_filters
from sqlalchemy import event, exc, pool

DRIVERS = {'mysql': 'mysql+pymysql', 'mariadb': 'mysql+pymysql', 'mariadb+pymysql': 'mysql+pymysql', 'postgresql': 'postgresql+psycopg2'}
# What a database says that is there, but can do nothing at the moment: it is starting or stopping, its disk is full, too many want
# something of it. PostgreSQL's are classes of states: connection, idle for too long, resources, operator, system.
MYSQL_PASSES = {3, 1021, 1030, 1037, 1038, 1040, 1041, 1053, 1114, 1203, 1290, 1836, 1927}
POSTGRESQL_PASSES = ('08', '25P03', '53', '57', '58')
SQLITE_PASSES = ('is full', 'disk I/O error', 'is locked', 'unable to open', 'readonly')
# how long a writer waits for another process at an SQLite file
SQLITE_PATIENCE = 30
# How long a transaction may wait for its client, in seconds. Ours wait for nothing in their midst: who takes that long hangs, and the
# locks that he has would keep others from taking over what he was at.
IDLE_SECONDS = 10
# MySQL, which has no such limit, takes the second half for a remark
MYSQL_IDLE = f'SET @heat_lite = 1 /*M!100300 , SESSION idle_transaction_timeout = {IDLE_SECONDS} */'
POSTGRESQL_IDLE = f'-c idle_in_transaction_session_timeout={IDLE_SECONDS * 1000}'


@dataclasses.dataclass(frozen=True)
class Settings:
    """The values of [database] that concern connections, under oslo.db's names."""

    connection: str
    connection_parameters: str = ''
    connection_recycle_time: int = 3600
    max_pool_size: int | None = 5
    max_overflow: int | None = 50
    pool_timeout: int | None = None
    mysql_sql_mode: str | None = 'TRADITIONAL'
    mysql_wsrep_sync_wait: int | None = None
    sqlite_synchronous: bool = True

    @classmethod
    def from_conf(cls, group):
        return cls(**{field.name: getattr(group, field.name) for field in dataclasses.fields(cls)})


def full_url(connection: str, parameters: str = '') -> sqlalchemy.URL:
    """The URL with the driver and the character set that we need, where it does not name its own."""
    url = sqlalchemy.make_url(connection)
    url = url.set(drivername=DRIVERS.get(url.drivername, url.drivername))
    if parameters:
        url = url.update_query_string(parameters, append=True)
    if url.get_backend_name() == 'mysql' and 'charset' not in url.query:
        url = url.update_query_dict({'charset': 'utf8mb4'})
    return url


def pair(settings: Settings) -> tuple[sqlalchemy.Engine, sqlalchemy.Engine]:
    """The writer's and the reader's engine; one and the same for an SQLite database in memory."""
    url = full_url(settings.connection, settings.connection_parameters)
    if url.get_backend_name() != 'sqlite':
        isolation = 'READ COMMITTED' if url.get_backend_name() == 'mysql' else None
        return _server(url, settings, isolation_level=isolation), _server(url, settings, isolation_level='AUTOCOMMIT')
    writer = _file(url, settings, writes=True)
    return writer, writer if _in_memory(url) else _file(url, settings, writes=False)


def passes_by_itself(error: Exception, dialect: str) -> bool:
    """Whether it is worth to try again later, though the connection has not been lost."""
    wrapped = getattr(error, 'inner_exception', None) or error
    original = getattr(wrapped, 'orig', None)
    if original is None:
        return False
    if dialect == 'mysql':
        return bool(original.args) and original.args[0] in MYSQL_PASSES
    if dialect == 'postgresql':
        # who could not even connect was told no state
        state = getattr(original, 'pgcode', None)
        return state.startswith(POSTGRESQL_PASSES) if state else isinstance(wrapped, exc.OperationalError)
    return any(word in str(original) for word in SQLITE_PASSES)


def _server(url, settings, isolation_level):
    args = {'pool_recycle': settings.connection_recycle_time, 'pool_use_lifo': True, 'skip_autocommit_rollback': True}
    sizes = {'pool_size': settings.max_pool_size, 'max_overflow': settings.max_overflow, 'pool_timeout': settings.pool_timeout}
    args.update({key: value for key, value in sizes.items() if value is not None})
    if isolation_level:
        args['isolation_level'] = isolation_level
    if url.get_backend_name() == 'postgresql' and 'options' not in url.query:
        url = url.update_query_dict({'options': POSTGRESQL_IDLE})
    engine = _create(url, **args)
    if url.get_backend_name() == 'mysql':
        _set_on_connect(engine, [('sql_mode', settings.mysql_sql_mode), ('wsrep_sync_wait', settings.mysql_wsrep_sync_wait)])
    return engine


def _create(url, **args):
    # session.py ends each transaction itself, before the connection goes back: another rollback at that point is a round trip for nothing
    engine = sqlalchemy.create_engine(url, pool_reset_on_return=None, **args)
    exc_filters.register_engine(engine)
    _guard_against_forks(engine)
    return engine


def _set_on_connect(engine, variables):
    wanted = [(name, value) for name, value in variables if value is not None]

    @event.listens_for(engine, 'connect')
    def set_variables(connection, record):
        with connection.cursor() as cursor:
            cursor.execute(MYSQL_IDLE)
            for name, value in wanted:
                cursor.execute(f'SET SESSION {name} = %s', [value])


def _guard_against_forks(engine):
    """A child process must not talk on its parent's connections, nor end them."""

    @event.listens_for(engine, 'connect')
    def remember(connection, record):
        record.info['pid'] = os.getpid()

    @event.listens_for(engine, 'checkout')
    def check(connection, record, proxy):
        if record.info['pid'] != os.getpid():
            # forgotten instead of closed: that would say goodbye to the server in the parent's name
            record.dbapi_connection = proxy.dbapi_connection = None
            raise exc.DisconnectionError(f'The connection belongs to process {record.info["pid"]}.')


# --------------------------------------------------------------- SQLite


def _in_memory(url):
    return url.database in (None, '', ':memory:')


def _file(url, settings, writes):
    """SQLite has one writer at a time. Waiting in a pool of one is fair and wakes at once, where its own locks poll."""
    args = {'poolclass': pool.QueuePool, 'connect_args': {'check_same_thread': False, 'timeout': SQLITE_PATIENCE}}
    # in both cases sqlite3 itself leaves transactions alone, so that the writer looks as if it had none to roll back
    if writes:
        args |= {'pool_size': 1, 'max_overflow': 0, 'pool_timeout': SQLITE_PATIENCE}
    else:
        args |= {'isolation_level': 'AUTOCOMMIT', 'skip_autocommit_rollback': True}
    engine = _create(url, **args)

    @event.listens_for(engine, 'connect')
    def prepare(connection, record):
        connection.isolation_level = None
        connection.execute('PRAGMA journal_mode=WAL')
        connection.execute('PRAGMA foreign_keys=ON')
        connection.execute(f'PRAGMA synchronous={"FULL" if settings.sqlite_synchronous else "OFF"}')

    if writes:

        @event.listens_for(engine, 'begin')
        def begin(connection):
            # at once with the lock: a reader that turns writer in mid-transaction fails where it could have waited
            connection.exec_driver_sql('BEGIN IMMEDIATE')

    return engine
