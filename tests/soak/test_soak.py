"""Lives of stacks for long: no unexpected answer, and nothing that grows with their number.

HEAT_LITE_SOAK_SECONDS is the length for each shape after the first lives, 600 by default.
"""

import concurrent.futures
import contextlib
import itertools
import os
import time

import pytest

from tests.attacks import judge
from tests.functional import shapes
from tests.soak import lives
from tests.timeouts import wait_until

SECONDS = int(os.environ.get('HEAT_LITE_SOAK_SECONDS', '600'))
CLIENTS = 4
#: lives in which a process loads what stays: statements, modules, connections
FIRST = 200
#: lives between two lines of the curve
STEP = 50
#: MiB that a process may grow in a thousand lives, or in fewer
MEMORY = 10
EMBEDDED = {'embedded': shapes.embedded, 'embedded convergence': shapes.convergence}
SPLIT = ('mysql', 'mysql convergence', 'postgresql', 'postgresql convergence')
HELPERS = '\n[DEFAULT]\nconvergence_engine = true\nnum_engine_workers = 2\n'

# each request and each wait of a life has an end
pytestmark = pytest.mark.timeout(0)


@pytest.fixture(params=(*EMBEDDED, *SPLIT))
def service(request, tmp_path):
    if request.param in EMBEDDED:
        running = EMBEDDED[request.param](tmp_path)
    else:
        backend, _, walk = request.param.partition(' ')
        running = shapes.split(tmp_path, backend, backend, more=HELPERS if walk else '')
    with running as started:
        yield started


def handles(service):
    """Return (threads, open files) of each process, by name and process id."""
    return judge.of_processes(
        service, lambda folder: tuple(len(os.listdir(folder / part)) for part in ('task', 'fd'))
    )


def with_highest(counts, more):
    """Return the numbers of each process, the higher ones of both."""
    return {key: tuple(map(max, counts.get(key, more[key]), more[key])) for key in more}


def grown_beyond(service, peaks):
    """Return the numbers of the processes that have more threads or files than at their peaks."""
    now = handles(service)
    return {
        key: (now[key], peaks[key])
        for key in now.keys() & peaks.keys()
        if with_highest(peaks, {key: now[key]})[key] != peaks[key]
    }


def run_lives(service, numbers, until):
    """Live the lives of these numbers until a moment; print the curve.

    Return their count, and the highest numbers of threads and files of each process.
    """
    count = requests = 0
    peaks = {}
    begun = time.monotonic()
    taken = itertools.takewhile(lambda number: time.monotonic() < until, numbers)
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        for chunk in iter(lambda: list(itertools.islice(taken, STEP)), []):
            requests += sum(pool.map(lambda number: lives.live(service, number), chunk))
            count += len(chunk)
            seconds = time.monotonic() - begun
            peaks = with_highest(peaks, handles(service))
            print(
                f'{count} lives, {requests} requests, {seconds:.0f} s,'
                f' MiB {judge.memory(service)}, threads and files {handles(service)}',
                flush=True,
            )
    return count, peaks


def test_lives_of_stacks_leave_nothing(service):
    numbers = itertools.count()
    _, peaks = run_lives(service, itertools.islice(numbers, FIRST), float('inf'))
    time.sleep(judge.QUIET_SECONDS)
    memory = judge.memory(service)
    print('after the first lives', memory, handles(service), 'at most', peaks)
    half, grown_to = run_lives(service, numbers, time.monotonic() + SECONDS / 2)
    rest, _ = run_lives(service, numbers, time.monotonic() + SECONDS / 2)
    count, peaks = half + rest, with_highest(peaks, grown_to)
    thousands = -(-count // 1000)
    grown, ended = judge.settle(service, memory, MEMORY * thousands + 1)
    print(f'after {count} more lives', judge.memory(service), handles(service))
    assert not ended
    assert grown <= MEMORY * thousands
    # Pools keep the connections of a burst for a while, of the broker with a thread each. Without
    # work there are no more than the lives of the first half have left at their worst.
    with contextlib.suppress(AssertionError):
        wait_until(lambda: not grown_beyond(service, peaks))
    assert not grown_beyond(service, peaks)
