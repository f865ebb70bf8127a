"""Batched statements: many rows are inserted or updated with few statements."""

import functools
import itertools
import typing
from collections.abc import Callable, Iterable, Sequence

import sqlalchemy
from sqlalchemy import Column, ColumnClause, Dialect, Insert, Table, TableClause
from sqlalchemy.types import TypeEngine

from heat_lite.common.value_types import Values
from heat_lite.db import column_types, session

# Rows per UPDATE. The database searches the list of cases for each row, which is quadratic: two
# statements of this size cost less than one of twice the size.
CHUNK = 128
# Rows per INSERT: the parameters of a statement are prepared without a pause.
INSERTED_ROWS = 1000
# Characters of the values of an INSERT; beyond it the driver divides the rows, where it can.
INSERTED_CHARACTERS = 500_000


def insert(
    statement: Insert, rows: list[dict], returning: Column | None = None
) -> list[typing.Any]:
    """Insert dicts with few statements; missing keys are NULL.

    Return the values of ``returning``, an autoincrement column, in the order of the rows.
    """
    rows = _same_keys(rows)
    ids = []
    for start in range(0, len(rows), INSERTED_ROWS):
        ids += _insert_chunk(statement, rows[start : start + INSERTED_ROWS], returning)
    return ids


def _insert_chunk(
    statement: Insert, rows: list[dict], returning: Column | None
) -> list[typing.Any]:
    dialect = session.connection().dialect
    if dialect.name == 'postgresql' and returning is None or getattr(dialect, 'is_mariadb', False):
        prepared = _values_of(dialect, statement.table, rows)
        if prepared is not None:
            return _insert_values(dialect, statement.table, *prepared, returning)
    if returning is None:
        session.execute(statement, rows)
        return []
    if session.dialect() == 'sqlite':
        # SQLite numbers the rows of one statement in ascending order. SQLAlchemy does not rely on
        # that and would insert row by row.
        return sorted(session.execute(statement.returning(returning), rows).scalars())
    return list(
        session.execute(
            statement.returning(returning, sort_by_parameter_order=True), rows
        ).scalars()
    )


def _insert_values(
    dialect: Dialect,
    table: TableClause,
    columns: Sequence[ColumnClause],
    lines: str,
    parameters: Values,
    returning: Column | None,
) -> list[typing.Any]:
    """Execute an INSERT that is not compiled by SQLAlchemy, which would take longer than MariaDB.

    MariaDB numbers the rows of a statement in ascending order.
    """
    quote = dialect.identifier_preparer.quote
    names = ', '.join(quote(column.name) for column in columns)
    statement = f'INSERT INTO {quote(table.name)} ({names}) VALUES {lines}'
    if returning is not None:
        statement += f' RETURNING {quote(returning.name)}'
    result = session.connection().exec_driver_sql(statement, parameters)
    return [] if returning is None else sorted(result.scalars())


def _values_of(
    dialect: Dialect, table: TableClause, rows: list[dict]
) -> tuple[list[ColumnClause], str, Values] | None:
    """Return the columns of rows, the text of their VALUES, and its parameters by name.

    A value that several rows have is one parameter, so that the driver escapes it once. None where
    the values are so long that rows should be divided.
    """
    columns = [
        column for column in table.columns if column.key in rows[0] or column.default is not None
    ]
    parameters: Values = {}
    marks, size = [], 0
    for number, column in enumerate(columns):
        values = _bound(dialect, column.type, _column_values(column, rows))
        size += sum(len(value) for value in values if isinstance(value, str))
        names = {value: f'{number}_{place}' for place, value in enumerate(dict.fromkeys(values))}
        parameters.update((name, value) for value, name in names.items())
        marks.append([f'%({names[value]})s' for value in values])
    lines = ', '.join(f'({", ".join(line)})' for line in zip(*marks, strict=True))
    return None if size > INSERTED_CHARACTERS else (columns, lines, parameters)


def _column_values(column: ColumnClause, rows: list[dict]) -> list:
    """Return the values of a column, its default where the rows have none."""
    if column.key in rows[0]:
        return [row[column.key] for row in rows]
    default: typing.Any = column.default
    return [default.arg(None) if default.is_callable else default.arg for _ in rows]


def insert_or_ignore(table: Table) -> Insert:
    """Return an INSERT that skips rows whose key exists; ``rowcount`` counts the inserted rows."""
    dialect = session.dialect()
    if dialect == 'mysql':
        return sqlalchemy.insert(table).prefix_with('IGNORE')
    return column_types.dialect_module(dialect).insert(table).on_conflict_do_nothing()


def _same_keys(rows: list[dict]) -> list[dict]:
    keys = rows[0].keys() if rows else ()
    if all(row.keys() == keys for row in rows):
        return rows
    empty = dict.fromkeys(key for row in rows for key in row)
    return [{**empty, **row} for row in rows]


def update(table: Table, rows: Iterable[dict]) -> int:
    """Update rows, each a dict with its 'id' and any columns, and return the number of rows found.

    Rows that change the same columns share one UPDATE. The statement is not compiled by
    SQLAlchemy, which would take longer than the database for so many parameters.
    """
    by_columns: dict[frozenset[str], list[dict]] = {}
    found = 0
    for row in rows:
        by_columns.setdefault(frozenset(row), []).append(row)
    for columns, group in by_columns.items():
        names = sorted(columns - {'id'})
        # The same order in all transactions prevents deadlocks.
        ordered = sorted(group, key=lambda row: row['id'])
        for start in range(0, len(ordered) if names else 0, CHUNK):
            found += _update_chunk(table, names, ordered[start : start + CHUNK])
    return found


def _update_chunk(table: Table, names: list[str], chunk: list[dict]) -> int:
    """Execute ``UPDATE t SET a = ?, b = CASE id WHEN ? THEN ? ... ELSE b END WHERE id IN (?)``.

    A column with the same value in all rows (a) needs no CASE.
    """
    dialect = session.connection().dialect
    mark = '?' if dialect.paramstyle == 'qmark' else '%s'
    parts, parameters = [], []
    for name in names:
        quoted = dialect.identifier_preparer.quote(name)
        values = _bound(dialect, table.c[name].type, [row[name] for row in chunk])
        if all(value == values[0] for value in values):
            parts.append(f'{quoted} = {mark}')
            parameters.append(values[0])
        else:
            parts.append(
                f'{quoted} = CASE id{f" WHEN {mark} THEN {mark}" * len(chunk)} ELSE {quoted} END'
            )
            parameters.extend(
                itertools.chain.from_iterable(
                    zip((row['id'] for row in chunk), values, strict=True)
                )
            )
    parameters.extend(row['id'] for row in chunk)
    where = ', '.join([mark] * len(chunk))
    name = dialect.identifier_preparer.quote(table.name)
    statement = f'UPDATE {name} SET {", ".join(parts)} WHERE id IN ({where})'
    return session.connection().exec_driver_sql(statement, tuple(parameters)).rowcount


def _bound(dialect: Dialect, type_: TypeEngine, values: list) -> list:
    processor = _processor(dialect, type_)
    return [processor(value) for value in values] if processor else values


@functools.lru_cache(512)
def _processor(dialect: Dialect, type_: TypeEngine) -> Callable[[typing.Any], typing.Any] | None:
    return type_.dialect_impl(dialect).bind_processor(dialect)
