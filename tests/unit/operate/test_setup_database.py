"""``heat-lite-db-setup`` and ``heat-lite-db-drop`` against the MariaDB of this machine."""

import uuid

import pymysql
import pytest

from heat_lite.db import migration
from heat_lite.operate import setup_database
from tests import databases


@pytest.fixture
def names():
    missing = databases.unreachable('mysql')
    if missing or not databases.SERVERS['mysql'].startswith('mysql://root@127.0.0.1:3306'):
        databases.skip_or_fail(f'root of MariaDB is needed: {missing}')
    name = f'heat_lite_setup_{uuid.uuid4().hex[:10]}'
    arguments = ['--yes', '--database', name, '--user', name[-16:]]
    yield arguments
    setup_database.drop(arguments)


def test_database_is_created_with_tables_and_dropped(names, capsys):
    password = 's3c$r/t@'
    assert setup_database.main(['deb', '--password', password, *names]) == 0
    line = capsys.readouterr().out.splitlines()[-1]
    url = line.removeprefix('connection = ').replace('$$', '$')
    assert password not in url and migration.version(url) == migration.newest()
    assert setup_database.main(['deb', *names]) == 1
    assert 'exists already: heat-lite-db-drop' in capsys.readouterr().err
    assert setup_database.drop(names) == 0
    with pytest.raises(pymysql.OperationalError):
        pymysql.connect(host='127.0.0.1', user=names[-1], password=password)


def test_refused_root_is_told(names, capsys):
    names = [*names, '--rootpw', 'wrong', '--port', '3306']
    if setup_database.drop(names) == 0:
        pytest.skip('root needs no password on the socket')
    assert 'give its password with --rootpw' in capsys.readouterr().err


def test_drop_without_consent_drops_nothing(names, capsys, monkeypatch):
    monkeypatch.setattr('sys.stdin', open('/dev/null'))
    assert setup_database.drop([each for each in names if each != '--yes']) == 1
    assert 'nothing was dropped' in capsys.readouterr().err
