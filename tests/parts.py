"""Run the parts of the tests, each in processes of its own: ``python -m tests.parts [PART...]``.

A part that fails does not hide the next one. All run, and the end of the output has the closing
line of each and every test that failed.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests import brokers, databases, podman, servers

BIN = Path(sys.executable).parent
PYTEST = (sys.executable, '-m', 'pytest', '-rfEs')
PARALLEL = (*PYTEST, '-n', os.environ.get('WORKERS', '2'))
TABLE = 'tests/attacks/test_table.py'
#: part -> its commands, all of which run
PARTS = {
    'lint': (
        (BIN / 'ruff', 'check', '.'),
        (BIN / 'ruff', 'format', '--check', '.'),
        (BIN / 'mypy',),
    ),
    'unit': ((*PARALLEL, 'tests/unit', 'tests/http'),),
    'functional': ((*PARALLEL, '--dist', 'loadgroup', 'tests/functional', 'tests/deployers'),),
    # kills running engines, each those of its own service
    'chaos': ((*PARALLEL, '--dist', 'loadfile', 'tests/chaos'),),
    # three nodes of a database, three engines and three APIs, whose parts fail
    'cluster': ((*PARALLEL, '--dist', 'loadgroup', 'tests/cluster'),),
    # the web page in Chromium; screenshots are in build/screenshots
    'browser': ((*PYTEST, 'tests/browser'),),
    # Hostile requests, messages and templates: each must be refused in time. The table of attacks
    # measures the waits of another project, so nothing else runs beside it.
    'attacks': (
        (*PARALLEL, '--dist', 'loadgroup', 'tests/attacks', '--ignore', TABLE),
        (*PYTEST, TABLE),
    ),
}
#: the parts of a row run side by side: functional and chaos tests wait most of the time
STAGES = (('lint',), ('unit',), ('functional', 'chaos'), ('cluster',), ('browser',), ('attacks',))
PROGRAMS = ('chromium', 'promtool', 'haproxy', 'systemd-analyze', 'node', 'cc', 'curl', 'fish')
#: addresses without a server
NO_SERVERS = {
    'HEAT_LITE_TEST_MYSQL': 'mysql://root@127.0.0.1:1/mysql',
    'HEAT_LITE_TEST_POSTGRESQL': 'postgresql://postgres@127.0.0.1:1/postgres',
    'HEAT_LITE_TEST_RABBIT': 'rabbit://guest:guest@127.0.0.1:1',
}


class Ended(NamedTuple):
    """A command of a part that has ended, and the lines that it printed."""

    part: str
    code: int
    lines: list[str]

    def failures(self) -> list[str]:
        return [line for line in self.lines if line.startswith(('FAILED ', 'ERROR '))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--no-servers', action='store_true', help='skip the tests of servers')
    parser.add_argument('parts', nargs='*', metavar='PART', help=', '.join(PARTS))
    options = parser.parse_args()
    environment = dict(os.environ)
    if options.no_servers:
        environment |= NO_SERVERS
        environment.pop('CI', None)
    else:
        print('Servers and programs of the tests:', *_found(), sep='\n  ', flush=True)
    ended = []
    for stage in STAGES:
        parts = [name for name in stage if name in (options.parts or PARTS)]
        with ThreadPoolExecutor(len(stage)) as pool:
            for part in pool.map(_run, parts, [environment] * len(parts), [parts] * len(parts)):
                ended += part
    print('\nSummary:', *_summary(ended), sep='\n', flush=True)
    return int(any(each.code for each in ended))


def _found() -> Iterator[str]:
    """Yield a line for each server and program: found, or what its tests lack."""
    missing = {name: databases.unreachable(name) for name in databases.SERVERS}
    missing |= {'rabbitmq': brokers.why_missing(), 'podman': podman.why_missing()}
    missing['galera'] = None if servers.GaleraNode.LIBRARY.exists() else 'not installed'
    missing |= {name: None if shutil.which(name) else 'not installed' for name in PROGRAMS}
    fate = 'fail' if os.environ.get('CI') else 'are skipped'
    for name, reason in missing.items():
        yield f'{name}: MISSING, its tests {fate} ({reason})' if reason else f'{name}: found'


def _run(part: str, environment: dict[str, str], beside: list[str]) -> list[Ended]:
    """Run the commands of a part; what runs beside another part is printed at its end."""
    ended = []
    for command in PARTS[part]:
        print(f'\n== {part}: {" ".join(map(str, command))}', flush=True)
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        lines = []
        for line in process.stdout or ():
            lines.append(line.rstrip())
            if len(beside) == 1:
                print(line, end='', flush=True)
        if len(beside) > 1:
            print(f'\n== {part}:', *lines, sep='\n', flush=True)
        ended.append(Ended(part, process.wait(), lines))
    return ended


def _summary(ended: list[Ended]) -> Iterator[str]:
    for each in ended:
        closing = next(filter(None, reversed(each.lines)), '')
        yield f'{each.part:<11}{"FAILED" if each.code else "passed"}  {closing}'
        yield from (f'  {line}' for line in each.failures())


if __name__ == '__main__':
    sys.exit(main())
