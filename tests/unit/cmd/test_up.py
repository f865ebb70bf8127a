"""What `heat-lite up` refuses before it starts anything, and how its tables come to be."""

import argparse
import socket
from pathlib import Path

import pytest
import sqlalchemy
from oslo_config import cfg

from heat_lite.cmd import embedded, tables, up
from heat_lite.db import migration, session


@pytest.mark.parametrize(
    'host, local',
    [('127.0.0.1', True), ('127.3.2.1', True), ('::1', True), ('localhost', True), ('0.0.0.0', False), ('::', False), ('192.0.2.7', False)],
)
def test_which_addresses_only_this_machine_reaches(host, local):
    assert up.is_loopback(host) is local


def test_an_address_that_others_reach_is_refused(tmp_path, capsys):
    assert up.main(['--host', '0.0.0.0', '--port', '0', '--data-dir', str(tmp_path / 'data')]) == 1
    assert '--expose' in capsys.readouterr().err
    assert not (tmp_path / 'data').exists()


def test_the_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_DATA_HOME', '/somewhere')
    assert up.default_data_dir() == Path('/somewhere/heat-lite')
    monkeypatch.delenv('XDG_DATA_HOME')
    monkeypatch.setenv('HOME', str(tmp_path))
    assert up.default_data_dir() == tmp_path / '.local' / 'share' / 'heat-lite'


def test_options_fit_on_any_parser():
    parser = argparse.ArgumentParser()
    up.add_arguments(parser)
    args = parser.parse_args(['--port', '5', '--data-dir', 'x'])
    assert (args.port, args.host, args.data_dir, args.expose) == (5, '127.0.0.1', Path('x'), False)


def test_a_data_folder_has_one_user_at_a_time(tmp_path):
    folder = tmp_path / 'deep' / 'data'
    with embedded.own(folder):
        assert folder.stat().st_mode & 0o777 == 0o700
        with pytest.raises(embedded.CannotStart, match='another heat_lite uses'), embedded.own(folder):
            pass
    with embedded.own(folder):
        pass


def test_a_port_that_is_taken():
    with socket.create_server(('127.0.0.1', 0)) as taken, pytest.raises(embedded.CannotStart, match='in use'):
        embedded._listen('127.0.0.1', taken.getsockname()[1])


def test_the_key_is_made_once_and_is_private(tmp_path):
    key = embedded._key(tmp_path)
    assert len(key) == 32
    assert embedded._key(tmp_path) == key
    assert (tmp_path / 'key').stat().st_mode & 0o777 == 0o600


# --------------------------------------------------------------- tables


@pytest.fixture
def url(tmp_path):
    return f'sqlite:///{tmp_path}/x.sqlite'


@pytest.fixture
def configured(url):
    conf = cfg.ConfigOpts()
    conf.register_opts(session.OPTIONS, 'database')
    conf([])
    conf.set_override('connection', url, group='database')
    session.configure(conf)
    yield url
    session.dispose()


def shape():
    """Tables, columns and indexes of the database as it is."""
    inspector = sqlalchemy.inspect(session.engine())
    tables = {}
    for name in inspector.get_table_names():
        columns = {
            column['name']: (str(column['type']), column['nullable'], column['primary_key']) for column in inspector.get_columns(name)
        }
        indexes = sorted((tuple(index['column_names']), bool(index['unique'])) for index in inspector.get_indexes(name))
        unique = sorted(tuple(constraint['column_names']) for constraint in inspector.get_unique_constraints(name))
        foreign = sorted((tuple(key['constrained_columns']), key['referred_table']) for key in inspector.get_foreign_keys(name))
        tables[name] = (columns, indexes, unique, foreign)
    return tables


def test_the_quick_way_makes_what_the_migrations_make(configured, tmp_path):
    tables.prepare(configured)
    quick = shape()
    assert migration.version(configured) == migration.newest()
    with session.engine().begin() as connection:
        sqlalchemy.MetaData().reflect(connection)
    session.dispose()
    conf = cfg.ConfigOpts()
    conf.register_opts(session.OPTIONS, 'database')
    conf([])
    other = f'sqlite:///{tmp_path}/y.sqlite'
    conf.set_override('connection', other, group='database')
    migration.sync(other)
    session.configure(conf)
    migrated = shape()
    assert set(quick) == set(migrated)
    assert {name: quick[name] for name in quick if name != 'alembic_version'} == {
        name: migrated[name] for name in migrated if name != 'alembic_version'
    }


def test_what_is_there_stays(configured):
    tables.prepare(configured)
    with session.engine().begin() as connection:
        connection.execute(sqlalchemy.text("INSERT INTO raw_template (template, created_at) VALUES ('{}', '2026-01-01')"))
    tables.prepare(configured)
    with session.engine().begin() as connection:
        assert connection.scalar(sqlalchemy.text('SELECT count(*) FROM raw_template')) == 1


def test_the_newest_revision_is_read_off_the_files():
    assert tables.newest() == migration.newest()


def test_a_database_without_a_stamp_goes_the_long_way(configured):
    with session.engine().begin() as connection:
        connection.execute(sqlalchemy.text('CREATE TABLE something_else (x INTEGER)'))
    tables.prepare(configured)
    assert migration.version(configured) == migration.newest()
