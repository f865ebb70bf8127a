"""Connections to SQLite, MariaDB and PostgreSQL, with few round trips per transaction.

There are two engines. Writers have transactions; readers use autocommit, without BEGIN and
ROLLBACK. Connections are not pinged before use: ``session`` retries after a lost connection.
"""

import dataclasses
import enum
import os
import select
import sqlite3
import typing

import sqlalchemy
from oslo_db import exception as db_exception
from oslo_db.sqlalchemy import exc_filters
from sqlalchemy import URL, Engine, event, exc, pool
from sqlalchemy.engine import Connection, ExceptionContext
from sqlalchemy.engine.interfaces import DBAPIConnection

from heat_lite.common import metrics, tracing
from heat_lite.common.value_types import Row, without_none
from heat_lite.db import connection_pool

#: what a database and its driver raise
ERRORS = (db_exception.DBError, exc.SQLAlchemyError)
_NO_ROOM = 'make room on the disk of the file'
_NO_ACCESS = 'the user of the service must be able to write the file and its folder'
#: parts of the errors of a file of SQLite -> what to do
CURES = {
    'removed or replaced': 'stop the service, put the file or a backup in its place, start it',
    'is full': _NO_ROOM,
    'disk I/O error': _NO_ROOM,
    'not a database': 'move the file away, or put a backup in its place',
    'malformed': 'the file is damaged: put a backup in its place',
    'unable to open': _NO_ACCESS,
    'readonly': _NO_ACCESS,
    'no such table': 'run "heat-lite-manage db_sync"',
}
DRIVERS = {
    'mysql': 'mysql+pymysql',
    'mariadb': 'mysql+pymysql',
    'mariadb+pymysql': 'mysql+pymysql',
    'postgresql': 'postgresql+psycopg2',
}


class Fault(enum.Enum):
    """What an error of a database asks for, beside a new attempt."""

    #: nothing: the server has rolled the transaction back
    ABORTED = enum.auto()
    #: another connection
    LOST = enum.auto()
    #: another connection, of readers too: the server has become a replica
    DEMOTED = enum.auto()
    #: time
    UNAVAILABLE = enum.auto()


#: errors of MariaDB and MySQL by their numbers, of PostgreSQL by SQLSTATE or its class
FAULTS: dict[int | str, Fault] = {
    # deadlock, also of two nodes of Galera; wait for a lock; a row has changed since it was read
    **dict.fromkeys((1213, 1205, 1020), Fault.ABORTED),
    # a node of Galera without the others; shutdown; network; killed; client's errors of connections
    **dict.fromkeys((1047, 1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 4031), Fault.LOST),
    **dict.fromkeys((2002, 2003, 2006, 2013, 2014, 2045, 2055), Fault.LOST),
    # read_only, innodb_read_only, a session that only reads
    **dict.fromkeys((1290, 1836, 1792), Fault.DEMOTED),
    # disk full; memory; connections and threads; the host is blocked; a statement was interrupted,
    # or took too long; locks; a node of Galera has lost the others at the commit
    **dict.fromkeys((3, 1021, 1030, 1114, 1037, 1038, 1041), Fault.UNAVAILABLE),
    **dict.fromkeys((1040, 1203, 1226, 1135, 1129, 1317, 1969, 3024), Fault.UNAVAILABLE),
    **dict.fromkeys((1206, 1637, 1180), Fault.UNAVAILABLE),
    # serialization, deadlock, wait for a lock
    **dict.fromkeys(('40001', '40P01', '55P03'), Fault.ABORTED),
    # connection; idle or long transaction, idle session; shutdown, crash, start; database dropped
    **dict.fromkeys(('08', '25P03', '25P04', '57P05'), Fault.LOST),
    **dict.fromkeys(('57P01', '57P02', '57P03', '57P04'), Fault.LOST),
    # a transaction that only reads: the server is a standby
    '25006': Fault.DEMOTED,
    # unknown completion, resources, operator (statement was interrupted or took too long), system
    **dict.fromkeys(('40003', '53', '57', '58'), Fault.UNAVAILABLE),
}
#: the verbs of statements that are counted
VERBS = ('select', 'insert', 'update', 'delete', 'with', 'begin', 'pragma')
TRANSIENT_SQLITE = ('is full', 'disk I/O error', 'is locked', 'unable to open', 'readonly')
# Seconds that a writer waits for the SQLite lock of another process.
SQLITE_LOCK_TIMEOUT = 30
# KiB of pages that a reader of SQLite keeps instead of 2,000. The system caches the file, and there
# are several readers.
READ_CACHE = 500
# Seconds that a statement waits for the server. A connection that has lost bytes stays open, e.g.
# when a firewall has forgotten it. It is longer than a wait for the locks of an idle transaction.
SILENCE_SECONDS = 20
# Seconds after which the server aborts a transaction that is idle. Transactions of heat_lite never
# wait for anything but the database, so an idle one belongs to a process that hangs; its row locks
# would prevent the take-over of its stacks.
IDLE_SECONDS = 10
# Compiled statements that SQLAlchemy keeps; at half as many more it drops the least used ones. The
# service has 80, and 40 kB for each form of a list: users combine filters and orders at will.
KEPT_STATEMENTS = 100
# MariaDB executes the comment. MySQL, which has no such limit, ignores it.
MYSQL_IDLE = f'SET @heat_lite = 1 /*M!100300 , SESSION idle_transaction_timeout = {IDLE_SECONDS} */'
# A node of Galera waits before reads, updates and inserts until it has what the others had
# committed before. An engine learns by messages what others have written, and decides by reads.
GALERA_SYNC_WAIT = 7
POSTGRESQL_IDLE = f'-c idle_in_transaction_session_timeout={IDLE_SECONDS * 1000}'


@dataclasses.dataclass(frozen=True)
class Settings:
    """The options of group [database] that concern connections, by oslo.db's names."""

    connection: str
    connection_parameters: str = ''
    connection_recycle_time: int = 3600
    max_pool_size: int | None = 5
    max_overflow: int | None = 50
    pool_timeout: int | None = None
    mysql_sql_mode: str | None = 'TRADITIONAL'
    mysql_wsrep_sync_wait: int | None = None
    sqlite_synchronous: bool = True
    slave_connection: str | None = None
    synchronous_reader: bool = True
    #: seconds, not an option: a statement of an upgrade of the tables may take an hour
    silence: int | None = SILENCE_SECONDS

    @classmethod
    def from_conf(cls, group: typing.Any, **values: typing.Any) -> 'Settings':
        names = {field.name for field in dataclasses.fields(cls)} - {'silence'}
        return cls(**{name: getattr(group, name) for name in names}, **values)


def full_url(connection: str, parameters: str = '') -> sqlalchemy.URL:
    """Return the URL with the default driver and character set, unless it names its own."""
    url = sqlalchemy.make_url(connection)
    url = url.set(drivername=DRIVERS.get(url.drivername, url.drivername))
    if parameters:
        url = url.update_query_string(parameters, append=True)
    if url.get_backend_name() == 'mysql' and 'charset' not in url.query:
        url = url.update_query_dict({'charset': 'utf8mb4'})
    return url


def create_engines(settings: Settings) -> tuple[sqlalchemy.Engine, sqlalchemy.Engine]:
    """Return the engines of writers and of readers; the same for SQLite in memory."""
    url = full_url(settings.connection, settings.connection_parameters)
    if url.get_backend_name() != 'sqlite':
        isolation = 'READ COMMITTED' if url.get_backend_name() == 'mysql' else None
        return _server(url, settings, isolation_level=isolation), _server(
            url, settings, isolation_level='AUTOCOMMIT'
        )
    writer = _file(url, settings, writes=True)
    return writer, writer if _in_memory(url) else _file(url, settings, writes=False)


def create_replica(settings: Settings) -> sqlalchemy.Engine | None:
    """Return the engine of reads that may be late; None if they go to the database itself.

    As in oslo.db, ``slave_connection`` is not used with ``synchronous_reader``.
    """
    if not settings.slave_connection or settings.synchronous_reader:
        return None
    replica = dataclasses.replace(settings, connection=settings.slave_connection)
    return create_engines(replica)[1]


def drop_idle(engine: sqlalchemy.Engine) -> None:
    """Give up the connections to a file of SQLite; the next collection of garbage closes them.

    Each keeps references to its last 200 cursors, and these lie in blocks of memory that could
    return to the system otherwise. They are not closed here: a thread that waits for the one which
    is being closed would not be woken, and hold the lock of all writers meanwhile.
    """
    if engine.dialect.name == 'sqlite' and not _in_memory(engine.url):
        engine.dispose(close=False)


def fault_of(error: BaseException, dialect: str) -> Fault | None:
    """Return what a new attempt asks for; None for an error that it would meet again."""
    wrapped = getattr(error, 'inner_exception', None) or error
    original = getattr(wrapped, 'orig', None) or wrapped
    if dialect == 'mysql':
        return FAULTS.get(original.args[0]) if original.args else None
    if dialect == 'postgresql':
        state = getattr(original, 'pgcode', None)
        if state:
            return FAULTS.get(state) or FAULTS.get(state[:2])
        # failed connection attempts have no SQLSTATE
        return Fault.UNAVAILABLE if isinstance(wrapped, exc.OperationalError) else None
    is_transient = any(word in str(original) for word in TRANSIENT_SQLITE)
    return Fault.UNAVAILABLE if is_transient else None


def describe_failure(error: Exception, name: str = 'of [database] connection') -> str:
    """Return the line for an operator: which database failed, why, and what to do if known."""
    reason = str(error).partition('\n')[0]
    cures = [f'; {cure}' for part, cure in CURES.items() if part in reason]
    return f'The database {name} failed: {"".join([reason, *cures[:1]])}'


def _server(url: URL, settings: Settings, isolation_level: str | None) -> Engine:
    args = {
        'poolclass': connection_pool.BurstPool,
        'pool_recycle': settings.connection_recycle_time,
        'pool_use_lifo': True,
        'skip_autocommit_rollback': True,
    }
    sizes = {
        'pool_size': settings.max_pool_size,
        'max_overflow': settings.max_overflow,
        'pool_timeout': settings.pool_timeout,
    }
    args.update(without_none(sizes))
    if isolation_level:
        args['isolation_level'] = isolation_level
    driver, limit = url.get_driver_name(), str(settings.silence)
    if url.get_backend_name() == 'postgresql':
        url = _with_defaults(url, options=POSTGRESQL_IDLE)
    if driver == 'psycopg2':
        _limit_silence_of_libpq(url, settings.silence)
    elif driver == 'pymysql' and settings.silence:  # others have other options, or none
        url = _with_defaults(url, read_timeout=limit, write_timeout=limit)
    engine = _create(url, **args)
    if url.get_backend_name() == 'mysql':
        _set_on_connect(engine, settings.mysql_sql_mode, settings.mysql_wsrep_sync_wait)
    return engine


def _with_defaults(url: URL, **query: str) -> URL:
    """Return the URL with those parts of a query that it does not have."""
    return url.update_query_dict({**query, **url.query})


def _limit_silence_of_libpq(url: URL, seconds: int | None) -> None:
    """Let statements fail after some seconds without an answer, in all of the process."""
    driver = url.get_dialect().import_dbapi()
    states = driver.extensions
    events = {states.POLL_READ: select.POLLIN, states.POLL_WRITE: select.POLLOUT}

    def wait(connection: typing.Any) -> None:
        while (state := connection.poll()) != states.POLL_OK:
            waiter = select.poll()
            waiter.register(connection.fileno(), events[state])
            if not waiter.poll(seconds and seconds * 1000):
                # the driver closes the connection
                raise driver.OperationalError(f'the server was silent for {seconds} seconds')

    states.set_wait_callback(wait)


def _create(url: URL, **args: typing.Any) -> Engine:
    # The module ``session`` ends each transaction before the connection returns to the pool, so a
    # rollback on return would be a superfluous round trip. Errors and log lines state no parameters
    # of statements, which contain secrets.
    args |= {'pool_reset_on_return': None, 'hide_parameters': True}
    engine = sqlalchemy.create_engine(url, query_cache_size=KEPT_STATEMENTS, **args)
    _drop_lost_connections(engine)  # before oslo.db, which then raises DBConnectionError
    exc_filters.register_engine(engine)
    _guard_against_forks(engine)
    if metrics.enabled() or tracing.enabled():
        _count_statements(engine)
    return engine


def _count_statements(engine: Engine) -> None:
    @event.listens_for(engine, 'after_cursor_execute')
    def count(
        connection: Connection,
        cursor: typing.Any,
        statement: str,
        parameters: typing.Any,
        context: typing.Any,
        many: typing.Any,
    ) -> None:
        verb = statement.lstrip('( ').partition(' ')[0].lower()
        metrics.STATEMENTS.add(verb if verb in VERBS else metrics.OTHER)
        tracing.count_statement(verb)


def _drop_lost_connections(engine: Engine) -> None:
    """Give up all idle connections after an error that asks for another one."""

    @event.listens_for(engine, 'handle_error')
    def mark(context: ExceptionContext) -> None:
        fault = fault_of(context.original_exception, engine.dialect.name)
        if fault in (Fault.LOST, Fault.DEMOTED):
            context.is_disconnect = True


def _set_on_connect(engine: Engine, sql_mode: str | None, sync_wait: int | None) -> None:
    @event.listens_for(engine, 'connect')
    def set_variables(connection: typing.Any, record: Row) -> None:
        with connection.cursor() as cursor:
            cursor.execute(MYSQL_IDLE)
            if sql_mode is not None:
                cursor.execute('SET SESSION sql_mode = %s', [sql_mode])
            cursor.execute("SHOW VARIABLES LIKE 'wsrep_on'")
            is_galera = ('wsrep_on', 'ON') in cursor.fetchall()
            bits = (sync_wait or 0) | GALERA_SYNC_WAIT if is_galera else sync_wait
            if bits is not None:
                cursor.execute('SET SESSION wsrep_sync_wait = %s', [bits])


def _guard_against_forks(engine: Engine) -> None:
    """Prevent a forked process from using or closing the connections of its parent."""

    @event.listens_for(engine, 'connect')
    def remember(connection: DBAPIConnection, record: Row) -> None:
        record.info['pid'] = os.getpid()

    @event.listens_for(engine, 'checkout')
    def check(connection: DBAPIConnection, record: Row, proxy: typing.Any) -> None:
        if record.info['pid'] != os.getpid():
            # Dropped without closing: a close would end the parent's session on the server.
            record.dbapi_connection = proxy.dbapi_connection = None
            raise exc.DisconnectionError(f'The connection belongs to process {record.info["pid"]}.')


# --------------------------------------------------------------- SQLite


def _in_memory(url: URL) -> bool:
    return url.database in (None, '', ':memory:')


def _file(url: URL, settings: Settings, writes: bool) -> Engine:
    """Return the engine of an SQLite file.

    SQLite allows one writer at a time and polls its lock. A pool of one connection is fair and
    wakes the next writer at once.
    """
    args = {
        'poolclass': pool.QueuePool,
        'connect_args': {'check_same_thread': False, 'timeout': SQLITE_LOCK_TIMEOUT},
    }
    # The driver itself begins no transactions in either case; the writer's are begun below.
    if writes:
        args |= {'pool_size': 1, 'max_overflow': 0, 'pool_timeout': SQLITE_LOCK_TIMEOUT}
    else:
        args |= {'isolation_level': 'AUTOCOMMIT', 'skip_autocommit_rollback': True}
    engine = _create(url, **args)

    @event.listens_for(engine, 'connect')
    def prepare(connection: typing.Any, record: Row) -> None:
        connection.isolation_level = None
        connection.execute('PRAGMA journal_mode=WAL')
        connection.execute('PRAGMA foreign_keys=ON')
        connection.execute(f'PRAGMA synchronous={"FULL" if settings.sqlite_synchronous else "OFF"}')
        if writes:
            record.info['file'] = _identity_of_file(url)
        else:
            connection.execute(f'PRAGMA cache_size=-{READ_CACHE}')

    if writes:

        @event.listens_for(engine, 'begin')
        def begin(connection: Connection) -> None:
            if _identity_of_file(url) != connection.info['file']:
                # SQLite would go on in a file without a name, which is lost with the process.
                reason = f'unable to open {url.database}: it was removed or replaced'
                raise exc.OperationalError('BEGIN', None, sqlite3.OperationalError(reason))
            # IMMEDIATE takes the write lock at the start. A later upgrade from a read lock fails
            # at once instead of waiting.
            connection.exec_driver_sql('BEGIN IMMEDIATE')

    return engine


def _identity_of_file(url: URL) -> tuple[int, int] | None:
    try:
        found = os.stat(str(url.database))
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
