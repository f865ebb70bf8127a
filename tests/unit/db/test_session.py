import contextlib
import threading

import pytest
import sqlalchemy
from oslo_config import cfg
from oslo_db import exception as db_exception
from sqlalchemy import func, insert, select, text

from heat_lite.common import attempt, exception
from heat_lite.db import connections, group_commit, models, session, stacks, templates
from heat_lite.db.connections import Fault
from tests import databases


@session.writer
def add(name):
    session.execute(insert(models.user_creds).values(username=name))


@session.reader
def names():
    return set(session.execute(select(models.user_creds.c.username)).scalars())


def test_writer_commits(database):
    add('ann')
    assert names() == {'ann'}


def test_failed_writer_is_rolled_back(database):
    @session.writer
    def fail():
        add('ann')
        raise KeyError('ann')

    with pytest.raises(KeyError):
        fail()
    assert names() == set()
    add('bob')  # the connection is usable again
    assert names() == {'bob'}


def test_nested_function_joins_the_transaction(database):
    @session.writer
    def both():
        add('ann')
        add('bob')
        return names()

    with databases.statements() as sent:
        assert both() == {'ann', 'bob'}
    assert len([statement for statement in sent if not statement.startswith('BEGIN')]) == 3


def test_writer_within_a_reader_raises(database):
    @session.reader
    def sly():
        add('ann')

    with pytest.raises(RuntimeError, match='add writes'):
        sly()
    assert names() == set()


def test_reader_sees_later_commits(database):
    """A long reader must not keep an old snapshot of the data."""
    seen = []

    @session.reader
    def watch():
        seen.append(names())
        other = threading.Thread(target=add, args=('ann',))
        other.start()
        other.join()
        seen.append(names())

    watch()
    assert seen == [set(), {'ann'}]


def test_deadlock_is_retried(database):
    tries = []

    @session.writer
    def meets_another():
        add(f'try {len(tries)}')
        tries.append(1)
        if len(tries) < 3:
            raise db_exception.DBDeadlock()

    meets_another()
    assert names() == {'try 2'}


def test_deadlock_of_two_transactions_is_retried(database):
    """Two transactions lock two rows in opposite order; the aborted one is retried."""
    if database == 'sqlite':
        pytest.skip('SQLite has one writer at a time')
    add('left')
    add('right')
    meet = threading.Barrier(2, timeout=60)
    tries, done = [], []

    @session.writer
    def lock_both(first, second):
        tries.append(first)
        touch(first)
        if tries.count(first) == 1:
            meet.wait()
        touch(second)

    def touch(name):
        table = models.user_creds
        session.execute(table.update().where(table.c.username == name).values(region_name='here'))

    def run(*order):
        lock_both(*order)
        done.append(order)

    threads = [
        threading.Thread(target=run, args=order) for order in (('left', 'right'), ('right', 'left'))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(done) == 2 and len(tries) > 2


OURS = {
    'mysql': 'SELECT id FROM information_schema.processlist WHERE db = DATABASE()',
    'postgresql': 'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
}


def cut_all(database):
    """Close the pooled connections from the server, as its restart does."""
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')

    @session.reader
    def ours():
        return session.execute(text(OURS[database])).scalars().all()

    databases.kill_connections(database, *ours())


def test_lost_pooled_connections_are_replaced(database):
    add('ann')
    names()
    cut_all(database)
    add('bob')
    assert names() == {'ann', 'bob'}
    cut_all(database)
    assert names() == {'ann', 'bob'}


def test_transaction_with_lost_connection_is_repeated(database):
    calls = []

    @session.writer
    def twice(name):
        calls.append(name)
        add(name)
        if len(calls) == 1:
            cut_current()
        add(f'{name} too')

    twice('ann')
    assert names() == {'ann', 'ann too'} and len(calls) == 2


def cut_current():
    """Kill the connection of the current transaction."""
    if session.dialect() == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    databases.kill_connections(session.dialect(), databases.connection_id(session.connection()))


def test_commit_with_unknown_outcome_is_not_repeated(database):
    calls = []

    @session.writer
    def lost_at_the_end():
        calls.append(1)
        add('ann')
        cut_current()

    with pytest.raises(session.CommitOutcomeUnknown):
        lost_at_the_end()
    assert calls == [1] and names() == set()


#: statements with which the server itself raises an error of a code
RAISE = {
    'mysql': "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = {}, MESSAGE_TEXT = 'by a test'",
    'postgresql': "DO $$ BEGIN RAISE SQLSTATE '{}'; END $$",
}


def codes():
    """Return (backend, code, fault) of all errors after which a transaction is repeated."""
    return [
        ('mysql', str(code), fault)
        if isinstance(code, int)
        else ('postgresql', f'{code:0<5}', fault)
        for code, fault in connections.FAULTS.items()
    ]


@pytest.mark.parametrize(('backend_url', 'code', 'fault'), codes(), indirect=['backend_url'])
def test_transaction_is_repeated_after_an_error_of_the_table(database, code, fault):
    used = []

    @session.writer
    def store():
        used.append(databases.connection_id(session.connection()))
        add('ann')
        if len(used) == 1:
            session.connection().exec_driver_sql(RAISE[database].format(code))

    with pausing((0,)):
        store()
    assert names() == {'ann'} and len(used) == 2
    assert (used[0] != used[1]) is (fault in (Fault.LOST, Fault.DEMOTED))


@pytest.mark.parametrize(('backend_url', 'code', 'fault'), codes(), indirect=['backend_url'])
def test_error_of_the_table_at_the_commit_leaves_the_outcome_open(
    database, monkeypatch, code, fault
):
    dialect, is_aborted = session.engine().dialect, fault is Fault.ABORTED
    end = dialect.do_rollback if is_aborted else dialect.do_commit

    def fail(connection):
        monkeypatch.undo()
        end(connection)
        connection.cursor().execute(RAISE[database].format(code))

    monkeypatch.setattr(dialect, 'do_commit', fail)
    unknown = pytest.raises(session.CommitOutcomeUnknown)
    with contextlib.nullcontext() if is_aborted else unknown:
        add('ann')
    assert names() == {'ann'}


@pytest.mark.parametrize(
    ('backend_url', 'code'),
    [('mysql', '1146'), ('mysql', '1064'), ('postgresql', '42601'), ('postgresql', '22012')],
    indirect=['backend_url'],
)
def test_transaction_is_not_repeated_after_another_error(database, code):
    calls = []

    @session.writer
    def fail():
        calls.append(code)
        session.connection().exec_driver_sql(RAISE[database].format(code))

    with pytest.raises((db_exception.DBError, sqlalchemy.exc.DBAPIError)):
        fail()
    assert calls == [code]


#: what makes the connection of a primary that of a replica
DEMOTE = {
    'mysql': 'SET SESSION TRANSACTION READ ONLY',
    'postgresql': 'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
}


def test_primary_that_was_demoted_is_left_by_writers_and_readers(database):
    if database == 'sqlite':
        pytest.skip('SQLite has no server')
    writer, reader = (
        kind(lambda: databases.connection_id(session.connection()))
        for kind in (session.writer, session.reader)
    )
    before = writer(), reader()
    with session.engine().connect() as connection:
        connection.exec_driver_sql(DEMOTE[database])
        connection.commit()
        assert databases.connection_id(connection) == before[0]
    with pausing((0,)):
        add('ann')
    assert names() == {'ann'}
    assert not {*before} & {writer(), reader()}


def test_threads_beyond_the_pool_size_wait(database, make_stack):
    """More threads than connections: all of them succeed."""
    failures = []

    def work(number):
        try:
            for turn in range(5):
                add(f'{number}-{turn}')
                names()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and len(names()) == 60


def limiter():
    """Set or remove the size limit of the SQLite file."""

    def limit(pages):
        with session.engine().connect() as connection:
            connection.exec_driver_sql(f'PRAGMA max_page_count={pages}')

    return limit


def test_full_disk_is_retried(tmp_path):
    """A limited retry fails soon; an unlimited retry continues when there is space."""
    with databases.migrated('sqlite', tmp_path) as url, databases.configured(url):
        limit, tried = limiter(), threading.Event()

        @session.writer
        def store():
            tried.set()
            add('x' * 200_000)

        limit(1)
        with pausing(()), pytest.raises(session.DatabaseUnavailable):
            store()
        assert names() == set()
        tried.clear()

        def patiently():
            session.retry_forever()
            store()

        with pausing((0.01,)):
            worker = threading.Thread(target=patiently)
            worker.start()
            tried.wait(60)
            limit(2**30)
            worker.join(60)
        assert len(names()) == 1


@pytest.mark.parametrize('forever', [False, True])
def test_no_thread_retries_longer_than_its_process_stops(tmp_path, monkeypatch, forever):
    """Without an end the pauses of this test last an hour, and a thread may retry forever."""
    with databases.migrated('sqlite', tmp_path) as url, databases.configured(url):
        monkeypatch.setattr(session._state, 'retries_until', session._state.retries_until)
        limiter()(1)
        session.end_retries(0.2)
        tried, failed = [], []

        @session.writer
        def fill():
            tried.append('one more')
            add('x' * 200_000)

        def store():
            if forever:
                session.retry_forever()
            try:
                fill()
            except session.DatabaseUnavailable as error:
                failed.append(error)

        with pausing((0, 3600)):
            worker = threading.Thread(target=store, daemon=True)
            worker.start()
            worker.join(60)
        assert failed and len(tried) > 1


@contextlib.contextmanager
def pausing(pauses):
    """Set the pauses between retries within the block."""
    before, session._state.pauses = session._state.pauses, pauses
    try:
        yield
    finally:
        session._state.pauses = before


def test_unavailable_server_is_retried():
    for url in ('mysql://root@127.0.0.1:1/nowhere', 'postgresql://postgres@127.0.0.1:1/nowhere'):
        with (
            databases.configured(url),
            pausing((0,)),
            pytest.raises(db_exception.DBConnectionError),
        ):
            names()


def test_configured_pauses_follow_the_options():
    conf = databases.conf_for(
        'sqlite://', db_retry_interval=2, db_max_retries=4, db_max_retry_interval=7
    )
    assert session._configured_pauses(conf.database) == [0, 2, 4, 7, 7]
    conf.set_override('db_inc_retry_interval', False, 'database')
    assert session._configured_pauses(conf.database) == [0, 2, 2, 2, 2]


def test_negative_number_of_retries_has_no_limit(tmp_path):
    """The configuration of heat-operator has ``db_max_retries = -1``."""
    tries = []

    @session.reader
    def lost_twice():
        tries.append(1)
        if len(tries) < 3:
            raise db_exception.DBConnectionError()

    options = {'use_db_reconnect': True, 'db_max_retries': -1}
    with databases.migrated('sqlite', tmp_path) as url, databases.configured(url, **options):
        lost_twice()
    assert len(tries) == 3


def test_session_before_configure_raises():
    session.dispose()
    with pytest.raises(RuntimeError, match='not configured'):
        names()


def test_configure_without_connection_raises():
    conf = cfg.ConfigOpts()
    conf([])
    with pytest.raises(exception.ConfigurationError, match='connection is not set'):
        session.configure(conf)


def test_sqlite_in_memory_has_one_connection(context):
    """Readers and writers share the connection, and the database lives as long as it does."""
    with databases.configured('sqlite://'):
        models.metadata.create_all(session.engine())
        assert templates.get(templates.store({'a': 1})).template == {'a': 1}
        assert stacks.count(context) == 0
        assert session.engine(writes=False) is session.engine()


def test_transaction_takes_few_round_trips(database):
    """MariaDB counts the statements and the COMMIT of a writer, and the statements of a reader.

    There are no pings and no rollbacks.
    """
    if database != 'mysql':
        pytest.skip('MariaDB counts them')

    def questions(mark):
        @mark
        def ask():
            return int(session.execute(text("SHOW SESSION STATUS LIKE 'Questions'")).one()[1])

        return ask()

    questions(session.writer), questions(session.reader)
    before = questions(session.writer)
    add('ann')
    # Also counted: the INSERT, its COMMIT, the COMMIT of the first SHOW STATUS, the second one.
    assert questions(session.writer) - before == 4
    before = questions(session.reader)
    names()
    assert questions(session.reader) - before == 2


def test_sqlite_uses_wal_and_foreign_keys(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url, databases.configured(url):
        for writes in (True, False):
            with session.engine(writes).connect() as connection:
                assert connection.exec_driver_sql('PRAGMA journal_mode').scalar() == 'wal'
                assert connection.exec_driver_sql('PRAGMA foreign_keys').scalar() == 1
                assert connection.exec_driver_sql('PRAGMA synchronous').scalar() == 2
                assert connection.exec_driver_sql('PRAGMA busy_timeout').scalar() == 30_000


def test_mysql_stores_all_of_unicode(database):
    if database != 'mysql':
        pytest.skip('MariaDB has more than one')
    with session.engine().connect() as connection:
        assert connection.exec_driver_sql(
            'SELECT @@character_set_connection, @@sql_mode LIKE "%%TRADITIONAL%%"'
        ).one() == ('utf8mb4', 1)
        assert connection.execute(select(func.char_length('😀'))).scalar() == 1


def configured(tmp_path, **options):
    """Configure the process for one file, with another one as its replica."""
    conf = cfg.ConfigOpts()
    conf.register_opts(session.OPTIONS, 'database')
    conf([], project='heat_lite', default_config_files=[])
    conf.set_override('connection', f'sqlite:///{tmp_path}/one', 'database')
    conf.set_override('slave_connection', f'sqlite:///{tmp_path}/two', 'database')
    for name, value in options.items():
        conf.set_override(name, value, 'database')
    session.configure(conf)


@session.reader
def file_in_use():
    return session.execute(text('PRAGMA database_list')).first().file.rpartition('/')[2]


@pytest.mark.parametrize(('synchronous', 'late'), [(True, 'one'), (False, 'two')])
def test_late_reads_use_the_replica_unless_readers_are_synchronous(tmp_path, synchronous, late):
    configured(tmp_path, synchronous_reader=synchronous)
    try:
        assert file_in_use() == 'one'
        with session.late_reads():
            assert file_in_use() == late
            assert session.writer(file_in_use)() == 'one'
        assert file_in_use() == 'one'
    finally:
        session.dispose()


@pytest.fixture
def given_back():
    """A request of this thread that is given back."""
    made = attempt.Attempt()
    attempt.set_current(made)
    assert made.give_back()
    yield
    attempt.set_current(None)


def test_request_that_is_given_back_writes_nothing(database, given_back):
    with pytest.raises(exception.RequestGivenBack):
        add('ann')
    attempt.set_current(None)
    assert names() == set()


def test_request_that_is_given_back_submits_nothing(database, given_back):
    group = group_commit.GroupCommit(lambda names: list(map(add, names)), add)
    with pytest.raises(exception.RequestGivenBack):
        group.submit('ann')
    attempt.set_current(None)
    assert names() == set()


@pytest.mark.parametrize('transaction', [lambda: add('ann'), names])
def test_request_is_not_given_back_after_its_first_transaction(database, transaction):
    made = attempt.Attempt()
    attempt.set_current(made)
    transaction()
    attempt.set_current(None)
    assert not made.give_back()
