"""What three nodes of Galera cost against one MariaDB: python -m benchmarks.galera --help.

Both have three engines and three APIs with convergence, and get the same work in turns. A round is
the time of small stacks that four clients create, one each at a time; another one deletes them.
"""

import argparse
import concurrent.futures
import contextlib
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks import scale
from tests.cluster import site as sites
from tests.timeouts import wait_until

CLIENTS = 4
KINDS = ('mysql', 'galera')


def delete(service, path):
    service.ask('DELETE', path)

    def is_gone():
        answer = service.ask('GET', path)
        return not answer.ok or answer.json()['stack']['stack_status'] == 'DELETE_COMPLETE'

    wait_until(is_gone)


def milliseconds(site, number, stacks):
    """Return the milliseconds of each stack: (created, deleted)."""
    services = [site.services[each % len(site.services)] for each in range(stacks)]
    names = [f's{number}-{each}' for each in range(stacks)]
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        began = time.monotonic()
        paths = list(pool.map(scale.create, services, names))
        created = time.monotonic()
        list(pool.map(delete, services, paths))
        return [1000 * each / stacks for each in (created - began, time.monotonic() - created)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(':')[0])
    parser.add_argument('--rounds', type=int, default=10)
    parser.add_argument('--stacks', type=int, default=24, help='of a round')
    options = parser.parse_args()
    found = {kind: [] for kind in KINDS}
    with contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in KINDS]
        running = [
            stack.enter_context(sites.running(kind, True, folder))
            for kind, folder in zip(KINDS, folders, strict=True)
        ]
        for number in range(options.rounds + 1):
            for kind, site in zip(KINDS, running, strict=True):
                found[kind].append(milliseconds(site, number, options.stacks))
    for work, of_kinds in zip(
        ('create', 'delete'),
        zip(*(zip(*found[kind][1:], strict=True) for kind in KINDS), strict=True),
        strict=True,
    ):
        single, galera = map(statistics.median, of_kinds)
        ratio = statistics.median(b / a for a, b in zip(*of_kinds, strict=True))
        print(f'{work}: {single:.0f} ms a stack, Galera {galera:.0f} ms, {ratio:.2f} times')


if __name__ == '__main__':
    main()
