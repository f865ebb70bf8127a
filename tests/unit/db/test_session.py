import contextlib
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from oslo_config import cfg
from oslo_db import exception as db_exception
from sqlalchemy import func, insert, select, text

from heat_lite.db import models, session, stacks, templates
from tests import databases


@session.writer
def add(name):
    session.execute(insert(models.user_creds).values(username=name))


@session.reader
def names():
    return set(session.execute(select(models.user_creds.c.username)).scalars())


def test_a_writer_commits(database):
    add('ann')
    assert names() == {'ann'}


def test_what_fails_leaves_nothing(database):
    @session.writer
    def fail():
        add('ann')
        raise KeyError('ann')

    with pytest.raises(KeyError):
        fail()
    assert names() == set()
    add('bob')  # and the connection is as good as before
    assert names() == {'bob'}


def test_a_called_function_joins(database):
    @session.writer
    def both():
        add('ann')
        add('bob')
        return names()

    with databases.statements() as sent:
        assert both() == {'ann', 'bob'}
    assert len([statement for statement in sent if not statement.startswith('BEGIN')]) == 3


def test_a_reader_cannot_write(database):
    @session.reader
    def sly():
        add('ann')

    with pytest.raises(RuntimeError, match='add writes'):
        sly()
    assert names() == set()


def test_a_reader_sees_what_others_commit(database):
    """A reader that is alive for long must not go on seeing the past."""
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


def test_deadlocks_are_tried_again(database):
    tries = []

    @session.writer
    def meets_another():
        add(f'try {len(tries)}')
        tries.append(1)
        if len(tries) < 3:
            raise db_exception.DBDeadlock()

    meets_another()
    assert names() == {'try 2'}


def test_a_real_deadlock(database):
    """Two transactions that lock two rows crosswise: the database breaks one off, which then succeeds."""
    if database == 'sqlite':
        pytest.skip('SQLite has one writer at a time')
    add('left')
    add('right')
    meet = threading.Barrier(2, timeout=5)
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

    threads = [threading.Thread(target=run, args=order) for order in (('left', 'right'), ('right', 'left'))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(done) == 2 and len(tries) > 2


OURS = {
    'mysql': 'SELECT id FROM information_schema.processlist WHERE db = DATABASE()',
    'postgresql': 'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
}


def cut_all(database):
    """Cut the connections that our pools hold, as a restart of the server would."""
    if database == 'sqlite':
        pytest.skip('SQLite has no connections to lose')

    @session.reader
    def ours():
        return session.execute(text(OURS[database])).scalars().all()

    databases.cut(database, *ours())


def test_lost_connections_are_not_noticed(database):
    add('ann')
    names()
    cut_all(database)
    add('bob')
    assert names() == {'ann', 'bob'}
    cut_all(database)
    assert names() == {'ann', 'bob'}


def test_a_lost_transaction_is_run_again_whole(database):
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
    """Kill the connection of the transaction that we are in."""
    if session.dialect() == 'sqlite':
        pytest.skip('SQLite has no connections to lose')
    databases.cut(session.dialect(), databases.connection_number(session.connection()))


def test_a_commit_that_nobody_heard_of_is_not_repeated(database):
    calls = []

    @session.writer
    def lost_at_the_end():
        calls.append(1)
        add('ann')
        cut_current()

    with pytest.raises(session.Broken):
        lost_at_the_end()
    assert calls == [1] and names() == set()


def test_many_threads(database, make_stack):
    """More threads than connections: all wait their turn, none fails."""
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
    """Let the SQLite file grow no more; and as it likes again."""

    def limit(pages):
        with session.engine().connect() as connection:
            connection.exec_driver_sql(f'PRAGMA max_page_count={pages}')

    return limit


def test_a_full_disk_passes(tmp_path):
    """Whoever waits for an answer hears of it soon; who is patient goes on when there is room."""
    with databases.migrated('sqlite', tmp_path) as url, databases.configured(url):
        limit, tried = limiter(), threading.Event()

        @session.writer
        def store():
            tried.set()
            add('x' * 200_000)

        limit(1)
        with pausing(()), pytest.raises(session.Unable):
            store()
        assert names() == set()
        tried.clear()

        def patiently():
            session.be_patient()
            store()

        with pausing((0.01,)):
            worker = threading.Thread(target=patiently)
            worker.start()
            tried.wait(5)
            limit(2**30)
            worker.join(10)
        assert len(names()) == 1


@contextlib.contextmanager
def pausing(pauses):
    """How long is waited between the tries."""
    before, session._state.pauses = session._state.pauses, pauses
    try:
        yield
    finally:
        session._state.pauses = before


def test_a_server_that_is_away():
    for url in ('mysql://root@127.0.0.1:1/nowhere', 'postgresql://postgres@127.0.0.1:1/nowhere'):
        with databases.configured(url), pausing((0,)), pytest.raises(db_exception.DBConnectionError):
            names()


def test_options_decide_how_long_to_wait():
    conf = databases.conf_for('sqlite://', db_retry_interval=2, db_max_retries=4, db_max_retry_interval=7)
    assert session._long_pauses(conf.database) == [0, 2, 4, 7, 7]
    conf.set_override('db_inc_retry_interval', False, 'database')
    assert session._long_pauses(conf.database) == [0, 2, 2, 2, 2]


def test_not_configured():
    session.dispose()
    with pytest.raises(RuntimeError, match='not configured'):
        names()


def test_no_url():
    conf = cfg.ConfigOpts()
    conf([])
    with pytest.raises(ValueError, match='connection is not set'):
        session.configure(conf)


def test_in_memory(context):
    """One connection for reading and writing: what is in it lives as long as that."""
    with databases.configured('sqlite://'):
        models.metadata.create_all(session.engine())
        assert templates.get(context, templates.store(context, {'a': 1})).template == {'a': 1}
        assert stacks.count(context) == 0
        assert session.engine(writes=False) is session.engine()


def test_how_many_round_trips_a_transaction_takes(database):
    """On MariaDB, which counts them: the statements of a writer and its COMMIT, those of a reader and no more; no pings, no rollbacks."""
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
    # besides: the INSERT, its COMMIT, the COMMIT of the first question, the second question
    assert questions(session.writer) - before == 4
    before = questions(session.reader)
    names()
    assert questions(session.reader) - before == 2


def test_sqlite_has_a_log_and_keys(tmp_path):
    with databases.migrated('sqlite', tmp_path) as url, databases.configured(url):
        for writes in (True, False):
            with session.engine(writes).connect() as connection:
                assert connection.exec_driver_sql('PRAGMA journal_mode').scalar() == 'wal'
                assert connection.exec_driver_sql('PRAGMA foreign_keys').scalar() == 1
                assert connection.exec_driver_sql('PRAGMA synchronous').scalar() == 2
                assert connection.exec_driver_sql('PRAGMA busy_timeout').scalar() == 30_000


def test_mysql_speaks_all_of_unicode(database):
    if database != 'mysql':
        pytest.skip('MariaDB has more than one')
    with session.engine().connect() as connection:
        assert connection.exec_driver_sql('SELECT @@character_set_connection, @@sql_mode LIKE "%%TRADITIONAL%%"').one() == ('utf8mb4', 1)
        assert connection.execute(select(func.char_length('😀'))).scalar() == 1


GREEN = """
import eventlet
eventlet.monkey_patch()
import sys, time
from heat_lite.common.context import RequestContext
from heat_lite.db import journal, resources
from tests import databases

context = RequestContext(project_id='green', overwrite=False)
with databases.configured(sys.argv[1]):
    ids = [databases.make_stack(context, f's{number}') for number in range(10)]

    def work(stack_id):
        for turn in range(5):
            rows = [{'uuid': f'{stack_id[:30]}{turn}{number}', 'name': 'r'} for number in range(10)]
            journal.save(context, journal.Turn(stack_id, {'status': str(turn)}, rows_added=rows))
            time.sleep(0)
            assert len(resources.for_stack(context, stack_id)) == 10 * turn + 10

    threads = [eventlet.spawn(work, stack_id) for stack_id in ids]
    with eventlet.Timeout(30):
        for thread in threads:
            thread.wait()
    print(len(resources.for_stacks(context, ids)))
"""


def test_green_threads(backend_url):
    """Nothing waits in C for what another green thread holds."""
    command = [sys.executable, '-W', 'ignore', '-c', GREEN, backend_url[1]]
    done = subprocess.run(command, cwd=Path(databases.__file__).parent.parent, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == '500', done.stderr
