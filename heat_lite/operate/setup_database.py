"""``heat-lite-db-setup`` and ``heat-lite-db-drop``: a database on the MariaDB of this machine.

For a first installation: a cluster is set up as its own handbook says.
"""

import argparse
import contextlib
import getpass
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any
from urllib import parse

import pymysql

from heat_lite.cli import option_parser
from heat_lite.common.value_types import Values
from heat_lite.db import migration

#: {kind of distribution: the command that installs the server}
INSTALL = {
    'deb': ('apt-get', 'install', '-y', 'mariadb-server'),
    'rpm': ('dnf', 'install', '-y', 'mariadb-server'),
}
START = ('systemctl', 'enable', '--now', 'mariadb')
SERVERS = ('mariadbd', 'mysqld')
FOLDERS = '/usr/sbin:/usr/bin:/usr/libexec:/usr/local/sbin:/usr/local/bin'
#: of the socket of the server, by which root has no password on Debian
SOCKETS = ('/run/mysqld/mysqld.sock', '/var/lib/mysql/mysql.sock')
#: hosts of the user: MariaDB may or may not look the name of the address up
HOSTS = ('localhost', '127.0.0.1')
REFUSED = 1045, 1698


class SetupError(Exception):
    """What stops the command. The text says what to do."""


def main(argv: list[str] | None = None) -> int:
    """Create the database, its user and its tables. Return the exit status."""
    return _guarded('heat-lite-db-setup', _create, _setup_parser().parse_args(argv))


def drop(argv: list[str] | None = None) -> int:
    """Drop the database and its user. Return the exit status."""
    return _guarded('heat-lite-db-drop', _drop, _drop_parser().parse_args(argv))


def _guarded(
    program: str, command: Callable[[argparse.Namespace], None], args: argparse.Namespace
) -> int:
    try:
        command(args)
        return 0
    except (SetupError, pymysql.MySQLError, OSError, subprocess.CalledProcessError) as error:
        print(f'{program}: {error}', file=sys.stderr)
        return 1


def _setup_parser() -> argparse.ArgumentParser:
    parser = _parser('heat-lite-db-setup', 'Create a database on the MariaDB of this machine.')
    parser.add_argument('distro', choices=sorted(INSTALL), help='the packages of this machine')
    parser.add_argument(
        '-p', '--password', default='heat', help='of the new user (default: %(default)s)'
    )
    return parser


def _drop_parser() -> argparse.ArgumentParser:
    return _parser('heat-lite-db-drop', 'Drop the database and its user, with all stacks in it.')


def _parser(program: str, description: str) -> argparse.ArgumentParser:
    example = f'{program} deb --yes' if program.endswith('setup') else f'{program} --yes'
    parser = argparse.ArgumentParser(
        program,
        description=description,
        epilog=f'example:\n  {example}',
        formatter_class=option_parser.Formatter,
    )
    parser.add_argument('-r', '--rootpw', help='the password of root in MariaDB')
    parser.add_argument('-y', '--yes', action='store_true', help='ask no questions')
    parser.add_argument('--database', default='heat', help='its name (default: %(default)s)')
    parser.add_argument('--user', default='heat', help='its user (default: %(default)s)')
    parser.add_argument('--port', type=int, default=3306, help='(default: %(default)s)')
    return parser


def _create(args: argparse.Namespace) -> None:
    _require_server(args)
    with _root(args) as cursor:
        cursor.execute('SHOW DATABASES LIKE %s', (args.database,))
        if cursor.fetchone():
            raise SetupError(
                f'the database {args.database} exists already: heat-lite-db-drop removes it'
            )
        name = _quoted(args.database)
        cursor.execute(f'CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin')
        for host in HOSTS:
            account = (args.user, host)
            cursor.execute('CREATE USER IF NOT EXISTS %s@%s', account)
            cursor.execute('ALTER USER %s@%s IDENTIFIED BY %s', (*account, args.password))
            cursor.execute(f'GRANT ALL PRIVILEGES ON {name}.* TO %s@%s', account)
    url = (
        f'mysql+pymysql://{parse.quote_plus(args.user)}:{parse.quote_plus(args.password)}@127.0.0.1'
    )
    url += f'{"" if args.port == 3306 else f":{args.port}"}/{args.database}'
    migration.sync(url)
    print('The database has its tables. Set in the configuration file:')
    print(f'\n[database]\nconnection = {url.replace("$", "$$")}')


def _drop(args: argparse.Namespace) -> None:
    question = f'Drop the database {args.database} with all stacks in it?'
    if not args.yes and not _agrees(question):
        raise SetupError('nothing was dropped')
    with _root(args) as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS {_quoted(args.database)}')
        for host in HOSTS:
            cursor.execute('DROP USER IF EXISTS %s@%s', (args.user, host))
    print(f'The database {args.database} and its user {args.user} do not exist any more.')


def _quoted(name: str) -> str:
    return '`{}`'.format(name.replace('`', '``'))


def _agrees(question: str) -> bool:
    print(f'{question} [y/N] ', end='', flush=True)
    return sys.stdin.readline().strip().lower().startswith('y')


def _require_server(args: argparse.Namespace) -> None:
    if any(shutil.which(name, path=FOLDERS) for name in SERVERS):
        return
    command = INSTALL[args.distro]
    if not args.yes and not _agrees(f'MariaDB is not installed. Run "{" ".join(command)}"?'):
        raise SetupError('there is no database server on this machine')
    subprocess.run(command, check=True)
    if shutil.which(START[0]):
        subprocess.run(START, check=True)


@contextlib.contextmanager
def _root(args: argparse.Namespace) -> Iterator[Any]:
    """Yield a cursor of root, by the socket or the port."""
    connection = _connect(args, args.rootpw or '')
    if connection is None and args.rootpw is None and not args.yes:
        connection = _connect(args, getpass.getpass('Password of root in MariaDB: '))
    if connection is None:
        raise SetupError('MariaDB refuses root: give its password with --rootpw')
    with connection, connection.cursor() as cursor:
        yield cursor


def _connect(args: argparse.Namespace, password: str | None) -> Any:
    """Return a connection; None if the password is refused. Raises MySQLError."""
    places: list[Values] = [{'host': '127.0.0.1', 'port': args.port}]
    if args.port == 3306:
        places = [*({'unix_socket': path} for path in SOCKETS), *places]
    refused, last = False, None
    for place in places:
        try:
            return pymysql.connect(user='root', password=password, autocommit=True, **place)
        except pymysql.OperationalError as error:
            refused, last = refused or error.args[0] in REFUSED, error
    if refused or last is None:
        return None
    raise last


if __name__ == '__main__':
    sys.exit(main())
