"""A database with a million stacks: python -m benchmarks.scale --help.

`fill URL` has a service create one stack in an empty database, and copies its rows there. Of the
copies 10,000 are deleted, a tenth is nested, and a tenth belongs to the project that asks later.
`measure URL` runs an engine and an API on it. A row has the median and the most of milliseconds.
"""

import argparse
import contextlib
import datetime
import statistics
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import psutil
import sqlalchemy as sa

from heat_lite.db import connections, locks, models
from tests import databases
from tests.attacks import bystander
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

BATCH = 10_000
#: a copy of a row has its number, plus this times that of the copy
STRIDE = 1000
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {
        f'r{number}': {'type': 'OS::Heat::TestResource', 'properties': {'value': f'x{number}'}}
        for number in range(4)
    },
}
#: by what the stacks differ; ten share a template
COPIES = sa.Table(
    'copy',
    sa.MetaData(),
    sa.Column('number', sa.Integer, primary_key=True),
    sa.Column('template', sa.Integer),
    sa.Column('tag', sa.String(80)),
    *(
        sa.Column(name, models.stack.c[name].type)
        for name in ('id', 'name', 'tenant', 'owner_id', 'live', 'status')
        + ('created_at', 'deleted_at')
    ),
    prefixes=['TEMPORARY'],
)
_C = COPIES.c
#: the tables, each with the condition of the stacks that have rows in it
TABLES = {
    models.raw_template: _C.number == 10 * _C.template,
    models.resource_properties_data: sa.true(),
    models.stack: sa.true(),
    models.resource: _C.deleted_at.is_(None),
    models.event: sa.true(),
    models.stack_tag: _C.tag.is_not(None),
}
#: leave out the checks of keys
UNCHECKED = {
    'mysql': 'SET unique_checks = 0, foreign_key_checks = 0',
    'postgresql': "SET session_replication_role = 'replica'",
}
OPTIONS = """
[DEFAULT]
max_stacks_per_tenant = -1
[oslo_policy]
policy_file = {folder}/policy.yaml
"""


def copies(first, total, start):
    """Return the rows of COPIES for a batch of stacks."""
    rows = []
    for number in range(first, min(first + BATCH, total + 1)):
        project, nested, deleted = number // 10 % 1000, number % 10 == 9, number % 97 == 5
        row = {
            'number': number,
            'template': number // 10,
            'tag': 'rare' if number % 100_003 == 1 else 'blue' if number % 11 == 1 else None,
            'id': str(uuid.uuid4()),
            'name': f's{number}',
            'tenant': f'project-{project}' if project % 10 else 'demo',
            'owner_id': rows[-1]['id'] if nested and rows else None,
            'live': None if nested or deleted else True,
            'status': 'FAILED' if number % 101 == 7 else 'COMPLETE',
            'created_at': start + datetime.timedelta(seconds=number),
            'deleted_at': start if deleted else None,
        }
        rows.append(row)
    return rows


def copied(table, column, dialect):
    """Return the value of a column in the row of a copy."""
    key = next((each.column for each in column.foreign_keys), column)
    if isinstance(key.type, sa.Integer) and (key.primary_key or column.foreign_keys):
        number = 10 * _C.template if key.table is models.raw_template else _C.number
        return column + STRIDE * number
    if column.name == 'uuid':
        made = sa.func.uuid() if dialect == 'mysql' else sa.func.gen_random_uuid()
        return sa.cast(made, sa.String(36))
    if column.name in ('stack_id', 'root_stack_id', 'content_hash'):
        return _C.id
    is_own = table in (models.stack, models.stack_tag) and column.name in _C
    return _C[column.name] if is_own else column


@contextlib.contextmanager
def serving(url):
    with tempfile.TemporaryDirectory() as name:
        Path(name, 'policy.yaml').write_text('"stacks:global_index": ""\n')
        more = OPTIONS.format(folder=name)
        with shapes.split(Path(name), 'scale', url, more=more) as service:
            yield service


def create(service, name):
    """Create a stack and wait for its end; return its path."""
    answer = service.ask('POST', '/stacks', {'stack_name': name, 'template': TEMPLATE})
    assert answer.ok, answer.text
    path = f'/stacks/{name}/{answer.json()["stack"]["id"]}'
    end = time.monotonic() + WAIT_SECONDS
    while service.ask('GET', path).json()['stack']['stack_status'] != 'CREATE_COMPLETE':
        assert time.monotonic() < end, service.logs()
        time.sleep(0.01)
    return path


@contextlib.contextmanager
def connected(url):
    engine = sa.create_engine(connections.full_url(url), isolation_level='AUTOCOMMIT')
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def fill(url, total):
    with serving(url) as service:
        model = create(service, 'model').rpartition('/')[2]
    start = datetime.datetime.now() - datetime.timedelta(seconds=total)
    with connected(url) as connection:
        dialect = connection.dialect.name
        connection.exec_driver_sql(UNCHECKED[dialect])
        connection.execute(models.stack_tag.insert().values(stack_id=model, tag='model'))
        COPIES.create(connection)
        for first in range(1, total + 1, BATCH):
            connection.execute(COPIES.delete())
            connection.execute(COPIES.insert(), copies(first, total, start))
            for table, has_rows in TABLES.items():
                is_number = isinstance(table.c.id.type, sa.Integer)
                is_model = table.c.id < STRIDE if is_number else table.c.id == model
                values = [copied(table, column, dialect) for column in table.columns]
                rows = sa.select(*values).select_from(sa.join(table, COPIES, has_rows))
                names = [column.name for column in table.columns]
                connection.execute(table.insert().from_select(names, rows.where(is_model)))
            print(first - 1 + BATCH, 'stacks', flush=True)
        for table in TABLES:
            if dialect == 'postgresql' and isinstance(table.c.id.type, sa.Integer):
                last = sa.func.max(table.c.id)
                serial = sa.func.pg_get_serial_sequence(table.name, 'id')
                connection.execute(sa.select(sa.func.setval(serial, last)).select_from(table))
            analyze = 'ANALYZE' if dialect == 'postgresql' else 'ANALYZE TABLE'
            connection.exec_driver_sql(f'{analyze} {table.name}')


def timed(name, rounds, work):
    """Print how long each of some calls takes; return what the last one returns."""
    found = []
    for _ in range(rounds):
        began = time.monotonic()
        result = work()
        found.append(1000 * (time.monotonic() - began))
    print(f'| {name} | {statistics.median(found):.1f} | {max(found):.1f} |', flush=True)
    return result


def requests(url):
    """Return the paths of requests by their names."""
    stack = models.stack.c
    with connected(url) as connection:
        is_own = stack.tenant == 'demo', stack.live
        last = connection.scalar(sa.select(sa.func.count()).select_from(models.stack))
        middle, name = connection.execute(
            sa.select(stack.id, stack.name)
            .where(*is_own, stack.name.in_([f's{last // 2 + each}' for each in range(10_000)]))
            .limit(1)
        ).first()
    lists = {
        'first page': 'limit=20',
        'page from the middle': f'limit=20&marker={middle}',
        'by name, first page': 'limit=20&sort_keys=stack_name',
        'by name, page from the middle': f'limit=20&sort_keys=stack_name&marker={middle}',
        'one name': f'limit=20&name={name}',
        'a name that no stack has': 'limit=20&name=nothing',
        'failed ones': 'limit=20&status=FAILED',
        'a status that no stack has': 'limit=20&status=DELETE_FAILED',
        'a user that has none': 'limit=20&username=nobody',
        'a tag of many': 'limit=20&tags=blue',
        'a tag of few': 'limit=20&tags=rare',
        'a tag that no stack has': 'limit=20&tags=nothing',
        'with nested ones': 'limit=20&show_nested=true',
        'with deleted ones': 'limit=20&show_deleted=true',
    }
    counted = {f'{key}, counted': f'{lists[key]}&with_count=true' for key in ('first page',)}
    found = {
        f'list{scope}: {key}': f'/stacks?{query}{more}'
        for scope, more in (('', ''), (' of all projects', '&global_tenant=true'))
        for key, query in {**lists, **counted}.items()
    }
    one = f'/stacks/{name}/{middle}'
    return found | {
        'show': one,
        'resources': f'{one}/resources',
        'one resource': f'{one}/resources/r0',
        'events': f'{one}/events',
        'template': f'{one}/template',
    }


def measure(url, rounds):
    with serving(url) as service:

        def ask(path):
            answer = service.ask('GET', path, timeout=WAIT_SECONDS)
            assert answer.ok, answer.text

        for name, path in requests(url).items():
            timed(f'GET, {name}', rounds, lambda path=path: ask(path))
        number = iter(range(1000))
        made = []
        timed('create', 20, lambda: made.append(create(service, f'new{next(number)}')))
        for path in made:
            service.ask('DELETE', path)
        databases.connect(url)
        timed('search of locks for a take-over', rounds, locks.stack_ids_by_engine)
        timed('search of stacks in progress without a lock', rounds, locks.unlocked_in_progress)
        for name, process in service.processes.items():
            family = bystander.family(process.pid)
            used = [psutil.Process(pid).memory_info().rss // 2**20 for pid in family]
            print(f'memory of the {name}, MB: {used}', flush=True)


def purge(url):
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, 'heat-lite.conf')
        file.write_text(f'[database]\nconnection = {url}\n')
        command = [shapes.BIN / 'heat-lite-manage', '--config-file', file, 'purge_deleted', '0']
        timed('purge', 1, lambda: subprocess.run(command, check=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(':')[0])
    parser.add_argument('work', choices=('fill', 'measure', 'purge'))
    parser.add_argument('url', metavar='URL')
    parser.add_argument('--stacks', type=int, default=1_000_000)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    if options.work == 'fill':
        fill(options.url, options.stacks)
    elif options.work == 'measure':
        measure(options.url, options.rounds)
    else:
        purge(options.url)


if __name__ == '__main__':
    main()
