"""The take-over of a database of Heat: who holds it, and ``heat-lite-manage db_sync``."""

import logging
import time

import sqlalchemy
from oslo_db import exception as db_exception

from heat_lite.cmd import global_environment
from heat_lite.cmd.heat_database import report
from heat_lite.common import context as request_context
from heat_lite.common import exception
from heat_lite.db import give_back as give_back_rows
from heat_lite.db import heat_schema, migration, services, session
from heat_lite.engine import service as engine_service
from heat_lite.engine.cluster.heartbeat import BINARY
from heat_lite.rpc import messaging

LOG = logging.getLogger(__name__)
#: stacks between two lines of progress
PROGRESS = 1000


def require_own_database(conf):
    """Raise ConfigurationError if Heat holds the database, or has held it and db_sync has not run.

    A database that does not answer is waited for later.
    """
    try:
        others = holders()
        revision = _revision()
    except (db_exception.DBError, sqlalchemy.exc.SQLAlchemyError) as error:
        LOG.debug('Whether Heat holds the database is unknown: %s', error)
        return
    if others:
        raise exception.ConfigurationError(held_by(others))
    if heat_schema.is_heat(revision):
        raise exception.ConfigurationError(
            f'The database of [database] connection is that of Heat at revision {revision}: run '
            '"heat-lite-manage db_sync" to take it over.'
        )


def holders(own=True):
    """Return the rows of living engines on the database; without ``own``, all of them."""
    context = request_context.admin_context()
    return services.foreign(context, BINARY if own else '')


def held_by(rows):
    """Return the text that tells an operator which engines hold the database."""
    last = max(services.heartbeat_lifetime(row.report_interval) for row in rows)
    return (
        f'The database is held by {"; ".join(map(services.describe, rows))}: two services on one '
        f'database would change the same stacks. Stop it first; an engine that was killed counts '
        f'for {last} seconds after its last heartbeat.'
    )


def sync(conf):
    """Upgrade the database, one of Heat after a check that no engine of Heat holds it.

    Raises ValueError if one does, or for an unknown revision.
    """
    url, version = conf.database.connection, conf.command.version
    if heat_schema.is_heat(migration.version(url)) and (others := holders()):
        raise ValueError(held_by(others))
    migration.sync(url, version, report=print)


def check(conf):
    """Print what ``db_sync`` would do. Return 1 if it has to run."""
    steps = migration.plan(conf.database.connection)
    for step in steps:
        print(step)
    return 1 if steps else 0


def dry_run(conf):
    """Print what ``db_sync`` would do, and read, parse and plan all stacks.

    Return 1 if a stack cannot be carried over.
    """
    check(conf)
    for other in holders():
        print(f'{services.describe(other)} holds the database: stop it before db_sync')
    messaging.setup(conf)
    runtime = engine_service.EngineService(conf, global_environment.build_registry(conf)).runtime
    started, totals = time.monotonic(), report.Totals()
    for row, reasons in report.read_stacks(runtime, totals):
        for reason in reasons:
            print(f'stack {row.name} {row.id} of project {row.tenant}: {reason}')
        if totals.stacks % PROGRESS == 0:
            print(f'{totals.stacks} stacks read')
    seconds = time.monotonic() - started
    print(
        f'{totals.stacks} stacks with {totals.resources} resources read, parsed and planned in '
        f'{seconds:.0f} s; {totals.in_progress} are in progress and will be continued; '
        f'{totals.failed} cannot be carried over completely'
    )
    return 1 if totals.failed else 0


def give_back(conf):
    """Bring the rows into Heat's form, and remove the columns and indexes that Heat lacks.

    Return 1 if stacks have to be settled before. Raises ValueError if an engine runs.
    """
    context = request_context.admin_context()
    for row, reason in [
        *give_back_rows.losses(context),
        *(found := give_back_rows.obstacles(context)),
    ]:
        print(f'stack {row.name} {row.id} of project {row.tenant}: {reason}')
    running = holders(own=False)
    if conf.command.dry_run:
        for row in running:
            print(f'{services.describe(row)} holds the database: stop it before give_back')
        return 1 if found else 0
    if running:
        raise ValueError(held_by(running))
    if found:
        raise ValueError(f'{len(found)} stacks are in progress. Nothing was changed.')
    keys = [conf.auth_encryption_key, *conf.heat_lite.former_encryption_keys]
    migration.revert(conf.database.connection, print, lambda: _convert(keys))
    return 0


def _convert(keys):
    for step, count in give_back_rows.convert(keys):
        print(f'{step}: {count}')


def _revision():
    with session.engine().connect() as connection:
        return connection.scalar(sqlalchemy.text('SELECT version_num FROM alembic_version'))
