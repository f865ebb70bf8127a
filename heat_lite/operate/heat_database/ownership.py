"""The engines that hold a database: one of Heat and one of this service never share it.

Every engine asks this at its start, so the module does without the migration scripts.
"""

import logging
from collections.abc import Sequence
from typing import Any

import sqlalchemy
from oslo_config.cfg import ConfigOpts

from heat_lite.common import exception
from heat_lite.common.value_types import Row
from heat_lite.db import connections, services, session
from heat_lite.db.heat_database import heat_schema

LOG = logging.getLogger(__name__)


def require_own_database(conf: ConfigOpts) -> None:
    """Raise ConfigurationError if Heat holds the database, or has held it and db_sync has not run.

    A database that does not answer is waited for later.
    """
    try:
        others = holders()
        revision = _revision()
    except connections.ERRORS as error:
        LOG.warning('The engines wait for their database: %s', connections.describe_failure(error))
        return
    if others:
        raise exception.ConfigurationError(held_by(others))
    if heat_schema.is_heat(revision):
        raise exception.ConfigurationError(
            f'The database of [database] connection is that of Heat at revision {revision}: run '
            '"heat-lite-manage db_sync" to take it over.'
        )


def holders(own: bool = True) -> Sequence[Any]:
    """Return the rows of living engines on the database; without ``own``, all of them."""
    return services.foreign(services.BINARY if own else '')


def held_by(rows: Sequence[Row]) -> str:
    """Return the text that tells an operator which engines hold the database."""
    last = max(services.heartbeat_lifetime(row.report_interval) for row in rows)
    return (
        f'The database is held by {"; ".join(map(services.describe, rows))}: two services on one '
        f'database would change the same stacks. Stop it first; an engine that was killed counts '
        f'for {last} seconds after its last heartbeat.'
    )


def _revision() -> str | None:
    with session.engine().connect() as connection:
        return connection.scalar(sqlalchemy.text('SELECT version_num FROM alembic_version'))
