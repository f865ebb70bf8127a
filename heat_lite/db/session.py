"""Transactions: each function with the decorator ``@reader`` or ``@writer`` is one.

A function that is called within another transaction joins it.

    @session.writer
    def touch(stack_id):
        session.execute(update(models.stack).where(...))

A transaction is retried after a deadlock and after a connection that was lost before the commit.
So the function must not have side effects, and it must not wait for anything but the database.
"""

import contextlib
import functools
import math
import random
import threading
import time
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence

import sqlalchemy
from oslo_config import cfg
from oslo_db import exception as db_exception, options as db_options
from sqlalchemy.engine import Connection

from heat_lite.common import attempt, exception, metrics, tracing
from heat_lite.common.value_types import Values
from heat_lite.db import connections, encryption

OPTIONS = db_options.database_opts
LOST = db_exception.DBConnectionError
ABORTED = (db_exception.DBDeadlock, db_exception.RetryRequest)
# Seconds to wait before each retry after a lost connection. The first retry is immediate, because
# most lost connections were idle for too long. With [database] use_db_reconnect the db_* options
# replace these values.
PAUSES = (0, 0.1, 0.5, 1, 2, 4, 8)
# Seconds between the retries of a thread that retries forever.
FOREVER_PAUSE = 2
MAX_DEADLOCK_RETRIES = 20
#: attributes of the spans of transactions
KINDS = {kind: {'heat.transaction': kind} for kind in ('read', 'write')}
F = typing.TypeVar('F', bound=Callable)
T = typing.TypeVar('T')


class CommitOutcomeUnknown(db_exception.DBConnectionError):
    """The connection was lost during the commit, or the server answered that it could not end it.

    The transaction may have been committed, so only a ``repeatable_writer`` is retried.
    """


class DatabaseUnavailable(db_exception.DBConnectionError):
    """The database responds with a transient error: it is starting, or its disk is full."""


class _State:
    """The configuration of the process, set by ``configure``."""

    def __init__(self) -> None:
        self.writer: sqlalchemy.Engine | None = None
        self.reader: sqlalchemy.Engine | None = None
        self.replica: sqlalchemy.Engine | None = None
        self.pauses: Sequence[float] = PAUSES
        self.retries_forever = False
        self.retries_until = math.inf
        self.write_lock: contextlib.AbstractContextManager = contextlib.nullcontext()


_state = _State()
_current = threading.local()


def configure(conf: cfg.ConfigOpts, **values: typing.Any) -> None:
    """Set up the engines for [database] connection. The first statement opens a connection.

    ``values``: those of ``connections.Settings`` that are no options.

    Raises ConfigurationError without [database] connection.
    """
    conf.register_opts(OPTIONS, 'database')
    group = conf.database
    if not group.connection:
        raise exception.ConfigurationError(
            '[database] connection is not set. Set it to the URL of the database.'
        )
    dispose()
    settings = connections.Settings.from_conf(group, **values)
    _state.writer, _state.reader = connections.create_engines(settings)
    _state.replica = connections.create_replica(settings)
    _state.retries_until = math.inf
    _state.pauses = _configured_pauses(group) if group.use_db_reconnect else PAUSES
    # a negative number means without limit (oslo.db, option db_max_retries)
    _state.retries_forever = group.use_db_reconnect and group.db_max_retries < 0
    # SQLite allows one writer at a time and polls its lock. This lock wakes the next writer.
    _state.write_lock = threading.Lock() if dialect() == 'sqlite' else contextlib.nullcontext()
    key = conf.auth_encryption_key if 'auth_encryption_key' in conf else None
    encryption.configure(
        key,
        'encrypt_parameters_and_properties' in conf and conf.encrypt_parameters_and_properties,
        conf.heat_lite.former_encryption_keys if 'heat_lite' in conf else (),
    )


def _configured_pauses(group: typing.Any) -> list[float]:
    growth = 2 if group.db_inc_retry_interval else 1
    return [
        0,
        *(
            min(group.db_retry_interval * growth**n, group.db_max_retry_interval)
            for n in range(group.db_max_retries)
        ),
    ]


def dispose() -> None:
    """Close all connections."""
    for engine in _engines():
        engine.dispose()
    _state.writer = _state.reader = _state.replica = None


def leave_to_parent() -> None:
    """Forget the connections of the process that has forked this one, which goes on with them."""
    for engine in _engines():
        engine.dispose(close=False)


def drop_idle() -> None:
    """Close the connections that nothing uses and that take little time to open again."""
    for engine in _engines():
        connections.drop_idle(engine)


def _engines() -> set[sqlalchemy.Engine]:
    found = (_state.writer, _state.reader, _state.replica)
    return {engine for engine in found if engine is not None}


def configured() -> bool:
    """Return whether ``configure`` has been called."""
    return _state.writer is not None


def engine(writes: bool = True) -> sqlalchemy.Engine:
    """Return the engine of writers or of readers. Raises RuntimeError before ``configure``."""
    if _state.writer is None or _state.reader is None:
        raise RuntimeError('The database is not configured.')
    if writes:
        return _state.writer
    if _state.replica is not None and getattr(_current, 'may_be_late', False):
        return _state.replica
    return _state.reader


@contextlib.contextmanager
def late_reads() -> Iterator[None]:
    """Let the readers of the block use the replica of the database, if one is configured.

    A replica may lack the newest changes, so no decision may depend on what is read from it.
    """
    before = getattr(_current, 'may_be_late', False)
    _current.may_be_late = True
    try:
        yield
    finally:
        _current.may_be_late = before


def in_transaction() -> bool:
    """Return whether this thread is in a transaction."""
    return getattr(_current, 'connection', None) is not None


def retry_forever() -> None:
    """Let this thread retry without limit while the database is unavailable.

    It is for threads without a client that waits for a response.
    """
    _current.retries_forever = True


def retries_forever() -> bool:
    """Return whether this thread retries without limit."""
    return getattr(_current, 'retries_forever', False)


def end_retries(seconds: float) -> None:
    """Let no thread retry later than in ``seconds``, because the process stops."""
    _state.retries_until = time.monotonic() + seconds


@contextlib.contextmanager
def retry_limited() -> Iterator[None]:
    """Limit the retries of this thread within the block, because other threads wait for it."""
    before = retries_forever()
    _current.retries_forever = False
    try:
        yield
    finally:
        _current.retries_forever = before


def write_once(
    write: Callable[[], T],
    find: Callable[[], T | None],
    exists: type[Exception] = db_exception.DBDuplicateEntry,
    attempts: int = 2,
) -> T:
    """Return what ``write`` returns, or ``find`` if a transaction before has stored it already.

    ``find`` is asked after a commit of unknown outcome, a duplicate and ``exists``.
    """
    try:
        return write()
    except (CommitOutcomeUnknown, db_exception.DBDuplicateEntry, exists) as error:
        found = find()
        if found is not None:
            return found
        if isinstance(error, CommitOutcomeUnknown) and attempts > 1:
            # a commit that the server has not answered in time may end after this look
            return write_once(write, find, exists, attempts - 1)
        raise


def probe() -> None:
    """Read from the database, without a retry. Raises the driver's errors; may hang."""
    with engine(writes=False).connect() as connection:
        connection.exec_driver_sql('SELECT 1')


def connection() -> sqlalchemy.Connection:
    """Return the connection of the current transaction."""
    return _current.connection


def execute(statement: typing.Any, parameters: typing.Any = None) -> typing.Any:
    """Execute a statement in the current transaction."""
    return _current.connection.execute(statement, parameters)


def rows(statement: typing.Any) -> list[typing.Any]:
    """Return the rows of a query."""
    return execute(statement).all()


def first(statement: typing.Any) -> typing.Any:
    """Return the first row of a query, or None."""
    return execute(statement).first()


def scalar(statement: typing.Any) -> typing.Any:
    """Return the first column of the first row of a query, or None."""
    return execute(statement).scalar()


def scalars(statement: typing.Any) -> list[typing.Any]:
    """Return the first columns of the rows of a query."""
    return execute(statement).scalars().all()


def count(table: sqlalchemy.TableClause, *where: typing.Any) -> int:
    """Return the number of rows that meet all conditions, which may join other tables."""
    query = sqlalchemy.select(sqlalchemy.func.count()).select_from(table)
    return scalar(query.where(*where))


def exists(table: sqlalchemy.TableClause, *where: typing.Any) -> bool:
    """Return whether a row meets all conditions."""
    query = sqlalchemy.select(sqlalchemy.literal(1)).select_from(table)
    return first(query.where(*where).limit(1)) is not None


def update(
    table: sqlalchemy.TableClause, values: Mapping[str, typing.Any], *where: typing.Any
) -> int:
    """Change the rows that meet all conditions. Return their number."""
    return execute(sqlalchemy.update(table).where(*where).values(values)).rowcount


def delete(table: sqlalchemy.TableClause, *where: typing.Any) -> int:
    """Delete the rows that meet all conditions. Return their number."""
    return execute(sqlalchemy.delete(table).where(*where)).rowcount


def insert_row(table: sqlalchemy.Table, values: Mapping[str, typing.Any]) -> typing.Any:
    """Insert a row in the current transaction. Return its id."""
    return execute(table.insert().values(values)).inserted_primary_key[0]


def dialect() -> str:
    """Return 'sqlite', 'mysql' (also for MariaDB) or 'postgresql'."""
    return engine().dialect.name


def reader(function: F) -> F:
    """Declare a function that only reads.

    Outside a writer, each of its statements sees the rows that are committed at that moment.
    """
    return _transaction(function, writes=False)


def writer(function: F) -> F:
    """Declare a function that is a transaction."""
    return _transaction(function, writes=True)


def repeatable_writer(function: F) -> F:
    """Declare a transaction that has the same effect and result if it is executed twice.

    It is retried also when the connection is lost during the commit.
    """
    return _transaction(function, writes=True, repeatable=True)


def _transaction(function: F, writes: bool, repeatable: bool = False) -> F:
    @functools.wraps(function)
    def call(*args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        outer = getattr(_current, 'connection', None)
        if outer is None:
            return _retry(function, writes, args, kwargs, repeatable)
        if writes and not _current.writes:
            raise RuntimeError(f'{function.__name__} writes, but was called from a reader.')
        return function(*args, **kwargs)

    return typing.cast(typing.Any, call)


def _retry(
    function: Callable, writes: bool, args: tuple, kwargs: Values, repeatable: bool
) -> typing.Any:
    pauses, deadlocks = iter(_state.pauses), 0
    while True:
        try:
            return _once(function, writes, args, kwargs)
        except LOST as error:
            metrics.DB_RETRIES.add('lost')
            if isinstance(error, CommitOutcomeUnknown) and not repeatable:
                raise
            forever = _state.retries_forever or retries_forever()
            pause = next(pauses, FOREVER_PAUSE if forever else None)
            if pause is None:
                raise
            left = _state.retries_until - time.monotonic()
            if left < 0:
                raise
            # Random, so that not all clients connect to a restarted server at once.
            pause = min(pause * random.uniform(0.5, 1), left)
        except ABORTED:
            deadlocks += 1
            metrics.DB_RETRIES.add('aborted')
            if deadlocks > MAX_DEADLOCK_RETRIES:
                raise
            # Random, so that the two transactions do not collide again.
            pause = random.uniform(0, min(0.01 * 2**deadlocks, 1))
        time.sleep(pause)


def _once(function: Callable, writes: bool, args: tuple, kwargs: Values) -> typing.Any:
    try:
        return _run(function, writes, args, kwargs)
    except sqlalchemy.exc.TimeoutError as error:
        # The connection pool is exhausted.
        raise DatabaseUnavailable(error) from error
    except (db_exception.DBError, sqlalchemy.exc.DBAPIError) as error:
        fault = connections.fault_of(error, dialect())
        if fault is connections.Fault.DEMOTED:
            # writers have noticed; readers would go on with a server that may be late
            engine(writes=False).dispose()
        if fault is None or isinstance(error, (LOST, *ABORTED)):
            raise
        is_aborted = fault is connections.Fault.ABORTED
        raise (db_exception.DBDeadlock if is_aborted else DatabaseUnavailable)(error) from error


def _run(function: Callable, writes: bool, args: tuple, kwargs: Values) -> typing.Any:
    kind, began = 'write' if writes else 'read', time.monotonic()
    with (
        tracing.span('transaction', tracing.CLIENT, KINDS[kind]),
        _state.write_lock if writes else contextlib.nullcontext(),
        engine(writes).connect() as connection,
    ):
        metrics.DB_WAITS.add(time.monotonic() - began, kind)
        _current.connection, _current.writes = connection, writes
        try:
            with metrics.TRANSACTIONS.time(kind), _committed(connection, writes):
                result = function(*args, **kwargs)
                attempt.begin()
                return result
        finally:
            _current.connection = None


@contextlib.contextmanager
def _committed(connection: Connection, writes: bool) -> Iterator[None]:
    """Commit at the end of the block; roll back after an error and after a read.

    The first statement has begun the transaction.
    """
    try:
        yield
    except BaseException:
        _roll_back(connection)
        raise
    if writes:
        _commit(connection)
    else:
        _roll_back(connection)


def _commit(connection: Connection) -> None:
    try:
        connection.commit()
    except Exception as error:
        connection.invalidate()  # its state is unknown
        # a server that stops, or that has lost the other nodes, may have committed before
        fault = None if dialect() == 'sqlite' else connections.fault_of(error, dialect())
        if isinstance(error, LOST) or fault not in (None, connections.Fault.ABORTED):
            raise CommitOutcomeUnknown(error) from error
        raise


def _roll_back(connection: Connection) -> None:
    # The first error is the one to raise; a connection that cannot roll back is discarded.
    try:
        connection.rollback()
    except Exception:
        connection.invalidate()
