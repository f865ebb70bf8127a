"""Clocks of engines jump during creates, and engines with a wrong clock are killed."""

import pathlib
import shutil
import struct
import subprocess
import sys
import time

import pytest

from tests import databases
from tests.chaos import clusters

# less than the timeout of a stack, which a take-over measures by the wall clock
JUMPS = (1500, -1500, 1500)


class Clock:
    """The clock of one process that is started with ``wrapper`` before its command."""

    def __init__(self, library, file):
        self._file = file
        self.jump(0)
        self.wrapper = ('env', f'LD_PRELOAD={library}', f'CLOCK_SHIFT={file}')

    def jump(self, seconds):
        """Set the clock to so many seconds ahead of the true time."""
        with open(self._file, 'r+b' if self._file.exists() else 'wb') as file:
            file.write(struct.pack('q', seconds))


@pytest.fixture(scope='module')
def library(tmp_path_factory):
    compiler = shutil.which('cc') or databases.skip_or_fail(
        'a C compiler is needed to shift clocks'
    )
    made = tmp_path_factory.mktemp('clock') / 'clock.so'
    source = pathlib.Path(__file__).with_name('clock.c')
    subprocess.run(
        [compiler, '-shared', '-fPIC', '-O1', '-o', made, source, '-ldl'], check=True, timeout=120
    )
    return made


@pytest.fixture
def new_clock(library, tmp_path):
    def make():
        made.append(Clock(library, tmp_path / f'clock-{len(made)}'))
        return made[-1]

    made = []
    return make


def test_clock_jumps_wall_time_only(new_clock):
    clock = new_clock()
    clock.jump(5000)
    code = (
        'import datetime, time; '
        'print(time.time(), datetime.datetime.now().timestamp(), time.monotonic())'
    )
    told = subprocess.run(
        [*clock.wrapper, sys.executable, '-c', code], capture_output=True, text=True, check=True
    ).stdout.split()
    wall, date, monotonic = map(float, told)
    assert (
        4990 < wall - time.time() < 5010
        and abs(wall - date) < 1
        and abs(monotonic - time.monotonic()) < 10
    )


def test_stacks_complete_while_clocks_jump(new_clock, tmp_path):
    with clusters.running_on_shared_servers('mysql', tmp_path, engines=1) as cluster:
        clocks = {}

        def start():
            clock = new_clock()
            clocks[cluster.start_ready_engine(*clock.wrapper)] = clock

        def jump_and_kill(number):
            """Wait for heartbeats, so that the other engines have read the wrong times."""
            process = next(iter(clocks))
            clocks.pop(process).jump(JUMPS[number])
            time.sleep(2.5)
            cluster.kill(process)
            start()

        start()
        start()
        clusters.under_load(cluster, jump_and_kill, len(JUMPS))
