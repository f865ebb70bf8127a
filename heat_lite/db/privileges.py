"""The rights of the database user that the changes of a take-over need.

They are checked before the first change: a statement that is denied later would leave the schema
half extended.
"""

import sqlalchemy
from sqlalchemy.engine import Connection

#: MariaDB's error number for a denied command
DENIED = 1142
#: Statements of MariaDB that change nothing, by the right that they need.
PROBES = {
    'ALTER': 'ALTER TABLE stack_lock DROP COLUMN IF EXISTS heat_lite_probe',
    'CREATE': 'CREATE TABLE IF NOT EXISTS stack_lock (id INTEGER)',
    'INDEX': 'DROP INDEX IF EXISTS heat_lite_probe ON stack_lock',
}
OWNERS = (
    'SELECT tablename FROM pg_tables WHERE schemaname = current_schema() '
    "AND NOT pg_has_role(tableowner, 'USAGE') ORDER BY tablename"
)


def require(connection: Connection) -> None:
    """Raise ValueError, which names the missing rights, unless the schema can be changed."""
    if connection.dialect.name == 'postgresql':
        missing = _missing_in_postgresql(connection)
    else:
        missing = [right for right, probe in PROBES.items() if _is_denied(connection, probe)]
    if missing:
        raise ValueError(
            f'The user of [database] connection lacks the right {", ".join(missing)}: grant it, or '
            'run the command with the login of the owner of the database. Nothing was changed.'
        )


def _missing_in_postgresql(connection: Connection) -> list[str]:
    foreign = connection.exec_driver_sql(OWNERS).scalars().all()
    missing = [f'to alter {len(foreign)} tables, e.g. {foreign[0]}'] if foreign else []
    query = "SELECT has_schema_privilege(current_schema(), 'CREATE')"
    if not connection.exec_driver_sql(query).scalar():
        missing.append('CREATE on the schema')
    return missing


def _is_denied(connection: Connection, statement: str) -> bool:
    try:
        connection.exec_driver_sql(statement)
    except sqlalchemy.exc.DBAPIError as error:
        # another error is that of a server which lacks IF EXISTS
        return error.orig is not None and error.orig.args[:1] == (DENIED,)
    return False
