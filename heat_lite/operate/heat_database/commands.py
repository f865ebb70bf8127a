"""The commands that take a database of Heat over and give it back."""

import importlib
import time
from collections.abc import Sequence

from oslo_config.cfg import ConfigOpts

from heat_lite.clients import keystone
from heat_lite.common import context as request_context
from heat_lite.db import migration, services
from heat_lite.db.heat_database import give_back as give_back_rows, heat_rows, heat_schema
from heat_lite.db.maintenance import reencrypt
from heat_lite.operate import folder_settings
from heat_lite.operate.config_check import option_report
from heat_lite.operate.config_check.option_report import HAS_ERRORS, HAS_FINDINGS
from heat_lite.operate.heat_database import user_projects
from heat_lite.operate.heat_database.ownership import held_by, holders
from heat_lite.rpc import api

#: stacks between two lines of progress
PROGRESS = 1000
#: rows that one query reads
BATCH = 500
HEAT_TOPICS = (api.ENGINE_TOPIC, api.LISTENER_TOPIC, api.WORKER_TOPIC)
STEPS = """
1. Make a backup of the database.
2. Stop heat-engine, then heat-api and heat-api-cfn: {stop}.
3. heat-lite-manage db_sync (with --engines-are-stopped after a kill)
4. Start heat-lite-engine, then heat-lite-api and heat-lite-api-cfn; heat-lite-manage verify
The way back: stop them, heat-lite-manage give_back, start Heat 27."""
VERDICTS = {
    0: 'Verdict: nothing is in the way.',
    HAS_FINDINGS: 'Verdict: nothing is in the way; the options above act otherwise here.',
    HAS_ERRORS: 'Verdict: settle the errors of options and the reasons of stacks above first.',
}


def sync(conf: ConfigOpts) -> None:
    """Upgrade the database, one of Heat after a check of its key, and that no engine holds it.

    Raises ValueError if one does, or for another key or an unknown revision.
    """
    url, version = conf.database.connection, conf.command.version
    if heat_schema.is_heat(migration.version(url)):
        _require_key()
        _require_free(conf, own=True)
    migration.sync(url, version, report=print)


def _require_key() -> None:
    """Raise ValueError if no key decrypts any of the newest credentials, so none is Heat's."""
    newest = heat_rows.newest_credentials(BATCH)
    unknown = heat_rows.undecryptable_credentials(newest)
    if newest and len(unknown) == len(newest):
        raise ValueError(
            f'No key decrypts {unknown[newest[0]]} or those before. Set [DEFAULT] '
            'auth_encryption_key to that of Heat, and earlier ones in [heat_lite] '
            'former_encryption_keys. Nothing was changed.'
        )


def _require_free(conf: ConfigOpts, own: bool) -> None:
    """Raise ValueError if engines hold the database, unless the operator says what to do.

    ``engines_are_stopped``: their heartbeats do not count. ``wait``: until these have expired.
    """
    others = holders(own)
    if others and conf.command.engines_are_stopped:
        for row in others:
            services.delete(row.id)
        return
    if others and conf.command.wait:
        print(f'{held_by(others)} Waiting for that.', flush=True)
        while others := holders(own):
            time.sleep(1)
    if others:
        raise ValueError(
            f'{held_by(others)} If it has stopped, use --engines-are-stopped; --wait waits.'
        )


def check(conf: ConfigOpts) -> int:
    """Print what ``db_sync`` would do. Return 3 if it has to run."""
    steps = migration.plan(conf.database.connection)
    for step in steps:
        print(step)
    return HAS_FINDINGS if steps else 0


def plan(conf: ConfigOpts) -> int:
    """Print what a take-over changes, what is unsupported, and its steps. Change nothing.

    Return 1 if a configuration file has errors or a stack cannot be carried over completely, else 3
    if options have no effect here or another one, else 0.
    """
    files = conf.command.files or conf.config_file
    print(f'Configuration: {", ".join(files)}')
    status = option_report.report(files)
    print('\nDatabase:')
    check(conf)
    print('\nStacks:')
    if _read_stacks(conf):
        status = HAS_ERRORS
    engines = [services.describe(other) for other in holders()]
    stop = '; '.join(engines) or 'no engine reports to the database'
    print(f'\nSteps:{STEPS.format(stop=stop)}\n{VERDICTS[status]}')
    return status


def _read_stacks(conf: ConfigOpts) -> int:
    """Read, parse and plan all stacks. Return how many cannot be carried over completely."""
    # It loads slowly, with warnings of its libraries: only this command needs it.
    report = importlib.import_module('heat_lite.operate.heat_database.report')
    started, totals = time.monotonic(), report.Totals()
    for finding in report.read_stacks(conf):
        totals.add(finding)
        going = ['its action is in progress, and will be continued'] * finding.in_progress
        for reason in [*finding.reasons, *going]:
            print(f'stack {finding.name} {finding.stack_id} of project {finding.tenant}: {reason}')
        if totals.stacks % PROGRESS == 0:
            print(f'{totals.stacks} stacks read')
    seconds = time.monotonic() - started
    print(
        f'{totals.stacks} stacks with {totals.resources} resources read, parsed and planned in '
        f'{seconds:.0f} s; {totals.in_progress} are in progress and will be continued; '
        f'{totals.failed} cannot be carried over completely'
    )
    return totals.failed


def give_back(conf: ConfigOpts) -> int:
    """Bring the rows into Heat's form, and remove the columns and indexes that Heat lacks.

    Actions that have not ended become FAILED; a dry run returns 1 for them, and for secrets of an
    unknown key. Raises ValueError for these, or if an engine runs.
    """
    for row, reason in [
        *give_back_rows.losses(),
        *(unfinished := give_back_rows.interrupted()),
    ]:
        print(f'stack {row.name} {row.id} of project {row.tenant}: {reason}')
    keys = [conf.auth_encryption_key, *conf.heat_lite.former_encryption_keys]
    unknown = list(reencrypt.undecryptable(keys, BATCH))
    for table, number in unknown:
        print(f'row {number} of table {table}: no key decrypts its secret')
    domain = keystone.stack_domain(conf) if conf.stack_domain_admin else None
    if domain is not None:
        print(f'stacks without a project of users in Keystone: {user_projects.count_missing()}')
    if conf.command.dry_run:
        for row in holders(own=False):
            print(f'{services.describe(row)} holds the database: stop it before give_back')
        return 1 if unfinished or unknown else 0
    _require_free(conf, own=False)
    if unknown:
        raise ValueError(
            f'{len(unknown)} rows have secrets that no key decrypts: add their keys to [heat_lite] '
            'former_encryption_keys. Nothing was changed.'
        )
    if domain is not None:
        print(f'projects of users made in Keystone: {user_projects.make_missing(domain)}')
    migration.revert(conf.database.connection, print, lambda: _convert(keys))
    _delete_queues(conf)
    return 0


def _convert(keys: Sequence[str]) -> None:
    for step, count in give_back_rows.convert(keys):
        print(f'{step}: {count}')


def _delete_queues(conf: ConfigOpts) -> None:
    """Delete the queues of killed engines under whose names Heat declares others."""
    messaging = importlib.import_module('heat_lite.rpc.messaging')
    messaging.setup(conf)
    try:
        messaging.check_broker()
        left = [each for each in HEAT_TOPICS if not messaging.delete_queue(each, is_shared=True)]
    except OSError:
        left = list(HEAT_TOPICS)
    finally:
        messaging.cleanup()
    if left:
        print(
            f'The broker of transport_url did not delete the queues {", ".join(left)}: it is away, '
            'or they are in use. If Heat uses the same virtual host and an engine was killed, run '
            '"rabbitmqctl delete_queue NAME" for each of them before its start.'
        )


def migrate_convergence_1(conf: ConfigOpts) -> None:
    """Let other engines help with stacks, and with those nested in them, from now on.

    Raises ValueError for the embedded service.
    """
    if folder_settings.folder_of(conf) is not None:
        raise ValueError('The embedded service has one engine, so none can help.')
    # Imported late: oslo.messaging imports eventlet unless the program has selected its threads.
    messaging = importlib.import_module('heat_lite.rpc.messaging')
    client = importlib.import_module('heat_lite.rpc.client')
    messaging.setup(conf)
    try:
        for stack_id in conf.command.stack_id:
            admin = request_context.admin_context()
            client.EngineClient().migrate_convergence_1(admin, stack_id=stack_id)
            print(f'Stack {stack_id} is a convergence stack now.')
    finally:
        messaging.cleanup()
