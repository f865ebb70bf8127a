"""Measure the take-over of a large database of Heat, and its return.

usage: python -m tests.heat_database [--stacks N] [--backend mysql|postgresql]

The recorded rows are copied until there are N stacks in a new database, which is dropped at the
end. For each command the output is its seconds by the clock and of processor time, its memory, and
the longest time that a reader of one row waited meanwhile.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import sqlalchemy

from heat_lite.db import connections
from tests import heat_database

UUID = re.compile(r'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')
#: columns with ids of rows, which are numbers, and those with JSON of such ids
NUMBERS = frozenset(
    'raw_template_id prev_raw_template_id user_creds_id files_id resource_id rsrc_prop_data_id '
    'attr_data_id replaces replaced_by current_template_id'.split()
)
JSON_OF_NUMBERS = frozenset(('requires', 'needed_by', 'current_deps'))
#: tables that belong to engines and to actions in progress: they are not copied
OF_ENGINES = ('service', 'stack_lock', 'sync_point')
#: copies that one transaction inserts
BATCH = 50
READ_SECONDS = 0.05
COMMANDS = (['takeover', 'plan'], ['db_sync'], ['give_back', '--dry-run'], ['give_back'])


def copied(name, value, table, number, stride):
    """Return a value of a row as copy ``number`` has it: ids, and names of stacks, are new."""
    if value is None:
        return None
    if name in NUMBERS or name == 'id' and isinstance(value, int):
        return value + number * stride
    if name in JSON_OF_NUMBERS:
        return re.sub(r'\d+', lambda found: str(int(found[0]) + number * stride), value)
    if table == 'stack' and name == 'name':
        return f'{value.rstrip("*")}-{number}{"*" * value.endswith("*")}'
    if isinstance(value, str) and UUID.fullmatch(value):
        return f'{(int(value[:8], 16) + number * 7919) % 2**32:08x}{value[8:]}'
    return value


def grow(url, stacks):
    """Copy the rows until there are at least ``stacks``. Return (number of stacks, resources)."""
    content = heat_database.content()
    tables = {name: each for name, each in content.items() if name not in OF_ENGINES}
    stride = 1 + max(
        row[table['columns'].index('id')]
        for table in tables.values()
        for row in table['rows']
        if isinstance(row[table['columns'].index('id')], int)
    )
    each = len(content['stack']['rows'])
    engine = sqlalchemy.create_engine(connections.full_url(url), poolclass=sqlalchemy.NullPool)
    copies = range(1, -(-stacks // each))
    for start in copies[::BATCH]:
        with engine.begin() as connection:
            for name, table in tables.items():
                heat_database.insert(
                    connection,
                    name,
                    table['columns'],
                    [
                        [
                            copied(column, value, name, number, stride)
                            for column, value in zip(table['columns'], row, strict=True)
                        ]
                        for number in range(start, min(start + BATCH, copies.stop))
                        for row in table['rows']
                    ],
                )
    count = 1 + len(copies)
    return count * each, count * len(content['resource']['rows'])


class Reader(threading.Thread):
    """Reads a row of stacks until ``end``; ``longest`` is the longest wait in seconds."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self._url, self._over, self.longest = url, threading.Event(), 0.0

    def run(self):
        engine = sqlalchemy.create_engine(connections.full_url(self._url))
        with engine.connect() as connection:
            while not self._over.wait(READ_SECONDS):
                begun = time.monotonic()
                connection.exec_driver_sql('SELECT id, name FROM stack LIMIT 1').all()
                connection.rollback()
                self.longest = max(self.longest, time.monotonic() - begun)
        engine.dispose()

    def end(self):
        self._over.set()
        self.join()


def measure(url, folder, words):
    """Run a command of heat-lite-manage and print what it took. Return its exit status."""
    conf = folder / 'heat.conf'
    options = f'auth_encryption_key = {heat_database.KEY}\n[database]\nconnection = {url}\n'
    conf.write_text(f'[DEFAULT]\n{options}')
    reader = Reader(url)
    reader.start()
    begun = time.monotonic()
    program = 'import sys; from heat_lite.operate.manage import main; sys.exit(main())'
    with (folder / 'output').open('a') as output:
        process = subprocess.Popen(
            [sys.executable, '-c', program, '--config-file', str(conf), *words],
            stdout=output,
            stderr=output,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begun
    reader.end()
    print(
        f'{" ".join(words)}: {seconds:.1f} s, {usage.ru_utime + usage.ru_stime:.1f} s of processor '
        f'time, {usage.ru_maxrss // 1024} MB, readers waited {reader.longest:.2f} s at most, '
        f'status {process.returncode}',
        flush=True,
    )
    return process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--stacks', type=int, default=1000)
    parser.add_argument('--backend', choices=heat_database.BACKENDS, default='mysql')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with heat_database.loaded(given.backend, folder) as url:
            stacks, resources = grow(url, given.stacks)
            print(f'{stacks} stacks with {resources} resources on {given.backend}', flush=True)
            statuses = [measure(url, folder, words) for words in COMMANDS]
        print((folder / 'output').read_text()[-2000:], file=sys.stderr)
    # the dry run of give_back tells the actions in progress by its status
    return int(any(statuses[:2]) or statuses[3] != 0)


if __name__ == '__main__':
    sys.exit(main())
