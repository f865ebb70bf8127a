"""A backup of all rows in one file, for the same or another kind of database.

The file is gzip of JSON lines: a header, for each table its name and columns and then its rows, and
the numbers of rows at the end, without which a file is incomplete. Secrets stay as they are stored.
"""

import base64
import contextlib
import datetime
import gzip
import itertools
import json
import os
import typing
from collections.abc import Iterable, Iterator, Sequence

import sqlalchemy
from sqlalchemy import Integer, TableClause, Text, func, insert, select
from sqlalchemy.engine import Connection
from sqlalchemy.types import TypeEngine

from heat_lite.common.value_types import Value
from heat_lite.db import models, session
from heat_lite.db.column_types import Json, TruncatedText, utcnow

FORMAT = 'heat-lite-backup'
#: rows of one statement
BATCH = 500
BYTES, TIME = 'base64', 'time'
#: of MariaDB and PostgreSQL; a transaction of SQLite is a snapshot anyway
ISOLATION = 'REPEATABLE READ'
Counts = dict[str, int]


def write(path: str, revision: str | None) -> Counts:
    """Write all rows of one moment to a new file that its owner alone can read.

    ``revision`` is that of the schema. Return ``{table: number of rows}``. Engines may run
    meanwhile. Raises FileExistsError.
    """
    counts: Counts = {}
    part = f'{path}.part'
    if os.path.lexists(path):
        raise FileExistsError(f'{path} exists already: choose another name.')
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, 'wb') as raw:
            with gzip.open(raw, 'wt', encoding='ascii', compresslevel=5) as file:
                for line in _lines(revision, counts):
                    file.write(json.dumps(line, separators=(',', ':')) + '\n')
            raw.flush()
            os.fsync(raw.fileno())
        os.rename(part, path)
    finally:
        if os.path.lexists(part):
            os.remove(part)
    return counts


def read(path: str, revision: str | None) -> Counts:
    """Insert the rows of a file into empty tables, all or none.

    Return ``{table: number of rows}``. Raises ValueError if the file is damaged or of another
    ``revision`` of the schema, or if a table has rows.
    """
    try:
        with gzip.open(path, 'rt', encoding='ascii') as file:
            lines = map(json.loads, file)
            _check_header(path, next(lines, None), revision)
            with session.engine().begin() as connection:
                _require_empty(connection)
                return _insert(connection, path, lines)
    except (gzip.BadGzipFile, EOFError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f'{path} is damaged, nothing was changed: {error}') from None


def _tables() -> Iterator[TableClause]:
    """Yield the tables in the order of their references, with columns as they are stored."""
    for table in models.metadata.sorted_tables:
        columns = [sqlalchemy.column(each.name, _stored_type(each.type)) for each in table.c]
        yield sqlalchemy.table(table.name, *columns)


def _stored_type(kind: TypeEngine) -> TypeEngine:
    if isinstance(kind, (Json, TruncatedText)):
        return Text()
    return kind


def _lines(revision: str | None, counts: Counts) -> Iterator[typing.Any]:
    """Yield the lines of the file and fill ``counts``."""
    made = utcnow().isoformat()
    yield {'format': FORMAT, 'version': 1, 'revision': revision, 'created_at': made}
    with _snapshot() as connection:
        for table in _tables():
            yield {'table': table.name, 'columns': table.c.keys()}
            rows = connection.execution_options(yield_per=BATCH).execute(select(table))
            counts[table.name] = 0
            for row in rows:
                counts[table.name] += 1
                yield [_encoded(value) for value in row]
    yield {'end': counts}


@contextlib.contextmanager
def _snapshot() -> Iterator[Connection]:
    """Yield a connection that sees the rows of one moment, and blocks no writer."""
    is_file = session.dialect() == 'sqlite'
    with session.engine(writes=not is_file).connect() as connection:
        if is_file:
            # Connections of readers begin no transactions by themselves.
            connection.exec_driver_sql('BEGIN')
        else:
            connection = connection.execution_options(isolation_level=ISOLATION)
        try:
            yield connection
        finally:
            if is_file:
                connection.exec_driver_sql('COMMIT')


def _encoded(value: Value) -> Value:
    if isinstance(value, (bytes, memoryview)):
        return {BYTES: base64.b64encode(bytes(value)).decode()}
    return {TIME: value.isoformat()} if isinstance(value, datetime.datetime) else value


def _decoded(value: Value) -> Value:
    if not isinstance(value, dict):
        return value
    if BYTES in value:
        return base64.b64decode(value[BYTES])
    return datetime.datetime.fromisoformat(value[TIME])


def _check_header(path: str, header: typing.Any, revision: str | None) -> None:
    if not isinstance(header, dict) or header.get('format') != FORMAT:
        raise ValueError(f'{path} is no backup of heat-lite-manage.')
    if header['revision'] != revision:
        raise ValueError(
            f'{path} has the tables of revision {header["revision"]}, the database those of '
            f'{revision}: run "heat-lite-manage db_sync {header["revision"]}" on the empty '
            'database, restore, and then run db_sync.'
        )


def _require_empty(connection: Connection) -> None:
    for table in _tables():
        if connection.execute(select(sqlalchemy.literal(1)).select_from(table).limit(1)).first():
            raise ValueError(
                f'The table {table.name} has rows. Restore into a new database: create it and run '
                'db_sync.'
            )


def _insert(connection: Connection, path: str, lines: Iterable[typing.Any]) -> Counts:
    tables = {table.name: table for table in _tables()}
    counts: Counts = {}
    table: typing.Any = None
    columns: list[str] = []
    for is_rows, group in itertools.groupby(lines, key=lambda line: isinstance(line, list)):
        if is_rows:
            counts[table.name] = _insert_rows(connection, table, columns, group)
            continue
        for line in group:
            if 'end' in line:
                if {name: count for name, count in line['end'].items() if count} != counts:
                    raise ValueError(f'{path} is damaged: its numbers of rows are others.')
                _continue_numbers(connection)
                return counts
            table, columns = tables[line['table']], line['columns']
    raise ValueError(f'{path} is incomplete: its end is missing. Nothing was changed.')


def _insert_rows(
    connection: Connection, table: TableClause, columns: Sequence[str], rows: Iterator[typing.Any]
) -> int:
    count = 0
    while part := list(itertools.islice(rows, BATCH)):
        values = [dict(zip(columns, map(_decoded, row), strict=True)) for row in part]
        connection.execute(insert(table), values)
        count += len(part)
    return count


def _continue_numbers(connection: Connection) -> None:
    """Let PostgreSQL number new rows after those that were inserted with their numbers."""
    if connection.dialect.name != 'postgresql':
        return
    for table in models.metadata.sorted_tables:
        key = table.primary_key.columns.values()[0]
        if len(table.primary_key) == 1 and type(key.type) is Integer:
            sequence = func.pg_get_serial_sequence(table.name, key.name)
            highest = select(func.max(key)).scalar_subquery()
            connection.execute(select(func.setval(sequence, highest)).where(highest.is_not(None)))
