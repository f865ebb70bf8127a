"""The clocks of engines jump while stacks are made, and engines die whose clock was wrong."""

import pathlib
import shutil
import struct
import subprocess
import sys
import time

import pytest

from tests import databases
from tests.chaos import clusters

# less than the time limit of a stack: that is counted by the clock on the wall where an engine takes over
JUMPS = (1500, -1500, 1500)


class Clock:
    """That of one process, which is started with ``wrapper`` before its command."""

    def __init__(self, library, file):
        self._file = file
        self.jump(0)
        self.wrapper = ('env', f'LD_PRELOAD={library}', f'CLOCK_SHIFT={file}')

    def jump(self, seconds):
        """It is so many seconds ahead of the true time from now on."""
        with open(self._file, 'r+b' if self._file.exists() else 'wb') as file:
            file.write(struct.pack('q', seconds))


@pytest.fixture(scope='module')
def library(tmp_path_factory):
    compiler = shutil.which('cc') or databases.give_up('a C compiler is needed to shift clocks')
    made = tmp_path_factory.mktemp('clock') / 'clock.so'
    source = pathlib.Path(__file__).with_name('clock.c')
    subprocess.run([compiler, '-shared', '-fPIC', '-O1', '-o', made, source, '-ldl'], check=True)
    return made


@pytest.fixture
def new_clock(library, tmp_path):
    def make():
        made.append(Clock(library, tmp_path / f'clock-{len(made)}'))
        return made[-1]

    made = []
    return make


def test_a_clock_of_our_own_can_jump(new_clock):
    clock = new_clock()
    clock.jump(5000)
    code = 'import datetime, time; print(time.time(), datetime.datetime.now().timestamp(), time.monotonic())'
    told = subprocess.run([*clock.wrapper, sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout.split()
    wall, date, monotonic = map(float, told)
    assert 4990 < wall - time.time() < 5010 and abs(wall - date) < 1 and abs(monotonic - time.monotonic()) < 10


def test_clocks_jump(new_clock, tmp_path):
    with clusters.shared('mysql', tmp_path, engines=1) as cluster:
        clocks = {}

        def start():
            clock = new_clock()
            process, log = cluster.start_engine(*clock.wrapper)
            clusters.wait_for(lambda: 'is ready' in log.read_text())
            clocks[process] = clock

        def jump_and_die(number):
            """Some beats later, so that the others have seen what it says of its time."""
            process = next(iter(clocks))
            clocks.pop(process).jump(JUMPS[number])
            time.sleep(2.5)
            cluster.kill(process)
            start()

        start()
        start()
        clusters.under_load(cluster, jump_and_die, len(JUMPS))
