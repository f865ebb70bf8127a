"""Transactions. A function marked ``@reader`` or ``@writer`` is one; called from another it joins that one.

    @session.writer
    def touch(context, stack_id):
        session.execute(update(models.stack).where(...))

A transaction is tried again when the database broke it off (deadlock) or the connection was gone before anything was committed, so a
function must not have effects elsewhere. It must not wait for anything but the database either.
"""

import contextlib
import functools
import random
import threading
import time

import sqlalchemy
from oslo_db import exception as db_exception
from oslo_db import options as db_options

from heat_lite.db import engines, seals

OPTIONS = db_options.database_opts
LOST = db_exception.DBConnectionError
BROKEN_OFF = (db_exception.DBDeadlock, db_exception.RetryRequest)
# seconds to wait for a connection before each further try. The first costs none: what was lost is mostly a connection that idled for
# too long. With [database] use_db_reconnect its db_* options decide how long a caller waits for a server that is away.
PAUSES = (0, 0.1, 0.5, 1, 2, 4, 8)
# between the tries of those that wait as long as it takes
PATIENT_PAUSE = 2
DEADLOCK_TRIES = 20


class Broken(db_exception.DBConnectionError):
    """The connection was lost while committing: nobody knows whether the transaction happened, so it is not tried again."""


class Unable(db_exception.DBConnectionError):
    """The database is there, but cannot do what it is asked now: its disk is full, it is just starting. That passes."""


class _State:
    """What ``configure`` has set up: one a process."""

    def __init__(self):
        self.writer = self.reader = None
        self.pauses = PAUSES
        self.turnstile = contextlib.nullcontext()


_state = _State()
_current = threading.local()


def configure(conf):
    """Connect to [database] connection of ``conf``. Nothing is opened before the first statement."""
    conf.register_opts(OPTIONS, 'database')
    group = conf.database
    if not group.connection:
        raise ValueError('[database] connection is not set.')
    dispose()
    _state.writer, _state.reader = engines.pair(engines.Settings.from_conf(group))
    _state.pauses = _long_pauses(group) if group.use_db_reconnect else PAUSES
    # SQLite has one writer at a time, and those that wait look at its lock now and then: here they queue
    _state.turnstile = threading.Lock() if dialect() == 'sqlite' else contextlib.nullcontext()
    key = conf.auth_encryption_key if 'auth_encryption_key' in conf else None
    seals.configure(key, 'encrypt_parameters_and_properties' in conf and conf.encrypt_parameters_and_properties)


def _long_pauses(group):
    growth = 2 if group.db_inc_retry_interval else 1
    return [0, *(min(group.db_retry_interval * growth**n, group.db_max_retry_interval) for n in range(group.db_max_retries))]


def dispose():
    """Close all connections. A process that was forked calls it first, and ``configure`` again."""
    for engine in {_state.writer, _state.reader} - {None}:
        engine.dispose()
    _state.writer = _state.reader = None


def configured() -> bool:
    """Whether there is a database to talk to."""
    return _state.writer is not None


def engine(writes: bool = True) -> sqlalchemy.Engine:
    """The writer's engine, or the reader's."""
    if not configured():
        raise RuntimeError('The database is not configured.')
    return _state.writer if writes else _state.reader


def inside() -> bool:
    """Whether this thread is in a transaction."""
    return getattr(_current, 'connection', None) is not None


def be_patient():
    """From now on this thread waits for a database that is away as long as it takes: it has nobody who waits for its answer."""
    _current.patient = True


def is_patient() -> bool:
    """Whether nobody waits for an answer of this thread."""
    return getattr(_current, 'patient', False)


@contextlib.contextmanager
def impatient():
    """But not here: others wait behind it."""
    before = is_patient()
    _current.patient = False
    try:
        yield
    finally:
        _current.patient = before


def connection() -> sqlalchemy.Connection:
    """The connection of the transaction that we are in."""
    return _current.connection


def execute(statement, parameters=None):
    """Run a statement in the transaction that we are in."""
    return _current.connection.execute(statement, parameters)


def dialect() -> str:
    """'sqlite', 'mysql' (MariaDB too) or 'postgresql'."""
    return engine().dialect.name


def reader(function):
    """The function only reads. Outside of a writer each of its statements sees what is committed at that moment."""
    return _transaction(function, writes=False)


def writer(function):
    """The function is a transaction."""
    return _transaction(function, writes=True)


def _transaction(function, writes):
    @functools.wraps(function)
    def call(*args, **kwargs):
        outer = getattr(_current, 'connection', None)
        if outer is None:
            return _retry(function, writes, args, kwargs)
        if writes and not _current.writes:
            raise RuntimeError(f'{function.__name__} writes, but was called from a reader.')
        return function(*args, **kwargs)

    return call


def _retry(function, writes, args, kwargs):
    pauses, deadlocks = iter(_state.pauses), 0
    while True:
        try:
            return _once(function, writes, args, kwargs)
        except Broken:
            raise
        except LOST:
            pause = next(pauses, PATIENT_PAUSE if is_patient() else None)
            if pause is None:
                raise
            # by chance, so that a server that has just come back is not met by all at once
            pause *= random.uniform(0.5, 1)
        except BROKEN_OFF:
            deadlocks += 1
            if deadlocks > DEADLOCK_TRIES:
                raise
            # by chance, so that the two do not meet again
            pause = random.uniform(0, min(0.01 * 2**deadlocks, 1))
        time.sleep(pause)


def _once(function, writes, args, kwargs):
    try:
        return _tried(function, writes, args, kwargs)
    except (LOST, *BROKEN_OFF):
        raise
    except sqlalchemy.exc.TimeoutError as error:
        raise Unable(error) from error  # all connections that we may have are in use
    except (db_exception.DBError, sqlalchemy.exc.DBAPIError) as error:
        if engines.passes_by_itself(error, dialect()):
            raise Unable(error) from error
        raise


def _tried(function, writes, args, kwargs):
    with _state.turnstile if writes else contextlib.nullcontext(), engine(writes).connect() as opened:
        _current.connection, _current.writes = opened, writes
        try:
            with _finished(opened, writes):
                return function(*args, **kwargs)
        finally:
            _current.connection = None


@contextlib.contextmanager
def _finished(opened, writes):
    """Commit, or roll back what failed or only read. The transaction has begun with the first statement."""
    try:
        yield
    except BaseException:
        _roll_back(opened)
        raise
    if writes:
        _commit(opened)
    else:
        _roll_back(opened)


def _commit(opened):
    try:
        opened.commit()
    except db_exception.DBConnectionError as error:
        raise Broken(error) from error
    except Exception:
        opened.invalidate()  # nobody knows in what state it is
        raise


def _roll_back(opened):
    # the first failure is the one to tell; a connection that cannot even roll back is thrown away
    try:
        opened.rollback()
    except Exception:
        opened.invalidate()
