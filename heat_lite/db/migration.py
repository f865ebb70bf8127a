"""Migration of the database schema with the Alembic scripts in ``migrations``.

A database at a revision of Heat is extended instead (see ``heat_schema``).
"""

import contextlib
import logging
from collections.abc import Callable, Iterator

import sqlalchemy
from alembic import command, config, util
from alembic.runtime import migration
from alembic.script import ScriptDirectory
from sqlalchemy import exc
from sqlalchemy.engine import Connection

from heat_lite.common import installation
from heat_lite.db import connections, privileges
from heat_lite.db.heat_database import heat_schema

LOG = logging.getLogger(__name__)
#: of a migration that engines at work abort
ATTEMPTS = 20


def sync(url: str, version: str | None = None, report: heat_schema.Report = LOG.info) -> None:
    """Upgrade the schema to the newest version or to the given one. Data is kept.

    Raises ValueError for a revision that is unknown, or without the rights. ``report`` gets
    a line for each step of the take-over of a database of Heat.
    """
    with _connection(url) as connection:
        present = _revision(connection)
        if not heat_schema.is_heat(present):
            try:
                _upgrade(connection, version or 'head')
            except util.CommandError as error:
                raise ValueError(f'The database cannot be upgraded: {error}.') from None
            return
        _require_known(present)
        if version is not None:
            raise ValueError(
                f'A database of Heat is upgraded to the newest version, not {version}.'
            )
        connection = connection.execution_options(isolation_level='AUTOCOMMIT')
        privileges.require(connection)
        heat_schema.extend(connection, report)
        heat_schema.set_revision(connection, newest() or '')


def _upgrade(connection: Connection, version: str) -> None:
    """Run the migrations; again after a deadlock with a transaction of an engine."""
    for left in reversed(range(ATTEMPTS)):
        try:
            return command.upgrade(_config(connection), version)
        except exc.DBAPIError as error:
            fault = connections.fault_of(error, connection.dialect.name)
            if left == 0 or fault is not connections.Fault.ABORTED:
                raise
            LOG.warning('The upgrade of the database is tried again: %s', error.orig)
            connection.rollback()


def plan(url: str) -> list[str]:
    """Return what ``sync`` would do, one line for each step; [] if there is nothing to do.

    Raises ValueError as ``sync`` does.
    """
    with _connection(url) as connection:
        present = _revision(connection)
        if not heat_schema.is_heat(present):
            return [] if present == newest() else [f'upgrade from {present} to {newest()}']
        _require_known(present)
        steps = [step.text for step in heat_schema.missing(connection)]
    return [
        f'take over the database of Heat at revision {present}',
        *steps,
        'stack: mark the living top-level stacks, and make their names unique in a project',
        f'set the revision to {newest()}',
    ]


def revert(url: str, report: heat_schema.Report, change: Callable[[], None]) -> None:
    """Give the schema back to Heat. ``change()`` brings the rows into Heat's form before.

    Raises ValueError if the database is not at the newest version of this service, or without the
    rights.
    """
    with _connection(url) as connection:
        present = _revision(connection)
        if present != newest():
            raise ValueError(f'The database is at revision {present}, not {newest()}: run db_sync.')
        connection = connection.execution_options(isolation_level='AUTOCOMMIT')
        privileges.require(connection)
        change()
        heat_schema.revert(connection, report)
        heat_schema.set_revision(connection, heat_schema.HEAT_HEAD)
        report(f'alembic_version: revision {heat_schema.HEAT_HEAD} of Heat')


def version(url: str) -> str | None:
    """Return the version of the schema; None before the first ``sync``."""
    with _connection(url) as connection:
        return _revision(connection)


def newest() -> str | None:
    """Return the version of the schema that this code requires."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _revision(connection: Connection) -> str | None:
    found = migration.MigrationContext.configure(connection).get_current_revision()
    # The read has begun a transaction, in which no option of the connection can change.
    connection.rollback()
    return found


def _require_known(revision: str | None) -> None:
    if revision not in heat_schema.HEAT_REVISIONS:
        raise ValueError(heat_schema.unknown_revision(revision))


def _config(connection: Connection | None) -> config.Config:
    """Return Alembic's configuration. env.py finds the connection in its attributes."""
    alembic = config.Config(attributes={'connection': connection})
    alembic.set_main_option(
        'script_location', str(installation.data_path('migrations')).replace('%', '%%')
    )
    return alembic


@contextlib.contextmanager
def _connection(url: str) -> Iterator[Connection]:
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
