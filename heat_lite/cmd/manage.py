"""``heat-lite-manage``: the database and the engines, from the shell."""

import sys

from oslo_config import cfg
from oslo_db import exception as db_exception
from sqlalchemy import exc as sql_exception

from heat_lite.cmd import settings
from heat_lite.common import context, exception
from heat_lite.db import migration, purge, rescue, reseal, resources, services, session

GRANULARITIES = ('days', 'hours', 'minutes', 'seconds')
COLUMNS = ('hostname', 'binary', 'engine_id', 'host', 'topic', 'status', 'updated_at')
# verbs of Heat that have no counterpart yet, with the names of what they take
ABSENT = {
    'migrate_convergence_1': ['stack_id'],
    'migrate_properties_data': [],
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
    except (ValueError, exception.HeatException) as error:
        return _refused(error)
    except (db_exception.DBError, sql_exception.SQLAlchemyError) as error:
        return _refused(f'The database of [database] connection does not do it: {str(error).splitlines()[0]}')
    finally:
        session.dispose()


def _refused(why):
    print(f'heat-lite-manage: {why}', file=sys.stderr)
    return 1


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


def update_params(conf):
    """Seal parameters and properties in the database, or no longer; and all secrets with another key. No engine may run meanwhile."""
    command = conf.command
    at_work = [row.engine_id for row in services.list(context.admin_context()) if services.is_up(row)]
    if at_work:
        raise ValueError(f'Engines are at work: stop them first. They are {", ".join(at_work)}')
    encrypt = command.crypt_operation == 'encrypt'
    changes = reseal.tables(encrypt, conf.auth_encryption_key, command.previous_encryption_key, command.batch_size)
    for table, count in changes:
        if command.verbose_update_params or count:
            print(f'{table}: {count} rows changed')
    if encrypt != conf.encrypt_parameters_and_properties:
        print(f'Set encrypt_parameters_and_properties = {str(encrypt).lower()}, or what is stored from now on will be the other way.')


def resource_data_list(conf):
    """Tell what a resource keeps for itself."""
    row = resources.get(context.admin_context(), _number(conf.command.resource_id))
    if row is None:
        raise exception.EntityNotFound(entity='Resource', name=conf.command.resource_id)
    for key, value in row.data.items():
        print(f'{key:<16} {value}')


def reset_stack_status(conf):
    """Declare a stack and the stacks inside it to have failed, where they are in progress for ever."""
    print('Warning: what is at work is cut off, and may leave objects behind in the cloud. Engines take up what was left in progress by')
    print('themselves, so this is for stacks on which that fails.')
    print('Continue ? [y/N]')
    if sys.stdin.readline().strip().lower().startswith('y'):
        print(f'Stacks reset: {rescue.reset(context.admin_context(), conf.command.stack_id)}')


def _number(text):
    try:
        return int(text)
    except ValueError:
        raise ValueError(f'The id of a resource is a number, that of its row, not {text!r}.') from None


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
    _add_sealing_arguments(verb('update_params', update_params))
    verb('resource_data_list', resource_data_list).add_argument('resource_id', help='the id of the row of the resource, a number')
    verb('reset_stack_status', reset_stack_status).add_argument('stack_id')
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


def _add_sealing_arguments(parser):
    parser.add_argument('crypt_operation', choices=['encrypt', 'decrypt'])
    parser.add_argument('previous_encryption_key', nargs='?', help='auth_encryption_key as it was before, where it has changed')
    parser.add_argument('-b', '--batch_size', type=_whole, default=50, help='rows changed at a time (default 50)')
    parser.add_argument('--verbose-update-params', action='store_true', help='tell of all tables')


def _whole(text):
    number = int(text)
    if number < 0:
        raise ValueError
    return number


if __name__ == '__main__':
    sys.exit(main())
