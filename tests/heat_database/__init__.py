"""Databases that Heat 27.0.1 has written, for tests of the take-over.

``schema.*.sql`` is what ``heat-manage db_sync`` creates. ``rows.json.gz`` has the rows of stacks
that Heat's engines have made, ``{table: {columns, rows}}``. Stacks with ``leg`` in their names are
of the legacy engine, with encrypted parameters and properties; those with ``cnv`` are of the
convergence engine. The engines were killed during ``*-slow-1`` (CREATE) and ``*-replace-2``
(UPDATE).
"""

import contextlib
import datetime
import gzip
import json
import pathlib
import re

import sqlalchemy

from heat_lite.common import cipher
from heat_lite.db import connections, models
from heat_lite.db.heat_database import heat_schema
from tests import databases

FOLDER = pathlib.Path(__file__).parent
#: the auth_encryption_key and the project of the stacks
KEY = '0123456789abcdef0123456789abcdef'
PROJECT = '4d792216e07945beae7be9fa35b9c418'
#: what Heat has encrypted
FERNET_TOKEN = re.compile(r'gAAAAA[\w-]+=*')
BACKENDS = ('mysql', 'postgresql')


@contextlib.contextmanager
def loaded(backend, folder, revision=heat_schema.HEAT_HEAD, key=KEY):
    """Yield the URL of a new database with Heat's schema and rows; drop it afterwards.

    The secrets in the rows are encrypted with ``key``.
    """
    with databases.empty(backend, folder) as url:
        engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
        with engine.begin() as connection:
            if backend == 'mysql':
                connection.exec_driver_sql('SET foreign_key_checks = 0')
            text = (FOLDER / f'schema.{backend}.sql').read_text(encoding='utf-8')
            for statement in filter(str.strip, text.split(';\n')):
                connection.exec_driver_sql(statement)
            connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{revision}')")
            _insert_rows(connection, key)
        yield url


def content(key=KEY):
    """Return the recorded rows, ``{table: {columns, rows}}``, with secrets encrypted by ``key``."""

    def encrypt_again(found):
        plain = cipher.decrypt(cipher.HEAT_METHOD, found[0], KEY)
        return cipher.heat_encrypt(plain, key)[1]

    text = gzip.decompress((FOLDER / 'rows.json.gz').read_bytes()).decode()
    return json.loads(text if key == KEY else FERNET_TOKEN.sub(encrypt_again, text))


def insert(connection, name, columns, rows):
    """Insert rows into the table ``name``."""
    if rows:
        plain = sqlalchemy.table(name, *map(sqlalchemy.column, columns))
        typed = [_typed(name, dict(zip(columns, row, strict=True))) for row in rows]
        connection.execute(plain.insert(), typed)


def _insert_rows(connection, key):
    for name, table in content(key).items():
        columns = table['columns']
        insert(connection, name, columns, table['rows'])
        if connection.dialect.name == 'postgresql' and 'id' in columns and _is_number(name):
            sequence = f"pg_get_serial_sequence('{name}', 'id')"
            connection.exec_driver_sql(f'SELECT setval({sequence}, (SELECT MAX(id) FROM {name}))')


def _is_number(name):
    return isinstance(models.metadata.tables[name].c.id.type, sqlalchemy.Integer)


def _typed(name, row):
    """Return the row with times and booleans as the driver of each database takes them."""
    types = {column.name: column.type for column in models.metadata.tables[name].c}
    return {key: _value(types.get(key), value) for key, value in row.items()}


def _value(kind, value):
    if value is None:
        return None
    if isinstance(kind, sqlalchemy.Boolean):
        return bool(value)
    is_time = isinstance(getattr(kind, 'impl', kind), sqlalchemy.DateTime)
    return datetime.datetime.fromisoformat(value) if is_time else value
