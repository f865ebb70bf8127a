"""`heat-lite up`: refusals before the start, the data folder, and the creation of tables."""

import argparse
import contextlib
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy
from oslo_config import cfg

from heat_lite.common import installation
from heat_lite.db import migration, session
from heat_lite.operate import bootstrap_db, data_folder, up
from heat_lite.server import embedded, wsgi_server
from tests.timeouts import WAIT_SECONDS


@pytest.mark.parametrize(
    'host, local',
    [
        ('127.0.0.1', True),
        ('127.3.2.1', True),
        ('::1', True),
        ('localhost', True),
        ('0.0.0.0', False),
        ('::', False),
        ('192.0.2.7', False),
    ],
)
def test_is_loopback_of_an_address(host, local):
    assert up.is_loopback(host) is local


def test_reachable_host_without_expose_is_refused(tmp_path, capsys):
    assert up.main(['--host', '0.0.0.0', '--port', '0', '--data-dir', str(tmp_path / 'data')]) == 1
    assert '--expose' in capsys.readouterr().err
    assert not (tmp_path / 'data').exists()


@pytest.mark.parametrize(
    'arguments',
    [
        ['--host', '0.0.0.0'],
        ['--host', '0.0.0.0', '--expose'],
        ['--public-url', 'http://192.0.2.7:8004'],
    ],
)
def test_cloud_that_others_can_reach_needs_a_token(tmp_path, capsys, arguments):
    assert up.main(['--cloud', 'x', '--data-dir', str(tmp_path / 'data'), *arguments]) == 1
    assert '--require-token' in capsys.readouterr().err
    assert not (tmp_path / 'data').exists()


def test_public_url_without_a_cloud_is_refused(capsys):
    assert up.main(['--public-url', 'http://127.0.0.1:8004']) == 1
    assert '--cloud' in capsys.readouterr().err


@pytest.mark.parametrize(
    'url', ['x', 'ftp://x', 'http://', 'http://x:y', 'http://a@b', 'http://x?q']
)
def test_public_url_that_is_none_is_a_usage_error(url, capsys):
    with pytest.raises(SystemExit) as stopped:
        up.main(['--cloud', 'x', '--public-url', url])
    assert stopped.value.code == 2
    assert 'is not a URL' in capsys.readouterr().err


@pytest.mark.parametrize(
    'words, hint',
    [
        ([], ''),
        (['--port', '9000'], 'HEAT_LITE_ENDPOINT=http://127.0.0.1:9000/v1/default'),
        (['--data-dir', 'a b'], "HEAT_LITE_DATA_DIR='{}/a b'"),
    ],
)
def test_start_that_is_not_the_default_tells_how_to_reach_it(
    words, hint, monkeypatch, tmp_path, capsys
):
    monkeypatch.delenv('HEAT_LITE_DATA_DIR', raising=False)
    monkeypatch.chdir(tmp_path)
    args = up.parser().parse_args(words)
    embedded._print_options(args, ['http://127.0.0.1:9000/v1/default'], None)
    hint = hint and f'in another terminal: export {hint}\n'
    assert capsys.readouterr().out == hint.format(tmp_path)


def test_data_folder_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.delenv('HEAT_LITE_DATA_DIR', raising=False)
    monkeypatch.setenv('XDG_DATA_HOME', '/somewhere')
    assert installation.data_folder() == Path('/somewhere/heat-lite')
    monkeypatch.delenv('XDG_DATA_HOME')
    monkeypatch.setenv('HOME', str(tmp_path))
    assert installation.data_folder() == tmp_path / '.local' / 'share' / 'heat-lite'


def test_add_arguments_works_on_any_parser():
    parser = argparse.ArgumentParser()
    up.add_arguments(parser)
    args = parser.parse_args(['--port', '5', '--data-dir', 'x'])
    assert (args.port, args.host, args.data_dir, args.expose) == (5, '127.0.0.1', Path('x'), False)


def test_locked_data_dir_is_refused(tmp_path):
    folder = tmp_path / 'deep' / 'data'
    with data_folder.lock(folder):
        assert folder.stat().st_mode & 0o777 == 0o700
        with (
            pytest.raises(data_folder.FolderError, match='another heat_lite uses'),
            data_folder.lock(folder),
        ):
            pass
    with data_folder.lock(folder):
        pass


@pytest.mark.parametrize('listen', [socket.create_server, lambda to: wsgi_server.listen(*to)])
def test_port_in_use_is_refused(listen):
    taken = listen(('127.0.0.1', 0))
    with contextlib.closing(taken), pytest.raises(embedded.StartError, match='in use.*--cfn-port'):
        embedded._listen('127.0.0.1', taken.getsockname()[1], '--cfn-port')


def test_addresses_name_the_options_of_their_ports():
    words = '--port 1 --cfn-port 2 --cloudwatch-port 3 --container-port 4'.split()
    found = [
        (port, option) for _, port, option in embedded._addresses(up.parser().parse_args(words))
    ]
    assert found == [(int(port), name) for name, port in zip(words[::2], words[1::2], strict=True)]


@pytest.mark.parametrize('port', ['65536', '-1', 'x', ''])
def test_port_that_is_none_is_a_usage_error(port, capsys):
    with pytest.raises(SystemExit) as stopped:
        up.main(['--port', port])
    assert stopped.value.code == 2
    assert f'"{port}" is not a port' in capsys.readouterr().err


@pytest.mark.parametrize(
    'text, option',
    [
        ('[database]\nconnection = mysql+pymysql://root@127.0.0.1/heat', '[database] connection'),
        ('[DEFAULT]\ntransport_url = rabbit://', '[DEFAULT] transport_url'),
        ('[paste_deploy]\nflavor = keystone', '[paste_deploy] flavor'),
    ],
)
def test_option_that_the_embedded_shape_ignores_is_refused(tmp_path, text, option):
    file = tmp_path / 'heat.conf'
    file.write_text(text)
    parser = argparse.ArgumentParser()
    up.add_arguments(parser)
    args = parser.parse_args(['--config-file', str(file)])
    with pytest.raises(embedded.StartError, match=f'sets {re.escape(option)}'):
        embedded.configure(args, cfg.ConfigOpts())


@pytest.mark.parametrize(
    'text, option',
    [
        ('[clients_keystone]\nauth_uri = http://x', '[clients_keystone] auth_uri'),
        ('[trustee]\nauth_type = password', '[trustee] auth_type'),
    ],
)
def test_option_of_another_login_than_that_of_the_cloud_is_refused(tmp_path, text, option):
    file = tmp_path / 'heat.conf'
    file.write_text(text)
    parser = argparse.ArgumentParser()
    up.add_arguments(parser)
    args = parser.parse_args(['--cloud', 'x', '--config-file', str(file)])
    with pytest.raises(embedded.StartError, match=f'sets {re.escape(option)}'):
        embedded.configure(args, cfg.ConfigOpts())


def test_config_file_that_is_no_text_is_an_error(tmp_path):
    file = tmp_path / 'binary.conf'
    file.write_bytes(b'\x80')
    parser = argparse.ArgumentParser()
    up.add_arguments(parser)
    args = parser.parse_args(['--config-file', str(file)])
    with pytest.raises(embedded.StartError, match=': it is not UTF-8 text'):
        embedded.configure(args, cfg.ConfigOpts())


def test_config_file_that_is_missing_is_an_error(tmp_path):
    file = tmp_path / 'none.conf'
    command = [sys.executable, '-m', 'heat_lite.operate.up', '--data-dir', tmp_path / 'data']
    ended = subprocess.run(
        [*command, '--port', '0', '--config-file', file],
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert ended.returncode == 1
    assert str(file) in ended.stderr
    assert 'Traceback' not in ended.stderr


def test_encryption_key_is_created_once_with_mode_0600(tmp_path):
    key = data_folder.encryption_key(tmp_path)
    assert len(key) == 32
    assert data_folder.encryption_key(tmp_path) == key
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
    """Return the tables, columns, indexes and keys of the database."""
    inspector = sqlalchemy.inspect(session.engine())
    tables = {}
    for name in inspector.get_table_names():
        columns = {
            column['name']: (str(column['type']), column['nullable'], column['primary_key'])
            for column in inspector.get_columns(name)
        }
        indexes = sorted(
            (tuple(index['column_names']), bool(index['unique']))
            for index in inspector.get_indexes(name)
        )
        unique = sorted(
            tuple(constraint['column_names'])
            for constraint in inspector.get_unique_constraints(name)
        )
        foreign = sorted(
            (tuple(key['constrained_columns']), key['referred_table'])
            for key in inspector.get_foreign_keys(name)
        )
        tables[name] = (columns, indexes, unique, foreign)
    return tables


def test_ensure_schema_creates_the_tables_of_the_migrations(configured, tmp_path):
    bootstrap_db.ensure_schema(configured)
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


def test_ensure_schema_keeps_existing_rows(configured):
    bootstrap_db.ensure_schema(configured)
    with session.engine().begin() as connection:
        connection.execute(
            sqlalchemy.text(
                "INSERT INTO raw_template (template, created_at) VALUES ('{}', '2026-01-01')"
            )
        )
    bootstrap_db.ensure_schema(configured)
    with session.engine().begin() as connection:
        assert connection.scalar(sqlalchemy.text('SELECT count(*) FROM raw_template')) == 1


def test_head_revision_equals_that_of_alembic():
    assert bootstrap_db.head_revision() == migration.newest()


def test_ensure_schema_without_revision_runs_the_migrations(configured):
    with session.engine().begin() as connection:
        connection.execute(sqlalchemy.text('CREATE TABLE something_else (x INTEGER)'))
    bootstrap_db.ensure_schema(configured)
    assert migration.version(configured) == migration.newest()
