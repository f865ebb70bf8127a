"""Migration of the database schema with the Alembic scripts in ``migrations``."""

import contextlib

import sqlalchemy
from alembic import command, config
from alembic.runtime import migration
from alembic.script import ScriptDirectory

from heat_lite.common import installation
from heat_lite.db import connections


def sync(url: str, version: str | None = None) -> None:
    """Upgrade the schema to the newest version or to the given one. Data is kept."""
    with _connection(url) as connection:
        command.upgrade(_config(connection), version or 'head')


def version(url: str) -> str | None:
    """Return the version of the schema; None before the first ``sync``."""
    with _connection(url) as connection:
        return migration.MigrationContext.configure(connection).get_current_revision()


def newest() -> str | None:
    """Return the version of the schema that this code requires."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _config(connection):
    """Return Alembic's configuration. env.py finds the connection in its attributes."""
    alembic = config.Config(attributes={'connection': connection})
    alembic.set_main_option(
        'script_location', str(installation.data_path('migrations')).replace('%', '%%')
    )
    return alembic


@contextlib.contextmanager
def _connection(url):
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
