"""``heat-lite-status upgrade check``: whether the engines of this version may start."""

import sys
import typing
from collections.abc import Callable

from oslo_config import cfg
from oslo_upgradecheck import upgradecheck

from heat_lite.common import exception
from heat_lite.db import connections, migration, services, session
from heat_lite.db.heat_database import heat_schema
from heat_lite.operate.config_check import option_report
from heat_lite.operate.heat_database import ownership
from heat_lite.startup import concurrency, settings

GOOD, WARNING, FAILURE = (
    upgradecheck.Code.SUCCESS,
    upgradecheck.Code.WARNING,
    upgradecheck.Code.FAILURE,
)


class Checks(upgradecheck.UpgradeCommands):
    """The checks of an upgrade. Each says what to do about what it finds."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        self._conf = conf

    def _check_options(self) -> upgradecheck.Result:
        found = option_report.check(self._conf.config_file or [])
        wrong = [each for each in found if each.kind in option_report.ERRORS]
        if wrong:
            return upgradecheck.Result(FAILURE, '; '.join(map(str, wrong)))
        old = [each for each in found if each.kind == option_report.DEPRECATED]
        return upgradecheck.Result(WARNING if old else GOOD, '; '.join(map(str, old)) or None)

    def _check_key(self) -> upgradecheck.Result:
        try:
            warning = settings.key_warning(self._conf)
        except exception.ConfigurationError as error:
            return upgradecheck.Result(FAILURE, str(error))
        return upgradecheck.Result(WARNING if warning else GOOD, warning or None)

    def _check_schema(self) -> upgradecheck.Result:
        revision = migration.version(self._conf.database.connection)
        if revision == migration.newest():
            return upgradecheck.Result(GOOD)
        if revision is None:
            return upgradecheck.Result(FAILURE, 'The database is empty: run db_sync.')
        steps = len(migration.plan(self._conf.database.connection))
        text = f'The tables are at revision {revision}: run db_sync ({steps} steps) first.'
        return upgradecheck.Result(FAILURE, text)

    def _check_owner(self) -> upgradecheck.Result:
        if heat_schema.is_heat(migration.version(self._conf.database.connection)):
            return upgradecheck.Result(GOOD, 'It is a database of Heat, which db_sync takes over.')
        others = ownership.holders()
        return upgradecheck.Result(
            FAILURE if others else GOOD, ownership.held_by(others) if others else None
        )

    def _check_engines(self) -> upgradecheck.Result:
        dead = [
            row
            for row in services.list_rows()
            if row.deleted_at is None and not services.is_up(row)
        ]
        if not dead:
            return upgradecheck.Result(GOOD)
        names = ', '.join(map(services.describe, dead))
        text = f'No heartbeat: {names}. "heat-lite-manage service clean" removes what is gone.'
        return upgradecheck.Result(WARNING, text)

    def _of_database(self, check: Callable[[], upgradecheck.Result]) -> upgradecheck.Result:
        try:
            return check()
        except (*connections.ERRORS, ValueError) as error:
            return upgradecheck.Result(FAILURE, connections.describe_failure(error))

    def _schema(self) -> upgradecheck.Result:
        return self._of_database(self._check_schema)

    def _owner(self) -> upgradecheck.Result:
        return self._of_database(self._check_owner)

    def _engines(self) -> upgradecheck.Result:
        return self._of_database(self._check_engines)

    _upgrade_checks = (
        ('Options of the configuration files', _check_options),
        ('Encryption key', _check_key),
        ('Tables of the database', _schema),
        ('Owner of the database', _owner),
        ('Engines', _engines),
    )


def main(argv: list[str] | None = None) -> int:
    """Run the command of the arguments. Return 0: ready, 1: warnings, 2: not ready, 255: error."""
    concurrency.use_native_threads()
    conf: typing.Any = cfg.CONF
    checks = Checks(conf)
    upgradecheck.register_cli_options(conf, checks)
    upgradecheck.CONF = conf  # its own main sets this, and would read other files than ours
    settings.load(argv, 'heat-lite-status', conf)
    settings.start_logging(conf)
    try:
        session.configure(conf)
        return int(upgradecheck.run(conf))
    except (
        ValueError,
        exception.HeatException,
        exception.ConfigurationError,
        settings.UnsafeKey,
    ) as error:
        print(f'heat-lite-status: {error}', file=sys.stderr)
        return 255
    finally:
        session.dispose()


if __name__ == '__main__':
    sys.exit(main())
