"""Brings a database to the tables that this version needs. The scripts are Alembic's, in ``migrations``."""

import contextlib

import sqlalchemy
from alembic import command, config
from alembic.runtime import migration
from alembic.script import ScriptDirectory

from heat_lite.common import paths
from heat_lite.db import engines


def sync(url: str, version: str | None = None):
    """Upgrade to the newest version, or to a given one; what is there already stays."""
    with _connection(url) as connection:
        command.upgrade(_config(connection), version or 'head')


def version(url: str) -> str | None:
    """The version of the database; None before the first sync."""
    with _connection(url) as connection:
        return migration.MigrationContext.configure(connection).get_current_revision()


def newest() -> str | None:
    """The version that this code needs."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _config(connection):
    """Alembic's configuration; env.py finds the connection in its attributes."""
    made = config.Config(attributes={'connection': connection})
    made.set_main_option('script_location', str(paths.data('migrations')).replace('%', '%%'))
    return made


@contextlib.contextmanager
def _connection(url):
    engine = sqlalchemy.create_engine(engines.full_url(url), poolclass=sqlalchemy.NullPool)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
