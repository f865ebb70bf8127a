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

from heat_lite.db import engines

OPTIONS = db_options.database_opts
RETRIED = (db_exception.DBDeadlock, db_exception.DBConnectionError, db_exception.RetryRequest)


class Broken(db_exception.DBConnectionError):
    """The connection was lost while committing: nobody knows whether the transaction happened, so it is not tried again."""


class _State:
    """What ``configure`` has set up: one a process."""

    def __init__(self):
        self.writer = self.reader = None
        self.retries, self.interval, self.longest = 20, 1, 10


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
    _state.retries, _state.interval, _state.longest = group.db_max_retries, group.db_retry_interval, group.db_max_retry_interval


def dispose():
    """Close all connections. A process that was forked calls it first, and ``configure`` again."""
    for engine in {_state.writer, _state.reader} - {None}:
        engine.dispose()
    _state.writer = _state.reader = None


def engine() -> sqlalchemy.Engine:
    """The writer's engine, for migrations and tests."""
    if _state.writer is None:
        raise RuntimeError('The database is not configured.')
    return _state.writer


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
    for attempt in range(_state.retries + 1):
        try:
            return _once(function, writes, args, kwargs)
        except Broken:
            raise
        except RETRIED as error:
            if attempt >= _state.retries:
                raise
            _pause(error, attempt)


def _pause(error, attempt):
    """Soon after a deadlock, by chance so that the two do not meet again; the first lost connection costs no wait: it was an old one."""
    if isinstance(error, db_exception.DBConnectionError):
        seconds = _state.interval * 2 ** (attempt - 1) if attempt else 0
    else:
        seconds = random.uniform(0.005, 0.02) * 2**attempt
    time.sleep(min(seconds, _state.longest))


def _once(function, writes, args, kwargs):
    engine()
    with (_state.writer if writes else _state.reader).connect() as opened:
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


def _roll_back(opened):
    # the first failure is the one to tell; a connection that cannot even roll back is thrown away
    try:
        opened.rollback()
    except Exception:
        opened.invalidate()
