"""Many rows with few statements."""

import functools
import itertools

import sqlalchemy

from heat_lite.db import session, types

# the database looks each row up in the list of cases, which is quadratic: two statements of this size cost less than one of twice the size
CHUNK = 128


def insert(statement, rows, returning=None):
    """Insert dicts with one statement; keys that a row lacks become NULL.

    With ``returning``, a column that the database numbers, its values in the order of the rows.
    """
    if not rows:
        return []
    rows = _same_keys(rows)
    if returning is None:
        session.execute(statement, rows)
        return []
    if session.dialect() == 'sqlite':
        # SQLAlchemy would insert row by row there, not knowing that SQLite numbers the rows of one statement upwards
        return sorted(session.execute(statement.returning(returning), rows).scalars())
    return list(session.execute(statement.returning(returning, sort_by_parameter_order=True), rows).scalars())


def insert_or_ignore(table):
    """An INSERT that does nothing, and says so in its rowcount, where a row with such a key is there already."""
    dialect = session.dialect()
    if dialect == 'mysql':
        return sqlalchemy.insert(table).prefix_with('IGNORE')
    return types.own_words(dialect).insert(table).on_conflict_do_nothing()


def _same_keys(rows):
    keys = rows[0].keys()
    if all(row.keys() == keys for row in rows):
        return rows
    blank = dict.fromkeys(key for row in rows for key in row)
    return [{**blank, **row} for row in rows]


def update(table, rows):
    """Change rows, each a dict with its 'id' and any columns: one UPDATE for all rows that change the same columns. How many there were.

    The statement is written here and not by SQLAlchemy, whose compiler takes longer over so many parameters than the database does.
    """
    by_columns, found = {}, 0
    for row in rows:
        by_columns.setdefault(frozenset(row), []).append(row)
    for columns, group in by_columns.items():
        names = sorted(columns - {'id'})
        # always in the same order, so that two transactions do not lock rows crosswise
        ordered = sorted(group, key=lambda row: row['id'])
        for start in range(0, len(ordered) if names else 0, CHUNK):
            found += _update_chunk(table, names, ordered[start : start + CHUNK])
    return found


def _update_chunk(table, names, chunk):
    """UPDATE t SET a = ?, b = CASE id WHEN ? THEN ? ... ELSE b END WHERE id IN (?, ...); columns with one value for all go plainly."""
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
            parts.append(f'{quoted} = CASE id{f" WHEN {mark} THEN {mark}" * len(chunk)} ELSE {quoted} END')
            parameters.extend(itertools.chain.from_iterable(zip((row['id'] for row in chunk), values, strict=True)))
    parameters.extend(row['id'] for row in chunk)
    where = ', '.join([mark] * len(chunk))
    result = session.connection().exec_driver_sql(
        f'UPDATE {dialect.identifier_preparer.quote(table.name)} SET {", ".join(parts)} WHERE id IN ({where})', tuple(parameters)
    )
    return result.rowcount


def _bound(dialect, type_, values):
    processor = _processor(dialect, type_)
    return [processor(value) for value in values] if processor else values


@functools.lru_cache(512)
def _processor(dialect, type_):
    return type_.dialect_impl(dialect).bind_processor(dialect)
