"""A database of Heat gets the tables of this service beside its own, and can be given back."""

import contextlib
import json
import uuid

import pytest
import sqlalchemy

from heat_lite.common import cipher, exception
from heat_lite.common.context import RequestContext, admin_context
from heat_lite.db import (
    connections,
    credentials,
    locks,
    migration,
    models,
    queries,
    resources,
    stacks,
    templates,
)
from heat_lite.db.heat_database import heat_rows, heat_schema
from heat_lite.db.maintenance import reencrypt
from tests import databases, heat_database

NEW_KEY = 'f' * 32


@pytest.fixture(params=heat_database.BACKENDS)
def url(request, tmp_path):
    with heat_database.loaded(request.param, tmp_path) as made:
        yield made


def engine_of(url):
    return sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)


def shape(url):
    """Return the columns and indexes of all tables, without the names of indexes."""
    inspector = sqlalchemy.inspect(engine_of(url))
    return {
        name: (
            {column['name']: str(column['type']) for column in inspector.get_columns(name)},
            {
                (tuple(each['column_names']), bool(each.get('unique')))
                for each in inspector.get_indexes(name)
            },
        )
        for name in inspector.get_table_names()
    }


def content(url):
    """Return all rows of the tables in the columns that Heat has."""
    with engine_of(url).connect() as connection:
        found = {}
        for table in models.metadata.sorted_tables:
            if table.name in heat_schema.OWN_TABLES:
                continue
            own = heat_schema.OWN_COLUMNS.get(table.name, ())
            columns = [sqlalchemy.column(name) for name in table.c.keys() if name not in own]
            rows = connection.execute(sqlalchemy.select(*columns).select_from(table)).all()
            found[table.name] = sorted(map(repr, rows))
        return found


def ignore(text):
    pass


def test_sync_extends_a_database_of_heat_and_keeps_its_rows(url):
    before = content(url)
    assert migration.plan(url)
    migration.sync(url, report=ignore)
    assert migration.version(url) == migration.newest()
    assert migration.plan(url) == []
    assert content(url) == before
    found = shape(url)
    for table in models.metadata.sorted_tables:
        assert set(table.c.keys()) <= set(found[table.name][0])


def test_plan_changes_nothing(url):
    before = shape(url)
    migration.plan(url)
    assert shape(url) == before
    assert migration.version(url) == heat_schema.HEAT_HEAD


def test_interrupted_sync_is_continued(url):
    lines = []

    def interrupt(text):
        lines.append(text)
        if len(lines) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migration.sync(url, report=interrupt)
    assert migration.version(url) == heat_schema.HEAT_HEAD
    migration.sync(url, report=ignore)
    assert migration.version(url) == migration.newest()


def test_revert_restores_the_schema_and_the_rows(url):
    before, rows = shape(url), content(url)
    migration.sync(url, report=ignore)
    migration.revert(url, ignore, lambda: None)
    assert migration.version(url) == heat_schema.HEAT_HEAD
    assert shape(url) == before
    assert content(url) == rows


@pytest.mark.parametrize('revision', heat_schema.HEAT_REVISIONS)
def test_sync_accepts_known_revisions(url, revision):
    with engine_of(url).begin() as connection:
        heat_schema.set_revision(connection, revision)
        if revision != heat_schema.HEAT_HEAD:
            connection.exec_driver_sql('ALTER TABLE snapshot DROP COLUMN action')
        if revision in heat_schema.HEAT_REVISIONS[:2]:
            connection.exec_driver_sql('DROP TABLE resource_snapshot')
    migration.sync(url, report=ignore)
    assert 'action' in shape(url)['snapshot'][0]
    assert 'resource_snapshot' in shape(url)


def test_unknown_revision_is_refused_with_the_cure(url):
    with engine_of(url).begin() as connection:
        heat_schema.set_revision(connection, '0123456789ab')
    with pytest.raises(ValueError, match='run "heat-manage db_sync"'):
        migration.sync(url, report=ignore)
    with pytest.raises(ValueError, match='0123456789ab'):
        migration.plan(url)


def test_names_of_living_top_level_stacks_are_unique_afterwards(url):
    with engine_of(url).begin() as connection:
        copy = 'SELECT name, raw_template_id, disable_rollback, tenant FROM stack WHERE name = '
        connection.exec_driver_sql(
            'INSERT INTO stack (id, created_at, name, raw_template_id, disable_rollback, tenant) '
            "SELECT 'older', '2020-01-01', name, raw_template_id, disable_rollback, tenant "
            "FROM stack WHERE name = 'leg-basic-1'"
        )
        assert len(connection.exec_driver_sql(f"{copy} 'leg-basic-1'").all()) == 2
    lines = []
    migration.sync(url, report=lines.append)
    assert any('older' in line for line in lines)
    with databases.configured(url):
        project = RequestContext(project_id=heat_database.PROJECT, overwrite=False)
        found = stacks.get_by_name(project, 'leg-basic-1')
        assert found.live and found.id != 'older'
        assert stacks.get(project, 'older').live is None


@pytest.fixture
def taken_over(url):
    migration.sync(url, report=ignore)
    with databases.configured(url, key=heat_database.KEY):
        yield RequestContext(project_id=heat_database.PROJECT, overwrite=False)


def test_secrets_of_heat_are_decrypted(taken_over):
    stack = stacks.get_by_name(taken_over, 'leg-basic-1')
    template = templates.get(stack.raw_template_id)
    assert template.environment['parameters'] == {'secret': 'veryquiet'}
    assert template.environment['encrypted_param_names'] == ['secret']
    assert len(credentials.get(stack.user_creds_id).trust_id) == 32
    handles = stacks.get_by_name(taken_over, 'leg-wait-1')
    data = {row.name: row.data for row in resources.list_by_stack(handles.id)}
    assert len(data['aws']['secret_key']) == 32
    assert data['ht']['endpoint'].endswith('/resources/ht/signal')


def test_backup_stacks_are_in_no_list(taken_over):
    nested = stacks.list_rows(taken_over, queries.StackFilter(show_nested=True))
    assert nested and not [stack.name for stack in nested if stack.name.endswith('*')]
    owner = stacks.get_by_name(taken_over, 'leg-replace-1')
    assert list(stacks.children([owner.id])) == []
    assert stacks.child_rows(owner.id) == {}
    assert len(stacks.tree_ids(owner.id)) == 2
    unlocked = {stacks.get_row(each).name for each in locks.unlocked_in_progress()}
    assert unlocked == {'cnv-slow-1', 'cnv-replace-2'}


def read_all(batch_size):
    """Return the stacks, templates and resources of all living stacks."""
    found: tuple[dict, dict, dict] = {}, {}, {}
    for ids in heat_rows.living_ids(batch_size):
        rows = heat_rows.stacks(ids)
        found[0].update(rows)
        template_ids = {row.raw_template_id for row in rows.values()}
        found[1].update(heat_rows.templates(template_ids))
        found[2].update(heat_rows.resource_rows(ids))
    return found


def test_stacks_are_read_before_and_after_the_sync(url):
    with databases.configured(url, key=heat_database.KEY):
        before = read_all(5)
        assert all(len(each) > 20 for each in before)
        migration.sync(url, report=ignore)
        assert read_all(7) == before


def test_secrets_of_an_unknown_key_are_found_stack_by_stack(url):
    with databases.configured(url, key='another key of thirty-two bytes.'):
        stacks_found, templates_found, resources_found = read_all(1000)
        credentials_ids = {row.user_creds_id for row in stacks_found.values()} - {None}
        assert heat_rows.undecryptable_credentials(credentials_ids)
        wrong = [each for each in templates_found.values() if isinstance(each, Exception)]
        assert wrong and wrong[0].subject == 'parameter secret'
        named = {row.id: row.name for row in stacks_found.values()}
        stack_id = next(each for each in named if named[each] == 'leg-wait-1')
        places = [each.subject for each in resources_found[stack_id] if isinstance(each, Exception)]
        assert f'password of resource hs of stack {stack_id}' in places


@contextlib.contextmanager
def lesser_user(url):
    """Yield the URL with the login of a user that can change rows only."""
    name, made = f'u{uuid.uuid4().hex[:12]}', sqlalchemy.engine.make_url(url)
    is_mysql = made.get_backend_name() == 'mysql'
    user = f"'{name}'@'%%'" if is_mysql else name
    where = f'{made.database}.*' if is_mysql else 'ALL TABLES IN SCHEMA public'
    create = f'CREATE {"USER" if is_mysql else "ROLE"} {user} '
    create += "IDENTIFIED BY 'x'" if is_mysql else "LOGIN PASSWORD 'x'"
    with engine_of(url).begin() as connection:
        connection.exec_driver_sql(create)
        connection.exec_driver_sql(f'GRANT SELECT, INSERT, UPDATE, DELETE ON {where} TO {user}')
    try:
        yield made.set(username=name, password='x').render_as_string(hide_password=False)
    finally:
        with engine_of(url).begin() as connection:
            if not is_mysql:
                connection.exec_driver_sql(f'DROP OWNED BY {user}')
            connection.exec_driver_sql(f'DROP {"USER" if is_mysql else "ROLE"} {user}')


def test_user_without_the_rights_is_refused_before_a_change(url):
    before = shape(url)
    with lesser_user(url) as poor, pytest.raises(ValueError, match='lacks the right'):
        migration.sync(poor, report=ignore)
    assert shape(url) == before
    assert migration.version(url) == heat_schema.HEAT_HEAD


#: "vermilion", encrypted with heat_database.KEY by the methods of earlier releases
FORMER = {
    'oslo_decrypt_v1': 'pFusKbEGMJ1RgEfA1quxkF1BN9Mq1s9FXAVe8al7ZgQ=',
    'heat_decrypt': 'pFusKbEGMJ1RgEfA1quxkNbm7zR++khyFQ==',
}


def store_by(url, method):
    """Encrypt a trust id, a parameter and the data of a resource by a method."""
    text = FORMER[method]
    environment = {'parameters': {'secret': [method, text]}, 'encrypted_param_names': ['secret']}
    values = {'method': method, 'text': text, 'environment': json.dumps(environment)}
    creds = 'UPDATE user_creds SET decrypt_method = :method, trust_id = :text, password = NULL'
    statements = (
        f"{creds} WHERE id = (SELECT user_creds_id FROM stack WHERE name = 'leg-basic-1')",
        'UPDATE raw_template SET environment = :environment WHERE id = '
        "(SELECT raw_template_id FROM stack WHERE name = 'leg-basic-1')",
        'UPDATE resource_data SET decrypt_method = :method, value = :text '
        "WHERE redact AND resource_id IN (SELECT id FROM resource WHERE name = 'aws')",
    )
    with engine_of(url).begin() as connection:
        for statement in statements:
            connection.execute(sqlalchemy.text(statement), values)


def secrets_of(context):
    """Return the secrets that ``store_by`` has stored."""
    basic = stacks.get_by_name(context, 'leg-basic-1')
    wait = stacks.get_by_name(context, 'leg-wait-1')
    data = {row.name: row.data for row in resources.list_by_stack(wait.id)}
    return {
        credentials.get(basic.user_creds_id).trust_id,
        templates.get(basic.raw_template_id).environment['parameters']['secret'],
        data['aws']['secret_key'],
    }


@pytest.mark.parametrize('method', FORMER)
def test_former_methods_of_heat_are_rotated_to_the_present_form(url, method):
    migration.sync(url, report=ignore)
    store_by(url, method)
    project = RequestContext(project_id=heat_database.PROJECT, overwrite=False)
    with databases.configured(url, key=heat_database.KEY):
        assert secrets_of(project) == {'vermilion'}
        keys = [NEW_KEY, heat_database.KEY]
        assert list(reencrypt.undecryptable(keys, 50)) == []
        assert {name for name, _ in reencrypt.undecryptable(['a third key'], 50)} > {'raw_template'}
        dict(reencrypt.reencrypt_tables(reencrypt.Target(None, keys), 50))
        present = reencrypt.Target(None, [NEW_KEY])
        assert set(dict(reencrypt.reencrypt_tables(present, 50)).values()) == {0}
    with databases.configured(url, key=NEW_KEY):
        assert secrets_of(project) == {'vermilion'}
    with engine_of(url).connect() as connection:
        for table in ('user_creds', 'resource_data'):
            query = f'SELECT DISTINCT decrypt_method FROM {table}'
            found = set(connection.exec_driver_sql(query).scalars())
            assert found <= {None, '', cipher.METHOD}
        query = 'SELECT environment FROM raw_template'
        assert not [text for text in connection.exec_driver_sql(query).scalars() if method in text]


def test_request_names_the_secret_of_an_unknown_key(taken_over, url):
    wait = stacks.get_by_name(taken_over, 'leg-wait-1')
    basic = stacks.get_by_name(taken_over, 'leg-basic-1')
    with databases.configured(url, key=NEW_KEY):
        with pytest.raises(exception.InvalidEncryptionKey, match=f' of stack {wait.id}'):
            resources.list_by_stack(wait.id)
        with pytest.raises(exception.InvalidEncryptionKey, match='parameter secret'):
            templates.get(basic.raw_template_id)
        row = f'trust_id of row {basic.user_creds_id} of user_creds'
        with pytest.raises(exception.InvalidEncryptionKey, match=row):
            credentials.get(basic.user_creds_id)


def test_give_back_leaves_secrets_in_the_form_of_heat_unread(url):
    """Else each of the million secrets of a large database would be encrypted twice."""
    migration.sync(url, report=ignore)
    with databases.configured(url, key=heat_database.KEY):
        target = reencrypt.Target(False, [heat_database.KEY], cipher.HEAT_METHOD, checked=True)
        changed = dict(reencrypt.reencrypt_tables(target, 50))
        assert changed['user_creds'] == 0 and changed['resource_properties_data'] > 0
        credential = next(iter(stacks.list_rows(admin_context()))).user_creds_id
        broken = "UPDATE user_creds SET trust_id = 'garbage' WHERE id = :id"
        with engine_of(url).begin() as connection:
            connection.execute(sqlalchemy.text(broken), {'id': credential})
        assert dict(reencrypt.reencrypt_tables(target, 50))['user_creds'] == 0
        known = [heat_database.KEY]
        assert list(reencrypt.undecryptable(known, 50)) == [('user_creds', credential)]


def test_property_that_is_no_json_is_told_by_its_row(url):
    migration.sync(url, report=ignore)
    secret = json.dumps({'p': list(cipher.heat_encrypt('no json', heat_database.KEY))})
    with engine_of(url).begin() as connection:
        row_id = connection.exec_driver_sql(
            'SELECT MIN(id) FROM resource_properties_data'
        ).scalar_one()
        changes = 'data = :data, encrypted = :yes WHERE id = :id'
        statement = sqlalchemy.text(f'UPDATE resource_properties_data SET {changes}')
        connection.execute(statement, {'data': secret, 'yes': True, 'id': row_id})
    with databases.configured(url, key=heat_database.KEY):
        found = list(reencrypt.undecryptable([heat_database.KEY], 50))
    assert found == [('resource_properties_data', row_id)]
