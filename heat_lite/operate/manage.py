"""``heat-lite-manage``: administration of the database and of the engines."""

import argparse
import importlib
import secrets
import sys
from collections.abc import Callable, Sequence
from typing import Any

from oslo_config import cfg
from oslo_config.cfg import ConfigOpts

from heat_lite.cli import option_parser
from heat_lite.cli.option_parser import argument, flag, repeatable
from heat_lite.common import cipher, exception
from heat_lite.db import connections, migration, resources, services, session, stacks
from heat_lite.db.maintenance import purge, reencrypt
from heat_lite.operate import data_folder, folder_settings
from heat_lite.operate.config_check import option_report
from heat_lite.operate.heat_database import commands as heat_database
from heat_lite.operate.maintenance import commands as maintenance
from heat_lite.startup import concurrency, settings

GRANULARITIES = ('days', 'hours', 'minutes', 'seconds')
#: errors whose text is enough
REFUSALS = (
    OSError,
    ValueError,
    exception.HeatException,
    exception.ConfigurationError,
    settings.UnsafeKey,
    data_folder.FolderError,
)
COLUMNS = ('hostname', 'binary', 'engine_id', 'host', 'topic', 'status', 'updated_at')


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command of the arguments. Return the exit status."""
    concurrency.use_native_threads()
    conf = cfg.CONF
    _register(conf)
    settings.load(argv, 'heat-lite-manage', conf)
    settings.start_logging(conf)
    try:
        if conf.command.func not in WITHOUT_DATABASE:
            settings.encryption_key(conf)
            conf.register_opts(session.OPTIONS, 'database')
            folder = folder_settings.folder_of(conf)
            if folder is not None:
                folder_settings.configure(conf, folder)
            session.configure(conf, silence=None)
        return conf.command.func(conf) or 0
    except REFUSALS as error:
        return _fail(error)
    except connections.ERRORS as error:
        return _fail(connections.describe_failure(error))
    finally:
        session.dispose()


def _fail(reason: object) -> int:
    print(f'heat-lite-manage: {reason}', file=sys.stderr)
    return 1


def db_sync(conf: ConfigOpts) -> int:
    """Create or upgrade the tables, or take over those of Heat."""
    if conf.command.check:
        return heat_database.check(conf)
    heat_database.sync(conf)
    return 0


def takeover_plan(conf: ConfigOpts) -> int:
    """Print what the take-over of a database of Heat changes, and its steps."""
    return heat_database.plan(conf)


def give_back(conf: ConfigOpts) -> int:
    """Give the database back to Heat."""
    return heat_database.give_back(conf)


def db_version(conf: ConfigOpts) -> None:
    """Print the revision of the database."""
    print(migration.version(conf.database.connection) or 'none: db_sync has not run')


def purge_deleted(conf: ConfigOpts) -> None:
    """Remove stacks from the database that were deleted longer ago than AGE."""
    command = conf.command
    purge.purge_deleted(
        command.age,
        command.granularity,
        command.project_id,
        command.batch_size,
    )


def service_list(conf: ConfigOpts) -> None:
    """List the engines."""
    rows = [_row(service) for service in services.list_rows()]
    widths = [max(len(row[column]) for row in [COLUMNS, *rows]) for column in range(len(COLUMNS))]
    for row in [COLUMNS, *rows]:
        print(
            '  '.join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip()
        )


def top(conf: ConfigOpts) -> int:
    """Show what each engine does now."""
    table = importlib.import_module('heat_lite.server.monitoring.engine_table')
    return table.run(conf, folder_settings.folder_of(conf) is not None)


def service_clean(conf: ConfigOpts) -> None:
    """Remove dead engines from the list."""
    print(f'Dead engines removed: {services.clean()}')


def update_params(conf: ConfigOpts) -> None:
    """Encrypt or decrypt parameters and properties in the database, and re-encrypt all secrets.

    All engines must be stopped. All secrets are encrypted with the configured key afterwards.
    """
    command = conf.command
    running = [row.engine_id for row in services.list_rows() if services.is_up(row)]
    if running:
        raise ValueError(f'Engines are running: {", ".join(running)}. Stop them first.')
    encrypt = command.crypt_operation == 'encrypt'
    _reencrypt(conf, encrypt, command.verbose_update_params)
    if encrypt != conf.encrypt_parameters_and_properties:
        print(
            f'Set encrypt_parameters_and_properties = {str(encrypt).lower()};'
            f' otherwise new data will {"not " if encrypt else ""}be encrypted.'
        )


def rotate_encryption_key(conf: ConfigOpts) -> None:
    """Re-encrypt all secrets with auth_encryption_key while engines run.

    All engines must already have auth_encryption_key, and the key before it among their
    former_encryption_keys.
    """
    settings.require_private_key(conf)  # the engines would refuse a key that this one accepts
    _reencrypt(conf, None, verbose=True)
    print('Now former_encryption_keys can be removed from the configuration of all engines.')


def generate_key(conf: ConfigOpts) -> None:
    """Print a random key for auth_encryption_key."""
    print(secrets.token_hex(cipher.KEY_LENGTH // 2))


def check_config(conf: ConfigOpts) -> int:
    """Tell which options of configuration files have no effect here, or another one.

    The status is 0 without findings, 1 for unknown options and invalid values, else 3.
    """
    return option_report.report(conf.command.files)


#: commands that need no configuration
WITHOUT_DATABASE = (check_config, generate_key, maintenance.custom_guidelines)


def _reencrypt(conf: ConfigOpts, encrypt: bool | None, verbose: bool) -> None:
    former = [*conf.heat_lite.former_encryption_keys]
    if conf.command.previous_encryption_key is not None:
        former.append(conf.command.previous_encryption_key)
    keys = [conf.auth_encryption_key, *former]
    target = reencrypt.Target(encrypt, keys)
    for table, count in reencrypt.reencrypt_tables(target, conf.command.batch_size):
        if verbose or count:
            print(f'{table}: {count} rows changed')


def resource_data_list(conf: ConfigOpts) -> None:
    """Print the private data of a resource."""
    row = resources.get(_row_id(conf.command.resource_id))
    if row is None:
        raise exception.no_resource(conf.command.resource_id)
    for key, value in row.data.items():
        print(f'{key:<16} {value}')


def reset_stack_status(conf: ConfigOpts) -> None:
    """Set a stack and its nested stacks, stuck IN_PROGRESS, to FAILED and release their locks."""
    print(
        'Warning: this interrupts a running action, which may leave objects in the cloud. Engines'
    )
    print('resume interrupted actions by themselves. Use this only if that fails.')
    print('Continue ? [y/N]')
    if sys.stdin.readline().strip().lower().startswith('y'):
        print(f'Stacks reset: {stacks.reset_status(conf.command.stack_id)}')


def _row_id(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f'The id of a resource is the number of its row, not {text!r}.') from None


def _row(service: Any) -> tuple[str, ...]:
    status = 'up' if services.is_up(service) else 'down'
    values = {**service._mapping, 'binary': services.LISTED_BINARY, 'status': status}
    return tuple(str(values[column]) for column in COLUMNS)


def _register(conf: ConfigOpts) -> None:
    if 'command' not in conf:
        conf.register_cli_opt(
            cfg.StrOpt('data-dir', help='The folder of "heat-lite up": its database and its key.')
        )
        conf.register_cli_opt(
            cfg.SubCommandOpt('command', handler=_add_commands, help='Command to run.')
        )


def _add_commands(commands: Any) -> None:
    _add(commands, 'db_sync', db_sync, *SYNC)
    text = 'See what a take-over does.'
    plan = _subcommands(_add(commands, 'takeover', takeover_plan, example=' plan', text=text))
    _add(plan, 'plan', takeover_plan, PLAN_FILES, example=' /etc/heat/heat.conf')
    _add(commands, 'give_back', give_back, DRY_RUN, *STOPPED, example=' --dry-run')
    _add(commands, 'db_version', db_version)
    _add(commands, 'purge_deleted', purge_deleted, *PURGE, example=' -g days 30')
    _add(commands, 'update_params', update_params, *ENCRYPTION, example=' encrypt')
    rotate = _add(commands, 'rotate_encryption_key', rotate_encryption_key, BATCH_SIZE)
    rotate.set_defaults(previous_encryption_key=None)
    _add(commands, 'generate_key', generate_key)
    _add(commands, 'config_check', check_config, FILES, example=' /etc/heat/heat.conf')
    _add(commands, 'resource_data_list', resource_data_list, RESOURCE, example=' 17')
    uuid = ' 0b2c5e11-2f7c-4a8c-8f57-5f0c0f6e3a11'
    _add(commands, 'reset_stack_status', reset_stack_status, STACK, example=uuid)
    migrate = heat_database.migrate_convergence_1
    _add(commands, 'migrate_convergence_1', migrate, STACKS, example=uuid)
    text = 'List engines, or remove dead ones from the list.'
    service = _subcommands(_add(commands, 'service', service_list, example=' list', text=text))
    _add(service, 'list', service_list)
    _add(service, 'clean', service_clean)
    _add(commands, 'top', top, *TOP, example=' --once')
    _add(commands, 'migrate_properties_data', maintenance.migrate_properties_data)
    _add(commands, 'backup', maintenance.backup, NEW_BACKUP, example=' heat.backup.gz')
    _add(commands, 'restore', maintenance.restore, BACKUP, example=' heat.backup.gz')
    _add(commands, 'verify', maintenance.verify)
    _add(commands, 'container_orphans', maintenance.container_orphans, *ORPHANS)
    guidelines, example = maintenance.custom_guidelines, ' --plugin-dir plugins'
    _add(commands, 'custom_guidelines', guidelines, *GUIDELINES, example=example)


def _subcommands(parser: argparse.ArgumentParser) -> Any:
    return parser.add_subparsers(required=True, dest='action', help='what to do')


def _add(
    commands: Any,
    name: str,
    function: Callable[[ConfigOpts], int | None],
    *arguments: option_parser.Argument,
    example: str = '',
    text: str | None = None,
) -> argparse.ArgumentParser:
    """Add a command; ``example`` has the arguments of the example in its help."""
    summary = text or (function.__doc__ or '').partition('\n')[0]
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=f'example:\n  {commands._prog_prefix} {name}{example}',
        formatter_class=option_parser.Formatter,
    )
    for each in arguments:
        each.add_to(parser)
    parser.set_defaults(func=function)
    return parser


# --------------------------------------------------------------- arguments of the commands

STACK = argument('stack_id', help='the id of the stack')
STACKS = argument('stack_id', nargs='+', help='the id of a stack that no action works on')
RESOURCE = argument('resource_id', help='the number of the row of the resource')
FILES = argument('files', nargs='+', metavar='FILE', help='a configuration file, also one of Heat')
PLAN_FILES = argument(
    'files', nargs='*', metavar='FILE', help='configuration files instead of those in use'
)
NEW_BACKUP = argument(
    'file', metavar='FILE', help='the new file, with all secrets as the database has them'
)
BACKUP = argument('file', metavar='FILE', help='a file of the command backup')
DRY_RUN = flag('--dry-run', help='report only what cannot be given back')
STOPPED = (
    flag('--wait', help='wait until no engine reports to the database'),
    flag(
        '--engines-are-stopped',
        help='do not count the last heartbeats of engines that were killed: only if none runs',
    ),
)
SYNC = (
    argument('version', nargs='?', help='upgrade to this revision instead of the newest'),
    flag('--check', help='print the steps only; status 3 if there are any'),
    *STOPPED,
)
PURGE = (
    argument(
        'age',
        nargs='?',
        type=option_parser.count,
        default=90,
        help='minimum age in units of --granularity (default: 90)',
    ),
    argument('-g', '--granularity', choices=GRANULARITIES, default='days', help='unit of the age'),
    argument('-p', '--project-id', help='purge this project only (default: all projects)'),
    argument('-b', '--batch_size', type=option_parser.count, default=20, help='stacks per batch'),
)
BATCH_SIZE = argument(
    '-b', '--batch_size', type=option_parser.count, default=50, help='rows per batch'
)
ENCRYPTION = (
    argument(
        'crypt_operation',
        choices=['encrypt', 'decrypt'],
        help='what to do with parameters and properties',
    ),
    argument(
        'previous_encryption_key',
        nargs='?',
        help='the previous auth_encryption_key, if it has changed; other users of the machine can '
        'read it in the list of processes, [heat_lite] former_encryption_keys avoids this',
    ),
    BATCH_SIZE,
    flag('--verbose-update-params', help='list unchanged tables, too'),
)
TOP = (
    flag('--once', help='print the table once, then end'),
    argument(
        '--interval',
        type=option_parser.count,
        default=2,
        help='seconds between two tables (default: 2)',
    ),
)
ORPHANS = (
    argument(
        '--url',
        metavar='URL',
        help='the container engine (default: [clients_docker] url, or the local one)',
    ),
    flag('--delete', help='remove what is found'),
    flag(
        '--unlabelled',
        help='with --delete: also remove objects of versions without the label heat_lite.service; '
        'only where no other service uses the engine',
    ),
)
GUIDELINES = (
    argument('type', metavar='TYPE', nargs='*', help='a resource type (default: all of them)'),
    repeatable(
        '--plugin-dir',
        metavar='FOLDER',
        help='check the types of the plug-ins in this folder, too',
    ),
    repeatable('--exclude', metavar='TEXT', help='leave out types with this text in the name'),
)


if __name__ == '__main__':
    sys.exit(main())
