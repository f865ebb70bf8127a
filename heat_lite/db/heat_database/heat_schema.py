"""The take-over of a database that Heat has written: its schema, and the way back.

Heat's tables keep all rows as they are. ``extend`` adds the columns, tables and indexes that this
service needs beside Heat's, without locks that stop readers; it can be interrupted and repeated.
``revert`` removes them again. docs/takeover.md describes the way for operators.
"""

import typing
from collections.abc import Callable, Iterable, Iterator

import sqlalchemy
from sqlalchemy import Column, Index, Inspector, Table, schema
from sqlalchemy.engine import Connection

from heat_lite.db import models

#: the revision of Heat 27
HEAT_HEAD = '97b2a986f922'
#: older revisions of Heat that ``extend`` can complete: what they lack are tables and columns
HEAT_REVISIONS = ('c6214ca60943', 'd2db381e3324', '88be64598c0f', HEAT_HEAD)
#: the columns and tables of ``models`` that Heat does not have
OWN_COLUMNS = {
    'raw_template': ('content_hash', 'text'),
    'raw_template_files': ('content_hash',),
    'stack': ('outputs', 'failures', 'digest', 'plan', 'protected', 'asker', 'moved', 'live'),
    'stack_lock': ('quarantine', 'uses'),
    'resource': ('signal_engine',),
}
OWN_TABLES: tuple[str, ...] = (
    'watch_rule',
    'watch_data',
    'resource_signal',
    'stack_revision',
    'stack_plan',
)
#: indexes of Heat that ``models`` has, too; ``revert`` keeps them
HEAT_INDEXES = frozenset(
    {
        'ix_stack_name',
        'ix_stack_owner_id',
        'ix_stack_tenant',
        'ix_resource_root_stack_id',
        'ix_resource_snapshot_snapshot_id',
        'ix_snapshot_tenant',
        'ix_software_config_tenant',
        'ix_software_deployment_tenant',
        'ix_software_deployment_server_id',
        'ix_software_deployment_created_at',
    }
)
#: indexes that MariaDB adds to Heat's foreign keys; PostgreSQL does not
FOREIGN_KEY_INDEXES = frozenset(
    {
        'raw_tmpl_files_fkey_ref',
        'rsrc_rsrc_prop_data_ref',
        'rsrc_attr_data_ref',
        'ev_rsrc_prop_data_ref',
    }
)
#: rows of ``stack`` that one transaction changes
BATCH = 2000

Report = Callable[[str], None]


class Step(typing.NamedTuple):
    """One change of the schema: its text for the operator, and its statements."""

    text: str
    statements: tuple[str, ...]


def is_heat(revision: str | None) -> bool:
    """Return whether a revision has the form of Heat's: twelve hexadecimal digits."""
    return revision is not None and len(revision) == 12


def unknown_revision(revision: str | None) -> str:
    """Return what an operator has to do about a revision of Heat that is not known."""
    return (
        f'The database is at revision {revision}, which is none of {", ".join(HEAT_REVISIONS)}: '
        'run "heat-manage db_sync" of Heat 2024.1 or newer, up to Heat 27, first.'
    )


def missing(connection: Connection) -> list[Step]:
    """Return the changes that ``extend`` makes, in their order, except the unique names."""
    inspector = sqlalchemy.inspect(connection)
    tables = set(inspector.get_table_names())
    steps = []
    for table in models.metadata.sorted_tables:
        if table.name not in tables:
            steps.append(_table_step(connection, inspector, table))
            indexes = _sorted(table.indexes)
            steps.extend(_index_step(connection, table, index) for index in indexes)
            continue
        steps.extend(_column_steps(connection, inspector, table))
        steps.extend(_index_steps(connection, inspector, table))
    return steps


def extend(connection: Connection, report: Report) -> None:
    """Add to Heat's tables what is missing, and mark the living top-level stacks.

    The connection commits each statement by itself. ``report`` gets a line for each step.
    """
    _make(connection, missing(connection), report)
    _mark_living(connection, report)
    _add_unique_names(connection, report)


def revert(connection: Connection, report: Report) -> None:
    """Remove the columns, tables and indexes that Heat does not have."""
    _make(connection, removals(connection), report)


def _make(connection: Connection, steps: Iterable[Step], report: Report) -> None:
    for step in steps:
        report(step.text)
        for statement in step.statements:
            connection.exec_driver_sql(statement)


def set_revision(connection: Connection, revision: str) -> None:
    """Store the revision of the schema, as Alembic and Heat read it."""
    table = sqlalchemy.table('alembic_version', sqlalchemy.column('version_num'))
    connection.execute(table.update().values(version_num=revision))


def removals(connection: Connection) -> list[Step]:
    """Return the changes that ``revert`` makes, in their order."""
    inspector = sqlalchemy.inspect(connection)
    steps = []
    # those that refer to others first
    for table in reversed(models.metadata.sorted_tables):
        if table.name in OWN_TABLES:
            steps.append(Step(f'drop table {table.name}', (f'DROP TABLE {table.name}',)))
            continue
        steps.extend(_drop_index_steps(connection, inspector, table))
        present = {column['name'] for column in inspector.get_columns(table.name)}
        columns = [name for name in OWN_COLUMNS.get(table.name, ()) if name in present]
        if columns:
            dropped = ', '.join(f'DROP COLUMN {_quoted(connection, name)}' for name in columns)
            text = f'{table.name}: drop columns {", ".join(columns)}'
            steps.append(Step(text, (f'ALTER TABLE {_quoted(connection, table.name)} {dropped}',)))
    return steps


# --------------------------------------------------------------- tables and columns


def _table_step(connection: Connection, inspector: Inspector, table: Table) -> Step:
    create = str(schema.CreateTable(table).compile(connection)).strip()
    if connection.dialect.name in ('mysql', 'mariadb'):
        # A foreign key needs the collation of Heat's tables.
        collation = inspector.get_table_options('stack')['mysql_collate']
        create = f'{create[: create.rindex(")ENGINE=") + 1]} ENGINE=InnoDB COLLATE {collation}'
    return Step(f'create table {table.name}', (create,))


def _column_steps(connection: Connection, inspector: Inspector, table: Table) -> Iterator[Step]:
    present = {column['name'] for column in inspector.get_columns(table.name)}
    columns = [column for column in table.columns if column.name not in present]
    if columns:
        added = ', '.join(
            f'ADD COLUMN {_quoted(connection, column.name)} '
            f'{column.type.compile(connection.dialect)}'
            for column in columns
        )
        names = ', '.join(column.name for column in columns)
        statement = f'ALTER TABLE {_quoted(connection, table.name)} {added}'
        yield Step(f'{table.name}: add columns {names}', (statement + _instant(connection),))


def _instant(connection: Connection) -> str:
    """Return the end of a statement that changes no row: it fails instead of copying the table."""
    return ', ALGORITHM=INSTANT' if connection.dialect.name in ('mysql', 'mariadb') else ''


# --------------------------------------------------------------- indexes


def _index_steps(connection: Connection, inspector: Inspector, table: Table) -> Iterator[Step]:
    indexes = _indexes(inspector, table.name)
    names = {name for name, _ in indexes}
    covered = [columns for _, columns in indexes]
    for index in _sorted(table.indexes):
        columns = tuple(column.name for column in index.columns)
        if index.name not in names and columns not in covered:
            yield _index_step(connection, table, index)
    for column in table.columns:
        if column.unique and (column.name,) not in covered:
            yield _unique_step(connection, table.name, _unique_name(table, column), (column.name,))


def _index_step(connection: Connection, table: Table, index: Index) -> Step:
    names = ', '.join(_quoted(connection, column.name) for column in index.columns)
    text = f'{table.name}: add index {index.name}'
    return Step(text, _build(connection, 'INDEX', str(index.name), table.name, names))


def _unique_step(connection: Connection, table: str, name: str, columns: tuple[str, ...]) -> Step:
    names = ', '.join(_quoted(connection, column) for column in columns)
    return Step(
        f'{table}: add unique index {name}',
        _build(connection, 'UNIQUE INDEX', name, table, names),
    )


def _build(
    connection: Connection, kind: str, name: str, table: str, columns: str
) -> tuple[str, ...]:
    """Return the statements that build an index while others read and write the table."""
    table = _quoted(connection, table)
    if connection.dialect.name == 'postgresql':
        # An interrupted build leaves an invalid index behind.
        drop = f'DROP INDEX IF EXISTS {name}'
        return drop, f'CREATE {kind} CONCURRENTLY {name} ON {table} ({columns})'
    online = ' ALGORITHM=INPLACE LOCK=NONE' if connection.dialect.name != 'sqlite' else ''
    return (f'CREATE {kind} {name} ON {table} ({columns}){online}',)


def _drop_index_steps(connection: Connection, inspector: Inspector, table: Table) -> Iterator[Step]:
    own_columns = set(OWN_COLUMNS.get(table.name, ()))
    ours = {str(index.name) for index in table.indexes} - HEAT_INDEXES
    if connection.dialect.name in ('mysql', 'mariadb'):
        ours -= FOREIGN_KEY_INDEXES
    ours |= {_unique_name(table, column) for column in table.columns if column.unique}
    ours.add(UNIQUE_NAMES)
    present = _indexes(inspector, table.name, valid=False)
    kept = {columns[:1] for name, columns in present if name not in ours}
    for name, columns in present:
        if name not in ours or connection.dialect.name == 'postgresql' and own_columns & {*columns}:
            continue  # PostgreSQL drops an index together with its column
        if columns[:1] in _foreign_keys(connection, inspector, table.name) - kept:
            # MariaDB needs an index for each foreign key, and has dropped its own for ours.
            kept.add(columns[:1])
            if columns == columns[:1]:
                continue
            yield Step(
                f'{table.name}: add index {columns[0]}',
                _build(connection, 'INDEX', columns[0], table.name, columns[0]),
            )
        yield Step(f'{table.name}: drop index {name}', (_drop(connection, table.name, name),))


def _foreign_keys(connection: Connection, inspector: Inspector, table: str) -> set[tuple[str, ...]]:
    """Return the columns for which the database requires an index: ``{(column,)}``."""
    if connection.dialect.name not in ('mysql', 'mariadb'):
        return set()
    return {tuple(key['constrained_columns']) for key in inspector.get_foreign_keys(table)}


def _drop(connection: Connection, table: str, name: str) -> str:
    if connection.dialect.name in ('mysql', 'mariadb'):
        table = _quoted(connection, table)
        return f'ALTER TABLE {table} DROP INDEX {name}, ALGORITHM=INPLACE, LOCK=NONE'
    return f'DROP INDEX {name}'


def _indexes(
    inspector: Inspector, table: str, valid: bool = True
) -> list[tuple[str, tuple[str, ...]]]:
    """Return [(name, columns)] of the indexes of a table; invalid ones do not count."""
    found: list[tuple[typing.Any, tuple]] = [
        (index['name'], tuple(index['column_names']))
        for index in inspector.get_indexes(table)
        if not (valid and index.get('dialect_options', {}).get('postgresql_invalid'))
    ]
    found += [
        (each['name'], tuple(each['column_names']))
        for each in inspector.get_unique_constraints(table)
    ]
    return list(dict.fromkeys(found))


# --------------------------------------------------------------- names of stacks

UNIQUE_NAMES = 'uniq_stack0tenant0name0live'
_TOP_LEVEL = 'deleted_at IS NULL AND owner_id IS NULL AND (backup IS NULL OR NOT backup)'


def _mark_living(connection: Connection, report: Report) -> None:
    """Set ``live`` of the living top-level stacks, batch by batch in the order of ids."""
    stack = models.stack
    ids = connection.execute(sqlalchemy.select(stack.c.id).order_by(stack.c.id)).scalars().all()
    total, done = len(ids), 0
    unmarked = stack.c.live.is_(None), sqlalchemy.text(_TOP_LEVEL)
    for start in range(0, total, BATCH):
        part = ids[start : start + BATCH]
        connection.execute(stack.update().where(stack.c.id.in_(part), *unmarked).values(live=True))
        done += len(part)
        report(f'stack: {done} of {total} rows read')


def _add_unique_names(connection: Connection, report: Report) -> None:
    """Make names of living stacks unique in a project.

    Of stacks that share one, as a race of two creates can leave them, only the newest counts.
    """
    if UNIQUE_NAMES in {name for name, _ in _indexes(sqlalchemy.inspect(connection), 'stack')}:
        return
    for stack in duplicates(connection):
        report(f'stack {stack.id}: a newer stack has its name {stack.name}, too')
        connection.execute(
            models.stack.update().where(models.stack.c.id == stack.id).values(live=None)
        )
    step = _unique_step(connection, 'stack', UNIQUE_NAMES, ('tenant', 'name', 'live'))
    _make(connection, [step], report)


def duplicates(connection: Connection) -> list[typing.Any]:
    """Return (id, name) of living top-level stacks with a newer one of their name and project."""
    return list(
        connection.execute(
            sqlalchemy.text(
                'SELECT id, name FROM (SELECT id, name, ROW_NUMBER() OVER (PARTITION BY tenant, '
                'name ORDER BY created_at DESC, id) AS place FROM stack WHERE '
                f'{_TOP_LEVEL}) AS named WHERE place > 1'
            )
        )
    )


# --------------------------------------------------------------- helpers


def _unique_name(table: Table, column: Column) -> str:
    return f'uniq_{table.name}0{column.name}'


def _quoted(connection: Connection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote(name)


def _sorted(indexes: Iterable[Index]) -> list[Index]:
    return sorted(indexes, key=lambda index: str(index.name))
