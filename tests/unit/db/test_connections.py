import concurrent.futures
import gc
import os
from pathlib import Path

import pytest
import sqlalchemy
from oslo_db import exception as db_exception

from heat_lite.db import connections, session
from tests import databases

#: much more than a connection takes, and less than the wait of the pool
ENDS_SECONDS = 20


@pytest.mark.parametrize(
    ('given', 'wanted'),
    [
        ('mysql://u:p@h/d', 'mysql+pymysql://u:p@h/d?charset=utf8mb4'),
        ('mariadb://h/d', 'mysql+pymysql://h/d?charset=utf8mb4'),
        ('mysql+pymysql://h/d?charset=latin1', 'mysql+pymysql://h/d?charset=latin1'),
        ('postgresql://h:5433/d', 'postgresql+psycopg2://h:5433/d'),
        ('sqlite:////tmp/a b.db', 'sqlite:////tmp/a b.db'),
    ],
)
def test_full_url_adds_driver_and_charset(given, wanted):
    assert connections.full_url(given).render_as_string(hide_password=False) == wanted


@pytest.mark.parametrize(
    ('dialect', 'cause', 'fault'),
    [
        ('postgresql', 'connection refused', connections.Fault.UNAVAILABLE),
        ('sqlite', 'database or disk is full', connections.Fault.UNAVAILABLE),
        ('sqlite', 'no such table: stack', None),
    ],
)
def test_errors_without_a_code_are_told_by_their_kind_or_text(dialect, cause, fault):
    error = sqlalchemy.exc.OperationalError('SELECT 1', {}, Exception(cause))
    assert connections.fault_of(error, dialect) is fault
    assert connections.fault_of(db_exception.DBError(error), dialect) is fault


def test_connection_parameters_are_part_of_the_url():
    url = connections.full_url('mysql://h/d?charset=utf8mb4', 'connect_timeout=3&read_timeout=5')
    assert dict(url.query) == {'charset': 'utf8mb4', 'connect_timeout': '3', 'read_timeout': '5'}


def test_pool_sizes_are_those_of_the_options():
    settings = connections.Settings(
        'postgresql://h/d', max_pool_size=3, max_overflow=4, pool_timeout=6
    )
    for engine in connections.create_engines(settings):
        assert (engine.pool.size(), engine.pool._max_overflow, engine.pool.timeout()) == (3, 4, 6)


def test_sqlite_file_has_one_writer(tmp_path):
    writer, reader = connections.create_engines(connections.Settings(f'sqlite:///{tmp_path}/a.db'))
    with writer.connect():
        assert (
            writer.pool.checkedout() == 1
            and writer.pool.size() == 1
            and writer.pool._max_overflow == 0
        )
        with reader.connect(), reader.connect():
            assert reader.pool.checkedout() == 2


@pytest.mark.parametrize(('synchronous', 'level'), [(True, 2), (False, 0)])
def test_sqlite_synchronous_follows_the_option(tmp_path, synchronous, level):
    with (
        databases.configured(f'sqlite:///{tmp_path}/a.db', sqlite_synchronous=synchronous),
        session.engine().connect() as connection,
    ):
        assert connection.exec_driver_sql('PRAGMA synchronous').scalar() == level


@pytest.mark.parametrize('replaced', [False, True])
def test_nothing_is_written_to_a_file_that_was_removed(tmp_path, replaced):
    file = tmp_path / 'a.db'
    writer, _ = connections.create_engines(connections.Settings(f'sqlite:///{file}'))
    with writer.begin() as connection:
        connection.exec_driver_sql('CREATE TABLE a (b)')
    file.rename(tmp_path / 'moved.db')
    if replaced:
        file.touch()
    with pytest.raises(connections.ERRORS, match='removed or replaced') as raised, writer.begin():
        raise AssertionError('the transaction began')
    assert connections.fault_of(raised.value, 'sqlite') is connections.Fault.UNAVAILABLE
    assert 'stop the service' in connections.describe_failure(raised.value)


def test_idle_connections_to_sqlite_are_made_anew(tmp_path):
    settings = connections.Settings(f'sqlite:///{tmp_path}/d')
    for engine in connections.create_engines(settings):
        with engine.connect() as connection:
            before = connection.connection.dbapi_connection
            assert connection.exec_driver_sql('SELECT 1').scalar() == 1
        connections.drop_idle(engine)
        with engine.connect() as connection:
            assert connection.connection.dbapi_connection is not before
            assert connection.exec_driver_sql('PRAGMA foreign_keys').scalar() == 1
        engine.dispose()


def test_no_thread_waits_for_an_idle_connection_to_sqlite_that_is_dropped(tmp_path):
    file = tmp_path / 'd'
    writer, _ = connections.create_engines(connections.Settings(f'sqlite:///{file}'))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:

        @sqlalchemy.event.listens_for(writer, 'close')
        def write(*_):
            pool.submit(lambda: writer.connect().close()).result(ENDS_SECONDS)

        writer.connect().close()
        connections.drop_idle(writer)
    gc.collect()
    links = (each.resolve() for each in Path('/proc/self/fd').iterdir())
    assert file not in links


def test_forked_process_opens_its_own_connection(database):
    """A connection shared by two processes would mix up their results."""
    if database == 'sqlite':
        pytest.skip('SQLite has no connection to share')
    numbers = {writes: _number(writes) for writes in (True, False)}
    child = os.fork()
    if not child:
        os._exit(0 if all(_number(writes) != number for writes, number in numbers.items()) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert {writes: _number(writes) for writes in (True, False)} == numbers


def _number(writes):
    with session.engine(writes).connect() as connection:
        number = databases.connection_id(connection)
        connection.rollback()
        return number


def test_engines_have_their_isolation_levels(database):
    with session.engine().connect() as connection:
        assert connection.get_isolation_level() == (
            'SERIALIZABLE' if database == 'sqlite' else 'READ COMMITTED'
        )
        connection.rollback()
    with session.engine(writes=False).connect() as connection:
        assert connection.dialect.detect_autocommit_setting(connection.connection.dbapi_connection)


def test_idle_transaction_is_aborted(database):
    question, answer = {
        'mysql': ('SELECT @@idle_transaction_timeout', connections.IDLE_SECONDS),
        'postgresql': ('SHOW idle_in_transaction_session_timeout', f'{connections.IDLE_SECONDS}s'),
        'sqlite': ('SELECT 1', 1),  # a file has no server that aborts transactions
    }[database]
    with session.engine().connect() as connection:
        assert connection.exec_driver_sql(question).scalar() == answer
        connection.rollback()


@pytest.mark.parametrize('value', [1, 3])
def test_galera_waits_for_replication_as_the_option_says(database, value):
    if database != 'mysql':
        pytest.skip('an option of MariaDB')
    url = session.engine().url.render_as_string(hide_password=False)
    settings = connections.Settings(url, mysql_wsrep_sync_wait=value)
    for engine in connections.create_engines(settings):
        with engine.connect() as connection:
            assert connection.exec_driver_sql('SELECT @@wsrep_sync_wait').scalar() == value
        engine.dispose()


def test_url_in_a_log_hides_the_password():
    engine = sqlalchemy.create_engine(connections.full_url('mysql://u:secret@h/d'))
    assert 'secret' not in repr(engine)


def test_statement_fails_when_its_server_is_silent(database):
    """A server that works on a statement sends as little as one whose bytes are lost."""
    if database == 'sqlite':
        pytest.skip('a file is not silent')
    sleep = {'mysql': 'SELECT SLEEP(9)', 'postgresql': 'SELECT pg_sleep(9)'}[database]
    url = session.engine().url.set(query={}).render_as_string(hide_password=False)
    writer, reader = connections.create_engines(connections.Settings(url, silence=1))
    try:
        for engine in (writer, reader):
            with pytest.raises(db_exception.DBConnectionError), engine.connect() as connection:
                connection.exec_driver_sql(sleep)
            with engine.connect() as connection:
                assert connection.exec_driver_sql('SELECT 1').scalar() == 1
                connection.rollback()
    finally:
        for engine in (writer, reader):
            engine.dispose()
        connections.create_engines(connections.Settings(url))


def test_silence_of_a_server_is_not_limited_for_upgrades(database):
    if database == 'sqlite':
        pytest.skip('a file is not silent')
    sleep = {'mysql': 'SELECT SLEEP(1.2)', 'postgresql': 'SELECT pg_sleep(1.2)'}[database]
    url = session.engine().url.set(query={}).render_as_string(hide_password=False)
    writer, _ = connections.create_engines(connections.Settings(url, silence=None))
    try:
        with writer.connect() as connection:
            connection.exec_driver_sql(sleep)
            connection.rollback()
    finally:
        writer.dispose()
        connections.create_engines(connections.Settings(url))
