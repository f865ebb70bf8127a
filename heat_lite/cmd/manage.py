"""``heat-lite-manage``: the database and the engines, from the shell."""

import sys

from oslo_config import cfg

from heat_lite.cmd import settings
from heat_lite.common import context
from heat_lite.db import migration, purge, services, session

GRANULARITIES = ('days', 'hours', 'minutes', 'seconds')
COLUMNS = ('hostname', 'binary', 'engine_id', 'host', 'topic', 'status', 'updated_at')
# verbs of Heat that have no counterpart yet, with the names of what they take
ABSENT = {
    'migrate_convergence_1': ['stack_id'],
    'migrate_properties_data': [],
    'reset_stack_status': ['stack_id'],
    'resource_data_list': ['resource_id'],
    'update_params': ['crypt_operation', 'previous_encryption_key'],
}


def main(argv=None):
    """Do what the arguments say; the exit status."""
    conf = cfg.CONF
    _register(conf)
    settings.load(sys.argv[1:] if argv is None else argv, 'heat-lite-manage', conf)
    settings.start_logging(conf)
    try:
        session.configure(conf)
        return conf.command.func(conf) or 0
    except ValueError as error:
        print(f'heat-lite-manage: {error}', file=sys.stderr)
        return 1
    finally:
        session.dispose()


def db_sync(conf):
    """Make or upgrade the tables."""
    migration.sync(conf.database.connection, conf.command.version)


def db_version(conf):
    """Tell where the database is."""
    print(migration.version(conf.database.connection) or 'none: db_sync has not run')


def purge_deleted(conf):
    """Remove what was deleted longer ago than an age."""
    command = conf.command
    purge.purge_deleted(context.admin_context(), command.age, command.granularity, command.project_id, command.batch_size)


def service_list(conf):
    """Tell which engines there are."""
    rows = [_row(service) for service in services.list(context.admin_context())]
    widths = [max(len(row[column]) for row in [COLUMNS, *rows]) for column in range(len(COLUMNS))]
    for row in [COLUMNS, *rows]:
        print('  '.join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip())


def service_clean(conf):
    """Forget the engines that are gone."""
    print(f'Dead engines are removed: {services.clean(context.admin_context())}')


def absent(conf):
    """Say that a verb of Heat has no counterpart."""
    raise ValueError(f'{conf.command.name} is not there yet.')


def _row(service):
    values = {**service._mapping, 'status': 'up' if services.is_up(service) else 'down'}
    return tuple(str(values[column]) for column in COLUMNS)


def _register(conf):
    if 'command' not in conf:
        conf.register_cli_opt(cfg.SubCommandOpt('command', handler=_add_verbs, help='What to do.'))


def _add_verbs(verbs):
    def verb(name, function, text=None):
        parser = verbs.add_parser(name, help=text or function.__doc__)
        parser.set_defaults(func=function)
        return parser

    verb('db_sync', db_sync).add_argument('version', nargs='?', help='upgrade up to this version instead of the newest')
    verb('db_version', db_version)
    _add_purge_arguments(verb('purge_deleted', purge_deleted))
    actions = verb('service', service_list, 'Engines: list them, clean out dead ones.').add_subparsers(required=True, dest='action')
    for name, function in (('list', service_list), ('clean', service_clean)):
        actions.add_parser(name, help=function.__doc__).set_defaults(func=function)
    for name, arguments in ABSENT.items():
        parser = verb(name, absent, 'Not there yet.')
        for argument in arguments:
            parser.add_argument(argument, nargs='?')


def _add_purge_arguments(parser):
    parser.add_argument('age', nargs='?', type=_whole, default=90, help='how long ago (default 90)')
    parser.add_argument('-g', '--granularity', choices=GRANULARITIES, default='days', help='what the age counts (default days)')
    parser.add_argument('-p', '--project-id', help='of this project only')
    parser.add_argument('-b', '--batch_size', type=_whole, default=20, help='stacks removed at a time (default 20)')


def _whole(text):
    number = int(text)
    if number < 0:
        raise ValueError
    return number


if __name__ == '__main__':
    sys.exit(main())
