import contextlib
import itertools

import pymysql
import pytest
import sqlalchemy
from alembic import autogenerate
from alembic.runtime.migration import MigrationContext

from heat_lite.common import identifier
from heat_lite.common.context import RequestContext
from heat_lite.db import connections, migration, models, stacks
from tests import databases


@pytest.fixture(params=databases.BACKENDS)
def url(request, tmp_path):
    with databases.empty(request.param, tmp_path) as made:
        yield made


def tables(url):
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    return set(sqlalchemy.inspect(engine).get_table_names())


def test_sync_creates_all_tables(url):
    assert migration.version(url) is None
    migration.sync(url)
    assert migration.version(url) == migration.newest()
    assert tables(url) == set(models.metadata.tables) | {'alembic_version'}


def test_second_sync_changes_nothing(url):
    migration.sync(url)
    with databases.configured(url):
        context = RequestContext(project_id='t', overwrite=False)
        stack_id = databases.make_stack(context)
        migration.sync(url)
        assert stacks.get(context, stack_id) is not None


def test_sync_to_a_given_version(url):
    migration.sync(url, '001')
    assert migration.version(url) == '001'


def test_stacks_of_version_001_survive_the_upgrade(url):
    migration.sync(url, '001')
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        connection.execute(
            sqlalchemy.text("insert into raw_template (id, template) values (7, '{}')")
        )
        connection.execute(
            sqlalchemy.text(
                'insert into stack (id, name, raw_template_id, disable_rollback, tenant) '
                "values ('s', 'old', 7, :no, 't')"
            ),
            {'no': False},
        )
    migration.sync(url)
    with databases.configured(url):
        found = stacks.get(RequestContext(project_id='t', overwrite=False), 's')
        assert (found.name, found.raw_template_id, found.protected) == ('old', 7, None)


def test_names_derived_from_uuids_survive_the_upgrade(url):
    migration.sync(url, '004')
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    # a resource and the end of the name that version 004 derived from its UUID
    before = {
        'ee59d83a-ed4a-4f54-86ad-e1a2b3c4d5e6': '5zm5qoxnjl2u',
        '00000001-0002-4003-8004-000000000005': 'aaaaaaiaaiad',
    }
    with engine.begin() as connection:
        connection.execute(
            sqlalchemy.text("insert into raw_template (id, template) values (7, '{}')")
        )
        connection.execute(
            sqlalchemy.text(
                'insert into stack (id, name, raw_template_id, disable_rollback, tenant) '
                "values ('s', 'old', 7, :no, 't')"
            ),
            {'no': False},
        )
        for name in before:
            connection.execute(
                sqlalchemy.text("insert into resource (uuid, name, stack_id) values (:u, :n, 's')"),
                {'u': name, 'n': name},
            )
    migration.sync(url)
    with engine.connect() as connection:
        rows = connection.execute(sqlalchemy.text('select name, uuid from resource')).all()
    assert {row.name: identifier.short_id(row.uuid) for row in rows} == before


@contextlib.contextmanager
def failing_after(number, error):
    """Raise an error after that of the statements about indexes in the block; once."""
    left = [number]

    def fail(connection, cursor, statement, *_):
        if 'INDEX' in statement:
            left[0] -= 1
            if left[0] == 0:
                raise error

    sqlalchemy.event.listen(sqlalchemy.Engine, 'after_cursor_execute', fail)
    try:
        yield
    finally:
        sqlalchemy.event.remove(sqlalchemy.Engine, 'after_cursor_execute', fail)


def test_exchange_of_indexes_ends_after_a_failure_at_each_statement(url):
    migration.sync(url, '012')
    for number in itertools.count(1):
        try:
            with failing_after(number, InterruptedError('of the test')):
                migration.sync(url, '013')
            break
        except InterruptedError:
            assert migration.version(url) == '012'
    assert number > 2
    test_models_match_the_migrated_schema(url)


def test_exchange_of_indexes_goes_on_after_a_deadlock(tmp_path):
    with databases.empty('mysql', tmp_path) as url:
        migration.sync(url, '012')
        cause = pymysql.err.OperationalError(1213, 'Deadlock found')
        with failing_after(2, sqlalchemy.exc.OperationalError('CREATE INDEX', None, cause)):
            migration.sync(url)
        test_models_match_the_migrated_schema(url)


def test_models_match_the_migrated_schema(url):
    migration.sync(url)
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        compared = MigrationContext.configure(connection, opts={'compare_type': _types_differ})
        assert autogenerate.compare_metadata(compared, models.metadata) == []


def _types_differ(context, inspected_column, metadata_column, inspected_type, metadata_type):
    wanted = metadata_type.dialect_impl(context.dialect).compile(dialect=context.dialect)
    found = inspected_type.compile(dialect=context.dialect)
    same = {'BOOL': 'TINYINT(1)', 'INTEGER': 'INTEGER(11)', 'BLOB': 'BLOB'}
    return found.split(' COLLATE')[0].split(' CHARACTER')[0] not in (wanted, same.get(wanted))


def test_sync_to_unknown_version_raises(url):
    with pytest.raises(Exception, match='nonsense'):
        migration.sync(url, 'nonsense')


def test_sync_with_percent_in_password(tmp_path):
    """Alembic's configuration interprets a percent sign as the start of a variable."""
    folder = tmp_path / '100%'
    folder.mkdir()
    migration.sync(f'sqlite:///{folder}/a.db')
    assert (folder / 'a.db').exists()
